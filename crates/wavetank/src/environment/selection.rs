//! Settings of checks beside the tools: which kernels and launches are checked, and which findings are reported.

use std::ffi::OsString;
use std::path::PathBuf;

use wavetank_check::{BadLaunches, Launches, Pattern};

use super::{WrongSetting, variable, yes_or_no};

/// The launches that are checked, and the findings that are reported.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// `WAVETANK_CHECK_KERNEL`: patterns of the names of kernels, of which one has to fit; all kernels if there are none.
    pub kernels: Vec<Pattern>,
    /// `WAVETANK_CHECK_LAUNCH`: the numbers of launches of these kernels; all launches if they are not set.
    pub launches: Option<Launches>,
    /// `WAVETANK_CHECK_SUPPRESSIONS`: files of suppressions.
    pub suppressions: Vec<PathBuf>,
    /// `WAVETANK_CHECK_MAX`: the maximum number of findings that are printed.
    pub max: Option<usize>,
    /// `WAVETANK_CHECK_JSON`: whether findings are printed as JSON.
    pub json: bool,
}

impl Selection {
    /// Returns the settings in variables that `value` returns.
    ///
    /// # Errors
    /// The first variable whose value is not valid.
    pub fn read(value: &dyn Fn(&str) -> Option<OsString>) -> Result<Selection, WrongSetting> {
        let files = value("WAVETANK_CHECK_SUPPRESSIONS").unwrap_or_default();
        let files = std::env::split_paths(&files);
        Ok(Selection {
            kernels: variable(value, "WAVETANK_CHECK_KERNEL", patterns)?.unwrap_or_default(),
            launches: variable(value, "WAVETANK_CHECK_LAUNCH", launches)?,
            suppressions: files.filter(|file| !file.as_os_str().is_empty()).collect(),
            max: variable(value, "WAVETANK_CHECK_MAX", count)?,
            json: variable(value, "WAVETANK_CHECK_JSON", yes_or_no)?.unwrap_or(false),
        })
    }

    /// Whether a kernel of this name is checked.
    pub fn has_kernel(&self, name: &str) -> bool {
        self.kernels.is_empty() || self.kernels.iter().any(|pattern| pattern.fits_name(name))
    }

    /// Whether a launch of such a kernel is checked, by its number, from 1 on.
    pub fn has_launch(&self, number: u64) -> bool {
        let launches = self.launches.as_ref();
        launches.is_none_or(|launches| launches.has(number))
    }
}

/// Parses patterns, parted by semicolons, since names of functions may have commas.
fn patterns(text: &str) -> Result<Vec<Pattern>, String> {
    let parts = text.split(';').map(str::trim);
    Ok(parts
        .filter(|part| !part.is_empty())
        .map(Pattern::new)
        .collect())
}

fn launches(text: &str) -> Result<Launches, String> {
    text.parse().map_err(|error: BadLaunches| error.to_string())
}

fn count(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not a number of findings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &str) -> Result<Selection, String> {
        let set = |requested: &str| (requested == name).then(|| value.into());
        Selection::read(&set).map_err(|error| error.to_string())
    }

    #[test]
    fn kernels_and_launches_are_selected() {
        let all = read("", "").expect("nothing is set");
        assert!(all.has_kernel("k") && all.has_launch(1) && all.max.is_none());
        let kernels = read("WAVETANK_CHECK_KERNEL", "sort*; axpy<int, float>").expect("patterns");
        assert!(kernels.has_kernel("sort_keys") && !kernels.has_kernel("scan"));
        let launches = read("WAVETANK_CHECK_LAUNCH", "3..5").expect("numbers");
        assert!(launches.has_launch(4) && !launches.has_launch(1));
        let files = read("WAVETANK_CHECK_SUPPRESSIONS", "a:/b/c").expect("files");
        assert_eq!(files.suppressions, [PathBuf::from("a"), "/b/c".into()]);
        for (name, value) in [
            ("WAVETANK_CHECK_LAUNCH", "0"),
            ("WAVETANK_CHECK_MAX", "all"),
            ("WAVETANK_CHECK_JSON", "yes"),
        ] {
            let error = read(name, value).expect_err(name);
            assert!(error.starts_with(name), "{error}");
        }
    }
}
