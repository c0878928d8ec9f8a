//! The table of hazards: pairs of instructions that the hardware does not keep apart by itself.
//!
//! If the sources differ, a row has the requirement on which all of them agree, so that no compiler's code is reported. A
//! generation that no source names has 0 in the row.

use super::cdna_rows::CDNA_ROWS;
use super::consumer::Consumer;
use super::link::Link;
use super::need::{COLUMNS, Need};
use super::producer::Producer;
use super::row::Row;

/// Returns all rows of the table.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    GCN_ROWS.iter().chain(CDNA_ROWS)
}

/// The number of rows.
pub(super) const ROW_COUNT: usize = GCN_ROWS.len() + CDNA_ROWS.len();

/// Returns the columns of a hazard of GCN, from the wait states on gfx6, gfx7, gfx8 and gfx9. The chips of CDNA belong to gfx9.
const fn gcn(needs: [u8; 4]) -> [Need; COLUMNS] {
    let mut columns = [Need::Never; COLUMNS];
    let mut i = 0;
    while i < COLUMNS {
        let states = needs[if i < 4 { i } else { 3 }];
        if states > 0 {
            columns[i] = Need::States(states);
        }
        i += 1;
    }
    columns
}

macro_rules! rows {
    ($($name:literal $producer:ident $consumer:ident $needs:tt $uses:literal, $after:literal: $source:literal;)*) => {
        /// The hazards of GCN, which CDNA has as well.
        const GCN_ROWS: &[Row] = &[$(Row {
            name: $name,
            producer: Producer::$producer,
            consumer: Consumer::$consumer,
            link: Link::Any,
            needs: gcn($needs),
            uses: $uses,
            after: $after,
            source: $source,
        },)*];
    };
}

rows! {
    // Hazards in the order of the Vega ISA's table "Required Software-inserted Wait States". The numbers are for gfx6, gfx7,
    // gfx8, gfx9.
    "setreg-getreg" WritesHwreg ReadsHwreg [2, 2, 2, 2]
        "reads {}", "`s_setreg` wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `checkGetRegHazards`";
    "setreg-setreg" WritesHwreg WritesHwreg [1, 1, 2, 2]
        "writes {}", "`s_setreg` wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `getSetRegWaitStates`";
    // No compiler emits this instruction, and the manuals of the older generations are not available.
    "setvskip-getreg" SetsVskip ReadsVskip [0, 0, 0, 2]
        "reads VSKIP from {}", "`s_setvskip` set it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"";
    "setreg-vskip-vector" WritesVskip IsVector [2, 2, 2, 2]
        "is skipped or not by MODE.vskip", "`s_setreg` wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; Mesa, `handle_instruction_gfx6`";
    "valu-vccz-execz" ValuScalar ReadsZeroFlag [5, 5, 5, 5]
        "takes as a number whether {} is zero", "a VALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; Mesa, `handle_instruction_gfx6`";
    "valu-sgpr-lane" ValuScalar SelectsLane [4, 4, 4, 4]
        "takes its lane from {}", "a VALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `checkRWLaneHazards`";
    "valu-vcc-div-fmas" ValuScalar IsDivFmas [4, 4, 4, 4]
        "reads {}", "a VALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `checkDivFMasHazards`";
    "wide-store-data" StoresWide WritesVector [0, 1, 1, 1]
        "writes {}", "a store of more than 64 bits that has its data there":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `has12DWordStoreHazard`";
    "valu-sgpr-vmem" ValuScalar ReadsAsVmem [0, 0, 5, 5]
        "reads {}", "a VALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `hasVMEMReadSGPRVALUDefHazard`";
    "salu-m0-message" SaluScalar IsMessage [0, 0, 1, 1]
        "reads {}", "a SALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `hasReadM0SendMsgHazard`";
    "valu-vgpr-dpp" ValuVector ReadsAsDpp [0, 0, 2, 2]
        "reads {} with DPP", "a VALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `checkDPPHazards`";
    "valu-exec-dpp" ValuScalar IsDpp [0, 0, 5, 5]
        "uses DPP under {}", "a VALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `checkDPPHazards`";
    // LLVM and Mesa never name VCC by its SGPR aliases; the requirement is from a remark in Mesa.
    "valu-vcc-alias" ValuScalar ReadsVccAlias [1, 1, 1, 1]
        "reads what is also {}", "a VALU instruction wrote that":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; Mesa, `handle_instruction_gfx6`";
    "setreg-trapsts-rfe" WritesHwreg ReturnsFromTrap [0, 0, 1, 1]
        "returns from a trap", "`s_setreg` wrote HW_REG_TRAPSTS":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `hasRFEHazards`";
    "salu-m0-lds" SaluScalar IsLdsByM0 [0, 0, 0, 1]
        "reads {}", "a SALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `hasReadM0LdsDmaHazard` and its like";
    "salu-m0-movrel" SaluScalar IsMovrel [0, 0, 0, 1]
        "reads {}", "a SALU instruction wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `hasReadM0MovRelInterpHazard`";

    // Hazards that are not in that table.
    "salu-vcc-alias-branch" SaluScalar BranchesByVccAlias [0, 0, 0, 1]
        "looks at VCCZ, and so at {}", "a SALU instruction wrote it":
        "Vega ISA, 3, \"Vector Compares: VCC and VCCZ\"";
    "valu-sgpr-smem" ValuScalar ReadsAsSmem [4, 0, 0, 0]
        "reads {}", "a VALU instruction wrote it":
        "LLVM, `hasSMRDReadVALUDefHazard`";
    // LLVM also separates the offset, although it documents trouble only with descriptors; Mesa separates only descriptors.
    "salu-descriptor-smem" SaluScalar ReadsAsDescriptor [4, 0, 0, 0]
        "reads {} as its descriptor", "a SALU instruction wrote it":
        "LLVM, `checkSMRDHazards`";
    "interp-vgpr-lane" InterpVector ReadsLane [1, 0, 0, 0]
        "reads {}", "an interpolation wrote it":
        "Mesa, `handle_instruction_gfx6`";
}
