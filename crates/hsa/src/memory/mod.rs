//! Memory that programs allocate, lock, map, share and copy.

mod address;
mod allocation;
pub(crate) mod async_copy;
mod calls;
pub(crate) mod deallocation;
mod host;
pub(crate) mod ipc;
mod locked;
mod ownership;
mod pointer;
mod pool;
mod shared_file;
pub(crate) mod slab;
pub(crate) mod svm;
pub(crate) mod transfer;
mod vmem;

pub(crate) use address::{PAGE, host_address};
pub(crate) use allocation::{FREED, FREEING, MemoryInfo, Origin, allocate, available, free};
pub(crate) use locked::{lock_host, unlock_host};
pub(crate) use pointer::{address_on_gpu, find, set_user_data};
pub(crate) use pool::{Kind, of_pool, pool};
