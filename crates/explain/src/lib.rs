//! Explanations of GCN instructions: a sentence for each, its modifiers, and pseudo-code derived from the executed IR.
//!
//! ```
//! use wavetank_explain::{PseudoCode, sentence};
//! use wavetank_gcn::{Chip, parse};
//!
//! let inst = parse("v_lshl_add_u32 v0, v1, 4, s2", Chip::Gfx900).expect("an instruction");
//! assert_eq!(sentence(inst.op), "Shifts left, then adds.");
//! let code = PseudoCode::of_instruction(&inst).expect("it is executed");
//! assert_eq!(code.lines, ["v0 = (v1 << 4) + s2"]);
//! ```

#![warn(missing_docs)]

mod cache_bits;
mod grid;
mod layout;
mod modifiers;
mod pseudo;
mod sentence;

pub use cache_bits::field_name;
pub use grid::{MatrixGrid, matrix_grids};
pub use layout::{layout_notes, matrix_layout};
pub use modifiers::{Modifier, modifiers};
pub use pseudo::{PseudoCode, operand_names};
pub use sentence::{name_in, sentence, sentence_in, sentence_on};
