//! Tests of tables, decoder, encoder and text. One program, since each costs a link and a copy of everything.

mod cdna;
mod clrx;
mod common;
mod corpus;
mod decode;
mod effects;
mod errors;
mod fields;
mod mutations;
mod opcodes;
mod parse;
mod print;
mod round_trip;
mod seeds;
mod tables;
