//! The wave IR: types, operations, builder, text form, verifier and simplifier.
//!
//! A [`Block`] is a guest basic block as a list of [`Node`]s in static single-assignment form. Values are uniform, lane masks or
//! lane vectors ([`Ty`]). The IR does not depend on a vendor: registers are three files of numbered registers, and the front end
//! defines the meaning of instructions.
//!
//! ```
//! use wavetank_ir::{Bin, Builder, Elem, Family, Fp, Options, Reg, Terminator, simplify, verify};
//!
//! // v0 = v1 + (2 << 3) in the lanes of EXEC, at address 0
//! let b = Builder::new(0);
//! b.inst(0, Family::Valu);
//! let integer = |op, x, y| b.bin(op, Elem::I32, Fp::default(), x, y);
//! let sixteen = integer(Bin::Shl, b.u32(2), b.u32(3));
//! let sum = integer(Bin::Add, b.read(Reg::V(1)), sixteen);
//! b.write(Reg::V(0), sum, Some(b.read(Reg::EXEC)));
//! b.end(Terminator::EndProgram);
//! let mut block = b.finish();
//!
//! assert!(verify(&block).is_ok());
//! simplify(&mut block, Options::default());
//! let text = block.to_string();
//! assert!(text.contains("const 0x10") && !text.contains("shl"), "{text}");
//! let again = wavetank_ir::parse(&text, &|_| None).expect("the text of a block");
//! assert_eq!(again.to_string(), text);
//! ```

#![warn(missing_docs)]

mod build;
mod effects;
pub mod evaluate;
mod export;
mod form;
mod form_matrix;
mod form_memory;
mod functions;
mod image;
mod lane_fn;
mod line;
mod matrix;
mod mem;
mod names;
mod op;
mod operands;
mod operations;
mod parse;
mod print;
#[cfg(test)]
mod round_trip;
mod scan;
mod simplify;
mod surface_atomic;
mod table;
mod types;
mod verify;

pub use build::Builder;
pub use effects::{Effects, RegFile, Span, Spans};
pub use export::Export;
pub use functions::{Bin, Cvt, Rel, Tern, Un};
pub use image::{Image, ImageKind, Lod, Tiling};
pub use lane_fn::{
    DivisionStep, LaneArg, LaneFn, LaneLoop, LaneLoops, LaneResults, over_lanes, over_usual_lanes,
};
pub use matrix::{Addend, MatrixOp};
pub use mem::{
    Access, Clock, Counter, DataReg, Dialect, Elements, Family, GlobalSync, Half, MemKind, MemOp,
    Rmw, Space, WaitCnt,
};
pub use op::{Block, Node};
pub use operations::{MAX_SHOWN, Op, Terminator};
pub use parse::{ParseError, parse};
pub use simplify::{Options, simplify};
pub use surface_atomic::{Dimensions, Outside, SurfaceAtomic};
pub use types::{
    Elem, Fp, HARDWARE_REGISTERS, LANES, RENAMED_VECTOR, Reg, Round, SHADOW_UNIFORM, SHADOW_VECTOR,
    Ty, Value,
};
pub use verify::{VerifyError, verify};
