//! A drop-in `libhsa-runtime64.so.1`: programs that were built for ROCm run on emulated GPUs, unchanged.
//!
//! The C interface is that of the "HSA Runtime Programmer's Reference Manual" 1.2 with AMD's extensions. Each module has a
//! subject; those with functions of the interface declare them in a block `calls!` or `operations!`.

#![warn(missing_docs)]
// Each exported function is as safe as the C interface says of it.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod abi;
mod absent;
mod agent;
mod call;
mod callers;
mod checks;
mod copy;
mod deadline;
mod deallocation;
mod driver;
mod handler;
mod host;
mod image;
mod ipc;
mod leaks;
mod life;
mod loader;
mod log;
mod look;
mod memory;
mod memory_calls;
mod order;
mod origins;
mod place;
mod queue;
mod seed;
mod signal;
mod signal_calls;
mod slab;
mod state;
mod statistics;
mod svm;
mod system;
mod thread;
mod transfer;
mod undefined;
mod vmem;
mod wait;
mod watch;
