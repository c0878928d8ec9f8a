//! GPU code objects: ELF, metadata, kernel descriptors and offload bundles.
#![warn(missing_docs)]

mod bundle;
mod bytes;
mod code_object;
mod descriptor;
mod elf;
mod error;
mod image;
mod metadata;
mod open;
mod symbol;
mod target;

pub use bundle::{Bundle, BundleEntry, is_bundle};
pub use code_object::{CodeObject, Kernel};
pub use descriptor::{
    DESCRIPTOR_SIZE, DenormMode, KERNEL_CODE_SIZE, KernelDescriptor, RoundMode, Rsrc1, Rsrc2,
    UserSgpr,
};
pub use elf::Segment;
pub use error::{Error, Result};
pub use image::{Image, MAX_IMAGE_SIZE};
pub use metadata::{Access, AddressSpace, Arg, ArgKind, KernelMetadata, MAX_KERNARG_SIZE};
pub use open::{open, open_all, targets};
pub use symbol::{Symbol, SymbolKind};
pub use target::{Feature, Target};
