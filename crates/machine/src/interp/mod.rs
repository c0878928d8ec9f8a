//! The interpreter: lowers blocks of the IR to steps and runs them.

pub mod step;
