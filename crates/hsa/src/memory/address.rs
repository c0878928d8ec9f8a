//! Pages and addresses, as host and GPU name them.

use wavetank::ALIAS;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// The host's address of memory that a program may name by its address on the GPU. Addresses that no memory can have stay
/// the same.
pub fn host_address(address: u64) -> u64 {
    match address < 2 * ALIAS {
        true => address & !ALIAS,
        false => address,
    }
}
