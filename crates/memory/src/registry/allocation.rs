//! Allocations of a device: name, address, size and rights.

use std::sync::Arc;

/// The guest's access rights to an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rights {
    /// Loads, but neither stores nor atomics.
    Read,
    /// Loads, stores and atomics.
    ReadWrite,
}

/// One allocation of a device, whose guest address is its host address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The name in reports.
    pub name: Arc<str>,
    /// The address of the first byte.
    pub address: u64,
    /// The length in bytes.
    pub bytes: u64,
    /// The guest's access rights.
    pub rights: Rights,
}

impl Allocation {
    /// Returns the address after the last byte.
    pub fn end(&self) -> u64 {
        self.address + self.bytes
    }

    /// Returns whether the allocation contains all of `[first, end)`.
    pub fn holds(&self, first: u64, end: u64) -> bool {
        self.address <= first && end <= self.end()
    }
}
