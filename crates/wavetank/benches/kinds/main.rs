//! Prints how many wave instructions of each kind one core does in a second, interpreted and compiled.
//!
//! `cargo bench -p wavetank --bench kinds [-- [--quick] [WORD…]]`: kinds whose name has one of the words, all without one.
//! `WAVETANK_SIMD` chooses the level of processor features. A kind is a loop of 16 copies on one wave, without counting.
//! The shortest of several runs counts, in processor time. `ratio` is to `v_add_u32` on the same engine as it was measured in
//! turn with the kind, so that it can be compared between machines and between busy hours; then come the operations that
//! compiled code leaves to the interpreter. At the end, what the host does when it is programmed itself (`native.rs`).

mod kinds;
mod native;
mod tank;

use std::error::Error;
use std::process::ExitCode;

use kinds::Kind;
use tank::{Engine, Loop, Tank};
use wavetank::Simd;
use wavetank::environment::KernelSettings;

/// What everything is compared with, in a register that no kind has: it would make NaNs of others' numbers.
const YARDSTICK: &str = "v_add_u32 v30, v30, v1";

/// How long and how often a kind runs.
pub struct Effort {
    /// Processor time of a run, in seconds.
    pub seconds: f64,
    pub runs: usize,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<_> = args.iter().filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|w| name.contains(w.as_str()));
    let effort = if args.iter().any(|arg| arg == "--quick") {
        Effort {
            seconds: 0.001,
            runs: 3,
        }
    } else {
        Effort {
            seconds: 0.004,
            runs: 7,
        }
    };
    let simd = KernelSettings::from_env()?.simd;
    let simd = simd.map_or_else(Simd::detect, Simd::or_best);
    let registry = wavetank::Registry::new();
    let mut tank = Tank::new(&registry, simd)?;
    let yardstick = tank.assemble(YARDSTICK)?;

    println!(
        "{:44} {:>9} {:>7} {:>9} {:>7}  ({simd:?}: interpreted, compiled)",
        "kind", "M instr/s", "ratio", "M instr/s", "ratio"
    );
    let mut failed = 0;
    for kind in kinds::all() {
        if !wanted(&kind.name) {
            continue;
        }
        let code = tank.assemble(&kind.text)?;
        match line(&mut tank, &kind, &code, &yardstick, &effort) {
            Ok(line) => println!("{:44} {line}", kind.name),
            Err(why) => {
                println!("{:44} {why}", kind.name);
                failed += 1;
            }
        }
    }
    println!(
        "\n{:44} {:>9} {:>9} {:>7}",
        "what the host does itself", "M instr/s", "compiled", "ratio"
    );
    for peer in native::PEERS.iter().filter(|peer| wanted(peer.name)) {
        println!("{:44} {}", peer.name, peer.line(&mut tank, &effort)?);
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// What is printed of a kind.
fn line(
    tank: &mut Tank<'_>,
    kind: &Kind,
    code: &Loop,
    yardstick: &Loop,
    effort: &Effort,
) -> Result<String, String> {
    let mut line = String::new();
    for engine in [Engine::Interpreter, Engine::Compiled] {
        if engine == Engine::Compiled && !code.is_compiled() {
            continue;
        }
        tank.set_up(kind);
        let runs = [(code, kind.exec), (yardstick, !0)];
        let [rate, unit] = rates(tank, engine, runs, effort)?;
        line += &format!("{rate:9.2} {:7.3} ", rate / unit);
    }
    Ok(line + " " + &code.by_helpers().join(", "))
}

/// A loop, and the lanes that are on.
type Run<'a> = (&'a Loop, u64);

/// Millions of wave instructions a second of two loops that take turns.
fn rates(
    tank: &mut Tank<'_>,
    engine: Engine,
    runs: [Run<'_>; 2],
    effort: &Effort,
) -> Result<[f64; 2], String> {
    let mut passes = [0; 2];
    for (run, passes) in runs.iter().zip(&mut passes) {
        *passes = enough(tank, engine, *run, effort.seconds)?;
    }
    let mut best = [f64::INFINITY; 2];
    for _ in 0..effort.runs {
        for (n, (code, exec)) in runs.into_iter().enumerate() {
            let time = tank.seconds(code, engine, exec, passes[n])?;
            best[n] = best[n].min(time / f64::from(passes[n]));
        }
    }
    Ok(best.map(|seconds| Loop::INSTRUCTIONS / seconds / 1e6))
}

/// So many passes of a loop that they take that long.
fn enough(
    tank: &mut Tank<'_>,
    engine: Engine,
    (code, exec): Run<'_>,
    seconds: f64,
) -> Result<u32, String> {
    let mut passes = 20;
    loop {
        let time = tank.seconds(code, engine, exec, passes)?;
        if time >= seconds / 2.0 || passes > 1 << 26 {
            return Ok((f64::from(passes) * (seconds / time.max(1e-9)).clamp(0.1, 2.0)) as u32 + 1);
        }
        passes *= 3;
    }
}
