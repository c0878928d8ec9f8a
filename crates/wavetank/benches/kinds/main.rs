//! Prints how many wave instructions of each kind one core does in a second.
//!
//! `cargo bench -p wavetank --bench kinds [-- [--quick] [WORD…]]`: kinds whose name has one of the words, all without one.
//! `WAVETANK_SIMD` chooses the level of processor features. A kind is a loop of 16 copies on one wave, without counting.
//! The shortest of several runs counts, in processor time. `ratio` is to `v_add_u32` as it was measured in turn with the
//! kind, so that it can be compared between machines and between busy hours.

mod kinds;
mod tank;

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::AcqRel;

use tank::{Loop, Tank};
use wavetank::Simd;
use wavetank::environment::KernelSettings;

/// What everything is compared with, in a register that no kind has: it would make NaNs of others' numbers.
const YARDSTICK: &str = "v_add_u32 v30, v30, v1";

/// How long and how often a kind runs.
struct Effort {
    /// Processor time of a run, in seconds.
    seconds: f64,
    runs: usize,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<_> = args.iter().filter(|a| !a.starts_with('-')).collect();
    let effort = match args.iter().any(|arg| arg == "--quick") {
        true => Effort {
            seconds: 0.001,
            runs: 3,
        },
        false => Effort {
            seconds: 0.004,
            runs: 7,
        },
    };
    let simd = KernelSettings::from_env()?.simd;
    let simd = simd.map_or_else(Simd::detect, Simd::or_best);
    let registry = wavetank::Registry::new();
    let mut tank = Tank::new(&registry, simd)?;
    let yardstick = tank.assemble(YARDSTICK)?;

    println!(
        "{:44} {:>9} {:>7}  ({simd:?})",
        "kind", "M instr/s", "ratio"
    );
    let mut failed = 0;
    for kind in kinds::all() {
        if !words.is_empty() && !words.iter().any(|w| kind.name.contains(w.as_str())) {
            continue;
        }
        let code = tank.assemble(&kind.text)?;
        tank.set_up(&kind);
        match rates(&mut tank, [(&code, kind.exec), (&yardstick, !0)], &effort) {
            Ok([rate, unit]) => println!("{:44} {rate:9.2} {:7.3}", kind.name, rate / unit),
            Err(why) => {
                println!("{:44} {why}", kind.name);
                failed += 1;
            }
        }
    }
    if words.is_empty() || words.iter().any(|w| PEER.contains(w.as_str())) {
        let [unit, _] = rates(&mut tank, [(&yardstick, !0); 2], &effort)?;
        let rate = locked_additions(&effort)?;
        println!("{PEER:44} {rate:9.2} {:7.3}", rate / unit);
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// What global atomics at distinct addresses can be compared with: a program of the host.
const PEER: &str = "the host's atomic_add to 64 words";

/// How often a thread does that, in millions a second.
fn locked_additions(effort: &Effort) -> Result<f64, String> {
    let words: [AtomicU32; 64] = std::array::from_fn(|_| AtomicU32::new(0));
    let rounds = (effort.seconds * 2e6) as u32;
    let mut best = f64::INFINITY;
    for _ in 0..effort.runs {
        let start = tank::processor_time()?;
        for _ in 0..rounds {
            for word in black_box(&words) {
                word.fetch_add(3, AcqRel);
            }
        }
        best = best.min((tank::processor_time()? - start) / f64::from(rounds));
    }
    Ok(1e-6 / best)
}

/// A loop, and the lanes that are on.
type Run<'a> = (&'a Loop, u64);

/// Millions of wave instructions a second of two loops that take turns.
fn rates(tank: &mut Tank<'_>, runs: [Run<'_>; 2], effort: &Effort) -> Result<[f64; 2], String> {
    let mut passes = [0; 2];
    for (run, passes) in runs.iter().zip(&mut passes) {
        *passes = enough(tank, *run, effort.seconds)?;
    }
    let mut best = [f64::INFINITY; 2];
    for _ in 0..effort.runs {
        for (n, (code, exec)) in runs.into_iter().enumerate() {
            let time = tank.seconds(code, exec, passes[n])?;
            best[n] = best[n].min(time / f64::from(passes[n]));
        }
    }
    Ok(best.map(|seconds| Loop::INSTRUCTIONS / seconds / 1e6))
}

/// So many passes of a loop that they take that long.
fn enough(tank: &mut Tank<'_>, (code, exec): Run<'_>, seconds: f64) -> Result<u32, String> {
    let mut passes = 20;
    loop {
        let time = tank.seconds(code, exec, passes)?;
        if time >= seconds / 2.0 || passes > 1 << 26 {
            return Ok((f64::from(passes) * (seconds / time.max(1e-9)).clamp(0.1, 2.0)) as u32 + 1);
        }
        passes *= 3;
    }
}
