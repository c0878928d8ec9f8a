//! The types of the C interface, with the layouts of the HSA specification and AMD's extensions.
//!
//! Source: "HSA Runtime Programmer's Reference Manual" 1.2; the layouts of `amd_queue_t` and `amd_signal_t` in LLVM's "User Guide
//! for AMDGPU Backend".

mod handle;
mod image;
pub mod info;
mod memory;
mod packet;
mod queue;
mod signal;
mod status;

pub use handle::{
    Agent, CodeObject, CodeSymbol, Executable, ExecutableSymbol, Image, Isa, LoadedCodeObject,
    Pool, Reader, Region, Sampler, Signal, SignalGroup, Wavefront,
};
pub use image::{
    ImageDataInfo, ImageDescriptor, ImageFormat, ImageRegion, SamplerDescriptor, VendorImage,
};
pub use memory::{Dim3, PitchedPtr, PointerInfo, ProfilingTime, SegmentDescriptor, SvmPair};
pub use packet::{BarrierPacket, BarrierValuePacket, DispatchPacket, PACKET_BYTES, PacketType};
pub use queue::{AmdQueue, HsaQueue};
pub use signal::{AmdSignal, Condition};
pub use status::{Result, Status};
