//! Tests of the C library: its header, its functions by their contract, and programs in other languages.

mod common;
mod contract;
mod examples;
mod header;
mod hooks;
mod library;
mod random;
