//! Export targets.

use std::fmt;
use std::str::FromStr;

/// The target of an export (Vega ISA, 12.17 "EXPORT"), by its number.
///
/// ```
/// use wavetank::stage::ExportTarget;
/// assert_eq!("pos1".parse(), Ok(ExportTarget(13)));
/// assert_eq!(ExportTarget(32).to_string(), "param0");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExportTarget(pub u8);

impl ExportTarget {
    /// A color, MRT 0 to 7, or depth, or nothing (a pixel that only says that it is valid).
    pub fn is_of_pixels(self) -> bool {
        matches!(self.0, 0..=9)
    }

    /// A position or a parameter.
    pub fn is_of_vertices(self) -> bool {
        matches!(self.0, 12..=15 | 32..=63)
    }
}

impl fmt::Display for ExportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            8 => f.write_str("mrtz"),
            9 => f.write_str("null"),
            n @ 0..=7 => write!(f, "mrt{n}"),
            n @ 12..=15 => write!(f, "pos{}", n - 12),
            n @ 32..=63 => write!(f, "param{}", n - 32),
            n => write!(f, "target {n}"),
        }
    }
}

/// The error for a text that is not a target.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is not a target of an export; there are mrt0 to mrt7, mrtz, null, pos0 to pos3 and param0 to param31"
)]
pub struct UnknownTarget(String);

impl FromStr for ExportTarget {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Self, UnknownTarget> {
        let mut all = (0..64).map(ExportTarget);
        let found = all.find(|target| target.to_string() == text);
        found.ok_or_else(|| UnknownTarget(wavetank_quote::plain(text).to_string()))
    }
}
