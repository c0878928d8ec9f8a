//! The choice of launches: by number, and by kernel.

use std::path::PathBuf;

use wavetank_check::{Launches, Pattern};
use wavetank_quote::function;

/// The launches of a program that are captured, and the place for their files.
///
/// ```
/// use std::path::Path;
/// use wavetank::capture::Captures;
///
/// let captures = Captures { to: "caps".into(), kernel: Some("axpy*".into()), launches: Some("2..9".parse()?) };
/// assert!(captures.chooses(2, "_Z4axpyPf") && !captures.chooses(1, "_Z4axpyPf") && !captures.chooses(2, "sum"));
/// assert_eq!(captures.path(2, "_Z4axpyPf"), Path::new("caps/0002-axpy.wtc"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Captures {
    /// A folder with a file for each launch; or a file, if the name ends in `.wtc`, for the first of them.
    pub to: PathBuf,
    /// The pattern of the kernels, in which `*` stands for any characters and `?` for one; all kernels without one.
    pub kernel: Option<String>,
    /// The numbers of the launches; all without them.
    pub launches: Option<Launches>,
}

impl Captures {
    /// Whether a launch of a kernel is captured.
    pub fn chooses(&self, number: u64, kernel: &str) -> bool {
        let numbers = self.launches.as_ref();
        let pattern = self.kernel.as_deref().map(Pattern::new);
        numbers.is_none_or(|numbers| numbers.has(number))
            && pattern.is_none_or(|pattern| pattern.fits_name(kernel))
    }

    /// Whether one file is made.
    pub fn is_one_file(&self) -> bool {
        self.to.extension().is_some_and(|ending| ending == "wtc")
    }

    /// The file for a launch.
    pub fn path(&self, number: u64, kernel: &str) -> PathBuf {
        if self.is_one_file() {
            self.to.clone()
        } else {
            self.to.join(file_name(number, kernel))
        }
    }
}

/// The longest part of a kernel's name in the name of a file.
const NAME: usize = 80;

/// Returns a name for the file with a launch of a kernel: the number of the launch, and the name of the function.
///
/// ```
/// assert_eq!(wavetank::capture::file_name(17, "_ZN2ns4axpyIfEEvT_PKS1_"), "0017-ns_axpy_float.wtc");
/// ```
pub fn file_name(number: u64, kernel: &str) -> String {
    format!("{number:04}-{}.wtc", function_name(kernel))
}

/// Returns the name of the function of a kernel, with letters, digits, `.` and `_` only.
///
/// ```
/// assert_eq!(wavetank::capture::function_name("_ZN2ns4axpyIfEEvT_PKS1_"), "ns_axpy_float");
/// ```
pub fn function_name(kernel: &str) -> String {
    let name = function(kernel);
    let mut safe = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '.' {
            safe.push(c);
        } else if !safe.ends_with('_') {
            safe.push('_');
        }
    }
    let safe = safe.trim_matches(['_', '.']);
    safe.get(..NAME).unwrap_or(safe).to_owned()
}
