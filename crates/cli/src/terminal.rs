//! Properties of stdout, determined once: the width and colours of a terminal.

use std::io::IsTerminal;
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};

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
