//! A check of the nesting depth of DWARF entries, because readers recurse.

use gimli::{Dwarf, Reader, Result};

/// The deepest accepted nesting of entries. Functions inlined in functions reach some tens of levels.
const DEPTH: isize = 256;
/// Limit of an entry's attributes. An entry can be a single byte, because attributes may have no bytes.
const ATTRIBUTES: usize = 256;

/// Returns whether every entry has the shape that compilers write.
///
/// # Errors
/// Errors of entries that cannot be read.
pub(super) fn is_sane<R: Reader>(dwarf: &Dwarf<R>) -> Result<bool> {
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
