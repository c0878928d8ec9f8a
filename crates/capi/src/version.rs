//! The version of the library, of the header and at run time.

use std::ffi::c_char;

/// The version of this header. Before version 1, a new minor version may change the interface.
pub const WAVETANK_VERSION_MAJOR: u32 = 0;
/// See WAVETANK_VERSION_MAJOR.
pub const WAVETANK_VERSION_MINOR: u32 = 1;
/// See WAVETANK_VERSION_MAJOR.
pub const WAVETANK_VERSION_PATCH: u32 = 0;

/// Returns the version of the library that is loaded, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn wavetank_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
