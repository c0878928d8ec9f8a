//! The vector file: the vector registers, followed by their shadows.

use wavetank_ir::SHADOW_VECTOR;
use wavetank_memory::VGPRS;

/// Returns whether a span of vector registers, or of shadows, lies in the file.
pub fn is_in_file(first: usize, count: usize) -> bool {
    (first & !usize::from(SHADOW_VECTOR)) + count <= VGPRS
}
