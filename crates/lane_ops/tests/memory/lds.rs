//! The local data share.

use wavetank_ir::{Access, DataReg, MemOp, Rmw, Space as Where};
use wavetank_memory::{Lds, MemoryFaultReason, MemoryUnit, Registry, SHARED_BASE, Source, Wave};

use super::*;

#[test]
fn lds_reads_zero_and_drops_writes_out_of_range() {
    let registry = Registry::new();
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    unit.set_lds(Lds::new(512));
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 4 * lane as u32;
        wave.vgpr_mut(1)[lane] = 100 + lane as u32;
    }
    let op = MemOp {
        offset: 260,
        ..store(local(), Access::Dwords(1), DataReg::V(1))
    };
    for f in levels(&op) {
        unit.lds().begin(&[]);
        run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
        let dwords = unit.lds().dwords();
        assert_eq!(dwords.len(), 128);
        for (n, d) in dwords.into_iter().enumerate() {
            // Lane 63 would write dword 128.
            assert_eq!(d, if n < 65 { 0 } else { 35 + n as u32 });
        }
    }
    // A pair across the end: the dword in range is read.
    wave.vgpr_mut(0).fill(508);
    let pair = load(local(), Access::Dwords(2), DataReg::V(4));
    run(&mut wave, &mut unit, &pair, &[v(0)]).unwrap();
    assert_eq!((wave.vgpr(4)[0], wave.vgpr(5)[0]), (162, 0));
    // Sums wrap at 32 bits: a negative base is legal from gfx7 on.
    wave.vgpr_mut(0).fill(0xffff_fffc);
    let back = MemOp {
        offset: 512,
        ..load(local(), Access::Dwords(1), DataReg::V(4))
    };
    run(&mut wave, &mut unit, &back, &[v(0)]).unwrap();
    assert_eq!(wave.vgpr(4)[63], 162);
    // A uniform address, as ds_append uses.
    let uniform = load(local(), Access::U16, DataReg::V(4));
    run(&mut wave, &mut unit, &uniform, &[Source::Const(264)]).unwrap();
    assert_eq!(wave.vgpr(4)[1], 101);
}

/// What a unit saw beyond the LDS: lane, offset, count.
fn overrun(unit: &mut MemoryUnit<'_>) -> Option<(u8, u32, u64)> {
    let seen = unit.take_lds_overrun()?;
    assert_eq!((seen.pc, seen.lds_bytes), (0x1234, unit.lds().bytes()));
    Some((seen.lane, seen.offset, seen.count))
}

#[test]
fn accesses_beyond_the_lds_are_reported() {
    let registry = Registry::new();
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    unit.set_lds(Lds::new(64));
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 4 * lane as u32;
    }
    // 16 of 64 dwords are there; lanes that are off do not count.
    let write = store(local(), Access::Dwords(1), DataReg::V(1));
    for f in levels(&write) {
        run_step(&mut wave, &mut unit, &write, &[v(0)], f).unwrap();
        run_step(&mut wave, &mut unit, &write, &[v(0)], f).unwrap();
        assert_eq!(overrun(&mut unit), Some((16, 64, 96)));
    }
    wave.set_s64(126, 0xffff);
    run(&mut wave, &mut unit, &write, &[v(0)]).unwrap();
    assert_eq!(overrun(&mut unit), None);
    // Half of a pair; an index below the array.
    wave.set_s64(126, 0x8000);
    let pair = load(local(), Access::Dwords(2), DataReg::V(4));
    run(&mut wave, &mut unit, &pair, &[v(0)]).unwrap();
    assert_eq!(overrun(&mut unit), Some((15, 60, 1)));
    let below = MemOp {
        offset: -64,
        ..load(local(), Access::U8, DataReg::V(4))
    };
    run(&mut wave, &mut unit, &below, &[v(0)]).unwrap();
    assert_eq!(overrun(&mut unit), Some((15, 0xffff_fffc, 1)));
    // Atomics ignore the low bits of the address.
    let add = atomic(local(), Rmw::Add, 1, 1, 2);
    run(&mut wave, &mut unit, &add, &[Source::Const(63)]).unwrap();
    assert_eq!(overrun(&mut unit), None);
    run(&mut wave, &mut unit, &add, &[Source::Const(64)]).unwrap();
    assert_eq!(overrun(&mut unit), Some((15, 64, 1)));
    // Both ends of what goes from LDS to LDS.
    let between = MemOp {
        ret: None,
        ..atomic(
            Where::LdsPair {
                address: V,
                other: V,
                limit: None,
            },
            Rmw::Add,
            1,
            1,
            2,
        )
    };
    for (ends, seen) in [
        ([60, 0], None),
        ([64, 0], Some((15, 64, 1))),
        ([0, 68], Some((15, 68, 1))),
        ([64, 68], Some((15, 64, 2))),
    ] {
        run(&mut wave, &mut unit, &between, &ends.map(Source::Const)).unwrap();
        assert_eq!(overrun(&mut unit), seen);
    }
    // Through a flat address; one in memory does not count.
    let flat = load(
        Where::Flat {
            address: V,
            limit: None,
        },
        Access::Dwords(1),
        DataReg::V(4),
    );
    let (memory, _) = filled(&registry);
    wave.set_s64(126, 7);
    set_addresses(&mut wave, 6, |l| {
        [memory, SHARED_BASE + 60, SHARED_BASE + 62][l % 3]
    });
    run(&mut wave, &mut unit, &flat, &[v(6)]).unwrap();
    assert_eq!(overrun(&mut unit), Some((2, 62, 1)));
}

#[test]
fn a_strict_unit_stops_beyond_the_lds() {
    let registry = Registry::new();
    let (memory, bytes) = filled(&registry);
    let mut unit = MemoryUnit::new(&registry);
    unit.set_strict(true);
    unit.set_lds(Lds::new(64));
    let mut wave = Wave::new(0);
    wave.vgpr_mut(1).fill(!0);
    let reason = |offset| MemoryFaultReason::OutsideLds {
        offset,
        lds_bytes: 64,
    };
    // Nothing is written, not even by the lanes that stay inside, or elsewhere.
    let flat = store(
        Where::Flat {
            address: V,
            limit: None,
        },
        Access::Dwords(1),
        DataReg::V(1),
    );
    set_addresses(&mut wave, 6, |l| match l {
        0 => memory,
        _ => SHARED_BASE + 4 * l as u64,
    });
    let fault = run(&mut wave, &mut unit, &flat, &[v(6)]).unwrap_err();
    assert_eq!((fault.reason, fault.lane), (reason(64), Some(16)));
    assert_eq!(fault.address, SHARED_BASE + 64);
    assert_eq!(bytes_of(&registry, memory, 4), bytes[..4]);
    assert_eq!(unit.lds().dwords(), [0; 16]);
    for op in [
        store(local(), Access::Dwords(1), DataReg::V(1)),
        load(local(), Access::U16, DataReg::V(2)),
        atomic(local(), Rmw::Add, 2, 2, 4),
        atomic(
            Where::LdsPair {
                address: V,
                other: V,
                limit: None,
            },
            Rmw::Add,
            1,
            1,
            2,
        ),
    ] {
        // One address, or two.
        let addresses = match op.space {
            Where::LdsPair { .. } => 2,
            _ => 1,
        };
        let at = |offset| vec![Source::Const(offset); addresses];
        run(&mut wave, &mut unit, &op, &at(56)).unwrap();
        let fault = run(&mut wave, &mut unit, &op, &at(72)).unwrap_err();
        assert_eq!((fault.reason, fault.nearest), (reason(72), None));
    }
    assert_eq!(unit.take_lds_overrun(), None);
}

#[test]
fn lds_atomics_go_in_lane_order() {
    let registry = Registry::new();
    let mut unit = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    unit.set_lds(Lds::new(64));
    wave.vgpr_mut(1).fill(3);
    wave.vgpr_mut(0).fill(18);
    let op = atomic(local(), Rmw::Add, 1, 1, 2);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    for lane in 0..64 {
        assert_eq!(wave.vgpr(2)[lane], 3 * lane as u32);
    }
    // (ADDR + OFFSET) & ~3
    assert_eq!(unit.lds().dwords()[4], 192);
    // The result register holds the operand, one lane is active.
    wave.set_s64(126, 1 << 40);
    wave.vgpr_mut(2).fill(64);
    let op = atomic(local(), Rmw::Add, 1, 2, 2);
    run(&mut wave, &mut unit, &op, &[Source::Const(16)]).unwrap();
    assert_eq!((wave.vgpr(2)[40], wave.vgpr(2)[41]), (192, 64));
    assert_eq!(unit.lds().dwords()[4], 256);
}
