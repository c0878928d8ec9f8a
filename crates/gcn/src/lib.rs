//! The GCN instruction set as data: tables, decode, encode, print and parse.
//!
//! A [`Row`] of a table in [`tables`] has an instruction's name, its opcode in each generation, its operands, and the state that
//! it touches besides. [`decode`], [`encode`] and [`print()`] derive from the rows and from one layout for each form.
//!
//! ```
//! use wavetank_gcn::{Chip, Field, Generation, Op, Operand, decode, encode, tables::Vop2};
//!
//! let code = [0x04, 0x06, 0x02, 0x68];
//! let inst = decode(&code, Chip::Gfx900)?;
//! assert_eq!(inst.op, Op::Vop2(Vop2::V_ADD_U32));
//! assert_eq!(inst.operand(Field::Src0), Operand::Sgpr(4));
//! assert_eq!(inst.to_string(), "v_add_u32_e32 v1, s4, v3");
//! assert_eq!(encode(&inst)?.as_bytes(), code);
//!
//! // One meaning, another name on an older generation.
//! let row = Vop2::V_ADD_CO_U32.row();
//! assert_eq!(row.mnemonic(Generation::Gfx6), Some("v_add_i32"));
//! assert_eq!(row.mnemonic(Generation::Gfx9), Some("v_add_co_u32"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod bit_fields;
mod codes;
mod decode;
pub mod effects;
mod encode;
pub mod form;
pub mod generation;
pub mod inst;
mod later;
mod layout;
mod modifiers;
pub mod numbers;
mod plan;
pub mod shapes;
pub mod tables;
pub mod text;
mod waitcnt;

pub use bit_fields::{BitField, bit_fields};
pub use decode::{DecodeError, decode};
pub use effects::{Counters, Effects, Registers};
pub use encode::{EncodeError, Encoded, encode};
pub use form::Form;
pub use generation::{Chip, Generation, product_key};
pub use inst::{DstUnused, Flags, Inst, MAX_OPERANDS, Mods, Operand, SdwaSel, Spelling};
pub use later::{EXECUTED_CHIPS, LaterArchitecture, later_chip};
pub use tables::{Field, Op, Row, Ty};
pub use text::{Dialect, ParseError, parse, parse_in, print, print_in};
pub use waitcnt::WaitCounter;
