//! Emulated files of the driver, which programs read to find whether it is loaded.
//!
//! Some tools (`rocminfo`) look for files of the driver, and stop if there are none. In a program that `wavetank run` has
//! started, functions exported here replace those of libc that open files. These functions answer for a few paths, if the
//! real files do not exist. For other paths, and in other programs, they call libc.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::sync::OnceLock;

/// The state of the driver's module, which newer tools read.
const STATE: &CStr = c"/sys/module/amdgpu/initstate";
/// The driver's device, which tools open but do not use.
const DEVICE: &CStr = c"/dev/kfd";
/// The list of all modules, which older tools read with `lsmod`.
const MODULES: &CStr = c"/proc/modules";
/// The module's line in the list: name, size, users, their names, state, address.
const MODULE: &[u8] = b"amdgpu 4096 0 - Live 0x0000000000000000\n";

/// Whether `wavetank run` has started the program.
pub(crate) fn is_run() -> bool {
    static RUN: OnceLock<bool> = OnceLock::new();
    *RUN.get_or_init(|| std::env::var_os("WAVETANK_DRIVER").is_some())
}

/// Opens an emulated file of the driver; `None` for every other path.
///
/// # Safety
/// The path is null or a text.
unsafe fn answer(path: *const c_char) -> Option<c_int> {
    if path.is_null() {
        return None;
    }
    // SAFETY: not null, so a text.
    let path = unsafe { CStr::from_ptr(path) };
    let known = [STATE, DEVICE, MODULES].contains(&path);
    if !known || !is_run() {
        return None;
    }
    if path == DEVICE {
        // SAFETY: a path and flags.
        let null = unsafe { libc::openat(libc::AT_FDCWD, c"/dev/null".as_ptr(), libc::O_RDWR) };
        return (null >= 0).then_some(null);
    }
    let mut text = Vec::new();
    if path == MODULES {
        // SAFETY: a path and flags.
        let real = unsafe { libc::openat(libc::AT_FDCWD, path.as_ptr(), libc::O_RDONLY) };
        if real >= 0 {
            // SAFETY: the descriptor was just opened, and has no other owner.
            let mut real = unsafe { File::from_raw_fd(real) };
            real.read_to_end(&mut text).ok()?;
        }
        text.extend_from_slice(MODULE);
    } else {
        text.extend_from_slice(b"live\n");
    }
    // SAFETY: a name and a flag; the descriptor is new.
    let descriptor = unsafe { libc::memfd_create(c"driver".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return None;
    }
    // SAFETY: the descriptor was just opened, and has no other owner.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(&text).ok()?;
    file.rewind().ok()?;
    Some(file.into_raw_fd())
}

/// Whether the driver is really loaded.
fn is_real() -> bool {
    static REAL: OnceLock<bool> = OnceLock::new();
    *REAL.get_or_init(|| {
        // SAFETY: a path and flags.
        let real = unsafe { libc::faccessat(libc::AT_FDCWD, STATE.as_ptr(), libc::F_OK, 0) };
        real == 0
    })
}

/// The function of libc that a function here replaces.
fn next(name: &CStr) -> *mut c_void {
    // SAFETY: looks up a name.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!found.is_null(), "libc has {name:?}");
    found
}

/// Declares replacements of the libc functions that open a file.
macro_rules! opens {
    ($($name:ident($path:ident: $path_type:ty $(, $arg:ident: $ty:ty)*) -> $ret:ty, $from:expr;)*) => { $(
        /// Calls libc's function, except for the driver's files.
        ///
        /// # Safety
        /// As for libc's function. The last argument of `open` may be missing: its register is then passed on.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($path: $path_type $(, $arg: $ty)*) -> $ret {
            type Function = unsafe extern "C" fn($path_type $(, $ty)*) -> $ret;
            static NEXT: OnceLock<usize> = OnceLock::new();
            // SAFETY: the path is a valid argument of libc.
            if let Some(file) = unsafe { answer($path) }.filter(|_| !is_real()) {
                #[allow(clippy::redundant_closure_call)]
                return $from(file $(, $arg)*);
            }
            let name = const { match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("no zero byte is in a name"),
            } };
            let address = NEXT.get_or_init(|| next(name).expose_provenance());
            let function = std::ptr::with_exposed_provenance::<c_void>(*address);
            // SAFETY: libc's function of this name has this type.
            let function = unsafe { std::mem::transmute::<*const c_void, Function>(function) };
            // SAFETY: by the caller's promise.
            unsafe { function($path $(, $arg)*) }
        }
    )* };
}

/// Opens a stream of a descriptor, for reading.
fn stream(file: c_int, _mode: *const c_char) -> *mut libc::FILE {
    // SAFETY: an open descriptor, which the stream then owns.
    unsafe { libc::fdopen(file, c"r".as_ptr()) }
}

opens! {
    open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int, |file, _flags, _mode| file;
    open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int, |file, _flags, _mode| file;
    fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE, stream;
    fopen64(path: *const c_char, mode: *const c_char) -> *mut libc::FILE, stream;
}
