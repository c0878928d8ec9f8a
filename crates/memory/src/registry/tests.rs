//! Tests of freeing memory while waves and copies use it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::*;
use crate::global::ALIAS;

/// Host memory for registrations.
fn host(bytes: usize) -> (Vec<AtomicU64>, *mut u8) {
    let memory: Vec<_> = (0..bytes / 8).map(|_| AtomicU64::new(0)).collect();
    let pointer = memory.as_ptr().cast_mut().cast();
    (memory, pointer)
}

#[test]
fn overlapping_registrations_are_taken_away_one_by_one() {
    let registry = Registry::new();
    let (_memory, pointer) = host(1 << 14);
    let at = pointer.expose_provenance() as u64;
    let add = |offset: usize, bytes, rights| {
        // SAFETY: the memory outlives the registry's use of it.
        unsafe { registry.register("host", pointer.wrapping_add(offset), bytes, rights) }.unwrap()
    };
    let large = add(0, 8192, Rights::Read);
    let small = add(16, 16, Rights::ReadWrite);
    let same = add(0, 8192, Rights::ReadWrite);
    let rights = |offset: u64, bytes: u64| {
        let map = registry.map();
        map.find(at + offset, at + offset + bytes)
            .map(|e| e.allocation.rights)
    };
    assert_eq!(rights(0, 8192), Some(Rights::ReadWrite));
    registry.unregister(same).unwrap();
    assert_eq!(
        (rights(0, 8192), rights(16, 16)),
        (Some(Rights::Read), Some(Rights::ReadWrite))
    );
    registry.unregister(large).unwrap();
    assert_eq!(
        (rights(0, 1), rights(16, 16), rights(16, 17)),
        (None, Some(Rights::ReadWrite), None)
    );
    registry.unregister(small).unwrap();
    assert_eq!(rights(16, 1), None);
    assert_eq!(registry.unregister(small), Err(RegistryError::Unregistered));
}

#[test]
fn parts_come_and_go_together() {
    let registry = Registry::new();
    let part = |name, offset, bytes, rights| Part {
        name,
        offset,
        bytes,
        rights,
    };
    let parts = [
        part("code", 0, 100, Rights::Read),
        part("data", 4096, 8, Rights::ReadWrite),
    ];
    let at = registry
        .allocate_parts("image", 8192, 1 << 16, &parts)
        .unwrap();
    assert!(at.is_multiple_of(1 << 16));
    let name = |offset: u64| registry.find(at + offset).map(|a| a.name.to_string());
    assert_eq!(name(99).as_deref(), Some("code"));
    assert_eq!((name(100), name(4095), name(4104)), (None, None, None));
    assert_eq!(name(4103).as_deref(), Some("data"));
    assert!(registry.read(at + 99, &mut [0; 2]).is_err());
    registry.free(at).unwrap();
    assert_eq!((name(0), name(4096)), (None, None));
    for wrong in [
        part("none", 0, 0, Rights::Read),
        part("long", 8, u64::MAX, Rights::Read),
        part("past", 8000, 193, Rights::Read),
    ] {
        let made = registry.allocate_parts("image", 8192, 1, &[wrong]);
        assert!(
            matches!(made, Err(RegistryError::NoRange { .. })),
            "{wrong:?}"
        );
    }
}

/// A hundred thousand small allocations need few mappings, and each has exact bounds: the next one begins a page after its end at
/// the earliest. Freed addresses are not reused soon.
#[test]
fn many_small_allocations_are_separate() {
    let registry = Registry::new();
    let mappings = || {
        std::fs::read_to_string("/proc/self/maps")
            .unwrap()
            .lines()
            .count()
    };
    let before = mappings();
    let all: Vec<_> = (0..100_000u64)
        .map(|n| registry.allocate("small", 1 + n % 5000, 256).unwrap())
        .collect();
    assert!(mappings() < before + 1000);
    for a in all.iter().step_by(997) {
        assert_eq!(registry.find(a.address).as_ref(), Some(a));
        assert_eq!(registry.find(a.end() - 1).as_ref(), Some(a));
        assert_eq!(
            (registry.find(a.address - 1), registry.find(a.end())),
            (None, None)
        );
        registry.write(a.address, &[7]).unwrap();
    }
    for a in all.iter().step_by(2) {
        registry.free(a.address).unwrap();
    }
    let fresh: Vec<_> = (0..50_000)
        .map(|_| registry.allocate("fresh", 4096, 256).unwrap())
        .collect();
    for (n, a) in all.iter().enumerate() {
        assert_eq!(
            registry.find(a.address).is_some(),
            n % 2 == 1,
            "a use after free is still told"
        );
    }
    assert!(
        fresh
            .iter()
            .all(|a| registry.find(a.address).as_ref() == Some(a))
    );
}

/// Ten thousand small blocks need few mappings too. The rest of a block, up to 2 MiB, is in no allocation and reads zeros,
/// whatever was there before.
#[test]
fn blocks_are_alone_in_theirs() {
    const BLOCK: u64 = 2 << 20;
    let registry = Registry::new();
    let reads_on = |first: u64, end: u64| registry.map().find_before(first, end).is_some();
    let sizes = [
        1,
        100,
        4096,
        70_000,
        BLOCK - 8192,
        BLOCK - 4096,
        BLOCK,
        5 << 20,
    ];
    for round in 0..3 {
        let all: Vec<_> = sizes
            .into_iter()
            .map(|bytes| registry.allocate_block("block", bytes, 256).unwrap())
            .collect();
        for a in &all {
            let end = a.end().next_multiple_of(BLOCK);
            assert_eq!(registry.find(a.address).as_ref(), Some(a));
            assert!((registry.find(a.end()).is_none()) && registry.find(end).is_none());
            assert!(end == a.end() || reads_on(a.end(), end));
            assert!(!reads_on(end, end + 1) && !reads_on(a.end(), end + 1));
            assert!(!reads_on(a.address - 1, a.address));
            // SAFETY: the memory is mapped up to there.
            let zero = |at: u64| unsafe { global::load64(at) } == 0;
            let left = (a.end().next_multiple_of(8)..end).step_by(8);
            assert!(left.into_iter().all(zero), "round {round}");
            registry
                .write(a.address, &vec![7; a.bytes as usize])
                .unwrap();
        }
        for a in &all {
            registry.free(a.address).unwrap();
            assert!(!reads_on(a.end(), a.end() + 1), "it is gone");
        }
        // Addresses that have rested are used again.
        lock(&registry.owned).arena.wake(&|_| true, [0; 3]);
    }
    #[cfg(not(miri))]
    {
        let mappings = || {
            std::fs::read_to_string("/proc/self/maps")
                .unwrap()
                .lines()
                .count()
        };
        let before = mappings();
        for _ in 0..10_000 {
            registry.allocate_block("small", 4096, 256).unwrap();
        }
        assert!(mappings() < before + 1000);
    }
}

/// When `unregister` returns, no access writes any more.
#[test]
fn no_access_writes_after_unregister() {
    let registry = Registry::new();
    let stop = AtomicBool::new(false);
    let (memory, pointer) = host(4096);
    let address = pointer.expose_provenance() as u64;
    std::thread::scope(|scope| {
        for n in 1..=2u64 {
            let (registry, stop) = (&registry, &stop);
            scope.spawn(move || {
                while !stop.load(Relaxed) {
                    // A copy takes a hold; waves have their own epoch guards, which work in the same way.
                    if let Ok(_held) = registry.hold(address, 4096) {
                        for at in (address..address + 4096).step_by(8) {
                            // SAFETY: the memory is held.
                            unsafe { global::store64(at, n) };
                        }
                    }
                }
            });
        }
        for _ in 0..200 {
            // SAFETY: the memory outlives the scope.
            let known = unsafe { registry.register("host", pointer, 4096, Rights::ReadWrite) };
            std::thread::yield_now();
            registry.unregister(known.unwrap()).unwrap();
            memory.iter().for_each(|cell| cell.store(0, Relaxed));
            std::thread::yield_now();
            assert!(memory.iter().all(|cell| cell.load(Relaxed) == 0));
        }
        stop.store(true, Relaxed);
    });
}

/// A program may still have the address of freed memory, but never had that of forgotten memory.
#[test]
fn what_was_freed_is_known() {
    let registry = Registry::new();
    let name = |address| registry.freed(address).map(|was| was.name.to_string());
    let [kept, private] = ["kept", "private"].map(|name| registry.allocate(name, 100, 1).unwrap());
    assert_eq!(name(kept.address), None);
    registry.free(kept.address).unwrap();
    registry.forget(private.address).unwrap();
    assert_eq!(name(kept.address + 99).as_deref(), Some("kept"));
    assert_eq!(name(kept.address + 100), None);
    assert_eq!(name(private.address), None);
    assert!(registry.find(private.address).is_none());
}

/// Memory that is freed while an access holds it stays mapped until the hold ends.
#[test]
fn what_is_held_stays_mapped() {
    let registry = Registry::new();
    for bytes in [100, 64 << 20] {
        let a = registry.allocate("buffer", bytes, 256).unwrap();
        let held = registry.hold(a.address, 8).unwrap();
        assert_eq!(held.allocation(), &a);
        registry.free(a.address).unwrap();
        assert!(registry.hold(a.address, 8).is_err());
        // SAFETY: the memory is held.
        unsafe { global::store64(a.address, 1) };
    }
}

/// Returns a file without a name.
fn file() -> File {
    // SAFETY: a name and a flag; the descriptor is new.
    let descriptor = unsafe { libc::memfd_create(c"test".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(descriptor >= 0);
    // SAFETY: the descriptor was just opened, and has no other owner.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) }
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn shared_memory_is_the_file() {
    use std::os::unix::fs::FileExt;
    let registry = Registry::new();
    for bytes in [100, 3 << 20] {
        let at = registry.allocate("shared", bytes, 1).unwrap().address;
        registry.write(at + 8, &[1, 2, 3]).unwrap();
        let shared = file();
        registry.share(at, &shared).unwrap();
        let mut seen = [9; 4];
        shared.read_exact_at(&mut seen, 8).unwrap();
        assert_eq!(seen, [1, 2, 3, 0]);
        shared.write_all_at(&[7], 9).unwrap();
        // Another allocation of the same bytes: stores through one are loaded through the other.
        let other = registry.allocate("other", bytes, 1).unwrap().address;
        registry.join(other, &shared).unwrap();
        registry.read(other + 8, &mut seen).unwrap();
        assert_eq!(seen, [1, 7, 3, 0]);
        registry.write(other + 96, &[5]).unwrap();
        registry.free(at).unwrap();
        shared.read_exact_at(&mut seen, 96).unwrap();
        assert_eq!(seen, [5, 0, 0, 0], "the file outlives an allocation");
        registry.leave(other).unwrap();
        registry.read(other + 96, &mut seen).unwrap();
        assert_eq!(seen, [0; 4], "memory that left its file begins anew");
        registry.write(other + 96, &[6]).unwrap();
        shared.read_exact_at(&mut seen, 96).unwrap();
        assert_eq!(seen, [5, 0, 0, 0]);
        registry.free(other).unwrap();
    }
    let nowhere = registry.share(4096, &file());
    assert_eq!(nowhere, Err(RegistryError::Unknown { address: 4096 }));
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn no_store_is_lost_when_memory_is_shared() {
    let registry = Registry::new();
    let bytes = 4 << 20;
    let at = registry.allocate("shared", bytes, 1).unwrap().address;
    // The word is near the end of the memory, so it is moved last.
    let word = at + bytes - 8;
    let (running, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let count = || {
        let guard = registry.epoch_guard();
        let mut count = 0;
        while !stop.load(Relaxed) {
            guard.pin();
            // SAFETY: memory of the registry, which is not freed.
            let word = unsafe { AtomicU64::from_ptr(word as *mut u64) };
            word.fetch_add(1, Relaxed);
            count += 1;
            if count == 1000 {
                running.fetch_add(1, Relaxed);
            }
        }
        count
    };
    let counted = std::thread::scope(|scope| {
        let counters = [scope.spawn(count), scope.spawn(count)];
        while running.load(Relaxed) < 2 {
            std::thread::yield_now();
        }
        for _ in 0..3 {
            registry.share(at, &file()).unwrap();
        }
        stop.store(true, Relaxed);
        counters
            .map(|counter| counter.join().unwrap())
            .iter()
            .sum::<u64>()
    });
    let mut seen = [0; 8];
    registry.read(word, &mut seen).unwrap();
    assert_eq!(u64::from_le_bytes(seen), counted);
}

/// A wave reads code within its time slice; sharing memory, again and again, succeeds nevertheless.
#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn memory_is_shared_beside_a_time_slice_that_reads() {
    beside_a_time_slice(|registry, code| registry.read(code, &mut [0; 256]).unwrap());
}

/// A copy needs a second epoch guard while it holds one.
#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn memory_is_shared_beside_a_copy() {
    beside_a_time_slice(|registry, code| drop(registry.hold(code, 256).unwrap()));
}

/// Shares memory while another thread has an epoch guard, and takes a second one at times.
fn beside_a_time_slice(second: impl Fn(&Registry, u64) + Sync) {
    let registry = Registry::new();
    let [code, shared] = ["code", "shared"].map(|name| registry.allocate(name, 4096, 1).unwrap());
    let (running, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let guard = registry.epoch_guard();
            while !stop.load(Relaxed) {
                guard.pin();
                for _ in 0..50 {
                    second(&registry, code.address);
                }
                running.store(true, Relaxed);
                guard.unpin();
            }
        });
        while !running.load(Relaxed) {
            std::thread::yield_now();
        }
        let done: Vec<_> = (0..30)
            .map(|_| registry.share(shared.address, &file()))
            .collect();
        stop.store(true, Relaxed);
        assert!(done.iter().all(Result::is_ok), "{done:?}");
    });
}

/// Addresses that the host's system chooses for nothing.
const FAR: u64 = 0x2000_0000_0000;

fn placed(address: u64, bytes: u64, rights: Rights, load_end: u64) -> Placed {
    let allocation = Allocation {
        name: "restored".into(),
        address,
        bytes,
        rights,
    };
    Placed {
        allocation,
        load_end,
    }
}

#[test]
#[cfg(all(unix, not(miri)))]
fn memory_is_restored_at_its_addresses() {
    let all = [
        placed(FAR, 5000, Rights::ReadWrite, FAR + (2 << 20)),
        placed(FAR + (8 << 20), 100, Rights::Read, 0),
    ];
    let first = Registry::new();
    first.restore(&all).unwrap();
    first.write(FAR, &[9; 100]).unwrap();
    let second = Registry::new();
    let taken = second.restore(&all).unwrap_err();
    assert!(matches!(taken, RegistryError::Taken { .. }), "{taken}");
    assert_eq!(second.allocations(), []);
    drop(first);
    second.restore(&all).unwrap();
    assert_eq!(second.allocations(), all);
    assert!(second.owns(FAR));
    second.write(FAR + 4990, &[7; 10]).unwrap();
    assert!(second.write(FAR + 4990, &[7; 11]).is_err());
    let mut back = [1; 10];
    second.read(FAR, &mut back).unwrap();
    assert_eq!(back, [0; 10]);
}

#[test]
#[cfg(all(unix, not(miri)))]
fn overlapping_allocations_are_restored_in_one_mapping() {
    let at = FAR + (1 << 30);
    let all = [
        placed(at + 16, 8000, Rights::Read, 0),
        placed(at + 100, 64, Rights::ReadWrite, 0),
        placed(at + (64 << 10), 1, Rights::ReadWrite, 0),
        placed((at + 16) | ALIAS, 64, Rights::ReadWrite, 0),
    ];
    let registry = Registry::new();
    registry.restore(&all).unwrap();
    assert_eq!(registry.allocations(), all);
    registry.write((at + 20) | ALIAS, &[5]).unwrap();
    let mut back = [0];
    registry.read(at + 20, &mut back).unwrap();
    assert_eq!(back, [5]);
    registry.write(at + 8015, &[3]).unwrap();
    assert!(registry.read(at + 15, &mut [0]).is_err());
    assert_eq!(registry.find(at + 120).unwrap().rights, Rights::ReadWrite);
    let empty = registry.restore(&[placed(at + (1 << 20), 0, Rights::Read, 0)]);
    assert!(matches!(empty, Err(RegistryError::NoRange { .. })));
}
