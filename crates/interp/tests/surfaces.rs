//! Elements of surfaces, changed by a warp of 32, against a plain reference: one
//! lane after the other, on rows of bytes by coordinate, with numbers computed
//! wide and floats by a soft-float library. The rules are those of the tables of
//! SUATOM (operations, coordinates, clamps) and TYPED_ATOMIC.

use std::sync::Arc;

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single};
use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::{
    Access, Builder, Counter, DataReg, Dimensions, Family, MemKind, MemOp, Outside, Reg, Rmw,
    Space, SurfaceAtomic, Terminator, Value, verify,
};
use wavetank_machine::{Backend, Fault, Leave};
use wavetank_memory::{
    Element, Layout, MemoryFaultReason, MemoryUnit, Registry, Surface, SurfaceFault, Surfaces, Wave,
};

use crate::world::Random;

/// Registers: coordinates, level, two operands, the result, absence, the number of the surface.
const AT: u16 = 0;
const LEVEL: u16 = 3;
const DATA: [u16; 2] = [4, 6];
const RESULT: u16 = 8;
const ABSENT: u16 = 10;
const NUMBER: u16 = 11;
/// The pair of uniform registers with the mask of absent places.
const ABSENT_MASK: u8 = 4;
/// The number of the surface in the table.
const SURFACE: u32 = 6;
const LANES: usize = 32;
/// What registers hold where nothing is written.
const OLD: u32 = 0x5555_5555;

/// One kind of access.
#[derive(Clone, Copy, Debug)]
struct How {
    rmw: Rmw,
    bytes: u32,
    in_bytes: bool,
    outside: Outside,
    after: bool,
    level: bool,
}

/// The block of one access, then the end.
fn block(how: How, dimensions: Dimensions, absent: DataReg) -> wavetank_ir::Block {
    let b = Builder::new(0);
    b.inst(0, Family::Vmem);
    let read = &|n: u16| b.read(Reg::V(n));
    let dwords = how.bytes.div_ceil(4) as u16;
    let operands = if how.rmw.needs_two() { 2 } else { 1 };
    let data: Vec<Value> = DATA[..operands]
        .iter()
        .flat_map(|first| (0..dwords).map(move |n| read(first + n)))
        .collect();
    let element = SurfaceAtomic {
        level: how.level.then(|| read(LEVEL)),
        dimensions: Some(dimensions),
        bytes: how.in_bytes,
        outside: how.outside,
        after: how.after,
        absent: Some(absent),
        ..SurfaceAtomic::new(
            read(NUMBER),
            (0..dimensions.coordinates() as u16)
                .map(|n| read(AT + n))
                .collect(),
        )
    };
    let mask = b.read(Reg::EXEC);
    b.mem(MemOp {
        kind: MemKind::Atomic(how.rmw),
        space: Space::Surface(element),
        access: match how.bytes {
            2 => Access::U16,
            n => Access::Dwords(n as u8 / 4),
        },
        counter: Counter::Vm,
        offset: 0,
        half: wavetank_ir::Half::Whole,
        data,
        ret: Some(DataReg::V(RESULT)),
        mask: Some(mask),
        glc: true,
        slc: false,
        shadow: false,
    });
    b.inst(8, Family::Other);
    b.end(Terminator::EndProgram);
    let block = b.finish();
    verify(&block).unwrap_or_else(|errors| panic!("{errors:?}"));
    block
}

/// Runs a block on each engine, each with memory and a wave of its own.
fn run_all(
    block: &wavetank_ir::Block,
    surface: &Surface,
    bytes: &[u8],
    wave: impl Fn() -> Wave,
) -> Vec<(Leave, Wave, Vec<u8>)> {
    let here = block.clone();
    let source = Arc::new(move |_: u64, _: usize| here.clone());
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    let plain = PlainProgram::of(source.clone(), false);
    let program = Program::of(source.clone(), how);
    let instrumented = Program::of(
        source,
        Translation {
            instrumented: true,
            ..how
        },
    );
    let run = |backend: &mut dyn Backend| {
        let registry = Registry::new();
        let made = registry.allocate("surface", surface.bytes().max(bytes.len() as u64), 512);
        let address = made.unwrap().address;
        registry.write(address, bytes).unwrap();
        let mut surfaces = Surfaces::new();
        let here = Surface {
            address,
            ..surface.clone()
        };
        surfaces.bind(SURFACE, here).unwrap();
        surfaces.set_maximum(Some(100));
        let mut unit = MemoryUnit::new(&registry);
        unit.set_surfaces(Arc::new(surfaces));
        let mut wave = wave();
        wave.uniform_mut().budget = 10;
        let leave = backend.run(&mut wave, &mut unit);
        let mut after = vec![0; bytes.len()];
        registry.read(address, &mut after).unwrap();
        (leave, wave, after)
    };
    vec![
        run(&mut Plain::new(&plain)),
        run(&mut Interpreter::new(&program)),
        run(&mut Interpreter::new(&instrumented)),
    ]
}

/// The new value, by the tables: `a` is the operand, `b` the second one (of compare and swap what is compared with).
fn changed(rmw: Rmw, bits: u32, old: u64, a: u64, b: u64) -> u64 {
    let ones = u64::MAX >> (64 - bits);
    let signed = |v: u64| i128::from((v << (64 - bits)) as i64 >> (64 - bits));
    let unsigned = |v: u64| i128::from(v);
    let limit = 1i128 << (bits - 1);
    let pick = |least: bool, by: &dyn Fn(u64) -> i128| {
        let second_less = by(a) < by(old);
        if by(a) == by(old) || second_less != least {
            old
        } else {
            a
        }
    };
    let new = match rmw {
        Rmw::Swap => a,
        Rmw::CmpSwap => {
            if old == b {
                a
            } else {
                old
            }
        }
        Rmw::Add => (unsigned(old) + unsigned(a)) as u64,
        Rmw::Sub => (unsigned(old) - unsigned(a)) as u64,
        Rmw::AddSatS => (signed(old) + signed(a)).clamp(-limit, limit - 1) as u64,
        Rmw::MinS => pick(true, &signed),
        Rmw::MaxS => pick(false, &signed),
        Rmw::MinU => pick(true, &unsigned),
        Rmw::MaxU => pick(false, &unsigned),
        Rmw::And => old & a,
        Rmw::Or => old | a,
        Rmw::Xor => old ^ a,
        Rmw::Inc => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        Rmw::Dec => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
        Rmw::PkFAddFlush | Rmw::PkFMinFlush | Rmw::PkFMaxFlush => {
            return (0..bits / 16).fold(0, |all, n| {
                let half = |v: u64| v >> (16 * n) & 0xffff;
                all | packed(rmw, half(old), half(a)) << (16 * n)
            });
        }
        _ => match bits {
            16 => floats::<Half>(rmw, bits, old, a, b),
            32 => floats::<Single>(rmw, bits, old, a, b),
            _ => floats::<Double>(rmw, bits, old, a, b),
        },
    };
    new & ones
}

fn flushed<F: Float>(x: F) -> F {
    match x.is_denormal() {
        true if x.is_negative() => -F::ZERO,
        true => F::ZERO,
        false => x,
    }
}

/// Of two numbers the smaller or the larger, -0 before +0; of a number and a NaN the number.
fn number<F: Float>(least: bool, x: F, y: F) -> Option<F> {
    match (x.is_nan(), y.is_nan()) {
        (true, true) => None,
        (true, false) => Some(y),
        (false, true) => Some(x),
        _ if x.is_zero() && y.is_zero() => Some(if x.is_negative() == least { x } else { y }),
        _ => Some(if (x < y) == least { x } else { y }),
    }
}

fn packed(rmw: Rmw, old: u64, a: u64) -> u64 {
    let [x, y] = [old, a].map(|h| flushed(Half::from_bits(h.into())));
    let result = match rmw {
        Rmw::PkFAddFlush => Some((x + y).value).filter(|sum| !sum.is_nan()).map(flushed),
        _ => number(rmw == Rmw::PkFMinFlush, x, y),
    };
    result.map_or(0x7fff, |r| r.to_bits() as u64)
}

fn floats<F: Float>(rmw: Rmw, bits: u32, old: u64, a: u64, b: u64) -> u64 {
    let [x, y, z] = [old, a, b].map(|v| F::from_bits(v.into()));
    let sign = 1u64 << (bits - 1);
    let quiet = (F::qnan(None).to_bits() ^ F::INFINITY.to_bits()) as u64 & !sign;
    match rmw {
        Rmw::FAdd if x.is_nan() => old | quiet,
        Rmw::FAdd if y.is_nan() => a | quiet,
        Rmw::FAdd => {
            let sum = (x + y).value;
            if sum.is_nan() {
                sign | F::INFINITY.to_bits() as u64 | quiet
            } else {
                sum.to_bits() as u64
            }
        }
        Rmw::FAddFlush => {
            let sum = (flushed(x) + flushed(y)).value;
            if sum.is_nan() {
                sign - 1
            } else {
                flushed(sum).to_bits() as u64
            }
        }
        Rmw::FMinNum | Rmw::FMaxNum => {
            let chosen = number(rmw == Rmw::FMinNum, x, y);
            chosen.map_or(old | quiet, |c| c.to_bits() as u64)
        }
        Rmw::FCmpSwap => {
            if x == z {
                a
            } else {
                old
            }
        }
        other => panic!("{other:?} is not in the tables"),
    }
}

/// A surface as rows of bytes.
struct Rows {
    surface: Surface,
    bytes: Vec<u8>,
}

impl Rows {
    /// Where a lane goes: a place in the bytes, nothing, or a stop. Written from "Ra" and ".clamp" of SUATOM.
    fn place(&self, how: How, at: [u32; 3], level: u32) -> Result<Option<usize>, ()> {
        let s = &self.surface;
        let out = |()| match how.outside {
            Outside::Stop => Err(()),
            _ => Ok(None),
        };
        let near = how.outside == Outside::Nearest;
        // As a number of the coordinate's type, and the nearest below a count.
        let fit = |c: u32, count: i64| -> Option<i64> {
            let c = if near {
                i64::from(c as i32)
            } else {
                i64::from(c)
            };
            if near && count > 0 {
                return Some(c.max(0).min(count - 1));
            }
            (c < count).then_some(c)
        };
        let Some(level) = fit(level, s.levels.into()) else {
            return out(());
        };
        let [w, h, d] = s.size.map(|n| i64::from(n >> level).max(1));
        let sides: [i64; 2] = match s.dimensions {
            Dimensions::D1 | Dimensions::Buffer => [1, 1],
            Dimensions::D1Array => [s.size[1].into(), 1],
            Dimensions::D2 => [h, 1],
            Dimensions::D2Array => [h, s.size[2].into()],
            Dimensions::D3 => [h, d],
        };
        let (row, wide) = (w * i64::from(s.element.bytes()), i64::from(how.bytes));
        let unit = if how.in_bytes { 1 } else { wide };
        // The last x whose bytes all lie in the row.
        let xs = if row < wide {
            0
        } else {
            (row - wide) / unit + 1
        };
        match (fit(at[0], xs), fit(at[1], sides[0]), fit(at[2], sides[1])) {
            (Some(x), Some(y), Some(z)) => {
                let (layer, y, z) = match s.dimensions {
                    Dimensions::D1Array => (y, 0, 0),
                    Dimensions::D2Array => (z, y, 0),
                    _ => (0, y, z),
                };
                let at = [x * unit, y, z].map(|n| n as u64);
                Ok(Some(s.offset(at, layer as u32, level as u32) as usize))
            }
            _ => out(()),
        }
    }

    fn read(&self, at: usize, bytes: usize) -> u64 {
        let mut all = [0; 8];
        all[..bytes].copy_from_slice(&self.bytes[at..at + bytes]);
        u64::from_le_bytes(all)
    }

    fn write(&mut self, at: usize, bytes: usize, value: u64) {
        self.bytes[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

/// What lanes hold, by register.
struct Lanes {
    at: [[u32; 3]; LANES],
    level: [u32; LANES],
    data: [[u64; 2]; LANES],
    number: [u32; LANES],
    on: u64,
}

impl Lanes {
    fn wave(&self) -> Wave {
        let mut wave = Wave::new(0);
        wave.set_s64(126, self.on);
        wave.set_s64(ABSENT_MASK, !0);
        for lane in 0..LANES {
            for n in 0..3 {
                wave.vgpr_mut(AT as usize + n)[lane] = self.at[lane][n];
            }
            wave.vgpr_mut(LEVEL.into())[lane] = self.level[lane];
            wave.vgpr_mut(NUMBER.into())[lane] = self.number[lane];
            for (n, first) in DATA.into_iter().enumerate() {
                wave.vgpr_mut(first.into())[lane] = self.data[lane][n] as u32;
                wave.vgpr_mut(usize::from(first) + 1)[lane] = (self.data[lane][n] >> 32) as u32;
            }
            for n in 0..3 {
                wave.vgpr_mut(usize::from(RESULT) + n)[lane] = OLD;
            }
        }
        wave
    }
}

/// Whether a byte has no memory.
fn lacks(surface: &Surface, byte: usize) -> bool {
    let mut absent = surface.absent.iter();
    absent.any(|range| range.contains(&(byte as u64)))
}

/// Runs one access by a warp, and the reference.
fn check(how: How, surface: &Surface, lanes: &Lanes, bytes: &[u8], in_mask: bool) {
    let absent = if in_mask {
        DataReg::S(ABSENT_MASK)
    } else {
        DataReg::V(ABSENT)
    };
    let block = block(how, surface.dimensions, absent);
    let mut rows = Rows {
        surface: surface.clone(),
        bytes: bytes.to_vec(),
    };
    let wide = how.bytes as usize;
    let (mut results, mut missing, mut stopped) = ([0; LANES], 0u64, None);
    // Rows and levels need not begin at multiples of what is accessed.
    let mut misaligned = None;
    for lane in (0..LANES).filter(|l| lanes.on >> l & 1 != 0) {
        // Numbers above the greatest one that is valid.
        if lanes.number[lane] > 100 {
            continue;
        }
        match rows.place(how, lanes.at[lane], lanes.level[lane]) {
            Err(()) => stopped = stopped.or(Some(lane)),
            Ok(None) => {}
            Ok(Some(at)) if (at..at + wide).any(|byte| lacks(surface, byte)) => {
                missing |= 1 << lane;
            }
            Ok(Some(at)) if !at.is_multiple_of(wide) => {
                misaligned = misaligned.or(Some(lane));
            }
            Ok(Some(at)) => {
                let ones = u64::MAX >> (64 - 8 * how.bytes);
                let [a, b] = lanes.data[lane].map(|v| v & ones);
                let old = rows.read(at, wide);
                let new = changed(how.rmw, 8 * how.bytes, old, a, b);
                rows.write(at, wide, new);
                results[lane] = if how.after { new } else { old };
            }
        }
    }
    for (leave, wave, after) in run_all(&block, surface, bytes, || lanes.wave()) {
        if let (None, Some(lane)) = (stopped, misaligned) {
            let Some(Fault::Memory(fault)) = leave.fault() else {
                panic!("{how:?} of {surface:?}: {leave:?}")
            };
            let reason = MemoryFaultReason::Misaligned { align: how.bytes };
            assert_eq!((fault.lane, fault.reason), (Some(lane as u8), reason));
            assert!(after == bytes, "{how:?}: a stop changed memory");
            continue;
        }
        if let Some(lane) = stopped {
            let Some(Fault::Memory(fault)) = leave.fault() else {
                panic!("{how:?} of {surface:?}: {leave:?}")
            };
            assert_eq!(fault.lane, Some(lane as u8), "{how:?}");
            let MemoryFaultReason::Surface(SurfaceFault::Outside { number, at, .. }) = fault.reason
            else {
                panic!("{fault:?}")
            };
            assert_eq!(number, SURFACE);
            let n = surface.dimensions.coordinates();
            assert_eq!(at[..n], lanes.at[lane][..n]);
            assert!(after == bytes, "{how:?}: a stop changed memory");
            assert_eq!(wave.vgpr(RESULT.into())[..LANES], [OLD; LANES]);
            continue;
        }
        assert!(
            matches!(leave, Leave::End(_)),
            "{how:?} of {surface:?}: {leave:?}"
        );
        assert!(after == rows.bytes, "{how:?} of {surface:?}: memory");
        for (lane, result) in results.iter().enumerate() {
            let on = lanes.on >> lane & 1 != 0;
            let got = |n: usize| wave.vgpr(usize::from(RESULT) + n)[lane];
            let want = |half: u32| {
                if on {
                    (result >> (32 * half)) as u32
                } else {
                    OLD
                }
            };
            assert_eq!(got(0), want(0), "{how:?} of {surface:?}, lane {lane}");
            if how.bytes == 8 {
                assert_eq!(got(1), want(1), "{how:?} of {surface:?}, lane {lane}");
            }
            if !in_mask {
                let want = if on {
                    (missing >> lane) as u32 & 1
                } else {
                    OLD
                };
                assert_eq!(
                    wave.vgpr(ABSENT.into())[lane],
                    want,
                    "absence in lane {lane}"
                );
            }
        }
        if in_mask {
            assert_eq!(wave.s64(ABSENT_MASK), !lanes.on | missing);
        }
    }
}

const DIMENSIONS: [Dimensions; 6] = [
    Dimensions::D1,
    Dimensions::Buffer,
    Dimensions::D1Array,
    Dimensions::D2,
    Dimensions::D2Array,
    Dimensions::D3,
];

const LAYOUTS: [Layout; 3] = [
    Layout::Pitch(0),
    Layout::Pitch(96),
    Layout::Blocks {
        height: 2,
        depth: 2,
    },
];

/// Every operation with the widths that some instruction has it with.
fn operations() -> Vec<(Rmw, u32)> {
    use Rmw::*;
    let integers = [
        Swap, CmpSwap, Add, Sub, AddSatS, MinS, MaxS, MinU, MaxU, And, Or, Xor, Inc, Dec,
    ];
    let floats = [FAdd, FAddFlush, FMinNum, FMaxNum, FCmpSwap];
    let mut all: Vec<(Rmw, u32)> = Vec::new();
    for bytes in [2, 4, 8] {
        all.extend(integers.into_iter().chain(floats).map(|rmw| (rmw, bytes)));
    }
    all.extend([PkFAddFlush, PkFMinFlush, PkFMaxFlush].map(|rmw| (rmw, 4)));
    all
}

/// Values at which numbers of a width turn: of integers and floats.
fn corners(bytes: u32) -> Vec<u64> {
    let floats: &[u64] = match bytes {
        2 => &[
            0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01, 0x03ff, 0x0400, 0x8001,
        ],
        4 => &[
            0x3f80_0000,
            0xbf80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7f80_0001,
            0x7fc0_0000,
            0xffc0_0001,
            0x007f_ffff,
            0x0080_0000,
            0x8000_0001,
            0x3c00_bc00,
            0x7c00_fc00,
            0x7c01_03ff,
            0x8001_7bff,
            0x0400_7e00,
        ],
        _ => &[
            0x3ff0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0xfff8_0000_0000_0001,
            0x000f_ffff_ffff_ffff,
            0x8000_0000_0000_0001,
        ],
    };
    let top = 1u64 << (8 * bytes - 1);
    let ones = top | (top - 1);
    let mut all = vec![0, 1, 2, ones, ones - 1, top, top - 1, top + 1];
    all.extend(floats);
    all
}

/// All pairs of corner values, and the comparand equal or not: each operation and width, an element a lane.
#[test]
fn operations_are_as_the_tables_say() {
    for (rmw, bytes) in operations() {
        let corners = corners(bytes);
        let mut random = Random(u64::from(bytes));
        let mut cases: Vec<[u64; 3]> = Vec::new();
        for &old in &corners {
            for &a in &corners {
                cases.push([old, a, *corners.get(cases.len() % corners.len()).unwrap()]);
                cases.push([old, a, old]);
            }
        }
        cases.extend((0..320).map(|_| {
            let old = random.next();
            [
                old,
                random.next(),
                if random.next() & 1 != 0 {
                    old
                } else {
                    random.next()
                },
            ]
        }));
        let element = [Element::U16, Element::U32, Element::U64][bytes.ilog2() as usize - 1];
        let surface = Surface::new(0, Dimensions::D1, [LANES as u32, 1, 1], element);
        for (n, chunk) in cases.chunks(LANES).enumerate() {
            let case = |lane: usize| chunk[lane % chunk.len()];
            let bytes_of = |lane: usize| case(lane)[0].to_le_bytes()[..bytes as usize].to_vec();
            let memory: Vec<u8> = (0..LANES).flat_map(bytes_of).collect();
            let lanes = Lanes {
                at: std::array::from_fn(|lane| [lane as u32, 0, 0]),
                level: [0; LANES],
                data: std::array::from_fn(|lane| [case(lane)[1], case(lane)[2]]),
                number: [SURFACE; LANES],
                on: (1 << LANES) - 1,
            };
            let how = How {
                rmw,
                bytes,
                in_bytes: false,
                outside: Outside::Drop,
                after: n % 2 == 1,
                level: false,
            };
            check(how, &surface, &lanes, &memory, false);
        }
    }
}

/// Coordinates around the edges of the surface, some the same, by every dimension, clamp, layout, level, unit of x and width.
#[test]
fn coordinates_are_as_the_tables_say() {
    let mut random = Random(7);
    let all = operations();
    for dimensions in DIMENSIONS {
        for outside in [Outside::Drop, Outside::Nearest, Outside::Stop] {
            for layout in LAYOUTS {
                for in_bytes in [false, true] {
                    for (levels, element) in [
                        (1, Element::U32),
                        (3, Element::U32),
                        (2, Element::U64),
                        (1, Element::U16),
                    ] {
                        let surface = Surface {
                            levels,
                            layout,
                            ..Surface::new(0, dimensions, [11, 7, 5], element)
                        };
                        for _ in 0..6 {
                            let (rmw, bytes) = all[random.next() as usize % all.len()];
                            let how = How {
                                rmw,
                                bytes,
                                in_bytes,
                                outside,
                                after: random.next() & 1 != 0,
                                level: levels > 1,
                            };
                            warp(how, &surface, &mut random);
                        }
                    }
                }
            }
        }
    }
}

/// A warp of random lanes.
fn warp(how: How, surface: &Surface, random: &mut Random) {
    let mut below = |n: u64| (random.next() % n) as u32;
    // A stop is rare enough to see what is done else.
    let edge = how.outside != Outside::Stop || below(4) == 0;
    let mut coordinate = |size: u32, unit: u32| {
        let at = if edge {
            below(u64::from(size) + 4).wrapping_sub(2)
        } else {
            below(u64::from(size))
        };
        match at as i32 {
            at if at < 0 => (at * 1000) as u32,
            at => at as u32 * unit,
        }
    };
    let mut at = [[0; 3]; LANES];
    let unit = if how.in_bytes { how.bytes } else { 1 };
    let row = surface.size[0] * surface.element.bytes() / how.bytes;
    for at in &mut at {
        *at = [
            coordinate(row, unit),
            coordinate(surface.size[1], 1),
            coordinate(surface.size[2], 1),
        ];
        at[surface.dimensions.coordinates()..].fill(0);
        // The nearest of bytes that are no multiple may be none either.
        if how.in_bytes
            && how.outside == Outside::Nearest
            && !(surface.size[0] * surface.element.bytes()).is_multiple_of(how.bytes)
        {
            at[0] = 0;
        }
    }
    let levels = u64::from(surface.levels) + u64::from(edge);
    let level = std::array::from_fn(|_| if how.level { below(levels) } else { 0 });
    if how.in_bytes && how.level && how.outside == Outside::Nearest {
        // Rows of further levels have other lengths.
        at.iter_mut().for_each(|at| at[0] = 0);
    }
    let corners = corners(how.bytes);
    let mut value = || match random.next() % 3 {
        0 => random.next(),
        _ => corners[random.next() as usize % corners.len()],
    };
    let data = std::array::from_fn(|_| [value(), value()]);
    let bytes: Vec<u8> = (0..surface.bytes()).map(|_| value() as u8).collect();
    let lanes = Lanes {
        at,
        level,
        data,
        number: std::array::from_fn(|_| if value() % 16 == 0 { 101 } else { SURFACE }),
        on: value() & 0xffff_ffff,
    };
    let start = value() % surface.bytes() / 8 * 8;
    let surface = Surface {
        absent: std::iter::once(start..start + 64).collect(),
        ..surface.clone()
    };
    check(how, &surface, &lanes, &bytes, value() & 1 != 0);
}

/// What stops a program beside a coordinate, and what is silent.
#[test]
fn what_is_no_surface() {
    let how = How {
        rmw: Rmw::Add,
        bytes: 4,
        in_bytes: true,
        outside: Outside::Drop,
        after: false,
        level: false,
    };
    let lanes = |x: u32, number: u32| Lanes {
        at: [[x, 0, 0]; LANES],
        level: [0; LANES],
        data: [[1, 0]; LANES],
        number: [number; LANES],
        on: 0b110,
    };
    let plane = Surface::new(0, Dimensions::D2, [8, 4, 1], Element::U32);
    let bytes = vec![0; 128];
    let fault = |dimensions, lanes: &Lanes| {
        let block = block(how, dimensions, DataReg::V(ABSENT));
        let mut all = run_all(&block, &plane, &bytes, || lanes.wave());
        let (leave, _, after) = all.remove(0);
        assert!(after == bytes);
        match leave.fault() {
            Some(Fault::Memory(fault)) => {
                assert_eq!(fault.lane, Some(1));
                match &fault.reason {
                    MemoryFaultReason::Surface(surface) => surface.to_string(),
                    other => panic!("{other:?}"),
                }
            }
            _ => panic!("{leave:?}"),
        }
    };
    assert_eq!(
        fault(Dimensions::D2, &lanes(0, 7)),
        "surface 7, which is not bound"
    );
    assert_eq!(
        fault(Dimensions::D1, &lanes(0, 6)),
        "surface 6 as 1d, which is 2d"
    );
    assert_eq!(
        fault(Dimensions::D2, &lanes(6, 6)),
        "byte 6 of a row of surface 6, which is not a multiple of 4"
    );
    // Disabled: nothing is done, and nothing stops.
    let disabled = Surface {
        enabled: false,
        ..plane.clone()
    };
    let block = block(how, Dimensions::D2, DataReg::V(ABSENT));
    for (leave, wave, after) in run_all(&block, &disabled, &bytes, || lanes(0, 6).wave()) {
        assert!(matches!(leave, Leave::End(_)), "{leave:?}");
        assert!(after == bytes);
        assert_eq!(wave.vgpr(RESULT.into())[..4], [OLD, 0, 0, OLD]);
    }
}

/// Elements that say what their bits are: the operation follows, and one that they do not have stops.
#[test]
fn typed_elements_decide_what_is_done() {
    let add = |element: Element, rmw: Rmw| element.meaning(rmw);
    assert_eq!(add(Element::S32, Rmw::MinU), Some(Rmw::MinS));
    assert_eq!(add(Element::U64, Rmw::MaxU), Some(Rmw::MaxU));
    assert_eq!(add(Element::F32, Rmw::Add), Some(Rmw::FAddFlush));
    assert_eq!(add(Element::F16x2, Rmw::MaxU), Some(Rmw::PkFMaxFlush));
    assert_eq!(add(Element::F32, Rmw::Xor), None);
}
