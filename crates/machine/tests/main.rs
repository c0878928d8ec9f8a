//! Tests of the machine. One program, since each costs a link and a copy of everything.

mod schedule;
