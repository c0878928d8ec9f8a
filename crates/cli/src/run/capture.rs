//! The options of `run` for captured launches.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use wavetank::capture::Seen;
use wavetank::check::Launches;
use wavetank::found_file::FoundFile;
use wavetank_quote::{function, plain, some_of};

/// The launches to capture
#[derive(Clone, Default, clap::Args)]
pub(crate) struct CaptureOptions {
    /// Capture launches in files in this folder, to be repeated by `launch`; or the first one in this file, if its name ends in .wtc
    #[arg(long, value_name = "PATH")]
    capture: Option<PathBuf>,
    /// Capture the launches of kernels of such names: `*` stands for any characters, `?` for one
    #[arg(long, value_name = "PATTERN", requires = "capture")]
    kernel: Option<String>,
    /// Capture the launches of these numbers, of which the first is 1: 3,7..9
    #[arg(long, value_name = "NUMBERS", requires = "capture")]
    launch: Option<Launches>,
}

impl CaptureOptions {
    /// Returns the options as environment variables for the library.
    pub(super) fn variables(&self) -> [(&'static str, Option<OsString>); 3] {
        let numbers = self
            .launch
            .as_ref()
            .map(|numbers| numbers.to_string().into());
        [
            (
                "WAVETANK_CAPTURE",
                // The program may change its folder.
                self.capture.as_ref().map(|path| {
                    let absolute = std::path::absolute(path);
                    absolute.unwrap_or(path.clone()).into()
                }),
            ),
            (
                "WAVETANK_CAPTURE_KERNEL",
                self.kernel.clone().map(OsString::from),
            ),
            ("WAVETANK_CAPTURE_LAUNCH", numbers),
        ]
    }

    /// Returns a file for the launches that the library sees, if some are to be captured.
    pub(super) fn seen(&self) -> Option<FoundFile> {
        let seen = self.capture.as_ref().map(|_| FoundFile::create().ok());
        seen.flatten()
    }

    /// Returns the sentence about a program in which no launch was captured.
    pub(super) fn missed(&self, seen: &FoundFile) -> Option<String> {
        let notes = seen.read().ok()?;
        let all: Vec<Seen<'_>> = notes.iter().map(|note| Seen::read(note)).collect();
        if all.iter().any(|seen| seen.is_chosen) {
            return None;
        }
        if all.is_empty() {
            return Some("nothing is captured: the program launched no kernel".to_owned());
        }
        let kernel = self.kernel.as_ref();
        let kernel = kernel.map(|pattern| format!("--kernel {}", plain(pattern)));
        let launch = self.launch.as_ref();
        let launch = launch.map(|numbers| format!("--launch {numbers}"));
        let options: Vec<String> = kernel.into_iter().chain(launch).collect();
        let names: BTreeSet<String> = all.iter().map(|seen| function(&seen.kernel)).collect();
        let names: Vec<String> = names.into_iter().collect();
        let launches = match all.len() {
            1 => "the only launch of the program is not one".to_owned(),
            n => format!("none of the {n} launches of the program is one"),
        };
        Some(format!(
            "nothing is captured: {launches} of {}; its kernels are {}",
            options.join(" and "),
            some_of(&names)
        ))
    }
}
