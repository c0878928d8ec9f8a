//! Settings in environment variables, for programs that were not written for this library: `WAVETANK_GPU`, `WAVETANK_MEMORY`,
//! `WAVETANK_LOG`, `WAVETANK_STATS`, `WAVETANK_CHECK`; and for every device, the settings of kernels ([`KernelSettings`]).
//!
//! Both the library inside a program and the command that starts the program read them here, so that both refuse the same values
//! with the same sentence.

mod kernels;
mod names;
mod selection;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use wavetank_check::{BadLaunches, Tools, UnknownTool};
use wavetank_gcn::Chip;

use crate::capture::Captures;
use crate::chips::{ChipFacts, DEFAULT_CHIP};
use crate::host;

pub use crate::error::WrongSetting;
pub use kernels::KernelSettings;
pub use names::unknown_variables;
pub use selection::Selection;

/// The minimum memory of a GPU: a smaller size lacks its unit.
const LEAST_MEMORY: u64 = 1 << 20;
/// The maximum memory of a GPU: the address space of a process.
const MAX_MEMORY: u64 = 1 << 47;

/// The amount of logging while a program runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Log {
    /// Only errors are logged.
    Errors,
    /// Errors, and a line for each dispatch.
    Info,
    /// Errors, dispatches, and a line for each call of the interface.
    Trace,
}

impl FromStr for Log {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Ok(Log::Errors),
            "info" => Ok(Log::Info),
            "trace" => Ok(Log::Trace),
            _ => Err(format!(
                "{text:?} is not a level of the log; write info or trace"
            )),
        }
    }
}

/// A GPU that a program finds: `gfx900`, `MI210`, `gfx900:8G`, `gfx906:sramecc-:xnack-:512M`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// The chip, or a product with it.
    pub facts: &'static ChipFacts,
    /// The size of its memory in bytes, if it is set.
    pub memory: Option<u64>,
}

impl FromStr for Gpu {
    type Err = String;

    /// Parses a chip, its features, as in a target ID, and the size of its memory, which begins with a digit.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let suffixes: Vec<&str> = parts.collect();
        if suffixes.contains(&"") {
            let text = text.escape_debug();
            return Err(format!(
                "`{text}` has a colon with nothing after it; write {name} or {name}:8G"
            ));
        }
        let facts = ChipFacts::named(name)?;
        if !facts.has_queues() {
            return Err(format!(
                "{} takes no packets of HSA, which begins with gfx700: `wavetank launch` runs its kernels",
                facts.chip
            ));
        }
        let is_size = |suffix: &&str| suffix.starts_with(|c: char| c.is_ascii_digit());
        let (sizes, features): (Vec<&str>, Vec<&str>) = suffixes.into_iter().partition(is_size);
        let features: String = features.iter().map(|name| format!(":{name}")).collect();
        facts.check_features(&features)?;
        let memory = match sizes.as_slice() {
            [] => None,
            [size] => Some(bytes(size)?),
            _ => return Err(format!("`{}` has two sizes of memory", text.escape_debug())),
        };
        Ok(Gpu { facts, memory })
    }
}

impl Gpu {
    /// The chip.
    pub fn chip(&self) -> Chip {
        self.facts.chip
    }
}

/// Reads a size: `8G`, `512M`, `1073741824`.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        _ => None,
    };
    let number = digits.parse::<u64>().ok().zip(shift);
    let bytes = number.and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes
        .filter(|bytes| (LEAST_MEMORY..=MAX_MEMORY).contains(bytes))
        .ok_or_else(|| {
            let text = text.escape_debug();
            format!("`{text}` is not a size of memory; write 512M, 8G or another from 1M to 128T")
        })
}

/// All settings of a process.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The GPUs that the program finds, at least one.
    pub gpus: Vec<Gpu>,
    /// The amount of logging.
    pub log: Log,
    /// Whether a table of kernels is printed at the end.
    pub stats: bool,
    /// The tools that check kernels.
    pub check: Tools,
    /// The launches that they check, and the findings that are reported.
    pub selection: Selection,
    /// Whether kernels stop at the first denied access.
    pub stop_at_first: bool,
    /// Whether findings show machine code even where the lines of the source are known.
    pub machine_code: bool,
    /// Whether findings show all calls of the host, not only the lines of the program itself.
    pub stacks: bool,
    /// Whether memory that the program still holds at its end is reported.
    pub leaks: bool,
    /// The launches that are captured, if any are.
    pub capture: Option<Captures>,
    /// The file for the counts of kernels, or the folder for a file of each process.
    pub profile: Option<PathBuf>,
    /// The settings of kernels.
    pub kernels: KernelSettings,
}

impl Settings {
    /// Returns the settings of this process.
    ///
    /// # Errors
    /// The first variable whose value is not valid.
    pub fn from_env() -> Result<Settings, WrongSetting> {
        Settings::read(|name| std::env::var_os(name))
    }

    /// Returns the settings in variables that `value` returns.
    ///
    /// # Errors
    /// The first variable whose value is not valid.
    ///
    /// ```
    /// use wavetank::Chip;
    /// use wavetank::environment::Settings;
    ///
    /// let set = |name: &str| match name {
    ///     "WAVETANK_GPU" => Some("gfx906:8G,gfx900".into()),
    ///     "WAVETANK_MEMORY" => Some("512M".into()),
    ///     _ => None,
    /// };
    /// let settings = Settings::read(set)?;
    /// assert_eq!(settings.gpus[0].chip(), Chip::Gfx906);
    /// assert_eq!(settings.memory(), [8 << 30, 512 << 20]);
    /// # Ok::<(), wavetank::environment::WrongSetting>(())
    /// ```
    pub fn read(value: impl Fn(&str) -> Option<OsString>) -> Result<Settings, WrongSetting> {
        let memory = variable(&value, "WAVETANK_MEMORY", bytes)?;
        let gpus = variable(&value, "WAVETANK_GPU", gpus)?;
        let gpus = gpus.unwrap_or(vec![Gpu {
            facts: ChipFacts::of(DEFAULT_CHIP),
            memory: None,
        }]);
        let sized = |gpu: Gpu| Gpu {
            memory: gpu.memory.or(memory),
            ..gpu
        };
        Ok(Settings {
            gpus: gpus.into_iter().map(sized).collect(),
            log: variable(&value, "WAVETANK_LOG", str::parse)?.unwrap_or(Log::Errors),
            stats: variable(&value, "WAVETANK_STATS", yes_or_no)?.unwrap_or(false),
            check: variable(&value, "WAVETANK_CHECK", checks)?.unwrap_or_default(),
            selection: Selection::read(&value)?,
            stop_at_first: variable(&value, "WAVETANK_CHECK_STOP", yes_or_no)?.unwrap_or(false),
            machine_code: variable(&value, "WAVETANK_CHECK_ASM", yes_or_no)?.unwrap_or(false),
            stacks: variable(&value, "WAVETANK_CHECK_STACKS", yes_or_no)?.unwrap_or(false),
            leaks: variable(&value, "WAVETANK_CHECK_LEAKS", yes_or_no)?.unwrap_or(false),
            capture: captures(&value)?,
            profile: path(&value, "WAVETANK_PROFILE"),
            kernels: KernelSettings::read(&value)?,
        })
    }

    /// Returns the memory of each GPU in bytes. GPUs without a setting share half of the host's free memory.
    pub fn memory(&self) -> Vec<u64> {
        let silent = self.gpus.iter().filter(|gpu| gpu.memory.is_none()).count();
        let share = match silent {
            0 => 0,
            silent => host::free_memory() / 2 / silent as u64,
        };
        let whole = |bytes: u64| bytes.max(LEAST_MEMORY) / LEAST_MEMORY * LEAST_MEMORY;
        let each = self.gpus.iter();
        each.map(|gpu| whole(gpu.memory.unwrap_or(share))).collect()
    }
}

/// Parses the value of a variable; an empty one counts as not set.
fn variable<T>(
    value: impl Fn(&str) -> Option<OsString>,
    variable: &'static str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, WrongSetting> {
    let Some(value) = value(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    // A value that is not UTF-8 is not valid either: `parse` quotes it.
    let parsed = parse(value.to_string_lossy().trim());
    parsed
        .map(Some)
        .map_err(|problem| WrongSetting { variable, problem })
}

/// Reads a path; an empty one counts as not set.
fn path(value: impl Fn(&str) -> Option<OsString>, variable: &str) -> Option<PathBuf> {
    let path = value(variable).filter(|path| !path.is_empty());
    // The program may change its folder.
    path.map(|path| std::path::absolute(&path).unwrap_or(path.into()))
}

/// Reads the settings of captured launches.
fn captures(value: impl Fn(&str) -> Option<OsString>) -> Result<Option<Captures>, WrongSetting> {
    let numbers = |text: &str| text.parse().map_err(|e: BadLaunches| e.to_string());
    let launches = variable(&value, "WAVETANK_CAPTURE_LAUNCH", numbers)?;
    let kernel = variable(
        &value,
        "WAVETANK_CAPTURE_KERNEL",
        |text| Ok(text.to_owned()),
    )?;
    let to = path(&value, "WAVETANK_CAPTURE");
    Ok(to.map(|to| Captures {
        to,
        kernel,
        launches,
    }))
}

fn gpus(text: &str) -> Result<Vec<Gpu>, String> {
    let names = text.split(',').map(str::trim);
    if names.clone().any(str::is_empty) {
        Err("it names no GPU beside a comma; write gfx900, or several parted by commas".to_owned())
    } else {
        names.map(str::parse).collect()
    }
}

/// Parses the names of tools, or `all`.
fn checks(text: &str) -> Result<Tools, String> {
    match yes_or_no(text) {
        Ok(true) => Ok(Tools::DEFAULT),
        Ok(false) => Ok(Tools::default()),
        Err(_) => text.parse().map_err(|e: UnknownTool| e.to_string()),
    }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(format!("{text:?} is neither 1 nor 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &str) -> Result<Settings, String> {
        let set = |requested: &str| (requested == name).then(|| value.into());
        Settings::read(set).map_err(|error| error.to_string())
    }

    #[test]
    fn sizes_have_units() {
        let of = |text: &str| text.parse::<Gpu>().map(|gpu| gpu.memory);
        assert_eq!(of("gfx900"), Ok(None));
        assert_eq!(of("gfx900:8G"), Ok(Some(8 << 30)));
        assert_eq!(of("gfx900:512m"), Ok(Some(512 << 20)));
        assert_eq!(of("gfx900:2048K"), Ok(Some(2 << 20)));
        assert_eq!(of("gfx900:1T"), Ok(Some(1 << 40)));
        assert_eq!(of("gfx900:1073741824"), Ok(Some(1 << 30)));
        for bad in [
            "gfx900:8",
            "gfx900:0G",
            "gfx900:8GB",
            "gfx900:1.5G",
            "gfx900:99999999T",
            "gfx900:1G:2G",
        ] {
            assert!(of(bad).unwrap_err().contains("memory"), "{bad}");
        }
    }

    #[test]
    fn features_are_those_of_the_emulated_chip() {
        let of = |text: &str| text.parse::<Gpu>();
        assert_eq!(of("gfx900:xnack-").unwrap().chip(), Chip::Gfx900);
        let both = of("gfx906:sramecc-:xnack-:4G").unwrap();
        assert_eq!(both.memory, Some(4 << 30));
        assert!(
            of("gfx900:xnack+")
                .unwrap_err()
                .contains("gfx900:xnack- is")
        );
        assert!(
            of("gfx900:fast")
                .unwrap_err()
                .contains("`gfx900:fast` is not a target")
        );
        assert!(of("gfx1031").unwrap_err().contains("is a chip of RDNA"));
        assert!(of("voodoo").unwrap_err().contains("gfx900, gfx902"));
    }

    #[test]
    fn wrong_values_are_sentences() {
        for (name, value, part) in [
            (
                "WAVETANK_LOG",
                "bogus",
                "\"bogus\" is not a level of the log",
            ),
            ("WAVETANK_STATS", "yes", "neither 1 nor 0"),
            ("WAVETANK_CHECK", "luck", "`luck` is not a tool"),
            ("WAVETANK_CHECK", "race,", "`` is not a tool"),
            ("WAVETANK_CHECK_ASM", "yes", "neither 1 nor 0"),
            ("WAVETANK_CHECK_STACKS", "yes", "neither 1 nor 0"),
            ("WAVETANK_CHECK_STOP", "yes", "neither 1 nor 0"),
            ("WAVETANK_CHECK_LEAKS", "all", "neither 1 nor 0"),
            ("WAVETANK_GPU", "voodoo", "`voodoo` is not a GPU"),
            ("WAVETANK_GPU", ",", "names no GPU"),
            ("WAVETANK_GPU", "gfx900,", "names no GPU"),
            ("WAVETANK_GPU", "gfx900:", "nothing after it"),
            ("WAVETANK_GPU", "gfx900::8G", "nothing after it"),
            ("WAVETANK_MEMORY", "much", "`much` is not a size of memory"),
            (
                "WAVETANK_SIMD",
                "fast",
                "`fast` is not a level of vector instructions",
            ),
            ("WAVETANK_ENGINE", "fast", "`fast` is not an engine"),
            ("WAVETANK_PERF", "yes", "neither 1 nor 0"),
            ("WAVETANK_THREADS", "0", "`0` is not a number of threads"),
            ("WAVETANK_SCHEDULE", "unfair", "`unfair` is not a schedule"),
            ("WAVETANK_STRICT", "yes", "neither 1 nor 0"),
            ("WAVETANK_STACK", "16K", "\"16K\" is not a number of bytes"),
        ] {
            let text = read(name, value).unwrap_err();
            assert!(text.starts_with(name) && text.contains(part), "{text}");
        }
    }

    #[test]
    fn an_empty_variable_is_none() {
        for name in [
            "WAVETANK_LOG",
            "WAVETANK_STATS",
            "WAVETANK_GPU",
            "WAVETANK_MEMORY",
        ] {
            assert_eq!(read(name, ""), read("", ""), "{name}");
        }
    }

    #[test]
    fn gpus_share_half_of_what_is_free() {
        let one = read("", "").unwrap().memory();
        let two = read("WAVETANK_GPU", "gfx900,gfx906").unwrap().memory();
        assert!(one[0] <= host::free_memory());
        // The free memory changes from call to call.
        assert!(two[0] + two[1] < one[0] * 3 / 2, "{one:?} {two:?}");
    }
}
