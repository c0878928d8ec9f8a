//! Atomics on surfaces: code, texts and meanings, against other tools and against what the documents ask.

mod common;
mod isa;
mod maxwell;
mod visa;
