//! `launch FILE.wtc`: a captured launch, repeated.

use std::path::Path;

use wavetank::capture::{Capture, Comparison, Outcome, Replay, is_capture};
use wavetank_quote::{plain, plain_lines, readable};

use super::Launch;
use crate::code_file::CodeFile;
use crate::exit::{Failure, Result};

/// The variable with the number of processes that have tried to repeat the launch.
#[cfg(unix)]
const TRIES: &str = "WAVETANK_REPLAY_TRIES";

/// The most processes that try it. Each gets other addresses from the system.
#[cfg(unix)]
const MOST_TRIES: u32 = 20;

/// Returns the capture in a file, if it is one.
pub(super) fn capture_in(file: &CodeFile) -> Result<Option<Capture>> {
    if !is_capture(&file.bytes) {
        return Ok(None);
    }
    let capture = Capture::read(&file.bytes);
    let refused = |problem| Failure::usage(format!("{problem}")).of(&file.path);
    capture.map(Some).map_err(refused)
}

impl Launch {
    /// Repeats a captured launch, and compares the memory afterwards.
    pub(super) fn replay(&self, path: &Path, capture: &Capture) -> Result {
        self.refuse_with_capture(path, capture)?;
        let device = self.running.apply(Replay::device(capture)?);
        let replay = match Replay::load(capture, device) {
            Err(error @ wavetank::Error::Replay(_)) => return Err(again(error.into())),
            result => result?,
        };
        let launch = capture.launch();
        let size = [launch.grid.into(), launch.block.into()];
        self.execute(path, replay.kernel(), replay.dispatch(), size, || {
            report(capture, replay.compare())
        })
    }

    /// Refuses options for what a capture has.
    fn refuse_with_capture(&self, path: &Path, capture: &Capture) -> Result {
        let given = [
            ("--arg", !self.args.is_empty()),
            ("--grid and --groups", self.size.is_given()),
            ("--gpu", self.gpu.is_some()),
            ("--stage", self.stage.stage.is_some()),
            ("--trap-handler", self.trap_handler.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            let problem = format!("a capture has its launch in it; leave out {option}");
            return Err(Failure::usage(problem).of(path));
        }
        let name = &capture.launch().kernel;
        let named = |kernel: &String| kernel == name || *kernel == readable(name);
        match &self.kernel {
            Some(kernel) if !named(kernel) => {
                let (kernel, name) = (plain(kernel), readable(name));
                let problem = format!("it is a launch of `{name}`, not of `{kernel}`");
                Err(Failure::usage(problem).of(path))
            }
            _ => Ok(()),
        }
    }
}

/// Starts the command again, in a process whose own memory lies elsewhere. Returns the failure if that did not help often enough.
#[cfg(unix)]
fn again(failure: Failure) -> Failure {
    use std::os::unix::process::CommandExt;

    let tries = std::env::var(TRIES).ok().and_then(|n| n.parse().ok());
    let tries: u32 = tries.unwrap_or(0);
    let (Ok(command), true) = (std::env::current_exe(), tries < MOST_TRIES) else {
        return failure;
    };
    let mut command = std::process::Command::new(command);
    command.args(std::env::args_os().skip(1));
    command.env(TRIES, (tries + 1).to_string());
    // It returns only if there is no such process.
    let _ = command.exec();
    failure
}

#[cfg(not(unix))]
fn again(failure: Failure) -> Failure {
    failure
}

/// Reports how the memory after the replay compares with that after the captured launch.
///
/// # Errors
/// Other memory, or no failure where the captured launch had one.
fn report(capture: &Capture, comparison: Option<Comparison>) -> Result {
    let launch = capture.launch();
    let name = readable(&launch.kernel);
    let launch = match launch.number {
        0 => format!("the launch of `{name}`"),
        number => format!("launch {number}, of `{name}`,"),
    };
    let Some(Comparison { changed, different }) = comparison else {
        if let Outcome::Failed(why) = capture.outcome() {
            return Err(Failure::Kernel(format!(
                "{launch} ended here, but failed when it was captured: {}",
                plain_lines(why)
            )));
        }
        eprintln!(
            "wavetank: {launch} ended here; its program ended before it, so there is no memory to compare"
        );
        return Ok(());
    };
    let Some(first) = different.first() else {
        eprintln!(
            "wavetank: {launch} is repeated; all memory is as it was when captured (pages changed: {changed})"
        );
        return Ok(());
    };
    let pages = match different.len() {
        1 => "1 page".to_owned(),
        n => format!("{n} pages, the first"),
    };
    Err(Failure::Kernel(format!(
        "{launch} left other memory than when it was captured: {pages} at {:#x}, {} bytes into `{}`",
        first.address,
        first.offset,
        plain(&first.allocation)
    )))
}
