//! The tools, on code that compilers and hands have made.

mod common;
mod compiled;
mod planted;
mod random;
mod removed;
