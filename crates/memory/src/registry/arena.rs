//! The arena: address space for the memory that a registry owns.
//!
//! Small pieces share mappings, since a process can have only some 65,000; large ones have their own. Every piece consists of
//! whole pages, followed by a guard page. The guard is mapped like the others: overruns and uses after free are found by the
//! registry, whose bounds are exact to the byte, and not by the page table.
//!
//! A piece that is given back loses its memory at once, but its addresses rest. Addresses are used again only when some gigabytes
//! of later pieces have been given back too, so that a stale pointer hits nothing for long. Addresses also rest while an access
//! that was allowed before may be running.
//!
//! A piece can have blocks of 2 MiB to itself, as a chip's driver maps them. The rest of its last block is mapped too, reads
//! zeros, and takes no memory, since nothing is written there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;

use super::file;
use super::host_mapping::{PAGE, PageSizeAdvice, Pages};
use crate::global;

/// Guard bytes after every piece, so that no access spans two.
pub(super) const GUARD: u64 = PAGE;

/// Pieces of this many bytes and more have a mapping of their own.
const LARGE: u64 = 1 << 20;

/// Bytes of a mapping that small pieces share.
const CHUNK: u64 = 64 << 20;

/// Minimum size of a piece for which huge pages are requested.
const HUGE: u64 = 4 << 20;

/// The size of a block in bytes.
pub(super) const BLOCK: u64 = 2 << 20;

/// The address space that rests, in bytes, by [`Kind`]. A used block keeps a page of the host's page tables.
const REST: [u64; 3] = [2 << 30, 16 << 30, 64 << 30];

/// A piece of address space, with the guard bytes that follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Room {
    /// The address of the first byte.
    pub start: u64,
    /// Bytes up to the end of the guard.
    bytes: u64,
    /// Bytes that an owner may use, in whole pages.
    usable: u64,
    kind: Kind,
}

/// The kind of mapping that a piece lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A mapping shared with other pieces.
    Small,
    /// A shared mapping, with a block reserved for the piece.
    Block,
    /// A mapping of the piece alone.
    Large,
}

impl Room {
    /// Bytes that an owner may use, in whole pages.
    pub(super) fn usable(&self) -> u64 {
        self.usable
    }

    /// Returns the address at which the guard begins. The bytes between [`usable`](Self::usable) and the guard read zeros.
    pub(super) fn guard(&self) -> u64 {
        self.start + self.bytes - GUARD
    }
}

/// Rounds a size up to whole pages.
fn pages(bytes: u64) -> Result<u64, String> {
    let pages = bytes.max(1).checked_next_multiple_of(PAGE);
    pages.ok_or_else(too_large)
}

fn too_large() -> String {
    "the size is too large".to_owned()
}

/// The mappings of a registry.
#[derive(Debug, Default)]
pub(super) struct Arena {
    /// Mappings that small pieces share, by address.
    chunks: BTreeMap<u64, Pages>,
    /// Free ranges of the shared mappings: start to length, and the same ordered by length.
    free: BTreeMap<u64, u64>,
    fits: BTreeSet<(u64, u64)>,
    /// Mappings of large pieces, by the address of the piece.
    large: BTreeMap<u64, Pages>,
    /// Pieces mapped to files, by address.
    on_files: BTreeSet<u64>,
    /// Pieces that rest, by [`Kind`].
    resting: [Resting; 3],
}

/// Pieces that have been given back, oldest first, each with the epoch after which it may be used again.
#[derive(Debug, Default)]
struct Resting {
    pieces: VecDeque<(Room, u64)>,
    bytes: u64,
}

impl Arena {
    /// Zeroed memory of `bytes` bytes at a multiple of `align`, a power of two and at least a page. `has_come` returns whether no
    /// access of an earlier epoch is running.
    pub(super) fn take(
        &mut self,
        bytes: u64,
        align: u64,
        has_come: impl Fn(u64) -> bool,
    ) -> Result<Room, String> {
        let usable = pages(bytes)?;
        let bytes = usable.checked_add(GUARD).ok_or_else(too_large)?;
        let with_skip = bytes.checked_add(align - PAGE).ok_or_else(too_large)?;
        self.try_twice(has_come, |arena| {
            if with_skip < LARGE {
                arena.take_small(bytes, align, 0).map(|start| Room {
                    start,
                    bytes,
                    usable,
                    kind: Kind::Small,
                })
            } else {
                arena.take_large([usable, bytes, with_skip], align)
            }
        })
    }

    /// Zeroed memory as from [`take`](Self::take), with blocks of its own: no other piece lies before the end of its last block,
    /// nor in the page after that.
    pub(super) fn take_block(
        &mut self,
        bytes: u64,
        align: u64,
        has_come: impl Fn(u64) -> bool,
    ) -> Result<Room, String> {
        let usable = pages(bytes)?;
        if align == PAGE && usable <= BLOCK - GUARD {
            // The guard of one block is the first page of the next.
            return self.try_twice(has_come, |arena| {
                let start = arena.take_small(BLOCK, BLOCK, GUARD)?;
                Ok(Room {
                    start,
                    bytes: BLOCK,
                    usable,
                    kind: Kind::Block,
                })
            });
        }
        let align = align.max(BLOCK);
        let whole = usable.checked_next_multiple_of(BLOCK);
        let bytes = whole.and_then(|n| n.checked_add(GUARD));
        let bytes = bytes.ok_or_else(too_large)?;
        let with_skip = bytes.checked_add(align - PAGE).ok_or_else(too_large)?;
        self.try_twice(has_come, |arena| {
            arena.take_large([usable, bytes, with_skip], align)
        })
    }

    /// Zeroed memory at an address, both a multiple of a page. `bytes` includes the guard.
    pub(super) fn take_at(&mut self, start: u64, bytes: u64) -> Result<Room, String> {
        let map = Pages::map_at(start, bytes)?;
        self.large.insert(start, map);
        Ok(Room {
            start,
            bytes,
            usable: bytes - GUARD,
            kind: Kind::Large,
        })
    }

    /// Unmaps a piece of [`take_at`](Self::take_at) that was never accessed.
    pub(super) fn drop_at(&mut self, room: Room) {
        self.large.remove(&room.start);
    }

    /// Takes a piece; if that fails, again after everything possible has been returned to the host.
    fn try_twice(
        &mut self,
        has_come: impl Fn(u64) -> bool,
        take: impl Fn(&mut Self) -> Result<Room, String>,
    ) -> Result<Room, String> {
        self.wake(&has_come, REST);
        take(self).or_else(|_| {
            self.wake(&has_come, [0; 3]);
            take(self)
        })
    }

    /// Maps a piece to a file, which has as many bytes as the piece without its guard.
    pub(super) fn lay(&mut self, room: Room, file: &File) -> std::io::Result<()> {
        // SAFETY: pages of the arena, which guests access by relaxed atomics only.
        unsafe { file::map_file(room.start, room.usable(), file) }?;
        self.on_files.insert(room.start);
        Ok(())
    }

    /// Unmaps a piece from its file, if it is mapped to one: the piece reads zeros, and the file is unchanged.
    pub(super) fn lift(&mut self, room: Room) -> std::io::Result<()> {
        if self.on_files.contains(&room.start) {
            // SAFETY: pages of the arena, which guests access by relaxed atomics only.
            unsafe { file::map_zeros(room.start, room.usable) }?;
            self.on_files.remove(&room.start);
        }
        Ok(())
    }

    /// Gives back a piece: its memory at once, its addresses later.
    pub(super) fn give(&mut self, room: Room, epoch: u64) {
        if self.lift(room).is_err() {
            // The piece is never used again: its next owner would write to the file.
            return;
        }
        self.empty(room);
        let resting = &mut self.resting[room.kind as usize];
        resting.bytes += room.bytes;
        resting.pieces.push_back((room, epoch));
    }

    /// Returns whether an address is in one of the mappings.
    pub(super) fn holds(&self, address: u64) -> bool {
        [&self.chunks, &self.large].into_iter().any(|maps| {
            // A large piece may begin after the start of its mapping; the skipped bytes are unused.
            let before = maps.range(..=address).next_back();
            before.is_some_and(|(_, map)| address - map.start() < map.length())
        })
    }

    /// Returns the address of a piece such that `address - phase` is a multiple of `align`.
    fn take_small(&mut self, bytes: u64, align: u64, phase: u64) -> Result<u64, String> {
        let with_skip = bytes + (align - PAGE);
        let fit = self.fits.range((with_skip, 0)..).next().copied();
        let (length, start) = match fit {
            Some(fit) => fit,
            None => self.map_chunk()?,
        };
        self.fits.remove(&(length, start));
        self.free.remove(&start);
        let at = (start - phase).next_multiple_of(align) + phase;
        self.keep(start, at - start);
        self.keep(at + bytes, start + length - at - bytes);
        Ok(at)
    }

    /// Maps another chunk for small pieces: length and start.
    fn map_chunk(&mut self) -> Result<(u64, u64), String> {
        let map = Pages::map(CHUNK)?;
        // A piece of one page would take a whole huge page.
        map.advise_page_size(PageSizeAdvice::Small);
        let start = map.start();
        self.chunks.insert(start, map);
        self.keep(start, CHUNK);
        Ok((CHUNK, start))
    }

    fn take_large(
        &mut self,
        [usable, bytes, with_skip]: [u64; 3],
        align: u64,
    ) -> Result<Room, String> {
        let map = Pages::map(with_skip)?;
        if bytes >= HUGE {
            map.advise_page_size(PageSizeAdvice::Huge);
        }
        let start = map.start().next_multiple_of(align);
        self.large.insert(start, map);
        Ok(Room {
            start,
            bytes,
            usable,
            kind: Kind::Large,
        })
    }

    /// Adds a free range of a chunk.
    fn keep(&mut self, start: u64, length: u64) {
        if length > 0 {
            self.free.insert(start, length);
            self.fits.insert((length, start));
        }
    }

    /// Frees the addresses that have rested, the oldest first, until no more than `rest` bytes rest.
    pub(super) fn wake(&mut self, has_come: &impl Fn(u64) -> bool, rest: [u64; 3]) {
        for (kind, most) in rest.into_iter().enumerate() {
            while self.resting[kind].bytes > most
                && let Some(&(room, epoch)) = self.resting[kind].pieces.front()
                && has_come(epoch)
            {
                self.resting[kind].pieces.pop_front();
                self.resting[kind].bytes -= room.bytes;
                self.reuse(room);
            }
        }
    }

    /// Reuses a piece that can no longer be accessed: a large one is unmapped, a small one joins the free space around it.
    fn reuse(&mut self, room: Room) {
        if room.kind == Kind::Large {
            self.large.remove(&room.start);
            return;
        }
        // A late access may have written after the piece was emptied.
        self.empty(room);
        let (mut start, mut end) = (room.start, room.start + room.bytes);
        if let Some((&before, &length)) = self.free.range(..start).next_back()
            && before + length == start
            && !self.chunks.contains_key(&start)
        {
            self.forget(before, length);
            start = before;
        }
        if let Some(&length) = self.free.get(&end)
            && !self.chunks.contains_key(&end)
        {
            self.forget(end, length);
            end += length;
        }
        self.keep(start, end - start);
    }

    fn forget(&mut self, start: u64, length: u64) {
        self.free.remove(&start);
        self.fits.remove(&(length, start));
    }

    /// Discards the memory of a piece, which reads zeros afterwards.
    fn empty(&self, room: Room) {
        let maps = match room.kind {
            Kind::Large => &self.large,
            Kind::Small | Kind::Block => &self.chunks,
        };
        let Some((_, map)) = maps.range(..=room.start).next_back() else {
            return;
        };
        let at = room.start - map.start();
        // SAFETY: the pages are the registry's own, and no references to them exist: guests access them by relaxed atomics only,
        // which may read zeros at any time.
        let emptied = unsafe { map.discard(at, room.usable) };
        if !emptied {
            // Memory that the program has locked cannot be returned to the host.
            // SAFETY: the bytes are mapped and writable.
            unsafe { global::zero(room.start, room.usable) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces never overlap, are aligned, have a guard, and are zero. A piece that was given back is not reused before its epoch.
    fn play(steps: Vec<(bool, bool, u64, u32)>) {
        let mut arena = Arena::default();
        let mut live: Vec<(Room, u64)> = Vec::new();
        let mut given: Vec<Room> = Vec::new();
        for (take, blocks, bytes, align) in steps {
            if take || live.is_empty() {
                let align = PAGE << align;
                let room = if blocks {
                    arena.take_block(bytes, align, |_| false).unwrap()
                } else {
                    arena.take(bytes, align, |_| false).unwrap()
                };
                assert!(room.start.is_multiple_of(align) && room.bytes >= bytes + GUARD);
                assert_eq!(room.usable(), bytes.next_multiple_of(PAGE));
                let end = room.start + bytes;
                if blocks {
                    assert_eq!(room.guard(), end.next_multiple_of(BLOCK));
                    // SAFETY: the memory is mapped up to the guard.
                    assert_eq!(unsafe { global::load64(room.guard() - 8) }, 0);
                }
                let apart = |other: &Room| {
                    room.start + room.bytes <= other.start
                        || other.start + other.bytes <= room.start
                };
                assert!(live.iter().all(|(other, _)| apart(other)));
                assert!(given.iter().all(apart));
                // SAFETY: the piece was just taken.
                unsafe {
                    assert_eq!(global::load64(room.start), 0);
                    global::store64(room.start, !0);
                }
                live.push((room, bytes));
            } else {
                let (room, _) = live.swap_remove(bytes as usize % live.len());
                arena.give(room, 1);
                given.push(room);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pieces_are_apart(
            steps in prop::collection::vec((any::<bool>(), any::<bool>(), 1u64..3_000_000, 0u32..6), 1..60)
        ) {
            play(steps);
        }
    }

    #[test]
    fn what_has_rested_is_used_again_and_reads_zero() {
        let mut arena = Arena::default();
        let first = arena.take(100, PAGE, |_| true).unwrap();
        // SAFETY: the piece was just taken.
        unsafe { global::store64(first.start, 7) };
        arena.give(first, 1);
        // A late write that was allowed before.
        // SAFETY: small pieces stay mapped.
        unsafe { global::store64(first.start + 8, 7) };
        arena.wake(&|_| false, [0; 3]);
        assert!(!arena.free.is_empty() && arena.resting[0].bytes > 0);
        arena.wake(&|_| true, [0; 3]);
        // All free space is one range again.
        assert_eq!(arena.free.values().copied().collect::<Vec<_>>(), [CHUNK]);
        let again = arena.take(100, PAGE, |_| true).unwrap();
        assert_eq!(again.start, first.start);
        // SAFETY: the piece was just taken.
        unsafe {
            assert_eq!(
                (global::load64(again.start), global::load64(again.start + 8)),
                (0, 0)
            );
        };
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let mut arena = Arena::default();
        for (bytes, align) in [
            (u64::MAX, PAGE),
            (u64::MAX - PAGE, PAGE),
            (1, 1 << 63),
            (1 << 62, PAGE),
        ] {
            assert!(
                arena.take(bytes, align, |_| true).is_err(),
                "{bytes:#x} {align:#x}"
            );
        }
    }
}
