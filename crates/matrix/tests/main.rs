//! Tests of the matrix instructions, one program for all files.

mod chains;
mod common;
mod dots;
mod kernels;
mod layouts;
mod modifiers;
mod numbers;
mod specials;
