//! Memory that programs allocate, lock, map, share and copy.

mod address;
mod allocation;
pub mod async_copy;
mod calls;
pub mod deallocation;
mod host;
pub mod ipc;
mod locked;
mod ownership;
mod pointer;
mod pool;
mod shared_file;
pub mod slab;
pub mod svm;
pub mod transfer;
mod vmem;

pub use address::{PAGE, host_address};
pub use allocation::{FREED, FREEING, Origin, allocate, available, free};
pub use locked::{lock_host, unlock_host};
pub use pointer::{address_on_gpu, find, set_user_data};
pub use pool::{Kind, of_pool, pool};
