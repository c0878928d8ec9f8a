//! The names of the bits of memory instructions that say what caches do, which differ between chips.

use wavetank_gcn::Chip;

/// Returns the name of a field in the text of a chip: those of caches are others from gfx942 on (LLVM's "User Guide for AMDGPU
/// Backend", "Memory Model gfx942").
///
/// ```
/// use wavetank_explain::field_name;
/// use wavetank_gcn::Chip;
/// assert_eq!(field_name("glc", Chip::Gfx90a), "glc");
/// assert_eq!(field_name("glc", Chip::Gfx942), "sc0");
/// ```
pub fn field_name(field: &str, chip: Chip) -> &str {
    match field {
        "glc" if chip >= Chip::Gfx942 => "sc0",
        "slc" if chip >= Chip::Gfx942 => "nt",
        "scc" if chip >= Chip::Gfx942 => "sc1",
        field => field,
    }
}

/// Returns the name of the bit by which an atomic returns what was in memory, as the text of the chip has it.
pub(crate) fn returning_bit(chip: Chip) -> &'static str {
    match field_name("glc", chip) {
        "sc0" => "SC0",
        _ => "GLC",
    }
}
