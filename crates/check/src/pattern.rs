//! Patterns of names.

use std::convert::Infallible;
use std::str::FromStr;

use wavetank_quote::readable;
use wildmatch::WildMatch;

/// A text in which `*` stands for any characters, and `?` for one.
///
/// ```
/// use wavetank_check::Pattern;
/// let pattern = Pattern::new("reduce_*");
/// assert!(pattern.fits("reduce_sum") && !pattern.fits("my_reduce_sum"));
/// assert!(Pattern::new("axpy*").fits_name("_Z4axpyPf"));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern(WildMatch);

impl Pattern {
    /// The pattern that a text is.
    pub fn new(text: &str) -> Pattern {
        Pattern(WildMatch::new(text))
    }

    /// Whether a text is as the pattern says, all of it.
    pub fn fits(&self, text: &str) -> bool {
        self.0.matches(text)
    }

    /// Whether a symbol is, by its own name or by that of C++.
    pub fn fits_name(&self, symbol: &str) -> bool {
        self.fits(symbol) || self.fits(&readable(symbol))
    }
}

impl FromStr for Pattern {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Pattern, Infallible> {
        Ok(Pattern::new(text))
    }
}
