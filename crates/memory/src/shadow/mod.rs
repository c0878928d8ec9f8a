//! Shadows: for each bit of memory and registers another, which says that it is undefined.
//!
//! Who follows undefined bits asks for them ([`Registry::keep_shadows`](crate::Registry::keep_shadows)); others have none. The
//! shadow of a byte lies at its address with one bit changed (`at`), so that an access to shadows is the access itself, with
//! the places of its lanes moved ([`Shadowed`]). What nobody has marked is defined.

mod operation;
mod pages;
mod seen;

pub use operation::Shadowed;
pub use pages::DISTANCE;
pub(crate) use pages::{at, clear, copy, cover, first, mark};
pub(crate) use seen::Seen;
pub use seen::{ProbeHit, Undefined};
