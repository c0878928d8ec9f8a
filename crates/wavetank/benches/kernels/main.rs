//! Prints how fast the kernels of `data/bench.cl` run on the emulated GPU and, compiled from source, on PoCL.
//!
//! `cargo bench -p wavetank --bench kernels [-- [--quick] [NAME…]]`. All engines get the same sizes and the same data,
//! and take turns; the shortest time of each counts. Results are compared with each other in the same run.

mod cases;
mod ours;
mod pocl;

use std::error::Error;
use std::time::Duration;

use wavetank::{EngineChoice, Simd};

use cases::Case;
use ours::Ours;
use pocl::Pocl;

/// Turns that every engine gets, as long as it has run less than `ENOUGH`.
const TURNS: usize = 7;
const ENOUGH: Duration = Duration::from_secs(3);

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let names: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();

    let engines = engines()?;
    let pocl = Pocl::new()
        .inspect_err(|why| {
            eprintln!(
                "NOTE: no comparison with PoCL (Debian: pocl-opencl-icd ocl-icd-libopencl1): {why}"
            );
        })
        .ok();
    println!(
        "{:13} {:24} {:>10} {:>8} {:>10} {:>8} {:>8}  results",
        "kernel", "engine", "ms", "M instr", "M instr/s", "of 1 thr", "of PoCL"
    );
    for case in cases::cases(quick) {
        if names.is_empty() || names.iter().any(|name| *name == case.name) {
            measure(&case, &engines, pocl.as_ref())?;
        }
    }
    Ok(())
}

/// Compiled code and the interpreter with one thread and two, and the interpreter at the lower levels of features.
fn engines() -> Result<Vec<(String, Ours)>, wavetank::Error> {
    use EngineChoice::{Auto, Interpreter};
    let best = Simd::detect();
    let at_best = [(Auto, 1), (Auto, 2), (Interpreter, 1), (Interpreter, 2)];
    let at_best = at_best.map(|(engine, threads)| (engine, threads, best));
    let lower = match best {
        Simd::Avx512 => &[Simd::Avx2, Simd::Baseline][..],
        Simd::Avx2 => &[Simd::Baseline],
        Simd::Baseline => &[],
    };
    let lower = lower.iter().map(|simd| (Interpreter, 1, *simd));
    let engines = at_best.into_iter().chain(lower);
    engines
        .map(|(engine, threads, simd)| {
            let what = match engine {
                Interpreter => "interpreted",
                _ => "compiled",
            };
            let label = format!("{what}, {simd:?}, {threads}");
            Ok((label, Ours::new(engine, threads, simd)?))
        })
        .collect()
}

/// Prints the rows of a kernel.
fn measure(
    case: &Case,
    engines: &[(String, Ours)],
    pocl: Option<&Pocl>,
) -> Result<(), Box<dyn Error>> {
    let ours: Result<Vec<_>, _> = engines.iter().map(|(_, e)| e.prepare(case)).collect();
    let ours = ours?;
    let mut theirs = pocl.map(|pocl| pocl.prepare(case)).transpose()?;
    let count = engines[0].1.count(case, &ours[0])?;

    let mut times = vec![Times::default(); engines.len()];
    let mut pocl_times = Times::default();
    for _ in 0..TURNS {
        if let (Some(pocl), Some(ready)) = (pocl, &mut theirs) {
            pocl_times.add(|| pocl.time(case, ready))?;
        }
        for (((_, engine), ready), times) in engines.iter().zip(&ours).zip(&mut times) {
            times.add(|| engine.time(case, ready))?;
        }
    }

    let results: Result<Vec<_>, _> = engines
        .iter()
        .zip(&ours)
        .map(|((_, engine), ready)| engine.result(ready))
        .collect();
    let results = results?;
    let reference = match (pocl, &theirs) {
        (Some(pocl), Some(ready)) => Some(pocl.result(ready)?),
        _ => None,
    };
    let one = times[0].best.as_secs_f64();
    let row = |label: &str, time: Duration, agreement: &str| {
        let time = time.as_secs_f64();
        let pocl = match pocl {
            Some(_) => format!("{:.2}", pocl_times.best.as_secs_f64() / time),
            None => "-".to_owned(),
        };
        println!(
            "{:13} {label:24} {:10.2} {:8.1} {:10.1} {:8.2} {pocl:>8}  {agreement}",
            case.name,
            time * 1e3,
            count as f64 / 1e6,
            count as f64 / 1e6 / time,
            one / time,
        );
    };
    for (((label, _), times), result) in engines.iter().zip(&times).zip(&results) {
        let levels_agree = *result == results[0];
        let agreement = match &reference {
            _ if !levels_agree => "WRONG: differs from the first row".to_owned(),
            Some(reference) => case.agreement.check(result, reference),
            None => String::new(),
        };
        row(label, times.best, &agreement);
    }
    if let Some(pocl) = pocl {
        row(&pocl.label, pocl_times.best, "");
    }
    Ok(())
}

/// The times of an engine's turns.
#[derive(Clone, Default)]
struct Times {
    best: Duration,
    sum: Duration,
    turns: usize,
}

impl Times {
    /// Another turn, unless there were enough.
    fn add<E>(&mut self, run: impl FnOnce() -> Result<Duration, E>) -> Result<(), E> {
        if self.turns >= 2 && self.sum > ENOUGH {
            return Ok(());
        }
        let time = run()?;
        self.best = if self.turns == 0 {
            time
        } else {
            self.best.min(time)
        };
        self.sum += time;
        self.turns += 1;
        Ok(())
    }
}
