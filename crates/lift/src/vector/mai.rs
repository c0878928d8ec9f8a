//! Matrix instructions and accumulation registers of CDNA (CDNA 3 ISA, 7 "Matrix arithmetic instructions").
//!
//! A product is one operation of the IR: `wavetank_matrix` has the shapes, the layout of operands and the arithmetic of each chip.

use wavetank_gcn::shapes::Shape;
use wavetank_gcn::tables::Mai::{self, *};
use wavetank_gcn::{Field, Operand, Ty};
use wavetank_ir::{Addend, MatrixOp};
use wavetank_matrix::{ElementType, Matrix};

use super::operand::Vector;
use crate::block::{Flow, LATER};
use crate::operand::{FIRST_ACC, inline_bits};
use crate::value::Int;

pub(super) fn lift(v: &Vector, op: Mai) -> Flow {
    match op {
        V_ACCVGPR_READ_B32 | V_ACCVGPR_WRITE_B32 => v.int(|[a]: [Int; 1]| a),
        // The others are products, each with a shape.
        _ => product(v).unwrap_or_else(|| Flow::unsupported(v.l.inst, LATER)),
    }
}

/// D = A·B + C, whatever EXEC is; `None` for the instructions of gfx950, whose arithmetic is not known.
fn product(v: &Vector) -> Option<Flow> {
    let inst = v.l.inst;
    let mut instruction = Matrix::new(v.l.rules().matrix_model?, shape(&inst.row().shape?)?)?;
    instruction.cbsz = inst.mods.cbsz;
    instruction.abid = inst.mods.abid;
    // Signs stand in the place of BLGP where a product of doubles has them, and only one of the two is decoded.
    instruction.blgp = inst.mods.blgp | inst.mods.neg;
    let first = |field| register(inst.operand(field));
    let (d, third) = (first(Field::Vdst)?, inst.operand(Field::Src2));
    let sparse = instruction.shape().sparse;
    let c = match third {
        _ if sparse => Addend::Registers(d),
        Operand::Inline(code) => Addend::Every(constant(code, instruction.shape().d)),
        registers => Addend::Registers(register(registers)?),
    };
    v.b().matrix(MatrixOp {
        instruction,
        d,
        a: first(Field::Src0)?,
        b: first(Field::Src1)?,
        c,
        index: if sparse { register(third) } else { None },
    });
    Some(Flow::Next)
}

/// The number of the first register of an operand.
fn register(operand: Operand) -> Option<u16> {
    match operand {
        Operand::Vgpr(n) => Some(n.into()),
        Operand::Agpr(n) => Some(FIRST_ACC + u16::from(n)),
        _ => None,
    }
}

/// The bits of an inline constant as each element of C.
fn constant(code: u8, element: ElementType) -> u64 {
    let ty = match element {
        ElementType::F64 => Ty::F64,
        _ => Ty::B32,
    };
    inline_bits(code, ty).unwrap_or(0)
}

/// The shape as that of an operation; `None` for the types of gfx950.
fn shape(shape: &Shape) -> Option<wavetank_matrix::Shape> {
    let size = |n: u16| u8::try_from(n).ok();
    Some(wavetank_matrix::Shape {
        m: size(shape.m)?,
        n: size(shape.n)?,
        k: size(shape.k)?,
        blocks: size(shape.blocks)?,
        a: shape.a.executed()?,
        b: shape.b.executed()?,
        d: shape.d,
        sparse: shape.sparse,
    })
}
