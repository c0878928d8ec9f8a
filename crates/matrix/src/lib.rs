//! The matrix instructions of CDNA (MFMA and SMFMAC of gfx908, gfx90a and gfx942) as plain functions.
//!
//! * [`Shape`] says which instructions there are, how many registers their operands take and how long they run.
//! * [`Place`] is where an element is in the registers; shapes have a method for each operand.
//! * [`Rule`] is the arithmetic of one element, on plain numbers: slow, and written after its source.
//! * [`Matrix`] is an instruction: a shape, a chip and the fields CBSZ, ABID and BLGP.
//! * [`multiply`] executes an instruction on registers of 64 lanes; [`multiply_by_elements`] does the same element by element.
//!
//! The crate knows no text and no encoding. It has no state: what an instruction reads and writes are slices of registers.
//!
//! ```
//! use wavetank_matrix::{Addend, ElementType, Matrix, Model, Shape, multiply};
//!
//! // v_mfma_f32_32x32x1f32: two blocks, one register each of A and B.
//! let shape = Shape::dense(32, 1, 2, ElementType::F32, ElementType::F32);
//! let instruction = Matrix::new(Model::Gfx90a, shape).expect("a shape of gfx90a");
//! let a = [[2f32.to_bits(); 64]];
//! let b = [[3f32.to_bits(); 64]];
//! let mut d = [[1f32.to_bits(); 64]; 32];
//! multiply(&instruction, &a, &b, Addend::InPlace, None, &mut d)?;
//! assert!(d.iter().flatten().all(|d| f32::from_bits(*d) == 7.0));
//! # Ok::<(), wavetank_matrix::OperandError>(())
//! ```

#![warn(missing_docs)]

mod arithmetic;
mod elements;
mod instruction;
mod kernels;
mod layout;
mod level;
mod multiply;
mod number;
mod operands;
mod shape;

pub use arithmetic::{Rule, is_established};
pub use elements::multiply_by_elements;
pub use instruction::Matrix;
pub use layout::{Place, broadcast_block, index_shift, permuted_lane, sparse_row};
pub use level::Level;
pub use multiply::{multiply, multiply_at};
pub use number::{Class, ElementType, NAN_F32, NAN_F64, Number, round_to_f32};
pub use operands::{Addend, OperandError, Registers};
pub use shape::{LANES, Model, Shape};
