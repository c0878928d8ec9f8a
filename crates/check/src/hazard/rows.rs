//! The hazards: pairs of instructions that the hardware does not keep apart by itself.
//!
//! Where the sources do not say the same, a row asks for what all of them ask for, so that no compiler's code is wrong.
//! A generation that no source names has no number in the row.

use wavetank_gcn::Generation;

use super::consumer::Consumer;
use super::producer::Producer;

/// A hazard.
#[derive(Debug)]
pub struct Row {
    /// What findings call it.
    pub name: &'static str,
    /// What the first instruction does.
    pub producer: Producer,
    /// What the second one does.
    pub consumer: Consumer,
    /// The wait states that have to be between the two, by generation from gfx6 on; 0 where it is no hazard.
    pub needs: [u8; 4],
    /// What the second one does, in words; `{}` is the register.
    pub uses: &'static str,
    /// What the first one has done, in words.
    pub after: &'static str,
    /// Document and section.
    pub source: &'static str,
}

impl Row {
    /// The wait states that a generation needs.
    pub fn need(&self, generation: Generation) -> u8 {
        self.needs[generation as usize]
    }
}

macro_rules! rows {
    ($($name:literal $producer:ident $consumer:ident $needs:tt $uses:literal, $after:literal: $source:literal;)*) => {
        /// All of them.
        pub const ROWS: &[Row] = &[$(Row {
            name: $name,
            producer: Producer::$producer,
            consumer: Consumer::$consumer,
            needs: $needs,
            uses: $uses,
            after: $after,
            source: $source,
        },)*];
    };
}

rows! {
    // In the order of the Vega ISA's table "Required Software-inserted Wait States". gfx6, gfx7, gfx8, gfx9:
    "setreg-getreg" WritesHwreg ReadsHwreg [2, 2, 2, 2]
        "reads {}", "`s_setreg` wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `checkGetRegHazards`";
    "setreg-setreg" WritesHwreg WritesHwreg [1, 1, 2, 2]
        "writes {}", "`s_setreg` wrote it":
        "Vega ISA, 4.5 \"Manually Inserted Wait States (NOPs)\"; LLVM, `getSetRegWaitStates`";
    // No compiler uses it, and the manuals of the older generations are not at hand.
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
    // LLVM and Mesa never name VCC by the SGPRs behind it; a remark of Mesa's says what that would take.
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

    // What that table has not.
    "salu-vcc-alias-branch" SaluScalar BranchesByVccAlias [0, 0, 0, 1]
        "looks at VCCZ, and so at {}", "a SALU instruction wrote it":
        "Vega ISA, 3, \"Vector Compares: VCC and VCCZ\"";
    "valu-sgpr-smem" ValuScalar ReadsAsSmem [4, 0, 0, 0]
        "reads {}", "a VALU instruction wrote it":
        "LLVM, `hasSMRDReadVALUDefHazard`";
    // LLVM keeps the offset away too, though it knows of trouble with descriptors alone; Mesa keeps only these away.
    "salu-descriptor-smem" SaluScalar ReadsAsDescriptor [4, 0, 0, 0]
        "reads {} as its descriptor", "a SALU instruction wrote it":
        "LLVM, `checkSMRDHazards`";
    "interp-vgpr-lane" InterpVector ReadsLane [1, 0, 0, 0]
        "reads {}", "an interpolation wrote it":
        "Mesa, `handle_instruction_gfx6`";
}
