//! Atomics on surfaces in the commands, the same for both: NVIDIA's SUATOM (`--isa maxwell:52`, cubins) and Intel's
//! TYPED_ATOMIC (`--isa visa`, containers).

mod asm;
mod dis;
mod explain;
mod isa;
pub mod maxwell;
mod sections;
mod shown;
pub mod visa;

pub use asm::{Job, asm};
pub use dis::{dis, dis_hex};
pub use explain::explain;
pub use isa::isa;
pub use shown::{Asked, Shown};
