//! Memory operations, driven on a wave. Expectations come from the manual's
//! pseudo-code, written out lane by lane.

use wavetank_ir::{
    Access, Counter, DataReg, Elements, Half, MemKind, MemOp, Rmw, Space as Where, Value,
};

use super::super::drive::{Avx2, Avx512, Baseline};
use super::super::step::{MemStep, Source};
use super::*;
use crate::fault::{MemoryFault, MemoryFaultReason};
use crate::gcn::{PRIVATE_BASE, SHARED_BASE};
use crate::memory::{Alignment, Lds, MemoryUnit, Registry, Rights};
use crate::wave::{Uniform, VECTOR_BYTES, Wave};

const V: Value = Value(0);

/// A place in the uniform file for masks and addresses.
fn s(n: usize) -> u32 {
    (std::mem::offset_of!(Uniform, s) + 4 * n) as u32
}

fn v(n: u32) -> Source {
    Source::Vector(n * VECTOR_BYTES as u32)
}

fn global() -> Where {
    Where::Global {
        address: V,
        index: None,
    }
}

fn load(space: Where, access: Access, to: DataReg) -> MemOp {
    MemOp {
        kind: MemKind::Load,
        space,
        offset: 0,
        access,
        half: Half::Whole,
        data: None,
        data2: None,
        ret: Some(to),
        mask: Some(V),
        glc: false,
        slc: false,
        counter: Counter::Vm,
    }
}

fn store(space: Where, access: Access, from: DataReg) -> MemOp {
    MemOp {
        kind: MemKind::Store,
        data: Some(from),
        ret: None,
        ..load(space, access, from)
    }
}

fn atomic(space: Where, rmw: Rmw, dwords: u8, data: u16, to: u16) -> MemOp {
    MemOp {
        kind: MemKind::Atomic(rmw),
        data: Some(DataReg::V(data)),
        ..load(space, Access::Dwords(dwords), DataReg::V(to))
    }
}

/// The feature levels of this processor.
fn levels(op: &MemOp) -> Vec<StepFn> {
    let mut out = vec![mem_step::<Baseline>(op)];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            out.push(mem_step::<Avx2>(op));
        }
        if is_x86_feature_detected!("avx512vbmi") {
            out.push(mem_step::<Avx512>(op));
        }
    }
    out
}

/// Runs an operation at one level, with EXEC as its mask.
fn run_step(
    wave: &mut Wave,
    unit: &mut MemoryUnit<'_>,
    op: &MemOp,
    sources: &[Source],
    f: StepFn,
) -> Result<(), MemoryFault> {
    let mut all = [Source::None; 4];
    all[..sources.len()].copy_from_slice(sources);
    let mem = MemStep {
        op: op.clone(),
        pc: 0x1234,
        cache: 7,
        sources: all,
        mask: s(126),
    };
    let step = Step {
        run: f,
        dst: 0,
        dst2: 0,
        src: [0; 3],
        mask: 0,
        imm: [(&raw const mem).expose_provenance() as u64, 0, 0],
        flags: 0,
    };
    let (uniform, vector) = wave.raw();
    let mut ctx = Ctx {
        uniform,
        vector: vector.cast(),
        memory: unit,
        stop: None,
    };
    // SAFETY: the wave and the memory step are alive; the level was detected.
    match unsafe { f(&mut ctx, &step) } {
        Next::Step => Ok(()),
        _ => match ctx.stop {
            Some(Stop::Fault(Fault::Memory(f))) => {
                assert_eq!(wave.uniform().pc, 0x1234);
                Err(*f)
            }
            other => panic!("{other:?}"),
        },
    }
}

/// Runs an operation at the best level.
fn run(
    wave: &mut Wave,
    unit: &mut MemoryUnit<'_>,
    op: &MemOp,
    sources: &[Source],
) -> Result<(), MemoryFault> {
    let f = *levels(op).last().expect("there is a baseline");
    run_step(wave, unit, op, sources, f)
}

fn set_addresses(wave: &mut Wave, reg: usize, f: impl Fn(usize) -> u64) {
    for lane in 0..64 {
        wave.vgpr_mut(reg)[lane] = f(lane) as u32;
        wave.vgpr_mut(reg + 1)[lane] = (f(lane) >> 32) as u32;
    }
}

fn bytes_of(registry: &Registry, address: u64, n: usize) -> Vec<u8> {
    let mut out = vec![0; n];
    registry.read(address, &mut out).unwrap();
    out
}

fn dword(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// A buffer of 4 KiB whose bytes all differ from their neighbours.
fn filled(registry: &Registry) -> (u64, Vec<u8>) {
    let a = registry.allocate("buffer", 4096, 4096).unwrap().address;
    let bytes: Vec<u8> = (0..4096u32).map(|i| (i * 37 + i / 256) as u8).collect();
    registry.write(a, &bytes).unwrap();
    (a, bytes)
}

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
    // Between them there is room that belongs to nobody.
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|w| w[1] - w[0] > 4096));
}

#[test]
fn use_after_free_is_caught() {
    let registry = Registry::new();
    let a = registry.allocate("gone", 256, 1).unwrap();
    let other = registry.allocate("other", 256, 1).unwrap();
    let mut wave = Wave::new(0);
    let mut unit = MemoryUnit::new(&registry);
    set_addresses(&mut wave, 0, |l| a.address + 4 * l as u64);
    let op = load(global(), Access::Dwords(1), DataReg::V(2));
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    registry.free(a.address).unwrap();
    let fault = run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
    assert_eq!(fault.lane, Some(0));
    assert_eq!(fault.nearest.unwrap().1, other.address);
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
fn scalar_buffers_clamp_each_dword() {
    let registry = Registry::new();
    let (base, bytes) = filled(&registry);
    let space = Where::ScalarBuffer {
        resource: 20,
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

fn local() -> Where {
    Where::Lds { address: V }
}

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
        unit.lds().clear();
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
fn accesses_beyond_the_lds_are_told() {
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
    let flat = load(Where::Flat { address: V }, Access::Dwords(1), DataReg::V(4));
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
    unit.set_strict_lds(true);
    unit.set_lds(Lds::new(64));
    let mut wave = Wave::new(0);
    wave.vgpr_mut(1).fill(!0);
    let reason = |offset| MemoryFaultReason::OutsideLds {
        offset,
        lds_bytes: 64,
    };
    // Nothing is written, not even by the lanes that stay inside, or elsewhere.
    let flat = store(Where::Flat { address: V }, Access::Dwords(1), DataReg::V(1));
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
            },
            Rmw::Add,
            1,
            1,
            2,
        ),
    ] {
        let at = |offset| [Source::Const(offset), Source::Const(offset)];
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
    // ds_append: the result register holds the operand, one lane is active.
    wave.set_s64(126, 1 << 40);
    wave.vgpr_mut(2).fill(64);
    let op = atomic(local(), Rmw::Add, 1, 2, 2);
    run(&mut wave, &mut unit, &op, &[Source::Const(16)]).unwrap();
    assert_eq!((wave.vgpr(2)[40], wave.vgpr(2)[41]), (192, 64));
    assert_eq!(unit.lds().dwords()[4], 256);
}

/// Scratch of 16 dwords a lane.
fn with_scratch<'m>(registry: &'m Registry) -> (MemoryUnit<'m>, u64) {
    let a = registry.allocate("scratch", 64 * 64, 256).unwrap();
    let mut unit = MemoryUnit::new(registry);
    unit.set_scratch(a.address, 64);
    unit.set_lds(Lds::new(1024));
    (unit, a.address)
}

/// What is said of an offset above the scratch of 64 bytes.
fn overflow(offset: u32) -> MemoryFaultReason {
    MemoryFaultReason::StackOverflow {
        offset,
        stack_bytes: 64,
    }
}

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
    let op = load(Where::Flat { address: V }, Access::Dwords(1), DataReg::V(0));
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
    let op = store(Where::Flat { address: V }, Access::Dwords(1), DataReg::V(8));
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

fn buffer(index: bool, offset: bool, format: bool) -> Where {
    Where::Buffer {
        resource: 8,
        index: index.then_some(V),
        offset: offset.then_some(V),
        soffset: V,
        format: if format {
            Elements::Resource
        } else {
            Elements::Plain
        },
    }
}

/// Sets s[8:11] to a descriptor; word 3 with data format 32 and select xyzw.
fn bind(wave: &mut Wave, base: u64, stride: u32, records: u32, word1: u32, word3: u32) {
    const XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    let word1 = word1 | stride << 16;
    wave.set_s64(8, base | u64::from(word1) << 32);
    wave.set_s64(10, u64::from(records) | u64::from(word3 | XYZW) << 32);
}

const FORMAT_32: u32 = 4 << 15;

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
    // In range of the descriptor, but nobody's memory.
    bind(&mut wave, base, 0, u32::MAX, 0, FORMAT_32);
    wave.vgpr_mut(0)[3] = 0x10_0000;
    let fault = run(&mut wave, &mut unit, &op, &sources).unwrap_err();
    assert_eq!(fault.lane, Some(3));
    // Unbound: a data format of 0, and all zeros.
    bind(&mut wave, base, 0, u32::MAX, 0, 0);
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    assert_eq!(bytes_of(&registry, base, 4096), after);
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
        data: load.ret,
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
        let told = result.err().map(|f| (f.reason, f.lane, f.address));
        assert_eq!(
            told,
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

/// 8.1 "Swizzled Buffer Addressing": it "requires Dword-aligned accesses".
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
    run(&mut wave, &mut unit, &op, &sources).unwrap();
    for lane in 0..64 {
        // Element 1 of the record: its neighbours are other lanes'.
        let at = (lane / 16 * 16 + 4) * 16 + lane % 16 * 4;
        assert_eq!(wave.vgpr(4)[lane], dword(&bytes, at));
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
        let op = load(Where::Flat { address: V }, Access::Dwords(1), DataReg::V(8));
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
    // Nobody else's memory was touched.
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
