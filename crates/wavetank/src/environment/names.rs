//! The names of all variables, to find those that are misspelt.

use std::ffi::OsString;

use wavetank_quote::{plain, similar};

/// The prefix of every variable's name.
const PREFIX: &str = "WAVETANK_";

/// The variables for users.
const VARIABLES: [&str; 26] = [
    "WAVETANK_CAPTURE",
    "WAVETANK_CAPTURE_KERNEL",
    "WAVETANK_CAPTURE_LAUNCH",
    "WAVETANK_CHECK",
    "WAVETANK_CHECK_ASM",
    "WAVETANK_CHECK_JSON",
    "WAVETANK_CHECK_KERNEL",
    "WAVETANK_CHECK_LAUNCH",
    "WAVETANK_CHECK_LEAKS",
    "WAVETANK_CHECK_MAX",
    "WAVETANK_CHECK_STACKS",
    "WAVETANK_CHECK_STOP",
    "WAVETANK_CHECK_SUPPRESSIONS",
    "WAVETANK_ENGINE",
    "WAVETANK_GPU",
    "WAVETANK_LOG",
    "WAVETANK_LOG_TO",
    "WAVETANK_MEMORY",
    "WAVETANK_PERF",
    "WAVETANK_PROFILE",
    "WAVETANK_SCHEDULE",
    "WAVETANK_SIMD",
    "WAVETANK_STACK",
    "WAVETANK_STATS",
    "WAVETANK_STRICT",
    "WAVETANK_THREADS",
];

/// The variables that the command sets for the library in a program.
const OF_COMMAND: [&str; 10] = [
    "WAVETANK_CAPTURED_TO",
    "WAVETANK_CHECK_TO",
    "WAVETANK_CHECK_UNTIL",
    "WAVETANK_DRIVER",
    "WAVETANK_END_AT",
    "WAVETANK_FAULT_TO",
    "WAVETANK_FIDELITY_TO",
    "WAVETANK_LOST_TO",
    "WAVETANK_REPLAY_TRIES",
    "WAVETANK_STATS_TO",
];

/// The variables of this project's builds and tests, which may be set where they run the command.
const OF_TESTS: [&str; 9] = [
    "WAVETANK_BLOCKS",
    "WAVETANK_BUILD",
    "WAVETANK_EMBED",
    "WAVETANK_KERNELS",
    "WAVETANK_NO_ROCM",
    "WAVETANK_NO_SHARED",
    "WAVETANK_SEED",
    "WAVETANK_SHARED",
    "WAVETANK_STACKS",
];

/// Returns a sentence for each variable whose name begins as ours do, and which has no effect.
///
/// ```
/// use wavetank::environment::unknown_variables;
///
/// let sentences = unknown_variables(["HOME".into(), "WAVETANK_GPU".into(), "WAVETANK_THREAD".into()]);
/// assert_eq!(sentences, ["WAVETANK_THREAD has no effect: there is no such variable; did you mean WAVETANK_THREADS?"]);
/// ```
pub fn unknown_variables(names: impl IntoIterator<Item = OsString>) -> Vec<String> {
    let known = [&VARIABLES[..], &OF_COMMAND, &OF_TESTS];
    let names = names.into_iter();
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let is_unknown =
        |name: &String| name.starts_with(PREFIX) && !known.iter().any(|all| all.contains(&&**name));
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort_unstable();
    unknown.iter().map(|name| sentence(name)).collect()
}

fn sentence(name: &str) -> String {
    let start = format!("{} has no effect: there is no such variable", plain(name));
    // The prefix, which all have, would make all of them similar.
    let rest = |name: &'static str| &name[PREFIX.len()..];
    let (near, meant) = similar(&name[PREFIX.len()..], VARIABLES.map(rest));
    match near.first() {
        Some(near) if meant => format!("{start}; did you mean {PREFIX}{near}?"),
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Settings;

    /// Every variable that settings are read from has a name here.
    #[test]
    fn variables_that_are_read_are_known() {
        let read = std::cell::RefCell::new(Vec::new());
        let settings = Settings::read(|name| {
            read.borrow_mut().push(OsString::from(name));
            None
        });
        assert!(settings.is_ok());
        let read = read.into_inner();
        assert!(read.len() >= 16, "{read:?}");
        assert_eq!(unknown_variables(read), Vec::<String>::new());
    }

    #[test]
    fn only_a_similar_name_is_offered() {
        let of = |name: &str| unknown_variables([name.into()]).join("");
        assert!(of("WAVETANK_GPUS").ends_with("did you mean WAVETANK_GPU?"));
        assert!(of("WAVETANK_XYZ").ends_with("there is no such variable"));
        assert_eq!(of("WAVE_GPUS"), "");
    }
}
