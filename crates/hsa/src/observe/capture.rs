//! `WAVETANK_CAPTURE`: launches that are captured in files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use wavetank::Kernel;
use wavetank::capture::{Captures, Seen};

use super::turn::Turn;
use crate::log;
use crate::state::settings;

/// The number of the next launch in the process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A launch that is captured.
pub(super) struct Captured {
    pub(super) path: PathBuf,
    pub(super) number: u64,
}

/// Whether a launch was chosen.
static IS_CHOSEN: AtomicBool = AtomicBool::new(false);

/// Counts a launch, and returns the file in which it is captured, if it is one of those chosen; and its turn among other launches, if
/// any are captured.
pub(super) fn begins(kernel: &Kernel) -> (Option<Captured>, Option<Turn>) {
    let settings = settings().as_ref().ok();
    let Some(captures) = settings.and_then(|settings| settings.capture.as_ref()) else {
        return (None, None);
    };
    let captured = chosen(captures, kernel);
    let turn = Turn::take(captured.is_some());
    (captured, Some(turn))
}

/// Counts a launch, and returns its file if it is one of those chosen.
fn chosen(captures: &Captures, kernel: &Kernel) -> Option<Captured> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let is_chosen = captures.chooses(number, kernel.name());
    note(is_chosen, kernel.name());
    if !is_chosen || !is_first(captures, number) {
        return None;
    }
    let path = own_path(captures, number, kernel.name())?;
    match create(&path) {
        Ok(()) => Some(Captured { path, number }),
        Err(error) => {
            let shown = path.display();
            let problem = format!("the capture {shown} cannot be written: {error}");
            log::once(&shown.to_string(), &problem);
            None
        }
    }
}

/// Returns the file for a launch. Processes that the program has started have files of their own.
fn own_path(captures: &Captures, number: u64, kernel: &str) -> Option<PathBuf> {
    let path = captures.path(number, kernel);
    if is_first_process() {
        return Some(path);
    }
    if captures.is_one_file() {
        let shown = path.display();
        let sentence = format!(
            "{shown} is for the program's first process; name a folder to capture launches of all of them"
        );
        log::once("captures of other processes", &sentence);
        return None;
    }
    let name = path.file_name()?.to_str()?;
    Some(path.with_file_name(format!("{}-{name}", std::process::id())))
}

/// Whether `wavetank run` has started this process itself, or nothing says so. The command's files are `/proc/PID/fd/N`.
fn is_first_process() -> bool {
    let Some(path) = std::env::var_os("WAVETANK_CAPTURED_TO") else {
        return true;
    };
    let mut parts = Path::new(&path).iter().skip_while(|part| *part != "proc");
    let command = parts
        .nth(1)
        .and_then(|part| part.to_str()?.parse::<u32>().ok());
    command.is_none_or(|command| command == std::os::unix::process::parent_id())
}

/// Leaves a note for `wavetank run`, which tells if no launch is captured, until one is.
fn note(is_chosen: bool, kernel: &str) {
    static TO: OnceLock<Option<PathBuf>> = OnceLock::new();
    if IS_CHOSEN.fetch_or(is_chosen, Ordering::Relaxed) {
        return;
    }
    let path = || std::env::var_os("WAVETANK_CAPTURED_TO").filter(|path| !path.is_empty());
    if let Some(path) = TO.get_or_init(|| path().map(PathBuf::from)) {
        let seen = Seen {
            is_chosen,
            kernel: kernel.into(),
        };
        // The command may have ended.
        let _ = seen.leave(path);
    }
}

/// Whether a launch is the one for the single file, or each has its own.
fn is_first(captures: &Captures, number: u64) -> bool {
    static FIRST: OnceLock<u64> = OnceLock::new();
    if !captures.is_one_file() || *FIRST.get_or_init(|| number) == number {
        return true;
    }
    let shown = captures.to.display();
    let sentence =
        format!("{shown} has the first of several launches; name a folder to capture all of them");
    log::once("the other captures", &sentence);
    false
}

/// Creates the file, and its folder.
fn create(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create(path).map(drop)
}

impl Captured {
    /// Reports that the capture is complete.
    pub(super) fn is_written(&self, kernel: &Kernel) {
        let (number, path) = (self.number, self.path.display());
        let name = wavetank_quote::readable(kernel.name());
        log::line(&format!("launch {number}, `{name}`, is captured in {path}"));
    }
}
