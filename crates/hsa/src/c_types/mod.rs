//! The types of the C interface, with the layouts of the HSA specification and AMD's extensions.
//!
//! Source: "HSA Runtime Programmer's Reference Manual" 1.2; the layouts of `amd_queue_t` and `amd_signal_t` in LLVM's "User Guide
//! for AMDGPU Backend".

mod handle;
mod image;
pub(crate) mod info;
mod memory;
mod packet;
mod queue;
mod signal;
mod status;

pub(crate) use handle::{
    Agent, CodeObject, CodeSymbol, Executable, ExecutableSymbol, Image, Isa, LoadedCodeObject,
    Pool, Reader, Region, Sampler, Signal, SignalGroup, Wavefront,
};
pub(crate) use image::{
    ImageDataInfo, ImageDescriptor, ImageFormat, ImageRegion, SamplerDescriptor, VendorImage,
};
pub(crate) use memory::{Dim3, PitchedPtr, PointerInfo, ProfilingTime, SegmentDescriptor, SvmPair};
pub(crate) use packet::{
    BarrierPacket, BarrierValuePacket, DispatchPacket, PACKET_BYTES, PacketType,
};
pub(crate) use queue::{AmdQueue, HsaQueue};
pub(crate) use signal::{AmdSignal, Condition};
pub(crate) use status::{Result, Status};
