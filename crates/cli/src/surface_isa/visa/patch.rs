//! One instruction of a container replaced: `wavetank asm --isa visa --into`.

use std::path::{Path, PathBuf};

use wavetank_surface_isa::visa::container::ReplaceError;
use wavetank_surface_isa::visa::{Container, Encoded, Version, parse_with_parts};
use wavetank_surface_isa::{Line, LineError, SurfaceIsa};

use crate::exit::{Failure, Result};
use crate::input::read_file;
use crate::surface_isa::asm::refused;

/// The options for replacing an instruction of a container.
#[derive(clap::Args)]
pub(crate) struct Patch {
    /// With --isa visa: put the instruction into a copy of this container (.isa), which --output names
    #[arg(long, value_name = "CONTAINER", requires_all = ["at", "output"])]
    into: Option<PathBuf>,
    /// The place of the instruction that is replaced, in bytes of the file, as `wavetank dis` shows it
    #[arg(long, value_name = "OFFSET", requires = "into")]
    at: Option<String>,
}

impl Patch {
    /// Refuses it for an instruction set that has no container to put instructions into.
    pub(crate) fn refuse(&self) -> Result {
        match &self.into {
            None => Ok(()),
            Some(_) => Err(Failure::usage(
                "--into puts an instruction into a container of vISA: write --isa visa with it",
            )),
        }
    }

    /// The file of a source: its bytes, or the container with its one instruction.
    pub(crate) fn pack(
        &self,
        version: Version,
        source: &Path,
        text: &str,
        lines: &[Line<Encoded>],
    ) -> Result<Vec<u8>> {
        match &self.into {
            None => Ok(version.pack(lines)),
            Some(into) => patched(into, self.offset()?, source, text, lines),
        }
    }

    /// The place of the instruction.
    fn offset(&self) -> Result<usize> {
        let at = self.at.as_deref().unwrap_or_default();
        let offset = match at.strip_prefix("0x") {
            Some(digits) => usize::from_str_radix(digits, 16),
            None => at.parse(),
        };
        offset.map_err(|_| {
            Failure::usage(format!(
                "--at {at}: expected a place in bytes, such as 0x1a0 or 416"
            ))
        })
    }
}

/// The bytes of a container with the one instruction of the source in it.
fn patched(
    into: &Path,
    offset: usize,
    source: &Path,
    text: &str,
    lines: &[Line<Encoded>],
) -> Result<Vec<u8>> {
    let [Line { number, statement }] = lines else {
        let sentence = format!(
            "--into replaces one instruction, and the source has {}",
            lines.len()
        );
        return Err(Failure::usage(sentence).of(source));
    };
    let container = Container::read(read_file(into)?);
    let mut container = container.map_err(|e| Failure::usage(e.to_string()).of(into))?;
    match container.replace(offset, &statement.inst) {
        Ok(()) => Ok(container.bytes().to_vec()),
        Err(ReplaceError::Rule(broken)) => {
            let text = text.lines().nth(number - 1).unwrap_or_default();
            let places = parse_with_parts(text).map(|(_, places)| places);
            let error = LineError {
                number: *number,
                text: text.to_owned(),
                error: places.map_or_else(|error| error, |places| places.error(broken)),
            };
            Err(refused(&[error], 0).of(source))
        }
        Err(error) => Err(Failure::usage(error.to_string()).of(into)),
    }
}
