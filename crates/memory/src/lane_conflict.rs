//! Lane conflicts: lanes of one store that write different values to the same bytes.
//!
//! The source language leaves open which lane wins, so observers report such stores. A store under observation is
//! performed lane by lane, and a change of the memory shows a conflict.

use crate::access_log::{AccessRun, MemoryKind, Over};
use crate::global::at;
use crate::lane_moves::copy;
use crate::lanes::each;
use crate::operation::Operation;
use crate::places::Places;

/// Returns whether lanes may store to the same bytes of global memory, or of LDS if that is requested, by their recorded accesses.
/// Programs elect a lane on purpose by storing to LDS and reading back, so only a check of single lanes requests it.
pub(crate) fn may_overlap(runs: &[AccessRun], in_lds: bool) -> bool {
    let is_shared = |run: &&AccessRun| match run.first.memory {
        MemoryKind::Global => true,
        MemoryKind::Lds => in_lds,
        MemoryKind::Gds | MemoryKind::Scratch => false,
    };
    let all_same = |run: &AccessRun| run.lanes > 1 && run.step == 0;
    if runs.iter().filter(is_shared).any(all_same) {
        return true;
    }
    if runs.len() < 2 {
        return false;
    }
    let shared = runs.iter().filter(is_shared);
    let mut extents: Vec<_> = shared.map(|run| (run.first.address, run.end())).collect();
    extents.sort_unstable();
    extents.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// Up to four bytes that a lane has stored.
struct Stored {
    lane: u8,
    address: u64,
    bytes: u64,
}

/// Stores lane by lane. Returns for each lane the earlier lane whose different value it overwrites.
///
/// # Safety
/// As for [`Operation::run`].
pub(crate) unsafe fn store_singly<O: Operation, P: Places>(
    op: O,
    places: &P,
    mask: u64,
) -> [Option<Over>; 64] {
    let mut over = [None; 64];
    let mut stored: Vec<Stored> = Vec::with_capacity(64);
    let bytes = op.bytes().min(P::PIECE);
    each(mask, |lane| {
        let parts = (0..op.bytes().div_ceil(bytes)).filter_map(|n| {
            let address = places.part(lane, n as usize, bytes)?;
            // SAFETY: by the caller's promise, bytes in range have been checked.
            let before = unsafe { read::<O>(address, bytes) };
            Some((n, address, before))
        });
        let parts: Vec<_> = parts.collect();
        // SAFETY: by the caller's promise.
        unsafe { op.run(places, 1 << lane) };
        for (n, address, before) in parts {
            // SAFETY: by the caller's promise, as above.
            let after = unsafe { read::<O>(address, bytes) };
            let other = |byte: u64| {
                let hit = |s: &&Stored| (s.address..s.address + s.bytes).contains(&byte);
                stored.iter().rev().find(hit).map(|s| s.lane)
            };
            let changed = (0..bytes).find_map(|byte| {
                let differs = before[byte as usize] != after[byte as usize];
                let lane = other(address + u64::from(byte)).filter(|_| differs)?;
                let byte = bytes * n + byte;
                Some(Over { lane, byte })
            });
            over[lane] = over[lane].or(changed);
            stored.push(Stored {
                lane: lane as u8,
                address,
                bytes: bytes.into(),
            });
        }
    });
    over
}

/// Reads up to four bytes at an address.
///
/// # Safety
/// The bytes have been checked.
unsafe fn read<O: Operation>(address: u64, bytes: u32) -> [u8; 4] {
    let mut read = [0; 4];
    for (n, to) in (0..u64::from(bytes)).zip(&mut read) {
        // SAFETY: by the caller's promise.
        unsafe { copy::<O::Moves, u8>(at(address + n), to) };
    }
    read
}
