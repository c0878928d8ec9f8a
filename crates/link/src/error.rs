//! What keeps object files from being read, written or linked, one sentence each.

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
    /// More than the format can say.
    #[error("the object file would be too large: {0} take more than 32 bits can count")]
    TooLarge(String),
    /// The file contradicts itself.
    #[error("the object file is damaged: {}", plain(.0))]
    Damaged(String),
}

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
