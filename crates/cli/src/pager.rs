//! A program that shows stdout page by page. Hosts other than Unix have neither a shell nor `less`: there is none.

#[cfg(not(unix))]
pub(crate) use elsewhere::Pager;
#[cfg(unix)]
pub(crate) use on_unix::Pager;

#[cfg(unix)]
mod on_unix {
    use std::process::{Child, Command, Stdio};

    use nix::unistd::dup2_stdout;

    use crate::search_path::find;
    use crate::terminal::columns;

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
            find(program.as_ref())?;
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
}

#[cfg(not(unix))]
mod elsewhere {
    /// A pager, of which there is none.
    pub(crate) enum Pager {}

    impl Pager {
        /// Returns `None`: output is not paged.
        pub(crate) fn start() -> Option<Pager> {
            None
        }
    }
}
