//! Lane patterns as functions of pseudo-code: DPP (Vega ISA, 13 "DPP") and DS_SWIZZLE_B32 (GCN wiki, "DS instructions").

use wavetank_gcn::tables::Ds;
use wavetank_gcn::{Form, Generation, Inst, Op};

use super::expression::{Expr, call};

/// A lane pattern: the function that stands for it, and its numeric arguments after the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LanePattern {
    name: &'static str,
    numbers: Vec<u16>,
}

impl LanePattern {
    /// Returns the pattern of an instruction, if it has one.
    pub(super) fn of(inst: &Inst) -> Option<LanePattern> {
        let (name, numbers) = match (inst.form, inst.op) {
            (Form::Dpp, _) => dpp(inst.mods.dpp_ctrl)?,
            (_, Op::Ds(Ds::DS_SWIZZLE_B32)) => {
                let rotates = inst.chip.generation() >= Generation::Gfx8;
                swizzle(inst.mods.offset as u16, rotates)
            }
            _ => return None,
        };
        Some(LanePattern { name, numbers })
    }

    /// Returns the call that gives a lane's new value.
    pub(super) fn call(&self, value: &Expr) -> Expr {
        let numbers = self.numbers.iter().map(u16::to_string);
        let args: Vec<String> = [value.argument("")].into_iter().chain(numbers).collect();
        call(self.name, &args, "")
    }
}

/// Decodes a `quad_perm`: the source lane of each of four lanes, from two bits each.
fn quad(bits: u16) -> (&'static str, Vec<u16>) {
    let lanes = (0..4).map(|n| bits >> (2 * n) & 3);
    ("quad_perm", lanes.collect())
}

fn dpp(control: u16) -> Option<(&'static str, Vec<u16>)> {
    let by = vec![control & 15];
    Some(match control {
        0..=0xff => quad(control),
        0x101..=0x10f => ("row_shl", by),
        0x111..=0x11f => ("row_shr", by),
        0x121..=0x12f => ("row_ror", by),
        0x130 => ("wave_shl", vec![]),
        0x134 => ("wave_rol", vec![]),
        0x138 => ("wave_shr", vec![]),
        0x13c => ("wave_ror", vec![]),
        0x140 => ("row_mirror", vec![]),
        0x141 => ("row_half_mirror", vec![]),
        0x142 => ("row_bcast15", vec![]),
        0x143 => ("row_bcast31", vec![]),
        _ => return None,
    })
}

fn swizzle(offset: u16, rotates: bool) -> (&'static str, Vec<u16>) {
    let field = |shift: u16| offset >> shift & 31;
    match offset {
        0xe000.. if rotates => ("fft", vec![field(0)]),
        0xc000.. if rotates && offset & 0x400 != 0 => ("rotate_down", vec![field(5), field(0)]),
        0xc000.. if rotates => ("rotate_up", vec![field(5), field(0)]),
        0x8000.. => quad(offset),
        _ => ("swizzle", vec![field(0), field(5), field(10)]),
    }
}
