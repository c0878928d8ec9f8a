//! Notes about calls that do less than they seem to: options after the program, and variables of real drivers.

use std::ffi::{OsStr, OsString};

use wavetank::{Chip, DEFAULT_CHIP};
use wavetank_quote::plain;

/// The variable with which ROCm takes one GPU for another.
pub(super) const OVERRIDE: &str = "HSA_OVERRIDE_GFX_VERSION";

/// Returns the note about a value of [`OVERRIDE`], such as 9.0.0, if there is one.
pub(super) fn of_override(value: Option<OsString>) -> Option<String> {
    let value = value.filter(|value| !value.is_empty())?;
    let value = value.to_string_lossy();
    let name = chip_of(&value).map_or(DEFAULT_CHIP.name(), Chip::name);
    Some(format!(
        "note: {OVERRIDE}={} has no effect: the program finds a GPU that it has code for, or that of --gpu, as in --gpu {name}",
        plain(&value)
    ))
}

/// Returns the chip of a version: 9.0.6 is gfx906.
fn chip_of(version: &str) -> Option<Chip> {
    let numbers: Result<Vec<u8>, _> = version.split('.').map(str::parse::<u8>).collect();
    match numbers.ok()?.as_slice() {
        [major, minor, stepping] => {
            let chip = Chip::from_name(&format!("gfx{major}{minor}{stepping:x}"));
            chip.filter(|chip| Chip::EXECUTED.contains(chip))
        }
        _ => None,
    }
}

/// Returns the note about the first word after a program that is an option of this command as well, but for those that are
/// given before it.
pub(super) fn of_words(program: &[OsString], given: &[(&str, bool)]) -> Option<String> {
    let (program, words) = program.split_first()?;
    let is_option = |word: &OsStr, option: &str| {
        let word = word.to_string_lossy();
        word.strip_prefix(option)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let mut missing = given.iter().filter(|(_, is_given)| !is_given);
    let (option, _) =
        missing.find(|(option, _)| words.iter().any(|word| is_option(word, option)))?;
    let program = program.to_string_lossy();
    Some(format!(
        "note: {option} went to the program, since it stands after it; for this command write `wavetank run {option} … {}`",
        plain(&program)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_names_the_option() {
        let of = |value: &str| of_override(Some(value.into()));
        let text = of("9.0.6").unwrap();
        assert!(text.starts_with("note: HSA_OVERRIDE_GFX_VERSION=9.0.6 has no effect"));
        assert!(text.ends_with("as in --gpu gfx906"), "{text}");
        assert!(of("9.0.12").unwrap().ends_with("as in --gpu gfx90c"));
        for other in ["10.3.0", "9", "nine", "9.0.0.0"] {
            assert!(
                of(other).unwrap().ends_with("as in --gpu gfx900"),
                "{other}"
            );
        }
        assert_eq!(of(""), None);
        assert_eq!(of_override(None), None);
    }

    #[test]
    fn an_option_after_the_program_is_noted() {
        let note = |words: &str, given: &[(&str, bool)]| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            of_words(&words, given)
        };
        let options = [("--stats", false), ("--gpu", false)];
        let text = note("./a.out 5 --stats", &options).unwrap();
        assert!(
            text.contains("write `wavetank run --stats … ./a.out`"),
            "{text}"
        );
        assert!(
            note("./a.out --gpu=gfx906", &options)
                .unwrap()
                .starts_with("note: --gpu went")
        );
        for words in [
            "./a.out",
            "./a.out --statistics",
            "--stats 5",
            "./a.out stats",
        ] {
            assert_eq!(note(words, &options), None, "{words}");
        }
        assert_eq!(note("./a.out --stats", &[("--stats", true)]), None);
    }
}
