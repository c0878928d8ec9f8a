//! The hazards that an instruction can take part in, for references: found by trying samples of every instruction with the
//! predicates of the checker.

use std::sync::OnceLock;

use wavetank_gcn::numbers::{hwreg, sreg};
use wavetank_gcn::tables::{Features, Kind, OperandSpec};
use wavetank_gcn::{
    Chip, Flags, Form, Generation, Inst, MAX_OPERANDS, Mods, Op, Operand, Spelling,
};

use super::consumer::Consumer;
use super::producer::Producer;
use super::rows::{ROWS, Row};
use super::vcc::VccAlias;
use crate::code::{Node, Successors};

/// A hazard, and the part of an instruction in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hazard {
    /// The rule of the findings.
    pub rule: &'static str,
    /// Whether the instruction is the first of the two; otherwise it is the second.
    pub is_first: bool,
    /// The wait states that are needed between the two.
    pub wait_states: u8,
    /// The use by the second instruction, in words.
    pub uses: String,
    /// The action of the first instruction, in words.
    pub after: &'static str,
    /// The source: document and section.
    pub source: &'static str,
}

/// Returns the hazards of an operation in some forms on a chip, in the order of the checker's table.
///
/// ```
/// use wavetank_check::hazards_of;
/// use wavetank_gcn::{Chip, Form, tables::Vop3};
/// let all = hazards_of(Vop3::V_READLANE_B32.into(), &[Form::Vop3], Chip::Gfx900);
/// let lane = all.iter().find(|hazard| hazard.rule == "valu-sgpr-lane" && !hazard.is_first);
/// assert_eq!(lane.map(|hazard| hazard.wait_states), Some(4));
/// ```
pub fn hazards_of(op: Op, forms: &[Form], chip: Chip) -> Vec<Hazard> {
    let generation = chip.generation();
    let (own, all) = (Parts::of(op, forms, chip), Parts::all(generation));
    let taken = |row: &'static Row, is_first: bool| Hazard {
        rule: row.name,
        is_first,
        wait_states: row.need(generation),
        uses: row.uses.replace("{}", register(row.consumer)),
        after: row.after,
        source: row.source,
    };
    let rows = ROWS.iter().enumerate();
    let rows = rows.filter(|(_, row)| row.need(generation) > 0);
    rows.flat_map(|(n, row)| {
        let second = own.consumed[n].meets(all.produced[row.producer as usize]);
        let first = own.produced[row.producer as usize].meets(all.consumed[n]);
        [(second, false), (first, true)].map(|(is, first)| is.then(|| taken(row, first)))
    })
    .flatten()
    .collect()
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
        | Consumer::ReadsAsDescriptor => "an SGPR",
        Consumer::IsDivFmas | Consumer::ReadsVccAlias => "VCC",
        Consumer::BranchesByVccAlias => "the SGPRs of VCC",
        Consumer::WritesVector | Consumer::ReadsAsDpp | Consumer::ReadsLane => "a VGPR",
        Consumer::IsDpp => "EXEC",
        Consumer::IsMessage | Consumer::IsLdsByM0 | Consumer::IsMovrel => "M0",
        Consumer::ReturnsFromTrap => "TRAPSTS",
    }
}

/// The scalar registers and hardware registers that samples have: a general one, the alias of VCC, and those with a name.
const NUMBERS: [u8; 7] = [
    GENERAL,
    ALIAS,
    sreg::VCC,
    sreg::M0,
    sreg::EXEC,
    hwreg::MODE,
    hwreg::TRAPSTS,
];
/// The general register of samples, in both files.
const GENERAL: u8 = 8;
/// The SGPR that is also the low half of VCC.
const ALIAS: u8 = 94;
/// All bits of a hardware register, in the operand of `s_setreg` (Vega ISA, 12.2, S_GETREG_B32).
const WHOLE: i32 = 31 << 11;

/// A set of the registers in [`NUMBERS`], by bit.
#[derive(Clone, Copy, Default)]
struct Set(u8);

impl Set {
    fn add(&mut self, number: u8) {
        let at = NUMBERS.iter().position(|known| *known == number);
        self.0 |= at.map_or(0, |at| 1 << at);
    }

    fn meets(self, other: Set) -> bool {
        self.0 & other.0 != 0
    }
}

/// The registers with which samples are producers, and those with which they are consumers of a row.
#[derive(Clone, Default)]
struct Parts {
    produced: [Set; super::producer::PRODUCERS],
    consumed: [Set; ROWS.len()],
}

impl Parts {
    /// Returns the parts of every instruction of a generation, in all forms.
    fn all(generation: Generation) -> &'static Parts {
        static ALL: [OnceLock<Parts>; 4] = [const { OnceLock::new() }; 4];
        ALL[generation as usize].get_or_init(|| {
            let mut parts = Parts::default();
            let chips = Chip::ALL
                .iter()
                .filter(|chip| chip.generation() == generation);
            for chip in chips.take(1) {
                for op in Op::all().filter(|op| op.row().exists_on(*chip)) {
                    parts.add(op, &Form::ALL, *chip);
                }
            }
            parts
        })
    }

    fn of(op: Op, forms: &[Form], chip: Chip) -> Parts {
        let mut parts = Parts::default();
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
        for (row, consumed) in ROWS.iter().zip(&mut self.consumed) {
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
const OPERANDS: [(Operand, Operand, u8); 7] = [
    (Operand::Vgpr(GENERAL), Operand::Sgpr(GENERAL), hwreg::MODE),
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
        [Flags::empty(), flag].map(|flags| {
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
        Kind::Vgpr => Operand::Vgpr(GENERAL),
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

    /// Every row of the table has an instruction that is the first, and one that is the second.
    #[test]
    fn every_hazard_has_both_instructions() {
        for chip in [Chip::Gfx600, Chip::Gfx701, Chip::Gfx803, Chip::Gfx900] {
            let ops = Op::all().filter(|op| op.row().exists_on(chip));
            let all: Vec<_> = ops.flat_map(|op| told(op, chip)).collect();
            let generation = chip.generation();
            for row in ROWS.iter().filter(|row| row.need(generation) > 0) {
                for first in [false, true] {
                    let part = (row.name, first, row.need(generation));
                    assert!(all.contains(&part), "{part:?} on {}", chip.name());
                }
            }
        }
    }
}
