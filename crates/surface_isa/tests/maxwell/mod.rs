//! SUATOM's words and texts, against the output of nvdisasm and the reference text.

mod cubin;
mod execution;
mod listing;
mod random;
mod rules;
mod text;
mod vectors;
