//! The container of vISA (`.isa`): kernels and functions with what they declare, and their instructions.

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

/// Why an instruction is not replaced.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplaceError {
    /// No TYPED_ATOMIC begins there.
    #[error("no TYPED_ATOMIC begins at byte {offset:#x}: {there}")]
    Place {
        /// The byte that was named.
        offset: usize,
        /// Where there are some.
        there: String,
    },
    /// The new one breaks a rule.
    #[error("{0}")]
    Rule(#[from] Broken),
    /// The new one has no bytes in this version.
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
    /// The version it is written in.
    pub version: Version,
    /// Variables of the file as a whole, in the order of its header.
    pub variables: Vec<FileVariable>,
    /// Kernels, then functions, in the order of the file's header.
    pub routines: Vec<Routine>,
    bytes: Vec<u8>,
}

impl Container {
    /// Reads a container of version 3.0 or later. It needs memory in proportion to the bytes, whatever they claim.
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

    /// The bytes of the file, with what has been replaced.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A string of a routine, such as the name of a variable. Empty where there is no such string.
    pub fn string(&self, routine: &Routine, number: u32) -> Cow<'_, str> {
        let range = routine.strings.get(number as usize).cloned();
        let bytes = range.and_then(|range| self.bytes.get(range));
        String::from_utf8_lossy(bytes.unwrap_or_default())
    }

    /// The instructions of a routine of this container.
    pub fn items(&self, routine: &Routine) -> Items<'_> {
        let code = self.bytes.get(routine.code.clone());
        Items::new(
            code.unwrap_or_default(),
            routine.code.start,
            self.version.ids(),
        )
    }

    /// Puts a TYPED_ATOMIC in the place of one that begins at a byte of the file. All other bytes stay.
    ///
    /// # Errors
    /// No TYPED_ATOMIC begins there, or the new one breaks a rule by itself or by what the routine declares.
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

    /// Where TYPED_ATOMICs begin, as a list of a few.
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
