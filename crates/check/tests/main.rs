//! The tools, on code that compilers and hands have made.

mod common;
mod compiled;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod engines;
mod followed;
mod order;
mod planted;
mod random;
mod removed;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(dead_code, reason = "how others run it is for other tests")]
#[path = "../../interp/tests/world.rs"]
mod world;
