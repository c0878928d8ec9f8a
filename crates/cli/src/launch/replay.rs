//! `launch FILE.wtc`: a captured launch, repeated.

use std::path::Path;

use wavetank::capture::{Accesses, Capture, Comparison, Outcome, Replay, is_capture};
use wavetank_quote::{plain, plain_lines, readable};

use crate::code_file::CodeFile;
use crate::exit::{Failure, Result};
use crate::running::Running;
use crate::whole;

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

/// Makes a device with the memory of a capture, with these options of the command line.
///
/// # Errors
/// Addresses of the capture that no process of several tries had for it; or a capture that contradicts itself.
pub(super) fn load<'c>(capture: &'c Capture, running: &Running) -> Result<Replay<'c>> {
    let device = running.apply(Replay::device(capture)?);
    match Replay::load(capture, device) {
        Err(error @ wavetank::Error::Replay(_)) => Err(again(error.into())),
        result => Ok(result?),
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
pub(super) fn report(capture: &Capture, comparison: Option<Comparison>) -> Result {
    let launch = capture.launch();
    let name = readable(&launch.kernel);
    let launch = match launch.number {
        0 => format!("the launch of `{name}`"),
        number => format!("launch {number}, of `{name}`,"),
    };
    let Some(Comparison { written, different }) = comparison else {
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
            "wavetank: {launch} is repeated; all memory is as it was when captured (pages written: {written})"
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

/// Writes the capture with only the memory that the launch accesses.
pub(super) fn minimize(replay: &Replay<'_>, accesses: &Accesses, path: &Path) -> Result {
    let mut file = Vec::new();
    let made = replay.write_minimized(accesses, &mut file);
    let written = made.and_then(|()| whole::write(path, &file));
    written.map_err(|error| Failure::file("write", path, error))?;
    let less = Capture::read(&file).map_err(|problem| Failure::usage(problem.to_string()))?;
    let count = |capture: &Capture| (capture.pages().count(), capture.launch().allocations.len());
    let ((pages, allocations), (all_pages, all_allocations)) =
        (count(&less), count(replay.capture()));
    eprintln!(
        "wavetank: {} has {pages} of {all_pages} pages, in {allocations} of {all_allocations} allocations",
        crate::exit::shown(path)
    );
    Ok(())
}
