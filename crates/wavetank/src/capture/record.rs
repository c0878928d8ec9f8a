//! The recording of a launch.

use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::Range;
use std::path::{Path, PathBuf};

use wavetank_capture::{Launch, Launched, MASK, Packet, Writer};
use wavetank_machine::gcn;
use wavetank_memory::{Placed, Registry, Rights};

use super::accesses::{Accesses, within};
use super::memory::{pieces, read_page, visit};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::host_call;
use crate::kernel::Kernel;
use crate::scratch_pool::SCRATCH;

/// A launch that is being recorded.
pub(crate) struct Recording {
    path: PathBuf,
    file: Launched<BufWriter<File>>,
    device: Device,
    /// The memory that the capture has.
    pieces: Vec<Range<u64>>,
    /// The memory of host calls, of which a replay has its own.
    host_calls: Vec<Range<u64>>,
    accesses: Accesses,
}

impl Recording {
    /// Writes the launch, and all memory that it can access.
    ///
    /// # Errors
    /// [`Error::Capture`].
    pub(crate) fn begin(path: &Path, kernel: &Kernel, launch: Launch) -> Result<Recording> {
        let device = kernel.module().device().clone();
        let allocations = allocations(device.registry());
        let host_calls = host_call::argument(kernel, launch.packet.kernarg);
        let host_calls = host_calls.map(|at| host_call::memory(device.registry(), at));
        let launch = Launch {
            allocations: allocations.iter().map(described).collect(),
            counters: device.inner.sync.counters(),
            ..launch
        };
        let write = || {
            let out = BufWriter::new(File::create(path)?);
            let mut writer = Writer::new(out, &launch, kernel.module().object().bytes())?;
            visit(device.registry(), &allocations, |address, page| {
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
            pieces: pieces(&allocations),
            host_calls: host_calls.unwrap_or_default(),
            accesses: Accesses::default(),
        })
    }

    /// The accesses of the launch, which it has to record.
    pub(crate) fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// Writes what the launch wrote, or the sentence about its failure.
    ///
    /// # Errors
    /// [`Error::Capture`].
    pub(crate) fn end<T>(mut self, result: &Result<T>) -> Result<()> {
        let done = match result {
            Ok(_) => {
                self.add_written();
                self.file.finish()
            }
            Err(error) => self.file.fail(&error.to_string()),
        };
        done.map(drop)
            .map_err(|error| write_error(&self.path, &error))
    }

    /// Adds the pages that the launch wrote. What the host or another launch wrote meanwhile is not of this one.
    fn add_written(&mut self) {
        for (address, page) in &*self.accesses.pages() {
            let mask = within(&page.written, *address, &self.pieces, &self.host_calls);
            if mask != [0; MASK] {
                let contents = read_page(self.device.registry(), &self.pieces, *address);
                self.file.written(*address, &mask, &contents);
            }
        }
    }
}

fn write_error(path: &Path, error: &io::Error) -> Error {
    Error::Capture {
        path: path.to_owned(),
        problem: format!("it cannot be written: {error}"),
    }
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
