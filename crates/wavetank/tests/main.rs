//! Tests of the library. One program, since each costs a link and a copy of everything.

#[macro_use]
mod common;

mod allocation;
mod bench_kernels;
mod calls;
mod cdna;
mod checks;
mod chips;
mod faults;
mod float_kernels;
mod hip_kernels;
mod hooks;
mod hostile;
mod image_kernels;
mod integer_kernels;
mod mesa;
mod modules;
mod profile;
mod read_on;
mod schedules;
mod stages;
mod starts;
mod traps;
mod undefined;
