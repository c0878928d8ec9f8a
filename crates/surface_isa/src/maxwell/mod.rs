//! NVIDIA's SUATOM, the atomic operations on surfaces, of SPA 5.0 (Maxwell) and later: words, text, bundles, cubins.
//!
//! ```
//! use wavetank_surface_isa::maxwell::{Generation, Op, assemble, decode, encode};
//!
//! let line = "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1; // Coordinates in R2 and R3";
//! let (inst, _) = assemble(line, Generation::Sm52)?;
//! assert_eq!(inst.op, Op::Add);
//! let word = encode(&inst)?;
//! assert_eq!(word, 0xea70_0086_0047_020a);
//! assert_eq!(decode(word, Generation::Sm52)?, inst);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod control;
mod cubin;
mod decode;
mod encode;
mod form;
mod generation;
mod inst;
mod isa;
pub mod lift;
mod listing;
pub mod operand_constraints;
mod source;
mod text;

pub use bundle::{Bundle, Slot};
pub use control::Control;
pub use cubin::{Cubin, CubinError, Section, is_cubin};
pub use decode::{DecodeError, decode, form_of};
pub use encode::{EncodeError, encode, form_for};
pub use form::{FORMS, Field, Form, Placed};
pub use generation::Generation;
pub use inst::{Clamp, Dim, Guard, Handle, Inst, Mode, Op, Pred, Reg, Size};
pub use listing::{Listing, shown};
pub use source::source;
pub use text::{Parsed, assemble, parse, print};
