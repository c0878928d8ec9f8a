//! The interpreter against the plain evaluator: random runs of instructions
//! on random states must leave the same state, whatever was fused.
//!
//! The instructions are those of the shared conformance rows, with their
//! registers drawn from few, so that results are read, overwritten and used
//! again inside a block.

use std::path::PathBuf;
use std::sync::Arc;

use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_isa::{Chip, Inst, Operand, decode};
use wavetank_machine::{Backend, Stop};
use wavetank_memory::{Lds, MemoryUnit, Registry, VGPRS, Wave, hwreg};

/// Repeatable random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
}

/// Every instruction of the rows that decodes.
fn instructions() -> Option<Vec<Inst>> {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let shared = std::env::var_os("WAVETANK_SHARED").map_or_else(default, PathBuf::from);
    let Ok(rows) = std::fs::read_to_string(shared.join("conformance/asm-gfx9.tsv")) else {
        assert!(
            std::env::var_os("CI").is_none_or(|v| v != "true"),
            "the shared rows are absent"
        );
        eprintln!("SKIP fusion: the shared conformance rows are absent (set WAVETANK_SHARED)");
        return None;
    };
    let bytes = |hex: &str| -> Vec<u8> {
        let digit = |n: usize| u8::from_str_radix(&hex[n..n + 2], 16).unwrap_or(0);
        (0..hex.len() / 2).map(|n| digit(2 * n)).collect()
    };
    let insts = rows.lines().filter_map(|row| {
        let mut fields = row.split('\t');
        let chip = Chip::from_name(fields.next()?)?;
        decode(&bytes(fields.next()?), chip).ok()
    });
    // Clocks differ from run to run.
    Some(insts.filter(|i| !i.to_string().contains("time")).collect())
}

/// The same instruction on few registers.
fn crowd(mut inst: Inst, random: &mut Random) -> Inst {
    for operand in &mut inst.operands {
        match operand {
            Operand::Vgpr(n) if *n < 250 => *n = random.below(7) as u8,
            // Spans stay aligned; every fourth stays what it was.
            Operand::Sgpr(n) if *n < 100 => *n = 4 * random.below(6) as u8 + (*n & 1),
            _ => {}
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

fn state(seed: u64) -> Wave {
    let random = &mut Random(seed);
    let mut wave = Wave::new(0);
    for n in 0..VGPRS {
        if !(16..=250).contains(&n) {
            *wave.vgpr_mut(n) = std::array::from_fn(|_| value(random));
        }
    }
    let exec = [!0, random.next(), random.next() & random.next(), 0, 1 << 63][random.below(5)];
    let modes = [0x2f0, 0x0f0, 0x3c0, 0x1f5, 0x000];
    let u = wave.uniform_mut();
    for n in 0..112 {
        u.s[n] = value(random);
    }
    u.s[124] = random.below(64) as u32;
    u.scc = random.below(2) as u32;
    u.hw[usize::from(hwreg::MODE)] = modes[random.below(modes.len())];
    u.pc = BASE;
    u.budget = 1;
    wave.set_s64(126, exec);
    wave
}

const BASE: u64 = 0x1_0000;

fn run(backend: &mut dyn Backend, wave: &mut Wave, registry: &Registry) -> (Stop, Vec<u32>) {
    let mut memory = MemoryUnit::new(registry);
    memory.set_lds(Lds::new(4096));
    let stop = backend.run(wave, &mut memory);
    (stop, memory.lds().dwords().to_vec())
}

/// What differs between two waves.
fn difference(a: &Wave, b: &Wave) -> Option<String> {
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

/// Runs one block on both.
fn check(code: &[Inst], seed: u64, simd: Simd) {
    let insts = code.to_vec();
    let source = Arc::new(move |pc: u64| -> Result<Inst, String> {
        let index = (pc.wrapping_sub(BASE) / 8) as usize;
        let mut inst = *insts.get(index).ok_or("the end of the code")?;
        inst.len = 8;
        Ok(inst)
    });
    let registry = Registry::new();
    let plain = PlainProgram::new(source.clone(), false);
    let how = Translation {
        count: false,
        step: false,
        simd,
    };
    let program = Program::new(source, how);
    let (mut expected, mut got) = (state(seed), state(seed));
    let a = run(&mut Plain::new(&plain), &mut expected, &registry);
    let b = run(&mut Interpreter::new(&program), &mut got, &registry);
    let text: Vec<_> = code.iter().map(Inst::to_string).collect();
    let text = text.join("\n  ");
    assert_eq!(b.0, a.0, "seed {seed:#x}, {simd:?}:\n  {text}");
    if let Some(what) = difference(&got, &expected) {
        panic!(
            "{what}\nseed {seed:#x}, {simd:?}, mode {:#x}:\n  {text}",
            state(seed).uniform().hw[1]
        );
    }
    assert!(
        a.1 == b.1,
        "LDS differs; seed {seed:#x}, {simd:?}:\n  {text}"
    );
}

fn levels() -> Vec<Simd> {
    let best = Simd::detect();
    let all = [Simd::Avx512, Simd::Avx2, Simd::Baseline];
    let first = all.iter().position(|l| *l == best).unwrap_or(2);
    all[first..].to_vec()
}

#[test]
fn every_instruction_alone() {
    let Some(insts) = instructions() else { return };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (n, inst) in insts.iter().enumerate() {
        let levels = levels();
        check(&[*inst], random.next(), levels[n % levels.len()]);
    }
}

#[test]
fn random_blocks() {
    let Some(insts) = instructions() else { return };
    let mut random = Random(0x1234_5678_9abc_def1);
    for n in 0..20_000 {
        let length = 2 + random.below(9);
        let code: Vec<_> = (0..length)
            .map(|_| {
                let inst = insts[random.below(insts.len())];
                crowd(inst, &mut random)
            })
            .collect();
        let levels = levels();
        check(&code, random.next(), levels[n % levels.len()]);
    }
}
