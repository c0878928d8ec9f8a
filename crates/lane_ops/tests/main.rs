//! Tests of the operations on lanes. One program, since each costs a link and a copy of everything.

mod functions;
mod memory;
mod random;
