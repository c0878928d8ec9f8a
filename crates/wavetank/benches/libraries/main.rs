//! Prints how fast kernels of the shapes that libraries have run on the emulated GPU: products of matrices, transforms,
//! sorting, sums up to each element, random numbers, a search that ends at another time in each lane (`data/libraries.cl`).
//!
//! `cargo bench -p wavetank --bench libraries [-- [--quick] [NAME…]]`. All engines get the same data and take turns; the
//! shortest time of each counts, from the first launch to the return of the last. Products are compared with OpenBLAS where it is
//! installed, all else with plain code of the host on one thread. Every result is checked, and a wrong one makes the
//! program fail.

#[path = "../kernels/agreement.rs"]
#[allow(dead_code, reason = "not all kinds of agreement are needed here")]
mod agreement;
mod blas;
mod cases;
mod gemm;
mod host;
mod numbers;
mod ours;
mod table;
#[path = "../kernels/turns.rs"]
mod turns;
#[path = "../kernels/words.rs"]
mod words;

use std::error::Error;
use std::process::ExitCode;

use wavetank::{EngineChoice, Simd};

use blas::Blas;
use cases::Case;
use host::Host;
use ours::Ours;
use table::Table;
use turns::{Entries, TURNS};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let names: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();

    let engines = Engines::new()?;
    table::print_head();
    let mut right = true;
    for (name, make) in cases::ALL {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            right &= measure(&make(name, quick), &engines)?;
        }
    }
    Ok(ExitCode::from(u8::from(!right)))
}

/// All that take turns.
struct Engines {
    ours: Vec<Ours>,
    blas: Option<Blas>,
    host: Host,
}

impl Engines {
    fn new() -> Result<Engines, wavetank::Error> {
        let blas = Blas::new().inspect_err(|why| {
            eprintln!("NOTE: no comparison with OpenBLAS (Debian: libopenblas0-pthread): {why}");
        });
        Ok(Engines {
            ours: ours()?,
            blas: blas.ok(),
            host: Host,
        })
    }
}

/// Compiled code at the best level with one thread and two, at AVX2 with two, and the interpreter with two.
fn ours() -> Result<Vec<Ours>, wavetank::Error> {
    use EngineChoice::{Auto, Interpreter};
    let best = Simd::detect();
    let mut choices = vec![(Auto, 1, best), (Auto, 2, best)];
    if best == Simd::Avx512 {
        choices.push((Auto, 2, Simd::Avx2));
    }
    choices.push((Interpreter, 2, best));
    let ours = choices.into_iter();
    ours.map(|(engine, threads, simd)| Ours::new(engine, threads, simd))
        .collect()
}

/// Prints the rows of a case; whether all results are right.
fn measure(case: &Case, engines: &Engines) -> Result<bool, Box<dyn Error>> {
    let work = engines.ours.iter().map(|ours| ours.work(case));
    let work = work.collect::<Result<_, _>>()?;
    let mut ours = Entries::new(case, &engines.ours)?;
    let mut blas = Entries::new(case, &engines.blas)?;
    let mut host = Entries::new(case, [&engines.host])?;
    for _ in 0..TURNS {
        ours.turn()?;
        host.turn()?;
        blas.turn()?;
    }
    let mut peers = host.rows()?;
    peers.extend(blas.rows()?);
    let mut expected = Vec::new();
    (case.expected)(&mut expected);
    let table = Table {
        case,
        expected,
        ours: ours.rows()?,
        work,
        peer: peers.pop(),
    };
    Ok(table.print())
}
