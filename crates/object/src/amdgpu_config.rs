//! The section `.AMDGPU.config`: the kernels of Mesa's OpenCL drivers, with the register values that are their start state.
//!
//! Sources: LLVM's "User Guide for AMDGPU Backend", "AMD Kernel Code" and "compute_pgm_rsrc1"; LLVM's output for `amdgcn--` and
//! `amdgcn-mesa-mesa3d`; the CLRX wiki, "Gallium ABI description", for the values before the arguments.

use crate::descriptor::{KernelDescriptor, UserSgpr};
use crate::error::{Error, Result};
use crate::metadata::{Arg, ArgKind, KernelMetadata};
use crate::symbol::{Symbol, SymbolKind};
use crate::target::Target;

/// The address of the register `COMPUTE_PGM_RSRC1`.
pub(crate) const RSRC1: u32 = 0xb848;
/// The address of the register `COMPUTE_PGM_RSRC2`.
const RSRC2: u32 = 0xb84c;
/// The address of the register `COMPUTE_TMPRING_SIZE`.
const TMPRING_SIZE: u32 = 0xb860;
/// The unit of `COMPUTE_TMPRING_SIZE.WAVESIZE`, the scratch size of a wave, in bytes.
const WAVE_GRANULE: u32 = 1024;
/// The dwords before the arguments: the number of work-groups, the number of work-items, and the work-items of a work-group, each
/// in three dimensions.
const HEADER: [ArgKind; 9] = [
    ArgKind::HiddenGroupCountX,
    ArgKind::HiddenGroupCountY,
    ArgKind::HiddenGroupCountZ,
    ArgKind::HiddenItemCountX,
    ArgKind::HiddenItemCountY,
    ArgKind::HiddenItemCountZ,
    ArgKind::HiddenGroupSizeX,
    ArgKind::HiddenGroupSizeY,
    ArgKind::HiddenGroupSizeZ,
];

/// Returns the address, metadata and descriptor of each kernel of a file. `pairs` is the contents of `.AMDGPU.config`: register
/// address and value, as many pairs for each kernel, in the order of the symbols.
pub(crate) fn kernels(
    pairs: &[[u32; 2]],
    symbols: &[Symbol],
    target: &Target,
) -> Result<Vec<(u64, KernelMetadata, KernelDescriptor)>> {
    let named = symbols.iter();
    let named = named.filter(|s| s.global && s.kind == SymbolKind::Function);
    let named: Vec<&Symbol> = named.collect();
    let each = pairs.len() / named.len().max(1);
    if each == 0 || each * named.len() != pairs.len() {
        let (registers, kernels) = (pairs.len(), named.len());
        return Err(Error::BadElf {
            problem: format!(
                "its section .AMDGPU.config has {registers} register settings, which cannot be divided equally among {kernels} kernels"
            ),
        });
    }
    let kernels = named.iter().zip(pairs.chunks_exact(each));
    let read = kernels.map(|(symbol, pairs)| {
        let descriptor = descriptor(pairs, target);
        (symbol.address, metadata(&symbol.name), descriptor)
    });
    Ok(read.collect())
}

/// Returns the metadata of a kernel. Its arguments are not listed in the file, except those of [`HEADER`].
fn metadata(name: &str) -> KernelMetadata {
    let header = HEADER.iter().zip((0..).step_by(4));
    KernelMetadata {
        name: name.to_owned(),
        symbol: name.to_owned(),
        args: header
            .map(|(kind, at)| Arg::unnamed(*kind, at, 4))
            .collect(),
        unlisted_args: Some(4 * HEADER.len() as u32),
        kernarg_segment_align: 8,
        ..KernelMetadata::default()
    }
}

/// Returns the descriptor of a kernel with these register values. The first two user SGPRs hold the address of its arguments.
fn descriptor(pairs: &[[u32; 2]], target: &Target) -> KernelDescriptor {
    let value = |of: u32| {
        pairs
            .iter()
            .find(|pair| pair[0] == of)
            .map_or(0, |pair| pair[1])
    };
    let tmpring = value(TMPRING_SIZE);
    let mut descriptor = KernelDescriptor::of_registers(value(RSRC1), value(RSRC2), target);
    // WAVESIZE is in 24:12; a wave has 64 work-items.
    descriptor.private_segment_fixed_size = (tmpring >> 12 & 0x1fff) * WAVE_GRANULE / 64;
    // LDS_SIZE counts blocks of 64 dwords on gfx6, of 128 from gfx7 on.
    let granule = if target.major() <= 6 { 256 } else { 512 };
    descriptor.group_segment_fixed_size = descriptor.rsrc2.granulated_lds_size * granule;
    descriptor.enable(UserSgpr::KernargSegmentPtr);
    descriptor
}
