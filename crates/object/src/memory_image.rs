//! The memory image of a code object at a load address, with dynamic relocations applied.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", table "AMDGPU ELF Relocation Records".

use crate::code_object::CodeObject;
use crate::elf::Relocation;
use crate::error::{Error, Result};

/// A code object in memory, at its load address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The address of the first byte.
    pub base: u64,
    /// The virtual address (as in symbols and segments) of the first byte.
    pub origin: u64,
    /// The contents, without the zeros at the end.
    pub bytes: Vec<u8>,
    /// The size in memory, in bytes.
    pub size: u64,
}

impl Image {
    /// Returns the loaded address of a virtual address of the code object.
    pub fn address_of(&self, virtual_address: u64) -> u64 {
        virtual_address
            .wrapping_sub(self.origin)
            .wrapping_add(self.base)
    }

    /// Returns the virtual address of a loaded address, or `None` outside the image.
    pub fn virtual_address_of(&self, address: u64) -> Option<u64> {
        let at = address.checked_sub(self.base)?;
        (at < self.size).then(|| self.origin + at)
    }
}

impl CodeObject {
    /// Returns the size of the image in memory, in bytes.
    pub fn image_size(&self) -> u64 {
        self.span.size
    }

    /// Returns the virtual address (as in symbols and segments) of the image's first byte.
    pub fn image_origin(&self) -> u64 {
        self.span.origin
    }

    /// Returns the alignment that the load address must have, a power of two.
    pub fn image_align(&self) -> u64 {
        self.span.align
    }

    /// Makes the image for the load address `base`, with segments copied, gaps zeroed, and relocations applied.
    ///
    /// # Errors
    /// [`Error::MisalignedBase`], [`Error::UndefinedSymbol`] for a relocation against a symbol that is neither defined
    /// nor weak, [`Error::BadRelocation`].
    pub fn load_image(&self, base: u64) -> Result<Image> {
        self.load_image_with(base, &|_| None)
    }

    /// Makes the image as [`load_image`](Self::load_image) does, with addresses for symbols that are defined outside of the code
    /// object.
    ///
    /// # Errors
    /// The errors of [`load_image`](Self::load_image); [`Error::UndefinedSymbol`] if `externals` has no address for a symbol.
    pub fn load_image_with(
        &self,
        base: u64,
        externals: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Image> {
        let span = self.span;
        if base & (span.align - 1) != 0 || base.checked_add(span.size).is_none() {
            return Err(Error::MisalignedBase {
                base,
                align: span.align,
            });
        }
        let mut image = Image {
            base,
            origin: span.origin,
            bytes: vec![0; span.contents as usize],
            size: span.size,
        };
        for segment in self.segments.iter().filter(|s| s.file_size > 0) {
            let at = (segment.address - span.origin) as usize;
            let contents = self.segment_bytes(segment);
            image.bytes[at..at + contents.len()].copy_from_slice(contents);
        }
        for relocation in &self.relocations {
            apply(&mut image, relocation, externals)?;
        }
        Ok(image)
    }
}

/// Applies one relocation: S is the symbol's address, A the addend, P the place, B the load bias.
fn apply(
    image: &mut Image,
    relocation: &Relocation,
    externals: &dyn Fn(&str) -> Option<u64>,
) -> Result<()> {
    let place = image.address_of(relocation.place);
    let symbol = match &relocation.symbol {
        None => 0,
        Some(symbol) => match symbol.address {
            Some(address) => image.address_of(address),
            None => match externals(&symbol.name) {
                Some(address) => address,
                None if symbol.weak => 0,
                None => {
                    return Err(Error::UndefinedSymbol {
                        symbol: symbol.name.clone(),
                        place: relocation.place,
                    });
                }
            },
        },
    };
    let absolute = symbol.wrapping_add_signed(relocation.addend);
    let relative = absolute.wrapping_sub(place);
    let (value, size) = match relocation.kind {
        0 => return Ok(()),                                    // R_AMDGPU_NONE
        1 | 6 => (absolute, 4),                                // R_AMDGPU_ABS32_LO, R_AMDGPU_ABS32
        2 => (absolute >> 32, 4),                              // R_AMDGPU_ABS32_HI
        3 => (absolute, 8),                                    // R_AMDGPU_ABS64
        4 | 10 => (relative, 4),                               // R_AMDGPU_REL32, R_AMDGPU_REL32_LO
        5 => (relative, 8),                                    // R_AMDGPU_REL64
        11 => (relative >> 32, 4),                             // R_AMDGPU_REL32_HI
        13 => (image.address_of(relocation.addend as u64), 8), // R_AMDGPU_RELATIVE64
        _ => {
            let problem = "it is not a relocation of dynamic loading";
            return Err(bad(relocation, problem));
        }
    };
    let at = relocation.place.wrapping_sub(image.origin);
    let end = at.checked_add(size);
    let range = end.filter(|end| *end <= image.bytes.len() as u64);
    let Some(end) = range else {
        return Err(bad(relocation, "the place is outside what the file holds"));
    };
    let field = &mut image.bytes[at as usize..end as usize];
    field.copy_from_slice(&value.to_le_bytes()[..size as usize]);
    Ok(())
}

fn bad(relocation: &Relocation, problem: &str) -> Error {
    Error::BadRelocation {
        kind: relocation.kind,
        place: relocation.place,
        problem: problem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::elf::RelocationSymbol;

    const BASE: u64 = 0x7f00_1234_0000;
    const ORIGIN: u64 = 0x1000;

    /// Applies one relocation at virtual address 0x1008, against a symbol at 0x1040, to 16 bytes of 0xff.
    fn applied(kind: u32, addend: i64) -> Result<[u8; 8]> {
        let symbol = RelocationSymbol {
            name: "s".to_owned(),
            address: Some(0x1040),
            weak: false,
        };
        relocated(kind, 0x1008, addend, Some(symbol))
    }

    fn relocated(
        kind: u32,
        place: u64,
        addend: i64,
        symbol: Option<RelocationSymbol>,
    ) -> Result<[u8; 8]> {
        let mut image = Image {
            base: BASE,
            origin: ORIGIN,
            bytes: vec![0xff; 16],
            size: 16,
        };
        let relocation = Relocation {
            kind,
            place,
            addend,
            symbol: symbol.map(Arc::new),
        };
        let externals = |name: &str| (name == "outside").then_some(0x7000_0000);
        apply(&mut image, &relocation, &externals)?;
        Ok(image.bytes[8..].try_into().unwrap())
    }

    #[test]
    fn every_kind_follows_the_table_of_the_guide() {
        // S = BASE + 0x40, P = BASE + 8.
        let low = |word: u32| (u64::from(word) | 0xffff_ffff << 32).to_le_bytes();
        assert_eq!(applied(0, 4), Ok([0xff; 8]), "NONE");
        assert_eq!(applied(1, 4), Ok(low(0x1234_0044)), "ABS32_LO");
        assert_eq!(applied(2, 4), Ok(low(0x7f00)), "ABS32_HI");
        assert_eq!(applied(3, -4), Ok((BASE + 0x3c).to_le_bytes()), "ABS64");
        assert_eq!(applied(4, 4), Ok(low(0x3c)), "REL32");
        assert_eq!(applied(5, -0x40), Ok((-8i64).to_le_bytes()), "REL64");
        assert_eq!(applied(10, 4), Ok(low(0x3c)), "REL32_LO");
        assert_eq!(applied(11, -0x40), Ok(low(u32::MAX)), "REL32_HI");
        let relative = relocated(13, 0x1008, 0x1044, None);
        assert_eq!(relative, Ok((BASE + 0x44).to_le_bytes()), "RELATIVE64");
    }

    fn symbol_elsewhere(name: &str, weak: bool) -> RelocationSymbol {
        RelocationSymbol {
            name: name.to_owned(),
            address: None,
            weak,
        }
    }

    #[test]
    fn others_can_define_symbols() {
        for weak in [false, true] {
            let symbol = symbol_elsewhere("outside", weak);
            let value = relocated(3, 0x1008, 4, Some(symbol));
            assert_eq!(value, Ok(0x7000_0004u64.to_le_bytes()));
        }
    }

    #[test]
    fn what_cannot_be_applied_is_named() {
        let error = applied(7, 0).unwrap_err().to_string();
        assert!(error.contains("type 7 at 0x1008"), "{error}");
        for place in [0x100c, 0, u64::MAX, ORIGIN - 1] {
            let error = relocated(13, place, 0, None).unwrap_err();
            assert!(matches!(error, Error::BadRelocation { .. }), "{error}");
        }
        let undefined = |weak| symbol_elsewhere("missing", weak);
        let error = relocated(3, 0x1008, 0, Some(undefined(false))).unwrap_err();
        assert!(
            error.to_string().contains("`missing` (at 0x1008)"),
            "{error}"
        );
        let weak = relocated(3, 0x1008, 0, Some(undefined(true)));
        assert_eq!(weak, Ok([0; 8]));
    }
}
