//! What random runs of instructions need: the instructions, waves that have addresses of memory, and that memory.
//!
//! The instructions are those of our corpus, with their registers drawn from
//! few, so that results are read, overwritten and used again inside a block, and
//! with addresses in memory that both find alike.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wavetank_gcn::tables::Smem;
use wavetank_gcn::{Chip, Field, Inst, Op, Operand, decode};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{Alignment, Lds, MemoryUnit, Registry, Rights, VGPRS, Wave, hwreg};
use wavetank_translate::Code;

#[path = "../../lane_ops/tests/random.rs"]
pub(crate) mod random;

pub(crate) use random::Random;

/// The instructions of the corpus of gfx9: each of the table in each form, with
/// each of its modifiers (crates/gcn/tests/corpus).
pub(crate) fn instructions() -> Vec<Inst> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn/tests/corpus");
    let files = ["asm-gfx9.tsv", "layout-gfx9.tsv"].map(|file| {
        std::fs::read_to_string(format!("{folder}/{file}")).expect("the corpus is part of the tree")
    });
    let bytes = |hex: &str| -> Vec<u8> {
        let digits = (0..hex.len()).step_by(2).map(|n| &hex[n..n + 2]);
        let byte = |pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits");
        digits.map(byte).collect()
    };
    let lines = files.iter().flat_map(|text| text.lines());
    let insts = lines.map(|line| {
        let mut fields = line.split('\t');
        let chip = fields.next().and_then(Chip::from_name).expect("a chip");
        decode(&bytes(fields.next().expect("bytes")), chip).expect(line)
    });
    // Clocks differ from run to run.
    let insts: Vec<Inst> = insts.filter(|i| !i.to_string().contains("time")).collect();
    let exist = Op::all().filter(|op| op.row().exists_on(Chip::Gfx900));
    let ops: HashSet<Op> = insts.iter().map(|inst| inst.op).collect();
    let missing: Vec<Op> = exist.filter(|op| !ops.contains(op)).collect();
    let clocks = [Op::Smem(Smem::S_MEMTIME), Op::Smem(Smem::S_MEMREALTIME)];
    assert!(missing.iter().all(|op| clocks.contains(op)), "{missing:?}");
    insts
}

/// The same instruction on few registers; what names memory names that of the
/// test, at registers that nothing else is crowded on.
pub(crate) fn crowd(mut inst: Inst, random: &mut Random) -> Inst {
    let specs = inst.row().operands;
    for (operand, spec) in inst.operands.iter_mut().zip(specs) {
        let memory = match (spec.field, spec.ty.dwords()) {
            (Field::Vaddr, 2) => Some(Operand::Vgpr(VADDR)),
            (Field::Vaddr, _) => Some(Operand::Vgpr(VINDEX + random.below(2) as u8)),
            (Field::Saddr | Field::Sbase, 2) => Some(Operand::Sgpr(SBASE)),
            (Field::Sbase | Field::Srsrc, 4) => Some(Operand::Sgpr(SBUFFER)),
            _ => None,
        };
        *operand = match (*operand, memory) {
            (Operand::Vgpr(_) | Operand::Sgpr(_), Some(register)) => register,
            (Operand::Vgpr(n), None) if n < 250 => Operand::Vgpr(random.below(7) as u8),
            // Spans stay aligned; every fourth stays what it was.
            (Operand::Sgpr(n), None) if n < 80 => {
                Operand::Sgpr(4 * random.below(6) as u8 + (n & 1))
            }
            (other, _) => other,
        };
    }
    // An index takes the place of the address where there is a scalar base.
    let global = matches!(inst.op, Op::Flat(_)) && inst.operands.contains(&Operand::Sgpr(SBASE));
    for operand in inst.operands.iter_mut().filter(|_| global) {
        if *operand == Operand::Vgpr(VADDR) {
            *operand = Operand::Vgpr(VINDEX);
        }
    }
    inst
}

/// Values that matter: small ones, floats, patterns.
fn value(random: &mut Random) -> u32 {
    let special = [
        0,
        1,
        2,
        0x3f80_0000,
        0xbf80_0000,
        0x7fc0_0001,
        0xff80_0000,
        0x8000_0000,
        0x0000_0400,
        0x3c00_7bff,
        0xffff_ffff,
        0x7f7f_ffff,
        0x0080_0000,
        0x0000_8001,
    ];
    match random.below(4) {
        0 => special[random.below(special.len())],
        1 => random.below(256) as u32,
        _ => random.next() as u32,
    }
}

/// Bytes of the memory that addresses and descriptors of a wave lie in.
const MEMORY: u32 = 4096;
/// Bytes of the LDS of a work-group.
pub(crate) const LDS: u32 = 4096;
/// Bytes of the scratch of a lane.
const LANE_SCRATCH: u32 = 2052;
/// Bytes of the scratch of a wave.
const SCRATCH: u32 = LANE_SCRATCH * 64;
/// A pair of vector registers with an address in it for each lane.
const VADDR: u8 = 20;
/// Two vector registers with offsets in it, up to a little past its middle.
const VINDEX: u8 = 22;
/// A pair of scalar registers with its address.
const SBASE: u8 = 88;
/// Four with a buffer descriptor of it.
const SBUFFER: u8 = 92;

fn state(seed: u64, memory: u64, scratch: u64) -> Wave {
    let random = &mut Random(seed);
    let mut wave = Wave::new(0);
    for n in 0..VGPRS {
        if !(16..=250).contains(&n) {
            *wave.vgpr_mut(n) = std::array::from_fn(|_| value(random));
        }
    }
    let some = [random.next(), random.next() & random.next(), 0, 1 << 63];
    let exec = [!0, !0, some[0], some[1], some[2], some[3]][random.below(6)];
    let modes = [0x2f0, 0x0f0, 0x3c0, 0x1f5, 0x000];
    let u = wave.uniform_mut();
    for n in 0..112 {
        u.s[n] = value(random);
    }
    u.s[124] = random.below(64) as u32;
    u.scc = random.below(2) as u32;
    u.hw[usize::from(hwreg::MODE)] = modes[random.below(modes.len())];
    u.pc = BASE;
    wave.set_s64(126, exec);
    // Most accesses are inside, and aligned; whole rows of a wave are usual.
    let (shape, step) = (random.below(10), [0, 1, 2, 4, 8, 12, 16][random.below(7)]);
    let mut offset = |lane: usize| match shape {
        0..3 => step * lane as u32 + 256,
        // Rows of sixteen lanes.
        3 => step * (lane as u32 % 16) + 68 * (lane as u32 / 16),
        4 => 16 * (random.below(32) as u32),
        5 => 4 * (random.below(512) as u32),
        // Groups of four lanes, which may overlap.
        6 => 16 * (lane as u32 % 4) + 4 * step * (lane as u32 / 4),
        // Rows of sixteen lanes, each next to the one before.
        7 => 4 * step * (lane as u32 % 16) + 8 * (lane as u32 / 16),
        _ => random.below(2048) as u32,
    };
    for lane in 0..64 {
        let address = memory + u64::from(offset(lane)) + 1024;
        wave.vgpr_mut(VADDR.into())[lane] = address as u32;
        wave.vgpr_mut(usize::from(VADDR) + 1)[lane] = (address >> 32) as u32;
        for n in 0..2 {
            wave.vgpr_mut(usize::from(VINDEX) + n)[lane] = offset(lane);
        }
    }
    wave.set_s64(SBASE, memory + 1024);
    wave.set_s64(SBUFFER, memory);
    // 32 bits a component, unsigned, X Y Z W (Vega ISA, 8.1.8).
    let records = [MEMORY, 1502, 800, 0][random.below(4)];
    wave.set_s64(SBUFFER + 2, u64::from(records) | 0x0002_7fac << 32);
    if random.below(4) == 0 {
        // Scratch: swizzled, with ADD_TID and an index stride of 64.
        wave.set_s64(SBUFFER, scratch | 1 << 63);
        wave.set_s64(SBUFFER + 2, u64::from(SCRATCH) | 0x00e0_7fac << 32);
    }
    wave
}

/// Where code begins.
pub(crate) const BASE: u64 = 0x1_0000;

/// How a run ended, and what is in memory after it: LDS, global.
pub(crate) type Outcome = (Leave, Vec<u32>, Vec<u64>);

/// Memory of the host that every run finds alike, on a device of its own.
pub(crate) struct World {
    memory: Box<[AtomicU64]>,
    scratch: Box<[AtomicU64]>,
    /// The parts of the memory that are allocated.
    pieces: Vec<Piece>,
    alignment: Alignment,
}

/// A part of the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// From which byte of the memory on.
    pub start: u64,
    pub bytes: u64,
    pub rights: Rights,
}

/// Memory of so many bytes.
fn words(bytes: u32) -> Box<[AtomicU64]> {
    (0..bytes / 8).map(|_| AtomicU64::new(0)).collect()
}

/// Memory as it is at first, by the number of the word from 1 on.
fn filling(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Where guests have memory: `alias` is 0, or the bit of the second address that host memory has.
fn address(words: &[AtomicU64], alias: u64) -> u64 {
    words.as_ptr().expose_provenance() as u64 | alias
}

impl World {
    /// One in which all memory is allocated.
    pub(crate) fn new() -> World {
        let whole = Piece {
            start: 0,
            bytes: MEMORY.into(),
            rights: Rights::ReadWrite,
        };
        World::of(MEMORY, vec![whole], Alignment::Unaligned)
    }

    /// One in which parts of the memory are.
    pub(crate) fn of(bytes: u32, pieces: Vec<Piece>, alignment: Alignment) -> World {
        World {
            memory: words(bytes),
            scratch: words(SCRATCH),
            pieces,
            alignment,
        }
    }

    /// What is allocated.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Where guests have memory and scratch.
    pub(crate) fn places(&self, alias: u64) -> (u64, u64) {
        (address(&self.memory, alias), address(&self.scratch, alias))
    }

    /// Returns the address of a pair of dwords with a changed byte of unallocated memory, if there is one.
    pub(crate) fn stray(&self) -> Option<u64> {
        let mut at = (0..).step_by(8).zip(&self.memory);
        let changed = at.find(|(at, word)| {
            let theirs = |byte: u64| {
                let holds = |p: &Piece| (p.start..p.start + p.bytes).contains(&byte);
                self.pieces.iter().any(holds)
            };
            let (now, first) = (
                word.load(Ordering::Relaxed).to_le_bytes(),
                filling(at / 8 + 1).to_le_bytes(),
            );
            (0..8).any(|n| now[n as usize] != first[n as usize] && !theirs(at + n))
        });
        changed.map(|(at, _)| at)
    }

    /// A wave at the beginning of the code, by a seed, that has addresses of this memory.
    pub(crate) fn start(&self, seed: u64, alias: u64, budget: i64) -> Wave {
        let [memory, scratch] = [&self.memory, &self.scratch].map(|words| address(words, alias));
        let mut wave = state(seed, memory, scratch);
        wave.uniform_mut().budget = budget;
        wave
    }

    /// Memory as it is at first.
    pub(crate) fn fill(&self) {
        for (n, dword) in (1u64..).zip(self.memory.iter().chain(&self.scratch)) {
            dword.store(filling(n), Ordering::Relaxed);
        }
    }

    /// Runs waves one after another, each on memory with its initial contents. The outcome is that of the last wave: by then, the
    /// bounds caches of the memory unit have the accessed allocations. (The global data share keeps the contents that the previous
    /// wave has left.)
    pub(crate) fn run(&self, backend: &mut dyn Backend, waves: &mut [Wave], alias: u64) -> Outcome {
        let (leave, lds) = self.with_unit(Registry::new(), alias, |memory| {
            let runs = waves.iter_mut().map(|wave| {
                self.fill();
                memory.set_lds(Lds::new(LDS));
                backend.run(wave, memory)
            });
            let leave = runs.last().expect("there is a wave");
            (leave, memory.lds().dwords().clone())
        });
        (leave, lds, self.words())
    }

    /// What is in memory and scratch.
    pub(crate) fn words(&self) -> Vec<u64> {
        let all = self.memory.iter().chain(&self.scratch);
        all.map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Where memory and scratch are on the host, and how many bytes.
    #[allow(dead_code, reason = "only some tests look at what lies beside them")]
    pub(crate) fn extents(&self) -> [(u64, u64); 2] {
        let of = |words: &[AtomicU64]| (address(words, 0), size_of_val(words) as u64);
        [of(&self.memory), of(&self.scratch)]
    }

    /// Calls a function with a memory unit of a registry, which has memory and scratch meanwhile.
    pub(crate) fn with_unit<R>(
        &self,
        registry: Registry,
        alias: u64,
        f: impl FnOnce(&mut MemoryUnit<'_>) -> R,
    ) -> R {
        let register = |name, start: u64, bytes: u64, rights: Rights| {
            let pointer = std::ptr::with_exposed_provenance_mut(start as usize);
            // SAFETY: atomic words, which outlive the registration.
            let registered = unsafe { registry.register(name, pointer, bytes, rights) };
            registered.expect("nothing else is there")
        };
        let (start, scratch) = self.places(alias);
        let pieces = self.pieces.iter().map(|piece| {
            let Piece { bytes, rights, .. } = *piece;
            register("memory", start + piece.start, bytes, rights)
        });
        let mut registered: Vec<_> = pieces.collect();
        let bytes = size_of_val(&*self.scratch) as u64;
        registered.push(register("scratch", scratch, bytes, Rights::ReadWrite));
        let mut memory = MemoryUnit::new(&registry);
        memory.set_alignment(self.alignment);
        memory.set_scratch(scratch, LANE_SCRATCH);
        let result = f(&mut memory);
        drop(memory);
        for address in registered {
            registry.unregister(address).expect("it was registered");
        }
        result
    }
}

/// What differs between two waves.
pub(crate) fn difference(a: &Wave, b: &Wave) -> Option<String> {
    let (x, y) = (a.uniform(), b.uniform());
    let scalar = (0..128).find(|n| x.s[*n] != y.s[*n]);
    if let Some(n) = scalar {
        return Some(format!("s{n}: {:#x}, expected {:#x}", x.s[n], y.s[n]));
    }
    if (x.scc, x.pc, x.hw) != (y.scc, y.pc, y.hw) {
        return Some(format!(
            "scc {} pc {:#x}, expected {} {:#x}",
            x.scc, x.pc, y.scc, y.pc
        ));
    }
    (0..VGPRS).find_map(|n| {
        let (x, y) = (a.vgpr(n), b.vgpr(n));
        let lane = (0..64).find(|l| x[*l] != y[*l])?;
        Some(format!(
            "v{n} lane {lane}: {:#x}, expected {:#x}",
            x[lane], y[lane]
        ))
    })
}

/// Code from `BASE` on, 8 bytes an instruction.
pub(crate) fn source(code: &[Inst]) -> Arc<dyn Code + Send + Sync> {
    let insts = code.to_vec();
    Arc::new(move |pc: u64| -> Result<Inst, String> {
        let index = (pc.wrapping_sub(BASE) / 8) as usize;
        let mut inst = *insts.get(index).ok_or("the end of the code")?;
        inst.len = 8;
        Ok(inst)
    })
}
