//! SUATOM's words and texts, against what nvdisasm prints and what the reference text asks.

mod cubin;
mod execution;
mod listing;
mod random;
mod rules;
mod text;
mod vectors;
