//! Prints what it costs to start waves, to let them meet, and to wait for others.
//!
//! `cargo bench -p wavetank --bench waves [-- NAME…]`. One thread; the shortest of several runs counts.

use std::time::{Duration, Instant};

use wavetank::{Chip, Device, Error, Kernel};

/// `tests/data/turns.cl`, compiled for gfx900 by clang 19.
const CODE: &[u8] = include_bytes!("../../tests/data/turns-gfx900.hsaco");

/// Short ones, of which the best was not interrupted.
const RUNS: usize = 400;

/// Groups of four waves that an empty kernel is started with.
const GROUPS: u32 = 1000;
const WAVES: u32 = 4;
/// How often these meet.
const MEETINGS: u32 = 500;
/// Groups in a chain.
const CHAIN: u32 = 320;

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<_> = names.iter().filter(|n| !n.starts_with('-')).collect();
    let requested = |name: &str| names.is_empty() || names.iter().any(|n| *n == name);
    let device = Device::builder(Chip::Gfx900).threads(1).build()?;
    let module = device.load(CODE)?;
    if requested("empty") {
        let kernel = module.kernel("empty")?;
        let time = |groups| shortest(|| empty(&kernel, groups));
        let more = time(2 * GROUPS)? - time(GROUPS)?;
        let waves = f64::from(GROUPS * WAVES);
        println!("a wave of an empty kernel: {:.0} ns", more / waves * 1e9);
    }
    if requested("meet") {
        let kernel = module.kernel("meet")?;
        let time = |n| shortest(|| meet(&kernel, n));
        let more = time(2 * MEETINGS)? - time(MEETINGS)?;
        let meetings = f64::from(MEETINGS * MEETING_GROUPS * WAVES);
        println!("a barrier, a wave: {:.0} ns", more / meetings * 1e9);
    }
    for name in [
        "chain",
        "chain_add",
        "chain_swap",
        "chain_scalar",
        "chain_counted",
    ] {
        if requested(name) {
            let kernel = module.kernel(name)?;
            let start = Instant::now();
            let instructions = chain(&device, &kernel)?;
            println!(
                "{CHAIN} groups, {name}: {:.1} ms, {:.3} M wave instructions",
                start.elapsed().as_secs_f64() * 1e3,
                instructions as f64 / 1e6
            );
        }
    }
    Ok(())
}

/// Seconds of the shortest run.
fn shortest(mut run: impl FnMut() -> Result<Duration, Error>) -> Result<f64, Error> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        best = best.min(run()?);
    }
    Ok(best.as_secs_f64())
}

fn empty(kernel: &Kernel, groups: u32) -> Result<Duration, Error> {
    let dispatch = kernel
        .dispatch()
        .grid(groups * WAVES * 64)
        .block(WAVES * 64);
    Ok(dispatch.run()?.wall)
}

/// Groups that meet.
const MEETING_GROUPS: u32 = 1;

fn meet(kernel: &Kernel, meetings: u32) -> Result<Duration, Error> {
    let dispatch = kernel
        .dispatch()
        .grid(MEETING_GROUPS * WAVES * 64)
        .block(WAVES * 64);
    Ok(dispatch.arg(meetings as i32).run()?.wall)
}

/// The wave instructions of a chain.
fn chain(device: &Device, kernel: &Kernel) -> Result<u64, Error> {
    let flags = device.buffer_zeroed(u64::from(4 * CHAIN))?;
    let dispatch = kernel.dispatch().grid(CHAIN * 64).block(64);
    let report = dispatch.arg(&flags).arg(CHAIN as i32).count(true).run()?;
    Ok(report.instructions.map_or(0, |counts| counts.waves()))
}
