//! The loader: readers, code objects, executables and symbols.

mod calls;
mod code_object;
mod extension;
mod load;
mod loaded;
mod symbol;
mod tables;

pub(crate) use extension::table as extension_table;
pub(crate) use tables::{is_loaded, kernel_at};
