//! Typed look-ups in a metadata tree, with errors that name the field and its place.

use std::fmt;

use rmpv::ValueRef;

use crate::error::{Error, Result};

/// Returns the error of wrong metadata.
pub(crate) fn bad(problem: String) -> Error {
    Error::BadMetadata { problem }
}

/// The members of one map of the tree.
///
/// MessagePack has typed scalars, the YAML of version 2 has only text; both are accepted for numbers and truth values.
pub(super) struct Fields<'a> {
    pairs: &'a [(ValueRef<'a>, ValueRef<'a>)],
    place: Place<'a>,
}

/// The place of a map in the tree, for errors.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// The root of the note.
    Root,
    /// The entry of a kernel, by index.
    Kernel(usize),
    /// The entry of an argument, by index, and the name of its kernel.
    Arg(usize, &'a str),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("the metadata"),
            Self::Kernel(n) => write!(f, "kernel {n} of the metadata"),
            Self::Arg(n, kernel) => write!(f, "argument {n} of kernel `{kernel}`"),
        }
    }
}

impl<'a> Fields<'a> {
    /// Returns the members of `value`; `place` names it in errors.
    pub(super) fn new(value: &'a ValueRef<'a>, place: Place<'a>) -> Result<Self> {
        match value {
            ValueRef::Map(pairs) => Ok(Self { pairs, place }),
            _ => Err(bad(format!("{place} is not a map"))),
        }
    }

    /// Returns the place of this map.
    pub(super) fn place(&self) -> Place<'a> {
        self.place
    }

    fn get(&self, key: &str) -> Option<&'a ValueRef<'a>> {
        let found = self.pairs.iter().find(|(k, _)| text(k) == Some(key));
        found.map(|(_, value)| value)
    }

    fn wrong(&self, key: &str, wanted: &str) -> crate::error::Error {
        bad(format!("{key} of {} is not {wanted}", self.place))
    }

    /// Returns a list; a missing one is empty.
    pub(super) fn list(&self, key: &str) -> Result<&'a [ValueRef<'a>]> {
        match self.get(key) {
            None => Ok(&[]),
            Some(ValueRef::Array(items)) => Ok(items),
            Some(_) => Err(self.wrong(key, "a list")),
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match text(value) {
            Some(text) => Ok(Some(text)),
            None => Err(self.wrong(key, "a string")),
        }
    }

    pub(super) fn required_text(&self, key: &str) -> Result<&'a str> {
        self.text(key)?
            .ok_or_else(|| bad(format!("{} has no {key}", self.place)))
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<u32>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match as_u32(value) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(key, "a 32-bit number")),
        }
    }

    pub(super) fn required_number(&self, key: &str) -> Result<u32> {
        self.number(key)?
            .ok_or_else(|| bad(format!("{} has no {key}", self.place)))
    }

    /// Returns a number that must be a power of two.
    pub(super) fn alignment(&self, key: &str) -> Result<Option<u32>> {
        let align = self.number(key)?;
        match align {
            // GCC writes 0 if a kernel has no arguments.
            Some(0) => Ok(Some(1)),
            Some(align) if !align.is_power_of_two() => Err(self.wrong(key, "a power of two")),
            _ => Ok(align),
        }
    }

    /// Returns a list of exactly `N` numbers.
    pub(super) fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[u32; N]>> {
        if self.get(key).is_none() {
            return Ok(None);
        }
        let items = self.list(key)?;
        let numbers: Option<Vec<u32>> = items.iter().map(as_u32).collect();
        match numbers.and_then(|numbers| numbers.try_into().ok()) {
            Some(numbers) => Ok(Some(numbers)),
            None => Err(self.wrong(key, &format!("a list of {N} numbers"))),
        }
    }

    /// Returns a truth value; a missing one is false.
    pub(super) fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(ValueRef::Boolean(flag)) => Ok(*flag),
            // Some writers of version 3 metadata use 1 and 0 here.
            Some(value) => match (text(value), value.as_u64()) {
                (Some("true"), _) | (_, Some(1)) => Ok(true),
                (Some("false"), _) | (_, Some(0)) => Ok(false),
                _ => Err(self.wrong(key, "true or false")),
            },
        }
    }
}

/// Returns the text of a string.
pub(super) fn text<'a>(value: &'a ValueRef<'a>) -> Option<&'a str> {
    match value {
        ValueRef::String(text) => text.as_str(),
        _ => None,
    }
}

fn as_u32(value: &ValueRef) -> Option<u32> {
    match text(value) {
        Some(text) => text.parse().ok(),
        None => value.as_u64().and_then(|number| number.try_into().ok()),
    }
}
