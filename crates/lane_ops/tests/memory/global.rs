//! Global memory, by lanes and by the wave.

use wavetank_ir::{Access, DataReg, Half, MemOp, Rmw, Space as Where};
use wavetank_memory::{MemoryFaultReason, MemoryUnit, Registry, Rights, Source, Wave};

use super::*;

#[test]
fn global_loads_read_what_each_lane_addresses() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    // Rows, a shuffle, strides, unaligned, all lanes the same.
    let patterns: [fn(usize) -> u64; 6] = [
        |l| 4 * l as u64,
        |l| 4 * (l as u64 * 29 % 64),
        |l| 40 * l as u64 + 8,
        |l| 4 * l as u64 + 1,
        |l| 7 * l as u64,
        |_| 16,
    ];
    for pattern in patterns {
        for mask in [!0, 1, 1 << 63, 0xf0f0_1234_0000_ffff, 0] {
            for n in 1..=4usize {
                let op = MemOp {
                    offset: -64,
                    ..load(global(), Access::Dwords(n as u8), DataReg::V(0))
                };
                for f in levels(&op) {
                    let mut wave = Wave::new(0);
                    let mut unit = MemoryUnit::new(&registry);
                    wave.set_s64(126, mask);
                    // The result overwrites the address.
                    set_addresses(&mut wave, 0, |l| base + 64 + pattern(l));
                    let before: Vec<_> = (0..4).map(|r| *wave.vgpr(r)).collect();
                    run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
                    for (r, before) in before.iter().enumerate() {
                        for (lane, before) in before.iter().enumerate() {
                            let want = if mask >> lane & 1 != 0 && r < n {
                                dword(&bytes, pattern(lane) as usize + 4 * r)
                            } else {
                                *before
                            };
                            assert_eq!(wave.vgpr(r)[lane], want, "lane {lane} register {r}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn global_stores_write_what_each_lane_addresses() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let patterns: [fn(usize) -> u64; 3] =
        [|l| 4 * l as u64, |l| 16 * l as u64, |l| 17 * l as u64 + 1];
    for (k, pattern) in patterns.into_iter().enumerate() {
        for mask in [!0, 0x8000_0000_0000_0101u64] {
            for n in 1..=if k == 0 { 1 } else { 4 } {
                let op = store(global(), Access::Dwords(n), DataReg::V(4));
                for f in levels(&op) {
                    registry.write(base, &bytes).unwrap();
                    let mut want = bytes.clone();
                    let mut wave = Wave::new(0);
                    let mut unit = MemoryUnit::new(&registry);
                    wave.set_s64(126, mask);
                    set_addresses(&mut wave, 0, |l| base + pattern(l));
                    for lane in 0..64 {
                        for r in 0..n as usize {
                            let value = (0x0101_0000 * r + 0xab00 + lane) as u32;
                            wave.vgpr_mut(4 + r)[lane] = value;
                            if mask >> lane & 1 != 0 {
                                let at = pattern(lane) as usize + 4 * r;
                                want[at..at + 4].copy_from_slice(&value.to_le_bytes());
                            }
                        }
                    }
                    run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
                    assert_eq!(bytes_of(&registry, base, 4096), want);
                }
            }
        }
    }
}

/// Data are values: each dword may stand in any register, or two in one.
#[test]
fn data_may_stand_anywhere() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let number = |register: u32, lane: usize| 0x1_0000 * register + lane as u32;
    for registers in [&[9, 4][..], &[30, 5, 30], &[7, 6, 5, 255]] {
        let op = MemOp {
            data: registers.iter().map(|n| Value(*n)).collect(),
            ..store(
                global(),
                Access::Dwords(registers.len() as u8),
                DataReg::V(0),
            )
        };
        for f in levels(&op) {
            for mask in [!0, 0x8000_0000_0000_0101u64] {
                registry.write(base, &bytes).unwrap();
                let mut want = bytes.clone();
                let mut wave = Wave::new(0);
                let mut unit = MemoryUnit::new(&registry);
                wave.set_s64(126, mask);
                set_addresses(&mut wave, 0, |l| base + 16 * l as u64);
                for n in 2..256 {
                    *wave.vgpr_mut(n) = std::array::from_fn(|lane| number(n as u32, lane));
                }
                for lane in (0..64).filter(|l| mask >> l & 1 != 0) {
                    for (dword, register) in registers.iter().enumerate() {
                        let at = 16 * lane + 4 * dword;
                        let value = number(*register, lane);
                        want[at..at + 4].copy_from_slice(&value.to_le_bytes());
                    }
                }
                run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
                assert_eq!(bytes_of(&registry, base, 4096), want);
            }
        }
    }
}

/// The second operand of an atomic may stand before the first, and the result
/// go where either is.
#[test]
fn operands_of_atomics_may_stand_anywhere() {
    let registry = Registry::new();
    let base = registry.allocate("cells", 1024, 8).unwrap().address;
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    let old = |lane: usize| lane as u64 | 7 << 32;
    let cells: Vec<u8> = (0..64).flat_map(|l| old(l).to_le_bytes()).collect();
    let op = MemOp {
        data: [9, 4, 5, 8].map(Value).to_vec(),
        ..atomic(global(), Rmw::CmpSwap, 2, 9, 4)
    };
    for f in levels(&op) {
        registry.write(base, &cells).unwrap();
        set_addresses(&mut wave, 0, |l| base + 8 * l as u64);
        wave.vgpr_mut(9).fill(0x99);
        wave.vgpr_mut(4).fill(0x44);
        // Every other lane has what is there.
        *wave.vgpr_mut(5) = std::array::from_fn(|l| l as u32 & !1);
        wave.vgpr_mut(8).fill(7);
        run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
        let after = bytes_of(&registry, base, 512);
        for lane in 0..64 {
            let [low, high] = [8 * lane, 8 * lane + 4].map(|at| dword(&after, at));
            let swapped = lane % 2 == 0;
            let want = if swapped {
                (0x99, 0x44)
            } else {
                (lane as u32, 7)
            };
            assert_eq!((low, high), want);
            assert_eq!((wave.vgpr(4)[lane], wave.vgpr(5)[lane]), (lane as u32, 7));
        }
    }
}

#[test]
fn parts_extend_and_keep_the_other_half() {
    let registry = Registry::new();
    let base = registry.allocate("b", 64, 1).unwrap().address;
    registry.write(base, &[0x80, 0xff, 0x7f, 0x12]).unwrap();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    set_addresses(&mut wave, 0, |_| base);
    let mut get = |access, half| {
        wave.vgpr_mut(4).fill(0xaaaa_bbbb);
        let op = MemOp {
            half,
            ..load(global(), access, DataReg::V(4))
        };
        run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
        wave.vgpr(4)[63]
    };
    // Vega ISA, 12.14: zero- and sign-extended; D16 writes one half.
    assert_eq!(get(Access::U8, Half::Whole), 0x80);
    assert_eq!(get(Access::I8, Half::Whole), 0xffff_ff80);
    assert_eq!(get(Access::U16, Half::Whole), 0xff80);
    assert_eq!(get(Access::I16, Half::Whole), 0xffff_ff80);
    assert_eq!(get(Access::U8, Half::Low), 0xaaaa_0080);
    assert_eq!(get(Access::I8, Half::Low), 0xaaaa_ff80);
    assert_eq!(get(Access::I8, Half::High), 0xff80_bbbb);
    assert_eq!(get(Access::U16, Half::High), 0xff80_bbbb);
    // BUFFER_STORE_BYTE_D16_HI stores S0[23:16], SHORT_D16_HI S0[31:16].
    wave.vgpr_mut(4).fill(0x1122_3344);
    wave.set_s64(126, 1);
    for (access, half, want) in [
        (Access::U8, Half::Whole, [0x44, 0xff, 0x7f]),
        (Access::U8, Half::High, [0x22, 0xff, 0x7f]),
        (Access::U16, Half::Whole, [0x44, 0x33, 0x7f]),
        (Access::U16, Half::High, [0x22, 0x11, 0x7f]),
    ] {
        registry.write(base, &[0x80, 0xff, 0x7f, 0x12]).unwrap();
        let op = MemOp {
            half,
            ..store(global(), access, DataReg::V(4))
        };
        run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
        assert_eq!(bytes_of(&registry, base, 3), want);
    }
}

#[test]
fn a_scalar_base_is_added_to_an_unsigned_index() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let space = Where::Global {
        address: V,
        index: Some(V),
    };
    let op = MemOp {
        offset: 8,
        ..load(space, Access::Dwords(1), DataReg::V(2))
    };
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    wave.set_s64(10, base);
    for lane in 0..64 {
        wave.vgpr_mut(0)[lane] = 12 * lane as u32;
    }
    let scalar = Source::Uniform(s(10));
    run(&mut wave, &mut unit, &op, &[scalar, v(0)]).unwrap();
    for lane in 0..64 {
        assert_eq!(wave.vgpr(2)[lane], dword(&bytes, 8 + 12 * lane));
    }
    // 0xffff_fffc is not -4.
    wave.vgpr_mut(0)[5] = 0xffff_fffc;
    let fault = run(&mut wave, &mut unit, &op, &[scalar, v(0)]).unwrap_err();
    assert_eq!(fault.lane, Some(5));
    assert_eq!(fault.address, base + 8 + 0xffff_fffc);
    // An index beside addresses in registers.
    set_addresses(&mut wave, 6, |l| base + l as u64);
    wave.vgpr_mut(0).fill(100);
    run(&mut wave, &mut unit, &op, &[v(6), v(0)]).unwrap();
    assert_eq!(wave.vgpr(2)[3], dword(&bytes, 111));
}

#[test]
fn the_last_byte_is_inside_and_the_next_is_not() {
    let registry = Registry::new();
    let a = registry.allocate("small", 10, 1).unwrap();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    let dwords = load(global(), Access::Dwords(1), DataReg::V(4));
    let short = load(global(), Access::U16, DataReg::V(4));
    wave.vgpr_mut(4).fill(77);
    let mut at = |address: u64, op: &MemOp| {
        set_addresses(&mut wave, 0, |_| a.address);
        wave.vgpr_mut(0)[9] = address as u32;
        wave.vgpr_mut(1)[9] = (address >> 32) as u32;
        let result = run(&mut wave, &mut unit, op, &[v(0)]);
        if result.is_err() {
            // Nothing was loaded, not even in the lanes before.
            assert_eq!(wave.vgpr(4), &[77; 64]);
        } else {
            wave.vgpr_mut(4).fill(77);
        }
        result
    };
    at(a.address + 6, &dwords).unwrap();
    at(a.address + 8, &short).unwrap();
    let fault = at(a.address + 8, &dwords).unwrap_err();
    assert_eq!(fault.lane, Some(9));
    assert_eq!((fault.address, fault.bytes), (a.address + 8, 4));
    assert_eq!(fault.reason, MemoryFaultReason::Unmapped);
    assert_eq!(fault.nearest, Some(("small".into(), a.address, 10)));
    for outside in [
        a.address - 1,
        a.address + 10,
        0,
        u64::MAX,
        u64::MAX - 1,
        1 << 63,
    ] {
        assert_eq!(at(outside, &short).unwrap_err().address, outside);
    }
}

#[test]
fn a_denied_store_writes_nothing() {
    let registry = Registry::new();
    let a = registry.allocate("a", 256, 1).unwrap();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    wave.vgpr_mut(4).fill(!0);
    set_addresses(&mut wave, 0, |l| a.address + 4 * l as u64 + 1);
    let op = store(global(), Access::Dwords(1), DataReg::V(4));
    let fault = run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
    assert_eq!(fault.lane, Some(63));
    assert_eq!(bytes_of(&registry, a.address, 256), [0; 256]);
    // Lanes that are off are not looked at.
    wave.set_s64(126, !0 >> 1);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    registry.protect(a.address, Rights::Read).unwrap();
    let fault = run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
    assert_eq!(fault.reason, MemoryFaultReason::ReadOnly);
    let op = load(global(), Access::Dwords(1), DataReg::V(4));
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
}

#[test]
fn lanes_may_use_several_allocations() {
    let registry = Registry::new();
    let all: Vec<_> = (0..64u8)
        .map(|n| {
            let a = registry.allocate("one of many", 4, 1).unwrap().address;
            registry.write(a, &[n, 1, 2, 3]).unwrap();
            a
        })
        .collect();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    set_addresses(&mut wave, 0, |l| all[l]);
    let op = load(global(), Access::Dwords(1), DataReg::V(2));
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    for lane in 0..64 {
        assert_eq!(wave.vgpr(2)[lane], 0x0302_0100 | lane as u32);
    }
    // Between them there is unallocated room.
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|w| w[1] - w[0] > 4096));
}

#[test]
fn use_after_free_is_caught() {
    let registry = Registry::new();
    let a = registry.allocate("gone", 256, 1).unwrap();
    registry.allocate("other", 256, 1).unwrap();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    set_addresses(&mut wave, 0, |l| a.address + 4 * l as u64);
    let op = load(global(), Access::Dwords(1), DataReg::V(2));
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    registry.free(a.address).unwrap();
    let fault = run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
    assert_eq!(fault.lane, Some(0));
    assert_eq!(fault.reason, MemoryFaultReason::Freed);
    assert_eq!(fault.nearest.unwrap().1, a.address);
    assert!(registry.free(a.address).is_err());
}

#[test]
fn host_memory_can_be_registered() {
    let registry = Registry::new();
    let mut host = [7u32; 64];
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    let pointer = host.as_mut_ptr().cast::<u8>();
    // SAFETY: the array outlives its registration.
    let known = unsafe { registry.register("host", pointer, 256, Rights::ReadWrite) }.unwrap();
    set_addresses(&mut wave, 0, |l| pointer as u64 + 4 * l as u64);
    wave.vgpr_mut(4)[11] = 1;
    let op = store(global(), Access::Dwords(1), DataReg::V(4));
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    let gone = registry.unregister(known).unwrap();
    assert_eq!((gone.address, gone.bytes), (pointer as u64, 256));
    assert_eq!((host[10], host[11], host[12]), (0, 1, 0));
    assert!(run(&mut wave, &mut unit, &op, &[v(0)]).is_err());
}

#[test]
fn scalar_loads_ignore_low_bits_and_stop_at_the_file() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let space = Where::Scalar {
        address: V,
        index: Some(V),
    };
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    let op = MemOp {
        offset: -3,
        ..load(space, Access::Dwords(16), DataReg::S(8))
    };
    let sources = [Source::Const(base + 64), Source::Uniform(s(4))];
    wave.uniform_mut().s[4] = 10;
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    for n in 0..16 {
        assert_eq!(wave.uniform().s[8 + n], dword(&bytes, (71 & !3) + 4 * n));
    }
    let mut high = op.clone();
    high.ret = Some(DataReg::S(120));
    let hw = wave.uniform().hw;
    run(&mut wave, &mut unit, &high, &sources).unwrap();
    assert_eq!(wave.uniform().s[127], dword(&bytes, 68 + 28));
    assert_eq!(wave.uniform().hw, hw);
    wave.uniform_mut().s[4] = 4096 - 64;
    let fault = run(&mut wave, &mut unit, &op, &sources).unwrap_err();
    assert_eq!((fault.lane, fault.bytes), (None, 64));
}

#[test]
fn atomics_of_many_threads_add_up() {
    let registry = Registry::new();
    let a = registry.allocate("counters", 512, 1).unwrap().address;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut wave = Wave::new(0);
                let mut unit = MemoryUnit::new(&registry);
                for _ in 0..50 {
                    set_addresses(&mut wave, 0, |l| a + 8 * (l as u64 % 2));
                    wave.vgpr_mut(2).fill(1);
                    wave.vgpr_mut(3).fill(1);
                    let add = atomic(global(), Rmw::Add, 2, 2, 6);
                    run(&mut wave, &mut unit, &add, &[v(0)]).unwrap();
                    set_addresses(&mut wave, 0, |_| a + 64);
                    wave.vgpr_mut(2).fill(1.0f32.to_bits());
                    let add = atomic(global(), Rmw::FAdd, 1, 2, 6);
                    run(&mut wave, &mut unit, &add, &[v(0)]).unwrap();
                }
            });
        }
    });
    let bytes = bytes_of(&registry, a, 68);
    let sum = 4 * 50 * 32;
    for at in [0, 4, 8, 12] {
        assert_eq!(dword(&bytes, at), sum);
    }
    assert_eq!(f32::from_bits(dword(&bytes, 64)), 2.0 * sum as f32);
}

#[test]
fn compare_and_swap_takes_its_comparand_from_the_next_register() {
    let registry = Registry::new();
    let a = registry.allocate("a", 64, 1).unwrap().address;
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    set_addresses(&mut wave, 0, |_| a);
    // src in v2, cmp in v3: lane 0 changes 0 to 5, lane 1 5 to 6, the rest 5.
    wave.vgpr_mut(2).fill(5);
    wave.vgpr_mut(2)[1] = 6;
    wave.vgpr_mut(3)[1..].fill(5);
    let op = atomic(global(), Rmw::CmpSwap, 1, 2, 4);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    assert_eq!(wave.vgpr(4)[..4], [0, 5, 6, 6]);
    assert_eq!(bytes_of(&registry, a, 4), [6, 0, 0, 0]);
    // 64 bits: src in v2:3, cmp in v4:5.
    registry.write(a, &[1, 0, 0, 0, 2, 0, 0, 0]).unwrap();
    wave.vgpr_mut(4).fill(1);
    wave.vgpr_mut(5).fill(2);
    wave.set_s64(126, 1);
    let op = atomic(global(), Rmw::CmpSwap, 2, 2, 6);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    assert_eq!((wave.vgpr(6)[0], wave.vgpr(7)[0]), (1, 2));
    assert_eq!(bytes_of(&registry, a, 8), [5, 0, 0, 0, 0, 0, 0, 0]);
    set_addresses(&mut wave, 0, |_| a + 4);
    let fault = run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
    assert_eq!(fault.reason, MemoryFaultReason::Misaligned { align: 8 });
}

#[test]
fn results_that_do_not_fit_the_file_are_not_made() {
    let registry = Registry::new();
    let a = registry.allocate("a", 64, 1).unwrap().address;
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    set_addresses(&mut wave, 0, |_| a);
    let op = atomic(global(), Rmw::Add, 2, 2, 255);
    wave.vgpr_mut(2).fill(1);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    assert_eq!(wave.vgpr(255), &[0; 64]);
    assert_eq!(bytes_of(&registry, a, 4), [0; 4]);
}
