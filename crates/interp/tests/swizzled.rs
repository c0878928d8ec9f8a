//! Swizzled buffers at any byte, against a model of single bytes: the formula of the Vega ISA, 8.1 "Swizzled Buffer Addressing",
//! with its names. Which engine does the accesses, `engine.rs` of each crate's tests says.

use std::sync::{Arc, LazyLock};

use wavetank_gcn::{Chip, Inst, decode, encode, parse};
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_machine::{Backend, Fault, Leave};
use wavetank_memory::{MemoryFaultReason, MemoryUnit, Registry, Wave};
use wavetank_translate::Code;

use super::engine::{self, levels};
use super::fusion::blocks;
use super::world::Random;

/// Bytes of memory.
const MEMORY: usize = 128 << 10;
/// Where in it buffers begin.
const BASE: usize = 1 << 10;
/// Bytes of a lane's scratch.
const SCRATCH: u32 = 64;
/// The vector registers of indices, of offsets, and of the first data.
const INDEX: usize = 2;
const OFFSET: usize = 3;
const DATA: usize = 8;

/// What an instruction does with the bytes of a lane.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Does {
    /// Loads, and extends with or without a sign.
    Load {
        signed: bool,
    },
    /// Loads half a register: its upper one, or its lower one.
    LoadHalf {
        high: bool,
    },
    /// Stores, of the upper half of a register or from its bit 0 on.
    Store {
        high: bool,
    },
    /// An atomic that returns what was there.
    Add,
    Xor,
    Swap,
}

use Does::*;

/// Names, bytes, and what they do.
const ACCESSES: [(&str, usize, Does); 21] = [
    ("load_ubyte", 1, Load { signed: false }),
    ("load_sbyte", 1, Load { signed: true }),
    ("load_ushort", 2, Load { signed: false }),
    ("load_sshort", 2, Load { signed: true }),
    ("load_dword", 4, Load { signed: false }),
    ("load_dwordx2", 8, Load { signed: false }),
    ("load_dwordx3", 12, Load { signed: false }),
    ("load_dwordx4", 16, Load { signed: false }),
    ("store_byte", 1, Store { high: false }),
    ("store_short", 2, Store { high: false }),
    ("store_dword", 4, Store { high: false }),
    ("store_dwordx2", 8, Store { high: false }),
    ("store_dwordx3", 12, Store { high: false }),
    ("store_dwordx4", 16, Store { high: false }),
    ("atomic_add", 4, Add),
    ("atomic_xor_x2", 8, Xor),
    ("atomic_swap", 4, Swap),
    // From gfx9 on.
    ("load_short_d16", 2, LoadHalf { high: false }),
    ("load_short_d16_hi", 2, LoadHalf { high: true }),
    ("load_ubyte_d16_hi", 1, LoadHalf { high: true }),
    ("store_short_d16_hi", 2, Store { high: true }),
];
const BEFORE_GFX9: usize = 17;

/// A buffer, and an access to it.
#[derive(Debug)]
struct Case {
    chip: Chip,
    name: &'static str,
    bytes: usize,
    does: Does,
    /// As compilers make the descriptor of scratch, which is the wave's.
    private: bool,
    idxen: bool,
    offen: bool,
    add_tid: bool,
    stride: usize,
    element: usize,
    index_stride: usize,
    records: u32,
    soffset: usize,
    inst_offset: u32,
    index: [u32; 64],
    offset: [u32; 64],
    exec: u64,
    data: [[u32; 64]; 4],
}

impl Case {
    fn new(random: &mut Random) -> Case {
        let chip = [Chip::Gfx900, Chip::Gfx803, Chip::Gfx701][random.below(4).saturating_sub(1)];
        let gfx9 = chip == Chip::Gfx900;
        let known = if gfx9 { ACCESSES.len() } else { BEFORE_GFX9 };
        let (name, bytes, does) = ACCESSES[random.below(known)];
        let private = random.below(2) == 0;
        let idxen = !private && random.below(3) > 0;
        let offen = !matches!(random.below(4), 0);
        let element = if gfx9 || private {
            4
        } else {
            2 << random.below(4)
        };
        let mut case = Case {
            chip,
            name,
            bytes,
            does,
            private,
            idxen,
            offen,
            add_tid: private || random.below(2) == 0,
            stride: [32, 64][random.below(2)] * usize::from(!private),
            element,
            index_stride: if private { 64 } else { 8 << random.below(4) },
            records: if random.below(3) == 0 { 40 } else { 1 << 20 },
            soffset: [0, 0, 256, random.below(4)][random.below(4)],
            inst_offset: 0,
            index: [0; 64],
            offset: [0; 64],
            exec: [!0, random.next()][random.below(2)],
            data: [(); 4].map(|()| std::array::from_fn(|_| random.next() as u32)),
        };
        case.place_lanes(random);
        case
    }

    /// Chooses indices and offsets, so that no two lanes have some of their bytes in common.
    fn place_lanes(&mut self, random: &mut Random) {
        let room = if self.private {
            SCRATCH as usize
        } else {
            self.stride
        };
        let aligned = [0, 3][random.below(2)];
        self.inst_offset = random.below(8) as u32 & !aligned;
        let most = room - self.bytes - self.inst_offset as usize;
        for lane in 0..64 {
            self.index[lane] = 63 - lane as u32;
            let offset = if self.idxen || self.add_tid {
                random.below(most + 1)
            } else {
                20 * lane + random.below(4)
            };
            self.offset[lane] = offset as u32 & !aligned;
        }
        // Offsets below zero.
        if self.chip == Chip::Gfx900 && self.private && self.offen && random.below(2) == 0 {
            self.inst_offset += 4000;
            self.offset = self.offset.map(|offset| offset.wrapping_sub(4000));
        }
    }

    /// The instruction.
    fn text(&self) -> String {
        let last = DATA + self.bytes.div_ceil(4) - 1;
        let data = match last {
            DATA => format!("v{DATA}"),
            _ => format!("v[{DATA}:{last}]"),
        };
        let (address, flags) = match (self.idxen, self.offen) {
            (true, true) => (format!("v[{INDEX}:{OFFSET}]"), " idxen offen"),
            (true, false) => (format!("v{INDEX}"), " idxen"),
            (false, true) => (format!("v{OFFSET}"), " offen"),
            (false, false) => ("off".to_owned(), ""),
        };
        let glc = if self.is_atomic() { " glc" } else { "" };
        let offset = match self.inst_offset {
            0 => String::new(),
            offset => format!(" offset:{offset}"),
        };
        let name = self.name;
        format!("buffer_{name} {data}, {address}, s[0:3], s4{flags}{offset}{glc}")
    }

    fn is_atomic(&self) -> bool {
        matches!(self.does, Add | Xor | Swap)
    }

    /// Words 1 and 3 of the descriptor, but for the address.
    fn words(&self) -> [u32; 2] {
        let log = |n: usize| n.trailing_zeros();
        // A format of 32 bits, where its bits do not belong to the stride.
        let format = if self.add_tid { 0 } else { 4 << 15 };
        let element = match self.chip {
            Chip::Gfx900 => 0,
            _ => (log(self.element) - 1) << 19,
        };
        let index_stride = (log(self.index_stride) - 3) << 21;
        let word3 = format | element | index_stride | u32::from(self.add_tid) << 23;
        [1 << 31 | (self.stride as u32) << 16, word3]
    }

    fn wave(&self, base: u64) -> Wave {
        let mut wave = Wave::new(0);
        let [word1, word3] = self.words();
        wave.set_s64(0, base | u64::from(word1) << 32);
        wave.set_s64(2, u64::from(self.records) | u64::from(word3) << 32);
        wave.set_s64(4, self.soffset as u64);
        wave.set_s64(126, self.exec);
        *wave.vgpr_mut(INDEX) = self.index;
        *wave.vgpr_mut(OFFSET) = self.offset;
        for (n, data) in self.data.iter().enumerate() {
            *wave.vgpr_mut(DATA + n) = *data;
        }
        wave.uniform_mut().budget = 100;
        wave
    }
}

/// The model: what the access leaves in memory and in the registers of data.
fn model(case: &Case, memory: &mut [u8]) -> [[u32; 64]; 4] {
    let mut registers = case.data;
    for lane in (0..64).filter(|lane| case.exec >> lane & 1 != 0) {
        let places: Vec<Option<usize>> = (0..case.bytes).map(|n| byte(case, lane, n)).collect();
        let here = |n: usize| case.data[n / 4][lane] >> (n % 4 * 8);
        let loaded: u128 = (0..)
            .zip(&places)
            .map(|(n, place)| u128::from(place.map_or(0, |at| memory[at])) << (8 * n))
            .sum();
        let given: u128 = (0..case.bytes)
            .map(|n| u128::from(here(n) as u8) << (8 * n))
            .sum();
        let high = u128::from(case.data[0][lane] >> 16);
        let wide = loaded as u64;
        let stored = match case.does {
            Load { .. } | LoadHalf { .. } => None,
            Store { high: true } => Some(high),
            Store { high: false } | Swap => Some(given),
            Add => Some((wide as u32).wrapping_add(given as u32).into()),
            Xor => Some((wide ^ given as u64).into()),
        };
        for (n, place) in places.iter().enumerate() {
            if let (Some(stored), Some(at)) = (stored, place) {
                memory[*at] = (stored >> (8 * n)) as u8;
            }
        }
        let shift = 128 - 8 * case.bytes;
        let signed = (loaded as i128) << shift >> shift;
        let old = case.data[0][lane];
        match case.does {
            Store { .. } => {}
            Load { signed: true } => registers[0][lane] = signed as u32,
            LoadHalf { high: false } => registers[0][lane] = old & !0xffff | loaded as u32,
            LoadHalf { high: true } => registers[0][lane] = old & 0xffff | (loaded as u32) << 16,
            _ => {
                let dwords = registers.iter_mut().take(case.bytes.div_ceil(4));
                for (n, register) in dwords.enumerate() {
                    register[lane] = (loaded >> (32 * n)) as u32;
                }
            }
        }
    }
    registers
}

/// Where byte `n` of a lane is in memory, if it is in range.
fn byte(case: &Case, lane: usize, n: usize) -> Option<usize> {
    let vgpr_index = if case.idxen {
        case.index[lane] as usize
    } else {
        0
    };
    let index = vgpr_index + if case.add_tid { lane } else { 0 };
    let vgpr_offset = if case.offen { case.offset[lane] } else { 0 };
    // Only private memory has offsets below zero.
    let offset = vgpr_offset.wrapping_add(case.inst_offset) as usize;
    if !in_range(case, vgpr_index, offset, n) {
        return None;
    }
    let offset = offset + n;
    let (index_msb, index_lsb) = (index / case.index_stride, index % case.index_stride);
    let (offset_msb, offset_lsb) = (offset / case.element, offset % case.element);
    let buffer_offset = (index_msb * case.stride + offset_msb * case.element) * case.index_stride
        + index_lsb * case.element
        + offset_lsb;
    Some(BASE + case.soffset + buffer_offset)
}

/// 8.1 "Range Checking", with docs/reference/errata.md: a dword that begins in range is made whole, atomics are all or nothing.
fn in_range(case: &Case, index: usize, offset: usize, n: usize) -> bool {
    let records = case.records as usize;
    let (first, last) = (offset + n / 4 * 4, offset + (case.bytes - 1) / 4 * 4);
    let dword = if case.is_atomic() { last } else { first };
    let private = case.add_tid && !case.idxen;
    match (private, case.chip) {
        (true, _) => true,
        (_, Chip::Gfx701) if case.idxen => index < records && dword < case.stride,
        (_, Chip::Gfx900) if !case.idxen => {
            if case.is_atomic() {
                offset + case.bytes <= records
            } else {
                dword < records
            }
        }
        _ => index < records,
    }
}

/// The code of lines, from address 0 on.
fn code(lines: &[&str], chip: Chip) -> Arc<dyn Code + Send + Sync> {
    let mut bytes = Vec::new();
    for text in lines.iter().chain(&["s_endpgm"]) {
        let inst = parse(text, chip).unwrap_or_else(|error| panic!("{text}: {error}"));
        bytes.extend_from_slice(encode(&inst).expect(text).as_bytes());
    }
    Arc::new(move |pc: u64| -> Result<Inst, String> {
        decode(&bytes[pc as usize..], chip).map_err(|error| error.to_string())
    })
}

/// Memory as it is at first.
fn contents() -> Vec<u8> {
    static CONTENTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        (0..MEMORY as u32)
            .map(|n| (n * 37 + n / 256 * 11) as u8)
            .collect()
    });
    CONTENTS.clone()
}

/// Runs a case; gives how it ended and what is left.
fn run(case: &Case, backend: &mut dyn Backend) -> (Leave, Wave, Vec<u8>) {
    let registry = Registry::new();
    let memory = registry
        .allocate("memory", MEMORY as u64, 4096)
        .unwrap()
        .address;
    registry.write(memory, &contents()).unwrap();
    let base = memory + BASE as u64;
    let mut unit = MemoryUnit::new(&registry);
    if case.private {
        // A byte more than a multiple of 4 leaves room for a buffer that does not begin at one.
        unit.set_scratch(base, SCRATCH + 5);
    }
    let mut wave = case.wave(base);
    let leave = backend.run(&mut wave, &mut unit);
    let mut left = vec![0; MEMORY];
    registry.read(memory, &mut left).unwrap();
    (leave, wave, left)
}

fn how(simd: Simd, instrumented: bool) -> Translation {
    Translation {
        count: false,
        step: false,
        instrumented,
        simd,
    }
}

fn compare(case: &Case, what: &str, (leave, wave, left): (Leave, Wave, Vec<u8>)) {
    let text = case.text();
    assert!(
        matches!(leave, Leave::End(_)),
        "{leave:?}: {what}: {text}\n{case:x?}"
    );
    let mut memory = contents();
    let registers = model(case, &mut memory);
    for (n, expected) in registers.iter().enumerate() {
        for (lane, expected) in expected.iter().enumerate() {
            let got = wave.vgpr(DATA + n)[lane];
            let register = DATA + n;
            assert!(
                got == *expected,
                "{what}: v{register} lane {lane} {got:#x}, not {expected:#x}: {text}\n{case:x?}"
            );
        }
    }
    // Where they differ is looked for if they do.
    if left != memory {
        let at = (0..MEMORY).find(|at| left[*at] != memory[*at]);
        panic!("{what}: byte {at:x?} of memory: {text}\n{case:x?}");
    }
}

#[test]
fn each_byte_is_where_its_own_offset_says() {
    let mut random = Random::of(0x0073_7769_7a7a_6c65);
    for _ in 0..blocks() / 16 {
        let case = Case::new(&mut random);
        let code = code(&[&case.text()], case.chip);
        let plain = PlainProgram::new(code.clone(), false);
        compare(&case, "plain", run(&case, &mut Plain::new(&plain)));
        let instrumented = random.below(4) == 0;
        for simd in levels() {
            let done = engine::with(code.clone(), how(*simd, instrumented), |backend| {
                run(&case, backend)
            });
            compare(&case, &format!("{simd:?}"), done);
        }
    }
}

/// From gfx9 on the offset of a lane and that of the instruction are added modulo 2^32, before that not.
#[test]
fn sums_that_wrap_are_in_scratch_from_gfx9_on() {
    let mut random = Random::of(0x0077_7261_7073);
    for chip in [Chip::Gfx900, Chip::Gfx803, Chip::Gfx701] {
        for (offset, inst_offset) in [(-8, 24), (-8, 25), (-4000, 4040), (-64, 63)] {
            let case = Case {
                chip,
                name: "load_dword",
                bytes: 4,
                does: Load { signed: false },
                private: true,
                idxen: false,
                offen: true,
                add_tid: true,
                stride: 0,
                element: 4,
                index_stride: 64,
                soffset: 0,
                inst_offset,
                offset: [offset as u32; 64],
                exec: !0,
                ..Case::new(&mut random)
            };
            let code = code(&[&case.text()], chip);
            for simd in levels() {
                let done = engine::with(code.clone(), how(*simd, false), |backend| {
                    run(&case, backend)
                });
                if chip == Chip::Gfx900 && offset + inst_offset as i32 >= 0 {
                    compare(&case, &format!("{simd:?}"), done);
                    continue;
                }
                let Some(Fault::Memory(fault)) = done.0.fault() else {
                    panic!("{:?}: {}", done.0, case.text());
                };
                assert_eq!(fault.reason, MemoryFaultReason::OutsideScratch);
            }
        }
    }
}
