//! The options of clang for assembling and linking.

use super::job::{Job, define};
use super::words::{Row, Value, Words};
use super::{linker, words};
use crate::exit::{Failure, Result};
use Value::{Either, Joined, Next, None};
use wavetank::object::Feature;

/// Options that assembling and linking do not need: optimisation, warnings, debugging of compiled code, libraries of the host.
pub(super) const IGNORED: &[&str] = &[
    "-O",
    "-W",
    "-w",
    "-pipe",
    "-v",
    "-std=",
    "-pedantic",
    "-nogpulib",
    "-nogpuinc",
    "-nostdlib",
    "-nostdinc",
    "-nodefaultlibs",
    "-no-canonical-prefixes",
    "-integrated-as",
    "-m64",
    "-mcumode",
    "-mno-cumode",
    "-mwavefrontsize64",
    "-munsafe-fp-atomics",
    "-Qunused-arguments",
    "-shared",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fno-",
    "-fvisibility",
    "-fcolor-diagnostics",
    "-fdiagnostics",
    "-fuse-ld=lld",
    "-fintegrated-as",
    "-ffunction-sections",
    "-fdata-sections",
    "-ffast-math",
    "-ffp-",
    "-fgpu-",
    "-fansi-escape-codes",
    "--hip-device-lib-path=",
    "--rocm-path=",
    "--rocm-device-lib-path=",
];

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("-c", None, |job, _| { job.compiles = true; Ok(()) }),
    ("-o", Either, |job, value| { job.output = Some(value.into()); Ok(()) }),
    ("-x", Either, language),
    ("-target", Next, |job, value| job.set_triple(value)),
    ("-target=", Joined, |job, value| job.set_triple(value)),
    ("-mcpu=", Joined, |job, value| job.set_chip(value)),
    ("-mxnack", None, |job, _| { job.xnack = Some(Feature::On); Ok(()) }),
    ("-mno-xnack", None, |job, _| { job.xnack = Some(Feature::Off); Ok(()) }),
    ("-msram-ecc", None, |job, _| { job.sramecc = Some(Feature::On); Ok(()) }),
    ("-mno-sram-ecc", None, |job, _| { job.sramecc = Some(Feature::Off); Ok(()) }),
    ("-mcode-object-version=", Joined, |job, value| job.set_version(value)),
    ("-mcode-object-v3", None, |job, _| { job.version = 3; Ok(()) }),
    ("-mno-code-object-v3", None, |job, _| { job.version = 2; Ok(()) }),
    ("-I", Either, |job, value| { job.folders.push(value.into()); Ok(()) }),
    // The preprocessor's: assembly without one does not see them.
    ("-D", Either, |_, _| Ok(())),
    ("-U", Either, |_, _| Ok(())),
    ("-g", None, |job, _| { job.debug = true; Ok(()) }),
    ("-g", Joined, |job, value| { job.debug = value != "0"; Ok(()) }),
    ("-Wa,", Joined, |job, value| pass(job, value, ASSEMBLER)),
    ("-Xassembler", Next, |job, value| { job.passed.push(value.to_owned()); Ok(()) }),
    ("-Wl,", Joined, |job, value| pass(job, value, linker::ROWS)),
    ("-Xlinker", Next, |job, value| pass(job, value, linker::ROWS)),
    ("-MD", None, |job, _| { job.dependencies = true; Ok(()) }),
    ("-MMD", None, |job, _| { job.dependencies = true; Ok(()) }),
    ("-MF", Either, |job, value| { job.dependency_file = Some(value.into()); Ok(()) }),
    ("-MT", Either, |job, value| { job.dependency_target = Some(value.to_owned()); Ok(()) }),
    ("-MQ", Either, |job, value| { job.dependency_target = Some(value.to_owned()); Ok(()) }),
    ("-MP", None, |_, _| Ok(())),
    ("-ferror-limit=", Joined, |job, value| job.set_limit(value)),
    ("-E", None, |_, _| Err(compiles("-E"))),
    ("-S", None, |_, _| Err(compiles("-S"))),
    ("-fsyntax-only", None, |_, _| Err(compiles("-fsyntax-only"))),
    ("-emit-llvm", None, |_, _| Err(compiles("-emit-llvm"))),
];

/// Options of the assembler within clang's.
#[rustfmt::skip]
pub(super) const ASSEMBLER: &[Row] = &[
    ("-defsym", Next, |job, value| { job.defines.push(define(value)?); Ok(()) }),
    ("-defsym=", Joined, |job, value| { job.defines.push(define(value)?); Ok(()) }),
    ("-I", Either, |job, value| { job.folders.push(value.into()); Ok(()) }),
    ("-g", None, |job, _| { job.debug = true; Ok(()) }),
    ("-mcpu=", Joined, |job, value| job.set_chip(value)),
    ("-mcode-object-version=", Joined, |job, value| job.set_version(value)),
    ("-noexecstack", None, |_, _| Ok(())),
    ("-no-warn", None, |_, _| Ok(())),
    ("-fatal-warnings", None, |_, _| Ok(())),
];

fn compiles(option: &str) -> Failure {
    Failure::usage(format!(
        "`{option}` is for a compiler: sources are only assembled here"
    ))
}

fn language(job: &mut Job, value: &str) -> Result {
    match value {
        "assembler" | "none" => {
            job.is_assembly = value == "assembler";
            Ok(())
        }
        "assembler-with-cpp" => Err(Failure::usage(
            "`-x assembler-with-cpp` needs the preprocessor of C: use `-x assembler`, and `.include`, `.if`, `.macro`",
        )),
        other => Err(Failure::usage(format!(
            "`-x {other}` is for a compiler: sources are only assembled here"
        ))),
    }
}

/// Passes words between commas to another tool's options.
fn pass(job: &mut Job, words: &str, rows: &[Row]) -> Result {
    let list = words.split(',').map(Into::into).collect();
    pass_all(job, words::Words::new(list)?, rows)
}

/// Reads words as options of another tool.
pub(super) fn pass_all(job: &mut Job, mut words: Words, rows: &[Row]) -> Result {
    while let Some(word) = words.next() {
        if !words.option(&word, rows, job)? {
            return Err(Failure::usage(format!(
                "`{word}` is not an option for assembling or linking: leave it out, or call LLVM's own tool"
            )));
        }
    }
    Ok(())
}
