//! A dispatch: one run of a kernel, from its set-up to its report.

mod dims;
mod explain;
mod plan;
mod record;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wavetank_check::{Kept, Stack, Watcher};
use wavetank_machine::Exported;
use wavetank_machine::gcn::TrapHandler;
use wavetank_machine::schedule::Message;

use crate::arg::Arg;
use crate::capture::Accesses;
use crate::checks::given_by;
use crate::error::Result;
use crate::host_call::{HostCalls, Stream};
use crate::kernel::Kernel;
use crate::launch::ReadyWaves;
use crate::observers::{Observers, observed};
use crate::report::Report;

pub use dims::Dims;

/// The fields of a kernel dispatch packet besides grid and block (HSA specification, 2.9.6): addresses that the kernel gets
/// unchanged, and sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The address of a copy of the packet that does not change while the kernel runs.
    pub address: u64,
    /// Address of the queue (`amd_queue_t`).
    pub queue: u64,
    /// Address of the argument block.
    pub kernarg: u64,
    /// The number of the packet on its queue.
    pub id: u64,
    /// Scratch of a work-item in bytes.
    pub private_segment_size: u32,
    /// LDS of a work-group in bytes.
    pub group_segment_size: u32,
}

/// A receiver of the texts that a kernel prints.
type Print<'a> = dyn Fn(Stream, &str) + Sync + 'a;

/// The number of waves from which on computing the registers that need zeroing is worth its cost.
const MANY_WAVES: u64 = 4096;

/// A run of a kernel, set up step by step. See [`Kernel::dispatch`].
#[must_use = "a dispatch does nothing until `run` is called"]
pub struct Dispatch<'a> {
    kernel: Kernel,
    grid: Dims,
    block: Dims,
    args: Vec<Arg>,
    dynamic_lds: u32,
    cooperative: bool,
    border_colors: Option<u64>,
    packet: Option<Packet>,
    trap_handler: Option<TrapHandler>,
    print: Option<&'a Print<'a>>,
    host_calls: Option<Arc<HostCalls>>,
    capture: Option<(PathBuf, u64)>,
    observers: Observers<'a>,
}

impl Kernel {
    /// A run of the kernel, to be given a grid and arguments.
    pub fn dispatch(&self) -> Dispatch<'static> {
        Dispatch::new(self.clone())
    }
}

observed!(Dispatch);

impl<'a> Dispatch<'a> {
    fn new(kernel: Kernel) -> Self {
        Dispatch {
            kernel,
            grid: 1.into(),
            block: 1.into(),
            args: Vec::new(),
            dynamic_lds: 0,
            cooperative: false,
            border_colors: None,
            packet: None,
            trap_handler: None,
            print: None,
            host_calls: None,
            capture: None,
            observers: Observers::default(),
        }
    }

    /// Sets the grid in work-items, as HSA counts; the last work-groups may be partial. The default is 1.
    pub fn grid(mut self, grid: impl Into<Dims>) -> Self {
        self.grid = grid.into();
        self
    }

    /// Sets the size of a work-group in work-items. The default is 1.
    pub fn block(mut self, block: impl Into<Dims>) -> Self {
        self.block = block.into();
        self
    }

    /// Adds the next argument.
    pub fn arg(mut self, arg: impl Into<Arg>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds the next arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = Arg>) -> Self {
        self.args.extend(args);
        self
    }

    /// Sets the LDS in bytes in addition to the kernel's own (`extern __shared__` of HIP). LDS pointers of OpenCL take
    /// [`Arg::Lds`].
    pub fn dynamic_lds(mut self, bytes: u32) -> Self {
        self.dynamic_lds = bytes;
        self
    }

    /// Sets whether work-groups synchronize with one another (HIP's cooperative launch, `this_grid().sync()`).
    ///
    /// The grid then must fit on the chip at once, and global wave synchronization resource 0 is made ready for a barrier
    /// of one wave a work-group, as ROCm's runtime does before such a launch.
    pub fn cooperative(mut self, cooperative: bool) -> Self {
        self.cooperative = cooperative;
        self
    }

    /// Sets the device address of the table of border colors, with entries of 16 bytes that image samplers select (the value that
    /// a driver writes to `TA_BC_BASE_ADDR`). Without it, a sample that needs an entry stops the kernel.
    pub fn border_colors(mut self, address: u64) -> Self {
        self.border_colors = Some(address);
        self
    }

    /// Takes arguments, sizes and addresses from a packet: the kernel is run as by a queue of HSA, and nothing is checked against
    /// the metadata of the code object.
    pub fn packet(mut self, packet: Packet) -> Self {
        self.packet = Some(packet);
        self
    }

    /// Sets the trap handler (Vega ISA, 3.9). TBA is the device address of its first instruction, in the code of the kernel's
    /// module ([`Module::symbol`](crate::Module::symbol)). TMA is a value for the handler's own use, such as the address of a
    /// buffer.
    ///
    /// Traps are `s_trap`, exceptions that MODE.EXCP_EN enables, accesses that would be faults if it enables memory violations,
    /// and every instruction with MODE.DEBUG. Without a handler, these stop the kernel, except for MODE.DEBUG.
    pub fn trap_handler(mut self, tba: u64, tma: u64) -> Self {
        let (code, memory) = (tba, tma);
        self.trap_handler = Some(TrapHandler { code, memory });
        self
    }

    /// Sets a callback at times while work-groups run, and in the end, with the number of groups that have ended and of all. It
    /// is called from any thread.
    pub fn progress<'b>(self, progress: &'b (dyn Fn(u64, u64) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let observers = Observers {
            progress: Some(progress),
            ..self.observers
        };
        Dispatch { observers, ..self }
    }

    /// Sets a callback for each export (`exp`) with its data, called from any thread. Without it, an export stops the kernel.
    pub fn exports<'b>(self, exports: &'b (dyn Fn(&Exported) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let observers = Observers {
            exports: Some(exports),
            ..self.observers
        };
        Dispatch { observers, ..self }
    }

    /// Sets a callback for each message (`s_sendmsg`) of a wave, which continues afterwards. It is called from any thread.
    pub fn message<'b>(self, message: &'b (dyn Fn(Message) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let observers = Observers {
            message: Some(message),
            ..self.observers
        };
        Dispatch { observers, ..self }
    }

    /// Sets the receiver of the texts that the kernel prints (`printf` and `assert` of HIP), each as a whole, from any thread.
    /// Without it they go to the streams of this process.
    pub fn print<'b>(self, print: &'b (dyn Fn(Stream, &str) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let print = Some(print);
        Dispatch { print, ..self }
    }

    /// Answers the host calls of a kernel whose packet names their buffer.
    pub(crate) fn answered_by(mut self, calls: Arc<HostCalls>) -> Self {
        self.host_calls = Some(calls);
        self
    }

    /// Writes the launch to a file, with all memory that it can access, to be [repeated](crate::capture::Replay) elsewhere. The file is
    /// complete when the launch has ended, also by a fault. The kernel is run by one thread, and its accesses are recorded.
    ///
    /// Kernels of AMD's Catalyst, whose registers a driver fills, cannot be captured.
    pub fn capture(self, path: impl Into<PathBuf>) -> Self {
        self.capture_launch(path, 0)
    }

    /// Captures the launch as [`capture`](Self::capture) does, with its number in the program, of which the first is 1.
    pub fn capture_launch(mut self, path: impl Into<PathBuf>, number: u64) -> Self {
        self.capture = Some((path.into(), number));
        self
    }

    /// Records the memory that the kernel accesses. The kernel is run by one thread.
    pub fn accesses(self, to: &Accesses) -> Self {
        self.watch(to.watcher())
    }

    /// A flag that stops the run as if its time were up.
    pub fn cancel<'b>(self, cancel: &'b AtomicBool) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let observers = Observers {
            cancel: Some(cancel),
            ..self.observers
        };
        Dispatch { observers, ..self }
    }

    /// Sets whether the host reads all data that the kernel stores. By default it does, and with
    /// [`Tool::Init`](crate::Tool::Init) a store of undefined bits is a finding. Otherwise such stores are in the [`Report`], for
    /// callers that track the reads of the host.
    pub fn host_reads(mut self, all: bool) -> Self {
        self.observers.checks.host_reads = all;
        self
    }

    /// With [`Tool::Race`](crate::Tool::Race), passes the kernel's accesses to global memory to `kept` when it has ended: for
    /// callers that track concurrent accesses to that memory.
    pub fn footprint(mut self, kept: Kept) -> Self {
        self.observers.checks.footprint = Some(kept);
        self
    }

    /// Sets a callback that returns the host stacks of allocating and freeing the memory at an address. It is called for a
    /// finding about an access to or near such memory ([`Finding::host`](crate::check::Finding::host)).
    pub fn origins<'b>(self, origins: &'b dyn Fn(u64) -> Vec<Stack>) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let observers = Observers {
            origins: Some(origins),
            ..self.observers
        };
        Dispatch { observers, ..self }
    }

    /// Adds a watcher of the caller, which gets all accesses of waves. The kernel is run by one thread.
    pub fn watch(mut self, watcher: Box<dyn Watcher>) -> Self {
        self.observers.checks.watchers.push(watcher);
        self
    }

    /// Runs the kernel to its end.
    ///
    /// # Errors
    /// Before anything ran, arguments, a grid, a work-group, LDS, a cooperation or a trap handler that the kernel cannot have, as
    /// [`Error`](crate::Error) names them; after, [`Error::Fault`](crate::Error::Fault) and
    /// [`Error::Timeout`](crate::Error::Timeout); both before and after, [`Error::Capture`](crate::Error::Capture).
    pub fn run(mut self) -> Result<Report> {
        let grid = self.checked_grid()?;
        let mut plan = self.plan(grid)?;
        let engine = self.kernel.module.engine_for(self.observers.places());
        // Traces and hooks show registers that were not written, too.
        let shows = self.observers.trace.is_some() || self.observers.hooks.is_some();
        if u64::from(grid.waves()) * grid.count() >= MANY_WAVES && !shows {
            plan.launch.live_in = engine.live_in(&plan.launch);
        }
        if self.cooperative {
            self.prepare_cooperation(grid.count(), plan.resident_groups)?;
        }
        let capture = self.capture.as_ref();
        let recording = capture.map(|(path, number)| self.record(path, *number, &plan.launch));
        let recording = recording.transpose()?;
        let mut observers = std::mem::take(&mut self.observers);
        if let Some(recording) = &recording {
            let watcher = recording.accesses().watcher();
            observers.checks.watchers.push(watcher);
        }
        let host_calls = plan.host_calls.as_ref().or(self.host_calls.as_ref());
        let (print, send) = (self.print.unwrap_or(&print_here), observers.message);
        let message = |message: Message| {
            if let Some(calls) = host_calls {
                calls.message(message.code, print);
            }
            if let Some(send) = send {
                send(message);
            }
        };
        if host_calls.is_some() {
            observers.message = Some(&message);
        }
        let waves = ReadyWaves {
            module: &self.kernel.module,
            engine: &engine,
            function: self.kernel.name(),
            launch: &plan.launch,
            grid,
            starts: &plan.launch,
            given: given_by(&plan.launch),
            vgprs: plan.launch.vgprs as usize,
            resident_groups: plan.resident_groups,
            lds: &[],
            has_scratch: false,
            border_colors: self.border_colors,
            explain: &|group, wave, fault| self.explain_fault(group, wave, fault),
        };
        let result = waves.run(observers);
        if let Some(recording) = recording {
            recording.end(&result)?;
        }
        result
    }
}

/// Prints a text of a kernel to a stream of this process.
fn print_here(stream: Stream, text: &str) {
    // A stream that is closed takes nothing, as with C.
    let _ = match stream {
        Stream::Out => std::io::stdout().write_all(text.as_bytes()),
        Stream::Err => std::io::stderr().write_all(text.as_bytes()),
    };
}
