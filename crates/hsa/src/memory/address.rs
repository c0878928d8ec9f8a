//! Pages, and the addresses of memory on host and GPU.

use wavetank::ALIAS;

/// The size of a page in bytes.
pub(crate) const PAGE: u64 = 4096;

/// The host address of memory that a program may refer to by its address on the GPU. Addresses that no memory can have stay
/// unchanged.
pub(crate) fn host_address(address: u64) -> u64 {
    if address < 2 * ALIAS {
        address & !ALIAS
    } else {
        address
    }
}
