//! Each operation with each of its sizes, on each dimension, with each clamp, in elements and in bytes.

use wavetank_ir::Dimensions;
use wavetank_machine::{Fault, Leave};
use wavetank_memory::{Element, Layout, MemoryFaultReason, Surface, SurfaceFault};

use super::reference::new_value;
use super::warp::{After, Before, OLD, SURFACE, THREADS, inst, run};
use crate::maxwell::rules::TABLE;

const DIMS: [(&str, Dimensions); 6] = [
    ("1D", Dimensions::D1),
    ("1D_BUFFER", Dimensions::Buffer),
    ("1D_ARRAY", Dimensions::D1Array),
    ("2D", Dimensions::D2),
    ("2D_ARRAY", Dimensions::D2Array),
    ("3D", Dimensions::D3),
];

/// The registers of the four operands.
const RD: usize = 4;
const RA: usize = 8;
const RB: usize = 12;
const RC: usize = 20;

/// Numbers that repeat from run to run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next() as usize % all.len()]
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
struct Case {
    op: &'static str,
    size: &'static str,
    dim: (&'static str, Dimensions),
    clamp: &'static str,
    bytes: bool,
    negated: bool,
}

impl Case {
    fn line(&self) -> String {
        let Case {
            op,
            size,
            clamp,
            dim,
            ..
        } = self;
        let ba = if self.bytes { ".BA" } else { "" };
        let not = if self.negated { "!" } else { "" };
        format!(
            "@{not}P1 SUATOM.D{ba}.{}.{op}.{size}.{clamp} R{RD}, [R{RA}], R{RB}, R{RC};",
            dim.0
        )
    }

    fn width(&self) -> u32 {
        if self.size.ends_with("64") { 8 } else { 4 }
    }

    fn element(&self) -> Element {
        if self.width() == 8 {
            Element::U64
        } else {
            Element::U32
        }
    }

    /// The element that a thread's coordinates mean, by the table of dimensions; `None` outside.
    fn element_at(&self, at: [u32; 3], size: [u32; 3]) -> Option<usize> {
        let near = self.clamp == "NEAR";
        let count = self.dim.1.coordinates();
        let mut place = [0i64; 3];
        for n in 0..count {
            let index = self.dim.0.ends_with("_ARRAY") && n == count - 1;
            let coordinate = match at[n] {
                index_register if index => i64::from(index_register & 0xffff),
                unsigned if self.dim.0 == "1D_BUFFER" && !near => i64::from(unsigned),
                signed => i64::from(signed as i32),
            };
            let width = i64::from(self.width());
            let coordinate = match n {
                0 if self.bytes => coordinate.div_euclid(width),
                _ => coordinate,
            };
            let last = i64::from(size[n]) - 1;
            place[n] = if near {
                coordinate.clamp(0, last)
            } else {
                coordinate
            };
            if !(0..=last).contains(&place[n]) {
                return None;
            }
        }
        let [x, y, z] = place;
        let (width, height) = (i64::from(size[0]), i64::from(size[1]));
        Some(((z * height + y) * width + x) as usize)
    }
}

/// Bits that mean something as integers of both signs, as single and as halves.
const BITS: [u64; 22] = [
    0,
    1,
    2,
    3,
    7,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x0000_0001_8000_0001,
    0x007f_ffff,
    0x3c00_bc00,
    0x7c00_fc00,
    0x8000_0001,
    0x03ff_7bff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// A state with coordinates around the edges; all inside where `tame`.
fn before(case: &Case, layout: Layout, tame: bool, random: &mut Random) -> Before {
    let surface = Surface {
        layout,
        ..Surface::new(0, case.dim.1, [5, 4, 3], case.element())
    };
    let ones = u64::MAX >> (64 - 8 * case.width());
    let elements = super::warp::places(surface.size)
        .map(|_| random.of(&BITS) & ones)
        .collect();
    let mut registers = Vec::new();
    for n in 0..3 {
        let array = case.dim.0.ends_with("_ARRAY") && n == case.dim.1.coordinates() - 1;
        registers.push((
            RA + n,
            std::array::from_fn(|_| {
                let inside = (random.next() % u64::from(surface.size[n])) as i32;
                let wild = [-1, -2, 3, 4, 5, 6, 100, i32::MIN / 16, i32::MAX / 16];
                let at = if tame || !random.one_in(4) {
                    inside
                } else {
                    random.of(&wild)
                };
                match (n, array) {
                    (0, _) if case.bytes => at.wrapping_mul(case.width() as i32) as u32,
                    // Bits above the index count for nothing.
                    (_, true) => at as u32 & 0xffff | (random.next() as u32) << 16,
                    _ => at as u32,
                }
            }),
        ));
    }
    for n in 0..4 {
        let part = |random: &mut Random| random.of(&BITS) >> (32 * (random.next() % 2));
        registers.push((RB + n, std::array::from_fn(|_| part(random) as u32)));
    }
    // CAS often meets what it compares with.
    if case.op == "CAS" {
        registers[3].1 = std::array::from_fn(|_| random.of(&[0, 1, 0xffff_ffff]));
        registers[4].1 = if case.width() == 8 {
            [0; THREADS]
        } else {
            registers[4].1
        };
    }
    // The sampler's number stands above the header's.
    registers.push((RC, [0xabc0_0000 | SURFACE; THREADS]));
    let mut predicates = [0; 7];
    predicates[1] = random.next() as u32;
    Before {
        surface,
        elements,
        registers,
        predicates,
        running: random.next() as u32 | 1,
        maximum: Some(100),
        constants: Vec::new(),
    }
}

/// What is to come of a state: elements, the registers from Rd on, and whether a coordinate outside stops the warp.
fn expected(case: &Case, before: &Before) -> (Vec<u64>, [[u32; THREADS]; 2], bool) {
    let register = |n: usize| before.registers.iter().find(|(m, _)| *m == n).unwrap().1;
    let guard = before.predicates[1] ^ if case.negated { u32::MAX } else { 0 };
    let threads = (0..THREADS).filter(|t| before.running & guard & 1 << t != 0);
    let words = case.width() as usize / 4;
    let data = |first: usize, t: usize| {
        let high = if words == 2 {
            register(first + 1)[t]
        } else {
            0
        };
        u64::from(register(first)[t]) | u64::from(high) << 32
    };
    let mut elements = before.elements.clone();
    let mut results = [[OLD; THREADS]; 2];
    for t in threads {
        let at = std::array::from_fn(|n| register(RA + n)[t]);
        let place = case.element_at(at, before.surface.size);
        if place.is_none() && case.clamp == "TRAP" {
            return (before.elements.clone(), [[OLD; THREADS]; 2], true);
        }
        let m = place.map_or(0, |place| elements[place]);
        if let Some(place) = place {
            elements[place] = new_value(case.op, case.size, m, data(RB, t), data(RB + words, t));
        }
        for (n, result) in results.iter_mut().enumerate().take(words) {
            result[t] = (m >> (32 * n)) as u32;
        }
    }
    (elements, results, false)
}

fn check(case: &Case, before: &Before, after: &After) {
    let line = case.line();
    let (elements, results, stops) = expected(case, before);
    let stopped = matches!(after.leave.fault(), Some(Fault::Memory(fault))
        if matches!(fault.reason, MemoryFaultReason::Surface(SurfaceFault::Outside { .. })));
    assert!(
        stopped == stops && (stops || matches!(after.leave, Leave::End(_))),
        "{line}: {:?}",
        after.leave
    );
    assert_eq!(after.elements, elements, "{line}");
    for (n, result) in results.iter().enumerate() {
        assert_eq!(
            after.wave.vgpr(RD + n)[..THREADS],
            result[..],
            "{line}: R{}",
            RD + n
        );
    }
    assert_eq!(
        after.wave.vgpr(RD)[THREADS..],
        [OLD; 32],
        "{line}: above the warp"
    );
}

/// Runs every case in a layout; the numbers of those that stopped, and of all.
fn all(layout: Layout, seed: u64) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut stopped, mut count) = (0, 0);
    for (op, sizes) in TABLE {
        for size in sizes.split(' ') {
            for dim in DIMS {
                for clamp in ["IGN", "NEAR", "TRAP"] {
                    for bytes in [false, true] {
                        let negated = random.one_in(2);
                        let case = Case {
                            op,
                            size: &size[1..],
                            dim,
                            clamp,
                            bytes,
                            negated,
                        };
                        let tame = clamp == "TRAP" && random.one_in(2);
                        let before = before(&case, layout, tame, &mut random);
                        for after in run(&[inst(&case.line())], &before) {
                            check(&case, &before, &after);
                            stopped += usize::from(!matches!(after.leave, Leave::End(_)));
                            count += 1;
                        }
                    }
                }
            }
        }
    }
    (stopped, count)
}

#[test]
fn every_operation_size_dimension_and_clamp_on_rows() {
    let (stopped, count) = all(Layout::Pitch(0), 1);
    // 40 pairs of operation and size, 6 dimensions, 3 clamps, elements or bytes, 2 engines.
    assert_eq!(count, 40 * 6 * 3 * 2 * 2);
    assert!(stopped > count / 20, "only {stopped} of {count} stopped");
}

#[test]
fn every_operation_size_dimension_and_clamp_on_blocks() {
    all(
        Layout::Blocks {
            height: 2,
            depth: 2,
        },
        2,
    );
}

#[test]
fn byte_addresses_are_aligned() {
    let case = Case {
        op: "ADD",
        size: "U32",
        dim: DIMS[0],
        clamp: "NEAR",
        bytes: true,
        negated: false,
    };
    let mut before = before(&case, Layout::Pitch(0), true, &mut Random(3));
    before.registers[0].1 = [6; THREADS];
    (before.running, before.predicates[1]) = (u32::MAX, u32::MAX);
    for after in run(&[inst(&case.line())], &before) {
        let Some(Fault::Memory(fault)) = after.leave.fault() else {
            panic!("{:?}", after.leave);
        };
        let reason = MemoryFaultReason::Surface(SurfaceFault::Misaligned {
            number: SURFACE,
            x: 6,
            bytes: 4,
        });
        assert_eq!((fault.reason, &after.elements), (reason, &before.elements));
    }
}
