//! The options of ld.lld.

use super::job::Job;
use super::words::{Row, Value};
use crate::exit::{Failure, Result};
use Value::{Either, Joined, None};

/// Options without effect on code objects: optimisation of what is linked at link time, and the identity of builds.
pub(super) const IGNORED: &[&str] = &[
    "-O",
    "--build-id=none",
    "-plugin-opt",
    "--lto-",
    "--color-diagnostics",
];

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("-o", Either, |job, value| { job.output = Some(value.into()); Ok(()) }),
    ("-shared", None, |job, _| { job.shared = true; Ok(()) }),
    ("-no-undefined", None, |job, _| { job.allow_undefined = false; Ok(()) }),
    ("-unresolved-symbols=", Joined, |job, value| { job.allow_undefined = value != "report-all"; Ok(()) }),
    ("-z", Either, keyword),
    ("-m", Either, emulation),
    ("-eh-frame-hdr", None, |_, _| Ok(())),
    ("-no-ld-generated-unwind-info", None, |_, _| Ok(())),
    ("-enable-new-dtags", None, |_, _| Ok(())),
    ("-hash-style=both", None, |_, _| Ok(())),
];

fn keyword(job: &mut Job, value: &str) -> Result {
    match value {
        "defs" => job.allow_undefined = false,
        "undefs" => job.allow_undefined = true,
        "relro" | "now" | "noexecstack" => {}
        _ => {
            return Err(Failure::usage(format!(
                "`-z {value}` is none of defs, undefs, relro, now, noexecstack"
            )));
        }
    }
    Ok(())
}

fn emulation(_: &mut Job, value: &str) -> Result {
    match value {
        "elf64_amdgpu" => Ok(()),
        _ => Err(Failure::usage(format!(
            "`-m {value}` is not elf64_amdgpu: only code for AMD GPUs is linked here"
        ))),
    }
}
