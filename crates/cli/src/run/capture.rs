//! The options of `run` for captured launches.

use std::ffi::OsString;
use std::path::PathBuf;

use wavetank::check::Launches;

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
            ("WAVETANK_CAPTURE", self.capture.clone().map(OsString::from)),
            (
                "WAVETANK_CAPTURE_KERNEL",
                self.kernel.clone().map(OsString::from),
            ),
            ("WAVETANK_CAPTURE_LAUNCH", numbers),
        ]
    }
}
