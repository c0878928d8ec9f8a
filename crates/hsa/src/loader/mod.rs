//! Code objects: readers, executables, symbols.

mod calls;
mod code_object;
mod extension;
mod symbol;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use wavetank::{Error, Kernel, Module};
use wavetank_quote::some_of;

use crate::abi::{Agent, Executable, ExecutableSymbol, LoadedCodeObject, Result, Status};
use crate::agent::{self, Which};
use crate::log;
use crate::state::lock;

use code_object::Deserialized;
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
    /// Variables that the program defines, by name. Code objects that are being loaded look them up in a copy.
    defined: Arc<HashMap<String, Vec<Defined>>>,
    loaded: Vec<Arc<Loaded>>,
    symbols: Vec<ExecutableSymbol>,
    /// The same by name: those of several code objects may share one.
    named: HashMap<String, Vec<ExecutableSymbol>>,
}

/// A variable that a program defines for the code objects of an executable, for an agent or for all of them.
#[derive(Clone)]
struct Defined {
    agent: Option<Agent>,
    address: u64,
}

/// Everything that programs have handles of.
#[derive(Default)]
struct Tables {
    readers: HashMap<u64, Shown>,
    /// Code objects that have a handle of their own.
    objects: HashMap<u64, Arc<Deserialized>>,
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
        let of_agent = |d: &&Defined| d.agent.is_none_or(|a| a == agent);
        Some(defined.get(name)?.iter().find(of_agent)?.address)
    };
    let module = Module::load_with(device, bytes, &external);
    let module = module.map_err(|error| refused(&error, bytes))?;
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
        for symbol in symbol::of_loaded(&loaded) {
            let symbol_handle = ExecutableSymbol(handle());
            let named = program.named.entry(symbol.defined.name.clone());
            named.or_default().push(symbol_handle);
            t.symbols.insert(symbol_handle.0, Arc::new(symbol));
            program.symbols.push(symbol_handle);
        }
        program.loaded.push(loaded.clone());
        Ok(loaded.handle)
    })
}

/// The status for a code object that cannot be loaded, after saying why and what will be missing: libraries have been seen
/// to go on without their kernels, and to return what was in memory before.
fn refused(error: &Error, bytes: &[u8]) -> Status {
    use wavetank::object::Error as Problem;
    let names = wavetank::object::kernel_names(bytes);
    let missing = match names.len() {
        0 => "its kernels".to_owned(),
        1 => format!("its kernel {}", some_of(&names)),
        count => format!("its {count} kernels ({})", some_of(&names)),
    };
    log::line(&format!(
        "a code object is refused: {error}; the program will miss {missing}, and libraries may go on without"
    ));
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
