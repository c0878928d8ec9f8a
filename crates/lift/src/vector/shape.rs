//! The shapes of vector instructions: the types of sources and result.

use wavetank_gcn::Ty;
use wavetank_gcn::tables::EXEC;
use wavetank_ir::{Bin, Cvt, Elem, Fp, LaneFn, Reg, Rel, Round, Ty as Shape, Un, Value};

use super::operand::{Vector, float_elem, int_elem};
use crate::block::Flow;
use crate::value::{Cond, Float, Int};

/// Classes of floats, as V_CMP_CLASS numbers them (Vega ISA, 12.11).
pub(super) const NANS: u32 = 0b11;
pub(super) const NEGATIVE_INFINITY: u32 = 1 << 2;
pub(super) const INFINITIES: u32 = NEGATIVE_INFINITY | 1 << 9;
pub(super) const DENORMALS: u32 = 1 << 4 | 1 << 7;
pub(super) const ZEROS: u32 = 1 << 5 | 1 << 6;

/// A source or result: an integer or a float.
pub(super) trait Number<'a>: Copy {
    /// Converts a fetched source of the row's type.
    fn view(v: &Vector<'a>, ty: Ty, value: Value) -> Self;
    /// The node and its element type.
    fn parts(self) -> (Value, Elem);
}

impl<'a> Number<'a> for Int<'a> {
    fn view(v: &Vector<'a>, ty: Ty, value: Value) -> Self {
        Int::new(v.b(), int_elem(ty), value)
    }

    fn parts(self) -> (Value, Elem) {
        (self.v, self.elem)
    }
}

impl<'a> Number<'a> for Float<'a> {
    fn view(v: &Vector<'a>, ty: Ty, value: Value) -> Self {
        let elem = float_elem(ty);
        Float::new(v.b(), elem, v.fp(elem), value)
    }

    fn parts(self) -> (Value, Elem) {
        (self.v, self.elem)
    }
}

impl<'a> Vector<'a> {
    /// The sources, in the order of the row.
    pub(super) fn fetch<S: Number<'a>, const N: usize>(&self) -> [S; N] {
        let mut sources = self.sources();
        std::array::from_fn(|_| {
            let (spec, operand) = sources.next().expect("the row has as many sources");
            S::view(self, spec.ty, self.source(spec, operand))
        })
    }

    fn map<S: Number<'a>, D: Number<'a>, const N: usize>(
        &self,
        f: impl FnOnce([S; N]) -> D,
    ) -> Flow {
        let (value, elem) = f(self.fetch()).parts();
        self.write(value, elem);
        Flow::Next
    }

    /// A function of floats with a float result.
    pub(super) fn float<const N: usize>(
        &self,
        f: impl FnOnce([Float<'a>; N]) -> Float<'a>,
    ) -> Flow {
        self.map(|sources| self.held_result(f(sources), sources))
    }

    /// A choice of one of several floats. On a chip where a choice does not depend on MODE, denormals are unchanged.
    pub(super) fn choice<const N: usize>(
        &self,
        f: impl FnOnce([Float<'a>; N]) -> Float<'a>,
    ) -> Flow {
        let flushes = self.l.rules().choice_flushes;
        self.float(|xs| f(xs.map(|x| if flushes { x } else { x.keeping() })))
    }

    /// A function of integers with an integer result.
    pub(super) fn int<const N: usize>(&self, f: impl FnOnce([Int<'a>; N]) -> Int<'a>) -> Flow {
        self.map(f)
    }

    /// A function of integers with a float result.
    pub(super) fn to_float<const N: usize>(
        &self,
        f: impl FnOnce([Int<'a>; N]) -> Float<'a>,
    ) -> Flow {
        self.map(|sources| self.saturated(f(sources), []))
    }

    /// A function of floats with an integer result.
    pub(super) fn to_int<const N: usize>(&self, f: impl FnOnce([Float<'a>; N]) -> Int<'a>) -> Flow {
        self.map(f)
    }

    /// A function of integers with an integer result and a carry mask.
    pub(super) fn carry<const N: usize>(
        &self,
        f: impl FnOnce([Int<'a>; N]) -> (Int<'a>, Cond<'a>),
    ) -> Flow {
        let (result, carry) = f(self.fetch());
        self.write(result.v, result.elem);
        self.write_mask(carry);
        Flow::Next
    }

    /// A function of numbers with a lane mask as result; V_CMPX writes it to EXEC as well.
    pub(super) fn compare<S: Number<'a>, const N: usize>(
        &self,
        f: impl FnOnce([S; N]) -> Cond<'a>,
    ) -> Flow {
        let mask = self.write_mask(f(self.fetch()));
        if self.l.inst.row().writes.contains(EXEC) {
            self.b().write(Reg::EXEC, mask, None);
        }
        Flow::Next
    }

    /// A constant mask, for compares that do not depend on their operands.
    pub(super) fn always(&self, value: bool) -> Cond<'a> {
        let mask = if value { u64::MAX } else { 0 };
        Cond::new(self.b(), self.b().mask(mask))
    }

    /// A float constant with the element type of `like`.
    pub(super) fn constant(&self, like: Float<'a>, x: f32) -> Float<'a> {
        match like.elem {
            Elem::F64 => like.constant_bits(f64::from(x).to_bits()),
            Elem::F32 => like.constant_bits(x.to_bits().into()),
            _ => {
                let exact = Float::new(
                    self.b(),
                    Elem::F32,
                    Fp::default(),
                    self.b().u32(x.to_bits()),
                );
                exact.to_float(Elem::F16, Fp::default())
            }
        }
    }

    /// The argument of a sine or cosine, in turns. A finite one that is too large counts as 0, on a chip with a bound.
    pub(super) fn turns(&self, a: Float<'a>) -> Float<'a> {
        if !self.l.rules().turns_end {
            return a;
        }
        let size = a.un(Un::FAbs);
        let too_large = self.constant(a, 256.0).cmp(Rel::Lt, size);
        let finite = size.cmp(Rel::Lt, self.constant(a, f32::INFINITY));
        let beyond = self.per_lane(too_large & finite);
        beyond.select_float(a.constant_bits(0), a)
    }

    /// The product if neither factor is zero, else +0 (the rules of DX9).
    pub(super) fn mul_legacy(&self, a: Float<'a>, b: Float<'a>) -> Float<'a> {
        let zero = a.constant_bits(0);
        let is_zero = |x: Float<'a>| self.per_lane(x.cmp(Rel::Eq, zero));
        (is_zero(a) | is_zero(b)).select_float(zero, a * b)
    }

    /// A condition as a lane mask: uniform operands give every lane the same bit.
    pub(super) fn per_lane(&self, cond: Cond<'a>) -> Cond<'a> {
        let b = self.b();
        if b.ty(cond.v) == Shape::U32 {
            Cond::new(b, b.select(cond.v, b.mask(u64::MAX), b.mask(0)))
        } else {
            cond
        }
    }

    // ---- conversions to the type of the destination ----

    /// The environment of a conversion: inputs flush by the mode of their format, results round and flush by the mode of theirs.
    fn convert_fp(&self, from: Elem, to: Elem) -> Fp {
        let rules = self.l.rules();
        let follows = |elem| rules.halves_follow_mode || elem != Elem::F16;
        let rounds = match (rules.halves_round_as_singles, to) {
            (true, Elem::F16) => self.fp(Elem::F32),
            _ => self.fp(to),
        };
        Fp {
            flush_in: self.fp(from).flush_in && follows(from),
            flush_out: rounds.flush_out && follows(to),
            ..rounds
        }
    }

    /// Converts a float to another width.
    pub(super) fn resize(&self, x: Float<'a>, to: Elem) -> Float<'a> {
        let fp = self.convert_fp(x.elem, to);
        let v = self.b().cvt(Cvt::FToF, x.elem, to, fp, x.v);
        Float::new(self.b(), to, self.fp(to), v)
    }

    /// Converts a signed integer to the float of the destination.
    pub(super) fn float_of_signed(&self, x: Int<'a>) -> Float<'a> {
        let to = float_elem(self.dst_ty());
        x.to_float_s(to, self.fp(to))
    }

    /// Converts an unsigned integer to the float of the destination.
    pub(super) fn float_of_unsigned(&self, x: Int<'a>) -> Float<'a> {
        let to = float_elem(self.dst_ty());
        x.to_float_u(to, self.fp(to))
    }

    /// Converts a float to the signed integer of the destination.
    pub(super) fn signed_of(&self, x: Float<'a>) -> Int<'a> {
        x.to_int_s(int_elem(self.dst_ty()))
    }

    /// Converts a float to the unsigned integer of the destination.
    pub(super) fn unsigned_of(&self, x: Float<'a>) -> Int<'a> {
        x.to_int_u(int_elem(self.dst_ty()))
    }

    // ---- calling lane functions ----

    /// A lane function of floats with a float result of the same type.
    pub(super) fn float_fn<const N: usize>(
        &self,
        f: &'static LaneFn,
        args: [Float<'a>; N],
    ) -> Float<'a> {
        let v = self.b().lane_fn(f, &args.map(|a| a.v));
        Float::new(self.b(), args[0].elem, args[0].fp, v)
    }

    /// A lane function of floats, or its variant for flushed denormal operands.
    pub(super) fn flushing_fn(
        &self,
        keeping: &'static LaneFn,
        flushing: &'static LaneFn,
        args: [Float<'a>; 3],
    ) -> Float<'a> {
        let f = if args[0].fp.flush_in {
            flushing
        } else {
            keeping
        };
        self.float_fn(f, args)
    }

    /// A lane function with an integer result.
    pub(super) fn int_fn<const N: usize>(&self, f: &'static LaneFn, args: [Value; N]) -> Int<'a> {
        let elem = if f.result_bits == 64 {
            Elem::I64
        } else {
            Elem::I32
        };
        Int::new(self.b(), elem, self.b().lane_fn(f, &args))
    }
}

impl<'a> Float<'a> {
    /// The value in the environment of instructions that flush denormals in every mode: V_MAD, V_MAC, single-precision
    /// transcendentals.
    pub(crate) fn flushing(self) -> Self {
        let fp = Fp {
            flush_in: true,
            flush_out: true,
            ..self.fp
        };
        Float { fp, ..self }
    }

    /// The value in an environment that keeps denormals.
    pub(crate) fn keeping(self) -> Self {
        let fp = Fp {
            flush_in: false,
            flush_out: false,
            ..self.fp
        };
        Float { fp, ..self }
    }

    /// `flushing` in single precision; other formats follow the mode.
    pub(crate) fn flushing_single(self) -> Self {
        if self.elem == Elem::F32 {
            self.flushing()
        } else {
            self
        }
    }

    /// The value for an operation that only moves bits: a denormal is a zero of its sign if the mode flushes inputs.
    pub(crate) fn flushed(self) -> Self {
        if self.fp.flush_in {
            self.with_denormals_as_zeros()
        } else {
            self
        }
    }

    /// The result of an operation that does not round: a denormal is a zero of its sign if the mode flushes results.
    pub(crate) fn flushed_result(self) -> Self {
        if self.fp.flush_out {
            self.with_denormals_as_zeros()
        } else {
            self
        }
    }

    fn with_denormals_as_zeros(self) -> Self {
        let (sign, exponent) = self.fields();
        let bits = self.as_int();
        let small = (bits & exponent).eq(0);
        let v = small.select(bits & sign, bits).v;
        Float { v, ..self }
    }

    /// The value with +0 in place of -0.
    pub(crate) fn without_negative_zero(self) -> Self {
        let bits = self.as_int();
        let v = bits.eq(self.fields().0).select(bits.constant(0), bits).v;
        Float { v, ..self }
    }

    /// The bits of the sign and of the exponent.
    fn fields(self) -> (u64, u64) {
        match self.elem {
            Elem::F16 => (0x8000, 0x7c00),
            Elem::F64 => (1 << 63, 0x7ff << 52),
            _ => (1 << 31, 0xff << 23),
        }
    }

    /// The product with a power of two.
    pub(crate) fn ldexp(self, exponent: Value) -> Self {
        let v = self
            .b
            .bin(Bin::FLdexp, self.elem, self.fp, self.v, exponent);
        Float { v, ..self }
    }

    /// The exponent of `frexp`, in 32 bits.
    pub(crate) fn exponent(self) -> Int<'a> {
        let v = self.b.un(Un::FExponent, self.elem, self.fp, self.v);
        Int::i32(self.b, v)
    }

    /// The value rounded to an integer by the mode.
    pub(crate) fn integral(self) -> Self {
        self.un(match self.fp.round {
            Round::Nearest => Un::FRoundEven,
            Round::Up => Un::FCeil,
            Round::Down => Un::FFloor,
            Round::Zero => Un::FTrunc,
        })
    }

    /// The NaN that operations generate: negative and quiet.
    pub(crate) fn generated_nan(self) -> Self {
        self.constant_bits(match self.elem {
            Elem::F64 => 0xfff8 << 48,
            Elem::F16 => 0xfe00,
            _ => 0xffc0_0000,
        })
    }

    /// The next number toward zero; for an infinity the largest number of its sign.
    pub(crate) fn next_to_zero(self) -> Self {
        let v = (self.as_int() - 1).v;
        Float { v, ..self }
    }

    /// Whether the value belongs to one of the classes whose bits are set.
    pub(crate) fn class(self, bits: Value) -> Cond<'a> {
        Cond::new(self.b, self.b.class(self.elem, self.v, bits))
    }
}
