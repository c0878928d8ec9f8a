//! Lookup of the memory at a program's pointer.

use super::address::host_address;
use super::allocation::{self, MemoryInfo, Origin};
use super::locked;
use crate::c_types::{Result, Status};

/// The properties of the memory at an address.
pub(crate) fn find(address: u64) -> Option<MemoryInfo> {
    let address = host_address(address);
    allocation::find(address).or_else(|| locked::find(address))
}

/// The address of memory on the GPU.
pub(crate) fn address_on_gpu(known: &MemoryInfo) -> u64 {
    let locked = match known.origin {
        Origin::Locked => locked::address_on_gpu(known.address),
        _ => None,
    };
    locked.unwrap_or(known.address)
}

/// Stores the program's own pointer for the memory at an address.
pub(crate) fn set_user_data(address: u64, data: usize) -> Result {
    let known = find(address).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    match known.origin {
        Origin::Locked => locked::set_user_data(host_address(address), data),
        _ => allocation::set_user_data(known.address, data),
    }
    Ok(())
}
