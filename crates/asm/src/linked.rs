//! From a source to the file that is loaded: a code object, or the container of a driver.

use thiserror::Error;
use wavetank_gcn::Dialect;
use wavetank_link::{Input, link};

use crate::assemble::assemble_whole;
use crate::errors::Errors;
use crate::options::Options;

/// The reason why a source does not become a file.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum LinkedError {
    /// Wrong lines.
    #[error(transparent)]
    Source(#[from] Errors),
    /// What only another file defines, or what cannot be written.
    #[error(transparent)]
    Link(#[from] wavetank_link::Error),
    /// An object that does not fit into its container.
    #[error(transparent)]
    Container(#[from] wavetank_object::Error),
}

/// Returns the options of a link of sources in a dialect: the relocations in CLRX's sources are for loaders.
pub fn link_options(dialect: Dialect) -> wavetank_link::Options {
    wavetank_link::Options {
        text_relocations: dialect == Dialect::Clrx,
        ..Default::default()
    }
}

/// Assembles and links a source.
///
/// # Errors
/// See [`LinkedError`].
///
/// ```
/// use wavetank_asm::{Options, assemble_linked};
/// use wavetank_gcn::Chip;
///
/// let options = Options {
///     kernels: vec!["nothing(u32 n)".parse()?],
///     ..Options::new(Chip::Gfx906)
/// };
/// let file = assemble_linked("k.s", "nothing:\n  s_endpgm", &options)?;
/// let object = wavetank_object::open(&file, None)?;
/// assert_eq!(object.kernels()[0].name, "nothing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assemble_linked(
    name: &str,
    text: &str,
    options: &Options<'_>,
) -> Result<Vec<u8>, LinkedError> {
    let made = assemble_whole(name, text, options)?;
    if let Some(container) = made.container {
        return Ok(container.write(&made.object.write()?)?);
    }
    let object = &made.object;
    Ok(link(
        &[Input { name, object }],
        &link_options(options.dialect),
    )?)
}
