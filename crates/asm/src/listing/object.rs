//! The sections of object files as listings, with their relocations as `llvm-objdump -dr` shows them.

use std::collections::BTreeMap;

use wavetank_gcn::Chip;
use wavetank_link::{Place, Relocatable, Symbol, elf, reloc};
use wavetank_object::Target;
use wavetank_quote::plain;

use super::region::{Label, Region};
use super::writer::Look;
use super::{Listing, ListingError};

/// The listing of a section of code in an object file.
pub struct SectionListing<'a> {
    /// The name of the section.
    pub name: &'a str,
    /// Its code, from address 0 on.
    pub listing: Listing<'a>,
}

impl<'a> Listing<'a> {
    /// Returns the target of an object file and the listings of its sections of code, each from address 0 on, with relocations as
    /// comments after the instructions that they change.
    ///
    /// # Errors
    /// [`ListingError::Chip`] if the file is for a chip that is not GCN.
    pub fn of_object(
        object: &'a Relocatable,
    ) -> Result<(Target, Vec<SectionListing<'a>>), ListingError> {
        let target = object
            .identity
            .target()
            .map_err(|error| ListingError::Chip(error.to_string()))?;
        let chip = Chip::from_name(target.instructions());
        let chip = chip.ok_or_else(|| ListingError::Chip(target.chip.clone()))?;
        let sections = object.sections.iter().enumerate();
        let code =
            sections.filter(|(_, s)| s.flags & elf::SHF_EXECINSTR != 0 && !s.bytes.is_empty());
        let listings = code.map(|(n, section)| {
            let mut look = Look::new(chip, labels(object, n), true);
            look.relocations = relocations(object, n);
            let region = Region {
                address: 0,
                bytes: &section.bytes,
                code: true,
            };
            SectionListing {
                name: &section.name,
                listing: Listing::new(vec![region], look),
            }
        });
        Ok((target, listings.collect()))
    }
}

/// Returns the names of a section's offsets: of several, functions and global symbols come first.
fn labels(object: &Relocatable, section: usize) -> BTreeMap<u64, Label> {
    let stands = |s: &&Symbol| {
        s.place == Place::Section(section) && s.kind != elf::STT_SECTION && !s.name.is_empty()
    };
    let mut symbols: Vec<&Symbol> = object.symbols.iter().filter(stands).collect();
    symbols.sort_by_key(|s| (s.kind == elf::STT_FUNC, s.binding != elf::STB_LOCAL));
    let label = |s: &Symbol| Label {
        name: s.name.clone(),
        symbol: true,
    };
    symbols.iter().map(|s| (s.value, label(s))).collect()
}

/// Returns the relocations of a section as text: `R_AMDGPU_REL32_LO name+0x4`.
fn relocations(object: &Relocatable, section: usize) -> BTreeMap<u64, String> {
    let all = object.sections[section].relocations.iter();
    let text = all.filter_map(|relocation| {
        let symbol = object.symbols.get(relocation.symbol)?;
        let name = match symbol.place {
            Place::Section(n) if symbol.kind == elf::STT_SECTION => &object.sections[n].name,
            _ => &symbol.name,
        };
        let addend = match relocation.addend {
            0 => String::new(),
            n if n < 0 => format!("-{:#x}", n.unsigned_abs()),
            n => format!("+{n:#x}"),
        };
        let (kind, name) = (reloc::name(relocation.kind), plain(name));
        Some((relocation.offset, format!("{kind} {name}{addend}")))
    });
    text.collect()
}
