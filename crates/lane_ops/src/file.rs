//! The vector file: the vector registers, followed by the registers of renaming engines, and by their shadows.

use wavetank_ir::{RENAMED_VECTOR, SHADOW_VECTOR};
use wavetank_memory::{VECTOR_REGISTERS, VGPRS};

/// Returns whether a span of VGPRs, of accumulation registers, of renamed ones, or of shadows, lies in the file.
pub fn is_in_file(first: usize, count: usize) -> bool {
    let first = first & !usize::from(SHADOW_VECTOR | RENAMED_VECTOR);
    let end = if first < VGPRS {
        VGPRS
    } else {
        VECTOR_REGISTERS
    };
    first + count <= end
}
