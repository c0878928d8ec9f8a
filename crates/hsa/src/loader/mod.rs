//! Code objects: readers, executables, symbols.

mod calls;
mod extension;
mod symbol;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use wavetank::{Error, Kernel, Module};

use crate::abi::{Agent, Executable, ExecutableSymbol, LoadedCodeObject, Status};
use crate::agent::{self, Which};
use crate::call::Result;
use crate::log;
use crate::runtime::lock;

pub use extension::table as extension_table;
use symbol::Symbol;

/// Bytes of a code object that a program has shown.
#[derive(Clone, Copy)]
struct Source {
    address: usize,
    bytes: usize,
    /// The file it was read from, or −1.
    file: i32,
}

/// What a reader has: where the bytes are, and the bytes themselves if they were read from a file.
type Shown = (Source, Option<Arc<[u8]>>);

/// A code object in the memory of a GPU.
struct Loaded {
    handle: LoadedCodeObject,
    agent: Agent,
    module: Module,
    source: Source,
}

/// An executable: code objects that are loaded together.
struct Program {
    frozen: bool,
    profile: u32,
    /// Variables that the program defines, for an agent or for all of them.
    defined: Vec<Defined>,
    loaded: Vec<Arc<Loaded>>,
    symbols: Vec<ExecutableSymbol>,
}

/// A variable that a program defines for the code objects of an executable.
#[derive(Clone)]
struct Defined {
    name: String,
    agent: Option<Agent>,
    address: u64,
}

/// Everything that programs have handles of.
#[derive(Default)]
struct Tables {
    readers: HashMap<u64, Shown>,
    executables: HashMap<u64, Program>,
    symbols: HashMap<u64, Arc<Symbol>>,
}

static TABLES: Mutex<Option<Tables>> = Mutex::new(None);
/// The kernels of all loaded modules by the addresses of their descriptors.
static KERNELS: RwLock<Option<HashMap<u64, Kernel>>> = RwLock::new(None);

fn with<T>(use_it: impl FnOnce(&mut Tables) -> T) -> T {
    use_it(lock(&TABLES).get_or_insert_default())
}

/// A number that no other handle has.
fn handle() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x10_0000);
    NEXT.fetch_add(16, Ordering::Relaxed)
}

/// The kernel whose descriptor is at an address.
pub fn kernel_at(descriptor: u64) -> Option<Kernel> {
    let kernels = KERNELS.read().unwrap_or_else(PoisonError::into_inner);
    kernels.as_ref()?.get(&descriptor).cloned()
}

/// Whether there is a kernel at an address.
pub fn is_loaded(descriptor: u64) -> bool {
    let kernels = KERNELS.read().unwrap_or_else(PoisonError::into_inner);
    kernels
        .as_ref()
        .is_some_and(|k| k.contains_key(&descriptor))
}

fn change_kernels(change: impl FnOnce(&mut HashMap<u64, Kernel>)) {
    let mut kernels = KERNELS.write().unwrap_or_else(PoisonError::into_inner);
    change(kernels.get_or_insert_default());
}

/// Loads a code object into an executable.
fn load(
    executable: Executable,
    agent: Agent,
    source: Source,
    bytes: &[u8],
) -> Result<LoadedCodeObject> {
    let Which::Gpu(_, device) = agent::of(agent)? else {
        return Err(Status::ERROR_INVALID_AGENT);
    };
    let defined = match with(|t| {
        t.executables
            .get(&executable.0)
            .map(|p| (p.frozen, p.defined.clone()))
    }) {
        None => return Err(Status::ERROR_INVALID_EXECUTABLE),
        Some((true, _)) => return Err(Status::ERROR_FROZEN_EXECUTABLE),
        Some((false, defined)) => defined,
    };
    let external = |name: &str| {
        let of_agent = |d: &&Defined| d.name == name && d.agent.is_none_or(|a| a == agent);
        defined.iter().find(of_agent).map(|d| d.address)
    };
    let module = Module::load_with(device, bytes, &external).map_err(|error| refused(&error))?;
    let loaded = Arc::new(Loaded {
        handle: LoadedCodeObject(handle()),
        agent,
        module,
        source,
    });
    change_kernels(|kernels| {
        let all = loaded.module.kernels();
        kernels.extend(all.map(|kernel| (kernel.descriptor_address(), kernel)));
    });
    with(|t| {
        let program = t.executables.get_mut(&executable.0);
        let program = program.ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        for symbol in symbol::of(&loaded) {
            let symbol_handle = ExecutableSymbol(handle());
            t.symbols.insert(symbol_handle.0, Arc::new(symbol));
            program.symbols.push(symbol_handle);
        }
        program.loaded.push(loaded.clone());
        Ok(loaded.handle)
    })
}

/// The status for a code object that cannot be loaded, after saying why.
fn refused(error: &Error) -> Status {
    use wavetank::object::Error as Problem;
    log::line(&format!("a code object is refused: {error}"));
    match error {
        Error::Object(
            Problem::TargetMissing { .. }
            | Problem::UnknownChip { .. }
            | Problem::WrongMachine { .. },
        ) => Status::ERROR_INCOMPATIBLE_ARGUMENTS,
        Error::Object(Problem::UndefinedSymbol { .. }) => Status::ERROR_VARIABLE_UNDEFINED,
        Error::Object(_) => Status::ERROR_INVALID_CODE_OBJECT,
        Error::OutOfMemory { .. } => Status::ERROR_OUT_OF_RESOURCES,
        _ => Status::ERROR,
    }
}

/// Takes an executable away with all that it has loaded.
fn destroy(executable: Executable) -> Result {
    let program = with(|t| {
        let program = t.executables.remove(&executable.0)?;
        for symbol in &program.symbols {
            t.symbols.remove(&symbol.0);
        }
        Some(program)
    });
    let program = program.ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
    change_kernels(|kernels| {
        for kernel in program
            .loaded
            .iter()
            .flat_map(|loaded| loaded.module.kernels())
        {
            kernels.remove(&kernel.descriptor_address());
        }
    });
    Ok(())
}
