//! The description of a launch, which a capture keeps as JSON.

use serde::{Deserialize, Serialize};

/// A launch: the kernel, its size, the addresses that its waves start with, and the memory that it could access.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The version of the program that made the capture.
    pub made_by: String,
    /// The chip, as in `gfx900`.
    pub chip: String,
    /// The product with that chip, if it was not the chip's best known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// The kernel, as the code object names it.
    pub kernel: String,
    /// The number of the launch in its program; the first is 1. 0 where it is not known.
    pub number: u64,
    /// The work-items of the grid.
    pub grid: [u32; 3],
    /// The work-items of a work-group.
    pub block: [u32; 3],
    /// The addresses and sizes of the dispatch packet.
    pub packet: Packet,
    /// The device address of the code object.
    pub module: u64,
    /// Whether work-groups synchronize with one another.
    pub cooperative: bool,
    /// The counters of global wave synchronization that were not 0, each after the number of its resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<(u8, u32)>,
    /// The device address of the border colors of samplers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub border_colors: Option<u64>,
    /// TBA and TMA of the trap handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trap_handler: Option<[u64; 2]>,
    /// The schedule of waves, as `WAVETANK_SCHEDULE` names it.
    pub schedule: String,
    /// Whether accesses beyond the LDS were faults.
    pub strict: bool,
    /// The allocations, in the order of their addresses. Some may overlap.
    pub allocations: Vec<Allocation>,
}

/// The fields of the dispatch packet besides grid and block (HSA specification, 2.9.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packet {
    /// The device address of the packet.
    pub address: u64,
    /// The device address of the queue.
    pub queue: u64,
    /// The device address of the arguments.
    pub kernarg: u64,
    /// The number of the packet on its queue.
    pub id: u64,
    /// Scratch of a work-item in bytes.
    pub private_segment_size: u32,
    /// LDS of a work-group in bytes.
    pub group_segment_size: u32,
}

/// An allocation of the device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// The name in reports.
    pub name: String,
    /// The device address of the first byte.
    pub address: u64,
    /// The length in bytes, at least 1.
    pub bytes: u64,
    /// Whether kernels may not write it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The address up to which loads may read past the end, or 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub load_end: u64,
}

impl Allocation {
    /// The address after the last byte.
    pub fn end(&self) -> u64 {
        self.address + self.bytes
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
