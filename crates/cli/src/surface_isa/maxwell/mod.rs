//! NVIDIA's SUATOM in the commands: what `--isa maxwell:52` and cubins lead to.

mod asm;
mod dis;
mod drawing;
mod explain;
mod isa;
mod page;

pub use asm::{Job, asm};
pub use dis::{dis, dis_hex};
pub use explain::{explain, is_suatom};
pub use isa::{Asked, isa};
