//! The memory of a device, page by page.

use std::ops::Range;

use wavetank_capture::{PAGE, Page};
use wavetank_memory::{Placed, Registry};

/// The ranges that allocations cover, in order. Each is in one of them, and no two overlap.
pub(super) fn pieces(allocations: &[Placed]) -> Vec<Range<u64>> {
    let mut sorted: Vec<_> = allocations
        .iter()
        .map(|placed| &placed.allocation)
        .collect();
    sorted.sort_by_key(|allocation| allocation.address);
    let mut covered = 0;
    let mut out = Vec::new();
    for allocation in sorted {
        let piece = allocation.address.max(covered)..allocation.end();
        if piece.start < piece.end {
            covered = piece.end;
            out.push(piece);
        }
    }
    out
}

/// Splits a range at the boundaries of pages: the address of each page, and the part of it that is in the range.
pub(super) fn parts(piece: &Range<u64>) -> impl Iterator<Item = (u64, Range<usize>)> + use<> {
    let size = PAGE as u64;
    let (start, end) = (piece.start, piece.end);
    let first = start - start % size;
    (first..end).step_by(PAGE).map(move |page| {
        let from = start.max(page) - page;
        let to = end.min(page + size) - page;
        (page, from as usize..to as usize)
    })
}

/// The parts of a page that are in pieces, in order.
pub(super) fn in_page(pieces: &[Range<u64>], page: u64) -> impl Iterator<Item = Range<u64>> {
    let end = page + PAGE as u64;
    let first = pieces.partition_point(|piece| piece.end <= page);
    let pieces = pieces[first..].iter();
    let near = pieces.take_while(move |piece| piece.start < end);
    near.map(move |piece| piece.start.max(page)..piece.end.min(end))
}

/// Reads the page at an address; bytes that are in no piece, or not there any more, are 0.
pub(super) fn read_page(registry: &Registry, pieces: &[Range<u64>], address: u64) -> Page {
    let mut page = [0; PAGE];
    for part in in_page(pieces, address) {
        let (from, to) = (part.start - address, part.end - address);
        let _ = registry.read(part.start, &mut page[from as usize..to as usize]);
    }
    page
}

/// Calls a function for each page that allocations cover, in order; bytes that are in none of them are 0. Memory that the host frees
/// meanwhile reads as zeros.
pub(super) fn visit<E>(
    registry: &Registry,
    allocations: &[Placed],
    mut visit: impl FnMut(u64, &Page) -> Result<(), E>,
) -> Result<(), E> {
    let mut page = [0; PAGE];
    let mut current = None;
    for piece in pieces(allocations) {
        for (address, part) in parts(&piece) {
            if let Some(before) = current.filter(|before| *before != address) {
                visit(before, &page)?;
                page.fill(0);
            }
            current = Some(address);
            // Memory that is not there any more is left as zeros.
            let _ = registry.read(address + part.start as u64, &mut page[part]);
        }
    }
    current.map_or(Ok(()), |address| visit(address, &page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_memory::{Allocation, Rights};

    fn placed(address: u64, bytes: u64) -> Placed {
        Placed {
            allocation: Allocation {
                name: "a".into(),
                address,
                bytes,
                rights: Rights::ReadWrite,
            },
            load_end: 0,
        }
    }

    #[test]
    fn pieces_do_not_overlap() {
        let all = [
            placed(100, 50),
            placed(0, 120),
            placed(110, 5),
            placed(4000, 200),
        ];
        assert_eq!(pieces(&all), [0..120, 120..150, 4000..4200]);
        let whole: Vec<_> = parts(&(4000..8200)).collect();
        assert_eq!(whole, [(0, 4000..4096), (4096, 0..4096), (8192, 0..8)]);
    }

    #[test]
    fn each_page_is_visited_once() {
        let registry = Registry::new();
        let one = registry.allocate("one", 5000, 4096).unwrap();
        let two = registry.allocate("two", 10, 4096).unwrap();
        registry.write(one.address + 4990, &[7; 10]).unwrap();
        registry.write(two.address, &[9; 10]).unwrap();
        let mut seen = Vec::new();
        let all = registry.allocations();
        let result: Result<(), ()> = visit(&registry, &all, |address, page| {
            let sum: u32 = page.iter().map(|byte| u32::from(*byte)).sum();
            seen.push((address, sum));
            Ok(())
        });
        assert_eq!(result, Ok(()));
        let mut expected = [
            (one.address, 0),
            (one.address + 4096, 70),
            (two.address, 90),
        ];
        expected.sort_unstable();
        assert_eq!(seen, expected);
    }
}
