//! Declaration of the functions of the C interface: versioning, guarding and logging.

use std::fmt::{Debug, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use crate::c_types::Result;
use crate::c_types::Status;
use crate::log;
use crate::observe::profile;
use crate::state;

/// Declares exported functions that return a status.
///
/// **The program's promise**, on which SAFETY comments rest: a pointer of a program is null, or points to an object that the
/// headers specify for the parameter, readable, or writable for a result, during the call; an array has as many elements as its
/// count says. The body checks for null.
///
/// A body is Rust code that returns a [`Result`]; it never unwinds to the program.
///
/// The linker has each function as `NAME@@ROCR_1`, the version that clients are linked with.
macro_rules! calls {
    ($($(#[$doc:meta])* $(($before:ident))? fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => { $(
        $(#[$doc])*
        #[unsafe(export_name = concat!("wt_", stringify!($name)))]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> crate::c_types::Status {
            #[allow(unused_mut, unused_assignments)]
            let mut early = false;
            $(early = stringify!($before) == "early";)?
            let arguments: &[(&str, &dyn std::fmt::Debug)] = &[$((stringify!($arg), &$arg)),*];
            crate::call::guarded(stringify!($name), early, arguments, || $body)
        }
        std::arch::global_asm!(concat!(
            ".symver wt_", stringify!($name), ", ", stringify!($name), "@@ROCR_1"
        ));
    )* };
}

/// Declares exported functions that return a plain value, or nothing: operations on signals and queue indices.
macro_rules! operations {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => { $(
        $(#[$doc])*
        #[unsafe(export_name = concat!("wt_", stringify!($name)))]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
        std::arch::global_asm!(concat!(
            ".symver wt_", stringify!($name), ", ", stringify!($name), "@@ROCR_1"
        ));
    )* };
}

/// Declares exported functions that differ only in their name: the memory orders of one operation. Parameters, return type and
/// body come first, the names after them.
macro_rules! same {
    ([$($params:tt)*] [$($ret:tt)*] $body:tt) => {};
    ([$($params:tt)*] [$($ret:tt)*] $body:tt $name:ident $($rest:ident)*) => {
        crate::call::operations! { fn $name($($params)*) $($ret)* $body }
        crate::call::same! { [$($params)*] [$($ret)*] $body $($rest)* }
    };
}

pub(crate) use {calls, operations, same};

/// Runs the body of a call. `early` calls are allowed before `hsa_init`.
pub(crate) fn guarded(
    name: &str,
    early: bool,
    arguments: &[(&str, &dyn Debug)],
    body: impl FnOnce() -> Result,
) -> Status {
    let status = profile::calls(name, || match state::usable() {
        Err(status) if !early || status != Status::ERROR_NOT_INITIALIZED => status,
        _ => match catch_unwind(AssertUnwindSafe(body)) {
            Ok(Ok(())) => Status::SUCCESS,
            Ok(Err(status)) => status,
            // The panic has printed its message on stderr.
            Err(_) => Status::ERROR,
        },
    });
    if log::traces() {
        let mut text = format!("{name}(");
        for (n, (argument, value)) in arguments.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(text, "{comma}{argument}: {value:?}");
        }
        log::line(&format!("{text}) = {status:?}"));
    }
    status
}

/// Writes a result through a pointer of the caller.
///
/// # Safety
/// The pointer is null, or points to room for a `T`, aligned or not.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) -> Result {
    if to.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: not null, so there is room.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Reads a text of the caller.
///
/// # Safety
/// The pointer is null, or points to a text that ends with a zero byte and stays as it is.
pub(crate) unsafe fn text<'a>(from: *const std::ffi::c_char) -> Result<&'a str> {
    if from.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: not null, so a text.
    let text = unsafe { std::ffi::CStr::from_ptr(from) };
    text.to_str().map_err(|_| Status::ERROR_INVALID_ARGUMENT)
}

/// Calls a callback for each item, until one returns an error.
pub(crate) fn traverse<T>(
    items: impl IntoIterator<Item = T>,
    mut callback: impl FnMut(T) -> Status,
) -> Result {
    for item in items {
        match callback(item) {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}
