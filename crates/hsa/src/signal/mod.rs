//! Signals: 64-bit values that host and device change and wait for.

mod awaited;
mod calls;
pub(crate) mod futex;
pub(crate) mod handler;
mod lifecycle;
pub(crate) mod poll;
mod slots;
mod update;
mod wait;
pub(crate) mod waiters;

pub(crate) use awaited::Awaited;
pub(crate) use lifecycle::{alone, begin_alone, create, destroy, doorbell, end_alone, expose};
pub(crate) use slots::{exists, is_optional, load, of};
pub(crate) use update::{RUNG, change, complete, fail};
pub(crate) use wait::{SPIN, wait, wait_all, wait_any, wake_all};
