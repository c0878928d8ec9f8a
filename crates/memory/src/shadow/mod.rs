//! Shadows: one bit of state for each bit of memory and registers: whether it is undefined.
//!
//! A registry has shadows only on request ([`Registry::keep_shadows`](crate::Registry::keep_shadows)). The shadow of a byte lies
//! at its address with one bit changed (`at`), so that an access to shadows is the access itself, with the places of its lanes
//! moved ([`Shadowed`]). Memory is defined until it is marked.

mod operation;
mod pages;
mod seen;

pub use operation::Shadowed;
pub use pages::DISTANCE;
pub(crate) use pages::{at, clear, copy, cover, first, mark};
pub(crate) use seen::Seen;
pub use seen::{ProbeHit, Undefined};
