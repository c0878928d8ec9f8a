//! The vector file: the vector registers, followed by the registers of renaming engines, and by their shadows.

use wavetank_ir::{RENAMED_VECTOR, SHADOW_VECTOR};
use wavetank_memory::VGPRS;

/// Returns whether a span of vector registers, of renamed ones, or of shadows, lies in the file.
pub fn is_in_file(first: usize, count: usize) -> bool {
    (first & !usize::from(SHADOW_VECTOR | RENAMED_VECTOR)) + count <= VGPRS
}
