//! MODE.FP16_OVFL: half-precision results that overflow are the largest number, for any rounding; true infinities stay (Vega ISA,
//! 3.5 "Mode register").
//!
//! An infinity is true if a source is infinite, or at a pole: the function of a zero, a quotient by zero.

use wavetank_gcn::tables::Vop3;
use wavetank_gcn::{Op, Ty};
use wavetank_ir::{Elem, Value};

use super::operand::Vector;
use super::shape::{DENORMALS, INFINITIES, ZEROS};
use crate::lane_fn;
use crate::value::{Cond, Float};

impl<'a> Vector<'a> {
    /// Whether the mode limits half-precision overflow.
    pub(super) fn holds_halves(&self) -> bool {
        self.l.rules().fp16_ovfl && self.l.modes.fp16_ovfl()
    }

    /// A result limited by the mode, for the sources of the row.
    pub(super) fn held_result<const N: usize>(
        &self,
        r: Float<'a>,
        sources: [Float<'a>; N],
    ) -> Float<'a> {
        if r.elem != Elem::F16 || !self.holds_halves() {
            return r;
        }
        let floats = self.sources().map(|(spec, _)| is_float(spec.ty));
        let floats = sources.into_iter().zip(floats);
        self.saturated(r, floats.filter_map(|(x, is_float)| is_float.then_some(x)))
    }

    /// A result limited by the mode, for these source floats.
    pub(super) fn saturated(
        &self,
        r: Float<'a>,
        of: impl IntoIterator<Item = Float<'a>>,
    ) -> Float<'a> {
        if r.elem != Elem::F16 || !self.holds_halves() {
            return r;
        }
        let of: Vec<Float> = of.into_iter().collect();
        let class = |x: Float<'a>, bits| self.per_lane(x.class(self.b().u32(bits)));
        let poles = |x: Float| match (self.has_pole(of.len()), x.fp.flush_in) {
            (false, _) => INFINITIES,
            (true, false) => INFINITIES | ZEROS,
            (true, true) => INFINITIES | ZEROS | DENORMALS,
        };
        let is_true = of.iter().map(|x| class(*x, poles(*x)));
        let is_true: Option<Cond> = is_true.reduce(|a, b| a | b);
        let infinite = class(r, INFINITIES);
        let overflow = is_true.map_or(infinite, |is_true| infinite & !is_true);
        overflow.select_float(r.next_to_zero(), r)
    }

    /// A pair of results limited by the mode, for pairs of sources.
    pub(super) fn held_pair(&self, r: Value, of: &[Value]) -> Value {
        if !self.holds_halves() {
            return r;
        }
        let args: Vec<Value> = std::iter::once(r).chain(of.iter().copied()).collect();
        self.b().lane_fn(&lane_fn::SATURATED_HALVES, &args)
    }

    /// Whether an operation gives a true infinity for a zero: functions of one number, and quotients.
    fn has_pole(&self, sources: usize) -> bool {
        use Vop3::{V_DIV_FIXUP_F16, V_DIV_FIXUP_LEGACY_F16};
        let quotient = matches!(
            self.l.inst.op,
            Op::Vop3(V_DIV_FIXUP_F16 | V_DIV_FIXUP_LEGACY_F16)
        );
        sources == 1 || quotient
    }
}

fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32 | Ty::F64)
}
