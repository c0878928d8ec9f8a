//! Tests of the interpreter. One program, since each costs a link and a copy of everything.

mod control_flow;
mod descriptors;
mod engine;
mod fusion;
mod stops;
mod surfaces;
mod swizzled;
mod torn;
mod world;
mod yields;
