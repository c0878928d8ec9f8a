//! SUATOMs on a warp of 32 threads, through both engines, against a plain reference that is written from the reference
//! text: one thread after another, on elements by coordinate.

mod handles;
mod reference;
mod table;
mod warp;
