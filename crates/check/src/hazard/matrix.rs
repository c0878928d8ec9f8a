//! Matrix instructions as parts of hazards: their kinds, passes and operands.

use wavetank_gcn::shapes::{ElementType, MatrixType};
use wavetank_gcn::tables::{Mai, Op};
use wavetank_gcn::{Chip, Field, Form, Inst, Operand};

/// The number of the first AGPR. VGPRs and AGPRs are numbered together here, VGPRs first.
pub(super) const FIRST_AGPR: u16 = 256;

/// The kind of a matrix instruction, which determines how long its result takes (LLVM, `isXDL` and `isDGEMM`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MatrixKind {
    /// All that are not of the other kinds. Before gfx942 single precision is one of them.
    Xdl,
    /// Single precision from gfx942 on.
    Sgemm,
    /// Double precision, 4 × 4.
    Dgemm4,
    /// Double precision, 16 × 16.
    Dgemm16,
}

impl MatrixKind {
    /// Returns the kind of a matrix instruction; `None` for others, moves of accumulation registers among them.
    pub(super) fn of(inst: &Inst) -> Option<MatrixKind> {
        let shape = inst.row().shape?;
        Some(match (shape.a, shape.m) {
            (MatrixType::Executed(ElementType::F64), 4) => MatrixKind::Dgemm4,
            (MatrixType::Executed(ElementType::F64), _) => MatrixKind::Dgemm16,
            (MatrixType::Executed(ElementType::F32), _) if has_sgemm(inst.chip) => {
                MatrixKind::Sgemm
            }
            _ => MatrixKind::Xdl,
        })
    }

    /// Whether the instruction has double precision.
    pub(super) fn is_dgemm(self) -> bool {
        matches!(self, MatrixKind::Dgemm4 | MatrixKind::Dgemm16)
    }
}

fn has_sgemm(chip: Chip) -> bool {
    matches!(chip, Chip::Gfx942 | Chip::Gfx950)
}

pub(super) fn is_matrix(inst: &Inst) -> bool {
    inst.row().shape.is_some()
}

/// Returns the passes of a matrix instruction, and 0 for others (LLVM, `SISchedule.td`).
pub(super) fn passes(inst: &Inst) -> u8 {
    let Some(shape) = inst.row().shape else {
        return 0;
    };
    if shape.a == MatrixType::Executed(ElementType::F64) {
        return match shape.m {
            4 => 4,
            _ if inst.chip == Chip::Gfx950 => 16,
            _ => 8,
        };
    }
    let whole = match shape.m {
        4 => 2,
        16 => 8,
        _ => 16,
    };
    let is_narrow = |ty: MatrixType, chosen: u8| ty.chosen(chosen).is_some_and(|ty| ty.bits() < 8);
    let is_fast = match shape.a {
        MatrixType::Executed(ElementType::F32) => false,
        MatrixType::F8f6f4 => {
            is_narrow(shape.a, inst.mods.cbsz) && is_narrow(shape.b, inst.mods.blgp)
        }
        _ => shape.blocks == 1,
    };
    if has_sgemm(inst.chip) && is_fast {
        whole / 2
    } else {
        whole
    }
}

/// The registers of an operand: a first one and the next ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    first: u16,
    count: u8,
}

impl Span {
    /// Returns the vector registers of an operand; `None` if it has none.
    fn of(inst: &Inst, i: usize) -> Option<Span> {
        let first = number(inst.operands[i])?;
        let count = inst.dwords(i);
        Some(Span { first, count })
    }

    /// Returns the vector registers of the operand in a field.
    pub(super) fn in_field(inst: &Inst, field: Field) -> Option<Span> {
        let specs = inst.row().operands;
        Span::of(inst, specs.iter().position(|spec| spec.field == field)?)
    }

    /// Returns the result of a matrix instruction.
    pub(super) fn of_result(inst: &Inst) -> Option<Span> {
        Span::in_field(inst, Field::Vdst)
    }

    /// Returns SrcC, the matrix that is added to. With a sparse A this is the result.
    pub(super) fn of_c(inst: &Inst) -> Option<Span> {
        let shape = inst.row().shape?;
        let field = if shape.sparse {
            Field::Vdst
        } else {
            Field::Src2
        };
        Span::in_field(inst, field)
    }

    /// Returns the numbers of the registers.
    pub(super) fn numbers(self) -> std::ops::Range<u16> {
        self.first..self.first + u16::from(self.count)
    }
}

/// Returns the number of a vector register.
pub(super) fn number(operand: Operand) -> Option<u16> {
    match operand {
        Operand::Vgpr(n) => Some(n.into()),
        Operand::Agpr(n) => Some(FIRST_AGPR + u16::from(n)),
        _ => None,
    }
}

/// Whether a matrix instruction reads a register as SrcC.
pub(super) fn reads_as_c(inst: &Inst, number: u16) -> bool {
    Span::of_c(inst).is_some_and(|c| c.numbers().contains(&number))
}

/// Whether a matrix instruction reads a register as SrcA, SrcB, index or scale.
pub(super) fn reads_as_factor(inst: &Inst, number: u16) -> bool {
    let Some(shape) = inst.row().shape else {
        return false;
    };
    let specs = inst.row().operands.iter().enumerate();
    let mut factors = specs.filter(|(_, spec)| {
        let index = shape.sparse && spec.field == Field::Src2;
        index || matches!(spec.field, Field::Src0 | Field::Src1)
    });
    let is_scale =
        inst.form == Form::MaiScaled && inst.mods.scales.iter().any(|n| u16::from(*n) == number);
    is_scale
        || factors
            .any(|(i, _)| Span::of(inst, i).is_some_and(|span| span.numbers().contains(&number)))
}

/// Whether an instruction reads a vector register as a source. The bits of its destination that it keeps do not count.
pub(super) fn reads_as_source(inst: &Inst, number: u16) -> bool {
    let specs = inst.row().operands.iter().enumerate();
    let mut sources = specs.filter(|(_, spec)| spec.access.reads());
    sources.any(|(i, _)| Span::of(inst, i).is_some_and(|span| span.numbers().contains(&number)))
}

pub(super) fn is_accvgpr_read(inst: &Inst) -> bool {
    inst.op == Op::Mai(Mai::V_ACCVGPR_READ_B32)
}

pub(super) fn is_accvgpr_write(inst: &Inst) -> bool {
    inst.op == Op::Mai(Mai::V_ACCVGPR_WRITE_B32)
}

/// Whether the matrix unit executes an instruction under EXEC: on gfx908 `v_accvgpr_write` as well.
pub(super) fn is_of_matrix_unit(inst: &Inst) -> bool {
    is_matrix(inst) || inst.chip == Chip::Gfx908 && is_accvgpr_write(inst)
}
