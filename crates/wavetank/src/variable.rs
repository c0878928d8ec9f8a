//! Settings that come from the environment.

use crate::error::{Error, Result};

/// What an environment variable says, if it is set.
///
/// # Errors
/// [`Error::Variable`] if it is none of the things that are `wanted`.
pub(crate) fn read<T>(
    name: &'static str,
    wanted: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(None);
    };
    match value.to_str().and_then(parse) {
        Some(parsed) => Ok(Some(parsed)),
        None => Err(Error::Variable {
            name,
            value: value.to_string_lossy().into_owned(),
            wanted,
        }),
    }
}

/// Reads a switch.
pub(crate) fn switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}
