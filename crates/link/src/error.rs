//! Errors of reading, writing and linking object files, one sentence each.

use wavetank_quote::plain;

/// Why some object files could not be read, written or linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The target or a container of the file, as [`wavetank_object`] says it.
    #[error(transparent)]
    Object(#[from] wavetank_object::Error),
    /// A code object version that there is none of.
    #[error("there is no code object version {0}; there are 2 to 6")]
    Version(u8),
    /// Not a relocatable object file for an AMD GPU.
    #[error(
        "this is no relocatable object file (ELF of type REL) for an AMD GPU, such as `wavetank asm -c` writes"
    )]
    NotRelocatable,
    /// Another file than a linked code object.
    #[error("this is no linked code object (ELF of type DYN) for an AMD GPU")]
    NotLinked,
    /// More than the format can say.
    #[error("the object file would be too large: {0} are more than the format can count")]
    TooLarge(String),
    /// There is no file.
    #[error("there is nothing to link: no object file was given")]
    NothingToLink,
    /// Two files that do not go together.
    #[error(
        "{} and {} cannot be linked together: {problem}",
        plain(first),
        plain(second)
    )]
    Incompatible {
        /// The name of the first file.
        first: String,
        /// The name of the other one.
        second: String,
        /// In what they differ.
        problem: String,
    },
    /// Symbols or relocations that cannot be.
    #[error("{}", sentences(.0))]
    Unlinkable(Vec<Problem>),
    /// The file contradicts itself.
    #[error("the object file is damaged: {}", plain(.0))]
    Damaged(String),
}

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One thing that keeps files from being linked.
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
        /// Its name.
        symbol: String,
        /// The first place that uses it: file, function, section and offset.
        by: String,
    },
    /// A relocation that cannot be.
    #[error(
        "{}: the relocation {kind} of `{}` cannot be: {problem}",
        plain(place),
        plain(symbol)
    )]
    Relocation {
        /// Where it is: file, function, section and offset.
        place: String,
        /// The name of its symbol.
        symbol: String,
        /// The name of the relocation.
        kind: String,
        /// Why not, and the way out.
        problem: String,
    },
}

/// How many problems are told.
const TOLD: usize = 20;

/// Problems, a line each.
fn sentences(problems: &[Problem]) -> String {
    let mut lines: Vec<String> = problems.iter().take(TOLD).map(Problem::to_string).collect();
    match problems.len().saturating_sub(TOLD) {
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    lines.join("\n")
}
