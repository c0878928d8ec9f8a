//! The container of vISA (`.isa`): kernels and functions with their declarations and instructions.

mod cursor;
mod error;
mod layout;
mod listing;
mod read;
mod routine;
mod walk;

use std::borrow::Cow;

use thiserror::Error;

use crate::visa::code::{EncodeError, encode};
use crate::visa::instruction::{TypedAtomic, Version};
use crate::visa::rules::{Broken, check};

pub use error::ContainerError;
pub use listing::Listing;
pub use routine::{Binary, FileVariable, Input, Kind, MAGIC, Routine};
pub use walk::{Content, Item, Items};

/// The reason for which an instruction is not replaced.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplaceError {
    /// No TYPED_ATOMIC begins at the offset.
    #[error("no TYPED_ATOMIC begins at byte {offset:#x}: {there}")]
    Place {
        /// The offset that was given.
        offset: usize,
        /// The offsets of TYPED_ATOMICs.
        there: String,
    },
    /// The new instruction breaks a rule.
    #[error("{0}")]
    Rule(#[from] Broken),
    /// The new instruction has no encoding in this version.
    #[error("{0}")]
    Encode(#[from] EncodeError),
}

/// A container, with all its bytes.
///
/// ```
/// use wavetank_surface_isa::visa::{Container, Version};
/// let empty = *b"CISA\x04\x01\0\0\0\0\0\0";
/// let container = Container::read(empty.to_vec())?;
/// assert_eq!(container.version, Version::new(4, 1));
/// assert!(container.routines.is_empty());
/// # Ok::<(), wavetank_surface_isa::visa::ContainerError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Container {
    /// The version of the container.
    pub version: Version,
    /// The variables of the file as a whole, in the order of its header.
    pub variables: Vec<FileVariable>,
    /// The kernels, then the functions, in the order of the file's header.
    pub routines: Vec<Routine>,
    bytes: Vec<u8>,
}

impl Container {
    /// Reads a container of version 3.0 or later. The memory that it needs is proportional to the number of bytes, whatever the
    /// bytes claim.
    ///
    /// # Errors
    /// A [`ContainerError`] with the place.
    pub fn read(bytes: Vec<u8>) -> Result<Container, ContainerError> {
        let (version, variables, routines) = read::read(&bytes)?;
        Ok(Container {
            version,
            variables,
            routines,
            bytes,
        })
    }

    /// Returns the bytes of the file, with the replacements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns a string of a routine, such as the name of a variable; empty if there is no such string.
    pub fn string(&self, routine: &Routine, number: u32) -> Cow<'_, str> {
        let range = routine.strings.get(number as usize).cloned();
        let bytes = range.and_then(|range| self.bytes.get(range));
        String::from_utf8_lossy(bytes.unwrap_or_default())
    }

    /// Returns the instructions of a routine of this container.
    pub fn items(&self, routine: &Routine) -> Items<'_> {
        let code = self.bytes.get(routine.code.clone());
        Items::new(
            code.unwrap_or_default(),
            routine.code.start,
            self.version.ids(),
        )
    }

    /// Replaces the TYPED_ATOMIC at an offset in the file. All other bytes stay.
    ///
    /// # Errors
    /// If no TYPED_ATOMIC begins there, or the new one breaks a rule, by itself or with the routine's declarations.
    pub fn replace(&mut self, offset: usize, inst: &TypedAtomic) -> Result<(), ReplaceError> {
        let begins = |item: &Item| {
            item.offset == offset && matches!(item.content, Content::Atomic(_) | Content::Wrong(_))
        };
        let mut routines = self.routines.iter();
        let routine = routines.find(|routine| self.items(routine).any(|item| begins(&item)));
        let Some(routine) = routine else {
            let there = self.atomics();
            return Err(ReplaceError::Place { offset, there });
        };
        check(inst)?;
        routine.declarations.check(inst)?;
        let bytes = encode(inst, self.version.ids())?;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }

    /// Returns the offsets of the first few TYPED_ATOMICs as a list.
    fn atomics(&self) -> String {
        let items = self.routines.iter().flat_map(|routine| self.items(routine));
        let atomics =
            items.filter(|item| matches!(item.content, Content::Atomic(_) | Content::Wrong(_)));
        let places: Vec<String> = atomics.map(|item| format!("{:#x}", item.offset)).collect();
        match places.len() {
            0 => "the file has none that can be found".to_owned(),
            _ => format!("the file has them at {}", wavetank_quote::some_of(&places)),
        }
    }
}
