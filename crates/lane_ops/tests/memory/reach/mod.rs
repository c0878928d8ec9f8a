//! What may be accessed, against sums of 128 bits: allocations that come and go, side by side, one over another and read-only,
//! all through the bounds cache of one instruction; LDS, global data share and scratch of any size, with any M0; descriptors with any
//! base, stride and number of records; bases, offsets and sums around the ends of 31, 32 and 64 bits; every width, mask, level and
//! shape. An access is made in exactly the bytes that the rule allows, all others read 0, are dropped or are a fault that leaves
//! everything as it was. Unallocated memory lies between the allocations, and stays as it is.

mod attempts;
mod model;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wavetank_memory::ALIAS;

use super::*;
use crate::random::{Random, blocks};
use attempts::{Test, pick};
use model::*;

/// The scratch is memory of the device, of which a chip maps so much at once: loads past its end read 0. Addresses around the arena
/// may meet it by chance.
const BLOCK: u64 = 2 << 20;

/// A run of accesses through one bounds cache.
fn run_of_accesses(seed: u64, level: usize, arena: &[AtomicU64], allowed: &mut [u32; 2]) {
    for (n, word) in (1u64..).zip(arena) {
        word.store(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), Relaxed);
    }
    let mut random = Random(seed | 1);
    let registry = Registry::new();
    let lane_bytes = pick(&mut random, &[0, 4, 16, 61, 64, 80]);
    let scratch = registry
        .allocate("scratch", 256 * SCRATCH_DWORDS, 256)
        .unwrap()
        .address;
    let mut unit = MemoryUnit::new(&registry);
    unit.set_scratch(scratch, lane_bytes);
    let lds = pick(&mut random, &[0, 4, 60, 64, 1020, 4096]);
    unit.set_lds(Lds::from_dwords(
        &(0..lds / 4)
            .map(|n: u32| n.wrapping_mul(0x85eb_ca6b))
            .collect::<Vec<_>>(),
    ));
    for at in GDS_FILLED {
        let bytes: Vec<u8> = (at..at + 512).map(|n| (n * 31 + n / 256) as u8).collect();
        registry.write_gds(at, &bytes).unwrap();
    }
    // At the one address of host memory, or the other.
    let alias = pick(&mut random, &[0, ALIAS]);
    let base = arena.as_ptr().expose_provenance() as u64 | alias;
    let model = Model {
        base,
        scratch_base: scratch,
        lane_bytes: lane_bytes.into(),
        lds: vec![0; lds as usize],
        scratch: vec![0; 256 * SCRATCH_DWORDS as usize],
        ..Model::default()
    };
    let mut test = Test {
        random,
        model,
        registry: &registry,
        registered: vec![],
        gone: None,
    };
    for first in [true, false, false, false, false, false] {
        for _ in 0..test.random.below(3) + usize::from(test.registered.is_empty()) {
            test.allocate();
        }
        let mut wave = Wave::new(0);
        let mask = test.mask();
        wave.set_s64(126, mask);
        for n in 0..8 {
            wave.vgpr_mut(DATA as usize + n)
                .iter_mut()
                .for_each(|x| *x = test.random.next() as u32);
        }
        let before = now(&test.model, arena, &mut unit, &registry, first);
        test.model.clone_from(&before);
        if test.random.below(8) == 0 {
            scalar(&mut test, &mut wave, &mut unit, &before);
            continue;
        }
        let (store, atomic) = (test.random.below(2) == 0, test.random.below(5) == 0);
        let access = test.access(&mut wave, store, atomic);
        if access.meets(&(scratch - BLOCK..scratch + 2 * BLOCK)) {
            continue;
        }
        let want = expected(&before, &access, &wave, mask);
        let f = levels(&access.op)[level];
        let result = if mask == 0 {
            Ok(())
        } else {
            run_step(&mut wave, &mut unit, &access.op, &access.sources, f)
        };
        let gds = matches!(access.op.space, Where::Gds { .. });
        let got = now(&test.model, arena, &mut unit, &registry, gds);
        let text = || {
            format!(
                "seed {seed:#x}, level {level}, mask {mask:#x}, {:?}\n{:?}",
                access.op, test.model.pieces
            )
        };
        allowed[usize::from(result.is_err())] += 1;
        let after: Vec<[u32; 64]> = (0..8).map(|n| *wave.vgpr(DATA as usize + n)).collect();
        match result {
            Ok(()) => {
                assert!(
                    want.denied == 0,
                    "lanes {:#x} were allowed; {}",
                    want.denied,
                    text()
                );
                assert_eq!(differ(&got, &want.model), None, "{}", text());
                for lane in 0..64 {
                    let [a, b] = [&after, &want.registers]
                        .map(|of| of.iter().map(|r| r[lane]).collect::<Vec<_>>());
                    assert_eq!(a, b, "lane {lane}; {}", text());
                }
            }
            Err(fault) => {
                assert!(want.denied != 0 || want.doubtful, "{fault:?}; {}", text());
                assert!(
                    want.doubtful || want.denied >> fault.lane.unwrap() & 1 != 0,
                    "{fault:?}; {}",
                    text()
                );
                assert_eq!(differ(&got, &before), None, "{}", text());
            }
        }
        // Beyond the LDS nothing is accessed, and the overrun is recorded.
        let local = matches!(access.op.space, Where::Lds { .. } | Where::Flat { .. });
        let left_out = |lane: usize| access.parts[lane].iter().any(|part| part.place.is_none());
        let beyond = (0..64).any(|lane| mask >> lane & 1 != 0 && left_out(lane));
        let is_reported = unit.take_lds_overrun().is_some();
        assert_eq!(is_reported, local && beyond, "{}", text());
        test.model = got;
    }
    for (address, _) in test.registered {
        registry.unregister(address).unwrap();
    }
}

/// A scalar load: it is allowed if the dwords in range are, all in one allocation; the others are 0.
fn scalar(test: &mut Test<'_>, wave: &mut Wave, unit: &mut MemoryUnit<'_>, before: &Model) {
    let (op, sources, places) = test.scalar(wave);
    let there = places.iter().flatten().count() as u64;
    let denied = match places[0] {
        Some(first) => !before.allows(first, 4 * there, false),
        None => false,
    };
    let result = run(wave, unit, &op, &sources);
    assert_eq!(
        result.is_err(),
        denied,
        "{op:?} {places:x?} {:x?}",
        before.pieces
    );
    for (n, place) in places.iter().enumerate().filter(|_| !denied) {
        let want = place.map_or(0, |at| dword(&before.guest, (at - before.base) as usize));
        assert_eq!(wave.uniform().s[40 + n], want);
    }
}

#[test]
fn accesses_go_where_sums_of_128_bits_allow() {
    let mut random = Random::of(0x0128_b175_0128_b175);
    let words = (0..ARENA / 8).map(|_| AtomicU64::new(0));
    let arena: Vec<AtomicU64> = words.collect();
    let some = load(global(), Access::Dwords(1), DataReg::V(0));
    let mut allowed = [0; 2];
    for _ in 0..blocks() / 40 {
        let seed = random.next();
        for level in 0..levels(&some).len() {
            run_of_accesses(seed, level, &arena, &mut allowed);
        }
    }
    // Both are usual.
    let [made, denied] = allowed;
    assert!(
        made > denied / 2 && denied > made / 16,
        "{made} made, {denied} denied"
    );
}
