//! Patterns for names, with wildcards.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use wavetank_quote::{function, readable};
use wildmatch::WildMatch;

/// A text in which `*` stands for any characters, and `?` for one.
///
/// ```
/// use wavetank_check::Pattern;
/// let pattern = Pattern::new("reduce_*");
/// assert!(pattern.fits("reduce_sum") && !pattern.fits("my_reduce_sum"));
/// assert!(Pattern::new("axpy*").fits_name("_Z4axpyPf"));
/// assert!(Pattern::new("ns::axpy").fits_name("_ZN2ns4axpyIfEEvT_PKS1_"));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern(WildMatch);

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Pattern {
    /// Makes a pattern from its text.
    pub fn new(text: &str) -> Pattern {
        Pattern(WildMatch::new(text))
    }

    /// Whether the whole text matches the pattern.
    pub fn fits(&self, text: &str) -> bool {
        self.0.matches(text)
    }

    /// Whether a symbol matches, by its own name or by its C++ name with parameters, without them, or without template arguments.
    pub fn fits_name(&self, symbol: &str) -> bool {
        let function = function(symbol);
        let template = template(&function);
        self.fits(symbol)
            || self.fits(&readable(symbol))
            || self.fits(&function)
            || template.is_some_and(|template| self.fits(template))
    }
}

/// Returns the name of a function's template, `ns::axpy` for `ns::axpy<float>`.
fn template(function: &str) -> Option<&str> {
    let mut open = 0;
    let within = |c| {
        match c {
            '>' => open += 1,
            '<' => open -= 1,
            _ => {}
        }
        open == 0
    };
    let start = function
        .strip_suffix('>')
        .and(function.rfind(within))
        .filter(|start| *start > 0)?;
    Some(&function[..start])
}

impl FromStr for Pattern {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Pattern, Infallible> {
        Ok(Pattern::new(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_stand_before_their_arguments() {
        assert_eq!(template("axpy"), None);
        assert_eq!(template("ns::axpy<float>"), Some("ns::axpy"));
        assert_eq!(
            template("a<b<int>, 2>::c<d<float> >"),
            Some("a<b<int>, 2>::c")
        );
        assert_eq!(template("operator>"), None);
        assert_eq!(template("<int>"), None);
    }
}
