//! Producers: the first instructions of hazards.

use wavetank_gcn::numbers::hwreg;
use wavetank_gcn::tables::{Class, Sopc, Sopk};
use wavetank_gcn::text::{hwreg_name, scalar_register_name};
use wavetank_gcn::{Chip, Field, Flags, Form, Inst, Op, Operand, Registers};

use super::matrix::{
    FIRST_AGPR, MatrixKind, Span, is_accvgpr_read, is_accvgpr_write, is_matrix, number,
};
use super::valu::{is_dot, is_transcendental, writes_part};
use crate::code::Node;

/// The action of a first instruction on a register, whose number is stored beside it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Producer {
    /// A VALU instruction writes a scalar register.
    ValuScalar,
    /// A SALU instruction writes a scalar register.
    SaluScalar,
    /// A VALU instruction that is not a matrix instruction writes a vector register.
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
    /// A matrix instruction that is of no other kind writes a vector register.
    XdlResult,
    /// A matrix instruction of single precision writes a vector register, from gfx942 on.
    SgemmResult,
    /// A matrix instruction of double precision, 4 × 4, writes a vector register.
    Dgemm4Result,
    /// A matrix instruction of double precision, 16 × 16, writes a vector register.
    Dgemm16Result,
    /// A matrix instruction that is of no other kind reads a vector register as SrcC.
    XdlC,
    /// A matrix instruction of double precision, with whatever registers.
    Dgemm,
    /// A dot product writes a VGPR.
    DotVector,
    /// A transcendental instruction writes a VGPR.
    TransVector,
    /// A VALU instruction writes a part of a VGPR, selected by SDWA or `op_sel`.
    PartVector,
    /// `v_accvgpr_write` writes an AGPR.
    AccvgprWrite,
    /// `v_accvgpr_read` writes a VGPR.
    AccvgprRead,
    /// A move from or to an AGPR follows the VALU instruction that wrote a VGPR.
    ValuThenAccvgpr,
    /// A VALU instruction writes a vector register, and a matrix instruction of double precision follows.
    ValuThenDgemm,
}

/// The number of producers.
pub(super) const PRODUCERS: usize = Producer::ValuThenDgemm as usize + 1;

/// The bit of VSKIP in MODE (Vega ISA, 3.5 "Mode register").
const VSKIP_BIT: u32 = 28;

impl Producer {
    /// Calls `report` for each producer that an instruction is, with the register.
    pub(super) fn each(node: &Node, mut report: impl FnMut(Producer, u16)) {
        let writes = &node.effects.writes;
        match node.inst.row().class {
            Class::Valu if is_matrix(&node.inst) => matrix(&node.inst, report),
            Class::Valu => {
                writes
                    .scalars()
                    .for_each(|n| report(Producer::ValuScalar, n.into()));
                valu_vectors(node, report);
            }
            Class::Interp => {
                for n in numbers(writes) {
                    report(Producer::ValuVector, n);
                    report(Producer::InterpVector, n);
                }
            }
            Class::Salu | Class::Branch | Class::Message => {
                writes
                    .scalars()
                    .for_each(|n| report(Producer::SaluScalar, n.into()));
                control(&node.inst, report);
            }
            Class::Vmem | Class::Flat => {
                if let Some((first, count)) = late_data(node) {
                    let last = first + u16::from(count);
                    (first..last).for_each(|n| report(Producer::StoresWide, n));
                }
            }
            Class::Smem | Class::Lds | Class::Export => {}
        }
    }

    /// Whether a later instruction has overwritten the register in a way that the hardware interlocks.
    pub(super) fn is_over(self, number: u16, node: &Node) -> bool {
        let writes = &node.effects.writes;
        match self {
            Producer::ValuScalar | Producer::SaluScalar => has_scalar(writes, number),
            Producer::StoresWide
            | Producer::WritesHwreg
            | Producer::WritesVskip
            | Producer::SetsVskip
            | Producer::XdlC
            | Producer::Dgemm => false,
            _ => has_vector(writes, number),
        }
    }

    /// Returns the name of the register.
    pub(super) fn register(self, number: u16, chip: Chip) -> String {
        let small = number as u8;
        match self {
            Producer::ValuScalar | Producer::SaluScalar => {
                scalar_register_name(small, chip.generation())
            }
            Producer::WritesHwreg | Producer::WritesVskip | Producer::SetsVskip => {
                hwreg_name(small, chip.generation())
            }
            _ => match number.checked_sub(FIRST_AGPR) {
                Some(n) => format!("a{n}"),
                None => format!("v{number}"),
            },
        }
    }

    /// Returns a few words for the place of the producer.
    pub(super) fn label(self, register: &str) -> String {
        match self {
            Producer::StoresWide => format!("stores {register}"),
            Producer::WritesVskip => "writes MODE.vskip".to_owned(),
            Producer::SetsVskip => "sets VSKIP".to_owned(),
            Producer::XdlC => format!("reads {register} as SrcC"),
            Producer::Dgemm => "multiplies matrices of doubles".to_owned(),
            Producer::ValuThenAccvgpr => format!("follows the write of {register}"),
            _ => format!("writes {register}"),
        }
    }

    /// Returns the kind of instruction, in words for any instruction.
    pub(super) fn words(self) -> &'static str {
        match self {
            Producer::ValuScalar
            | Producer::ValuVector
            | Producer::PartVector
            | Producer::ValuThenDgemm => "a VALU instruction",
            Producer::SaluScalar => "a SALU instruction",
            Producer::InterpVector => "an interpolation",
            Producer::StoresWide => "a store",
            Producer::WritesHwreg | Producer::WritesVskip => "`s_setreg`",
            Producer::SetsVskip => "`s_setvskip`",
            Producer::XdlResult | Producer::XdlC => "a matrix instruction",
            Producer::SgemmResult => "a matrix instruction of single precision",
            Producer::Dgemm4Result => "a matrix instruction of double precision (4 × 4)",
            Producer::Dgemm16Result => "a matrix instruction of double precision (16 × 16)",
            Producer::Dgemm => "a matrix instruction of double precision",
            Producer::DotVector => "a dot product",
            Producer::TransVector => "a transcendental instruction",
            Producer::AccvgprWrite => "`v_accvgpr_write_b32`",
            Producer::AccvgprRead => "`v_accvgpr_read_b32`",
            Producer::ValuThenAccvgpr => "`v_accvgpr_read_b32` or `v_accvgpr_write_b32`",
        }
    }
}

/// Whether a set has a scalar register.
pub(super) fn has_scalar(set: &Registers, number: u16) -> bool {
    u8::try_from(number).is_ok_and(|n| set.has_scalar(n))
}

/// Whether a set has a vector register: a VGPR, or an AGPR.
pub(super) fn has_vector(set: &Registers, number: u16) -> bool {
    match number.checked_sub(FIRST_AGPR) {
        None => set.has_vector(number as u8),
        Some(agpr) => set.accumulators().any(|n| u16::from(n) == agpr),
    }
}

/// Returns the numbers of the vector registers of a set.
fn numbers(set: &Registers) -> impl Iterator<Item = u16> {
    let agprs = set.accumulators().map(|n| FIRST_AGPR + u16::from(n));
    set.vectors().map(u16::from).chain(agprs)
}

/// Calls `report` for the vector registers that a VALU instruction writes.
fn valu_vectors(node: &Node, mut report: impl FnMut(Producer, u16)) {
    let inst = &node.inst;
    let special = [
        (is_dot(inst), Producer::DotVector),
        (is_transcendental(inst), Producer::TransVector),
        (writes_part(inst), Producer::PartVector),
        (is_accvgpr_write(inst), Producer::AccvgprWrite),
        (is_accvgpr_read(inst), Producer::AccvgprRead),
    ];
    for n in numbers(&node.effects.writes) {
        report(Producer::ValuVector, n);
        let special = special.iter().filter(|(is, _)| *is);
        special.for_each(|(_, producer)| report(*producer, n));
    }
}

/// Calls `report` for the registers of a matrix instruction.
fn matrix(inst: &Inst, mut report: impl FnMut(Producer, u16)) {
    let Some(kind) = MatrixKind::of(inst) else {
        return;
    };
    let result = match kind {
        MatrixKind::Xdl => Producer::XdlResult,
        MatrixKind::Sgemm => Producer::SgemmResult,
        MatrixKind::Dgemm4 => Producer::Dgemm4Result,
        MatrixKind::Dgemm16 => Producer::Dgemm16Result,
    };
    for n in Span::of_result(inst).into_iter().flat_map(Span::numbers) {
        report(result, n);
    }
    if kind == MatrixKind::Xdl {
        let c = Span::of_c(inst).into_iter().flat_map(Span::numbers);
        c.for_each(|n| report(Producer::XdlC, n));
    }
    if kind.is_dgemm() {
        report(Producer::Dgemm, 0);
    }
}

/// Calls `report` for the hardware registers that an instruction changes.
fn control(inst: &Inst, mut report: impl FnMut(Producer, u16)) {
    match inst.op {
        Op::Sopc(Sopc::S_SETVSKIP) => report(Producer::SetsVskip, hwreg::MODE.into()),
        Op::Sopk(Sopk::S_SETREG_B32 | Sopk::S_SETREG_IMM32_B32) => {
            if let Some(part) = HwregPart::of(inst) {
                report(Producer::WritesHwreg, part.number.into());
                if part.has_vskip() {
                    report(Producer::WritesVskip, part.number.into());
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
fn late_data(node: &Node) -> Option<(u16, u8)> {
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
    let first = number(inst.operands[at])?;
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
