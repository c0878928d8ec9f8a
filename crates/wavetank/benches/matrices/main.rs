//! Prints how many products a second matrix instructions compute in compiled code, beside fused multiply-adds in registers.
//!
//! `cargo bench -p wavetank --bench matrices [-- [--interpreted] WORD…]`: instructions whose name has one of the words, all
//! without one. A loop of eight of them on one wave, with as many accumulators as there are registers for; the shortest of
//! several runs counts. `ratio` is products to the fused multiply-adds in single precision of the same core.

#[path = "../../../matrix/benches/peak/mod.rs"]
mod peak;

use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use wavetank::{Chip, Registry, Simd};
use wavetank_gcn::{Form, Inst, Op, encode, parse};
use wavetank_interp::{Interpreter, Program, Translation};
use wavetank_jit::{CompileOptions, Jit, Jitted};
use wavetank_machine::{Backend, Leave};
use wavetank_matrix::Level;
use wavetank_memory::{MemoryUnit, VECTOR_REGISTERS, Wave};

/// Instructions of a pass.
const COPIES: usize = 8;
/// As many that setting the registers takes no time beside them.
const PASSES: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let interpreted = args.iter().any(|arg| arg == "--interpreted");
    let words: Vec<_> = args.iter().filter(|a| !a.starts_with('-')).collect();
    let peak = peak::peak(Level::detect());
    println!("{:.1} G fused multiply-adds a second", peak / 1e9);
    println!(
        "{:7} {:32} {:>9} {:>14} {:>6}",
        "chip", "instruction", "ns", "G products/s", "ratio"
    );
    for chip in [Chip::Gfx908, Chip::Gfx90a, Chip::Gfx942] {
        let ops = Op::all().filter(|op| op.home() == Form::Mai && op.row().exists_on(chip));
        for op in ops {
            let (Some(shape), Some(name)) = (op.row().shape, op.row().name(chip)) else {
                continue;
            };
            if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
                continue;
            }
            let code = code(op, name, chip);
            let seconds = time(&code, interpreted);
            let stored = usize::from(shape.k) >> usize::from(shape.sparse);
            let products = [shape.m, shape.n, shape.blocks].map(usize::from);
            let rate = (products.iter().product::<usize>() * stored) as f64 / seconds;
            println!(
                "{:7} {name:32} {:9.1} {:14.2} {:6.2}",
                chip.name(),
                seconds * 1e9,
                rate / 1e9,
                rate / peak
            );
        }
    }
    Ok(())
}

/// A loop of an instruction, and the numbers that its registers begin with.
struct Loop {
    interpreted: Program,
    compiled: Option<Jit>,
    /// The word that all registers hold, and that of those with odd numbers: no sum overflows, no product is a special case.
    words: [u32; 2],
}

/// The first of the accumulation registers in the file.
const ACCUMULATORS: usize = 256;
/// The register that counts passes down.
const COUNTER: usize = 10;

/// The loop of an instruction, with factors in VGPRs and sums in AGPRs.
fn code(op: Op, name: &str, chip: Chip) -> Loop {
    let specs = op.row().operands;
    let count = |n: usize| usize::from(specs[n].ty.dwords());
    let (of_d, of_a, of_b) = (count(0), count(1), count(2));
    let span = |file: char, first: usize, count: usize| match count {
        1 => format!("{file}{first}"),
        _ => format!("{file}[{first}:{}]", first + count - 1),
    };
    let accumulators = (ACCUMULATORS / of_d).min(COPIES);
    let mut lines: Vec<String> = (0..COPIES)
        .map(|copy| {
            let d = span('a', copy % accumulators * of_d, of_d);
            let (a, b) = (
                span('v', 2 + 4 * copy, of_a),
                span('v', 40 + 4 * copy, of_b),
            );
            let c = if op.row().shape.is_some_and(|shape| shape.sparse) {
                "v0"
            } else {
                &d
            };
            format!("{name} {d}, {a}, {b}, {c}")
        })
        .collect();
    lines.push(format!("s_sub_u32 s{COUNTER}, s{COUNTER}, 1"));
    let words = 2 * COPIES + 1;
    lines.push(format!("s_cbranch_scc0 {}", 0xffff - words));
    lines.push("s_endpgm".to_owned());
    let mut pc = 0;
    let mut places: HashMap<u64, Inst> = HashMap::new();
    for line in &lines {
        let inst = parse(line, chip).unwrap_or_else(|error| panic!("{line}: {error}"));
        encode(&inst).expect("an instruction that was read");
        places.insert(pc, inst);
        pc += u64::from(inst.len);
    }
    let source = Arc::new(move |pc: u64| {
        let inst = places.get(&pc).copied();
        inst.ok_or_else(|| format!("nothing is at {pc:#x}"))
    });
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    let options = CompileOptions {
        count: false,
        simd: Simd::detect(),
        registers_observable: true,
        instrumented: false,
    };
    let kind = name.rsplit('x').next().unwrap_or_default();
    let words = match kind {
        kind if kind.contains("f64") => [0, 0x3fe0_0000],
        kind if kind.contains("bf16") => [0x3f00_bf10; 2],
        kind if kind.contains("f16") => [0x3800_b810; 2],
        kind if kind.contains("i8") || kind.contains("p8") || kind.contains("f8") => {
            [0x3839_b8ba; 2]
        }
        _ => [0x3f00_1234, 0xbf00_4321],
    };
    Loop {
        interpreted: Program::new(source.clone(), how),
        compiled: Jit::new(Program::new(source, how), options, 0).ok(),
        words,
    }
}

/// The seconds that an instruction takes.
fn time(code: &Loop, interpreted: bool) -> f64 {
    let registry = Registry::new();
    let mut memory = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    wave.clear(VECTOR_REGISTERS);
    let run = || {
        for n in 0..VECTOR_REGISTERS {
            // Lanes differ a little.
            let word = |lane: usize| code.words[n % 2] ^ (lane as u32 % 4) << 3;
            *wave.vgpr_mut(n) = if n < ACCUMULATORS {
                std::array::from_fn(word)
            } else {
                [0; 64]
            };
        }
        let uniform = wave.uniform_mut();
        (uniform.pc, uniform.s[COUNTER], uniform.budget) = (0, PASSES - 1, i64::MAX);
        let leave = match &code.compiled {
            Some(jit) if !interpreted => Jitted::new(jit).run(&mut wave, &mut memory),
            _ => Interpreter::new(&code.interpreted).run(&mut wave, &mut memory),
        };
        assert!(matches!(leave, Leave::End(_)), "{leave:?}");
        black_box(&mut wave);
    };
    peak::seconds(run) / f64::from(PASSES) / COPIES as f64
}
