//! Producers: the first instructions of hazards.

use wavetank_gcn::numbers::hwreg;
use wavetank_gcn::tables::{Class, Sopc, Sopk};
use wavetank_gcn::text::{hwreg_name, scalar_register_name};
use wavetank_gcn::{Chip, Field, Flags, Form, Inst, Op, Operand};

use crate::code::Node;

/// The action of a first instruction on a register, whose number is stored beside it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Producer {
    /// A VALU instruction writes a scalar register.
    ValuScalar,
    /// A SALU instruction writes a scalar register.
    SaluScalar,
    /// A VALU instruction writes a vector register.
    ValuVector,
    /// Interpolation writes a vector register.
    InterpVector,
    /// A store has more than 64 bits of data, which it takes from its registers late.
    StoresWide,
    /// `s_setreg` writes a hardware register.
    WritesHwreg,
    /// `s_setreg` writes MODE.vskip.
    WritesVskip,
    /// `s_setvskip` sets MODE.vskip.
    SetsVskip,
}

/// The number of producers.
pub(super) const PRODUCERS: usize = Producer::SetsVskip as usize + 1;

/// The bit of VSKIP in MODE (Vega ISA, 3.5 "Mode register").
const VSKIP_BIT: u32 = 28;

impl Producer {
    /// Calls `report` for each producer that an instruction is, with the register.
    pub(super) fn each(node: &Node, mut report: impl FnMut(Producer, u8)) {
        let writes = &node.effects.writes;
        match node.inst.row().class {
            Class::Valu => {
                writes
                    .scalars()
                    .for_each(|n| report(Producer::ValuScalar, n));
                writes
                    .vectors()
                    .for_each(|n| report(Producer::ValuVector, n));
            }
            Class::Interp => {
                writes
                    .vectors()
                    .for_each(|n| report(Producer::ValuVector, n));
                writes
                    .vectors()
                    .for_each(|n| report(Producer::InterpVector, n));
            }
            Class::Salu | Class::Branch | Class::Message => {
                writes
                    .scalars()
                    .for_each(|n| report(Producer::SaluScalar, n));
                control(&node.inst, report);
            }
            Class::Vmem | Class::Flat => {
                if let Some((first, count)) = late_data(node) {
                    (0..count).for_each(|n| report(Producer::StoresWide, first.wrapping_add(n)));
                }
            }
            Class::Smem | Class::Lds | Class::Export => {}
        }
    }

    /// Whether a later instruction has overwritten the register in a way that the hardware interlocks.
    pub(super) fn is_over(self, number: u8, node: &Node) -> bool {
        match self {
            Producer::ValuScalar | Producer::SaluScalar => node.effects.writes.has_scalar(number),
            Producer::ValuVector | Producer::InterpVector => node.effects.writes.has_vector(number),
            Producer::StoresWide
            | Producer::WritesHwreg
            | Producer::WritesVskip
            | Producer::SetsVskip => false,
        }
    }

    /// Returns the name of the register.
    pub(super) fn register(self, number: u8, chip: Chip) -> String {
        match self {
            Producer::ValuScalar | Producer::SaluScalar => {
                scalar_register_name(number, chip.generation())
            }
            Producer::ValuVector | Producer::InterpVector | Producer::StoresWide => {
                format!("v{number}")
            }
            Producer::WritesHwreg | Producer::WritesVskip | Producer::SetsVskip => {
                hwreg_name(number, chip.generation())
            }
        }
    }

    /// Returns a few words for the place of the producer.
    pub(super) fn label(self, register: &str) -> String {
        match self {
            Producer::StoresWide => format!("stores {register}"),
            Producer::WritesVskip => "writes MODE.vskip".to_owned(),
            Producer::SetsVskip => "sets VSKIP".to_owned(),
            _ => format!("writes {register}"),
        }
    }
}

/// Calls `report` for the hardware registers that an instruction changes.
fn control(inst: &Inst, mut report: impl FnMut(Producer, u8)) {
    match inst.op {
        Op::Sopc(Sopc::S_SETVSKIP) => report(Producer::SetsVskip, hwreg::MODE),
        Op::Sopk(Sopk::S_SETREG_B32 | Sopk::S_SETREG_IMM32_B32) => {
            if let Some(part) = HwregPart::of(inst) {
                report(Producer::WritesHwreg, part.number);
                if part.has_vskip() {
                    report(Producer::WritesVskip, part.number);
                }
            }
        }
        _ => {}
    }
}

/// Returns the registers with the data of a store or atomic, if they are read late: the first register, and the count.
///
/// Data of more than 64 bits are read late. Buffers read them in time if an SGPR is the offset, images if the resource has 256
/// bits (Vega ISA, 4.5, the remark at this row).
fn late_data(node: &Node) -> Option<(u8, u8)> {
    let inst = &node.inst;
    let (field, late) = match inst.form {
        Form::Mubuf | Form::Mtbuf => {
            let offset = inst.operand(Field::Soffset);
            (Field::Vdata, !matches!(offset, Operand::Sgpr(_)))
        }
        Form::Mimg => {
            let channels = inst.mods.dmask.count_ones();
            (Field::Vdata, inst.has(Flags::R128) && channels > 2)
        }
        Form::Flat | Form::Global | Form::Scratch => (Field::Data0, true),
        _ => return None,
    };
    let specs = inst.row().operands;
    let at = specs.iter().position(|spec| spec.field == field)?;
    let Operand::Vgpr(first) = inst.operands[at] else {
        return None;
    };
    let (reads, _) = inst.accesses(at);
    let stores = late && reads && node.effects.writes_memory && inst.dwords(at) > 2;
    stores.then(|| (first, inst.dwords(at)))
}

/// A field of a hardware register (Vega ISA, 12.2, S_GETREG_B32: number in bits 5:0, offset in 10:6, size less one in 15:11).
#[derive(Clone, Copy, Debug)]
pub(super) struct HwregPart {
    /// The number of the hardware register.
    pub number: u8,
    low: u32,
    size: u32,
}

impl HwregPart {
    /// Returns the field that an `s_getreg` or `s_setreg` names.
    pub(super) fn of(inst: &Inst) -> Option<HwregPart> {
        let Operand::Imm(bits) = inst.operand(Field::Simm16) else {
            return None;
        };
        let bits = bits as u16 as u32;
        Some(HwregPart {
            number: (bits & 0x3f) as u8,
            low: bits >> 6 & 0x1f,
            size: (bits >> 11 & 0x1f) + 1,
        })
    }

    /// Whether the field contains MODE.vskip.
    pub(super) fn has_vskip(self) -> bool {
        let bits = self.low..self.low + self.size;
        self.number == hwreg::MODE && bits.contains(&VSKIP_BIT)
    }
}
