//! Runs `crates/ir/filetests/run/*.ir` on every engine at every level: the plain evaluator, the interpreter, compiled code.
//!
//! A file holds cases; each is a line `; case: NAME`, comments that say why its results hold, lines
//! `; run: REGISTERS => REGISTERS`, and a block. Registers are `s0` and `v0` and their like, `scc` and `exec`. Those that a line
//! does not set are 0, and EXEC is all ones. A value is a number, a float with a point, `lane`, or a sum such as `7+2*lane`, which
//! counts lanes; `[1,2]` are the values of the first lanes.

use std::path::Path;
use std::sync::Arc;

use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::{Block, LANES, parse, verify};
use wavetank_jit::{CompileOptions, Jit, Jitted};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{MemoryUnit, Registry, VGPRS, Wave, sreg};

/// The values of a register: of the first lanes, or of all.
struct Values(Vec<u32>);

impl Values {
    fn parse(text: &str, place: &str) -> Values {
        if let Some(list) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            return Values(list.split(',').map(|t| number(t, place)).collect());
        }
        let lanes = 0..LANES as u32;
        let term = |text: &str, lane: u32| match text.strip_suffix("lane") {
            Some("") => lane,
            Some(factor) => {
                let factor = factor
                    .strip_suffix('*')
                    .unwrap_or_else(|| panic!("{place}: {text}"));
                number(factor, place).wrapping_mul(lane)
            }
            None => number(text, place),
        };
        let sum = |lane| {
            text.split('+')
                .fold(0, |sum: u32, t| sum.wrapping_add(term(t, lane)))
        };
        Values(lanes.map(sum).collect())
    }
}

fn number(text: &str, place: &str) -> u32 {
    let text = text.trim();
    let read = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.contains('.') => text.parse::<f32>().ok().map(f32::to_bits),
        None => text.parse::<i64>().ok().map(|n| n as u32),
    };
    read.unwrap_or_else(|| panic!("{place}: `{text}` is not a number"))
}

/// The registers of one side of a `; run:` line.
fn registers<'t>(side: &'t str, place: &str) -> Vec<(&'t str, Values)> {
    let one = |word: &'t str| {
        let (name, values) = word
            .split_once('=')
            .unwrap_or_else(|| panic!("{place}: {word}"));
        (name, Values::parse(values, place))
    };
    side.split_whitespace().map(one).collect()
}

fn numbered(name: &str, file: char) -> Option<usize> {
    name.strip_prefix(file)?.parse().ok()
}

fn set(wave: &mut Wave, name: &str, values: &Values, place: &str) {
    let first = values.0[0];
    match (numbered(name, 's'), numbered(name, 'v'), name) {
        (Some(n), ..) => wave.uniform_mut().s[n] = first,
        (_, Some(n), _) => wave.vgpr_mut(n)[..values.0.len()].copy_from_slice(&values.0),
        (.., "scc") => wave.uniform_mut().scc = first,
        (.., "exec") => wave.set_s64(sreg::EXEC, first.into()),
        _ => panic!("{place}: there is no register `{name}`"),
    }
}

fn get(wave: &Wave, name: &str, lanes: usize, place: &str) -> Vec<u32> {
    match (numbered(name, 's'), numbered(name, 'v'), name) {
        (Some(n), ..) => vec![wave.uniform().s[n]],
        (_, Some(n), _) => wave.vgpr(n)[..lanes].to_vec(),
        (.., "scc") => vec![wave.uniform().scc],
        _ => panic!("{place}: there is no register `{name}` in a result"),
    }
}

/// Runs one `; run:` line on an engine.
fn run_line(line: &str, backend: &mut dyn Backend, place: &str) {
    let (before, after) = line
        .split_once("=>")
        .unwrap_or_else(|| panic!("{place}: no `=>`"));
    let registry = Registry::new();
    let mut memory = MemoryUnit::new(&registry);
    let mut wave = Wave::new(0);
    wave.clear(VGPRS);
    wave.set_s64(sreg::EXEC, u64::MAX);
    for (name, values) in registers(before, place) {
        set(&mut wave, name, &values, place);
    }
    wave.uniform_mut().budget = 1000;
    let leave = backend.run(&mut wave, &mut memory);
    assert!(matches!(leave, Leave::End(_)), "{place}: {leave:?}");
    for (name, Values(expected)) in registers(after, place) {
        let left = get(&wave, name, expected.len(), place);
        assert_eq!(left, expected[..left.len()], "{place}: {name}");
    }
}

/// The levels of the interpreter that there are here.
fn interpreted() -> impl Iterator<Item = Simd> {
    let best = Simd::detect();
    let all = [Simd::Avx512, Simd::Avx2, Simd::Baseline];
    all.into_iter().skip_while(move |level| *level != best)
}

/// Runs a line on every engine.
fn run_everywhere(line: &str, block: &Block, place: &str) {
    let here = block.clone();
    let source = Arc::new(move |_: u64, _: usize| here.clone());
    let plain = PlainProgram::of(source.clone(), false);
    run_line(
        line,
        &mut Plain::new(&plain),
        &format!("{place}, plain evaluator"),
    );
    let program = |simd| {
        let (count, step, instrumented) = (false, false, false);
        let how = Translation {
            count,
            step,
            instrumented,
            simd,
        };
        Program::of(source.clone(), how)
    };
    for simd in interpreted() {
        let place = format!("{place}, interpreter, {simd:?}");
        run_line(line, &mut Interpreter::new(&program(simd)), &place);
    }
    for &simd in super::engine::levels() {
        let options = CompileOptions {
            count: false,
            simd,
            registers_observable: true,
            instrumented: false,
        };
        let jit = Jit::new(program(simd), options, 0).unwrap_or_else(|(_, why)| panic!("{why}"));
        let place = format!("{place}, compiled, {simd:?}");
        run_line(line, &mut Jitted::new(&jit), &place);
        assert!(jit.compiled().blocks > 0, "{place}: nothing was compiled");
    }
}

fn run_case(case: &str, place: &str) -> usize {
    let block = parse(case, &|_| None).unwrap_or_else(|e| panic!("{place}: {e}"));
    verify(&block).unwrap_or_else(|e| panic!("{place}: {}", e[0]));
    let lines: Vec<&str> = case
        .lines()
        .filter_map(|l| l.strip_prefix("; run:"))
        .collect();
    for line in &lines {
        run_everywhere(line, &block, &format!("{place}:{line}"));
    }
    lines.len()
}

#[test]
fn blocks_give_what_their_run_lines_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ir/filetests/run");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        let file = path.file_name().expect("it has a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        for case in text.split("; case:").skip(1) {
            let (name, body) = case.split_once('\n').unwrap_or((case, ""));
            let lines = run_case(body, &format!("{file}:{name}"));
            assert!(lines > 0, "{file}:{name}: the case has no `; run:`");
            count += lines;
        }
    }
    assert!(count > 20, "{count} lines");
}
