//! Intel vISA's TYPED_ATOMIC (opcode 0x73): encoding, text, rules and meaning, and the container (`.isa`) that contains it. *The
//! description* is Intel's page on this instruction; where it leaves something open, `docs/reference/errata.md` has the decision.
//!
//! * [`decode`] and [`encode`] support both widths of variable numbers ([`Ids`]).
//! * [`parse`] reads Intel's text and the description's; [`TypedAtomic`] prints itself as Intel's.
//! * [`source`] reads whole files of instructions, with declarations.
//! * [`check`] has the rules about operands, which [`parse`] enforces.
//! * [`Container`] reads containers, lists their instructions and replaces one; [`Declarations::check`] has the rules that depend
//!   on a kernel's declarations.
//! * [`lift`](fn@lift) translates an instruction to wave IR, on the registers that [`Registers`] assigns to its variables.
//! * [`operation::ROWS`] has the stored and the returned value of each operation.
//!
//! ```
//! use wavetank_surface_isa::visa::{Ids, decode, encode, parse};
//!
//! let inst = parse("typed_atomic.add (M1, 8) T6 V32.0 V33.0 %null.0 %null.0 V36.0 %null.0 V38.0")?;
//! let bytes = encode(&inst, Ids::Wide).expect("numbers of variables fit");
//! assert_eq!(bytes.len(), 48);
//! assert_eq!(decode(&bytes, Ids::Wide).expect("it is one"), inst);
//! # Ok::<(), wavetank_surface_isa::TextError>(())
//! ```

mod code;
pub mod container;
mod declared;
mod instruction;
mod isa;
mod lift;
mod names;
pub mod operation;
mod registers;
mod rules;
mod source;
mod text;

pub use code::{DecodeError, EncodeError, decode, encode};
pub use container::{Container, ContainerError};
pub use declared::{Declarations, State, Type, Variable};
pub use instruction::{
    Channels, Combine, Ids, Mask, Part, Predicate, Raw, TYPED_ATOMIC, TypedAtomic, Version,
};
pub use isa::Encoded;
pub use lift::{STEP, lift, program};
pub use names::{FIRST_SURFACE, FIRST_VARIABLE, surface_name, variable_name};
pub use operation::Operation;
pub use registers::Registers;
pub use rules::{Broken, check, check_surface};
pub use source::source;
pub use text::{Places, parse, parse_with_parts};
