//! The text form of products of matrices.

use std::fmt;

use wavetank_matrix::{Matrix, Model, Shape};

use crate::form::{Form, data_register};
use crate::line::{Line, Miss};
use crate::matrix::{Addend, MatrixOp};
use crate::mem::DataReg;
use crate::print::Out;

/// The models, by their names.
const MODELS: [(&str, Model); 3] = [
    ("gfx908", Model::Gfx908),
    ("gfx90a", Model::Gfx90a),
    ("gfx942", Model::Gfx942),
];

/// The name of a shape on a chip: `gfx90a_f32_16x16x4x1_f16_f16`, with `_sparse` if A is. The last size is the number of blocks.
fn name(model: Model, shape: &Shape) -> String {
    let of = MODELS.iter().find(|(_, of)| *of == model);
    let chip = of.map_or("", |(name, _)| name);
    let Shape {
        m,
        n,
        k,
        blocks,
        a,
        b,
        d,
        ..
    } = shape;
    let sparse = if shape.sparse { "_sparse" } else { "" };
    let types = format!("{d:?}_{m}x{n}x{k}x{blocks}_{a:?}_{b:?}{sparse}");
    format!("{chip}_{}", types.to_lowercase())
}

fn from_name(word: &str) -> Option<Matrix> {
    MODELS.iter().find_map(|(_, model)| {
        let mut shapes = Shape::all(*model);
        let shape = shapes.find(|shape| name(*model, shape) == word)?;
        Matrix::new(*model, shape)
    })
}

/// The error of an operand in scalar registers.
fn in_vectors() -> Miss {
    Miss::from("a matrix is in vector registers".to_owned())
}

/// A product, as `gfx90a_f32_16x16x4x1_f16_f16 cbsz 0 abid 0 blgp 0 d v256 a v0 b v2 c v256`. C may be a constant, `c 0x3f800000`;
/// the indices of a sparse A follow as `index v4`.
impl Form<Box<MatrixOp>> for MatrixOp {
    fn print(op: &Box<MatrixOp>, out: &mut Out<'_, '_>) -> fmt::Result {
        let of = &op.instruction;
        out.word(&name(of.model(), of.shape()))?;
        for (field, value) in [("cbsz", of.cbsz), ("abid", of.abid), ("blgp", of.blgp)] {
            out.word(&format!("{field} {value}"))?;
        }
        for (operand, first) in [("d", op.d), ("a", op.a), ("b", op.b)] {
            out.word(&format!("{operand} {}", DataReg::V(first)))?;
        }
        match op.c {
            Addend::Registers(first) => out.word(&format!("c {}", DataReg::V(first)))?,
            Addend::Every(bits) => out.word(&format!("c {bits:#x}"))?,
        }
        match op.index {
            Some(index) => out.word(&format!("index {}", DataReg::V(index))),
            None => Ok(()),
        }
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Box<MatrixOp>, Miss> {
        line.word()?;
        let s = &mut *line.s;
        let mut instruction = s.named("a matrix instruction", from_name)?;
        s.keyword("cbsz")?;
        instruction.cbsz = s.number()?;
        s.keyword("abid")?;
        instruction.abid = s.number()?;
        s.keyword("blgp")?;
        instruction.blgp = s.number()?;
        let mut register = |operand| -> Result<u16, Miss> {
            s.keyword(operand)?;
            match data_register(s)? {
                DataReg::V(first) => Ok(first),
                DataReg::S(_) => Err(in_vectors()),
            }
        };
        let (d, a, b) = (register("d")?, register("a")?, register("b")?);
        s.keyword("c")?;
        let c = if s.looks_at('v') {
            match data_register(s)? {
                DataReg::V(first) => Addend::Registers(first),
                DataReg::S(_) => unreachable!("the name begins with a v"),
            }
        } else {
            Addend::Every(s.number()?)
        };
        let index = if s.at_end() {
            None
        } else {
            s.keyword("index")?;
            match data_register(s)? {
                DataReg::V(index) => Some(index),
                DataReg::S(_) => return Err(in_vectors()),
            }
        };
        Ok(Box::new(MatrixOp {
            instruction,
            d,
            a,
            b,
            c,
            index,
        }))
    }
}
