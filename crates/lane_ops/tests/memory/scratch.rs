//! Scratch, by itself, through flat addresses and through buffers.

use wavetank_ir::{Access, DataReg, MemOp, Space as Where};
use wavetank_memory::{
    MemoryFaultReason, MemoryUnit, PRIVATE_BASE, Registry, SHARED_BASE, Source, Wave,
};

use super::*;

#[test]
fn scratch_is_swizzled_by_dwords() {
    let registry = Registry::new();
    let (mut unit, base) = with_scratch(&registry);
    let mut wave = Wave::new(0);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 4 * (lane as u32 % 4);
        for r in 0..4 {
            wave.vgpr_mut(1 + r)[lane] = (r << 8 | lane) as u32;
        }
    }
    let space = Where::Scratch { address: V };
    let op = MemOp {
        offset: 16,
        ..store(space.clone(), Access::Dwords(4), DataReg::V(1))
    };
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    let bytes = bytes_of(&registry, base, 4096);
    for lane in 0..64 {
        for r in 0..4 {
            let d = 4 + lane % 4 + r;
            assert_eq!(dword(&bytes, d * 256 + lane * 4), (r << 8 | lane) as u32);
        }
    }
    // Unaligned: bytes 2 and 3 of dword 4, which are 0, and the first two of dword 5.
    wave.vgpr_mut(0).fill(0);
    let op = MemOp {
        offset: 18,
        ..load(space.clone(), Access::Dwords(1), DataReg::V(8))
    };
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    assert_eq!(wave.vgpr(8)[4], 0x0104 << 16);
    // A byte store keeps its neighbours.
    let op = MemOp {
        offset: 21,
        ..store(space.clone(), Access::U8, DataReg::V(8))
    };
    wave.vgpr_mut(8).fill(0xee);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    let at = 5 * 256 + 4 * 4;
    assert_eq!(bytes_of(&registry, base, 4096)[at..at + 4], [4, 0xee, 0, 0]);
    // The last dword, and one past it.
    let at = |offset| MemOp {
        offset,
        ..load(space.clone(), Access::Dwords(1), DataReg::V(8))
    };
    run(&mut wave, &mut unit, &at(60), &[v(0)]).unwrap();
    let fault = run(&mut wave, &mut unit, &at(61), &[v(0)]).unwrap_err();
    assert_eq!(fault.reason, overflow(61));
    assert_eq!(fault.address, PRIVATE_BASE + 61);
    let fault = run(&mut wave, &mut unit, &at(-4), &[v(0)]).unwrap_err();
    assert_eq!(fault.reason, MemoryFaultReason::OutsideScratch);
    // Freed scratch is no scratch.
    registry.free(base).unwrap();
    assert!(run(&mut wave, &mut unit, &at(0), &[v(0)]).is_err());
}

#[test]
fn flat_addresses_reach_all_three_memories() {
    let registry = Registry::new();
    let (global, bytes) = filled(&registry);
    let (mut unit, _) = with_scratch(&registry);
    let mut wave = Wave::new(0);
    // Mark the LDS and scratch through their own spaces.
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 8 * lane as u32 % 64 + 4;
        wave.vgpr_mut(1)[lane] = 0x1000 + lane as u32;
    }
    let mark = store(
        Where::Scratch { address: V },
        Access::Dwords(1),
        DataReg::V(1),
    );
    run(&mut wave, &mut unit, &mark, &[v(0)]).unwrap();
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 8 * lane as u32 + 4;
        wave.vgpr_mut(1)[lane] = 0x2000 + lane as u32;
    }
    let mark = store(local(), Access::Dwords(1), DataReg::V(1));
    run(&mut wave, &mut unit, &mark, &[v(0)]).unwrap();

    let address = |l: usize| match l % 3 {
        0 => global + 8 * l as u64,
        1 => SHARED_BASE + 8 * l as u64,
        _ => PRIVATE_BASE + 8 * l as u64 % 64,
    };
    let op = load(
        Where::Flat {
            address: V,
            limit: None,
        },
        Access::Dwords(1),
        DataReg::V(0),
    );
    for f in levels(&op) {
        set_addresses(&mut wave, 0, address);
        let op = MemOp {
            offset: 4,
            ..op.clone()
        };
        run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
        for lane in 0..64 {
            let want = match lane % 3 {
                0 => dword(&bytes, 8 * lane + 4),
                1 => 0x2000 + lane as u32,
                _ => 0x1000 + lane as u32,
            };
            assert_eq!(wave.vgpr(0)[lane], want, "lane {lane}");
        }
    }
    // A fault in one memory leaves the others alone.
    let op = store(
        Where::Flat {
            address: V,
            limit: None,
        },
        Access::Dwords(1),
        DataReg::V(8),
    );
    set_addresses(&mut wave, 0, |l| match l {
        0 => global,
        1 => SHARED_BASE,
        _ => PRIVATE_BASE + 64,
    });
    wave.vgpr_mut(8).fill(!0);
    let fault = run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
    assert_eq!((fault.reason, fault.lane), (overflow(64), Some(2)));
    assert_eq!(bytes_of(&registry, global, 4), bytes[..4]);
    assert_eq!(unit.lds().dwords()[1], 0x2000);
}

#[test]
fn buffers_and_flat_addresses_agree_on_scratch() {
    let registry = Registry::new();
    let (mut unit, base) = with_scratch(&registry);
    let mut wave = Wave::new(0);
    // Swizzled, ADD_TID, index stride 64; num_records is ignored.
    bind(&mut wave, base, 0, 0, 1 << 31, 1 << 23 | 3 << 21);
    for lane in 0..64 {
        wave.vgpr_mut(2)[lane] = 1000 + lane as u32;
        wave.vgpr_mut(3)[lane] = 2000 + lane as u32;
        wave.vgpr_mut(0)[lane] = lane as u32 % 4 * 4;
    }
    let none = [Source::None, Source::None, Source::None, Source::Const(0)];
    let row = MemOp {
        offset: 40,
        ..store(
            buffer(false, false, false),
            Access::Dwords(1),
            DataReg::V(2),
        )
    };
    run(&mut wave, &mut unit, &row, &none).unwrap();
    let pair = MemOp {
        offset: 4,
        ..store(buffer(false, true, false), Access::Dwords(2), DataReg::V(2))
    };
    let by_lane = [Source::None, Source::None, v(0), Source::Const(0)];
    run(&mut wave, &mut unit, &pair, &by_lane).unwrap();
    let mut read = |offset: fn(usize) -> u64| {
        set_addresses(&mut wave, 6, |l| PRIVATE_BASE + offset(l));
        let op = load(
            Where::Flat {
                address: V,
                limit: None,
            },
            Access::Dwords(1),
            DataReg::V(8),
        );
        run(&mut wave, &mut unit, &op, &[v(6)]).unwrap();
        *wave.vgpr(8)
    };
    assert_eq!(read(|_| 40), std::array::from_fn(|l| 1000 + l as u32));
    assert_eq!(
        read(|l| l as u64 % 4 * 4 + 4),
        std::array::from_fn(|l| 1000 + l as u32)
    );
    assert_eq!(
        read(|l| l as u64 % 4 * 4 + 8),
        std::array::from_fn(|l| 2000 + l as u32)
    );
}

/// A work-group of three waves: the second may use its own part only, whether
/// the descriptor starts at the group's scratch or at the wave's.
#[test]
fn buffers_do_not_leave_the_scratch_of_their_wave() {
    let registry = Registry::new();
    let group = registry.allocate("scratch", 3 * 4096, 256).unwrap().address;
    let mut unit = MemoryUnit::new(&registry);
    unit.set_scratch(group + 4096, 64);
    let mut wave = Wave::new(0);
    wave.vgpr_mut(2).fill(7);
    let spaces = [buffer(false, false, false), buffer(false, true, false)];
    for (base, soffset) in [(group, 4096), (group + 4096, 0)] {
        bind(&mut wave, base, 0, 0, 1 << 31, 1 << 23 | 3 << 21);
        for (space, offset_at) in spaces.iter().zip([Source::None, v(0)]) {
            for n in 1..=4u32 {
                let mut at = |offset: u32, soffset: u64| {
                    let op = store(space.clone(), Access::Dwords(n as u8), DataReg::V(2));
                    let op = MemOp {
                        offset: offset.into(),
                        ..op
                    };
                    let sources = [
                        Source::None,
                        Source::None,
                        offset_at,
                        Source::Const(soffset),
                    ];
                    run(&mut wave, &mut unit, &op, &sources).map_err(|f| (f.reason, f.lane))
                };
                // The last dwords of a lane, and one more.
                at(64 - 4 * n, soffset).unwrap();
                assert_eq!(at(68 - 4 * n, soffset), Err((overflow(64), Some(0))));
                // A frame far above, beyond the scratch of every wave: the stack
                // pointer counts the bytes of a wave.
                assert_eq!(at(0, soffset + 64 * 1000), Err((overflow(1000), Some(0))));
                // The scratch of the wave before.
                if base == group {
                    let below = (MemoryFaultReason::OutsideScratch, Some(0));
                    assert_eq!(at(0, 0), Err(below));
                }
            }
        }
    }
    // No other memory was accessed.
    let mut all = vec![0; 3 * 4096];
    registry.read(group, &mut all).unwrap();
    assert!(all[..4096].iter().chain(&all[8192..]).all(|b| *b == 0));
    // A lane alone, and a byte.
    wave.set_s64(126, 1 << 33);
    let byte = MemOp {
        offset: 64,
        ..load(buffer(false, false, false), Access::U8, DataReg::V(3))
    };
    let none = [Source::None, Source::None, Source::None, Source::Const(0)];
    let fault = run(&mut wave, &mut unit, &byte, &none).unwrap_err();
    assert_eq!((fault.reason, fault.lane), (overflow(64), Some(33)));
    assert_eq!((fault.address, fault.nearest), (PRIVATE_BASE + 64, None));
    // A descriptor of that kind that starts elsewhere is a buffer like others.
    let other = registry.allocate("a ring", 8192, 256).unwrap().address;
    bind(&mut wave, other, 0, 0, 1 << 31, 1 << 23 | 3 << 21);
    run(&mut wave, &mut unit, &byte, &none).unwrap();
}
