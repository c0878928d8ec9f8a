//! Accesses of every width and space at places with and without a pattern, against lanes that go one by one.

use wavetank_ir::{Access, DataReg, Half, MemKind, MemOp, Rmw, Space as Where};
use wavetank_memory::{Lds, MemoryUnit, Registry, SHARED_BASE, Wave};

use super::*;

/// Bytes of the memory of each space: global, LDS, scratch of the wave.
const BYTES: usize = 4096;

/// Registers that are looked at.
const REGISTERS: usize = 24;

/// The first register of the data.
const DATA: u16 = 8;

/// Xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 16) % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Memory {
    Global,
    Flat,
    Indexed,
    Buffer,
    /// All lanes at one place.
    BufferBase,
    /// In elements of as many dwords as the access has.
    Formatted,
    Lds,
    FlatLds,
    Scratch,
    ScratchBuffer,
}

const MEMORIES: [Memory; 10] = [
    Memory::Global,
    Memory::Flat,
    Memory::Indexed,
    Memory::Buffer,
    Memory::BufferBase,
    Memory::Formatted,
    Memory::Lds,
    Memory::FlatLds,
    Memory::Scratch,
    Memory::ScratchBuffer,
];

impl Memory {
    fn is_scratch(self) -> bool {
        matches!(self, Memory::Scratch | Memory::ScratchBuffer)
    }

    /// Whether what is beyond is no fault, since the descriptor says where it ends.
    fn has_range(self) -> bool {
        matches!(
            self,
            Memory::Buffer | Memory::BufferBase | Memory::Formatted
        )
    }

    fn is_lds(self) -> bool {
        matches!(self, Memory::Lds | Memory::FlatLds)
    }

    /// Bytes that a lane can reach.
    fn room(self) -> u32 {
        if self.is_scratch() {
            BYTES as u32 / 64
        } else {
            BYTES as u32
        }
    }

    /// Where byte `at` of a lane's memory is in that of the wave.
    fn place(self, lane: usize, at: u32) -> usize {
        if self.is_scratch() {
            at as usize / 4 * 256 + 4 * lane + at as usize % 4
        } else {
            at as usize
        }
    }

    fn space(self) -> Where {
        match self {
            Memory::Global => global(),
            Memory::Flat | Memory::FlatLds => Where::Flat {
                address: V,
                limit: None,
            },
            Memory::Indexed => Where::Global {
                address: V,
                index: Some(V),
            },
            Memory::Buffer | Memory::ScratchBuffer => buffer(false, true, false),
            Memory::BufferBase => buffer(false, false, false),
            Memory::Formatted => buffer(false, true, true),
            Memory::Lds => local(),
            Memory::Scratch => Where::Scratch { address: V },
        }
    }
}

/// Offsets of lanes that access `bytes` bytes each, below `room`.
fn offsets(random: &mut Random, bytes: u32, room: u32) -> [u32; 64] {
    let step = random.of(&[bytes, 4, 1, 2, 8, 16, 12, 0, 20]);
    let kind = random.below(7);
    // Mostly such that all of it fits.
    let span = 64 * step + bytes;
    let start = random.below(u64::from(room.saturating_sub(span)).max(4)) as u32;
    let start = if random.below(3) == 0 {
        start
    } else {
        start & !3
    };
    let mut row = [0; 4].map(|_: u32| random.below(u64::from(room - bytes).min(1024)) as u32 & !3);
    row.sort_unstable();
    let any = room - bytes + 1;
    std::array::from_fn(|lane| {
        let l = lane as u32;
        let offset = match kind {
            0..=2 => start + step * l,
            3 => row[lane / 16],
            4 => row[lane / 16] + bytes * (l % 16),
            5 => random.below(any.into()) as u32 & !3,
            _ => random.below(any.into()) as u32,
        };
        offset % any
    })
}

/// The state that accesses change.
#[derive(Clone, PartialEq, Debug)]
struct State {
    registers: Vec<[u32; 64]>,
    memory: Vec<u8>,
}

impl State {
    /// What an operation does by the manual, lane by lane.
    fn access(&mut self, memory: Memory, op: &MemOp, offsets: &[u32; 64], mask: u64) {
        for lane in (0..64).filter(|lane| mask >> lane & 1 != 0) {
            let bytes = op.access.bytes();
            let mut offset = offsets[lane];
            if memory.is_lds() && matches!(op.kind, MemKind::Atomic(_)) {
                offset &= !(bytes - 1);
            }
            // Beyond LDS, dword by dword, 0 is read and nothing written.
            let there = |byte: u32| {
                let end = offset + (byte & !3) + bytes.min(4);
                (end <= memory.room()).then(|| memory.place(lane, offset + byte))
            };
            let mut now = [0; 16];
            for byte in 0..bytes {
                now[byte as usize] = there(byte).map_or(0, |at| self.memory[at]);
            }
            let data = |n: u16, op: &State| op.registers[usize::from(DATA + n)][lane];
            let new: Option<Vec<u8>> = match op.kind {
                MemKind::Load => None,
                MemKind::Store => {
                    let shift = if op.half == Half::High { 16 } else { 0 };
                    let dwords = (0..4).map(|n| data(n, self) >> shift);
                    Some(dwords.flat_map(u32::to_le_bytes).collect())
                }
                MemKind::Atomic(rmw) => Some(match bytes {
                    4 => {
                        let old = u32::from_le_bytes(now[..4].try_into().unwrap());
                        change32(rmw, old, data(0, self), data(1, self))
                            .to_le_bytes()
                            .to_vec()
                    }
                    _ => {
                        let pair =
                            |n| u64::from(data(n, self)) | u64::from(data(n + 1, self)) << 32;
                        let old = u64::from_le_bytes(now[..8].try_into().unwrap());
                        change64(rmw, old, pair(0), pair(2)).to_le_bytes().to_vec()
                    }
                }),
            };
            for (byte, new) in (0..bytes).zip(new.unwrap_or_default()) {
                if let Some(at) = there(byte) {
                    self.memory[at] = new;
                }
            }
            if let Some(DataReg::V(to)) = op.ret {
                self.result(op, usize::from(to), lane, &now);
            }
        }
    }

    fn result(&mut self, op: &MemOp, to: usize, lane: usize, now: &[u8; 16]) {
        let short = u16::from_le_bytes([now[0], now[1]]);
        let value = match op.access {
            Access::U8 => now[0].into(),
            Access::I8 => now[0] as i8 as u32,
            Access::U16 => short.into(),
            Access::I16 => short as i16 as u32,
            Access::Dwords(n) => {
                for r in 0..usize::from(n) {
                    self.registers[to + r][lane] = dword(now, 4 * r);
                }
                return;
            }
        };
        let register = &mut self.registers[to][lane];
        *register = match op.half {
            Half::Whole => value,
            Half::Low => *register & 0xffff_0000 | value & 0xffff,
            Half::High => *register & 0xffff | value << 16,
            Half::LowAlone => value & 0xffff,
            Half::HighAlone => value << 16,
            Half::Each => unreachable!("of converted elements only"),
        };
    }
}

const CHANGES: [Rmw; 8] = [
    Rmw::Add,
    Rmw::MaxU,
    Rmw::MinS,
    Rmw::Swap,
    Rmw::CmpSwap,
    Rmw::Inc,
    Rmw::Xor,
    Rmw::FAdd,
];

/// Vega ISA, 12.13.
fn change32(rmw: Rmw, old: u32, data: u32, compare: u32) -> u32 {
    match rmw {
        Rmw::FAdd => (f32::from_bits(old) + f32::from_bits(data)).to_bits(),
        Rmw::Add => old.wrapping_add(data),
        Rmw::MinS => (old as i32).min(data as i32) as u32,
        _ => change64(rmw, old.into(), data.into(), compare.into()) as u32,
    }
}

fn change64(rmw: Rmw, old: u64, data: u64, compare: u64) -> u64 {
    match rmw {
        Rmw::Add => old.wrapping_add(data),
        Rmw::MaxU => old.max(data),
        Rmw::MinS => (old as i64).min(data as i64) as u64,
        Rmw::Swap => data,
        Rmw::CmpSwap if old == compare => data,
        Rmw::CmpSwap => old,
        Rmw::Inc if old >= data => 0,
        Rmw::Inc => old + 1,
        Rmw::Xor => old ^ data,
        Rmw::FAdd => (f64::from_bits(old) + f64::from_bits(data)).to_bits(),
        _ => unreachable!("not among the changes"),
    }
}

fn operation(random: &mut Random, memory: Memory) -> MemOp {
    let parts = [Access::U8, Access::I8, Access::U16, Access::I16];
    let access = match random.below(3) {
        0 if memory != Memory::Formatted => random.of(&parts),
        _ => Access::Dwords(random.below(4) as u8 + 1),
    };
    let half = match access {
        Access::Dwords(_) => Half::Whole,
        _ => random.of(&[
            Half::Whole,
            Half::Low,
            Half::High,
            Half::LowAlone,
            Half::HighAlone,
        ]),
    };
    // Where nothing else is, where the address is, where the data are.
    let to = random.of(&[16, 0, DATA]);
    let op = match random.below(4) {
        0 | 1 => load(memory.space(), access, DataReg::V(to)),
        // There are no atomics with conversion.
        n if n == 2 || memory == Memory::Formatted => {
            store(memory.space(), access, DataReg::V(DATA))
        }
        _ => {
            let dwords = 1 + random.below(2) as u8;
            let op = atomic(memory.space(), random.of(&CHANGES), dwords, DATA, to);
            return MemOp {
                ret: op.ret.filter(|_| random.below(3) != 0),
                ..op
            };
        }
    };
    let half = match half {
        Half::Low | Half::LowAlone if op.kind == MemKind::Store => Half::Whole,
        Half::HighAlone if op.kind == MemKind::Store => Half::High,
        half => half,
    };
    MemOp { half, ..op }
}

/// A wave and the memory that it accesses.
struct Bench<'m> {
    registry: &'m Registry,
    unit: MemoryUnit<'m>,
    wave: Wave,
    global: u64,
    scratch: u64,
}

impl<'m> Bench<'m> {
    fn new(registry: &'m Registry) -> Self {
        let global = registry
            .allocate("global", BYTES as u64, 4096)
            .unwrap()
            .address;
        let scratch = registry
            .allocate("scratch", BYTES as u64, 256)
            .unwrap()
            .address;
        let mut unit = MemoryUnit::new(registry);
        unit.set_scratch(scratch, BYTES as u32 / 64);
        Bench {
            registry,
            unit,
            wave: Wave::new(0),
            global,
            scratch,
        }
    }

    /// Sets the memory and the registers, and v0:1 to the places.
    fn set(
        &mut self,
        memory: Memory,
        op: &MemOp,
        state: &mut State,
        offsets: &[u32; 64],
        mask: u64,
    ) {
        let base = match memory {
            Memory::Global | Memory::Flat => self.global,
            Memory::FlatLds => SHARED_BASE,
            _ => 0,
        };
        set_addresses(&mut self.wave, 0, |lane| base + u64::from(offsets[lane]));
        for n in 2..REGISTERS {
            *self.wave.vgpr_mut(n) = state.registers[n];
        }
        for n in 0..2 {
            state.registers[n] = *self.wave.vgpr(n);
        }
        self.wave.set_s64(126, mask);
        self.wave.set_s64(20, self.global);
        match memory {
            Memory::Buffer | Memory::BufferBase => {
                bind(&mut self.wave, self.global, 0, BYTES as u32, 0, FORMAT_32);
            }
            Memory::Formatted => {
                const UINT: u32 = 4 << 12;
                let format = [4, 11, 13, 14][op.access.bytes() as usize / 4 - 1] << 15 | UINT;
                bind(&mut self.wave, self.global, 0, BYTES as u32, 0, format);
            }
            Memory::ScratchBuffer => {
                bind(
                    &mut self.wave,
                    self.scratch,
                    0,
                    0,
                    1 << 31,
                    1 << 23 | 3 << 21 | FORMAT_32,
                );
            }
            _ => {}
        }
        if memory.is_lds() {
            let dwords: Vec<u32> = (0..BYTES)
                .step_by(4)
                .map(|at| dword(&state.memory, at))
                .collect();
            self.unit.set_lds(Lds::from_dwords(&dwords));
        } else {
            let base = if memory.is_scratch() {
                self.scratch
            } else {
                self.global
            };
            self.registry.write(base, &state.memory).unwrap();
        }
    }

    fn state(&mut self, memory: Memory) -> State {
        State {
            registers: (0..REGISTERS).map(|n| *self.wave.vgpr(n)).collect(),
            memory: match memory {
                _ if memory.is_lds() => self
                    .unit
                    .lds()
                    .dwords()
                    .iter()
                    .flat_map(|d| d.to_le_bytes())
                    .collect(),
                _ if memory.is_scratch() => bytes_of(self.registry, self.scratch, BYTES),
                _ => bytes_of(self.registry, self.global, BYTES),
            },
        }
    }

    fn sources(memory: Memory) -> Vec<Source> {
        match memory {
            Memory::Indexed => vec![Source::Uniform(s(20)), v(0)],
            Memory::Buffer | Memory::Formatted | Memory::ScratchBuffer => {
                vec![Source::None, Source::None, v(0), Source::Const(0)]
            }
            Memory::BufferBase => vec![Source::None, Source::None, Source::None, Source::Const(0)],
            _ => vec![v(0)],
        }
    }
}

/// Accesses at random, of which `prepare` may move a lane's place; says what to expect.
fn compare(
    seed: u64,
    count: usize,
    prepare: impl Fn(&mut Random, Memory, &mut [u32; 64], u64) -> bool,
) {
    let registry = Registry::new();
    let mut bench = Bench::new(&registry);
    let mut random = Random(seed);
    for case in 0..count {
        let memory = random.of(&MEMORIES);
        let mut op = operation(&mut random, memory);
        let bytes = op.access.bytes();
        let mut offsets = offsets(&mut random, bytes, memory.room());
        if matches!(op.kind, MemKind::Atomic(_)) && !memory.is_lds() {
            offsets = offsets.map(|offset| offset & !(bytes - 1));
        }
        let mask = match random.below(5) {
            0 | 1 => !0,
            2 => 0xffff_ffff << random.of(&[0, 16, 32]),
            3 => random.next() & random.next(),
            _ => random.next(),
        } | 1 << random.below(64);
        if memory == Memory::ScratchBuffer {
            // A dword of a swizzled buffer has no dword across its end (8.1 "Swizzled Buffer Addressing").
            offsets = offsets.map(|offset| offset & !(bytes.min(4) - 1));
        }
        let faults = prepare(&mut random, memory, &mut offsets, mask);
        if memory == Memory::BufferBase {
            offsets = [offsets[mask.trailing_zeros() as usize]; 64];
            op.offset = offsets[0].into();
        }
        // Small numbers are equal, floats, and no NaNs.
        let mut state = State {
            registers: (0..REGISTERS)
                .map(|_| std::array::from_fn(|_| random.of(&[0, 1, 2, 0x3f80_0000, 0x4000_ff7f])))
                .collect(),
            memory: (0..BYTES)
                .map(|_| random.of(&[0u8, 0, 1, 2, 0x40, 0x7f]))
                .collect(),
        };
        for f in levels(&op) {
            bench.set(memory, &op, &mut state, &offsets, mask);
            let mut want = state.clone();
            let sources = Bench::sources(memory);
            let result = run_step(&mut bench.wave, &mut bench.unit, &op, &sources, f);
            assert_eq!(
                result.is_err(),
                faults,
                "case {case}: {memory:?} {op:?} {offsets:?} {mask:x} {result:?}"
            );
            if !faults {
                want.access(memory, &op, &offsets, mask);
            }
            let got = bench.state(memory);
            assert!(
                got == want,
                "case {case}: {memory:?} {op:?} {offsets:?} {mask:x}"
            );
        }
    }
}

#[test]
fn lanes_go_one_by_one() {
    compare(
        0x1234_5678_9abc_def1,
        if cfg!(miri) { 100 } else { 20_000 },
        |_, _, _, _| false,
    );
}

/// One lane, the first, the last or any, is outside by a byte or by much: nothing changes. In LDS it goes without.
#[test]
fn a_lane_outside_stops_all() {
    compare(
        0x9876_5432_1fed_cba9,
        if cfg!(miri) { 50 } else { 5_000 },
        |random, memory, offsets, mask| {
            let ends = [
                mask.trailing_zeros(),
                63 - mask.leading_zeros(),
                random.below(64) as u32,
            ];
            let lane = random.of(&ends) as usize;
            let far = random.of(&[0, 8, 64, 1 << 20]);
            offsets[lane] = memory.room() + far;
            // A buffer of that size ends there, and what is beyond is no fault.
            !memory.is_lds() && !memory.has_range() && mask >> lane & 1 != 0
        },
    );
}
