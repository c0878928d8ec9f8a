//! Results of calls as codes.

use std::ffi::{CStr, c_char};

/// The result of a call. Codes keep their numbers; later versions may add some.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(C)]
pub enum wavetank_status {
    /// The call has done what it says.
    WAVETANK_OK = 0,
    /// An argument of the call is null, out of range, or a text that means nothing.
    WAVETANK_ERROR_ARGUMENT = 1,
    /// A handle is null, freed, of another type, of the parent process, or not a handle at all.
    WAVETANK_ERROR_HANDLE = 2,
    /// There is no kernel, symbol, argument or element of this name or number.
    WAVETANK_ERROR_NOT_FOUND = 3,
    /// A file cannot be read.
    WAVETANK_ERROR_FILE = 4,
    /// Bytes are not code, or have no code for the chip.
    WAVETANK_ERROR_CODE = 5,
    /// A source has wrong lines, or an instruction is written wrongly.
    WAVETANK_ERROR_SOURCE = 6,
    /// Arguments or sizes of a launch do not fit the kernel.
    WAVETANK_ERROR_LAUNCH = 7,
    /// A kernel or wave stopped with a fault. wavetank_last_fault has the facts of a kernel's.
    WAVETANK_ERROR_FAULT = 8,
    /// A kernel did not end in time.
    WAVETANK_ERROR_TIMEOUT = 9,
    /// A launch was stopped by wavetank_launch_cancel, or by a hook.
    WAVETANK_ERROR_CANCELLED = 10,
    /// There is not enough memory.
    WAVETANK_ERROR_MEMORY = 11,
    /// A read or write would end past a buffer or an LDS.
    WAVETANK_ERROR_RANGE = 12,
    /// The chip is not executed, or the tool cannot check this launch.
    WAVETANK_ERROR_UNSUPPORTED = 13,
    /// An environment variable has a value that it cannot have.
    WAVETANK_ERROR_SETTING = 14,
    /// A mistake in the library. Please report the sentence.
    WAVETANK_ERROR_INTERNAL = 15,
}

use wavetank_status::*;

/// The codes with their names.
const NAMES: [(wavetank_status, &CStr); 16] = [
    (WAVETANK_OK, c"WAVETANK_OK"),
    (WAVETANK_ERROR_ARGUMENT, c"WAVETANK_ERROR_ARGUMENT"),
    (WAVETANK_ERROR_HANDLE, c"WAVETANK_ERROR_HANDLE"),
    (WAVETANK_ERROR_NOT_FOUND, c"WAVETANK_ERROR_NOT_FOUND"),
    (WAVETANK_ERROR_FILE, c"WAVETANK_ERROR_FILE"),
    (WAVETANK_ERROR_CODE, c"WAVETANK_ERROR_CODE"),
    (WAVETANK_ERROR_SOURCE, c"WAVETANK_ERROR_SOURCE"),
    (WAVETANK_ERROR_LAUNCH, c"WAVETANK_ERROR_LAUNCH"),
    (WAVETANK_ERROR_FAULT, c"WAVETANK_ERROR_FAULT"),
    (WAVETANK_ERROR_TIMEOUT, c"WAVETANK_ERROR_TIMEOUT"),
    (WAVETANK_ERROR_CANCELLED, c"WAVETANK_ERROR_CANCELLED"),
    (WAVETANK_ERROR_MEMORY, c"WAVETANK_ERROR_MEMORY"),
    (WAVETANK_ERROR_RANGE, c"WAVETANK_ERROR_RANGE"),
    (WAVETANK_ERROR_UNSUPPORTED, c"WAVETANK_ERROR_UNSUPPORTED"),
    (WAVETANK_ERROR_SETTING, c"WAVETANK_ERROR_SETTING"),
    (WAVETANK_ERROR_INTERNAL, c"WAVETANK_ERROR_INTERNAL"),
];

/// Returns the name of a code, such as "WAVETANK_ERROR_FAULT"; "unknown" for a number that is not a code.
#[unsafe(no_mangle)]
pub extern "C" fn wavetank_status_name(status: i32) -> *const c_char {
    let named = NAMES.iter().find(|(code, _)| *code as i32 == status);
    named.map_or(c"unknown", |(_, name)| name).as_ptr()
}
