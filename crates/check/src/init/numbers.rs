//! Shadows of the results of numeric functions.

use wavetank_ir::{Bin, Builder, Cvt, Elem, Fp, Rel, Round, Tern, Ty, Un, Value};

/// A shadow; `None` for a value that is defined.
pub(super) type Shadow = Option<Value>;

/// A value and its shadow.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub value: Value,
    pub shadow: Shadow,
}

/// A builder of shadows in a block.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'b>(pub &'b Builder);

/// The float environment for operations on integers, which ignore it.
pub(super) const FP: Fp = Fp {
    round: Round::Nearest,
    flush_in: false,
    flush_out: false,
    ieee: false,
};

impl Numbers<'_> {
    /// Returns a constant as wide as a value.
    pub(super) fn constant(self, like: Value, c: u64) -> Value {
        match self.0.ty(like) {
            Ty::U32 | Ty::V32 => self.0.u32(c as u32),
            Ty::U64 | Ty::V64 => self.0.u64(c),
            Ty::Mask => self.0.mask(c),
        }
    }

    /// Returns a constant as wide as a type.
    pub(super) fn of_type(self, ty: Ty, c: u64) -> Value {
        match ty.bits() {
            _ if ty == Ty::Mask => self.0.mask(c),
            64 => self.0.u64(c),
            _ => self.0.u32(c as u32),
        }
    }

    /// Returns the integer type that is as wide as a value.
    pub(super) fn wide(self, value: Value) -> Elem {
        match self.0.ty(value).bits() {
            64 => Elem::I64,
            _ => Elem::I32,
        }
    }

    pub(super) fn bin(self, bin: Bin, a: Value, b: Value) -> Value {
        self.0.bin(bin, self.wide(a), FP, a, b)
    }

    pub(super) fn not(self, a: Value) -> Value {
        self.0.un(Un::Not, self.wide(a), FP, a)
    }

    pub(super) fn and(self, a: Value, b: Value) -> Value {
        self.bin(Bin::And, a, b)
    }

    pub(super) fn and_const(self, a: Value, c: u64) -> Value {
        self.and(a, self.constant(a, c))
    }

    pub(super) fn or_of(self, a: Value, b: Value) -> Value {
        self.bin(Bin::Or, a, b)
    }

    /// Returns the bits that are undefined in either shadow.
    pub(super) fn or(self, a: Shadow, b: Shadow) -> Shadow {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.or_of(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Returns the shadow as a value, which is zero if all bits are defined.
    pub(super) fn or_zero(self, shadow: Shadow, ty: Ty) -> Value {
        shadow.unwrap_or_else(|| self.of_type(ty, 0))
    }

    /// Returns where a shadow is not 0: a mask of lanes, or 0 and 1 for a uniform.
    pub(super) fn any(self, shadow: Value) -> Value {
        let zero = self.constant(shadow, 0);
        self.0.cmp(Rel::Ne, self.wide(shadow), FP, shadow, zero)
    }

    /// Returns a value of `bits` bits, all of which are set where a shadow is not 0.
    pub(super) fn smear(self, shadow: Value, bits: u32) -> Value {
        let ty = Ty::uniform(bits.max(32));
        let ones = self.of_type(ty, u64::MAX >> (64 - bits));
        self.0.select(self.any(shadow), ones, self.of_type(ty, 0))
    }

    /// Returns the bits of an operand that its element uses.
    pub(super) fn of_element(self, shadow: Shadow, elem: Elem) -> Shadow {
        match elem.bits() {
            16 => shadow.map(|shadow| self.and_const(shadow, 0xffff)),
            _ => shadow,
        }
    }

    /// Returns a shadow in which each element is undefined as a whole if any of its bits is, for a result of `bits` bits.
    pub(super) fn whole(self, shadow: Shadow, elem: Elem, bits: u32) -> Shadow {
        let shadow = self.of_element(shadow, elem)?;
        match elem.half() {
            // The highest bit carries the result of the whole element.
            Some(_) => {
                let up = self.up(shadow, Elem::I16x2);
                let shift = self.0.u32(15 << 16 | 15);
                Some(self.0.bin(Bin::Sar, Elem::I16x2, FP, up, shift))
            }
            None => Some(self.smear(shadow, bits)),
        }
    }

    /// Returns the shadow of an operation with one operand.
    pub(super) fn one(self, un: Un, elem: Elem, a: Bits) -> Shadow {
        let shadow = a.shadow?;
        match un {
            Un::Not | Un::FNeg => self.of_element(Some(shadow), elem),
            Un::FAbs => {
                let signs = if elem.half().is_some() {
                    0x8000_8000
                } else {
                    1 << (elem.bits() - 1)
                };
                self.of_element(Some(self.and_const(shadow, !signs)), elem)
            }
            Un::Reverse | Un::Low | Un::High | Un::Widen | Un::WidenSigned | Un::SignExtend(_) => {
                Some(self.0.un(un, elem, FP, shadow))
            }
            Un::LeadingZeros | Un::TrailingZeros => {
                // The fewest and the most ones that are possible: if both give the same result, it is defined.
                let (low, high) = self.ends(a, 0);
                let [low, high] = [low, high].map(|end| self.0.un(un, elem, FP, end));
                Some(self.smear(self.bin(Bin::Xor, low, high), 32))
            }
            Un::CountOnes | Un::LeadingSigns | Un::FExponent => self.whole(Some(shadow), elem, 32),
            Un::FClamp
            | Un::FClampKeepNan
            | Un::FCanonicalize
            | Un::FSqrt
            | Un::FRcp
            | Un::FRsq
            | Un::FExp2
            | Un::FLog2
            | Un::FSin
            | Un::FCos
            | Un::FFract
            | Un::FTrunc
            | Un::FCeil
            | Un::FFloor
            | Un::FRoundEven
            | Un::FMantissa => self.whole(Some(shadow), elem, elem.bits()),
        }
    }

    /// Returns the shadow of an operation with two operands.
    pub(super) fn two(self, bin: Bin, elem: Elem, a: Bits, b: Bits) -> Shadow {
        a.shadow.or(b.shadow)?;
        // An idiom that makes 0 from any register.
        if matches!(bin, Bin::Xor | Bin::Sub) && a.value == b.value {
            return None;
        }
        let either = || self.or(a.shadow, b.shadow);
        match bin {
            Bin::And => self.of_element(self.product(a, b), elem),
            Bin::Or => {
                let not = |bits: Bits| Bits {
                    value: self.not(bits.value),
                    ..bits
                };
                self.of_element(self.product(not(a), not(b)), elem)
            }
            Bin::Xor => self.of_element(either(), elem),
            Bin::Add | Bin::Sub => self.carried(either(), elem),
            Bin::Mul => self.multiplied(elem, a, b),
            Bin::MulU24 | Bin::MulS24 => self.multiplied(elem, self.low_24(a), self.low_24(b)),
            Bin::Shl | Bin::Shr | Bin::Sar => self.shifted(bin, elem, a, b),
            Bin::MulHiU | Bin::MulHiS => self.multiplied_high(elem, a, b),
            Bin::MulHiU24 | Bin::MulHiS24 => {
                self.multiplied_high(elem, self.low_24(a), self.low_24(b))
            }
            Bin::Pack => {
                let ty = |bits: Bits| self.0.ty(bits.value);
                let half = |bits: Bits| self.or_zero(bits.shadow, ty(bits));
                Some(self.0.bin(bin, elem, FP, half(a), half(b)))
            }
            Bin::PackSatU | Bin::PackSatS => {
                let half =
                    |shadow: Shadow| shadow.map_or_else(|| self.0.u32(0), |s| self.smear(s, 16));
                let (a, b) = (half(a.shadow), half(b.shadow));
                Some(self.0.bin(Bin::Pack, Elem::I16, FP, a, b))
            }
            // The bits that are undefined in an operand stay so, without the effect of rounding: most floats are undefined as a
            // whole.
            Bin::FAdd | Bin::FSub | Bin::FMul => self.of_element(either(), elem),
            Bin::MinU | Bin::MaxU | Bin::MinS | Bin::MaxS if elem.half().is_none() => {
                self.chosen_end(bin, elem, a, b)
            }
            Bin::MinU
            | Bin::MaxU
            | Bin::MinS
            | Bin::MaxS
            | Bin::AddSatU
            | Bin::SubSatU
            | Bin::AddSatS
            | Bin::SubSatS
            | Bin::FMin
            | Bin::FMax => self.whole(either(), elem, elem.bits()),
            Bin::FLdexp => {
                let exponent = b.shadow.map(|shadow| self.smear(shadow, elem.bits()));
                self.or(self.whole(a.shadow, elem, elem.bits()), exponent)
            }
        }
    }

    /// Returns the shadow of `and`: a bit that is 0 on one side is a defined 0.
    fn product(self, a: Bits, b: Bits) -> Shadow {
        let left = a.shadow.map(|shadow| self.and(shadow, b.value));
        let right = b.shadow.map(|shadow| self.and(shadow, a.value));
        let both = a.shadow.zip(b.shadow).map(|(a, b)| self.and(a, b));
        self.or(self.or(left, right), both)
    }

    /// Returns the shadow of a shift: all bits are undefined if the count is.
    fn shifted(self, bin: Bin, elem: Elem, a: Bits, count: Bits) -> Shadow {
        let moved = a
            .shadow
            .map(|shadow| self.0.bin(bin, elem, FP, shadow, count.value));
        let unknown = count.shadow.and_then(|shadow| match elem.half() {
            Some(_) => self.whole(Some(self.and_const(shadow, 0x000f_000f)), elem, 32),
            None => {
                let matters = self.and_const(shadow, u64::from(elem.bits()) - 1);
                Some(self.smear(matters, elem.bits()))
            }
        });
        self.or(moved, unknown)
    }

    /// Returns the shadow of an operation with three operands.
    pub(super) fn three(self, tern: Tern, elem: Elem, [a, b, c]: [Bits; 3]) -> Shadow {
        let all = || self.or(self.or(a.shadow, b.shadow), c.shadow);
        let zero = |bits: Bits| self.or_zero(bits.shadow, self.0.ty(bits.value));
        a.shadow.or(b.shadow).or(c.shadow)?;
        match tern {
            Tern::Fma | Tern::FMad => self.of_element(all(), elem),
            Tern::BitSelect => self.chosen_bits(elem, [a, b, c]),
            Tern::BfeU | Tern::BfeS => {
                let field = |shadow| self.0.tern(tern, elem, FP, shadow, b.value, c.value);
                let matters = |s: Value| {
                    self.smear(self.and_const(s, u64::from(elem.bits()) - 1), elem.bits())
                };
                let unknown = self.or(b.shadow.map(matters), c.shadow.map(matters));
                self.or(a.shadow.map(field), unknown)
            }
            Tern::AlignBit | Tern::AlignByte => {
                let moved = self.0.tern(tern, elem, FP, zero(a), zero(b), c.value);
                let count = c.shadow.map(|shadow| {
                    let matters = if tern == Tern::AlignBit { 31 } else { 3 };
                    self.smear(self.and_const(shadow, matters), 32)
                });
                self.or(Some(moved), count)
            }
            Tern::Perm => self.permuted(zero(a), zero(b), c),
            Tern::InsertU8 => self.inserted(a, b, c),
            Tern::Med3U | Tern::Med3S => {
                let (min, max) = match tern {
                    Tern::Med3U => (Bin::MinU, Bin::MaxU),
                    _ => (Bin::MinS, Bin::MaxS),
                };
                let of = |bin, a: Bits, b: Bits| Bits {
                    value: self.0.bin(bin, elem, FP, a.value, b.value),
                    shadow: self.two(bin, elem, a, b),
                };
                of(max, of(min, a, b), of(min, of(max, a, b), c)).shadow
            }
            Tern::AverageU8
            | Tern::SadU8
            | Tern::MaskedSadU8
            | Tern::SadU16
            | Tern::SadU32
            | Tern::FMed3 => self.whole(all(), elem, elem.bits()),
        }
    }

    /// Returns the shadow of bytes selected by `selectors`. Constant bytes are defined.
    fn permuted(self, a: Value, b: Value, selectors: Bits) -> Shadow {
        let chosen = self
            .0
            .tern(Tern::Perm, Elem::I32, FP, a, b, selectors.value);
        // The highest bit is set in each selector above 12, which gives constant ones that are defined.
        let low = self.and_const(selectors.value, 0x7f7f_7f7f);
        let carries = self.bin(Bin::Add, low, self.0.u32(0x7373_7373));
        let above = self.and_const(self.or_of(carries, selectors.value), 0x8080_8080);
        let known = self.not(self.bytes(above));
        let unknown = selectors.shadow.map(|shadow| {
            let low = self.and_const(shadow, 0x7f7f_7f7f);
            let carries = self.bin(Bin::Add, low, self.0.u32(0x7f7f_7f7f));
            self.bytes(self.and_const(self.or_of(carries, shadow), 0x8080_8080))
        });
        self.or(Some(self.and(chosen, known)), unknown)
    }

    /// Extends the highest bits of bytes to whole bytes.
    fn bytes(self, highest: Value) -> Value {
        let lowest = self.bin(Bin::Shr, highest, self.0.u32(7));
        self.bin(Bin::Mul, lowest, self.0.u32(0xff))
    }

    /// Returns the shadow of `c` with one byte replaced by `a`, which is limited to eight bits.
    fn inserted(self, a: Bits, number: Bits, c: Bits) -> Shadow {
        let at = self.bin(Bin::Shl, self.and_const(number.value, 3), self.0.u32(3));
        let shifted = |byte| self.bin(Bin::Shl, byte, at);
        let kept = self.not(shifted(self.0.u32(0xff)));
        let new = a.shadow.map(|shadow| shifted(self.smear(shadow, 8)));
        let old = c.shadow.map(|shadow| self.and(shadow, kept));
        let unknown = number
            .shadow
            .map(|shadow| self.smear(self.and_const(shadow, 3), 32));
        self.or(self.or(new, old), unknown)
    }

    /// Returns the shadow of a conversion.
    pub(super) fn converted(self, _: Cvt, from: Elem, to: Elem, a: Bits) -> Shadow {
        let shadow = self.of_element(a.shadow, from)?;
        Some(self.smear(shadow, to.bits()))
    }
}

impl Bits {
    pub(super) fn shadow(self) -> Shadow {
        self.shadow
    }
}
