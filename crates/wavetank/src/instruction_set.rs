//! The names of instruction sets, as every command takes them.

use thiserror::Error;
use wavetank_gcn::{Chip, later_chip};
use wavetank_object::Target;
use wavetank_quote::plain;

/// The prefixes of the names of instruction sets other than GCN.
const OTHERS: [&str; 2] = ["maxwell:", "visa"];

/// The error for a name that is not an instruction set's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UnknownInstructionSet {
    /// An instruction set other than GCN.
    #[error(
        "`{0}` is not a chip of GCN: asm, dis, explain, isa and exec take maxwell:50, maxwell:52, maxwell:53, maxwell:60, maxwell:61, maxwell:62, visa, or visa:3.3 and other versions"
    )]
    Other(String),
    /// A chip of a later architecture: the sentence about it.
    #[error("{0}")]
    Later(String),
    /// A chip with a feature that it does not have, or that is none: the name, and the chip.
    #[error(
        "`{0}` is not a target: after {1} come features that it has, such as sramecc+ and xnack-"
    )]
    Feature(String, Chip),
    /// An unknown name.
    #[error(
        "`{0}` is not an instruction set: write a chip such as gfx600, gfx701, gfx803, gfx900, gfx906, tahiti, fiji or vega20"
    )]
    Unknown(String),
}

/// Returns the chip for a name of an instruction set, ignoring case: `gfx900`, one of LLVM's names, such as `tonga`, the code
/// name of a chip, such as `vega20`, or a product, such as `rx580`. Features may follow, which change no instruction:
/// `gfx90a:sramecc+:xnack-`.
///
/// # Errors
/// An [`UnknownInstructionSet`], which lists valid names.
///
/// ```
/// use wavetank::{Chip, instruction_set};
/// assert_eq!(instruction_set("fiji"), Ok(Chip::Gfx803));
/// assert!(instruction_set("visa").unwrap_err().to_string().contains("not a chip of GCN"));
/// ```
pub fn instruction_set(name: &str) -> Result<Chip, UnknownInstructionSet> {
    named_target(name).map(|(chip, _)| chip)
}

/// Returns the chip for a name that [`instruction_set`] takes, and the target of code objects with its features. The target is a
/// generic one if the name is: `gfx9-4-generic`, whose instructions are those of gfx942.
///
/// # Errors
/// An [`UnknownInstructionSet`], which lists valid names.
///
/// ```
/// use wavetank::{Chip, named_target};
/// let (chip, target) = named_target("mi210:xnack-")?;
/// assert_eq!((chip, target.to_string()), (Chip::Gfx90a, "gfx90a:xnack-".to_owned()));
/// assert!(named_target("gfx803:xnack-").is_err());
/// # Ok::<(), wavetank::UnknownInstructionSet>(())
/// ```
pub fn named_target(name: &str) -> Result<(Chip, Target), UnknownInstructionSet> {
    if OTHERS.iter().any(|other| name.starts_with(other)) {
        return Err(UnknownInstructionSet::Other(name.to_owned()));
    }
    let (head, features) = name.split_at(name.find(':').unwrap_or(name.len()));
    let generic = head.parse::<Target>().ok();
    let generic = generic.filter(|target| target.instructions() != target.chip);
    let chip = match &generic {
        Some(target) => Chip::from_name(target.instructions()),
        None => Chip::from_name(head),
    };
    let Some(chip) = chip else {
        return Err(match later_chip(head) {
            Some(sentence) => UnknownInstructionSet::Later(sentence),
            None => UnknownInstructionSet::Unknown(name.to_owned()),
        });
    };
    let own = generic.map_or(chip.name().to_owned(), |target| target.chip);
    match format!("{own}{features}").parse::<Target>() {
        Ok(target) if target.has_its_features() => Ok((chip, target)),
        _ => Err(UnknownInstructionSet::Feature(
            plain(name).to_string(),
            chip,
        )),
    }
}
