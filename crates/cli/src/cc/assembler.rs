//! The options of llvm-mc.

use super::job::{Job, Output, define};
use super::words::{Row, Value};
use crate::exit::{Failure, Result};
use Value::{Either, Joined, Next, None};
use wavetank::object::Feature;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("-arch=", Joined, |job, value| job.set_triple(value)),
    ("-arch", Next, |job, value| job.set_triple(value)),
    ("-triple=", Joined, |job, value| job.set_triple(value)),
    ("-triple", Next, |job, value| job.set_triple(value)),
    ("-mcpu=", Joined, |job, value| job.set_chip(value)),
    ("-mcpu", Next, |job, value| job.set_chip(value)),
    ("-mattr=", Joined, features),
    ("-filetype=", Joined, filetype),
    ("-show-encoding", None, |job, _| { job.shows_encoding = true; Ok(()) }),
    ("-assemble", None, |_, _| Ok(())),
    ("-o", Either, |job, value| { job.output = Some(value.into()); Ok(()) }),
    ("-I", Either, |job, value| { job.folders.push(value.into()); Ok(()) }),
    ("-g", None, |job, _| { job.debug = true; Ok(()) }),
    ("-defsym=", Joined, |job, value| { job.defines.push(define(value)?); Ok(()) }),
    ("-defsym", Next, |job, value| { job.defines.push(define(value)?); Ok(()) }),
    ("-amdhsa-code-object-version=", Joined, |job, value| job.set_version(value)),
];

fn filetype(job: &mut Job, value: &str) -> Result {
    job.made = match value {
        "obj" => Output::Object,
        "asm" => Output::Text,
        "null" => Output::Nothing,
        _ => {
            return Err(Failure::usage(format!(
                "`-filetype={value}` is none of obj, asm, null"
            )));
        }
    };
    Ok(())
}

/// Reads features of the chip: `+xnack,-sramecc`.
fn features(job: &mut Job, value: &str) -> Result {
    for feature in value.split(',') {
        let state = if feature.starts_with('-') {
            Feature::Off
        } else {
            Feature::On
        };
        match feature.trim_start_matches(['+', '-']) {
            "xnack" => job.xnack = Some(state),
            "sramecc" | "sram-ecc" => job.sramecc = Some(state),
            "code-object-v3" => job.version = if state == Feature::On { 3 } else { 2 },
            "wavefrontsize64" | "cumode" if state == Feature::On => {}
            _ => {
                return Err(Failure::usage(format!(
                    "`-mattr={feature}` is none of xnack, sramecc, code-object-v3: the rest follows from the chip"
                )));
            }
        }
    }
    Ok(())
}
