//! Properties of stdout, determined once: the width and colours of a terminal, and a pager.

use std::io::IsTerminal;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use nix::unistd::dup2_stdout;

/// The properties of stdout at the start of the command.
struct Stdout {
    /// The width of a terminal in columns; `None` otherwise.
    columns: Option<usize>,
    colours: bool,
}

static STDOUT: OnceLock<Stdout> = OnceLock::new();

fn stdout() -> &'static Stdout {
    STDOUT.get_or_init(|| {
        let stdout = std::io::stdout();
        let size = terminal_size::terminal_size_of(&stdout);
        let columns = size.map(|(width, _)| usize::from(width.0));
        Stdout {
            columns: columns.filter(|_| stdout.is_terminal()),
            colours: AutoStream::choice(&stdout) != ColorChoice::Never,
        }
    })
}

/// Returns the width of the terminal in columns; `None` if stdout is not a terminal.
pub(crate) fn columns() -> Option<usize> {
    stdout().columns
}

/// Whether text is coloured: on a terminal, unless `NO_COLOR` is set.
pub(crate) fn colours() -> bool {
    stdout().colours
}

/// A program that shows stdout page by page, until it is dropped.
pub(crate) struct Pager(Child);

impl Pager {
    /// Starts `$PAGER`, or else `less`, if stdout is a terminal. `less` itself ends at once if all fits on the screen.
    pub(crate) fn start() -> Option<Pager> {
        columns()?;
        let asked = std::env::var("PAGER").ok();
        let asked = asked.as_deref().map_or("less", str::trim);
        // The convention for no pager: `cat`, or an empty value.
        if matches!(asked, "" | "cat") {
            return None;
        }
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec {asked}")]);
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        // A shell would start, and report a missing program.
        let program = asked.split_whitespace().next()?;
        crate::search_path::find(program.as_ref())?;
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        let pipe = child.stdin.take()?;
        // Output goes to the pipe from now on.
        dup2_stdout(&pipe).ok()?;
        Some(Pager(child))
    }
}

impl Drop for Pager {
    /// Closes the pipe, and waits until the pager ends.
    fn drop(&mut self) {
        let closed = std::fs::File::options().write(true).open("/dev/null");
        if let Ok(null) = closed {
            // The pipe's end in this process is stdout, which is replaced.
            let _ = dup2_stdout(&null);
        }
        let _ = self.0.wait();
    }
}
