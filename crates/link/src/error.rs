//! Errors of reading, writing and linking object files, one sentence each.

use wavetank_quote::plain;

/// The reason why some object files could not be read, written or linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the file's target or container, in the words of [`wavetank_object`].
    #[error(transparent)]
    Object(#[from] wavetank_object::Error),
    /// A code object version that does not exist.
    #[error("there is no code object version {0}; there are 2 to 6")]
    Version(u8),
    /// A file that is not a relocatable object file for an AMD GPU.
    #[error(
        "this is not a relocatable object file (ELF of type REL) for an AMD GPU, such as `wavetank asm -c` writes"
    )]
    NotRelocatable,
    /// A file that is not a linked code object.
    #[error("this is not a linked code object (ELF of type DYN) for an AMD GPU")]
    NotLinked,
    /// A size that exceeds the format.
    #[error("the object file would be too large: {0} are more than the format can count")]
    TooLarge(String),
    /// A link without input files.
    #[error("there is nothing to link: no object file was given")]
    NothingToLink,
    /// Two files that cannot be linked together.
    #[error(
        "{} and {} cannot be linked together: {problem}",
        plain(first),
        plain(second)
    )]
    Incompatible {
        /// The name of the first file.
        first: String,
        /// The name of the second file.
        second: String,
        /// The difference between the files.
        problem: String,
    },
    /// Symbols or relocations that prevent the link.
    #[error("{}", sentences(.0))]
    Unlinkable(Vec<Problem>),
    /// A file that contradicts itself.
    #[error("the object file is damaged: {}", plain(.0))]
    Damaged(String),
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A problem that prevents files from being linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A symbol that several files define.
    #[error(
        "symbol `{}` is defined twice, in {} and in {}",
        plain(symbol),
        plain(first),
        plain(second)
    )]
    Duplicate {
        /// The name of the symbol.
        symbol: String,
        /// The name of the first file.
        first: String,
        /// The name of the other file.
        second: String,
    },
    /// A symbol that no file defines.
    #[error("symbol `{}` is not defined; {} uses it", plain(symbol), plain(by))]
    Undefined {
        /// The name of the symbol.
        symbol: String,
        /// The first place that uses it: file, function, section and offset.
        by: String,
    },
    /// A relocation that cannot be applied.
    #[error(
        "{}: the relocation {kind} of `{}` cannot be: {problem}",
        plain(place),
        plain(symbol)
    )]
    Relocation {
        /// The place of the relocation: file, function, section and offset.
        place: String,
        /// The name of its symbol.
        symbol: String,
        /// The name of the relocation.
        kind: String,
        /// The reason, and the way out.
        problem: String,
    },
}

/// Limit of the problems that are listed.
const MAX_LISTED: usize = 20;

/// Returns the problems as text, a line each.
fn sentences(problems: &[Problem]) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .take(MAX_LISTED)
        .map(Problem::to_string)
        .collect();
    match problems.len().saturating_sub(MAX_LISTED) {
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    lines.join("\n")
}
