//! Code objects in device memory.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use wavetank_check::code::Root;
use wavetank_check::{Findings, Place, Tools, check_root};
use wavetank_gcn::Inst;
use wavetank_machine::{Fault, Group};
use wavetank_object::{CodeObject, Image, Lines, Source, Target};
use wavetank_quote::{function, readable};

use crate::code::ModuleCode;
use crate::device::Device;
use crate::engine::Engine;
use crate::error::{Error, KernelFault, Result, nearness};
use crate::hooks::Places;
use crate::kernel::Kernel;
use crate::memory::Loaded;

/// The number of sets of hooks whose translations a module keeps.
const MOST_HOOKED: usize = 8;

/// A code object that has been loaded on a device. Clones are the same module.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Inner>,
}

struct Inner {
    device: Device,
    object: CodeObject,
    /// Kernels whose code has been checked.
    checked: Mutex<HashSet<String>>,
    /// The lines of source, read at first use.
    lines: OnceLock<Option<Lines>>,
    /// The translations of the code; replaced when the host has written over the code.
    engine: RwLock<Arc<Engine>>,
    /// The translations for hooks of recent launches.
    hooked: Mutex<VecDeque<Arc<Engine>>>,
    /// Keeps code and globals in device memory.
    memory: Loaded,
}

impl Module {
    /// Loads a code object, or the one for the device's chip from an offload bundle or a host program.
    ///
    /// # Errors
    /// [`Error::Object`] for bytes that are not a code object or have no code for the chip, [`Error::OutOfMemory`].
    pub fn load(device: &Device, bytes: &[u8]) -> Result<Module> {
        Module::load_with(device, bytes, &|_| None)
    }

    /// Loads a code object as [`load`](Self::load) does, with the device addresses of variables that it leaves undefined.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub fn load_with(
        device: &Device,
        bytes: &[u8],
        externals: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Module> {
        let object = wavetank_object::open(bytes, Some(device.chip().name()))?;
        Module::of(device, object, externals)
    }

    /// Loads plain code, as `wavetank asm --raw -o` writes it: it has the function `main`, and no kernels.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn load_code(device: &Device, code: &[u8]) -> Result<Module> {
        let target = device.chip().name().parse()?;
        Module::of(device, CodeObject::of_code(code, target)?, &|_| None)
    }

    /// Loads a code object with shaders: of drivers for graphics (PAL, Mesa), or any other that is not a bundle.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub fn load_shaders(device: &Device, bytes: &[u8]) -> Result<Module> {
        let object = CodeObject::parse_shaders(bytes)?;
        let wanted: Target = device.chip().name().parse()?;
        if !object.target().serves(&wanted) {
            Err(wavetank_object::Error::TargetMissing {
                wanted: wanted.to_string(),
                present: vec![object.target().to_string()],
            })?;
        }
        Module::of(device, object, &|_| None)
    }

    fn of(
        device: &Device,
        object: CodeObject,
        externals: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Module> {
        let loaded = Loaded::new(&device.inner.memory, &object, externals)?;
        Ok(Module::with(device, object, loaded))
    }

    /// Makes a module of a code object that is in device memory already, from this address on.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub(crate) fn adopt(device: &Device, bytes: &[u8], address: u64) -> Result<Module> {
        let object = wavetank_object::open(bytes, Some(device.chip().name()))?;
        let loaded = Loaded::adopt(&device.inner.memory, &object, address)?;
        Ok(Module::with(device, object, loaded))
    }

    fn with(device: &Device, object: CodeObject, (memory, image): (Loaded, Image)) -> Module {
        let registry = device.inner.memory.shared_registry();
        let code = ModuleCode::new(device.chip(), &object, &image, registry);
        let names = device.inner.perf.then(|| names(&object, &memory));
        let engine = Engine::new(code, device.inner.simd, device.inner.engine, names);
        let inner = Inner {
            device: device.clone(),
            object,
            checked: Mutex::default(),
            lines: OnceLock::new(),
            engine: RwLock::new(Arc::new(engine)),
            hooked: Mutex::default(),
            memory,
        };
        Module {
            inner: Arc::new(inner),
        }
    }

    /// The device it is on.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// The code object.
    pub fn object(&self) -> &CodeObject {
        &self.inner.object
    }

    /// Returns the translations of the code in device memory. Kernels cannot write it, but the host can, as debuggers and
    /// patching runtimes do: the next launch uses the new code. A running launch keeps the code that it has decoded.
    pub(crate) fn engine(&self) -> Arc<Engine> {
        let known = self.known();
        if known.code().is_current() {
            return known;
        }
        let engine = self.inner.engine.write();
        let mut engine = engine.unwrap_or_else(PoisonError::into_inner);
        if !engine.code().is_current() {
            *engine = Arc::new(engine.of_code(engine.code().anew()));
        }
        engine.clone()
    }

    /// Returns the translations for a launch whose hooks are called at some places.
    pub(crate) fn engine_for(&self, places: &[Places]) -> Arc<Engine> {
        let engine = self.engine();
        if places.is_empty() {
            return engine;
        }
        let hooked = self.inner.hooked.lock();
        let mut hooked = hooked.unwrap_or_else(PoisonError::into_inner);
        hooked.retain(|known| known.is_on_code_of(&engine));
        if let Some(known) = hooked.iter().find(|known| known.hooked() == places) {
            return known.clone();
        }
        let new = Arc::new(engine.with_hooks(places));
        hooked.push_back(new.clone());
        if hooked.len() > MOST_HOOKED {
            hooked.pop_front();
        }
        new
    }

    /// The translations that the last launch used.
    fn known(&self) -> Arc<Engine> {
        let engine = self.inner.engine.read();
        engine.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The instructions that have run since this was last called, by device address: each place in the code once, however
    /// often it ran. They are those of all basic blocks that waves have entered, also in launches that failed.
    pub fn newly_run(&self) -> BTreeMap<u64, Inst> {
        self.known().newly_run()
    }

    /// The kernels, in the order of the code object.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> {
        let kernels = 0..self.object().kernels().len();
        kernels.map(|index| Kernel {
            module: self.clone(),
            index,
        })
    }

    /// Returns the kernel of a name: as in the code object, or as in a source of C++, with its parameters, or without them if no
    /// other kernel has the name.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], which lists the kernels of the module.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        if let Some(index) = self.object().kernel_index(name) {
            return Ok(Kernel {
                module: self.clone(),
                index,
            });
        }
        for shown in [readable, function] {
            let mut called = self.kernels().filter(|kernel| shown(kernel.name()) == name);
            if let (Some(kernel), None) = (called.next(), called.next()) {
                return Ok(kernel);
            }
        }
        let all = self.object().kernels().iter().map(|k| k.name.as_str());
        let (kernels, similar) = wavetank_quote::similar(name, all);
        Err(Error::UnknownKernel {
            name: name.to_owned(),
            similar,
            kernels: kernels.into_iter().map(str::to_owned).collect(),
        })
    }

    /// The device address of the first byte of the code object.
    pub(crate) fn address(&self) -> u64 {
        self.inner.memory.address()
    }

    /// Device address of a virtual address of the code object.
    pub fn address_of(&self, virtual_address: u64) -> u64 {
        self.inner.memory.address_of(virtual_address)
    }

    /// Device address and size in bytes of a global variable, or of any other symbol.
    pub fn symbol(&self, name: &str) -> Option<(u64, u64)> {
        let symbol = self.object().symbol(name)?;
        Some((self.address_of(symbol.address), symbol.size))
    }

    /// Returns the place at a device address: function, distance, instruction, line.
    pub fn place(&self, pc: u64) -> Place {
        let virtual_address = self.inner.memory.virtual_address_of(pc);
        let symbol = virtual_address.and_then(|va| self.object().symbol_at(va));
        Place {
            pc,
            symbol: symbol.map(|(symbol, offset)| (symbol.name.clone(), offset)),
            instruction: self.known().code().text(pc),
            source: virtual_address.map_or_else(Source::default, |va| self.source(va)),
        }
    }

    /// Describes a fault of a wave that started at a function, by its place and the memory there.
    pub(crate) fn explain(
        &self,
        function: &str,
        group: Group,
        wave: u32,
        fault: Fault,
    ) -> KernelFault {
        let nearest = match &fault {
            Fault::Memory(memory) => {
                let near = memory.nearest.as_ref();
                near.map(|(name, start, len)| nearness(name, *start, *len, memory.address))
            }
            Fault::Unsupported { .. } | Fault::Trap { .. } => None,
        };
        KernelFault {
            kernel: function.to_owned(),
            place: self.place(fault.pc()),
            group,
            wave,
            nearest,
            fault,
            calls: Vec::new(),
            hint: None,
            schedule: self.device().schedule(),
            findings: Vec::new(),
        }
    }

    /// Adds the findings of the static tools among `tools` in the code of a kernel, the first time that it is requested. Returns
    /// whether the code was read.
    pub(crate) fn read(&self, kernel: &str, tools: Tools, findings: &mut Findings) -> bool {
        let tools = tools.and(Tools::STATIC);
        let checked = || {
            self.inner
                .checked
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if tools.is_empty() || !checked().insert(kernel.to_owned()) {
            return false;
        }
        let Some(root) = Root::of(self.object(), kernel) else {
            return false;
        };
        let mut found = Findings::default();
        check_root(self.object(), &root, tools, &mut found);
        for finding in found.iter() {
            findings.add(finding.moved(|pc| self.place(self.address_of(pc))));
        }
        true
    }

    /// Returns the virtual address in the code object for a device address; for an address outside this module, the address
    /// itself.
    pub(crate) fn address_at_rest(&self, pc: u64) -> u64 {
        self.inner.memory.virtual_address_of(pc).unwrap_or(pc)
    }

    /// Returns the line of source of the instruction at a virtual address.
    fn source(&self, virtual_address: u64) -> Source {
        let lines = self.inner.lines.get_or_init(|| Lines::of(self.object()));
        let lines = lines.as_ref();
        lines.map_or_else(Source::default, |lines| lines.at(virtual_address))
    }
}

/// Returns the names of device addresses: a function, and the offset from its start.
fn names(object: &CodeObject, memory: &Loaded) -> wavetank_jit::Names {
    let of =
        |symbol: &wavetank_object::Symbol| (memory.address_of(symbol.address), symbol.name.clone());
    let mut starts: Vec<(u64, String)> = object.symbols().iter().map(of).collect();
    starts.sort();
    Arc::new(move |pc| {
        let next = starts.partition_point(|(start, _)| *start <= pc);
        match starts[..next].last() {
            Some((start, name)) => format!("{name}+{:#x}", pc - start),
            None => format!("{pc:#x}"),
        }
    })
}
