//! Copying and filling memory that kernels and threads of the program may access at the same time.
//!
//! Rust has no copy that may race with other accesses. Such copies are made only here, by assembly instructions. To Rust, these
//! are relaxed atomic loads and stores of single bytes, in an unspecified order, through addresses that the program has passed.
//! Each host architecture has instructions of its own: `x86_64.rs`, `aarch64.rs`.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod host;

use self::host::{backward, fence, forward, line};
use std::ops::Range;

use wavetank::Hold;

use crate::memory::address::{PAGE, host_address};
use crate::memory::host::{self as pages, Access, Copied};
use crate::memory::ownership;
use crate::observe::{profile, undefined};

/// The largest copy from or to host memory that is made by a system call, which checks the mapping itself: for larger ones, a
/// separate check is cheaper.
const SMALL: u64 = 32 << 10;
/// The size from which stores bypass the caches.
const LARGE: u64 = 4 << 20;

/// Rows of bytes: the first, and the bytes from row to row and from slice to slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub address: u64,
    pub pitches: [u64; 2],
}

impl Place {
    /// A single row, which needs no pitches.
    pub(crate) fn row(address: u64) -> Place {
        Place {
            address,
            pitches: [0; 2],
        }
    }

    /// The bytes of all rows, with adjacent rows as one range; empty if there are too many rows.
    pub(crate) fn ranges(&self, size: [u64; 3]) -> Vec<Range<u64>> {
        const MAX: u64 = 1 << 14;
        let [bytes, rows, slices] = size;
        if bytes == 0 || rows.saturating_mul(slices) > MAX {
            return Vec::new();
        }
        let places = (0..slices).flat_map(|slice| (0..rows).map(move |row| [row, slice]));
        let row = |place| {
            let start = host_address(self.at(place)?);
            Some(start..start.checked_add(bytes)?)
        };
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for row in places.filter_map(row) {
            match ranges.last_mut().filter(|last| last.end == row.start) {
                Some(last) => last.end = row.end,
                None => ranges.push(row),
            }
        }
        ranges
    }

    /// The address of a row, by its number and its slice's.
    fn at(&self, [row, slice]: [u64; 2]) -> Option<u64> {
        let [rows, slices] = [row, slice];
        let down = rows.checked_mul(self.pitches[0])?;
        let deep = slices.checked_mul(self.pitches[1])?;
        self.address.checked_add(down)?.checked_add(deep)
    }
}

/// Rows of bytes to be copied: bytes of a row, rows of a slice, slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub to: Place,
    pub from: Place,
    pub size: [u64; 3],
}

impl Rows {
    /// Copies the rows, if all are in memory that may be copied. In case of an error, some rows may have been copied.
    pub(crate) fn copy(&self) -> Result<(), String> {
        let [bytes, rows, slices] = self.size;
        if self.size.contains(&0) {
            return Ok(());
        }
        if [rows, slices] == [1, 1] {
            return copy(self.to.address, self.from.address, bytes);
        }
        let all = bytes.saturating_mul(rows).saturating_mul(slices);
        profile::copies("copy of rows", all, || self.copy_rows())
    }

    fn copy_rows(&self) -> Result<(), String> {
        let [bytes, rows, slices] = self.size;
        let whole = self.hold_whole();
        for place in (0..slices).flat_map(|slice| (0..rows).map(move |row| [row, slice])) {
            let wraps = || "its rows end past the last address".to_owned();
            let to = self.to.at(place).ok_or_else(wraps)?;
            let from = self.from.at(place).ok_or_else(wraps)?;
            match whole {
                // SAFETY: both rows lie in the checked memory.
                Some(_) => unsafe {
                    raw(to, from, bytes);
                    undefined::copied(to, from, bytes);
                },
                None => copy_defined(to, from, bytes)?,
            }
        }
        Ok(())
    }

    /// Keeps the memory from the first row to the last mapped, on both sides, if all of it may be copied.
    fn hold_whole(&self) -> Option<[Option<Hold<'static>>; 2]> {
        let [bytes, rows, slices] = self.size;
        let range = |place: &Place, access| {
            let last = place.at([rows - 1, slices - 1])?;
            let length = last.checked_add(bytes)?.checked_sub(place.address)?;
            Some(ownership::Range::new(place.address, length, access))
        };
        let to = range(&self.to, Access::Write)?;
        let from = range(&self.from, Access::Read)?;
        for pages in [to.pages().ok()?, from.pages().ok()?] {
            (!pages.of_file).then_some(())?;
        }
        Some([to.hold().ok()?, from.hold().ok()?])
    }
}

/// Copies bytes, which may overlap, if the memory may be copied. The error is a sentence without a subject.
pub(crate) fn copy(to: u64, from: u64, bytes: u64) -> Result<(), String> {
    profile::copies("copy", bytes, || copy_defined(to, from, bytes))
}

/// Copies bytes, and whether they are defined.
fn copy_defined(to: u64, from: u64, bytes: u64) -> Result<(), String> {
    copy_bytes(to, from, bytes)?;
    undefined::copied(to, from, bytes);
    Ok(())
}

fn copy_bytes(to: u64, from: u64, bytes: u64) -> Result<(), String> {
    if bytes == 0 {
        return Ok(());
    }
    let to = ownership::Range::new(to, bytes, Access::Write);
    let from = ownership::Range::new(from, bytes, Access::Read);
    let _held = [to.hold()?, from.hold()?];
    let apart = to.address.abs_diff(from.address) >= bytes;
    let by_system = || {
        if apart {
            pages::copy(to.address, from.address, bytes)
        } else {
            Ok(Copied::Nothing)
        }
    };
    let ours = to.ours && from.ours;
    if !ours && bytes <= SMALL && by_system()? == Copied::All {
        return Ok(());
    }
    let of_file = to.pages()?.of_file | from.pages()?.of_file;
    // A file may be shorter than its mapping, which the system call detects.
    if of_file && by_system()? == Copied::All {
        return Ok(());
    }
    // SAFETY: the library holds these bytes, or the system reports that the program has them mapped.
    unsafe { raw(to.address, from.address, bytes) };
    Ok(())
}

/// Fills dwords with a value, if the memory is writable. The error is a sentence without a subject.
pub(crate) fn fill(to: u64, value: u32, count: u64) -> Result<(), String> {
    let bytes = count.checked_mul(4);
    let bytes = bytes.ok_or_else(|| format!("{count} dwords are more than there are addresses"))?;
    if bytes == 0 {
        return Ok(());
    }
    let range = ownership::Range::new(to, bytes, Access::Write);
    let _held = range.hold()?;
    range.pages()?;
    profile::copies("fill", bytes, || {
        // SAFETY: the range has just been checked.
        unsafe { self::host::fill(range.address, value, count) }
    });
    undefined::filled(to, bytes);
    Ok(())
}

/// Checks that memory may be read. The error is a sentence without a subject.
pub(crate) fn check(address: u64, bytes: u64) -> Result<(), String> {
    if bytes == 0 {
        return Ok(());
    }
    let range = ownership::Range::new(address, bytes, Access::Read);
    range.hold()?;
    range.pages().map(drop)
}

/// Copies bytes, which may overlap.
///
/// # Safety
/// All of both ranges is mapped, and the target can be written.
unsafe fn raw(to: u64, from: u64, bytes: u64) {
    /// The distance below which the pieces of an overlapping copy would be too small.
    const CLOSE: u64 = 256;
    let [to, from] = [to, from].map(host_address);
    let ahead = to.wrapping_sub(from);
    // SAFETY: the copied pieces are parts of the ranges.
    unsafe {
        if to.abs_diff(from) >= bytes && bytes >= LARGE {
            large(to, from, bytes);
        } else if ahead >= bytes {
            forward(to, from, bytes);
        } else if ahead >= CLOSE {
            let mut left = bytes;
            while left > 0 {
                let piece = left.min(ahead);
                left -= piece;
                forward(to + left, from + left, piece);
            }
        } else if ahead > 0 {
            backward(to, from, bytes);
        }
    }
}

/// Copies without filling the caches, four pages in parallel, which keeps more of the memory's banks busy than one.
///
/// # Safety
/// As for [`raw`], and the ranges do not overlap.
unsafe fn large(mut to: u64, mut from: u64, bytes: u64) {
    const BLOCK: u64 = 4 * PAGE;
    let head = to.wrapping_neg() % 64;
    let blocks = (bytes - head) / BLOCK;
    // SAFETY: head, blocks and the rest are the ranges. Streaming stores need an alignment of 16; the fence makes them visible
    // before later stores.
    unsafe {
        forward(to, from, head);
        (to, from) = (to + head, from + head);
        for _ in 0..blocks {
            for place in (0..PAGE).step_by(64) {
                for page in [0, PAGE, 2 * PAGE, 3 * PAGE] {
                    line(to + page + place, from + page + place);
                }
            }
            (to, from) = (to + BLOCK, from + BLOCK);
        }
        fence();
        forward(to, from, (bytes - head) % BLOCK);
    }
}

#[cfg(test)]
mod tests {
    use super::raw;

    /// Copies within a buffer, at every kind of distance, give the result of `copy_within`.
    #[test]
    fn overlapping_copies() {
        let fresh: Vec<u8> = (0..10_000u32).map(|n| (n * 7 + n / 256) as u8).collect();
        for bytes in [0, 1, 63, 1000, 4096, 9000] {
            for (to, from) in [
                (0, 0),
                (0, 1),
                (1, 0),
                (7, 300),
                (300, 7),
                (999, 0),
                (0, 999),
            ] {
                let (mut got, mut want) = (fresh.clone(), fresh.clone());
                want.copy_within(from..from + bytes, to);
                let start = got.as_mut_ptr().expose_provenance();
                // SAFETY: both ranges are in the vector, which is alive.
                unsafe { raw((start + to) as u64, (start + from) as u64, bytes as u64) };
                assert!(got == want, "{bytes} bytes from {from} to {to}");
            }
        }
    }

    #[test]
    fn large_copies() {
        let from: Vec<u8> = (0..5_000_001u32).map(|n| (n * 7 + n / 256) as u8).collect();
        for shift in [0, 1, 63] {
            let mut to = vec![0u8; from.len() + 64];
            let bytes = from.len() - shift;
            let target = to.as_mut_ptr().expose_provenance() + shift;
            // SAFETY: both ranges are in vectors that are alive.
            unsafe {
                raw(
                    target as u64,
                    from.as_ptr().expose_provenance() as u64,
                    bytes as u64,
                );
            };
            assert!(to[shift..shift + bytes] == from[..bytes]);
            assert!(to[shift + bytes..].iter().all(|b| *b == 0));
        }
    }
}
