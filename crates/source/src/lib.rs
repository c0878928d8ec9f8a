//! Source files of programs, and their lines under marks, as a compiler's diagnostics show them: for findings and advice alike.

#![warn(missing_docs)]

mod files;
mod marked;

pub use files::Sources;
pub use marked::{Mark, inlined, renderer, snippet};
