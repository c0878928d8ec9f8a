//! Registers and LDS that keep waves out of a compute unit.

use super::row::{Advice, Rule, Subject};
use crate::number::grouped;

/// Part of the chip's waves up to which occupancy is low.
const LOW: f64 = 0.4;
/// LDS of a compute unit in bytes ("Vega ISA", 10.1; "CDNA 3 ISA", 11.1).
const LDS: u32 = 64 << 10;
/// Unit in which it is allocated, in bytes (LLVM, "User Guide for AMDGPU Backend": `GRANULATED_LDS_SIZE`).
const LDS_UNIT: u32 = 512;
/// Weight of low occupancy against a count: it costs only where waves wait.
const WEIGHT: f64 = 0.25;

pub(super) static RULE: Rule = Rule {
    name: "occupancy",
    finds: "A compute unit holds few waves of the kernel, because registers or LDS are exhausted.",
    why: "Other waves fill the time in which one waits. With few of them, the latency of memory is not hidden.",
    threshold: "40 % of the waves that a SIMD of the chip can hold, or fewer.",
    help: "use fewer registers or less LDS",
    limits: "A kernel with enough independent instructions between a load and its use is fast with few waves, as products of matrices are.",
    judge,
};

fn judge(subject: &Subject<'_>) -> Vec<Advice> {
    let occupancy = &subject.kernel.occupancy;
    let (held, most) = (occupancy.waves_per_simd, occupancy.most_waves_per_simd);
    let part = f64::from(held) / f64::from(most.max(1));
    if held == 0 || part > LOW {
        return Vec::new();
    }
    let resources = &subject.kernel.resources;
    let (limit, help) = match occupancy.limit.as_str() {
        "vgprs" => {
            let next = vgprs_for(&subject.kernel.chip, held + 1);
            let help = format!(
                "with {next} VGPRs a SIMD would hold {}: keep fewer values at once",
                held + 1
            );
            (format!("its {} VGPRs", resources.vgprs), help)
        }
        "sgprs" => (
            format!("its {} SGPRs", resources.sgprs),
            "keep fewer uniform values at once".to_owned(),
        ),
        "lds" => {
            let groups = occupancy.groups_per_unit + 1;
            let help = format!(
                "with {} bytes a compute unit would hold {groups} work-groups",
                grouped((LDS / groups / LDS_UNIT * LDS_UNIT).into())
            );
            (
                format!(
                    "{} bytes of LDS of a work-group",
                    grouped(resources.lds_bytes.into())
                ),
                help,
            )
        }
        "groups" => (
            "the number of work-groups".to_owned(),
            "launch larger work-groups, so that as many of them have more waves".to_owned(),
        ),
        _ => return Vec::new(),
    };
    let message = format!("a SIMD holds {held} of {most} waves, limited by {limit}");
    vec![Advice::of(&RULE, (1.0 - part) * WEIGHT, message).help(help)]
}

/// Returns the most VGPRs with which a SIMD holds so many waves: a lane has 256, in units of 4, and 512 in units of 8 from CDNA 2
/// on (LLVM, "User Guide for AMDGPU Backend": granularity of VGPRs).
fn vgprs_for(chip: &str, waves: u32) -> u32 {
    let is_double = ["gfx90a", "gfx942"]
        .iter()
        .any(|name| chip.starts_with(name));
    let (all, unit) = if is_double { (512, 8) } else { (256, 4) };
    all / waves / unit * unit
}
