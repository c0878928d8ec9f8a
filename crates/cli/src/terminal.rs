//! What stdout is, looked at once: a terminal has a width, colours, and somebody who reads page by page.

use std::io::IsTerminal;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use nix::unistd::dup2_stdout;

/// How stdout was when the command began.
struct Stdout {
    /// Columns of a terminal; none otherwise.
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

/// The columns of the terminal. `None` where text goes elsewhere: nobody counts columns there.
pub fn columns() -> Option<usize> {
    stdout().columns
}

/// Whether text is coloured: on a terminal, unless `NO_COLOR` is set.
pub fn colours() -> bool {
    stdout().colours
}

/// A program that shows stdout page by page, until it is dropped.
pub struct Pager(Child);

impl Pager {
    /// Starts `$PAGER`, or else `less`, if stdout is a terminal. `less` itself ends at once if all fits on the screen.
    pub fn start() -> Option<Pager> {
        columns()?;
        let asked = std::env::var("PAGER").ok();
        let asked = asked.as_deref().map_or("less", str::trim);
        // As others take it: who wants none says `cat`, or nothing.
        if matches!(asked, "" | "cat") {
            return None;
        }
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec {asked}")]);
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        // A shell would start, and say that the program is absent.
        let program = asked.split_whitespace().next()?;
        crate::run::find(program.as_ref())?;
        let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
        let pipe = child.stdin.take()?;
        // What is written goes to the pipe from now on.
        dup2_stdout(&pipe).ok()?;
        Some(Pager(child))
    }
}

impl Drop for Pager {
    /// Ends what it shows, and waits until it has been read.
    fn drop(&mut self) {
        let closed = std::fs::File::options().write(true).open("/dev/null");
        if let Ok(null) = closed {
            // Its end of the pipe is stdout, which nobody writes to any more.
            let _ = dup2_stdout(&null);
        }
        let _ = self.0.wait();
    }
}
