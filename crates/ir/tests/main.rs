//! Tests of the wave IR. One program, since each costs a link and a copy of everything.

mod filetests;
mod simplify;
mod verify;
