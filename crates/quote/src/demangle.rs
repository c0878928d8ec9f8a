//! Demangling of C++ function names: `_Z4overPiii` to `over(int*, int, int)`.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};

use crate::plain;

/// Limit of a demangled name in bytes. Names of templates rarely exceed it, and a few bytes can stand for an unlimited name.
const LONGEST: usize = 4096;

/// Returns a function's name in source form, with its parameters, in [`plain`] characters; any other name is unchanged.
///
/// ```
/// use wavetank_quote::{function, readable};
/// assert_eq!(readable("_Z4overPiii"), "over(int*, int, int)");
/// assert_eq!(function("_Z4overPiii"), "over");
/// assert_eq!(readable("_ZN2ns4axpyIfEEvT_PKS1_"), "ns::axpy<float>(float, float const*)");
/// assert_eq!(readable("vecadd"), "vecadd");
/// ```
pub fn readable(name: &str) -> String {
    shown(name, DemangleOptions::new().no_return_type())
}

/// Returns the name as [`readable`] does, without the parameters.
pub fn function(name: &str) -> String {
    shown(name, DemangleOptions::new().no_return_type().no_params())
}

fn shown(name: &str, options: DemangleOptions) -> String {
    let source = name.starts_with("_Z").then(|| source(name, &options));
    let source = source.flatten();
    plain(source.as_deref().unwrap_or(name)).to_string()
}

/// Returns the name in source form, if it can be demangled.
fn source(name: &str, options: &DemangleOptions) -> Option<String> {
    let mut text = Bounded(String::new());
    let symbol = Symbol::new(name).ok()?;
    symbol.structured_demangle(&mut text, options).ok()?;
    Some(text.0)
}

/// A text of at most [`LONGEST`] bytes.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.0.len() + text.len() {
            0..=LONGEST => self.0.write_str(text),
            _ => Err(fmt::Error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_name_of_cpp_stays() {
        for name in [
            "",
            "_Z",
            "_Zzz",
            "_Z99x",
            "main",
            "__omp_offloading_fd00_1_main_l12",
        ] {
            assert_eq!(readable(name), name);
        }
        assert_eq!(readable("a\x1b"), "a\\u{1b}");
    }

    /// Each parameter is a function of the one before, twice: 2^64 characters.
    #[test]
    fn names_without_end_stay() {
        let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars();
        let pairs: String = digits.map(|d| format!("FS{d}_S{d}_E")).collect();
        let name = format!("_Z1kFS_S_E{pairs}");
        let shown = readable(&name);
        assert!(shown.len() <= LONGEST.max(name.len()), "{}", shown.len());
    }
}
