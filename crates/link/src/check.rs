//! The consistency check of an object file: each index refers to something that exists, and each size is plausible.

use object::elf;

use crate::elf::SHT_NOBITS;
use crate::error::{Error, Result};
use crate::relocatable::{Place, Relocatable, Section, Symbol};

/// The largest alignment of a section: 1 GiB, the largest page there is.
const MAX_ALIGN: u64 = 1 << 30;

impl Relocatable {
    /// Checks that symbols are in existing sections, that relocations refer to existing symbols, and that names, alignments and
    /// sizes are possible in a file.
    ///
    /// # Errors
    /// [`Error::Damaged`] for the first contradiction.
    pub fn check(&self) -> Result<()> {
        for section in &self.sections {
            self.check_section(section)
                .map_err(|problem| Error::Damaged(format!("section {} {problem}", section.name)))?;
        }
        for symbol in &self.symbols {
            self.check_symbol(symbol)
                .map_err(|problem| Error::Damaged(format!("symbol {} {problem}", symbol.name)))?;
        }
        Ok(())
    }

    fn check_section(&self, section: &Section) -> Result<(), String> {
        let Section { align, size, .. } = *section;
        let length = section.bytes.len() as u64;
        if section.name.contains('\0') {
            return Err("has a zero byte in its name".to_owned());
        }
        if align > 1 && !align.is_power_of_two() || align > MAX_ALIGN {
            return Err(format!(
                "has the alignment {align}, which is not a power of two up to 2^30"
            ));
        }
        let expected = if section.kind == SHT_NOBITS { 0 } else { size };
        if length != expected {
            return Err(format!("has {length} bytes, not {expected}"));
        }
        if let Some(symbol) = section.group.filter(|symbol| *symbol >= self.symbols.len()) {
            return Err(format!(
                "is in a group of the name of symbol {symbol}, which is not there"
            ));
        }
        let count = self.symbols.len();
        match section.relocations.iter().find(|r| r.symbol >= count) {
            None => Ok(()),
            Some(wrong) => Err(format!(
                "has a relocation at {:#x} that names symbol {} of {count}",
                wrong.offset, wrong.symbol
            )),
        }
    }

    fn check_symbol(&self, symbol: &Symbol) -> Result<(), String> {
        if symbol.name.contains('\0') {
            return Err("has a zero byte in its name".to_owned());
        }
        if symbol.kind > 15 || symbol.binding > 15 || symbol.visibility > elf::STV_PROTECTED.0 {
            let Symbol {
                kind,
                binding,
                visibility,
                ..
            } = symbol;
            return Err(format!(
                "is of type {kind}, binding {binding} and visibility {visibility}, which there are none of"
            ));
        }
        match symbol.place {
            Place::Section(index) if index >= self.sections.len() => {
                Err(format!("is in section {index}, which is not there"))
            }
            _ => Ok(()),
        }
    }
}
