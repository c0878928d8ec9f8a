//! Interpolation of parameters (Vega ISA, 12.9 VINTERP; the layout of the parameters in LDS is that of the CLRX wiki, "GCN ISA
//! VINTRP instructions").
//!
//! M0 holds the address of the parameters [15:0] and a mask [30:16]. Bit n of the mask says that four lanes from 4 · (n + 1) on
//! begin a new primitive. The values of attribute a for primitive p begin at dword 12 · (a · primitives + p): P0 and P10 of x, of
//! y, of z, of w, then P20 of x, y, z, w.
//!
//! Like V_MAD_F32, whose unit executes them, these instructions round twice and flush denormals.

use wavetank_gcn::tables::Vintrp::{self, *};
use wavetank_gcn::{Field, Flags, Operand};
use wavetank_ir::Elem;

use super::operand::Vector;
use crate::block::Flow;
use crate::memory::lds_dma;
use crate::value::{Float, Int};

/// The selector of one of a channel's three values.
#[derive(Clone, Copy)]
enum Which {
    P0,
    P10,
    P20,
}

pub(super) fn lift(v: &Vector, op: Vintrp) -> Flow {
    match op {
        V_INTERP_P1_F32 => {
            let (p0, p10) = (single(v, Which::P0), single(v, Which::P10));
            v.float(|[i]| p10.flushing().mad(i, p0))
        }
        V_INTERP_P2_F32 => {
            let p20 = single(v, Which::P20);
            v.float(|[j, d]| p20.flushing().mad(j, d))
        }
        V_INTERP_MOV_F32 => {
            let which = match v.l.inst.operand(Field::Param) {
                Operand::Imm(0) => Which::P10,
                Operand::Imm(1) => Which::P20,
                Operand::Imm(2) => Which::P0,
                _ => return Flow::unsupported(v.l.inst, "its parameter is reserved"),
            };
            v.write(single(v, which).v, Elem::F32);
            Flow::Next
        }
    }
}

/// V_INTERP_P1LL_F16 and V_INTERP_P1LV_F16: the first step for halves, with P0
/// from LDS or from a register. The result is in single precision.
pub(super) fn first_half(v: &Vector, p0: Option<Field>) -> Flow {
    let p10 = half(v, parameter(v, Which::P10));
    match p0 {
        None => {
            let p0 = half(v, parameter(v, Which::P0));
            v.float(|[i]| p10.flushing().mad(i, p0))
        }
        Some(field) => {
            let Operand::Vgpr(n) = v.l.inst.operand(field) else {
                return Flow::unsupported(v.l.inst, "its third source is not a vector register");
            };
            let pair = v.b().read(wavetank_ir::Reg::V(n.into()));
            let p0 = v.sign_modifiers(2, Elem::F32, half(v, Int::i32(v.b(), pair)).v);
            let p0 = Float { v: p0, ..p10 };
            let [i] = single_sources(v);
            v.write(p10.flushing().mad(i, p0).v, Elem::F32);
            Flow::Next
        }
    }
}

/// V_INTERP_P2_F16: the second step for halves.
pub(super) fn second_half(v: &Vector) -> Flow {
    let p20 = half(v, parameter(v, Which::P20));
    let [j, sum] = single_sources(v);
    let result = p20.flushing().mad(j, sum);
    let narrow = v.saturated(v.resize(result, Elem::F16), [result]);
    v.write(narrow.v, Elem::F16);
    Flow::Next
}

/// The first sources, which are in single precision.
fn single_sources<'a, const N: usize>(v: &Vector<'a>) -> [Float<'a>; N] {
    let mut sources = v.sources();
    std::array::from_fn(|_| {
        let (spec, operand) = sources.next().expect("the row has as many sources");
        let value = v.source(spec, operand);
        Float::new(v.b(), Elem::F32, v.fp(Elem::F32), value)
    })
}

/// The value of a parameter in single precision.
fn single<'a>(v: &Vector<'a>, which: Which) -> Float<'a> {
    let bits = parameter(v, which);
    Float::new(v.b(), Elem::F32, v.fp(Elem::F32), bits.v)
}

/// The half of a pair that the instruction selects, in single precision.
fn half<'a>(v: &Vector<'a>, pair: Int<'a>) -> Float<'a> {
    let bits = if v.l.inst.has(Flags::HIGH) {
        pair >> 16
    } else {
        pair
    };
    let half = Float::new(v.b(), Elem::F16, v.fp(Elem::F16), bits.v);
    v.resize(half, Elem::F32)
}

/// The dword of a parameter for the primitive of each lane.
fn parameter<'a>(v: &Vector<'a>, which: Which) -> Int<'a> {
    let l = v.l;
    let attribute = match l.inst.operand(Field::Attr) {
        Operand::Imm(n) => n as u64,
        _ => 0,
    };
    let (attribute, channel) = (attribute >> 2, attribute & 3);
    let dword = match which {
        Which::P0 => 2 * channel,
        Which::P10 => 2 * channel + 1,
        Which::P20 => 8 + channel,
    };
    let m0 = l.m0();
    let mask = (m0 >> 16) & 0x7fff;
    let primitives = mask.count_ones() + 1;
    let four = Int::i32(l.b, l.b.lane_id()) >> 2;
    let before = (Int::const32(l.b, 1) << four) - 1;
    let primitive = (mask & before).count_ones();
    let index = (primitives * attribute + primitive) * 12 + dword;
    lds_dma::read(l, (index << 2) + (m0 & 0xffff))
}
