//! The class of an instruction, and the operations on numbers that it does, by its form and its name.

use wavetank_gcn::shapes::Shape;
use wavetank_gcn::{Chip, Form, Inst};

use crate::model::Class;

/// Returns the class of an instruction.
pub fn class(inst: &Inst) -> Class {
    let text = inst.to_string();
    let name = text.split(' ').next().unwrap_or_default();
    match inst.form {
        Form::Smem => Class::ScalarMemory,
        Form::Mubuf | Form::Mtbuf | Form::Mimg | Form::Flat | Form::Global | Form::Scratch => {
            Class::Memory
        }
        Form::Ds => Class::Lds,
        Form::Exp => Class::Other,
        Form::Sop1 | Form::Sop2 | Form::Sopk | Form::Sopc | Form::Sopp => scalar(name),
        _ => vector(name, inst.chip),
    }
}

fn scalar(name: &str) -> Class {
    const BRANCHES: [&str; 6] = [
        "s_branch",
        "s_cbranch",
        "s_setpc",
        "s_swappc",
        "s_call",
        "s_subvector",
    ];
    const OTHERS: [&str; 12] = [
        "s_nop",
        "s_endpgm",
        "s_sleep",
        "s_set",
        "s_send",
        "s_trap",
        "s_icache",
        "s_incperf",
        "s_decperf",
        "s_ttrace",
        "s_dummy",
        "s_wakeup",
    ];
    let is_one_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    match name {
        "s_barrier" => Class::Barrier,
        "s_setreg_b32" | "s_setreg_imm32_b32" | "s_setvskip" => Class::Scalar,
        _ if name.starts_with("s_waitcnt") => Class::Wait,
        _ if is_one_of(&BRANCHES) => Class::Branch,
        _ if is_one_of(&OTHERS) => Class::Other,
        _ => Class::Scalar,
    }
}

fn vector(name: &str, chip: Chip) -> Class {
    const SLOW: [&str; 11] = [
        "v_rcp_",
        "v_rsq_",
        "v_sqrt_",
        "v_exp_",
        "v_log_",
        "v_sin_",
        "v_cos_",
        "v_mul_lo_u32",
        "v_mul_lo_i32",
        "v_mul_hi_",
        "v_mad_u64_u32",
    ];
    let is_product = ["v_mfma", "v_smfmac"]
        .iter()
        .any(|start| name.starts_with(start));
    let is_slow = SLOW.iter().any(|start| name.starts_with(start));
    match name {
        "v_nop" => Class::Other,
        _ if is_product => Class::Matrix,
        // Products of 24 bits have the full rate.
        _ if name.contains("24") => Class::Vector,
        _ if is_slow || name.starts_with("v_mad_i64_i32") => Class::SlowVector,
        _ if name.contains("f64") && !has_fast_doubles(chip) => Class::SlowVector,
        _ => Class::Vector,
    }
}

/// Whether doubles have half the rate or more (LLVM's `FeatureHalfRate64Ops` and `FeatureFullRate64Ops`).
fn has_fast_doubles(chip: Chip) -> bool {
    matches!(
        chip,
        Chip::Gfx600
            | Chip::Gfx701
            | Chip::Gfx906
            | Chip::Gfx908
            | Chip::Gfx90a
            | Chip::Gfx942
            | Chip::Gfx950
    )
}

/// The operations on numbers of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operations {
    /// Operations of each active lane; of a product of matrices, those of the whole wave.
    pub count: u64,
    /// Whether they are those of the wave, whatever lanes are active.
    pub of_wave: bool,
    /// The type of the operands.
    pub operands: &'static str,
}

/// Returns the operations on floats of an instruction; `None` for another instruction. A sum, a product, a minimum or a maximum is
/// one, a product and sum two, as vendors count them.
pub fn operations(inst: &Inst) -> Option<Operations> {
    if let Some(shape) = &inst.op.row().shape {
        return Some(product(shape));
    }
    let text = inst.to_string();
    let name = text.split(' ').next().unwrap_or_default();
    let name = ["_e32", "_e64", "_sdwa", "_dpp"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    let name = name.strip_prefix("v_")?;
    let (pairs, name) = match name.strip_prefix("pk_") {
        Some(name) => (2, name),
        None => (1, name),
    };
    let plain = name.strip_suffix("_legacy").unwrap_or(name);
    let types = ["f16", "f32", "f64"].into_iter();
    let operands = types.rev().find(|ty| plain.ends_with(ty))?;
    let verb = name.split('_').next()?;
    let count = match (verb, name) {
        ("fma" | "fmac" | "fmaak" | "fmamk" | "mad" | "mac" | "madak" | "madmk", _) => 2,
        ("add" | "sub" | "subrev" | "mul" | "min" | "max" | "min3" | "max3" | "med3", _) => 1,
        ("rcp" | "rsq" | "sqrt" | "exp" | "log" | "sin" | "cos" | "ldexp", _) => 1,
        ("dot2" | "dot2c", _) => 4,
        ("dot4", _) => 8,
        ("div", "div_fmas_f32" | "div_fmas_f64") => 2,
        _ => return None,
    };
    Some(Operations {
        count: count * pairs,
        of_wave: false,
        operands,
    })
}

/// The operations of a product of matrices. A sparse product has as many as one of half the depth.
fn product(shape: &Shape) -> Operations {
    let depth = if shape.sparse { shape.k / 2 } else { shape.k };
    let sizes = [shape.m, shape.n, depth, shape.blocks];
    Operations {
        count: 2 * sizes.map(u64::from).iter().product::<u64>(),
        of_wave: true,
        operands: shape.a.name(),
    }
}
