//! Allocations: name, address, size, rights.

use std::sync::Arc;

/// What the guest may do with an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rights {
    /// Loads only.
    Read,
    /// Loads, stores and atomics.
    ReadWrite,
}

/// One allocation of a device. Its guest address is its host address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// What reports call it.
    pub name: Arc<str>,
    /// The address of its first byte.
    pub address: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// What the guest may do.
    pub rights: Rights,
}

impl Allocation {
    /// The address after the last byte.
    pub fn end(&self) -> u64 {
        self.address + self.bytes
    }

    /// Whether it holds all of `[first, end)`.
    pub fn holds(&self, first: u64, end: u64) -> bool {
        self.address <= first && end <= self.end()
    }
}
