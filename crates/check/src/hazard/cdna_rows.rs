//! The hazards that only CDNA has: matrix instructions, moves of accumulation registers, and VALU instructions of its later chips.
//!
//! The numbers are for gfx908, gfx90a, gfx942 and gfx950. After matrix instructions they follow from the passes: gfx908 and gfx90a
//! have shapes of 2, 8 and 16 passes, for which LLVM names each number.

use super::consumer::Consumer;
use super::link::Link;
use super::need::Need::{self, AfterTwo, Never, Passes, PassesButTwo, States};
use super::need::{COLUMNS, Column};
use super::producer::Producer;
use super::row::Row;

/// Returns the columns of a hazard of CDNA.
const fn cdna(needs: [Need; 4]) -> [Need; COLUMNS] {
    let mut columns = [Never; COLUMNS];
    let mut i = 0;
    while i < needs.len() {
        columns[Column::Gfx908 as usize + i] = needs[i];
        i += 1;
    }
    columns
}

macro_rules! rows {
    ($($name:literal $producer:ident $consumer:ident $link:ident $needs:tt $uses:literal, $after:literal: $source:literal;)*) => {
        /// The hazards of CDNA alone.
        pub(super) const CDNA_ROWS: &[Row] = &[$(Row {
            name: $name,
            producer: Producer::$producer,
            consumer: Consumer::$consumer,
            link: Link::$link,
            needs: cdna($needs),
            uses: $uses,
            after: $after,
            source: $source,
        },)*];
    };
}

rows! {
    "wide-store-data" StoresWide WritesVector Any [Never, Never, States(2), States(2)]
        "writes {}", "a store of more than 64 bits that has its data there":
        "LLVM, `checkVALUHazardsHelper`";

    // What the matrix unit reads.
    "valu-exec-mfma" ValuScalar IsMatrix Any [States(4), States(4), States(4), States(4)]
        "is executed by the matrix unit, which looks at {}", "{} wrote it":
        "LLVM, `checkMAIHazards908` and `checkMAIHazards90A`";
    "valu-vgpr-mfma" ValuVector ReadsInMatrix Any [States(2), Never, Never, Never]
        "reads {} in the matrix unit", "{} wrote it":
        "LLVM, `checkMAIHazards908`";
    "valu-vgpr-mfma" ValuVector ReadsInMatrix NotDot [Never, States(2), States(2), States(2)]
        "reads {} in the matrix unit", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";

    // The result of a matrix instruction, read by another one. Exactly the same registers are forwarded.
    "mfma-result-c" XdlResult ReadsAsXdlC OtherC [States(2), Passes(0), Passes(1), Passes(2)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards908` and `checkMAIHazards90A`";
    "mfma-result-c" XdlResult ReadsAsSgemmC OtherC [Never, Never, Passes(1), PassesButTwo(2)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" XdlResult ReadsAsDgemmC OtherC [Never, Passes(1), Passes(1), PassesButTwo(2)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" SgemmResult ReadsAsSgemmC OtherC [Never, Never, Passes(0), Passes(0)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" SgemmResult ReadsAsDgemmC OtherC [Never, Never, Passes(0), Passes(0)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" XdlResult ReadsAsXdlC SameC [Never, Never, AfterTwo(2), AfterTwo(2)]
        "reads {} in a SrcC of the same registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" XdlResult ReadsAsSgemmC SameC [Never, Never, AfterTwo(2), AfterTwo(2)]
        "reads {} in a SrcC of the same registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" SgemmResult ReadsAsXdlC SameC [Never, Never, AfterTwo(2), AfterTwo(2)]
        "reads {} in a SrcC of the same registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" SgemmResult ReadsAsSgemmC SameC [Never, Never, AfterTwo(2), AfterTwo(2)]
        "reads {} in a SrcC of the same registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" Dgemm4Result ReadsAsDgemmC Any [Never, States(4), States(4), States(4)]
        "reads {} in its SrcC", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" Dgemm4Result ReadsAsSgemmC Any [Never, Never, States(4), States(4)]
        "reads {} in its SrcC", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" Dgemm16Result ReadsAsDgemmC OtherC [Never, States(9), States(9), States(17)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-c" Dgemm16Result ReadsAsSgemmC OtherC [Never, Never, States(9), States(17)]
        "reads {} in a SrcC of other registers", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-ab" XdlResult ReadsAsFactor Any [States(4), Passes(3), Passes(3), PassesButTwo(4)]
        "reads {} as SrcA, SrcB or index", "{} wrote it":
        "LLVM, `checkMAIHazards908` and `checkMAIHazards90A`";
    "mfma-result-ab" SgemmResult ReadsAsFactor Any [Never, Never, Passes(2), Passes(2)]
        "reads {} as SrcA, SrcB or index", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-ab" Dgemm4Result ReadsAsFactor Any [Never, States(6), States(6), States(6)]
        "reads {} as SrcA, SrcB or index", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";
    "mfma-result-ab" Dgemm16Result ReadsAsFactor Any [Never, States(11), States(11), States(19)]
        "reads {} as SrcA, SrcB or index", "{} wrote it":
        "LLVM, `checkMAIHazards90A`";

    // The result of a matrix instruction, used by others. On gfx908 only moves reach it.
    "mfma-result-read" XdlResult ReadsInValu Any [Passes(2), Passes(3), Passes(3), PassesButTwo(4)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIHazards908` and `checkMAIVALUHazards`";
    "mfma-result-read" SgemmResult ReadsInValu Any [Never, Never, Passes(2), Passes(2)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-read" Dgemm4Result ReadsInValu Any [Never, States(6), States(6), States(6)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-read" Dgemm16Result ReadsInValu Any [Never, States(11), States(11), States(19)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-memory" XdlResult ReadsInMemory Any [Never, Passes(3), Passes(3), PassesButTwo(4)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-memory" SgemmResult ReadsInMemory Any [Never, Never, Passes(2), Passes(2)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-memory" Dgemm4Result ReadsInMemory Any [Never, States(9), States(9), States(9)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-memory" Dgemm16Result ReadsInMemory Any [Never, States(18), States(18), States(18)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-write" XdlResult WritesInValu Any [Passes(-1), Passes(3), Passes(3), PassesButTwo(4)]
        "writes {}", "{} wrote it, perhaps later than this":
        "LLVM, `checkMAIHazards908` and `checkMAIVALUHazards`";
    "mfma-result-write" SgemmResult WritesInValu Any [Never, Never, Passes(2), Passes(2)]
        "writes {}", "{} wrote it, perhaps later than this":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-write" Dgemm4Result WritesInValu Any [Never, States(6), States(6), States(6)]
        "writes {}", "{} wrote it, perhaps later than this":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-result-write" Dgemm16Result WritesInValu Any [Never, States(11), States(11), States(11)]
        "writes {}", "{} wrote it, perhaps later than this":
        "LLVM, `checkMAIVALUHazards`";
    "mfma-c-write" XdlC WritesInValu Any [Passes(-3), Passes(-1), Passes(-1), Passes(-1)]
        "writes {}", "{}, which has its SrcC there":
        "LLVM, `checkMAIHazards908` and `checkMAIVALUHazards`";

    // Moves of accumulation registers, which are late on gfx908.
    "accvgpr-write-read" AccvgprWrite ReadsAsXdlC Any [States(1), Never, Never, Never]
        "reads {} in its SrcC", "{} wrote it":
        "LLVM, `checkMAIHazards908`";
    "accvgpr-write-read" AccvgprWrite ReadsAsFactor Any [States(3), Never, Never, Never]
        "reads {} as SrcA or SrcB", "{} wrote it":
        "LLVM, `checkMAIHazards908`";
    "accvgpr-write-read" AccvgprWrite ReadsInValu Any [States(3), Never, Never, Never]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIHazards908`";
    "accvgpr-read-memory" AccvgprRead ReadsInMemory Any [States(2), Never, Never, Never]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAILdStHazards`";
    "valu-accvgpr-memory" ValuThenAccvgpr ReadsInMemory Any [States(1), Never, Never, Never]
        "reads {}", "{}, before which a VALU instruction wrote it":
        "LLVM, `checkMAILdStHazards`";

    // Matrix instructions of double precision, without their registers.
    "dgemm-fma-f64" Dgemm IsFmaF64 Any [Never, States(2), States(2), States(2)]
        "is a multiply-add of doubles", "{}, in whatever registers":
        "LLVM, `checkMAIVALUHazards`";
    "valu-dgemm-memory" ValuThenDgemm ReadsInMemory Any [Never, States(2), Never, Never]
        "reads {}", "{} wrote it, with a matrix instruction of double precision between":
        "LLVM, `checkMAIVALUHazards`, a defect of gfx90a";

    // VALU instructions whose results are late. A dot product forwards what it adds to.
    "dot-result" DotVector ReadsInValu NotChained [Never, States(3), States(3), States(3)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "dot-result" DotVector ReadsInMemory Any [Never, States(3), States(3), States(3)]
        "reads {}", "{} wrote it":
        "LLVM, `checkMAIVALUHazards`";
    "dot-result" DotVector WritesInValu OtherOperation [Never, States(3), States(3), States(3)]
        "writes {}", "{} wrote it, perhaps later than this":
        "LLVM, `checkMAIVALUHazards`";
    "trans-result" TransVector ReadsAsPlainSource Any [Never, Never, States(1), States(1)]
        "reads {}", "{} wrote it":
        "LLVM, `hasTransForwardingHazard`";
    "part-result" PartVector ReadsAsSource Any [Never, Never, States(1), States(1)]
        "reads {}", "{} wrote a part of it":
        "LLVM, `hasDstSelForwardingHazard`";
    "valu-sgpr-valu" ValuScalar ReadsScalar Any [Never, Never, States(2), States(2)]
        "reads {}", "{} wrote it":
        "LLVM, `hasVDecCoExecHazard`";
    "valu-exec-lane" ValuScalar IsLaneAccess Any [Never, Never, States(4), States(4)]
        "accesses a lane under {}", "{} wrote it":
        "LLVM, `hasVDecCoExecHazard`";
    "valu-vgpr-lane" ValuVector ReadsLane Any [Never, Never, States(1), States(1)]
        "reads {}", "{} wrote it":
        "LLVM, `hasVDecCoExecHazard`";
    "valu-vgpr-swap" ValuVector SwapsRows Any [Never, Never, Never, States(2)]
        "exchanges rows of {}", "{} wrote it":
        "LLVM, `checkPermlaneHazards`";
    "valu-exec-swap" ValuScalar IsRowSwap Any [Never, Never, Never, States(4)]
        "exchanges rows under {}", "{} wrote it":
        "LLVM, `checkPermlaneHazards`";
}
