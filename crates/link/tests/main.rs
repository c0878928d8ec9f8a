//! The tests of the crate, one program.

mod common;
mod file;
mod identity;
mod link;
mod objects;
mod wrong;
