//! Symbols of code objects and executables: kernels and variables.

use std::ffi::c_void;
use std::sync::Arc;

use wavetank::object::{CodeObject, SymbolKind};

use super::loaded::Loaded;
use crate::c_types::{Agent, Status};
use crate::call::{Result, put};

/// The kinds of symbols.
enum What {
    /// A variable, with its address in the code object.
    Variable { address: u64, bytes: u64 },
    /// A kernel, with its number in the code object.
    Kernel { index: usize },
}

/// A symbol of a code object, independent of where that is loaded.
pub(super) struct Defined {
    pub name: String,
    global: bool,
    what: What,
}

/// The symbols of a code object: `NAME.kd` for kernels (`NAME` in version 2), and global variables.
pub(super) fn of(object: &CodeObject) -> Vec<Defined> {
    let kernels = object.kernels().iter().enumerate().map(|(index, kernel)| {
        let name = match object.version() {
            2 => kernel.name.clone(),
            _ => format!("{}.kd", kernel.name),
        };
        Defined {
            name,
            global: true,
            what: What::Kernel { index },
        }
    });
    let variables = object
        .symbols()
        .iter()
        .filter(|s| s.kind == SymbolKind::Object);
    let variables = variables.map(|s| Defined {
        name: s.name.clone(),
        global: s.global,
        what: What::Variable {
            address: s.address,
            bytes: s.size,
        },
    });
    kernels.chain(variables).collect()
}

impl Defined {
    /// Writes an attribute that does not depend on where the code object is loaded. Attributes of code object symbols and of
    /// executable symbols have the same numbers.
    ///
    /// # Safety
    /// There is room for the attribute's value. `object` is the symbol's.
    pub(super) unsafe fn info(
        &self,
        object: &CodeObject,
        attribute: u32,
        value: *mut c_void,
    ) -> Result {
        // SAFETY: each arm writes the type that the headers give for its attribute.
        unsafe {
            match (attribute, &self.what) {
                (0, What::Variable { .. }) => put(value.cast(), 0u32),
                (0, What::Kernel { .. }) => put(value.cast(), 1u32),
                (1, _) => put(value.cast(), self.name.len() as u32),
                (2, _) => {
                    if value.is_null() {
                        Err(Status::ERROR_INVALID_ARGUMENT)
                    } else {
                        let name = self.name.as_ptr();
                        value.cast::<u8>().copy_from(name, self.name.len());
                        Ok(())
                    }
                }
                (3, _) => put(value.cast(), 0u32),
                (4, _) => Ok(()),
                (5, _) => put(value.cast(), u32::from(self.global)),
                (17, _) => put(value.cast(), true),
                (9, What::Variable { bytes, .. }) => put(value.cast(), *bytes as u32),
                (6, What::Variable { .. }) => put(value.cast(), 0u32),
                (7, What::Variable { .. }) => put(value.cast(), 0u32),
                (8, What::Variable { .. }) => put(value.cast(), 0u32),
                (10, What::Variable { .. }) => put(value.cast(), false),
                (_, What::Kernel { index }) => kernel_info(object, *index, attribute, value),
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
    }
}

/// Writes an attribute that only kernels have.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn kernel_info(
    object: &CodeObject,
    index: usize,
    attribute: u32,
    value: *mut c_void,
) -> Result {
    let kernel = &object.kernels()[index];
    let descriptor = &kernel.descriptor;
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            11 => put(value.cast(), kernel.kernarg_segment_size),
            12 => put(value.cast(), kernel.kernarg_segment_align.max(16)),
            13 => put(value.cast(), descriptor.group_segment_fixed_size),
            14 => put(value.cast(), descriptor.private_segment_fixed_size),
            15 => put(
                value.cast(),
                kernel.uses_dynamic_stack || descriptor.uses_dynamic_stack,
            ),
            18 => put(value.cast(), 0u32),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}

/// A symbol of a loaded code object.
pub(super) struct Symbol {
    pub defined: Defined,
    pub agent: Agent,
    loaded: Arc<Loaded>,
}

/// The symbols of a loaded code object.
pub(super) fn of_loaded(loaded: &Arc<Loaded>) -> Vec<Symbol> {
    let defined = of(loaded.module.object()).into_iter();
    let symbol = |defined| Symbol {
        defined,
        agent: loaded.agent,
        loaded: loaded.clone(),
    };
    defined.map(symbol).collect()
}

impl Symbol {
    /// Writes an attribute of the symbol.
    ///
    /// # Safety
    /// There is room for the attribute's value.
    pub(super) unsafe fn info(&self, attribute: u32, value: *mut c_void) -> Result {
        let module = &self.loaded.module;
        // SAFETY: each arm writes the type that the headers give for its attribute.
        unsafe {
            match (attribute, &self.defined.what) {
                (20, _) => put(value.cast(), self.agent),
                (21, What::Variable { address, .. }) => {
                    put(value.cast(), module.address_of(*address))
                }
                (22, What::Kernel { index }) => {
                    let kernel = &module.object().kernels()[*index];
                    put(value.cast(), module.address_of(kernel.descriptor_address))
                }
                _ => self.defined.info(module.object(), attribute, value),
            }
        }
    }
}
