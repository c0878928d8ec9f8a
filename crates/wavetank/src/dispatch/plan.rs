//! Preparation of a dispatch: grid, arguments, packet, start state.

use std::sync::Arc;

use wavetank_gcn::numbers::lds_of_group;
use wavetank_ir::GlobalSync;
use wavetank_machine::gcn::{Launch, Occupancy, SCRATCH_GRANULE, UserData, aql};
use wavetank_machine::{Grid, SyncRequest};
use wavetank_object::{ArgKind, Start};

use super::{Dispatch, Packet};
use crate::arg;
use crate::error::{Error, Result};
use crate::hidden::Hidden;
use crate::host_call::HostCalls;
use crate::memory::Allocation;

/// The stack of a work-item in addition to the size in its kernel's metadata, if calls make the depth unknown, in bytes.
///
/// The compiler already reserves 16 KiB for calls that it cannot analyse; recursion may need more.
const DYNAMIC_STACK: u32 = 16 << 10;

/// A dispatch laid out in memory.
pub(super) struct Plan {
    pub launch: Launch,
    pub resident_groups: u32,
    /// The host calls of the kernel, if it makes any.
    pub host_calls: Option<Arc<HostCalls>>,
    /// The arguments and the packet, if the dispatch made them.
    _memory: Vec<Allocation>,
}

impl Dispatch<'_> {
    pub(super) fn checked_grid(&self) -> Result<Grid> {
        let kernel = || self.kernel.name().to_owned();
        let info = self.kernel.info();
        let size = self.block.size();
        let grid = Grid::new(self.grid.size(), size).map_err(|problem| Error::Grid {
            kernel: kernel(),
            problem,
        })?;
        if self.packet.is_some() {
            return Ok(grid);
        }
        let text = |size: [u32; 3]| format!("{}x{}x{}", size[0], size[1], size[2]);
        if let Some(wanted) = info.reqd_workgroup_size.filter(|wanted| *wanted != size) {
            let (wanted, given) = (text(wanted), text(size));
            return Err(Error::GroupSize {
                kernel: kernel(),
                wanted,
                given,
            });
        }
        let count: u32 = size.iter().product();
        if let Some(most) = info.max_flat_workgroup_size.filter(|most| count > *most) {
            let (wanted, given) = (format!("at most {most}"), count.to_string());
            return Err(Error::GroupSize {
                kernel: kernel(),
                wanted,
                given,
            });
        }
        Ok(grid)
    }

    /// Checks the arguments, and lays out the data that the kernel reads before its own memory.
    pub(super) fn plan(&self, grid: Grid) -> Result<Plan> {
        if let Some(packet) = self.packet {
            let size = packet
                .private_segment_size
                .saturating_add(self.more_stack());
            let packet = Packet {
                private_segment_size: size,
                ..packet
            };
            return self.launch(grid, packet, Vec::new());
        }
        let info = self.kernel.info();
        let inner = &self.kernel.module.device().inner;
        let host_calls = self.host_calls()?;
        let (block, lds) = self.arguments(grid, host_calls.as_ref())?;
        let align = u64::from(info.kernarg_segment_align).max(64);
        // Compilers may load whole aligned spans of up to 16 dwords of which only the start is arguments.
        let kernarg_len = (block.len().max(1) as u64).next_multiple_of(64);
        let kernarg = inner
            .memory
            .allocate_private("the kernel arguments", kernarg_len, align)?;
        kernarg.write(0, &block);
        let memory =
            inner
                .memory
                .allocate_private("the dispatch packet", aql::PACKET_SIZE as u64, 64)?;
        let packet = Packet {
            address: memory.address(),
            queue: inner.queue.address(),
            kernarg: kernarg.address(),
            id: 1,
            private_segment_size: self.private_segment_size(),
            group_segment_size: lds,
        };
        let written = aql::Packet {
            grid,
            dimensions: self.dimensions(),
            private_segment_size: packet.private_segment_size,
            group_segment_size: lds,
            kernel_object: self.kernel.descriptor_address(),
            kernarg_address: kernarg.address(),
        };
        memory.write(0, &written.to_bytes());
        let start = info.start.as_ref();
        let words = start.map(|start| start.user_sgprs(&block, kernarg.address()));
        let mut plan = self.launch(grid, packet, vec![kernarg, memory])?;
        plan.launch.user.words = words;
        plan.host_calls = host_calls.map(Arc::new);
        Ok(plan)
    }

    /// Makes the buffer of host calls, if the kernel has an argument for it.
    fn host_calls(&self) -> Result<Option<HostCalls>> {
        let mut hidden = self.kernel.info().hidden_args();
        let calls = hidden.any(|arg| arg.kind == ArgKind::HiddenHostcallBuffer);
        let memory = &self.kernel.module.device().inner.memory;
        calls.then(|| HostCalls::new(memory)).transpose()
    }

    /// The arguments as the kernel reads them, with hidden ones and those of a driver, and the bytes of its LDS.
    fn arguments(&self, grid: Grid, host_calls: Option<&HostCalls>) -> Result<(Vec<u8>, u32)> {
        let info = self.kernel.info();
        let params = self.kernel.args();
        // The descriptor has priority; without metadata, the value there is 0.
        let fixed_lds = info.descriptor.group_segment_fixed_size;
        let (size, dimensions) = (info.kernarg_segment_size, self.dimensions());
        let explicit = match info.unlisted_args {
            Some(first) => arg::lay_out_in_order(&self.args, first, size, fixed_lds, dimensions),
            None => arg::lay_out(&self.args, &params, size, fixed_lds),
        };
        let mut explicit = explicit.map_err(|problem| Error::Arguments {
            kernel: self.kernel.name().to_owned(),
            problem,
            signature: self.kernel.signature(),
        })?;
        let lds = explicit.lds_bytes + u64::from(self.dynamic_lds);
        // A size that does not fit 32 bits is far too large, too.
        let lds = u32::try_from(lds).unwrap_or(u32::MAX);
        let hidden = Hidden {
            grid,
            dimensions: self.dimensions(),
            dynamic_lds: lds - fixed_lds.min(lds),
            queue: self.kernel.module.device().inner.queue.address(),
            host_calls: host_calls.map_or(0, HostCalls::address),
        };
        hidden.fill(info.hidden_args(), &mut explicit.block);
        if let Some(start) = &info.start {
            self.fill_start(start, &mut explicit.block)?;
        }
        Ok((explicit.block, lds))
    }

    /// Writes the values that a driver adds to the arguments.
    fn fill_start(&self, start: &Start, block: &mut [u8]) -> Result<()> {
        if let Some(missing) = &start.missing {
            return Err(Error::Arguments {
                kernel: self.kernel.name().to_owned(),
                problem: format!(
                    "wants {missing}, which AMD's Catalyst gives and is not given here"
                ),
                signature: self.kernel.signature(),
            });
        }
        let mut put = |at: u32, bytes: &[u8]| {
            let at = at as usize;
            if let Some(place) = block.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        for (at, word) in &start.words {
            put(*at, &word.to_le_bytes());
        }
        for (at, address) in &start.addresses {
            let address = self.kernel.module.address_of(*address);
            put(*at, &address.to_le_bytes());
        }
        Ok(())
    }

    /// Scratch of a work-item, with room for calls where their depth is not known.
    fn private_segment_size(&self) -> u32 {
        let for_calls = if self.has_dynamic_stack() {
            DYNAMIC_STACK
        } else {
            0
        };
        let fixed = self.kernel.info().descriptor.private_segment_fixed_size;
        fixed
            .saturating_add(for_calls)
            .saturating_add(self.more_stack())
    }

    /// Returns the additional stack of a work-item that the device's settings require, for a kernel with a stack. Compilers do
    /// not account for recursion in unoptimized code, so the size in their metadata is not relied on.
    fn more_stack(&self) -> u32 {
        let has_stack = self.kernel.info().descriptor.private_segment_fixed_size > 0;
        if has_stack || self.has_dynamic_stack() {
            self.kernel.module.device().inner.stack
        } else {
            0
        }
    }

    /// Whether the compiler could not determine how much stack the kernel needs.
    pub(super) fn has_dynamic_stack(&self) -> bool {
        let info = self.kernel.info();
        info.uses_dynamic_stack || info.descriptor.uses_dynamic_stack
    }

    /// The start of waves by a packet.
    fn launch(&self, grid: Grid, packet: Packet, memory: Vec<Allocation>) -> Result<Plan> {
        let info = self.kernel.info();
        let descriptor = &info.descriptor;
        let module = &self.kernel.module;
        let inner = &module.device().inner;
        let lds = packet.group_segment_size;
        let chip = inner.facts.chip;
        let most = lds_of_group(chip.generation());
        if lds > most {
            return Err(Error::Lds {
                kernel: self.kernel.name().to_owned(),
                bytes: lds.into(),
                most,
            });
        }
        let handler = self.trap_handler.map(|handler| handler.code);
        if let Some(address) = handler.filter(|at| !module.engine().code().has(*at)) {
            return Err(Error::TrapHandler {
                kernel: self.kernel.name().to_owned(),
                address,
            });
        }
        let scratch_wave_bytes = u64::from(packet.private_segment_size) * 64;
        let scratch_wave_bytes = scratch_wave_bytes.next_multiple_of(SCRATCH_GRANULE.into());
        // The hardware's own limit (COMPUTE_TMPRING_SIZE.WAVESIZE) is far below 4 GiB a work-group.
        if scratch_wave_bytes * u64::from(grid.waves()) > u32::MAX.into() {
            return Err(Error::OutOfMemory {
                bytes: scratch_wave_bytes * u64::from(grid.waves()),
            });
        }
        let launch = Launch {
            chip,
            xccs: inner.facts.xccs,
            entry: module.address_of(info.entry + descriptor.start_offset()),
            rsrc1: descriptor.rsrc1.bits,
            rsrc2: descriptor.rsrc2.bits,
            vgprs: descriptor.plain_vgpr_count(module.object().target()),
            acc_vgprs: descriptor.acc_vgpr_count,
            live_in: None,
            sgprs: descriptor.sgpr_count,
            lds_bytes: lds,
            scratch_wave_bytes: scratch_wave_bytes as u32,
            user: UserData {
                enabled: descriptor.user_sgpr_bits,
                dispatch_ptr: packet.address,
                queue_ptr: packet.queue,
                kernarg_segment_ptr: packet.kernarg,
                dispatch_id: packet.id,
                private_segment_size: packet.private_segment_size,
                workgroup_count: grid.groups(),
                preloaded: self.preloaded(packet.kernarg)?,
                words: None,
            },
            trap_handler: self.trap_handler,
        };
        let occupancy = Occupancy {
            chip,
            vgprs: descriptor.vgpr_count,
            sgprs: launch.sgprs,
            lds_bytes: lds,
            waves_per_group: grid.waves(),
        };
        Ok(Plan {
            launch,
            resident_groups: occupancy.groups_per_unit() * inner.facts.compute_units,
            host_calls: None,
            _memory: memory,
        })
    }

    /// Reads the arguments that the kernel finds in user SGPRs, of which there are 16 at most.
    fn preloaded(&self, kernarg: u64) -> Result<([u32; 16], usize)> {
        let dwords = self.kernel.info().descriptor.preloaded_arguments();
        let mut out = ([0; 16], dwords.len().min(16));
        let mut bytes = [0; 64];
        let bytes = &mut bytes[..4 * out.1];
        if !bytes.is_empty() {
            let registry = self.kernel.module.device().registry();
            let address = kernarg.wrapping_add(4 * u64::from(dwords.start));
            registry.read(address, bytes).map_err(|_| Error::Preload {
                kernel: self.kernel.name().to_owned(),
                bytes: bytes.len(),
                address,
            })?;
        }
        for (dword, bytes) in out.0.iter_mut().zip(bytes.as_chunks().0) {
            *dword = u32::from_le_bytes(*bytes);
        }
        Ok(out)
    }

    /// Refuses a cooperative launch with more work-groups than can be resident, and sets up the barrier of the others.
    pub(super) fn prepare_cooperation(&self, groups: u64, resident: u32) -> Result<()> {
        if groups > resident.into() {
            return Err(Error::Cooperative {
                kernel: self.kernel.name().to_owned(),
                groups,
                resident,
            });
        }
        let sync = &self.kernel.module.device().inner.sync;
        sync.enter(SyncRequest {
            op: GlobalSync::Init,
            resource: 0,
            value: (groups - 1) as u32,
        });
        Ok(())
    }

    fn dimensions(&self) -> u16 {
        self.grid.dimensions().max(self.block.dimensions())
    }
}
