//! A check of the nesting depth of DWARF entries, for readers that recurse.

use gimli::{Dwarf, Reader, Result};

/// How deep entries may stand in each other. Functions inlined in functions inlined in functions go some tens deep.
const DEPTH: isize = 256;
/// Attributes of an entry at most: an entry is a byte, where none of its attributes takes one.
const ATTRIBUTES: usize = 256;

/// Whether every entry is as compilers write them.
///
/// # Errors
/// Those of entries that cannot be read.
pub fn is_sane<R: Reader>(dwarf: &Dwarf<R>) -> Result<bool> {
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let depth = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            let attributes = abbreviation.attributes();
            if depth > DEPTH || attributes.len() > ATTRIBUTES {
                return Ok(false);
            }
            entries.skip_attributes(attributes)?;
        }
    }
    Ok(true)
}
