//! Loading code objects into executables, and destroying executables.

use std::sync::Arc;

use wavetank::{Error, Module};
use wavetank_quote::some_of;

use super::loaded::{Loaded, Source};
use super::symbol;
use super::tables::{Variable, change_kernels, handle, with};
use crate::agent::{self, Which};
use crate::c_types::{Agent, Executable, ExecutableSymbol, LoadedCodeObject, Result, Status};
use crate::log;

/// Loads a code object into an executable.
pub(super) fn load(
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
        let of_agent = |d: &&Variable| d.agent.is_none_or(|a| a == agent);
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

/// The status for a code object that cannot be loaded, after a line with the reason and the missing kernels: some libraries
/// continue without their kernels, and return uninitialized memory.
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

/// Destroys an executable with all of its loaded code objects.
pub(super) fn destroy(executable: Executable) -> Result {
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
