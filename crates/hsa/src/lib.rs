//! A drop-in `libhsa-runtime64.so.1`: programs that were built for ROCm run on emulated GPUs, unchanged.
//!
//! The C interface is that of the "HSA Runtime Programmer's Reference Manual" 1.2 with AMD's extensions. Each module has one
//! subject; modules with functions of the interface declare them in a block `calls!` or `operations!`.
//!
//! A program finds it before ROCm's own, as `wavetank run` arranges it:
//!
//! ```sh
//! cargo build --release -p wavetank-hsa
//! ln -s libhsa_runtime64.so target/release/libhsa-runtime64.so.1
//! LD_LIBRARY_PATH=target/release ./vecadd
//! ```

// On other hosts the crate is empty: ROCm's programs are programs of Linux.
#![cfg(target_os = "linux")]
#![warn(missing_docs)]
// The C interface documents the safety of each exported function.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod agent;
mod c_types;
mod call;
mod driver;
mod image;
mod life;
mod loader;
mod log;
mod memory;
mod notice;
mod observe;
mod queue;
mod signal;
mod state;
mod system;
mod thread;
mod unimplemented;
