//! The tests of the crate, one program.

mod common;
mod identity;
