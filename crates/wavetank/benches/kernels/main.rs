//! Prints how fast the kernels of `data/bench.cl` run on the emulated GPU, compiled from source on PoCL, and, for some of
//! them, written for the host by hand.
//!
//! `cargo bench -p wavetank --bench kernels [-- [--quick] [NAME…]]`. All engines get the same sizes and the same data,
//! and take turns; the shortest time of each counts. Results are compared in the same run: with PoCL's or, where there is
//! no PoCL, with those of native code.

mod agreement;
mod cases;
mod native;
mod ours;
mod pocl;
mod table;
mod turns;
mod words;

use std::error::Error;

use wavetank::{EngineChoice, Simd};

use cases::Case;
use native::Native;
use ours::Ours;
use pocl::Pocl;
use table::Table;
use turns::{Entries, TURNS};

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let names: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();

    let engines = Engines::new()?;
    table::print_head();
    for case in cases::cases(quick) {
        if names.is_empty() || names.iter().any(|name| *name == case.name) {
            measure(&case, &engines)?;
        }
    }
    Ok(())
}

/// All that take turns.
struct Engines {
    ours: Vec<Ours>,
    pocl: Option<Pocl>,
    natives: Vec<Native>,
}

impl Engines {
    fn new() -> Result<Engines, wavetank::Error> {
        let pocl = Pocl::new().inspect_err(|why| {
            eprintln!(
                "NOTE: no comparison with PoCL (Debian: pocl-opencl-icd ocl-icd-libopencl1): {why}"
            );
        });
        let natives = Native::all();
        if natives.is_empty() {
            eprintln!("NOTE: no comparison with native code: this host has no AVX-512");
        }
        Ok(Engines {
            ours: ours()?,
            pocl: pocl.ok(),
            natives,
        })
    }
}

/// Compiled code and the interpreter with one thread and two; and at the lower levels of features compiled code, where there
/// is some, with one thread and two, and the interpreter with one.
fn ours() -> Result<Vec<Ours>, wavetank::Error> {
    use EngineChoice::{Auto, Interpreter};
    let levels = match Simd::detect() {
        Simd::Avx512 => &[Simd::Avx512, Simd::Avx2, Simd::Baseline][..],
        Simd::Avx2 => &[Simd::Avx2, Simd::Baseline],
        Simd::Baseline => &[Simd::Baseline],
    };
    let mut ours = Vec::new();
    for (n, simd) in levels.iter().enumerate() {
        let choices: &[_] = match (*simd, n) {
            (Simd::Baseline, 1..) => &[(Interpreter, 1)],
            (_, 0) => &[(Auto, 1), (Auto, 2), (Interpreter, 1), (Interpreter, 2)],
            _ => &[(Auto, 1), (Auto, 2), (Interpreter, 1)],
        };
        for (engine, threads) in choices {
            ours.push(Ours::new(*engine, *threads, *simd)?);
        }
    }
    Ok(ours)
}

/// Prints the rows of a kernel.
fn measure(case: &Case, engines: &Engines) -> Result<(), Box<dyn Error>> {
    let mut ours = Entries::new(case, &engines.ours)?;
    let mut pocl = Entries::new(case, &engines.pocl)?;
    let mut natives = Entries::new(case, &engines.natives)?;
    let count = engines.ours[0].count(case)?;
    for _ in 0..TURNS {
        pocl.turn()?;
        ours.turn()?;
        natives.turn()?;
    }
    let table = Table {
        case,
        count,
        ours: ours.rows()?,
        pocl: pocl.rows()?.pop(),
        natives: natives.rows()?,
    };
    table.print();
    Ok(())
}
