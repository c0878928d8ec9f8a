//! Tests of the compiler: what it makes of blocks leaves the state that the plain evaluator leaves.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod bytes;
#[path = "../../interp/tests/control_flow.rs"]
mod control_flow;
mod daz;
#[path = "../../interp/tests/descriptors.rs"]
mod descriptors;
mod division;
mod engine;
mod filetests;
#[path = "../../interp/tests/fusion.rs"]
mod fusion;
mod halves;
mod levels;
mod loop_nests;
mod masks;
mod observable;
mod pairs;
mod products;
mod recorded;
mod records;
mod roots;
mod spins;
#[path = "../../interp/tests/swizzled.rs"]
mod swizzled;
#[path = "../../interp/tests/torn.rs"]
mod torn;
mod unroll;
#[path = "../../interp/tests/world.rs"]
mod world;
