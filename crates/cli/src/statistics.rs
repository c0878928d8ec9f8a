//! Statistics of kernels as JSON: the same members for one launch, for a kernel of a program and for the whole program.

use serde::Serialize;
use serde_json::{Map, Value};
use wavetank::CheckTimes;
use wavetank::statistics::Sum;

/// What ran, in what time, and what the compiler did for it.
#[derive(Serialize)]
pub(crate) struct Statistics {
    waves: u64,
    wave_instructions: u64,
    lane_instructions: u64,
    by_family: Map<String, Value>,
    wall_seconds: f64,
    wave_instructions_per_second: f64,
    compiled: Compilation,
    /// The time of tools, if any took some for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Checks>,
}

/// Seconds that tools took for themselves.
#[derive(Serialize)]
struct Checks {
    race: f64,
    sync: f64,
    /// Reading code for `wait`, `hazard` and `limits`.
    code: f64,
}

/// Statistics of the compiler.
#[derive(Serialize)]
struct Compilation {
    /// The share of wave instructions that compiled code executed.
    share: f64,
    regions: u64,
    /// The number of these regions that are unrolled loops.
    loops: u64,
    refused: u64,
    seconds: f64,
    bytes: u64,
    /// The operations on the slow path with their number of places in compiled code, the most frequent first.
    by_interpreter: Map<String, Value>,
}

impl Statistics {
    pub(crate) fn of(sum: &Sum) -> Statistics {
        let counts = &sum.instructions;
        let seconds = sum.time.as_secs_f64();
        let families = counts.by_family();
        Statistics {
            waves: sum.waves,
            wave_instructions: counts.waves(),
            lane_instructions: counts.lanes,
            by_family: families
                .map(|(family, count)| (family.name().to_owned(), count.into()))
                .collect(),
            wall_seconds: seconds,
            wave_instructions_per_second: counts.waves() as f64 / seconds.max(1e-9),
            compiled: Compilation::of(sum),
            checks: Checks::of(&sum.checks),
        }
    }
}

impl Checks {
    fn of(times: &CheckTimes) -> Option<Checks> {
        let checks = Checks {
            race: times.race.as_secs_f64(),
            sync: times.sync.as_secs_f64(),
            code: times.code.as_secs_f64(),
        };
        (!times.sum().is_zero()).then_some(checks)
    }
}

impl Compilation {
    fn of(sum: &Sum) -> Compilation {
        let compiled = &sum.compiled;
        let slow = compiled.slow_paths().into_iter();
        Compilation {
            share: sum.compiled_share(),
            regions: compiled.blocks,
            loops: compiled.loops,
            refused: compiled.refused,
            seconds: compiled.time.as_secs_f64(),
            bytes: compiled.bytes,
            by_interpreter: slow
                .map(|(name, count)| (name.to_owned(), count.into()))
                .collect(),
        }
    }
}
