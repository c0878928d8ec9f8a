//! The recording of a launch.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use wavetank_capture::{Launch, Launched, PAGE, Packet, Writer, digest};
use wavetank_machine::gcn;
use wavetank_memory::{Placed, Registry, Rights};

use super::memory::visit;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::scratch_pool::SCRATCH;

/// A launch that is being recorded.
pub(crate) struct Recording {
    path: PathBuf,
    file: Launched<BufWriter<File>>,
    device: Device,
    /// The digests of pages before the launch, but for pages of zeros.
    before: HashMap<u64, u128>,
    own: Own,
}

/// The addresses of what the host writes while a kernel runs: the arguments of the next kernels, and the queue. They say nothing about
/// the kernel, which does not write there.
pub(super) struct Own([u64; 3]);

impl Own {
    pub(super) fn of(packet: &Packet) -> Own {
        Own([packet.address, packet.queue, packet.kernarg])
    }

    /// Returns the other allocations.
    pub(super) fn without(&self, allocations: Vec<Placed>) -> Vec<Placed> {
        let has = |placed: &Placed, address: &u64| {
            placed.allocation.holds(*address, address.saturating_add(1))
        };
        let mut others = allocations;
        others.retain(|placed| !self.0.iter().any(|address| has(placed, address)));
        others
    }
}

impl Recording {
    /// Writes the launch, and all memory that it can access.
    ///
    /// # Errors
    /// [`Error::Capture`].
    pub(crate) fn begin(path: &Path, kernel: &Kernel, launch: Launch) -> Result<Recording> {
        let device = kernel.module().device().clone();
        let allocations = allocations(device.registry());
        let own = Own::of(&launch.packet);
        let launch = Launch {
            allocations: allocations.iter().map(described).collect(),
            ..launch
        };
        let mut before = HashMap::new();
        let mut write = || {
            let out = BufWriter::new(File::create(path)?);
            let mut writer = Writer::new(out, &launch, kernel.module().object().bytes())?;
            visit(device.registry(), &allocations, |address, page| {
                if *page != [0; PAGE] {
                    before.insert(address, digest(page));
                }
                writer.page(address, page)
            })?;
            writer.gds(&device.registry().read_gds())?;
            writer.launched()
        };
        let file = write().map_err(|error| write_error(path, &error))?;
        Ok(Recording {
            path: path.to_owned(),
            file,
            device,
            before,
            own,
        })
    }

    /// Writes the pages that the launch changed, or the sentence about its failure.
    ///
    /// # Errors
    /// [`Error::Capture`].
    pub(crate) fn end<T>(self, result: &Result<T>) -> Result<()> {
        let done = match result {
            Ok(_) => {
                let changes = changes(self.device.registry(), &self.before, &self.own);
                self.file.finish(&changes)
            }
            Err(error) => self.file.fail(&error.to_string()),
        };
        done.map(drop)
            .map_err(|error| write_error(&self.path, &error))
    }
}

fn write_error(path: &Path, error: &io::Error) -> Error {
    Error::Capture {
        path: path.to_owned(),
        problem: format!("it cannot be written: {error}"),
    }
}

/// Returns the pages whose digests differ from those of before, in order.
fn changes(registry: &Registry, before: &HashMap<u64, u128>, own: &Own) -> Vec<(u64, u128)> {
    let zero = digest(&[0; PAGE]);
    let allocations = own.without(allocations(registry));
    let mut out = Vec::new();
    let Ok(()) = visit(registry, &allocations, |address, page| {
        let now = digest(page);
        if now != before.get(&address).copied().unwrap_or(zero) {
            out.push((address, now));
        }
        Ok::<(), std::convert::Infallible>(())
    });
    out
}

/// Returns the allocations that a kernel can access by address. Scratch is of the emulator; each device has its own.
pub(super) fn allocations(registry: &Registry) -> Vec<Placed> {
    let mut all = registry.allocations();
    all.retain(|placed| &*placed.allocation.name != SCRATCH);
    all
}

fn described(placed: &Placed) -> wavetank_capture::Allocation {
    let allocation = &placed.allocation;
    wavetank_capture::Allocation {
        name: allocation.name.to_string(),
        address: allocation.address,
        bytes: allocation.bytes,
        read_only: allocation.rights == Rights::Read,
        load_end: placed.load_end,
    }
}

/// Returns the packet that describes the start state of a launch.
pub(crate) fn packet(launch: &gcn::Launch) -> Packet {
    let user = &launch.user;
    Packet {
        address: user.dispatch_ptr,
        queue: user.queue_ptr,
        kernarg: user.kernarg_segment_ptr,
        id: user.dispatch_id,
        private_segment_size: user.private_segment_size,
        group_segment_size: launch.lds_bytes,
    }
}
