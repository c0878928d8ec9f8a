//! The file of vector registers, behind which those of their shadows are.

use wavetank_ir::SHADOW_VECTOR;
use wavetank_memory::VGPRS;

/// Whether vector registers, or shadows of some, are in the file.
pub fn is_in_file(first: usize, count: usize) -> bool {
    (first & !usize::from(SHADOW_VECTOR)) + count <= VGPRS
}
