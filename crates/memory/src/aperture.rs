//! Where memory that is not global appears among flat addresses.

/// Where the LDS appears in flat addresses (gfx9): bits 63:48 are 1.
pub const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
/// Where scratch appears in flat addresses (gfx9): bits 63:48 are 2.
pub const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;
