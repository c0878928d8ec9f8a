//! Tests of the format, and of the cases of the project. One program, since each costs a link and a copy of everything.

mod checks;
mod coverage;
mod format;
mod swaps;
