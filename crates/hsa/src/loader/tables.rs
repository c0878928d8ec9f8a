//! The tables of readers, code objects, executables and symbols.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use wavetank::Kernel;
use wavetank::object::CodeObject as Parsed;

use super::loaded::{Loaded, Source};
use super::symbol::{Defined, Symbol};
use crate::c_types::{Agent, CodeSymbol, ExecutableSymbol};
use crate::state::lock;

/// A reader: the source of the bytes, and the bytes themselves if they were read from a file.
pub(super) type Reader = (Source, Option<Arc<[u8]>>);

/// A code object with a handle, which is not loaded.
pub(super) struct Deserialized {
    pub bytes: Arc<[u8]>,
    pub parsed: Parsed,
    pub symbols: Vec<(CodeSymbol, Defined)>,
}

/// An executable: code objects that are loaded together.
pub(super) struct Program {
    pub frozen: bool,
    pub profile: u32,
    /// Variables that the program defines, by name. Code objects that are being loaded look them up in a copy.
    pub defined: Arc<HashMap<String, Vec<Variable>>>,
    pub loaded: Vec<Arc<Loaded>>,
    pub symbols: Vec<ExecutableSymbol>,
    /// The symbols by name; symbols of several code objects may share one.
    pub named: HashMap<String, Vec<ExecutableSymbol>>,
}

/// A variable that a program defines for the code objects of an executable, for an agent or for all of them.
#[derive(Clone)]
pub(super) struct Variable {
    pub agent: Option<Agent>,
    pub address: u64,
}

/// All objects that programs have handles of.
#[derive(Default)]
pub(super) struct Tables {
    pub readers: HashMap<u64, Reader>,
    /// Code objects with a handle.
    pub objects: HashMap<u64, Arc<Deserialized>>,
    pub executables: HashMap<u64, Program>,
    pub symbols: HashMap<u64, Arc<Symbol>>,
}

/// All tables, created at their first use.
static TABLES: Mutex<Option<Tables>> = Mutex::new(None);
/// The kernels of all loaded modules by the addresses of their descriptors.
static KERNELS: RwLock<Option<HashMap<u64, Kernel>>> = RwLock::new(None);

/// Uses the tables under their lock.
pub(super) fn with<T>(use_it: impl FnOnce(&mut Tables) -> T) -> T {
    use_it(lock(&TABLES).get_or_insert_default())
}

/// A handle that no other object has.
pub(super) fn handle() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x10_0000);
    NEXT.fetch_add(16, Ordering::Relaxed)
}

/// The kernel whose descriptor is at an address.
pub(crate) fn kernel_at(descriptor: u64) -> Option<Kernel> {
    let kernels = KERNELS.read().unwrap_or_else(PoisonError::into_inner);
    kernels.as_ref()?.get(&descriptor).cloned()
}

/// Whether a kernel descriptor is at an address.
pub(crate) fn is_loaded(descriptor: u64) -> bool {
    let kernels = KERNELS.read().unwrap_or_else(PoisonError::into_inner);
    kernels
        .as_ref()
        .is_some_and(|k| k.contains_key(&descriptor))
}

/// Changes the table of kernels.
pub(super) fn change_kernels(change: impl FnOnce(&mut HashMap<u64, Kernel>)) {
    let mut kernels = KERNELS.write().unwrap_or_else(PoisonError::into_inner);
    change(kernels.get_or_insert_default());
}
