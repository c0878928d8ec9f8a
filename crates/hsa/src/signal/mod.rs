//! Signals: 64-bit values that host and device change and wait for.

mod awaited;
mod calls;
pub mod futex;
pub mod handler;
mod lifecycle;
pub mod poll;
mod slots;
mod update;
mod wait;
pub mod waiters;

pub use awaited::Awaited;
pub use lifecycle::{alone, begin_alone, create, destroy, doorbell, end_alone, expose};
pub use slots::{exists, is_optional, load, of};
pub use update::{RUNG, change, complete, fail};
pub use wait::{SPIN, wait, wait_all, wait_any, wake_all};
