//! Atomics on surfaces in the commands: NVIDIA's SUATOM and Intel's TYPED_ATOMIC.

pub mod maxwell;
pub mod visa;
