//! One run of a kernel: arguments checked, memory laid out, work-groups scheduled.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use wavetank_ir::GlobalSync;
use wavetank_machine::gcn::{Launch, Occupancy, SCRATCH_GRANULE, UserData, aql};
use wavetank_machine::schedule::{self, Failure, Message, Options};
use wavetank_machine::{Exported, Fault, Grid, Group, SyncRequest};
use wavetank_memory::MemoryFaultReason;

use crate::MAX_LDS;
use crate::arg::{self, Arg};
use crate::error::{Error, KernelFault, Result, Timeout, nearness};
use crate::hidden::Hidden;
use crate::kernel::Kernel;
use crate::memory::Allocation;
use crate::overrun::Overruns;
use crate::report::{InstructionCounts, Report};
use crate::trace::{Step, Trace};
use crate::worker::{Common, Unit};

/// Stack that a work-item gets beyond what its kernel says, where calls make the depth unknown, in bytes.
///
/// The compiler already reserves 16 KiB for calls that it cannot see through; recursion may need more.
const DYNAMIC_STACK: u32 = 16 << 10;

/// The size of a grid or work-group in one to three dimensions, in work-items.
///
/// ```
/// use wavetank::Dims;
/// assert_eq!(Dims::from(64), Dims::from([64]));
/// assert_eq!(Dims::from([16, 8]).size(), [16, 8, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dims {
    size: [u32; 3],
    dimensions: u16,
}

impl Dims {
    /// The size in each dimension; 1 in those that were not given.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// The dimensions that were given, 1 to 3.
    pub fn dimensions(&self) -> u16 {
        self.dimensions
    }
}

impl From<u32> for Dims {
    fn from(x: u32) -> Dims {
        [x].into()
    }
}

impl From<[u32; 1]> for Dims {
    fn from([x]: [u32; 1]) -> Dims {
        Dims {
            size: [x, 1, 1],
            dimensions: 1,
        }
    }
}

impl From<[u32; 2]> for Dims {
    fn from([x, y]: [u32; 2]) -> Dims {
        Dims {
            size: [x, y, 1],
            dimensions: 2,
        }
    }
}

impl From<[u32; 3]> for Dims {
    fn from(size: [u32; 3]) -> Dims {
        Dims {
            size,
            dimensions: 3,
        }
    }
}

/// What a kernel dispatch packet of a queue says beside grid and block (HSA specification, 2.9.6): addresses that the
/// kernel gets as they are, and sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Address of a copy of the packet that stays as it is while the kernel runs.
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

/// One run of a kernel, set up step by step. See [`Kernel::dispatch`].
#[must_use = "a dispatch does nothing until `run` is called"]
pub struct Dispatch<'a> {
    kernel: Kernel,
    grid: Dims,
    block: Dims,
    args: Vec<Arg>,
    dynamic_lds: u32,
    cooperative: bool,
    packet: Option<Packet>,
    timeout: Option<Duration>,
    count: bool,
    progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    exports: Option<&'a (dyn Fn(&Exported) + Sync)>,
    message: Option<&'a (dyn Fn(Message) + Sync)>,
    cancel: Option<&'a AtomicBool>,
    trace: Option<Trace<'a>>,
}

impl<'a> Dispatch<'a> {
    pub(crate) fn new(kernel: Kernel) -> Self {
        Dispatch {
            kernel,
            grid: 1.into(),
            block: 1.into(),
            args: Vec::new(),
            dynamic_lds: 0,
            cooperative: false,
            packet: None,
            timeout: None,
            count: false,
            progress: None,
            exports: None,
            message: None,
            cancel: None,
            trace: None,
        }
    }

    /// The grid in work-items, as HSA counts; the last work-groups may be partial. At first 1.
    pub fn grid(mut self, grid: impl Into<Dims>) -> Self {
        self.grid = grid.into();
        self
    }

    /// The work-group in work-items. At first 1.
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

    /// Bytes of LDS beyond the kernel's own (`extern __shared__` of HIP). LDS pointers of OpenCL take [`Arg::Lds`].
    pub fn dynamic_lds(mut self, bytes: u32) -> Self {
        self.dynamic_lds = bytes;
        self
    }

    /// Whether every work-group meets every other (HIP's cooperative launch, `this_grid().sync()`).
    ///
    /// The grid then must fit on the chip at once, and global wave synchronization resource 0 is made ready for a barrier
    /// of one wave a work-group, as ROCm's runtime does before such a launch.
    pub fn cooperative(mut self, cooperative: bool) -> Self {
        self.cooperative = cooperative;
        self
    }

    /// Takes arguments, sizes and addresses from a packet: the kernel is run as a queue of HSA would, and nothing is
    /// checked against the metadata of the code object.
    pub fn packet(mut self, packet: Packet) -> Self {
        self.packet = Some(packet);
        self
    }

    /// Gives up after this time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Whether to count instructions, which costs a little.
    pub fn count(mut self, count: bool) -> Self {
        self.count = count;
        self
    }

    /// Called whenever a work-group has ended, and now and then while one runs for long, with the number of those that
    /// have ended, and of all; from any thread.
    pub fn progress<'b>(self, progress: &'b (dyn Fn(u64, u64) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        Dispatch {
            progress: Some(progress),
            ..self
        }
    }

    /// Called for each export (`exp`) with its data; from any thread. Without it an export stops the kernel.
    pub fn exports<'b>(self, exports: &'b (dyn Fn(&Exported) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        Dispatch {
            exports: Some(exports),
            ..self
        }
    }

    /// Called for each message (`s_sendmsg`) of a wave, which goes on afterwards; from any thread.
    pub fn message<'b>(self, message: &'b (dyn Fn(Message) + Sync)) -> Dispatch<'b>
    where
        'a: 'b,
    {
        Dispatch {
            message: Some(message),
            ..self
        }
    }

    /// A flag that somebody else sets to stop the run as if its time were up.
    pub fn cancel<'b>(self, cancel: &'b AtomicBool) -> Dispatch<'b>
    where
        'a: 'b,
    {
        Dispatch {
            cancel: Some(cancel),
            ..self
        }
    }

    /// Watches the waves that `filter` chooses by work-group and wave: `sink` gets every instruction that they have executed.
    pub fn trace<'b>(
        self,
        filter: &'b (dyn Fn(&Group, u32) -> bool + Sync),
        sink: &'b (dyn Fn(Step) + Sync),
    ) -> Dispatch<'b>
    where
        'a: 'b,
    {
        let trace = Some(Trace { filter, sink });
        Dispatch { trace, ..self }
    }

    /// Runs the kernel to its end.
    ///
    /// # Errors
    /// [`Error::Arguments`], [`Error::Grid`], [`Error::GroupSize`], [`Error::Lds`] and [`Error::Cooperative`] before anything ran;
    /// [`Error::Fault`] and [`Error::Timeout`] after.
    pub fn run(self) -> Result<Report> {
        let grid = self.checked_grid()?;
        let plan = self.plan(grid)?;
        let device = self.kernel.module.device();
        if self.cooperative {
            self.prepare_cooperation(grid.count(), plan.resident_groups)?;
        }
        let start = Instant::now();
        let options = Options {
            threads: device.threads(),
            resident_groups: plan.resident_groups,
            schedule: device.schedule().of_dispatch(plan.launch.user.dispatch_id),
            sync: Some(&device.inner.sync),
            deadline: self.timeout.and_then(|t| start.checked_add(t)),
            cancel: self.cancel,
            progress: self.progress,
            exports: self.exports,
            message: self.message,
        };
        let engine = self.kernel.module.engine();
        let overruns = Overruns::default();
        let common = Common {
            memory: &device.inner.memory,
            module: &self.kernel.module,
            engine: &engine,
            launch: &plan.launch,
            waves: grid.waves(),
            count: self.count,
            trace: self.trace,
            strict: device.inner.strict,
            overruns: &overruns,
        };
        let unit = |_| Unit::new(&common);
        let counts = schedule::run(&grid, &plan.launch, &options, unit);
        let wall = start.elapsed();
        let counts = counts.map_err(|failure| self.explain(failure, &grid))?;
        Ok(Report {
            groups: counts.groups,
            waves: counts.waves,
            threads: device.threads(),
            messages: counts.messages,
            instructions: self.count.then(|| InstructionCounts::new(&counts)),
            lds_overruns: overruns.tell(&self.kernel),
            wall,
        })
    }

    fn checked_grid(&self) -> Result<Grid> {
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

    /// Checks the arguments and lays out what the kernel reads before its own memory.
    fn plan(&self, grid: Grid) -> Result<Plan> {
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
        let params = self.kernel.args();
        // The descriptor rules; a missing note (no metadata) leaves 0 there.
        let fixed_lds = info.descriptor.group_segment_fixed_size;
        let explicit = arg::lay_out(&self.args, &params, info.kernarg_segment_size, fixed_lds);
        let mut explicit = explicit.map_err(|problem| Error::Arguments {
            kernel: self.kernel.name().to_owned(),
            problem,
            signature: self.kernel.signature(),
        })?;
        let lds = explicit.lds_bytes + u64::from(self.dynamic_lds);
        // What does not fit 32 bits is far too much, too.
        let lds = u32::try_from(lds).unwrap_or(u32::MAX);
        let hidden = Hidden {
            grid,
            dimensions: self.dimensions(),
            dynamic_lds: lds - fixed_lds.min(lds),
            queue: inner.queue.address(),
        };
        hidden.fill(info.hidden_args(), &mut explicit.block);

        let align = u64::from(info.kernarg_segment_align).max(64);
        // Compilers may load whole aligned spans of up to 16 dwords that only begin with arguments.
        let kernarg_len = (explicit.block.len().max(1) as u64).next_multiple_of(64);
        let kernarg = inner
            .memory
            .allocate("the kernel arguments", kernarg_len, align)?;
        kernarg.write(0, &explicit.block);
        let memory = inner
            .memory
            .allocate("the dispatch packet", aql::PACKET_SIZE as u64, 64)?;
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
        self.launch(grid, packet, vec![kernarg, memory])
    }

    /// Scratch of a work-item, with room for calls where their depth is not known.
    fn private_segment_size(&self) -> u32 {
        let stack = match self.has_dynamic_stack() {
            true => DYNAMIC_STACK.saturating_add(self.more_stack()),
            false => 0,
        };
        let fixed = self.kernel.info().descriptor.private_segment_fixed_size;
        fixed.saturating_add(stack)
    }

    /// Stack that the device's user gives each work-item.
    fn more_stack(&self) -> u32 {
        match self.has_dynamic_stack() {
            true => self.kernel.module.device().inner.stack,
            false => 0,
        }
    }

    /// Whether the compiler could not tell how much stack the kernel needs.
    fn has_dynamic_stack(&self) -> bool {
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
        if lds > MAX_LDS {
            return Err(Error::Lds {
                kernel: self.kernel.name().to_owned(),
                bytes: lds.into(),
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
        let generation = inner.facts.chip.generation();
        let launch = Launch {
            generation,
            entry: module.address_of(info.entry),
            rsrc1: descriptor.rsrc1.bits,
            rsrc2: descriptor.rsrc2.bits,
            vgprs: descriptor.vgpr_count,
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
            },
        };
        let occupancy = Occupancy {
            generation,
            vgprs: launch.vgprs,
            sgprs: launch.sgprs,
            lds_bytes: lds,
            waves_per_group: grid.waves(),
        };
        Ok(Plan {
            launch,
            resident_groups: occupancy.groups_per_unit() * inner.facts.compute_units,
            _memory: memory,
        })
    }

    /// Refuses more work-groups than can meet, and sets up the barrier of those that can.
    fn prepare_cooperation(&self, groups: u64, resident: u32) -> Result<()> {
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

    fn explain(&self, failure: Failure, grid: &Grid) -> Error {
        match failure {
            Failure::Fault { group, wave, fault } => {
                Error::Fault(Box::new(self.explain_fault(group, wave, fault)))
            }
            Failure::Timeout { done, waves } => Error::Timeout(Box::new(Timeout {
                kernel: self.kernel.name().to_owned(),
                groups_done: done,
                groups: grid.count(),
                waves: waves
                    .into_iter()
                    .map(|wave| (wave, self.kernel.module.place(wave.pc)))
                    .collect(),
                schedule: self.kernel.module.device().schedule(),
            })),
        }
    }

    fn explain_fault(&self, group: Group, wave: u32, fault: Fault) -> KernelFault {
        let module = &self.kernel.module;
        let (mut calls, mut hint) = (Vec::new(), None);
        let (pc, nearest) = match &fault {
            Fault::Unsupported { pc, .. } | Fault::Trap { pc, .. } => (*pc, None),
            Fault::Memory(memory) => {
                // The place of a call is before that to which it returns.
                calls = memory.calls.iter().map(|to| module.place(to - 4)).collect();
                hint = self.hint(memory.reason);
                let nearest = memory.nearest.as_ref().map(|(name, start, len)| {
                    let name = self.argument_at(*start).unwrap_or_else(|| name.clone());
                    nearness(&name, *start, *len, memory.address)
                });
                (memory.pc, nearest)
            }
        };
        KernelFault {
            kernel: self.kernel.name().to_owned(),
            place: module.place(pc),
            group,
            wave,
            fault,
            nearest,
            calls,
            hint,
            schedule: self.kernel.module.device().schedule(),
        }
    }

    /// What can be done about a refused access.
    fn hint(&self, reason: MemoryFaultReason) -> Option<&'static str> {
        match reason {
            MemoryFaultReason::StackOverflow { .. } if self.has_dynamic_stack() => Some(
                "`launch --stack BYTES`, `run --stack BYTES` or WAVETANK_STACK gives each work-item so many bytes more",
            ),
            MemoryFaultReason::StackOverflow { .. } => Some(
                "the compiler knew how much stack this kernel needs, so an index into a private array is out of range",
            ),
            MemoryFaultReason::OutsideLds { .. } => Some(
                "without --strict and WAVETANK_STRICT=1 it would read 0 or be dropped, as on a chip",
            ),
            _ => None,
        }
    }

    /// The argument whose buffer starts at an address.
    fn argument_at(&self, start: u64) -> Option<String> {
        let params = self.kernel.args();
        let mut pairs = self.args.iter().zip(params).enumerate();
        pairs.find_map(|(n, (arg, param))| match arg {
            Arg::Buffer(buffer) if buffer.address() == start => Some(format!(
                "the buffer of argument {n} `{}`",
                arg::describe(n, param)
            )),
            _ => None,
        })
    }
}

/// A dispatch laid out in memory.
struct Plan {
    launch: Launch,
    resident_groups: u32,
    /// Arguments and packet, where the dispatch made them.
    _memory: Vec<Allocation>,
}
