//! Integer arithmetic that CLAMP saturates (Vega ISA, 6.5 "ALU Clamp Bit").

use wavetank_ir::{Bin, Elem, Tern};

use super::operand::Vector;
use crate::value::Int;

impl<'a> Vector<'a> {
    /// `wrapping`, or `saturating` with CLAMP.
    fn sum(&self, wrapping: Bin, saturating: Bin, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        a.apply(if self.clamp() { saturating } else { wrapping }, b)
    }

    /// The unsigned sum, saturated with CLAMP.
    pub(super) fn add_u(&self, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        self.sum(Bin::Add, Bin::AddSatU, a, b)
    }

    /// The signed sum, saturated with CLAMP.
    pub(super) fn add_s(&self, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        self.sum(Bin::Add, Bin::AddSatS, a, b)
    }

    /// The unsigned difference, saturated with CLAMP.
    pub(super) fn sub_u(&self, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        self.sum(Bin::Sub, Bin::SubSatU, a, b)
    }

    /// The signed difference, saturated with CLAMP.
    pub(super) fn sub_s(&self, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        self.sum(Bin::Sub, Bin::SubSatS, a, b)
    }

    /// `a · b + c` of unsigned numbers of 16 or 24 bits. Saturation needs the exact sum, so it is computed in 64 bits.
    pub(super) fn mad_u(&self, bits: u8, a: Int<'a>, b: Int<'a>, c: Int<'a>) -> Int<'a> {
        let low = (1 << bits) - 1;
        if !self.clamp() {
            return self.product_u(bits, a, b, c.elem) + c;
        }
        if c.elem == Elem::I16x2 {
            return in_halves([a, b, c], |[a, b, c]| self.mad_u(bits, a, b, c));
        }
        let product = (as_word(a) & low).widen() * (as_word(b) & low).widen();
        match c.elem {
            Elem::I16 => {
                let sum = product + (as_word(c) & 0xffff).widen();
                sum.min_u(0xffff).low()
            }
            _ => (product + c.widen()).min_u(0xffff_ffff).low(),
        }
    }

    /// `a · b + c` of signed numbers of 16 or 24 bits, like [`Self::mad_u`].
    pub(super) fn mad_s(&self, bits: u8, a: Int<'a>, b: Int<'a>, c: Int<'a>) -> Int<'a> {
        if !self.clamp() {
            return self.product_s(bits, a, b, c.elem) + c;
        }
        if c.elem == Elem::I16x2 {
            return in_halves([a, b, c], |[a, b, c]| self.mad_s(bits, a, b, c));
        }
        let wide = |x: Int<'a>| as_word(x).sign_extend(bits).widen_signed();
        let product = wide(a) * wide(b);
        match c.elem {
            Elem::I16 => {
                let sum = product + as_word(c).sign_extend(16).widen_signed();
                self.saturate_s(sum, 16)
            }
            _ => self.saturate_s(product + c.widen_signed(), 32),
        }
    }

    /// The unsigned product of 16 bits, saturated with CLAMP.
    pub(super) fn mul_u16(&self, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        if self.clamp() {
            self.mad_u(16, a, b, a.constant(0))
        } else {
            a * b
        }
    }

    /// The sum of c and the absolute differences of a and b.
    pub(super) fn sad(&self, sum: Tern, a: Int<'a>, b: Int<'a>, c: Int<'a>) -> Int<'a> {
        if self.clamp() {
            self.add_u(a.apply3(sum, b, 0), c)
        } else {
            a.apply3(sum, b, c)
        }
    }

    /// The low bits of the unsigned product, in the width of `elem`.
    fn product_u(&self, bits: u8, a: Int<'a>, b: Int<'a>, elem: Elem) -> Int<'a> {
        match (bits, elem) {
            (24, _) => a.apply(Bin::MulU24, b),
            (_, Elem::I16 | Elem::I16x2) => a * b,
            _ => (as_word(a) & 0xffff) * (as_word(b) & 0xffff),
        }
    }

    /// The low bits of the signed product, in the width of `elem`.
    fn product_s(&self, bits: u8, a: Int<'a>, b: Int<'a>, elem: Elem) -> Int<'a> {
        match (bits, elem) {
            (24, _) => a.apply(Bin::MulS24, b),
            (_, Elem::I16 | Elem::I16x2) => a * b,
            _ => as_word(a).sign_extend(16) * as_word(b).sign_extend(16),
        }
    }

    /// A signed 64-bit number clamped to `bits` bits, in 32.
    pub(super) fn saturate_s(&self, x: Int<'a>, bits: u32) -> Int<'a> {
        let max = (1i64 << (bits - 1)) - 1;
        x.min_s(max as u64).max_s(!max as u64).low()
    }

    /// The 24-bit product; CLAMP saturates it to 32 bits.
    pub(super) fn mul_24(&self, signed: bool, a: Int<'a>, b: Int<'a>) -> Int<'a> {
        let zero = a.constant(0);
        match (self.clamp(), signed) {
            (true, true) => self.mad_s(24, a, b, zero),
            (true, false) => self.mad_u(24, a, b, zero),
            (false, true) => a.apply(Bin::MulS24, b),
            (false, false) => a.apply(Bin::MulU24, b),
        }
    }
}

/// Applies a function to the low halves of pairs, then to the high halves.
fn in_halves<'a, const N: usize>(
    pairs: [Int<'a>; N],
    of: impl Fn([Int<'a>; N]) -> Int<'a>,
) -> Int<'a> {
    let words = pairs.map(|x| Int::i32(x.b, x.v));
    let low = of(words.map(Int::as_i16));
    let high = of(words.map(|x| (x >> 16).as_i16()));
    low.as_i16().pack(high)
}

/// The carrier of a 16-bit number as 32 bits.
fn as_word(x: Int) -> Int {
    match x.elem {
        Elem::I16 => Int {
            elem: Elem::I32,
            ..x
        },
        _ => x,
    }
}
