//! An emulated GPU.

use std::num::NonZero;
use std::sync::Arc;

use wavetank_gcn::Chip;
use wavetank_interp::Simd;
use wavetank_machine::gcn::aql;
use wavetank_machine::{GlobalSyncUnit, Schedule, WavePool};
use wavetank_memory::Registry;

use crate::backend::EngineChoice;
use crate::buffer::Buffer;
use crate::chips::ChipFacts;
use crate::environment::KernelSettings;
use crate::error::Result;
use crate::memory::{Allocation, Memory};
use crate::module::Module;
use crate::scratch_pool::ScratchPool;

/// An emulated GPU: a chip, its memory, and the threads that stand for its compute units.
///
/// Clones are the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub facts: &'static ChipFacts,
    pub threads: usize,
    pub simd: Simd,
    pub engine: EngineChoice,
    /// Whether perf gets the names of compiled code.
    pub perf: bool,
    pub schedule: Schedule,
    pub memory: Memory,
    /// The state of global synchronization between work-groups.
    pub sync: GlobalSyncUnit,
    /// The waves of dispatches that have ended.
    pub waves: WavePool,
    /// The scratch of their work-groups.
    pub scratch: ScratchPool,
    /// The queue that kernels can read.
    pub queue: Allocation,
    /// Whether accesses beyond the LDS are faults.
    pub strict: bool,
    /// The stack of a work-item of a kernel with a dynamic stack, in addition to the requested size, in bytes.
    pub stack: u32,
}

/// Settings of a device. See [`Device::builder`].
#[derive(Clone)]
pub struct DeviceBuilder {
    chip: Chip,
    product: Option<&'static ChipFacts>,
    threads: Option<usize>,
    simd: Option<Simd>,
    engine: Option<EngineChoice>,
    schedule: Option<Schedule>,
    memory: Option<Memory>,
    strict: Option<bool>,
    stack: Option<u32>,
}

impl Device {
    /// Returns a device with as many threads as the host has processors, or as the environment sets ([`KernelSettings`]).
    ///
    /// # Errors
    /// The errors of [`DeviceBuilder::build`].
    pub fn new(chip: Chip) -> Result<Device> {
        Device::builder(chip).build()
    }

    /// Returns settings for a device.
    ///
    /// ```
    /// use wavetank::{Chip, Device};
    /// let device = Device::builder(Chip::Gfx906).threads(1).build()?;
    /// assert_eq!((device.chip(), device.threads()), (Chip::Gfx906, 1));
    /// # Ok::<(), wavetank::Error>(())
    /// ```
    pub fn builder(chip: Chip) -> DeviceBuilder {
        DeviceBuilder {
            chip,
            product: None,
            threads: None,
            simd: None,
            engine: None,
            schedule: None,
            memory: None,
            strict: None,
            stack: None,
        }
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.inner.facts.chip
    }

    /// The properties of the chip that programs can query.
    pub fn facts(&self) -> &'static ChipFacts {
        self.inner.facts
    }

    /// The number of compute units of the chip; with the resources of a kernel it determines how many work-groups are
    /// resident at once.
    pub fn compute_units(&self) -> u32 {
        self.inner.facts.compute_units
    }

    /// The number of threads that run work-groups.
    pub fn threads(&self) -> usize {
        self.inner.threads
    }

    /// Returns the schedule of a work-group's waves, with the seed of random time slices.
    pub fn schedule(&self) -> Schedule {
        self.inner.schedule
    }

    /// The allocations that kernels of this device can reach, for callers that manage memory themselves.
    pub fn registry(&self) -> &Registry {
        self.inner.memory.registry()
    }

    /// Loads a code object, or the one for this chip from an offload bundle or a host program.
    ///
    /// # Errors
    /// [`Error::Object`](crate::Error::Object) for bytes that are not a code object, or have no code for this chip.
    pub fn load(&self, bytes: &[u8]) -> Result<Module> {
        Module::load(self, bytes)
    }

    /// Loads a code object with shaders, for [`Shader`](crate::stage::Shader): of drivers for graphics (PAL, Mesa), or any other
    /// that is not a bundle.
    ///
    /// # Errors
    /// [`Error::Object`](crate::Error::Object) for bytes that are not a code object, or have no code for this chip.
    pub fn load_shaders(&self, bytes: &[u8]) -> Result<Module> {
        Module::load_shaders(self, bytes)
    }

    /// Loads plain code, as `wavetank asm --raw -o` writes it: it has the function `main`, for [`Shader`](crate::stage::Shader), and no
    /// kernels.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn load_code(&self, code: &[u8]) -> Result<Module> {
        Module::load_code(self, code)
    }

    /// Allocates a buffer of `bytes` bytes, all zero.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn buffer_zeroed(&self, bytes: u64) -> Result<Buffer> {
        Buffer::zeroed(self, bytes)
    }

    /// Allocates a buffer with a copy of a slice.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// ```
    /// use wavetank::{Chip, Device};
    /// let device = Device::new(Chip::Gfx900)?;
    /// let buffer = device.buffer_from(&[1u32, 2, 3])?;
    /// buffer.write_at(4, &[7u32])?;
    /// assert_eq!(buffer.read::<u32>()?, [1, 7, 3]);
    /// assert!(buffer.write_at(8, &[1u64]).is_err());
    /// # Ok::<(), wavetank::Error>(())
    /// ```
    pub fn buffer_from<T: bytemuck::NoUninit>(&self, data: &[T]) -> Result<Buffer> {
        let buffer = Buffer::zeroed(self, std::mem::size_of_val(data) as u64)?;
        buffer.write_at(0, data)?;
        Ok(buffer)
    }
}

impl DeviceBuilder {
    /// Sets the product, and its chip with it, for programs that query the properties of one that is not the chip's best known.
    ///
    /// ```
    /// use wavetank::{Chip, ChipFacts, Device};
    /// let mi210 = ChipFacts::named("MI210")?;
    /// let device = Device::builder(mi210.chip).product(mi210).build()?;
    /// assert_eq!((device.chip(), device.compute_units()), (Chip::Gfx90a, 104));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn product(mut self, product: &'static ChipFacts) -> Self {
        self.product = Some(product);
        self
    }

    /// Sets the number of threads that run work-groups, at least 1. With 1, runs repeat bit for bit. The default is the
    /// environment variable `WAVETANK_THREADS` (1 to 1024), or else the number of the host's processors.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Sets the maximum level of the host's vector instructions for kernels; a level that the host lacks is not used. All levels
    /// compute the same bits. The default is the environment variable `WAVETANK_SIMD` (`avx512`, `avx2`, `baseline`), or else the
    /// host's level.
    pub fn simd(mut self, simd: Simd) -> Self {
        self.simd = Some(simd);
        self
    }

    /// Sets the engine of kernels; all engines compute the same bits. The default is the environment variable `WAVETANK_ENGINE`
    /// (`auto`, `jit`, `interpreter`), or else [`EngineChoice::Auto`].
    pub fn engine(mut self, engine: EngineChoice) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Sets the schedule of a work-group's waves. The default is the environment variable `WAVETANK_SCHEDULE` (`fair`, `greedy`,
    /// `random`, `random:SEED`), or else [`Schedule::Fair`].
    ///
    /// ```
    /// use wavetank::{Chip, Device, Schedule};
    /// let device = Device::builder(Chip::Gfx900).schedule("random:7".parse()?).build()?;
    /// assert_eq!(device.schedule(), Schedule::Random(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Takes the settings that there are: those that a program reads from a text of its own.
    pub fn settings(mut self, settings: KernelSettings) -> Self {
        self.threads = settings.threads.or(self.threads);
        self.simd = settings.simd.or(self.simd);
        self.engine = settings.engine.or(self.engine);
        self.schedule = settings.schedule.or(self.schedule);
        self.strict = settings.strict.or(self.strict);
        self.stack = settings.stack.or(self.stack);
        self
    }

    /// Shares the memory of another device: each can access the allocations of the other.
    pub fn memory_of(mut self, other: &Device) -> Self {
        self.memory = Some(other.inner.memory.clone());
        self
    }

    /// Takes memory that has allocations already.
    pub(crate) fn memory(mut self, memory: Memory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Whether an access beyond the LDS of a kernel is a fault, and so is a load past the end of an allocation
    /// [in blocks](crate::Registry::allocate_block). Otherwise they have a result as on a chip, and the
    /// [`Report`](crate::Report) lists them. Without this the environment variable `WAVETANK_STRICT` rules (`0`, `1`).
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = Some(strict);
        self
    }

    /// Sets the additional stack of a work-item in bytes, for kernels whose stack size the compiler could not determine (they
    /// call functions by pointers, or recursively). The default is the environment variable `WAVETANK_STACK`.
    pub fn stack(mut self, bytes: u32) -> Self {
        self.stack = Some(bytes);
        self
    }

    /// Makes the device.
    ///
    /// # Errors
    /// [`Error::Chip`](crate::Error::Chip) for a chip that is not executed, and [`Error::Setting`](crate::Error::Setting) for a wrong
    /// value of a variable that [`KernelSettings`] has.
    pub fn build(self) -> Result<Device> {
        let DeviceBuilder {
            chip,
            product,
            threads,
            simd,
            engine,
            schedule,
            memory,
            strict,
            stack,
        } = self;
        let facts = product.map_or_else(|| ChipFacts::executed(chip), Ok);
        let facts = facts.map_err(crate::Error::Chip)?;
        let settings = KernelSettings::from_env()?;
        let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let simd = simd.or(settings.simd);
        let memory = memory.unwrap_or_default();
        let queue = memory.allocate("the queue", aql::QUEUE_SIZE as u64, 64)?;
        queue.write(0, &aql::queue());
        let inner = Inner {
            facts,
            threads: threads.or(settings.threads).unwrap_or_else(processors),
            simd: simd.map_or_else(Simd::detect, Simd::or_best),
            engine: engine.or(settings.engine).unwrap_or_default(),
            perf: settings.perf.unwrap_or(false),
            schedule: schedule.or(settings.schedule).unwrap_or_default(),
            memory,
            sync: GlobalSyncUnit::default(),
            waves: WavePool::default(),
            scratch: ScratchPool::default(),
            queue,
            strict: strict.or(settings.strict).unwrap_or(false),
            stack: stack.or(settings.stack).unwrap_or(0),
        };
        Ok(Device {
            inner: Arc::new(inner),
        })
    }
}
