//! Tests of code objects. One program, since each costs a link and a copy of everything.

mod bundler;
mod catalyst;
mod common;
mod containers;
mod descriptor;
mod hostile;
mod large;
mod lines;
mod notes;
mod shipped;
