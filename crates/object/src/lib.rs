//! AMD GPU code objects: reading the output of compilers for HIP, OpenCL and OpenMP.
//!
//! * [`open`] finds the code object for a target in a plain file, an offload bundle or a host program.
//! * [`CodeObject`] has the target, the kernels and the symbols, and makes a memory [`Image`] for a load address.
//! * [`Kernel`] joins the metadata (name, arguments, sizes) with its [`KernelDescriptor`] (start state).
//!
//! Code object versions 2 to 6 are read. The crate does not decode instructions or open files; its input bytes are untrusted.
//!
//! ```
//! use wavetank_object::{ArgKind, open};
//!
//! let bytes = include_bytes!("../tests/data/vecadd-gfx900.hsaco");
//! let object = open(bytes, Some("gfx900"))?;
//! for kernel in object.kernels() {
//!     println!("{}: {} VGPRs", kernel.name, kernel.descriptor.vgpr_count);
//!     for arg in kernel.explicit_args() {
//!         println!("  {:4} {:?} {}", arg.offset, arg.type_name, arg.kind.as_str());
//!     }
//! }
//! # assert_eq!(object.kernels()[0].args[0].kind, ArgKind::GlobalBuffer);
//! # Ok::<(), wavetank_object::Error>(())
//! ```
#![warn(missing_docs)]

mod amdgpu_config;
mod bundle;
mod bytes;
pub mod catalyst;
pub mod clover;
mod code_object;
mod compressed;
mod descriptor;
mod elf;
mod embedded;
mod error;
mod extent;
mod foreign;
mod limits;
mod lines;
mod memory_image;
mod metadata;
pub mod note;
mod open;
mod start;
mod symbol;
mod target;

pub use bundle::{Bundle, BundleEntry, bundle, is_bundle};
pub use code_object::{CodeObject, Kernel};
pub use compressed::{CompressionMethod, compress};
pub use descriptor::{
    DESCRIPTOR_SIZE, DenormMode, KERNEL_CODE_SIZE, KernelDescriptor, RoundMode, Rsrc1, Rsrc2,
    UserSgpr,
};
pub use elf::Segment;
pub use error::{Error, Result};
pub use limits::MAX_IMAGE_SIZE;
pub use lines::{Frame, Lines, Source};
pub use memory_image::Image;
pub use metadata::{Access, AddressSpace, Arg, ArgKind, KernelMetadata};
pub use open::{
    Entry, Piece, each_piece, interpreter, is_host_program, is_object_file, kernel_names, open,
    open_all, open_every, targets, unbundle,
};
pub use start::{Start, UserValue, UserWords};
pub use symbol::{Symbol, SymbolKind};
pub use target::{Feature, Target};
