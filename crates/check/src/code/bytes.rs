//! The bytes of executable code, by address.

use wavetank_object::CodeObject;

/// The contents of the executable segments of a code object.
#[derive(Clone)]
pub struct Bytes<'o>(Vec<(u64, &'o [u8])>);

impl<'o> Bytes<'o> {
    /// Returns the code of a code object, by virtual address.
    pub fn of(object: &'o CodeObject) -> Self {
        let segments = object.segments().iter().filter(|s| s.executable);
        let bytes = |at: u64, size: u64| {
            let start = usize::try_from(at).ok()?;
            object.bytes().get(start..start.checked_add(size as usize)?)
        };
        let segments =
            segments.filter_map(|s| Some((s.address, bytes(s.file_offset, s.file_size)?)));
        Bytes(segments.collect())
    }

    /// Returns the code from an address on; `None` if there is none.
    pub fn at(&self, address: u64) -> Option<&'o [u8]> {
        self.0.iter().find_map(|(start, bytes)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(offset..).filter(|rest| !rest.is_empty())
        })
    }
}
