//! The hazards that an instruction can take part in, for references: found by trying samples of every instruction with the
//! predicates of the checker.

use std::sync::OnceLock;

use wavetank_gcn::numbers::{hwreg, sreg};
use wavetank_gcn::tables::{Features, Kind, OperandSpec};
use wavetank_gcn::{
    Chip, Flags, Form, Generation, Inst, MAX_OPERANDS, Mods, Op, Operand, SdwaSel, Spelling,
};

use super::consumer::Consumer;
use super::matrix::{FIRST_AGPR, passes};
use super::need::{COLUMNS, Column, Need};
use super::producer::Producer;
use super::row::Row;
use super::rows::{ROW_COUNT, rows};
use super::vcc::VccAlias;
use crate::code::{Node, Successors};

/// A hazard, and the part of an instruction in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hazard {
    /// The rule of the findings.
    pub rule: &'static str,
    /// Whether the instruction is the first of the two; otherwise it is the second.
    pub is_first: bool,
    /// The wait states that are needed between the two: the most, where they depend on the other instruction.
    pub wait_states: u8,
    /// The use by the second instruction, in words.
    pub uses: String,
    /// The action of the first instruction, in words.
    pub after: String,
    /// The source: document and section.
    pub source: &'static str,
}

/// Returns the hazards of an operation in some forms on a chip, in the order of the checker's table. Of a rule with several rows
/// the one that needs the most wait states is returned.
///
/// ```
/// use wavetank_check::hazards_of;
/// use wavetank_gcn::{Chip, Form, tables::Vop3};
/// let all = hazards_of(Vop3::V_READLANE_B32.into(), &[Form::Vop3], Chip::Gfx900);
/// let lane = all.iter().find(|hazard| hazard.rule == "valu-sgpr-lane" && !hazard.is_first);
/// assert_eq!(lane.map(|hazard| hazard.wait_states), Some(4));
/// ```
pub fn hazards_of(op: Op, forms: &[Form], chip: Chip) -> Vec<Hazard> {
    let column = Column::of(chip);
    let (own, all) = (Parts::of(op, forms, chip), Parts::all(chip));
    let taken = |row: &'static Row, is_first: bool| Hazard {
        rule: row.name,
        is_first,
        wait_states: if is_first && own.passes > 0 {
            row.need(column).states(own.passes)
        } else {
            row.need(column).most()
        },
        uses: row.uses.replace("{}", register(row.consumer)),
        after: row.after.replace("{}", row.producer.words()),
        source: row.source,
    };
    let mut found: Vec<Hazard> = Vec::new();
    let rows = rows().enumerate();
    for (n, row) in rows.filter(|(_, row)| row.need(column) != Need::Never) {
        let second = own.consumed[n].meets(all.produced[row.producer as usize]);
        let first = own.produced[row.producer as usize].meets(all.consumed[n]);
        let parts = [(second, false), (first, true)];
        for (_, is_first) in parts.into_iter().filter(|(is, _)| *is) {
            let hazard = taken(row, is_first);
            let same = |known: &&mut Hazard| (known.rule, known.is_first) == (row.name, is_first);
            match found.iter_mut().find(same) {
                Some(known) if known.wait_states < hazard.wait_states => *known = hazard,
                Some(_) => {}
                None if hazard.wait_states > 0 => found.push(hazard),
                None => {}
            }
        }
    }
    found
}

/// Returns the register of a use, in words for any instruction.
fn register(consumer: Consumer) -> &'static str {
    match consumer {
        Consumer::ReadsHwreg | Consumer::WritesHwreg => "a hardware register",
        Consumer::ReadsVskip | Consumer::IsVector => "MODE",
        Consumer::ReadsZeroFlag => "VCC or EXEC",
        Consumer::SelectsLane
        | Consumer::ReadsAsVmem
        | Consumer::ReadsAsSmem
        | Consumer::ReadsAsDescriptor
        | Consumer::ReadsScalar => "an SGPR",
        Consumer::IsDivFmas | Consumer::ReadsVccAlias => "VCC",
        Consumer::BranchesByVccAlias => "the SGPRs of VCC",
        Consumer::IsDpp | Consumer::IsMatrix | Consumer::IsLaneAccess | Consumer::IsRowSwap => {
            "EXEC"
        }
        Consumer::IsMessage | Consumer::IsLdsByM0 | Consumer::IsMovrel => "M0",
        Consumer::ReturnsFromTrap => "TRAPSTS",
        Consumer::ReadsInMatrix
        | Consumer::ReadsAsXdlC
        | Consumer::ReadsAsSgemmC
        | Consumer::ReadsAsDgemmC
        | Consumer::ReadsAsFactor
        | Consumer::ReadsInValu
        | Consumer::WritesInValu
        | Consumer::ReadsInMemory => "a vector register",
        Consumer::WritesVector
        | Consumer::ReadsAsDpp
        | Consumer::ReadsLane
        | Consumer::IsFmaF64
        | Consumer::ReadsAsSource
        | Consumer::ReadsAsPlainSource
        | Consumer::SwapsRows => "a VGPR",
    }
}

/// The registers that samples have: a general one of each kind, the alias of VCC, and those with a name. 0 stands for no register.
const NUMBERS: [u16; 9] = [
    GENERAL as u16,
    FIRST_AGPR + GENERAL as u16,
    ALIAS as u16,
    sreg::VCC as u16,
    sreg::M0 as u16,
    sreg::EXEC as u16,
    hwreg::MODE as u16,
    hwreg::TRAPSTS as u16,
    0,
];
/// The general register of samples, in both files.
const GENERAL: u8 = 8;
/// The SGPR that is also the low half of VCC.
const ALIAS: u8 = 94;
/// All bits of a hardware register, in the operand of `s_setreg` (Vega ISA, 12.2, S_GETREG_B32).
const WHOLE: i32 = 31 << 11;

/// A set of the registers in [`NUMBERS`], by bit.
#[derive(Clone, Copy, Default)]
struct Set(u16);

impl Set {
    fn add(&mut self, number: u16) {
        let at = NUMBERS.iter().position(|known| *known == number);
        self.0 |= at.map_or(0, |at| 1 << at);
    }

    fn meets(self, other: Set) -> bool {
        self.0 & other.0 != 0
    }
}

/// The registers with which samples are producers, and those with which they are consumers of a row.
#[derive(Clone)]
struct Parts {
    produced: [Set; super::producer::PRODUCERS],
    consumed: [Set; ROW_COUNT],
    /// The passes of a matrix instruction.
    passes: u8,
}

impl Parts {
    const NONE: Parts = Parts {
        produced: [Set(0); super::producer::PRODUCERS],
        consumed: [Set(0); ROW_COUNT],
        passes: 0,
    };

    /// Returns the parts of every instruction of the chips in a column of the table, in all forms.
    fn all(chip: Chip) -> &'static Parts {
        static ALL: [OnceLock<Parts>; COLUMNS] = [const { OnceLock::new() }; COLUMNS];
        ALL[Column::of(chip) as usize].get_or_init(|| {
            let mut parts = Parts::NONE;
            for op in Op::all().filter(|op| op.row().exists_on(chip)) {
                parts.add(op, &Form::ALL, chip);
            }
            // What these two are made of is two instructions.
            let made = [
                (Producer::ValuThenAccvgpr, Producer::AccvgprRead),
                (Producer::ValuThenDgemm, Producer::Dgemm4Result),
            ];
            for (made, of) in made {
                parts.produced[made as usize] = parts.produced[of as usize];
            }
            parts
        })
    }

    fn of(op: Op, forms: &[Form], chip: Chip) -> Parts {
        let mut parts = Parts::NONE;
        parts.add(op, forms, chip);
        parts
    }

    fn add(&mut self, op: Op, forms: &[Form], chip: Chip) {
        let forms = forms.iter().filter(|form| has_form(op, **form, chip));
        for inst in forms.flat_map(|form| samples(op, *form, chip)) {
            self.add_sample(&inst);
        }
    }

    fn add_sample(&mut self, inst: &Inst) {
        let node = Node {
            pc: 0,
            effects: inst.effects(),
            successors: Successors::of(inst, 0),
            inst: *inst,
        };
        Producer::each(&node, |producer, number| {
            self.produced[producer as usize].add(number);
        });
        let alias = VccAlias::at(ALIAS);
        self.passes = self.passes.max(passes(inst));
        for (row, consumed) in rows().zip(&mut self.consumed) {
            for number in NUMBERS {
                if row.consumer.is(&node, number, alias) {
                    consumed.add(number);
                }
            }
        }
    }
}

fn has_form(op: Op, form: Form, chip: Chip) -> bool {
    let gfx9 = chip.generation() == Generation::Gfx9;
    match form {
        Form::Vop3 => op.vop3(chip).is_some(),
        Form::Sdwa => op.sdwa(chip),
        Form::Dpp => op.dpp(chip),
        Form::Global => gfx9 && op.home() == Form::Flat,
        Form::Scratch => gfx9 && op.scratch(chip).is_some(),
        form => op.home() == form,
    }
}

/// The operands of a sample: sources of the vector ALU, scalar operands, and the number of a hardware register.
const OPERANDS: [(Operand, Operand, u8); 8] = [
    (Operand::Vgpr(GENERAL), Operand::Sgpr(GENERAL), hwreg::MODE),
    (Operand::Agpr(GENERAL), Operand::Sgpr(GENERAL), hwreg::MODE),
    (Operand::Sgpr(GENERAL), Operand::Inline(128), hwreg::TRAPSTS),
    (Operand::Sgpr(ALIAS), Operand::Sgpr(ALIAS), hwreg::MODE),
    (
        Operand::Sgpr(sreg::VCC),
        Operand::Sgpr(sreg::VCC),
        hwreg::MODE,
    ),
    // VCCZ, EXECZ and LDS_DIRECT (Vega ISA, 13.1).
    (Operand::Inline(251), Operand::Sgpr(sreg::M0), hwreg::MODE),
    (Operand::Inline(252), Operand::Sgpr(sreg::EXEC), hwreg::MODE),
    (Operand::Inline(254), Operand::Sgpr(GENERAL), hwreg::MODE),
];

/// Returns samples of an operation in a form, with each kind of register in each place, and each flag that changes hazards.
fn samples(op: Op, form: Form, chip: Chip) -> impl Iterator<Item = Inst> {
    let row = op.row();
    let flag = match form {
        Form::Ds => Flags::GDS,
        Form::Mimg if chip.generation() < Generation::Gfx9 => Flags::R128,
        _ if row.has(Features::LDS | Features::LDS_ONLY) => Flags::LDS,
        _ => Flags::empty(),
    };
    OPERANDS.into_iter().flat_map(move |chosen| {
        [(Flags::empty(), false), (flag, true)].map(|(flags, writes_part)| {
            let mut operands = [Operand::None; MAX_OPERANDS];
            for (slot, spec) in operands.iter_mut().zip(row.operands) {
                *slot = operand(spec, form, chosen);
            }
            Inst {
                op,
                chip,
                form,
                len: 4,
                operands,
                mods: Mods {
                    flags,
                    dmask: 0xf,
                    dst_sel: if writes_part && form == Form::Sdwa && !row.has(Features::WHOLE_DST) {
                        SdwaSel::Word1
                    } else {
                        SdwaSel::Dword
                    },
                    op_sel: if writes_part && form == Form::Vop3 && row.has(Features::OP_SEL) {
                        8
                    } else {
                        0
                    },
                    ..Mods::default()
                },
                spelling: Spelling::default(),
            }
        })
    })
}

fn operand(
    spec: &OperandSpec,
    form: Form,
    (source, scalar, hwreg): (Operand, Operand, u8),
) -> Operand {
    use Form::*;
    let scalar_alu = matches!(form, Sop1 | Sop2 | Sopk | Sopc | Sopp | Smem);
    match spec.kind {
        // On gfx908 SrcC and the result are AGPRs.
        Kind::Vector | Kind::Accumulator if matches!(source, Operand::Agpr(_)) => source,
        Kind::Agpr => Operand::Agpr(GENERAL),
        Kind::Vgpr | Kind::Vector | Kind::Accumulator => Operand::Vgpr(GENERAL),
        Kind::Source if matches!(source, Operand::Agpr(_)) => Operand::Vgpr(GENERAL),
        Kind::Source if form == Dpp => Operand::Vgpr(GENERAL),
        Kind::Source if !scalar_alu => source,
        Kind::Sgpr if matches!(scalar, Operand::Inline(_)) => Operand::Sgpr(GENERAL),
        Kind::Source | Kind::Sgpr | Kind::Scalar => scalar,
        Kind::Hwreg => Operand::Imm(i32::from(hwreg) | WHOLE),
        _ => Operand::Imm(0),
    }
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::tables::*;

    use super::*;

    fn told(op: impl Into<Op>, chip: Chip) -> Vec<(&'static str, bool, u8)> {
        let all = hazards_of(op.into(), &Form::ALL, chip);
        let told = all.iter().map(|h| (h.rule, h.is_first, h.wait_states));
        told.collect()
    }

    /// Vega ISA, 4.5 "Manually Inserted Wait States (NOPs)".
    #[test]
    fn hazards_are_those_of_the_manual() {
        let fmas = told(Vop3::V_DIV_FMAS_F32, Chip::Gfx900);
        assert!(fmas.contains(&("valu-vcc-div-fmas", false, 4)), "{fmas:?}");
        let add = told(Vop2::V_ADD_F32, Chip::Gfx900);
        assert!(add.contains(&("valu-vgpr-dpp", false, 2)), "{add:?}");
        assert!(add.contains(&("valu-vgpr-dpp", true, 2)), "{add:?}");
        assert!(!add.contains(&("valu-vcc-div-fmas", true, 4)), "{add:?}");
        let compare = told(Vopc::V_CMP_LT_F32, Chip::Gfx900);
        assert!(
            compare.contains(&("valu-vcc-div-fmas", true, 4)),
            "{compare:?}"
        );
        let store = told(Mubuf::BUFFER_STORE_DWORDX4, Chip::Gfx803);
        assert!(store.contains(&("wide-store-data", true, 1)), "{store:?}");
        assert!(store.contains(&("valu-sgpr-vmem", false, 5)), "{store:?}");
        let narrow = told(Mubuf::BUFFER_STORE_DWORDX2, Chip::Gfx803);
        assert!(
            !narrow.contains(&("wide-store-data", true, 1)),
            "{narrow:?}"
        );
        let message = told(Sopp::S_SENDMSG, Chip::Gfx900);
        assert_eq!(message, [("salu-m0-message", false, 1)]);
        assert_eq!(told(Sopp::S_SENDMSG, Chip::Gfx600), []);
    }

    /// Instructions of CDNA, from the wait states of LLVM's `GCNHazardRecognizer.cpp`.
    #[test]
    fn hazards_of_cdna_have_the_wait_states_of_the_instruction() {
        let small = told(Mai::V_MFMA_F32_4X4X1F32, Chip::Gfx90a);
        let large = told(Mai::V_MFMA_F32_32X32X1F32, Chip::Gfx90a);
        assert!(small.contains(&("mfma-result-read", true, 5)), "{small:?}");
        assert!(large.contains(&("mfma-result-read", true, 19)), "{large:?}");
        let double = told(Mai::V_MFMA_F64_16X16X4F64, Chip::Gfx90a);
        assert!(
            double.contains(&("mfma-result-memory", true, 18)),
            "{double:?}"
        );
        let add = told(Vop2::V_ADD_F32, Chip::Gfx942);
        assert!(add.contains(&("mfma-result-read", false, 19)), "{add:?}");
        assert!(add.contains(&("trans-result", false, 1)), "{add:?}");
        assert!(!add.iter().any(|(rule, ..)| *rule == "accvgpr-write-read"));
    }

    /// Every row of the table has an instruction that is the first, and one that is the second.
    #[test]
    fn every_hazard_has_both_instructions() {
        let chips = [Chip::Gfx600, Chip::Gfx701, Chip::Gfx803, Chip::Gfx900];
        for &chip in chips.iter().chain(Chip::CDNA) {
            let ops = Op::all().filter(|op| op.row().exists_on(chip));
            let all: Vec<_> = ops.flat_map(|op| told(op, chip)).collect();
            let column = Column::of(chip);
            for row in rows().filter(|row| row.need(column) != Need::Never) {
                // Two instructions together are no single one.
                let first = !matches!(
                    row.producer,
                    Producer::ValuThenAccvgpr | Producer::ValuThenDgemm
                );
                for first in [false, first] {
                    let has = all
                        .iter()
                        .any(|(rule, is, _)| (*rule, *is) == (row.name, first));
                    assert!(has, "{} {first} on {}", row.name, chip.name());
                }
            }
        }
    }
}
