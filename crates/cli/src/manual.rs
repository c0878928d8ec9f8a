//! `wavetank completions` and `wavetank man`: shell completions and manual pages of the command.

use std::path::PathBuf;

use clap::builder::{Resettable, StyledStr};
use clap_complete::Shell;

use crate::exit::{Failure, Result, print};
use crate::whole;

const COMPLETIONS: &str = "\
Examples:
  source <(wavetank completions bash)            a line of ~/.bashrc
  wavetank completions zsh > ~/.zfunc/_wavetank   with ~/.zfunc in $fpath
  wavetank completions fish > ~/.config/fish/completions/wavetank.fish";

const PAGES: &str = "\
Example:
  wavetank man ~/.local/share/man/man1 && man wavetank-run";

/// Prints the completions of a shell
#[derive(clap::Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Writes the manual, a page for each command
#[derive(clap::Args)]
#[command(after_help = PAGES)]
pub(crate) struct Man {
    /// The folder that the pages go to, which is made if it is not there
    folder: PathBuf,
}

impl Completions {
    /// Prints the completions of this command.
    pub(crate) fn run(self, mut command: clap::Command) -> Result {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "wavetank", &mut text);
        print(&String::from_utf8_lossy(&text))
    }
}

impl Man {
    /// Writes the manual pages of this command.
    pub(crate) fn run(self, mut all: clap::Command) -> Result {
        let failed = |error| Failure::file("write", &self.folder, error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        all.build();
        let parts = all
            .get_subcommands()
            .filter(|part| part.get_name() != "help");
        let parts: Vec<clap::Command> = parts.cloned().collect();
        self.page("wavetank", all)?;
        for part in parts {
            let name = format!("wavetank-{}", part.get_name());
            self.page(&name, part)?;
        }
        Ok(())
    }

    fn page(&self, name: &str, command: clap::Command) -> Result {
        let path = self.folder.join(format!("{name}.1"));
        let failed = |error| Failure::file("write", &path, error);
        let mut text = Vec::new();
        // The examples are the last part, and keep their line breaks.
        let examples = command.get_after_help().map(ToString::to_string);
        let command = command.after_help(Resettable::<StyledStr>::Reset);
        clap_mangen::Man::new(command)
            .render(&mut text)
            .map_err(failed)?;
        if let Some(examples) = examples {
            text.extend(b".SH NOTES\n.nf\n");
            for line in examples.lines() {
                // A dot or an apostrophe at the beginning would be a request of troff.
                let shown = line.replace('\\', "\\e").replace('-', "\\-");
                text.extend(b"\\&");
                text.extend(shown.bytes());
                text.push(b'\n');
            }
            text.extend(b".fi\n");
        }
        whole::write(&path, text).map_err(failed)
    }
}
