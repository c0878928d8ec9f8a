//! Intel's TYPED_ATOMIC in the commands: what `--isa visa` and containers (`.isa`) lead to.

mod asm;
mod dis;
mod explain;
mod info;
mod isa;

use wavetank_surface_isa::visa::container::MAGIC;

pub use asm::{Job, Patch, asm};
pub use dis::{dis, dis_hex};
pub use explain::{explain, is_meant};
pub use info::info;
pub use isa::isa;

/// Whether bytes are a container of vISA.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
