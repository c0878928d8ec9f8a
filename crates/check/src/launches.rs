//! Launches of a program, selected by their numbers.

use std::fmt;
use std::str::FromStr;

/// Numbers of launches: `3,7..9,20..`.
///
/// ```
/// use wavetank_check::Launches;
///
/// let some: Launches = "3,7..9,20..".parse()?;
/// let has: Vec<u64> = (1..=21).filter(|n| some.has(*n)).collect();
/// assert_eq!(has, [3, 7, 8, 9, 20, 21]);
/// # Ok::<(), wavetank_check::BadLaunches>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launches {
    text: String,
    /// The first and the last number of each part.
    parts: Vec<(u64, u64)>,
}

/// The error of a text that is not a list of numbers of launches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLaunches(String);

impl fmt::Display for BadLaunches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = wavetank_quote::plain(&self.0);
        write!(
            f,
            "`{part}` is not a number of a launch, from 1 on, or a range of them; write 3, 7..9 or 3,7..9,20.."
        )
    }
}

impl std::error::Error for BadLaunches {}

impl Launches {
    /// Whether a launch is selected; the first one is 1.
    pub fn has(&self, number: u64) -> bool {
        let is_in = |(first, last): &(u64, u64)| (*first..=*last).contains(&number);
        self.parts.iter().any(is_in)
    }
}

impl fmt::Display for Launches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Launches {
    type Err = BadLaunches;

    fn from_str(text: &str) -> Result<Launches, BadLaunches> {
        let part = |part: &str| {
            let part = part.trim();
            range(part).ok_or_else(|| BadLaunches(part.to_owned()))
        };
        let parts: Result<Vec<_>, _> = text.split(',').map(part).collect();
        Ok(Launches {
            text: text.trim().to_owned(),
            parts: parts?,
        })
    }
}

/// Reads `7`, `7..9` or `7..`, both ends included.
fn range(part: &str) -> Option<(u64, u64)> {
    let number = |text: &str| {
        let number: Option<u64> = text.trim().parse().ok();
        number.filter(|number| *number > 0)
    };
    let (first, last) = match part.split_once("..") {
        None => (number(part)?, number(part)?),
        Some((first, "")) => (number(first)?, u64::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_select_launches() {
        let of = |text: &str| -> Vec<u64> {
            let launches: Launches = text.parse().expect(text);
            (0..12).filter(|number| launches.has(*number)).collect()
        };
        assert_eq!(of("3"), [3]);
        assert_eq!(of("3..5"), [3, 4, 5]);
        assert_eq!(of(" 1, 9.. "), [1, 9, 10, 11]);
        for bad in [
            "", "0", "0..3", "5..3", "..3", "3-5", "a", "1,", "1..2..3", "-1",
        ] {
            let error = bad.parse::<Launches>().expect_err(bad).to_string();
            assert!(error.contains("write 3, 7..9"), "{error}");
        }
    }
}
