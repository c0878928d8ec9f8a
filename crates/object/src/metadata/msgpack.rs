//! Metadata of code object versions 3 to 6: MessagePack in a note of type `NT_AMDGPU_METADATA`.

use rmpv::ValueRef;

use super::tree::bad;
use crate::error::Result;

/// Limit of a metadata tree's depth. Kernels, kernel, arguments, argument and value take five levels.
const MAX_DEPTH: usize = 32;

/// Parses the note's bytes to a tree, whose texts borrow from them.
pub(super) fn read(mut note: &[u8]) -> Result<ValueRef<'_>> {
    rmpv::decode::read_value_ref_with_max_depth(&mut note, MAX_DEPTH)
        .map_err(|error| bad(format!("it is not MessagePack ({error})")))
}
