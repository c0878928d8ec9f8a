//! The C library `libwavetank`: its functions, as `include/wavetank.h` declares them.
//!
//! Objects are handles that are checked at each use (`handle.rs`), so a freed or foreign handle is an error. A call returns a
//! [`wavetank_status`], keeps the sentence about its error for [`wavetank_last_error`], and never unwinds into its caller.
//! `docs/how-to/c-library.md` is the guide.
//!
//! Each file has one subject of the interface. The header is made of them by cbindgen; the test `the_header_is_current` says how.

// The types have the names of the header. The promise of its callers is a contract of docs/explanation/unsafe.md.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]
#![warn(missing_docs)]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("a handle needs the 64 bits of a pointer");

mod assembly;
mod buffer;
mod device;
mod disassembly;
mod explanation;
mod failure;
mod findings;
mod handle;
mod hook;
mod kernel;
mod last_error;
mod launch;
mod module;
mod options;
mod pointer;
mod record;
mod status;
mod version;
mod wave;

pub use assembly::*;
pub use buffer::*;
pub use device::*;
pub use disassembly::*;
pub use explanation::*;
pub use findings::*;
pub use hook::*;
pub use kernel::*;
pub use last_error::*;
pub use launch::*;
pub use module::*;
pub use status::*;
pub use version::*;
pub use wave::*;
