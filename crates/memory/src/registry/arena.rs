//! Address space for the memory that a registry owns.
//!
//! Small pieces share mappings, since a process has only some 65,000; large ones have their own. Every piece is whole
//! pages with a page to spare behind it. That page is mapped like the others: it is the registry, not the page table,
//! that tells an overrun or a use after free, and its bounds are exact to the byte.
//!
//! A piece that is given back loses its memory at once, and its addresses rest: they are handed out again only when
//! later pieces of some gigabytes have been given back too, so that a stale pointer hits nothing for long; and never while
//! somebody may still be in an access that was allowed before.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;

use super::file;
use super::pages::{PAGE, Pages, Wish};
use crate::global;

/// Bytes behind every piece that belong to nobody, so that no access spans two.
const GUARD: u64 = PAGE;

/// Pieces of this many bytes and more have a mapping of their own.
const LARGE: u64 = 1 << 20;

/// Bytes of a mapping that small pieces share.
const CHUNK: u64 = 64 << 20;

/// From this size on, huge pages are asked for.
const HUGE: u64 = 4 << 20;

/// Address space that rests, in bytes: of small pieces, and of large ones.
const REST: [u64; 2] = [2 << 30, 64 << 30];

/// A piece of address space, with its guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Room {
    /// Its first byte.
    pub start: u64,
    bytes: u64,
    large: bool,
}

impl Room {
    /// Whole pages that an owner may use.
    pub fn usable(&self) -> u64 {
        self.bytes - GUARD
    }
}

/// The mappings of a registry.
#[derive(Debug, Default)]
pub(super) struct Arena {
    /// Mappings that small pieces share, by address.
    chunks: BTreeMap<u64, Pages>,
    /// What is free in them: start to length, and the same by length.
    free: BTreeMap<u64, u64>,
    fits: BTreeSet<(u64, u64)>,
    /// Mappings of large pieces, by the address of the piece.
    large: BTreeMap<u64, Pages>,
    /// Pieces that lie on files, by address.
    on_files: BTreeSet<u64>,
    /// What rests: small pieces, large pieces.
    resting: [Resting; 2],
}

/// Pieces that have been given back, the oldest first, each with the epoch that has to come before it is used again.
#[derive(Debug, Default)]
struct Resting {
    pieces: VecDeque<(Room, u64)>,
    bytes: u64,
}

impl Arena {
    /// Zeroed memory of `bytes` bytes at a multiple of `align`, a power of two and at least a page. `has_come` tells
    /// whether an epoch has.
    pub fn take(
        &mut self,
        bytes: u64,
        align: u64,
        has_come: impl Fn(u64) -> bool,
    ) -> Result<Room, String> {
        let too_large = || "the size is too large".to_owned();
        let bytes = bytes
            .max(1)
            .checked_next_multiple_of(PAGE)
            .and_then(|n| n.checked_add(GUARD))
            .ok_or_else(too_large)?;
        let with_skip = bytes.checked_add(align - PAGE).ok_or_else(too_large)?;
        self.wake(&has_come, REST);
        let take = |arena: &mut Self| match with_skip < LARGE {
            true => arena.take_small(bytes, align),
            false => arena.take_large(bytes, with_skip, align),
        };
        take(self).or_else(|_| {
            // The host may have room once everything that can has been given back to it.
            self.wake(&has_come, [0, 0]);
            take(self)
        })
    }

    /// Lays a piece on a file, which has as many bytes as the piece without its guard.
    pub fn lay(&mut self, room: Room, file: &File) -> std::io::Result<()> {
        // SAFETY: pages of the arena, which guests reach by relaxed atomics alone.
        unsafe { file::map_file(room.start, room.usable(), file) }?;
        self.on_files.insert(room.start);
        Ok(())
    }

    /// Takes a piece from its file, if it lies on one: it reads zeros, and the file stays as it is.
    pub fn lift(&mut self, room: Room) -> std::io::Result<()> {
        if self.on_files.contains(&room.start) {
            // SAFETY: pages of the arena, which guests reach by relaxed atomics alone.
            unsafe { file::map_zeros(room.start, room.bytes) }?;
            self.on_files.remove(&room.start);
        }
        Ok(())
    }

    /// Gives a piece back: its memory now, its addresses later.
    pub fn give(&mut self, room: Room, epoch: u64) {
        if self.lift(room).is_err() {
            // It stays where it is for ever: whoever got it next would write to the file.
            return;
        }
        self.empty(room);
        let resting = &mut self.resting[usize::from(room.large)];
        resting.bytes += room.bytes;
        resting.pieces.push_back((room, epoch));
    }

    /// Whether an address is in one of the mappings.
    pub fn holds(&self, address: u64) -> bool {
        [&self.chunks, &self.large].into_iter().any(|maps| {
            // A large piece may begin behind the start of its mapping; what was skipped is nobody's.
            let before = maps.range(..=address).next_back();
            before.is_some_and(|(_, map)| address - map.start() < map.length())
        })
    }

    fn take_small(&mut self, bytes: u64, align: u64) -> Result<Room, String> {
        let with_skip = bytes + (align - PAGE);
        let fit = self.fits.range((with_skip, 0)..).next().copied();
        let (length, start) = match fit {
            Some(fit) => fit,
            None => self.map_chunk()?,
        };
        self.fits.remove(&(length, start));
        self.free.remove(&start);
        let at = start.next_multiple_of(align);
        self.keep(start, at - start);
        self.keep(at + bytes, start + length - at - bytes);
        Ok(Room {
            start: at,
            bytes,
            large: false,
        })
    }

    /// One more mapping for small pieces: length and start.
    fn map_chunk(&mut self) -> Result<(u64, u64), String> {
        let map = Pages::map(CHUNK)?;
        // Pieces of a page would each cost a huge one.
        map.wish(Wish::Small);
        let start = map.start();
        self.chunks.insert(start, map);
        self.keep(start, CHUNK);
        Ok((CHUNK, start))
    }

    fn take_large(&mut self, bytes: u64, with_skip: u64, align: u64) -> Result<Room, String> {
        let map = Pages::map(with_skip)?;
        if bytes >= HUGE {
            map.wish(Wish::Huge);
        }
        let start = map.start().next_multiple_of(align);
        self.large.insert(start, map);
        Ok(Room {
            start,
            bytes,
            large: true,
        })
    }

    /// Remembers what is free in a chunk.
    fn keep(&mut self, start: u64, length: u64) {
        if length > 0 {
            self.free.insert(start, length);
            self.fits.insert((length, start));
        }
    }

    /// Makes the addresses free that have rested: the oldest, until no more than `rest` do.
    fn wake(&mut self, has_come: &impl Fn(u64) -> bool, rest: [u64; 2]) {
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

    /// Nobody reaches a piece any more: large ones go back to the host, small ones join what is free around them.
    fn reuse(&mut self, room: Room) {
        if room.large {
            self.large.remove(&room.start);
            return;
        }
        // Somebody may have written once more after it was emptied.
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

    /// Takes the memory of a piece away; it reads zeros from now on.
    fn empty(&self, room: Room) {
        let maps = if room.large {
            &self.large
        } else {
            &self.chunks
        };
        let Some((_, map)) = maps.range(..=room.start).next_back() else {
            return;
        };
        let at = room.start - map.start();
        // SAFETY: the pages are the registry's own, and nobody has a reference to them: guests reach them by relaxed
        // atomics alone, which may read zeros at any time.
        let emptied = unsafe { map.discard(at, room.bytes) };
        if !emptied {
            // Memory that the program has locked cannot be given back.
            // SAFETY: the bytes are mapped and writable.
            unsafe { global::zero(room.start, room.bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces never overlap, are aligned, have a guard, and are zero; what was given back is not handed out again while
    /// its epoch has not come.
    fn play(steps: Vec<(bool, u64, u32)>) {
        let mut arena = Arena::default();
        let mut live: Vec<(Room, u64)> = Vec::new();
        let mut given: Vec<Room> = Vec::new();
        for (take, bytes, align) in steps {
            if take || live.is_empty() {
                let align = PAGE << align;
                let room = arena.take(bytes, align, |_| false).unwrap();
                assert!(room.start.is_multiple_of(align) && room.bytes >= bytes + GUARD);
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
            steps in prop::collection::vec((any::<bool>(), 1u64..3_000_000, 0u32..6), 1..60)
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
        // A write that was allowed before comes late.
        // SAFETY: small pieces stay mapped.
        unsafe { global::store64(first.start + 8, 7) };
        arena.wake(&|_| false, [0, 0]);
        assert!(!arena.free.is_empty() && arena.resting[0].bytes > 0);
        arena.wake(&|_| true, [0, 0]);
        // Everything is one free piece again.
        assert_eq!(arena.free.values().copied().collect::<Vec<_>>(), [CHUNK]);
        let again = arena.take(100, PAGE, |_| true).unwrap();
        assert_eq!(again.start, first.start);
        // SAFETY: the piece was just taken.
        unsafe {
            assert_eq!(
                (global::load64(again.start), global::load64(again.start + 8)),
                (0, 0)
            )
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
