//! Code objects of version 1.0 of the interface: handles with attributes and symbols.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use wavetank::object::{self, CodeObject as Parsed};

use super::load::load;
use super::loaded::Source;
use super::symbol::{self, Defined};
use super::tables::{Deserialized, handle, with};
use crate::agent;
use crate::c_types::{
    Agent, CodeObject, CodeSymbol, Executable, Isa, LoadedCodeObject, Reader, Status,
};
use crate::call::{Result, calls, put, text, traverse};

/// Whether a symbol has a name of the source: a kernel is `NAME` or `&NAME`, whatever the linker calls its descriptor.
fn is_named(defined: &Defined, name: &str) -> bool {
    let name = name.strip_prefix('&').unwrap_or(name);
    defined.name == name || defined.name.strip_suffix(".kd") == Some(name)
}

fn deserialize(bytes: &[u8]) -> Result<CodeObject> {
    let parsed = object::open(bytes, None).map_err(|_| Status::ERROR_INVALID_CODE_OBJECT)?;
    let defined = symbol::of(&parsed).into_iter();
    let made = Deserialized {
        bytes: bytes.into(),
        symbols: defined.map(|d| (CodeSymbol(handle()), d)).collect(),
        parsed,
    };
    let object = CodeObject(handle());
    with(|t| t.objects.insert(object.0, Arc::new(made)));
    Ok(object)
}

fn find(object: CodeObject) -> Result<Arc<Deserialized>> {
    let found = with(|t| t.objects.get(&object.0).cloned());
    found.ok_or(Status::ERROR_INVALID_CODE_OBJECT)
}

fn symbol_named(object: CodeObject, name: &str) -> Result<CodeSymbol> {
    let object = find(object)?;
    let mut symbols = object.symbols.iter();
    let found = symbols.find(|(_, defined)| is_named(defined, name));
    found
        .map(|(symbol, _)| *symbol)
        .ok_or(Status::ERROR_INVALID_SYMBOL_NAME)
}

/// Finds the code object of a symbol, and the symbol's index in it.
fn of_symbol(symbol: CodeSymbol) -> Result<(Arc<Deserialized>, usize)> {
    let place = |object: &Arc<Deserialized>| {
        let at = object.symbols.iter().position(|(s, _)| *s == symbol)?;
        Some((object.clone(), at))
    };
    with(|t| t.objects.values().find_map(place)).ok_or(Status::ERROR_INVALID_CODE_SYMBOL)
}

/// Returns the bytes to the program, in memory that it allocates.
///
/// # Safety
/// The results have room; the program's function gives memory of the requested size.
unsafe fn serialize(
    object: CodeObject,
    allocate: Allocate,
    data: u64,
    to: *mut *mut c_void,
    size: *mut usize,
) -> Result {
    let object = find(object)?;
    let mut room = std::ptr::null_mut();
    // SAFETY: the program's own function, with its own argument; the caller's promise.
    unsafe {
        match allocate(object.bytes.len(), data, &raw mut room) {
            Status::SUCCESS if room.is_null() => return Err(Status::ERROR_OUT_OF_RESOURCES),
            Status::SUCCESS => {}
            other => return Err(other),
        }
        room.cast::<u8>()
            .copy_from(object.bytes.as_ptr(), object.bytes.len());
        put(to, room)?;
        put(size, object.bytes.len())
    }
}

/// The instruction set of a code object, among those of the agents.
fn isa_of(parsed: &Parsed) -> Result<Isa> {
    agent::isa_of_chip(&parsed.target().chip).ok_or(Status::ERROR_INVALID_ISA)
}

type Allocate = unsafe extern "C" fn(usize, u64, *mut *mut c_void) -> Status;
type EachSymbol = unsafe extern "C" fn(CodeObject, CodeSymbol, *mut c_void) -> Status;

calls! {
    fn hsa_code_object_deserialize(start: *const c_void, bytes: usize, _options: *const c_char, object: *mut CodeObject) {
        if start.is_null() || bytes == 0 || object.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: so many bytes, and room for a handle.
        unsafe { put(object, deserialize(std::slice::from_raw_parts(start.cast(), bytes))?) }
    }

    fn hsa_code_object_serialize(
        object: CodeObject, allocate: Option<Allocate>, data: u64, _options: *const c_char, to: *mut *mut c_void,
        size: *mut usize,
    ) {
        let allocate = allocate.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        if to.is_null() || size.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: the program's promise (see `calls!`).
        unsafe { serialize(object, allocate, data, to, size) }
    }

    fn hsa_code_object_destroy(object: CodeObject) {
        let removed = with(|t| t.objects.remove(&object.0));
        removed.map(drop).ok_or(Status::ERROR_INVALID_CODE_OBJECT)
    }

    fn hsa_code_object_get_info(object: CodeObject, attribute: u32, value: *mut c_void) {
        let parsed = &find(object)?.parsed;
        // SAFETY: each arm writes the type that the headers give for its attribute.
        unsafe {
            match attribute {
                0 => {
                    let mut version = [0u8; 64];
                    version[0] = b'0' + parsed.version();
                    put(value.cast(), version)
                }
                1 => put(value.cast(), 0u32), // a program, with all its kernels
                2 => put(value.cast(), isa_of(parsed)?),
                3 => put(value.cast(), 1u32), // the large machine model
                4 => put(value.cast(), 1u32), // the full profile
                5 => put(value.cast(), 2u32), // rounds to nearest
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
    }

    fn hsa_code_object_get_symbol(object: CodeObject, name: *const c_char, symbol: *mut CodeSymbol) {
        // SAFETY: a text of the caller; null, or room for a handle.
        unsafe { put(symbol, symbol_named(object, text(name)?)?) }
    }

    fn hsa_code_object_get_symbol_from_name(
        object: CodeObject, _module: *const c_char, name: *const c_char, symbol: *mut CodeSymbol,
    ) {
        // SAFETY: a text of the caller; null, or room for a handle.
        unsafe { put(symbol, symbol_named(object, text(name)?)?) }
    }

    fn hsa_code_object_iterate_symbols(object: CodeObject, callback: Option<EachSymbol>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let found = find(object)?;
        let symbols = found.symbols.iter().map(|(symbol, _)| *symbol);
        // SAFETY: the program's own function, with its own argument.
        traverse(symbols, |symbol| unsafe { callback(object, symbol, data) })
    }

    fn hsa_code_symbol_get_info(symbol: CodeSymbol, attribute: u32, value: *mut c_void) {
        let (object, at) = of_symbol(symbol)?;
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { object.symbols[at].1.info(&object.parsed, attribute, value) }
    }

    fn hsa_executable_load_code_object(executable: Executable, agent: Agent, object: CodeObject, _options: *const c_char) {
        let object = find(object)?;
        let source = Source { address: object.bytes.as_ptr().expose_provenance(), bytes: object.bytes.len(), file: -1 };
        load(executable, agent, source, &object.bytes).map(drop)
    }

    fn hsa_executable_load_program_code_object(
        executable: Executable, reader: Reader, _options: *const c_char, _loaded: *mut LoadedCodeObject,
    ) {
        with(|t| {
            let program = t.executables.get(&executable.0).ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
            if program.frozen {
                return Err(Status::ERROR_FROZEN_EXECUTABLE);
            }
            t.readers.get(&reader.0).ok_or(Status::ERROR_INVALID_CODE_OBJECT_READER)?;
            // Code objects are for agents: none has variables of the program.
            Err(Status::ERROR_INVALID_CODE_OBJECT)
        })
    }
}
