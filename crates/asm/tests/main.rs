//! Tests of whole sources and listings. One program, since each costs a link and a copy of everything.

mod cdna;
mod clrx;
#[path = "../../link/tests/common/mod.rs"]
mod common;
mod compilers;
mod corpora;
#[path = "../../gcn/tests/common/mod.rs"]
mod examples;
mod listing;
mod llvm;
mod objects;
mod random;
mod signature;
mod source;
mod to_source;
mod wrong;
