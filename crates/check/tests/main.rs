//! The tools, on code that compilers and hands have made.

mod common;
mod compiled;
mod followed;
mod planted;
mod random;
mod removed;
