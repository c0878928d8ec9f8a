//! Symbols of executables: kernels and variables.

use std::ffi::c_void;
use std::sync::Arc;

use wavetank::object::SymbolKind;

use super::Loaded;
use crate::abi::{Agent, Status};
use crate::call::{Result, put};

/// What a symbol is.
enum What {
    Variable { address: u64, bytes: u64 },
    Kernel { object: u64, index: usize },
}

/// A symbol of a loaded code object.
pub struct Symbol {
    pub name: String,
    pub agent: Agent,
    global: bool,
    what: What,
    loaded: Arc<Loaded>,
}

/// The symbols of a code object: `NAME.kd` for kernels (`NAME` in version 2), and global variables.
pub fn of(loaded: &Arc<Loaded>) -> Vec<Symbol> {
    let object = loaded.module.object();
    let symbol = |name: String, global: bool, what: What| Symbol {
        name,
        agent: loaded.agent,
        global,
        what,
        loaded: loaded.clone(),
    };
    let mut all: Vec<Symbol> = loaded
        .module
        .kernels()
        .enumerate()
        .map(|(index, kernel)| {
            let name = match object.version() {
                2 => kernel.name().to_owned(),
                _ => format!("{}.kd", kernel.name()),
            };
            let object = kernel.descriptor_address();
            symbol(name, true, What::Kernel { object, index })
        })
        .collect();
    let variables = object
        .symbols()
        .iter()
        .filter(|s| s.kind == SymbolKind::Object);
    all.extend(variables.map(|s| {
        let address = loaded.module.address_of(s.address);
        let what = What::Variable {
            address,
            bytes: s.size,
        };
        symbol(s.name.clone(), s.global, what)
    }));
    all
}

impl Symbol {
    /// Writes an attribute.
    ///
    /// # Safety
    /// There is room for the attribute's value.
    pub unsafe fn info(&self, attribute: u32, value: *mut c_void) -> Result {
        // SAFETY: each arm writes the type that the headers give for its attribute.
        unsafe {
            match (attribute, &self.what) {
                (0, What::Variable { .. }) => put(value.cast(), 0u32),
                (0, What::Kernel { .. }) => put(value.cast(), 1u32),
                (1, _) => put(value.cast(), self.name.len() as u32),
                (2, _) => match value.is_null() {
                    true => Err(Status::ERROR_INVALID_ARGUMENT),
                    false => {
                        value
                            .cast::<u8>()
                            .copy_from(self.name.as_ptr(), self.name.len());
                        Ok(())
                    }
                },
                (3, _) => put(value.cast(), 0u32),
                (4, _) => Ok(()),
                (5, _) => put(value.cast(), u32::from(self.global)),
                (17, _) => put(value.cast(), true),
                (20, _) => put(value.cast(), self.agent),
                (21, What::Variable { address, .. }) => put(value.cast(), *address),
                (9, What::Variable { bytes, .. }) => put(value.cast(), *bytes as u32),
                (6, What::Variable { .. }) => put(value.cast(), 0u32),
                (7, What::Variable { .. }) => put(value.cast(), 0u32),
                (8, What::Variable { .. }) => put(value.cast(), 0u32),
                (10, What::Variable { .. }) => put(value.cast(), false),
                (22, What::Kernel { object, .. }) => put(value.cast(), *object),
                (_, What::Kernel { index, .. }) => self.kernel_info(*index, attribute, value),
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
    }

    /// Writes an attribute that only kernels have.
    ///
    /// # Safety
    /// There is room for the attribute's value.
    unsafe fn kernel_info(&self, index: usize, attribute: u32, value: *mut c_void) -> Result {
        let kernel = &self.loaded.module.object().kernels()[index];
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
}
