//! The binary formats of CLRX.

use crate::source::{Cursor, SyntaxError, syntax_error};

/// The binary format of CLRX's output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// AMD Catalyst's format of OpenCL 1.2, CLRX's default.
    Amd,
    /// AMD Catalyst's format of OpenCL 2.0.
    AmdCl2,
    /// The format of Mesa's drivers.
    Gallium,
    /// ROCm's code object of version 2.
    Rocm,
    /// Instructions without a container.
    Raw,
}

impl Format {
    const NAMES: [(&'static str, Format, i64); 6] = [
        ("amd", Format::Amd, 0),
        ("catalyst", Format::Amd, 0),
        ("gallium", Format::Gallium, 1),
        ("raw", Format::Raw, 2),
        ("amdcl2", Format::AmdCl2, 3),
        ("rocm", Format::Rocm, 4),
    ];

    /// Reads the name of a format.
    pub(crate) fn named(cursor: &mut Cursor<'_>) -> Result<Format, SyntaxError> {
        let place = cursor.span();
        let name = cursor.piece();
        let row = Format::NAMES
            .iter()
            .find(|row| row.0.eq_ignore_ascii_case(name));
        let message = || format!("`{name}` is none of amd, amdcl2, gallium, rocm, raw");
        row.map(|row| row.1)
            .ok_or_else(|| syntax_error(place, message()))
    }

    /// Returns the number of the format for `.get_format`.
    pub(crate) fn number(self) -> i64 {
        let row = Format::NAMES.iter().find(|row| row.1 == self);
        row.map_or(0, |row| row.2)
    }
}
