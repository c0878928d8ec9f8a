//! Buffers: bounds, swizzling, alignment, formats.

use wavetank_ir::{Access, DataReg, MemKind, MemOp, Rmw, Space as Where};
use wavetank_memory::{Alignment, MemoryFaultReason, MemoryUnit, Registry, Source, Wave};

use super::*;

#[test]
fn scalar_buffers_clamp_each_dword() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let space = Where::ScalarBuffer {
        resource: [Value(20), Value(22)],
        index: None,
    };
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    for (stride, records, in_range) in [(0u32, 24u32, 2), (8, 3, 2), (0, 4096, 4), (0, 16, 0)] {
        wave.set_s64(20, base | u64::from(stride) << 48);
        wave.set_s64(22, records.into());
        let op = MemOp {
            offset: 16,
            ..load(space.clone(), Access::Dwords(4), DataReg::S(8))
        };
        run(&mut wave, &mut unit, &op, &[]).unwrap();
        for n in 0..4 {
            let want = if n < in_range {
                dword(&bytes, 16 + 4 * n)
            } else {
                0
            };
            assert_eq!(wave.uniform().s[8 + n], want);
        }
    }
    // A descriptor of zeros is unbound, wherever it points.
    wave.set_s64(20, 0);
    wave.set_s64(22, 0);
    let op = load(space, Access::Dwords(4), DataReg::S(8));
    run(&mut wave, &mut unit, &op, &[]).unwrap();
    assert_eq!(wave.uniform().s[8..12], [0; 4]);
}

#[test]
fn raw_buffers_check_the_offset_of_each_dword() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    bind(&mut wave, base, 0, 128, 0, FORMAT_32);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 8 * lane as u32;
    }
    let op = MemOp {
        offset: 4,
        ..load(buffer(false, true, false), Access::Dwords(3), DataReg::V(4))
    };
    // SOFFSET is not in the range check.
    let sources = [Source::None, Source::None, v(0), Source::Const(256)];
    for f in levels(&op) {
        for r in 4..7 {
            wave.vgpr_mut(r).fill(1);
        }
        run_step(&mut wave, &mut unit, &op, &sources, f).unwrap();
        for lane in 0..64 {
            for r in 0..3 {
                let offset = 4 + 8 * lane + 4 * r;
                let want = if offset < 128 {
                    dword(&bytes, 256 + offset)
                } else {
                    0
                };
                assert_eq!(wave.vgpr(4 + r)[lane], want);
            }
        }
    }
    // Stores out of range are dropped, and need no memory.
    let op = store(buffer(false, true, false), Access::Dwords(2), DataReg::V(4));
    wave.vgpr_mut(0).fill(124);
    wave.vgpr_mut(4).fill(0x55);
    wave.vgpr_mut(5).fill(0x66);
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    let after = bytes_of(&registry, base, 4096);
    assert_eq!(dword(&after, 256 + 124), 0x55);
    assert_eq!(after[256 + 128..], bytes[256 + 128..]);
    // Atomics are in or out as a whole.
    let op = atomic(buffer(false, true, false), Rmw::Swap, 2, 4, 6);
    wave.vgpr_mut(6).fill(9);
    wave.vgpr_mut(0).fill(120 + 4);
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    assert_eq!((wave.vgpr(6)[0], wave.vgpr(7)[0]), (0, 0));
    assert_eq!(bytes_of(&registry, base, 4096), after);
    // In range of the descriptor, but not allocated.
    bind(&mut wave, base, 0, u32::MAX, 0, FORMAT_32);
    wave.vgpr_mut(0)[3] = 0x10_0000;
    let fault = run(&mut wave, &mut unit, &op, &sources).unwrap_err();
    assert_eq!(fault.lane, Some(3));
    // Unbound: a data format of 0, and all zeros.
    bind(&mut wave, base, 0, u32::MAX, 0, 0);
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    assert_eq!(bytes_of(&registry, base, 4096), after);
}

/// One instruction goes through a buffer, and then through the descriptor of another that lies below and has few records: what
/// it used last is above all that is in range, and no lane gets there.
#[test]
fn a_descriptor_below_what_was_used_last_reaches_no_further() {
    let registry = Registry::new();
    let (memory, bytes) = filled(&registry);
    // Two allocations, and what lies between and above them belongs to neither.
    let (lower, upper) = (
        memory,
        registry.allocate("upper", 256, 256).unwrap().address,
    );
    let (lower, upper) = (lower.min(upper), lower.max(upper));
    registry.write(upper, &bytes[..256]).unwrap();
    registry.write(lower, &bytes[..256]).unwrap();
    let space = || buffer(false, true, false);
    let sources = [Source::None, Source::None, v(0), Source::Const(0)];
    let read = load(space(), Access::Dwords(1), DataReg::V(4));
    let write = store(space(), Access::Dwords(1), DataReg::V(4));
    for (f, g) in levels(&read).into_iter().zip(levels(&write)) {
        // The first lanes in range, or none.
        for in_range in [0, 4] {
            let mut wave = Wave::new(0);
            let mut unit = MemoryUnit::new(&registry);
            let far = |base: u64| (upper - base) as u32;
            let mut turn = |base: u64, records: u32, first: u32, want: &dyn Fn(usize) -> u32| {
                bind(&mut wave, base, 0, records, 0, FORMAT_32);
                for lane in 0..64 {
                    let near = if lane < in_range { 0 } else { first };
                    wave.vgpr_mut(0)[lane] = 4 * lane as u32 + near;
                }
                run_step(&mut wave, &mut unit, &read, &sources, f).unwrap();
                let got = *wave.vgpr(4);
                assert_eq!(got, std::array::from_fn(want), "{in_range} lanes in range");
                // What is out of range is dropped; the others store what is there.
                for lane in in_range..64 {
                    wave.vgpr_mut(4)[lane] ^= if records == 64 { !0 } else { 0 };
                }
                run_step(&mut wave, &mut unit, &write, &sources, g).unwrap();
            };
            turn(upper, 256, 0, &|lane| dword(&bytes, 4 * lane));
            let none = |lane: usize| {
                if lane < in_range {
                    dword(&bytes, 4 * lane)
                } else {
                    0
                }
            };
            turn(lower, 64, far(lower), &none);
            // Far above everything.
            turn(lower, 64, 0x8000_0000, &none);
        }
        assert_eq!(bytes_of(&registry, upper, 256), bytes[..256]);
        assert_eq!(bytes_of(&registry, lower, 256), bytes[..256]);
    }
}

#[test]
fn structured_buffers_check_the_index() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    bind(&mut wave, base, 12, 40, 0, FORMAT_32);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = lane as u32;
        wave.vgpr_mut(1)[lane] = lane as u32 % 3 * 4 + 1;
    }
    let sources = [Source::None, v(0), v(1), Source::Const(0)];
    let op = MemOp {
        offset: 2,
        ..load(buffer(true, true, false), Access::Dwords(1), DataReg::V(4))
    };
    for (mode, ignored) in [(Alignment::Unaligned, 0), (Alignment::Dword, 3)] {
        unit.set_alignment(mode);
        run(&mut wave, &mut unit, &op, &sources).unwrap();
        for lane in 0..64 {
            let at = (lane * 12 + lane % 3 * 4 + 3) & !ignored;
            let want = if lane < 40 { dword(&bytes, at) } else { 0 };
            assert_eq!(wave.vgpr(4)[lane], want);
        }
    }
}

/// 8.1 "Alignment": in dword mode the two low bits of a byte address are
/// ignored; in unaligned mode every byte address is as good. The first is
/// written out with a mask of the address, base included.
#[test]
fn buffers_go_by_the_alignment_mode() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    let sources = [Source::None, Source::None, v(0), Source::Const(6)];
    // Pairs of halfs of a matrix with an odd leading dimension; and a base
    // that is odd itself.
    for (base_skew, offset) in [(0, 2), (1, 0), (3, 1)] {
        bind(&mut wave, base + base_skew, 0, 4000, 0, FORMAT_32);
        for (mode, ignored) in [(Alignment::Unaligned, 0), (Alignment::Dword, 3)] {
            unit.set_alignment(mode);
            for n in 1..=4usize {
                let op = MemOp {
                    offset,
                    ..load(
                        buffer(false, true, false),
                        Access::Dwords(n as u8),
                        DataReg::V(4),
                    )
                };
                let write = store_of(&op);
                let place =
                    |lane: usize| (base_skew as usize + offset as usize + 6 + 34 * lane) & !ignored;
                for (f, g) in levels(&op).into_iter().zip(levels(&write)) {
                    registry.write(base, &bytes).unwrap();
                    for lane in 0..64 {
                        wave.vgpr_mut(0)[lane] = 34 * lane as u32;
                    }
                    run_step(&mut wave, &mut unit, &op, &sources, f).unwrap();
                    let mut want = bytes.clone();
                    for lane in 0..64 {
                        for r in 0..n {
                            let at = place(lane) + 4 * r;
                            assert_eq!(wave.vgpr(4 + r)[lane], dword(&bytes, at), "{mode:?}");
                            wave.vgpr_mut(4 + r)[lane] ^= 0x5a5a_5a5a;
                            for b in &mut want[at..at + 4] {
                                *b ^= 0x5a;
                            }
                        }
                    }
                    run_step(&mut wave, &mut unit, &write, &sources, g).unwrap();
                    assert_eq!(bytes_of(&registry, base, 4096), want, "{mode:?}");
                }
            }
        }
    }
}

/// The store to where a load is from, with its registers.
fn store_of(load: &MemOp) -> MemOp {
    MemOp {
        kind: MemKind::Store,
        data: registers(load.ret.unwrap(), load.registers()),
        ret: None,
        ..load.clone()
    }
}

#[test]
fn strict_alignment_and_atomics_refuse_crooked_addresses() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    bind(&mut wave, base, 0, 4000, 0, FORMAT_32);
    let sources = [Source::None, Source::None, v(0), Source::Const(0)];
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 4 * lane as u32;
    }
    wave.vgpr_mut(0)[9] = 38;
    let space = || buffer(false, true, false);
    let atomic = atomic(space(), Rmw::Add, 1, 4, 5);
    let crooked = MemoryFaultReason::Misaligned { align: 4 };
    // An atomic is aligned in every mode that does not align it itself.
    for (mode, fault) in [
        (Alignment::Unaligned, true),
        (Alignment::Strict, true),
        (Alignment::Dword, false),
    ] {
        unit.set_alignment(mode);
        let result = run(&mut wave, &mut unit, &atomic, &sources);
        let denied = result.err().map(|f| (f.reason, f.lane, f.address));
        assert_eq!(
            denied,
            fault.then_some((crooked, Some(9), base + 38)),
            "{mode:?}"
        );
    }
    unit.set_alignment(Alignment::Strict);
    let wide = load(space(), Access::Dwords(2), DataReg::V(4));
    let fault = run(&mut wave, &mut unit, &wide, &sources).unwrap_err();
    assert_eq!(
        (fault.reason, fault.lane, fault.bytes),
        (crooked, Some(9), 8)
    );
    // Not a word of a lane that is off or out of range, nor of halfs.
    wave.set_s64(126, !(1 << 9));
    run(&mut wave, &mut unit, &wide, &sources).unwrap();
    wave.set_s64(126, !0);
    wave.vgpr_mut(0)[9] = 4001;
    run(&mut wave, &mut unit, &wide, &sources).unwrap();
    wave.vgpr_mut(0)[9] = 39;
    let half = load(space(), Access::U16, DataReg::V(4));
    run(&mut wave, &mut unit, &half, &sources).unwrap();
    assert_eq!(wave.vgpr(4)[9], dword(&bytes, 39) & 0xffff);
}

/// 8.1 "Swizzled Buffer Addressing": it "requires Dword-aligned accesses", which is what the dword mode makes of others.
#[test]
fn swizzled_buffers_and_formats_at_unaligned_addresses() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    // One record of 16 bytes a lane, elements of 4 bytes, 16 indices.
    bind(&mut wave, base, 16, 64, 1 << 31, FORMAT_32 | 1 << 21);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = lane as u32;
    }
    let sources = [Source::None, v(0), Source::None, Source::Const(0)];
    let op = MemOp {
        offset: 6,
        ..load(buffer(true, false, false), Access::Dwords(1), DataReg::V(4))
    };
    for mode in [Alignment::Unaligned, Alignment::Dword] {
        unit.set_alignment(mode);
        run(&mut wave, &mut unit, &op, &sources).unwrap();
        for lane in 0..64 {
            // Elements 1 and 2 of the record: their neighbours are other lanes'.
            let at = |element: usize| (lane / 16 * 16 + 4 * element) * 16 + lane % 16 * 4;
            let (low, high) = (dword(&bytes, at(1)), dword(&bytes, at(2)));
            let want = match mode {
                Alignment::Unaligned => low >> 16 | high << 16,
                _ => low,
            };
            assert_eq!(wave.vgpr(4)[lane], want);
        }
    }
    // Texels of 32 bits, 6 bytes apart.
    const UINT: u32 = 4 << 12;
    bind(&mut wave, base, 6, 64, 0, FORMAT_32 | UINT);
    let op = load(buffer(true, false, true), Access::Dwords(1), DataReg::V(4));
    for (mode, ignored) in [(Alignment::Unaligned, 0), (Alignment::Dword, 3)] {
        unit.set_alignment(mode);
        run(&mut wave, &mut unit, &op, &sources).unwrap();
        for lane in 0..64 {
            assert_eq!(wave.vgpr(4)[lane], dword(&bytes, (6 * lane) & !ignored));
        }
    }
}

/// The formula of 8.1.6, with the manual's names.
#[test]
fn swizzled_buffers_follow_the_formula() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    // Index stride 16, stride 16.
    bind(&mut wave, base, 16, 64, 1 << 31, FORMAT_32 | 1 << 21);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = (lane as u32 * 7) % 64;
        wave.vgpr_mut(1)[lane] = lane as u32 % 2 * 4;
    }
    let sources = [Source::None, v(0), v(1), Source::Const(0)];
    let op = load(buffer(true, true, false), Access::Dwords(3), DataReg::V(4));
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    for lane in 0..64 {
        for r in 0..3 {
            let (index, offset) = (lane * 7 % 64, lane % 2 * 4 + 4 * r);
            let (index_msb, index_lsb) = (index / 16, index % 16);
            let (offset_msb, offset_lsb) = (offset / 4, offset % 4);
            let at = (index_msb * 16 + offset_msb * 4) * 16 + index_lsb * 4 + offset_lsb;
            assert_eq!(wave.vgpr(4 + r)[lane], dword(&bytes, at));
        }
    }
}

#[test]
fn formats_convert_and_select() {
    let registry = Registry::new();
    let base = registry.allocate("texels", 256, 1).unwrap().address;
    registry.write(base, &[255, 0, 51, 102]).unwrap();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    wave.set_s64(126, 3);
    // 8_8_8_8 unorm, one record; select (A, 1, R, 0).
    let select = 7 | 1 << 3 | 4 << 6;
    wave.set_s64(8, base | 4 << 48);
    wave.set_s64(10, 1 | (10u64 << 15 | select) << 32);
    wave.vgpr_mut(0)[1] = 1;
    let sources = [Source::None, v(0), Source::None, Source::Const(0)];
    let op = load(buffer(true, false, true), Access::Dwords(4), DataReg::V(4));
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    let get = |lane: usize| [4, 5, 6, 7].map(|r| f32::from_bits(wave.vgpr(r)[lane]));
    assert_eq!(get(0), [0.4, 1.0, 1.0, 0.0]);
    // Out of range: zero, but for SEL_1.
    assert_eq!(get(1), [0.0, 1.0, 0.0, 0.0]);
    // Stores go the other way, and only in range.
    for r in 4..8 {
        wave.vgpr_mut(r).fill((0.2f32 * (r - 3) as f32).to_bits());
    }
    let op = store(buffer(true, false, true), Access::Dwords(4), DataReg::V(4));
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    assert_eq!(bytes_of(&registry, base, 8), [153, 0, 0, 51, 0, 0, 0, 0]);
}
