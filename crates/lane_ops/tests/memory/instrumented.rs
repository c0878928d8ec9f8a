//! What instrumented accesses note.

use wavetank_ir::{Access, DataReg, MemOp, Rmw, Space as Where};
use wavetank_lane_ops::{Simd, memory_step};
use wavetank_memory::{AccessRecord, AccessRun, MemoryKind, Over};
use wavetank_memory::{Lds, MemoryUnit, PRIVATE_BASE, Registry, SHARED_BASE, Source, Wave};

use super::*;

/// Runs an operation that records what it accesses. Gives lane, memory, address and bytes.
fn accessed(
    wave: &mut Wave,
    unit: &mut MemoryUnit<'_>,
    op: &MemOp,
    sources: &[Source],
) -> Vec<(Option<u8>, MemoryKind, u64, u32)> {
    let done = run_step(
        wave,
        unit,
        op,
        sources,
        memory_step(Simd::Baseline, op, true),
    );
    let records = unit.drain_accesses();
    if done.is_err() {
        assert_eq!(records, []);
    }
    let fields = |t: AccessRecord| {
        assert_eq!((t.pc, t.kind), (0x1234, op.kind));
        (t.lane, t.memory, t.address, t.bytes)
    };
    records.into_iter().map(fields).collect()
}

/// The active lanes are 1, 5 and 63.
fn three_lanes(wave: &mut Wave) -> [u8; 3] {
    wave.set_s64(126, 1 << 1 | 1 << 5 | 1 << 63);
    [1, 5, 63]
}

#[test]
fn global_accesses_are_noted_by_address() {
    let registry = Registry::new();
    let (a, _) = filled(&registry);
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    let lanes = three_lanes(&mut wave);
    set_addresses(&mut wave, 0, |lane| a + 33 * lane as u64);
    for (access, bytes) in [
        (Access::U8, 1),
        (Access::Dwords(1), 4),
        (Access::Dwords(4), 16),
    ] {
        let wanted = lanes.map(|l| (Some(l), MemoryKind::Global, a + 33 * u64::from(l), bytes));
        let op = load(global(), access, DataReg::V(4));
        assert_eq!(accessed(&mut wave, &mut unit, &op, &[v(0)]), wanted);
        let op = store(global(), access, DataReg::V(4));
        assert_eq!(accessed(&mut wave, &mut unit, &op, &[v(0)]), wanted);
    }
    set_addresses(&mut wave, 0, |lane| a + 8 * lane as u64);
    let wanted = lanes.map(|l| (Some(l), MemoryKind::Global, a + 8 * u64::from(l), 8));
    let op = atomic(global(), Rmw::Add, 2, 4, 8);
    assert_eq!(accessed(&mut wave, &mut unit, &op, &[v(0)]), wanted);
    // Nothing of an access that is denied.
    set_addresses(&mut wave, 0, |lane| a + 100 * lane as u64);
    let op = load(global(), Access::Dwords(1), DataReg::V(4));
    assert_eq!(accessed(&mut wave, &mut unit, &op, &[v(0)]), []);
}

#[test]
fn flat_accesses_are_noted_where_they_go() {
    let registry = Registry::new();
    let (mut unit, _) = with_scratch(&registry);
    let (a, _) = filled(&registry);
    let mut wave = Wave::new(0);
    three_lanes(&mut wave);
    set_addresses(&mut wave, 0, |lane| match lane {
        1 => SHARED_BASE + 24,
        5 => PRIVATE_BASE + 12,
        _ => a + 40,
    });
    let op = load(
        Where::Flat {
            address: V,
            limit: None,
        },
        Access::Dwords(2),
        DataReg::V(4),
    );
    let mut found = accessed(&mut wave, &mut unit, &op, &[v(0)]);
    found.sort_by_key(|record| record.0);
    let wanted = [
        (Some(1), MemoryKind::Lds, 24, 8),
        (Some(5), MemoryKind::Scratch, 12, 8),
        (Some(63), MemoryKind::Global, a + 40, 8),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn scratch_is_noted_by_the_offset_of_the_lane() {
    let registry = Registry::new();
    let (mut unit, _) = with_scratch(&registry);
    let mut wave = Wave::new(0);
    let lanes = three_lanes(&mut wave);
    let space = Where::Scratch { address: V };
    for (first, step) in [(8, 0), (0, 4), (3, 0)] {
        for lane in 0..64 {
            wave.vgpr_mut(0)[lane] = first + step * (lane as u32 % 4);
        }
        let wanted = lanes.map(|l| {
            let offset = u64::from(first + step * (u32::from(l) % 4));
            (Some(l), MemoryKind::Scratch, offset, 12)
        });
        let op = store(space.clone(), Access::Dwords(3), DataReg::V(4));
        assert_eq!(accessed(&mut wave, &mut unit, &op, &[v(0)]), wanted);
    }
}

/// Through a descriptor each byte is where its own offset says.
#[test]
fn bytes_of_swizzled_buffers_are_noted_one_by_one() {
    let registry = Registry::new();
    let (mut unit, scratch) = with_scratch(&registry);
    let (base, _) = filled(&registry);
    let mut wave = Wave::new(0);
    let lanes = three_lanes(&mut wave);
    wave.vgpr_mut(0).fill(3);
    let by_lane = [Source::None, Source::None, v(0), Source::Const(0)];
    for (access, bytes) in [
        (Access::U8, 1),
        (Access::U16, 2),
        (Access::Dwords(1), 4),
        (Access::Dwords(3), 12),
    ] {
        let op = store(buffer(false, true, false), access, DataReg::V(4));
        bind(&mut wave, scratch, 0, 0, 1 << 31, 1 << 23 | 3 << 21);
        let wanted = lanes.map(|l| (Some(l), MemoryKind::Scratch, 3, bytes));
        assert_eq!(accessed(&mut wave, &mut unit, &op, &by_lane), wanted);
        // Index stride 64: byte 3 is the last of the lane's dword, and the others are in the next ones.
        bind(&mut wave, base, 0, 0, 1 << 31, 1 << 23 | 3 << 21);
        let wanted: Vec<_> = lanes
            .iter()
            .flat_map(|l| {
                let place = |byte: u64| base + byte / 4 * 256 + 4 * u64::from(*l) + byte % 4;
                let mut parts = vec![(3, 1)];
                parts.extend((4..3 + u64::from(bytes)).step_by(4).map(|first| {
                    let rest = 3 + u64::from(bytes) - first;
                    (first, rest.min(4) as u32)
                }));
                parts
                    .into_iter()
                    .map(move |(byte, bytes)| (Some(*l), MemoryKind::Global, place(byte), bytes))
            })
            .collect();
        assert_eq!(accessed(&mut wave, &mut unit, &op, &by_lane), wanted);
    }
}

#[test]
fn what_the_lds_leaves_out_is_not_noted() {
    let registry = Registry::new();
    let mut unit = MemoryUnit::new(&registry);
    unit.set_lds(Lds::new(512));
    let mut wave = Wave::new(0);
    three_lanes(&mut wave);
    for (lane, offset) in [(1, 16), (5, 508), (63, 600)] {
        wave.vgpr_mut(0)[lane] = offset;
    }
    let op = load(local(), Access::Dwords(2), DataReg::V(4));
    let wanted = [
        (Some(1), MemoryKind::Lds, 16, 8),
        (Some(5), MemoryKind::Lds, 508, 4),
    ];
    assert_eq!(accessed(&mut wave, &mut unit, &op, &[v(0)]), wanted);
}

#[test]
fn buffers_scalars_and_pairs_are_noted() {
    let registry = Registry::new();
    let (a, _) = filled(&registry);
    let mut unit = MemoryUnit::new(&registry);
    unit.set_lds(Lds::new(512));
    let mut wave = Wave::new(0);
    three_lanes(&mut wave);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 8 * lane as u32;
    }
    // 60 bytes: lane 63 is out of range.
    bind(&mut wave, a, 0, 60, 0, FORMAT_32);
    let sources = [Source::None, Source::None, v(0), Source::Const(0)];
    let inside =
        |bytes| [1u8, 5].map(|l| (Some(l), MemoryKind::Global, a + 8 * u64::from(l), bytes));
    let plain = load(buffer(false, true, false), Access::Dwords(2), DataReg::V(4));
    assert_eq!(accessed(&mut wave, &mut unit, &plain, &sources), inside(8));
    // An element of the format is a dword, whatever components are requested.
    let formatted = load(buffer(false, true, true), Access::Dwords(2), DataReg::V(4));
    assert_eq!(
        accessed(&mut wave, &mut unit, &formatted, &sources),
        inside(4)
    );

    let scalar = MemOp {
        mask: None,
        ..load(
            Where::Scalar {
                address: V,
                index: None,
            },
            Access::Dwords(8),
            DataReg::S(16),
        )
    };
    let found = accessed(&mut wave, &mut unit, &scalar, &[Source::Const(a + 64)]);
    assert_eq!(found, [(None, MemoryKind::Global, a + 64, 32)]);

    let pair = MemOp {
        ret: None,
        ..atomic(
            Where::LdsPair {
                address: V,
                other: V,
                limit: None,
            },
            Rmw::Add,
            1,
            4,
            8,
        )
    };
    wave.set_s64(126, 1 << 5);
    let found = accessed(&mut wave, &mut unit, &pair, &[v(0), Source::Const(100)]);
    let wanted = [
        (Some(5), MemoryKind::Lds, 100, 4),
        (Some(5), MemoryKind::Lds, 40, 4),
    ];
    assert_eq!(found, wanted);
}

/// The runs of lanes that a store of v4 to the addresses in v0 and v1 notes.
fn runs(wave: &mut Wave, unit: &mut MemoryUnit<'_>, access: Access) -> Vec<AccessRun> {
    let op = store(global(), access, DataReg::V(4));
    run_step(
        wave,
        unit,
        &op,
        &[v(0)],
        memory_step(Simd::Baseline, &op, true),
    )
    .expect("the memory is there");
    unit.drain_access_runs()
}

#[test]
fn neighbours_are_noted_together() {
    let registry = Registry::new();
    let (a, _) = filled(&registry);
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    let shape = |run: &AccessRun| {
        let at = run.first.address - a;
        (run.first.lane, at, run.lanes, run.step)
    };
    wave.set_s64(126, !0);
    set_addresses(&mut wave, 0, |lane| a + 4 * lane as u64);
    let found = runs(&mut wave, &mut unit, Access::Dwords(1));
    assert_eq!(
        found.iter().map(shape).collect::<Vec<_>>(),
        [(Some(0), 0, 64, 4)]
    );
    // Lane 40 is off; the last eight go back.
    wave.set_s64(126, !(1 << 40));
    set_addresses(&mut wave, 0, |lane| a + 4 * (lane as u64 % 56));
    for lane in 0..64 {
        wave.vgpr_mut(4)[lane] = lane as u32 % 56;
    }
    let found = runs(&mut wave, &mut unit, Access::Dwords(1));
    let wanted = [
        (Some(0), 0, 40, 4),
        (Some(41), 164, 15, 4),
        (Some(56), 0, 8, 4),
    ];
    assert_eq!(found.iter().map(shape).collect::<Vec<_>>(), wanted);
    // Equal values are stored.
    assert!(found.iter().all(|run| run.over.is_none()));
}

#[test]
fn lanes_that_take_the_place_of_other_values_are_noted() {
    let registry = Registry::new();
    let (a, _) = filled(&registry);
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    wave.set_s64(126, 0b1111);
    // Lanes 0, 1 and 3 have one place.
    set_addresses(&mut wave, 0, |lane| a + if lane == 2 { 64 } else { 0 });
    for (lane, value) in [7, 7, 9, 7 + (5 << 16)].into_iter().enumerate() {
        wave.vgpr_mut(4)[lane] = value;
    }
    let over = |runs: Vec<AccessRun>| -> Vec<_> {
        let over = runs
            .into_iter()
            .filter_map(|run| Some((run.first.lane, run.over?)));
        over.collect()
    };
    let found = over(runs(&mut wave, &mut unit, Access::Dwords(1)));
    assert_eq!(found, [(Some(3), Over { lane: 1, byte: 2 })]);
    let mut left = [0; 4];
    registry.read(a, &mut left).expect("it is there");
    assert_eq!(
        u32::from_le_bytes(left),
        7 + (5 << 16),
        "the last lane wins"
    );
    // The halves that are stored are equal.
    assert_eq!(over(runs(&mut wave, &mut unit, Access::U16)), []);
    // Each reaches into the next.
    set_addresses(&mut wave, 0, |lane| a + 2 * lane as u64);
    let found = over(runs(&mut wave, &mut unit, Access::Dwords(1)));
    let wanted = [
        (Some(1), Over { lane: 0, byte: 0 }),
        (Some(2), Over { lane: 1, byte: 0 }),
        (Some(3), Over { lane: 2, byte: 0 }),
    ];
    assert_eq!(found, wanted);
}

/// Lanes 0 and 3 find what they expect, in this order; the swap of lane 3 changes nothing.
#[test]
fn swaps_that_change_nothing_are_noted() {
    let registry = Registry::new();
    let (a, _) = filled(&registry);
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    wave.set_s64(126, 0b1111);
    set_addresses(&mut wave, 0, |_| a);
    registry.write(a, &7u32.to_le_bytes()).expect("it is there");
    for (lane, (new, expected)) in [(8, 7), (9, 7), (9, 6), (8, 8)].into_iter().enumerate() {
        wave.vgpr_mut(4)[lane] = new;
        wave.vgpr_mut(5)[lane] = expected;
    }
    let op = atomic(global(), Rmw::CmpSwap, 1, 4, 6);
    let step = memory_step(Simd::Baseline, &op, true);
    run_step(&mut wave, &mut unit, &op, &[v(0)], step).expect("all lanes are inside");
    let runs = unit.drain_access_runs();
    let shape: Vec<_> = runs
        .iter()
        .map(|run| (run.first.lane, run.lanes, run.failed))
        .collect();
    assert_eq!(shape, [(Some(0), 1, false), (Some(1), 3, true)]);
    let mut left = [0; 4];
    registry.read(a, &mut left).expect("it is there");
    assert_eq!(u32::from_le_bytes(left), 8);
}

#[test]
fn lanes_that_overwrite_each_other_in_lds_are_noted_on_request() {
    let registry = Registry::new();
    let mut unit = MemoryUnit::new(&registry);
    unit.set_lds(Lds::new(64));
    let mut wave = Wave::new(0);
    wave.set_s64(126, 0b11);
    for lane in 0..2 {
        wave.vgpr_mut(4)[lane] = lane as u32;
    }
    let op = store(local(), Access::Dwords(1), DataReg::V(4));
    let step = memory_step(Simd::Baseline, &op, true);
    let mut stored = |unit: &mut MemoryUnit<'_>| -> Vec<_> {
        run_step(&mut wave, unit, &op, &[v(0)], step).expect("the LDS is there");
        let runs = unit.drain_access_runs().into_iter();
        runs.map(|run| (run.lanes, run.over)).collect()
    };
    assert_eq!(stored(&mut unit), [(2, None)]);
    unit.record_lds_conflicts();
    let over = Some(Over { lane: 0, byte: 0 });
    assert_eq!(stored(&mut unit), [(1, None), (1, over)]);
}
