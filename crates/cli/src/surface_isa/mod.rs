//! Atomics on surfaces in the commands, the same for both: NVIDIA's SUATOM (`--isa maxwell:52`, cubins) and Intel's
//! TYPED_ATOMIC (`--isa visa`, containers).

mod asm;
mod cli_isa;
mod dis;
mod explain;
mod isa;
pub(crate) mod maxwell;
mod reference;
pub(crate) mod visa;

pub(crate) use asm::{Job, asm};
pub(crate) use cli_isa::{Asked, CliIsa};
pub(crate) use dis::{dis, dis_hex};
pub(crate) use explain::explain;
pub(crate) use isa::isa;
pub(crate) use reference::{Block, Reference, Table};
