//! The replay of a captured launch.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use wavetank_capture::{Capture, Outcome, PAGE, Page, Problem, Written, digest_written};
use wavetank_gcn::Chip;
use wavetank_ir::GlobalSync;
use wavetank_machine::SyncRequest;
use wavetank_memory::{ALIAS, Allocation, Placed, Rights};

use super::accesses::has;
use super::memory::{in_page, pieces, visit};
use crate::chips::ChipFacts;
use crate::device::{Device, DeviceBuilder};
use crate::dispatch::{Dispatch, Packet};
use crate::error::{Error, Result};
use crate::host_call::{self, HostCalls};
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::module::Module;

/// A captured launch, on a device whose memory is as it was before the launch, at the same addresses.
///
/// ```
/// use wavetank::capture::Replay;
/// use wavetank::{Chip, Device};
///
/// let folder = std::env::temp_dir();
/// let path = folder.join(format!("replay-{}.wtc", std::process::id()));
/// {
///     let device = Device::new(Chip::Gfx900)?;
///     let module = device.load(include_bytes!("../../../object/tests/data/vecadd-gfx900.hsaco"))?;
///     let a = device.buffer_from(&[1.5f32; 64])?;
///     let c = device.buffer_zeroed(256)?;
///     let dispatch = module.kernel("vecadd")?.dispatch().grid(64).block(64).arg(&a).arg(&a).arg(&c).arg(64);
///     dispatch.capture(&path).run()?;
/// }
/// let capture = Replay::read(&path)?;
/// let replay = Replay::load(&capture, Replay::device(&capture)?)?;
/// replay.dispatch().run()?;
/// assert!(replay.compare().is_some_and(|comparison| comparison.is_equal()));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), wavetank::Error>(())
/// ```
pub struct Replay<'c> {
    capture: &'c Capture,
    kernel: Kernel,
    /// The host calls of the launch, and the argument with their address.
    host_calls: Option<(Arc<HostCalls>, u64)>,
}

/// The memory after a replay, beside that after the captured launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The pages that the captured launch had written.
    pub written: usize,
    /// The pages that are different, in the order of their addresses.
    pub different: Vec<DifferentPage>,
}

/// A page whose contents are not those after the captured launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DifferentPage {
    /// The address of the page.
    pub address: u64,
    /// The name of the allocation with it.
    pub allocation: String,
    /// The distance of the page from the start of the allocation, in bytes; 0 for the first one.
    pub offset: u64,
}

impl Comparison {
    /// Whether all memory is as it was after the captured launch.
    pub fn is_equal(&self) -> bool {
        self.different.is_empty()
    }
}

impl<'c> Replay<'c> {
    /// Reads a capture.
    ///
    /// # Errors
    /// [`Error::Capture`] for a file that cannot be read, or is not a capture.
    pub fn read(path: &Path) -> Result<Capture> {
        let problem = |problem: String| Error::Capture {
            path: path.to_owned(),
            problem,
        };
        let bytes = std::fs::read(path);
        let bytes = bytes.map_err(|error| problem(format!("it cannot be read: {error}")))?;
        Capture::read(&bytes).map_err(|error: Problem| problem(error.to_string()))
    }

    /// Returns settings of a device for a capture: the product and the schedule of the captured launch, and one thread, so that the
    /// replay repeats bit for bit.
    ///
    /// # Errors
    /// [`Error::Chip`] for a chip that is not executed.
    pub fn device(capture: &Capture) -> Result<DeviceBuilder> {
        let launch = capture.launch();
        let chip = Chip::from_name(&launch.chip);
        let chip = chip.ok_or_else(|| {
            let name = wavetank_quote::plain(&launch.chip);
            Error::Chip(format!("the capture is of `{name}`, which is not a chip"))
        })?;
        let mut builder = Device::builder(chip)
            .threads(1)
            .strict(launch.strict)
            .stack(0);
        let product = launch.product.as_deref();
        if let Some(facts) = product.and_then(|name| ChipFacts::named(name).ok()) {
            builder = builder.product(facts);
        }
        if let Ok(schedule) = launch.schedule.parse() {
            builder = builder.schedule(schedule);
        }
        Ok(builder)
    }

    /// Makes a device with the memory of a capture.
    ///
    /// # Errors
    /// [`Error::Replay`] if this process uses addresses of the captured memory, or the capture contradicts itself; and the errors of
    /// [`DeviceBuilder::build`] and [`Device::load`].
    ///
    /// Host calls (`printf` of HIP) are answered by a buffer of the replay, whose address the kernel gets.
    pub fn load(capture: &'c Capture, device: DeviceBuilder) -> Result<Replay<'c>> {
        let placed = placed(capture);
        // Before the device has memory of its own, which might be in the way.
        let memory = Memory::default();
        let restored = memory.registry().restore(&placed);
        restored.map_err(|error| Error::Replay(error.to_string()))?;
        let device = device.memory(memory).build()?;
        fill(&device, capture, &placed);
        let launch = capture.launch();
        for (resource, counter) in &launch.counters {
            device.inner.sync.enter(SyncRequest {
                op: GlobalSync::Init,
                resource: *resource,
                value: *counter,
            });
        }
        let module = Module::adopt(&device, capture.object(), launch.module)?;
        let kernel = module.kernel(&launch.kernel)?;
        let mut host_calls = None;
        if let Some(argument) = host_call::argument(&kernel, launch.packet.kernarg) {
            let calls = HostCalls::new(&device.inner.memory)?;
            let written = device
                .registry()
                .write(argument, &calls.address().to_le_bytes());
            written.map_err(|error| Error::Replay(error.to_string()))?;
            host_calls = Some((Arc::new(calls), argument));
        }
        Ok(Replay {
            capture,
            kernel,
            host_calls,
        })
    }

    /// The capture.
    pub fn capture(&self) -> &'c Capture {
        self.capture
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The launch, to be observed and run.
    pub fn dispatch(&self) -> Dispatch<'static> {
        let launch = self.capture.launch();
        let packet = Packet {
            address: launch.packet.address,
            queue: launch.packet.queue,
            kernarg: launch.packet.kernarg,
            id: launch.packet.id,
            private_segment_size: launch.packet.private_segment_size,
            group_segment_size: launch.packet.group_segment_size,
        };
        let mut dispatch = self
            .kernel
            .dispatch()
            .grid(launch.grid)
            .block(launch.block)
            .packet(packet)
            .cooperative(launch.cooperative);
        if let Some((calls, _)) = &self.host_calls {
            dispatch = dispatch.answered_by(calls.clone());
        }
        if let Some(address) = launch.border_colors {
            dispatch = dispatch.border_colors(address);
        }
        if let Some([code, memory]) = launch.trap_handler {
            dispatch = dispatch.trap_handler(code, memory);
        }
        dispatch
    }

    /// Compares the memory, after the launch has run, with the digests in the capture. `None` if the captured launch did not end
    /// normally.
    pub fn compare(&self) -> Option<Comparison> {
        let Outcome::Ended(written) = self.capture.outcome() else {
            return None;
        };
        let registry = self.kernel.module().device().registry();
        let captured = placed(self.capture);
        let names = Names::of(&captured);
        let mut different = Vec::new();
        let Ok(()) = visit(registry, &captured, |address, page: &Page| {
            let written = written.get(&(address & !ALIAS));
            if !is_repeated(page, &self.before(address), written) {
                different.push(names.page(address));
            }
            Ok::<(), Infallible>(())
        });
        Some(Comparison {
            written: written.len(),
            different,
        })
    }

    /// The page at an address as the launch has found it.
    fn before(&self, address: u64) -> Page {
        let mut page = self.capture.page(address).copied().unwrap_or([0; PAGE]);
        if let Some((calls, argument)) = &self.host_calls {
            let value = (*argument..).zip(calls.address().to_le_bytes());
            for (at, byte) in value {
                if let Some(place) = page.get_mut(at.wrapping_sub(address) as usize) {
                    *place = byte;
                }
            }
        }
        page
    }
}

/// Whether the written bytes of a page have the digest of the captured launch, and the others are as they were.
fn is_repeated(page: &Page, before: &Page, written: Option<&Written>) -> bool {
    let Some(Written { mask, digest }) = written else {
        return page == before;
    };
    let mut others = (0..PAGE).filter(|n| !has(mask, *n));
    digest_written(page, mask) == *digest && others.all(|n| page[n] == before[n])
}

/// The allocations of a capture.
pub(super) fn placed(capture: &Capture) -> Vec<Placed> {
    let all = capture.launch().allocations.iter();
    all.map(|described| Placed {
        allocation: Allocation {
            name: described.name.as_str().into(),
            address: described.address,
            bytes: described.bytes,
            rights: if described.read_only {
                Rights::Read
            } else {
                Rights::ReadWrite
            },
        },
        load_end: described.load_end,
    })
    .collect()
}

/// Writes the contents of a capture to the memory of a device.
fn fill(device: &Device, capture: &Capture, placed: &[Placed]) {
    let pieces = pieces(placed);
    for (address, page) in capture.pages() {
        for part in in_page(&pieces, address) {
            let (from, to) = (part.start - address, part.end - address);
            let bytes = &page[from as usize..to as usize];
            let written = device.registry().write(part.start, bytes);
            written.expect("the registry has just restored it");
        }
    }
    let gds = device.registry().write_gds(0, capture.gds());
    gds.expect("the reader has checked its size");
}

/// The allocations, by the address of the first page.
struct Names<'p>(BTreeMap<u64, &'p Allocation>);

impl Names<'_> {
    fn of(placed: &[Placed]) -> Names<'_> {
        let first = |allocation: &Allocation| allocation.address & !(PAGE as u64 - 1);
        let all = placed.iter().map(|placed| &placed.allocation);
        Names(
            all.map(|allocation| (first(allocation), allocation))
                .collect(),
        )
    }

    fn page(&self, address: u64) -> DifferentPage {
        let allocation = self.0.range(..=address).next_back().map(|(_, a)| *a);
        DifferentPage {
            address,
            allocation: allocation.map_or_else(String::new, |a| a.name.to_string()),
            offset: allocation.map_or(0, |a| address.saturating_sub(a.address)),
        }
    }
}
