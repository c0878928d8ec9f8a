//! Programs that were written for GPUs, built by the compilers of the system and run by `wavetank run` unchanged: those of
//! `tests/hip`, `tests/rocm`, `tests/openmp` and `tests/hsa` at the root of the repository. Each checks itself against the
//! CPU. Those of `tests/check` are run by `wavetank check`, with a mistake and without ([`planted`]), those of `tests/removed`
//! without instructions of theirs ([`removed`]).

mod build;
mod captures;
mod checked;
mod execution;
mod exports;
mod parent;
mod planted;
mod prints;
mod profile;
mod program;
mod removed;
mod run;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use self::build::Toolchain;
pub(crate) use self::execution::build_library;
use self::program::Program;

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn hip() {
    check(&Toolchain::HIP, "hip", "hip");
}

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn rocm_libraries() {
    check(&Toolchain::ROCM, "rocm", "hip");
}

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn hsa() {
    check(&Toolchain::C, "hsa", "c");
}

/// The same programs with the address and undefined-behaviour sanitizers of the compiler.
#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn hsa_with_sanitizers() {
    check(&Toolchain::C_SANITIZED, "hsa", "c");
}

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn openmp_of_llvm() {
    check(&Toolchain::OPENMP_LLVM, "openmp", "c");
}

#[test]
#[ignore = "builds and runs programs for minutes, with compilers that must be installed"]
fn openmp_of_gcc() {
    check(&Toolchain::OPENMP_GCC, "openmp", "c");
}

/// Whether HIP programs can be built here; a line says so where they cannot.
pub(crate) fn hip_is_here() -> bool {
    Toolchain::HIP.is_here()
}

/// Builds and runs every program of a folder on each GPU.
fn check(toolchain: &Toolchain, folder: &str, extension: &str) {
    if toolchain.is_here() {
        build_library();
        for_each(folder, extension, |source| check_program(toolchain, source));
    }
}

/// Does something with every program of a folder, on all processors, and fails if it tells of failures.
fn for_each(folder: &str, extension: &str, check: impl Fn(&Path) -> Vec<String> + Sync) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests")).join(folder);
    let programs = sources(&folder, extension);
    assert!(!programs.is_empty(), "{} is empty", folder.display());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some(source) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut found = check(source);
            failures
                .lock()
                .expect("no worker panics")
                .append(&mut found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(worker);
        }
    });
    let failures = failures.into_inner().expect("no worker panics");
    assert!(
        failures.is_empty(),
        "{} of {} programs failed:\n{}",
        failures.len(),
        programs.len(),
        failures.join("\n")
    );
}

/// What is wrong with one program, a message for each GPU.
fn check_program(toolchain: &Toolchain, source: &Path) -> Vec<String> {
    let program = Program::read(source);
    let mut failures = Vec::new();
    for gpu in toolchain.gpus(&program) {
        let outcome = toolchain.build(&program, gpu).and_then(|built| {
            let run = execution::run(&built, gpu, &program.options)?;
            program.judge(&run)
        });
        if let Err(message) = outcome {
            failures.push(format!("-- {} on {gpu}: {message}", source.display()));
        }
    }
    failures
}

/// The sources of a folder, in the order of their names.
fn sources(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("the tests are there");
    let mut sources: Vec<_> = entries
        .map(|entry| entry.expect("the tests can be listed").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    sources.sort();
    sources
}
