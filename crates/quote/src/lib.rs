//! Foreign text in messages: names of kernels, source lines, words of a command.
//!
//! * [`plain`] escapes characters that a terminal would obey.
//! * [`brief`] escapes a sentence in the same way, and shortens it if it quotes a megabyte.
//! * [`some_of`] lists names, but not a hundred thousand of them.
//! * [`readable`] and [`function`] return the source form of C++ names.
//! * [`snippet`] shows a wrong place under its line.
//! * [`character_of`] represents a byte that is not text.
//! * [`similar`] finds the names that a wrong name may stand for.
//!
//! ```
//! use wavetank_quote::{plain, similar, some_of};
//!
//! assert_eq!(plain("a\u{1b}[2Jb").to_string(), "a\\u{1b}[2Jb");
//! let names = ["vecsub", "vecadd", "mandel"];
//! assert_eq!(some_of(&names), "vecsub, vecadd, mandel");
//! let (near, meant) = similar("vecad", names);
//! assert_eq!((near[0], meant), ("vecadd", true));
//! ```

#![warn(missing_docs)]

mod bytes;
mod demangle;
mod snippet;

use std::fmt::{self, Display, Write};

pub use bytes::{byte_of, character_of};
pub use demangle::{function, readable};
pub use snippet::snippet;

/// Limit of the names in a list.
pub const LISTED: usize = 10;
/// Limit of the characters in a sentence.
const BRIEF: usize = 240;
/// The likeness (Jaro and Winkler's, 0 to 1) from which on a name is suggested.
const ALIKE: f64 = 0.7;

/// Foreign text, displayed with escapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plain<'a>(&'a str);

/// Shows a text with escapes for all invisible characters: those that terminals obey (colours, titles, carriage returns), and
/// those that change the direction of text.
pub fn plain(text: &str) -> Plain<'_> {
    Plain(text)
}

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            // `escape_debug` escapes these characters, which only a literal needs.
            '\\' | '\'' | '"' => f.write_char(c),
            _ => match byte_of(c) {
                Some(byte) => write!(f, "\\x{byte:02x}"),
                None => write!(f, "{}", c.escape_debug()),
            },
        })
    }
}

/// Returns a text of several lines in [`plain`] characters; ends of lines and tabs stay.
pub fn plain_lines(text: &str) -> String {
    let kept = |c| matches!(c, '\n' | '\t');
    let pieces = text.split_inclusive(kept).map(|piece| {
        let end = piece.strip_suffix(kept).map_or(piece.len(), str::len);
        format!("{}{}", plain(&piece[..end]), &piece[end..])
    });
    pieces.collect()
}

/// Returns a sentence in [`plain`] characters. A long one, which quotes something long, is cut in the middle.
pub fn brief(text: &str) -> String {
    let count = text.chars().count();
    if count <= BRIEF {
        return plain(text).to_string();
    }
    let start: String = text.chars().take(BRIEF / 2).collect();
    let end: String = text.chars().skip(count - BRIEF / 4).collect();
    format!("{} … {}", plain(&start), plain(&end))
}

/// Returns the first ten names, and the number of the others.
pub fn some_of<S: AsRef<str>>(names: &[S]) -> String {
    let shown = names.iter().take(LISTED);
    let shown: Vec<String> = shown.map(|n| plain(n.as_ref()).to_string()).collect();
    let list = shown.join(", ");
    match names.len() - shown.len() {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

/// Returns names in the order of their likeness to `name`, and whether the first is similar enough for a suggestion. Equally
/// similar names keep their order.
pub fn similar<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> (Vec<&'a str>, bool) {
    let likeness = |other: &'a str| (strsim::jaro_winkler(name, other), other);
    let mut all: Vec<(f64, &str)> = names.into_iter().map(likeness).collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let meant = all.first().is_some_and(|(likeness, _)| *likeness > ALIKE);
    (all.into_iter().map(|(_, name)| name).collect(), meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let shown = |text| plain(text).to_string();
        assert_eq!(shown("\x1b]0;title\x07"), "\\u{1b}]0;title\\u{7}");
        assert_eq!(
            shown("a\r\nb\tc\u{9b}m\u{7f}"),
            "a\\r\\nb\\tc\\u{9b}m\\u{7f}"
        );
        assert_eq!(plain_lines("a\x1b\n\tb\r\n"), "a\\u{1b}\n\tb\\r\n");
        assert_eq!(shown("left\u{202e}right"), "left\\u{202e}right");
        assert_eq!(shown("_Z3fooPi \"é\" 'Ω' \\n"), "_Z3fooPi \"é\" 'Ω' \\n");
    }

    #[test]
    fn long_quotes_are_cut() {
        let sentence = |n| format!("`{}\x07` is not an instruction", "x".repeat(n));
        assert_eq!(brief(&sentence(2)), "`xx\\u{7}` is not an instruction");
        let text = brief(&sentence(10 << 20));
        assert!(text.starts_with("`xxx") && text.contains("x … x"), "{text}");
        assert!(text.ends_with("x\\u{7}` is not an instruction") && text.len() < 250);
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..100_000).map(|n| format!("k{n}")).collect();
        let list = some_of(&names);
        assert!(list.starts_with("k0, k1, ") && list.ends_with("k9 and 99990 more"));
        assert_eq!(some_of(&names[..10]).matches(", ").count(), 9);
        assert_eq!(some_of::<&str>(&[]), "");
    }

    #[test]
    fn the_nearest_stands_first() {
        let (near, meant) = similar("mandl", ["vecadd", "mandel_d", "mandel"]);
        assert_eq!((near[0], near[1], meant), ("mandel", "mandel_d", true));
        let (near, meant) = similar("xyz", ["b", "a"]);
        assert_eq!((near, meant), (vec!["b", "a"], false));
    }
}
