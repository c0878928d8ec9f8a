//! The loader's functions in the C interface.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::os::fd::FromRawFd;
use std::sync::Arc;

use super::load::{destroy, load};
use super::loaded::Source;
use super::symbol::Symbol;
use super::tables::{Program, Variable, handle, with};
use crate::agent;
use crate::c_types::{Agent, Executable, ExecutableSymbol, LoadedCodeObject, Reader, Status};
use crate::call::{Result, calls, put, text, traverse};

/// Adds a reader of a file's bytes, which are kept, or of the program's own.
fn add_reader(source: Source, bytes: Option<Arc<[u8]>>) -> u64 {
    let reader = handle();
    with(|t| t.readers.insert(reader, (source, bytes)));
    reader
}

/// Loads the bytes of a reader without copying them: objects have tens of megabytes.
fn load_from(reader: Reader, executable: Executable, agent: Agent) -> Result<LoadedCodeObject> {
    let found = with(|t| t.readers.get(&reader.0).cloned());
    let (source, bytes) = found.ok_or(Status::ERROR_INVALID_CODE_OBJECT_READER)?;
    if let Some(bytes) = bytes {
        return load(executable, agent, source, &bytes);
    }
    let start = std::ptr::with_exposed_provenance::<u8>(source.address);
    // SAFETY: the program keeps the bytes until it destroys the reader.
    let bytes = unsafe { std::slice::from_raw_parts(start, source.bytes) };
    load(executable, agent, source, bytes)
}

/// Makes a reader of part of a file that the program has open.
pub(super) fn from_file(file: i32, offset: u64, size: Option<u64>) -> Result<u64> {
    use std::os::unix::fs::FileExt;
    if file < 0 {
        return Err(Status::ERROR_INVALID_FILE);
    }
    // SAFETY: the program owns the descriptor, which is not closed here.
    let opened = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(file) });
    let length = opened
        .metadata()
        .map_err(|_| Status::ERROR_INVALID_FILE)?
        .len();
    let size = size.unwrap_or(length.saturating_sub(offset));
    if size == 0 || offset.checked_add(size).is_none_or(|end| end > length) {
        return Err(Status::ERROR_INVALID_FILE);
    }
    let mut bytes = vec![0; size as usize];
    let done = opened.read_exact_at(&mut bytes, offset);
    done.map_err(|_| Status::ERROR_INVALID_FILE)?;
    let bytes: Arc<[u8]> = bytes.into();
    let source = Source {
        address: bytes.as_ptr().expose_provenance(),
        bytes: bytes.len(),
        file,
    };
    Ok(add_reader(source, Some(bytes)))
}

fn from_memory(start: *const c_void, bytes: usize) -> Result<u64> {
    if start.is_null() || bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let source = Source {
        address: start.expose_provenance(),
        bytes,
        file: -1,
    };
    Ok(add_reader(source, None))
}

fn create(profile: u32) -> Executable {
    let executable = Executable(handle());
    let program = Program {
        frozen: false,
        profile,
        defined: Arc::default(),
        loaded: Vec::new(),
        symbols: Vec::new(),
        named: HashMap::new(),
    };
    with(|t| t.executables.insert(executable.0, program));
    executable
}

/// Records the address of a variable that code objects leave undefined.
fn define(
    executable: Executable,
    agent: Option<Agent>,
    name: &str,
    address: *const c_void,
) -> Result {
    let taken = symbol_named(executable, name, agent).is_ok();
    with(|t| {
        let program = t
            .executables
            .get_mut(&executable.0)
            .ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        if program.frozen {
            return Err(Status::ERROR_FROZEN_EXECUTABLE);
        }
        let defined = Arc::make_mut(&mut program.defined);
        let named = defined.entry(name.to_owned()).or_default();
        let same = |d: &Variable| d.agent.is_none() || agent.is_none() || d.agent == agent;
        if taken || named.iter().any(same) {
            return Err(Status::ERROR_VARIABLE_ALREADY_DEFINED);
        }
        let address = address.expose_provenance() as u64;
        named.push(Variable { agent, address });
        Ok(())
    })
}

/// The symbols of an executable, of one agent or of all.
fn symbols(
    executable: Executable,
    agent: Option<Agent>,
) -> Result<Vec<(ExecutableSymbol, Arc<Symbol>)>> {
    with(|t| {
        let program = t
            .executables
            .get(&executable.0)
            .ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        let each = program
            .symbols
            .iter()
            .filter_map(|handle| Some((*handle, t.symbols.get(&handle.0)?.clone())));
        Ok(each
            .filter(|(_, symbol)| agent.is_none_or(|a| a == symbol.agent))
            .collect())
    })
}

fn symbol_named(
    executable: Executable,
    name: &str,
    agent: Option<Agent>,
) -> Result<ExecutableSymbol> {
    with(|t| {
        let program = t
            .executables
            .get(&executable.0)
            .ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        let of_agent = |handle: &&ExecutableSymbol| {
            let symbol = t.symbols.get(&handle.0);
            symbol.is_some_and(|symbol| agent.is_none_or(|a| a == symbol.agent))
        };
        let named = program.named.get(name).into_iter().flatten();
        named
            .copied()
            .find(|handle| of_agent(&handle))
            .ok_or(Status::ERROR_INVALID_SYMBOL_NAME)
    })
}

type EachSymbol = unsafe extern "C" fn(Executable, ExecutableSymbol, *mut c_void) -> Status;
type EachAgentSymbol =
    unsafe extern "C" fn(Executable, Agent, ExecutableSymbol, *mut c_void) -> Status;

calls! {
    fn hsa_code_object_reader_create_from_memory(start: *const c_void, bytes: usize, reader: *mut Reader) {
        if reader.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(reader, Reader(from_memory(start, bytes)?)) }
    }

    fn hsa_code_object_reader_create_from_file(file: i32, reader: *mut Reader) {
        if reader.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(reader, Reader(from_file(file, 0, None)?)) }
    }

    fn hsa_code_object_reader_destroy(reader: Reader) {
        let removed = with(|t| t.readers.remove(&reader.0));
        removed.map(drop).ok_or(Status::ERROR_INVALID_CODE_OBJECT_READER)
    }

    fn hsa_executable_create(profile: u32, state: u32, _options: *const c_char, executable: *mut Executable) {
        if executable.is_null() || profile > 1 || state > 1 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(executable, create(profile)) }
    }

    fn hsa_executable_create_alt(profile: u32, rounding: u32, _options: *const c_char, executable: *mut Executable) {
        if executable.is_null() || profile > 1 || rounding > 2 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(executable, create(profile)) }
    }

    fn hsa_executable_destroy(executable: Executable) {
        destroy(executable)
    }

    fn hsa_executable_load_agent_code_object(
        executable: Executable, agent: Agent, reader: Reader, _options: *const c_char, loaded: *mut LoadedCodeObject,
    ) {
        let made = load_from(reader, executable, agent)?;
        if loaded.is_null() {
            return Ok(());
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(loaded, made) }
    }

    fn hsa_executable_freeze(executable: Executable, _options: *const c_char) {
        with(|t| match t.executables.get_mut(&executable.0) {
            None => Err(Status::ERROR_INVALID_EXECUTABLE),
            Some(program) if program.frozen => Err(Status::ERROR_FROZEN_EXECUTABLE),
            Some(program) => {
                program.frozen = true;
                Ok(())
            }
        })
    }

    fn hsa_executable_get_info(executable: Executable, attribute: u32, value: *mut c_void) {
        let found = with(|t| t.executables.get(&executable.0).map(|p| (p.profile, p.frozen)));
        let (profile, frozen) = found.ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        // SAFETY: null, or room for a 32-bit number, which each attribute is.
        unsafe {
            match attribute {
                1 => put(value.cast(), profile),
                2 => put(value.cast(), u32::from(frozen)),
                3 => put(value.cast(), 2u32),
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
    }

    fn hsa_executable_global_variable_define(executable: Executable, name: *const c_char, address: *const c_void) {
        // SAFETY: a text of the caller.
        define(executable, None, unsafe { text(name)? }, address)
    }

    fn hsa_executable_agent_global_variable_define(
        executable: Executable, agent: Agent, name: *const c_char, address: *const c_void,
    ) {
        agent::of(agent)?;
        // SAFETY: a text of the caller.
        define(executable, Some(agent), unsafe { text(name)? }, address)
    }

    fn hsa_executable_readonly_variable_define(
        executable: Executable, agent: Agent, name: *const c_char, address: *const c_void,
    ) {
        agent::of(agent)?;
        // SAFETY: a text of the caller.
        define(executable, Some(agent), unsafe { text(name)? }, address)
    }

    fn hsa_executable_validate(executable: Executable, result: *mut u32) {
        with(|t| t.executables.get(&executable.0).map(drop)).ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        // SAFETY: null, or room for the result.
        unsafe { put(result, 0) }
    }

    fn hsa_executable_validate_alt(executable: Executable, _options: *const c_char, result: *mut u32) {
        with(|t| t.executables.get(&executable.0).map(drop)).ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        // SAFETY: null, or room for the result.
        unsafe { put(result, 0) }
    }

    fn hsa_executable_get_symbol(
        executable: Executable, _module: *const c_char, name: *const c_char, agent: Agent, _convention: i32,
        symbol: *mut ExecutableSymbol,
    ) {
        // SAFETY: a text of the caller.
        let name = unsafe { text(name)? };
        let agent = Some(agent).filter(|a| a.0 != 0);
        // SAFETY: null, or room for a handle.
        unsafe { put(symbol, symbol_named(executable, name, agent)?) }
    }

    fn hsa_executable_get_symbol_by_name(
        executable: Executable, name: *const c_char, agent: *const Agent, symbol: *mut ExecutableSymbol,
    ) {
        if symbol.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: a text of the caller, and null or a handle; room for a handle.
        unsafe {
            let agent = (!agent.is_null()).then(|| *agent);
            put(symbol, symbol_named(executable, text(name)?, agent)?)
        }
    }

    fn hsa_executable_symbol_get_info(symbol: ExecutableSymbol, attribute: u32, value: *mut c_void) {
        let found = with(|t| t.symbols.get(&symbol.0).cloned());
        let found = found.ok_or(Status::ERROR_INVALID_EXECUTABLE_SYMBOL)?;
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { found.info(attribute, value) }
    }

    fn hsa_executable_iterate_symbols(executable: Executable, callback: Option<EachSymbol>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(symbols(executable, None)?, |(symbol, _)| unsafe { callback(executable, symbol, data) })
    }

    fn hsa_executable_iterate_agent_symbols(
        executable: Executable, agent: Agent, callback: Option<EachAgentSymbol>, data: *mut c_void,
    ) {
        agent::of(agent)?;
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(symbols(executable, Some(agent))?, |(symbol, _)| unsafe { callback(executable, agent, symbol, data) })
    }

    fn hsa_executable_iterate_program_symbols(executable: Executable, callback: Option<EachSymbol>, _data: *mut c_void) {
        // Programs have no symbols of their own: all belong to agents.
        symbols(executable, None)?;
        callback.map(drop).ok_or(Status::ERROR_INVALID_ARGUMENT)
    }
}
