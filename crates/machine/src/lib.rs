//! Waves, work-groups, memory and the interpreter of the wave IR.

#![warn(missing_docs)]

mod backend;
mod fault;
mod interp;
mod memory;
mod wave;

pub use backend::{Backend, Stop};
pub use fault::{Fault, MemoryFault};
pub use memory::MemoryUnit;
pub use wave::{Uniform, VGPRS, Wave, hwreg, sreg};
