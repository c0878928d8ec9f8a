//! Shadows of compares and selects.

use wavetank_ir::{Bin, Elem, Rel, Ty, Value};

use super::numbers::{Bits, FP, Numbers, Shadow};

impl Numbers<'_> {
    /// Returns the shadow of a compare: a mask, or 0 and 1 for uniforms.
    pub(super) fn compared(self, rel: Rel, elem: Elem, a: Bits, b: Bits) -> Shadow {
        let [a, b] = [a, b].map(|bits| Bits {
            shadow: self.of_element(bits.shadow, elem),
            ..bits
        });
        let both = self.or(a.shadow, b.shadow)?;
        let xor = |a, b| match self.0.ty(a) {
            Ty::Mask => self.0.bin(Bin::Xor, Elem::I64, FP, a, b),
            _ => self.bin(Bin::Xor, a, b),
        };
        match rel {
            _ if !elem.is_float() && a.value == b.value => None,
            _ if elem.is_float() => Some(self.any(both)),
            Rel::Eq | Rel::Ne => {
                // A defined bit that differs decides the compare.
                let differ = self.bin(Bin::Xor, a.value, b.value);
                let decides = self.of_element(Some(self.and(differ, self.not(both))), elem);
                let decided = decides.map_or(both, |decides| self.any(decides));
                let open = self.any(both);
                Some(self.and(open, self.none(decided)))
            }
            Rel::LtU | Rel::LeU | Rel::Lt | Rel::Le => {
                let sign = 1 << (elem.bits() - 1);
                let signed = matches!(rel, Rel::Lt | Rel::Le);
                let ends = |bits| self.ends(bits, if signed { sign } else { 0 });
                let ((low_a, high_a), (low_b, high_b)) = (ends(a), ends(b));
                let least = self.0.cmp(rel, elem, FP, high_a, low_b);
                let most = self.0.cmp(rel, elem, FP, low_a, high_b);
                Some(xor(least, most))
            }
            Rel::FLg | Rel::FOrd => Some(self.any(both)),
        }
    }

    /// Returns the negation of [`any`](Self::any)'s result.
    fn none(self, any: Value) -> Value {
        match self.0.ty(any) {
            Ty::Mask => self.not(any),
            _ => self.bin(Bin::Xor, any, self.0.u32(1)),
        }
    }

    /// Returns the smallest and the largest number that a value may be; `sign` is the sign bit of signed ones.
    pub(super) fn ends(self, bits: Bits, sign: u64) -> (Value, Value) {
        let Some(shadow) = bits.shadow else {
            return (bits.value, bits.value);
        };
        let low = self.and(bits.value, self.not(shadow));
        let high = self.or_of(bits.value, shadow);
        match sign {
            0 => (low, high),
            sign => {
                let sign = self.and_const(shadow, sign);
                (self.or_of(low, sign), self.and(high, self.not(sign)))
            }
        }
    }

    /// Returns the shadow of the lanes in which a value is not 0.
    pub(super) fn non_zero(self, a: Bits) -> Shadow {
        let zero = self.constant(a.value, 0);
        let zero = Bits {
            value: zero,
            shadow: None,
        };
        self.compared(Rel::Ne, Elem::I32, a, zero)
    }

    /// Returns the shadow of a float's classification: a mask, or 0 and 1 for uniforms.
    pub(super) fn classified(self, a: Bits, which: Bits, ty: Ty) -> Shadow {
        let any = |shadow: Value| {
            let any = self.any(shadow);
            match (ty, self.0.ty(any)) {
                (Ty::Mask, Ty::U32) => self.0.select(any, self.0.mask(!0), self.0.mask(0)),
                _ => any,
            }
        };
        self.or(a.shadow.map(any), which.shadow.map(any))
    }

    /// Returns the shadow of `cond ? a : b`, which has type `ty`.
    pub(super) fn selected(self, cond: Bits, a: Bits, b: Bits, ty: Ty) -> Shadow {
        let zero = || self.of_type(ty, 0);
        let chosen = a.shadow.or(b.shadow).map(|_| {
            let [a, b] = [a, b].map(|bits| bits.shadow.unwrap_or_else(zero));
            self.0.select(cond.value, a, b)
        });
        let unknown = cond.shadow.map(|cond| {
            let differ = Some(self.bin(Bin::Xor, a.value, b.value));
            let matters = self.or(differ, self.or(a.shadow, b.shadow));
            self.0.select(cond, matters.unwrap_or_else(zero), zero())
        });
        self.or(chosen, unknown)
    }

    /// Returns the shadow of the minimum or maximum of two integers, which is the operand that a compare selects.
    pub(super) fn chosen_end(self, bin: Bin, elem: Elem, a: Bits, b: Bits) -> Shadow {
        let rel = match bin {
            Bin::MinU | Bin::MaxU => Rel::LtU,
            _ => Rel::Lt,
        };
        let (first, second) = match bin {
            Bin::MinU | Bin::MinS => (a, b),
            _ => (b, a),
        };
        let less = Bits {
            value: self.0.cmp(rel, elem, FP, a.value, b.value),
            shadow: self.compared(rel, elem, a, b),
        };
        let ty = self.0.ty(self.0.bin(bin, elem, FP, a.value, b.value));
        self.of_element(self.selected(less, first, second, ty), elem)
    }

    /// Returns the shadow of bits that are those of `b` where `a` is set, and otherwise those of `c`.
    pub(super) fn chosen_bits(self, elem: Elem, [a, b, c]: [Bits; 3]) -> Shadow {
        let from_b = b.shadow.map(|shadow| self.and(shadow, a.value));
        let from_c = c.shadow.map(|shadow| self.and(shadow, self.not(a.value)));
        let unknown = a.shadow.map(|shadow| {
            let differ = Some(self.bin(Bin::Xor, b.value, c.value));
            let matters = self.or(differ, self.or(b.shadow, c.shadow));
            matters.map_or(shadow, |matters| self.and(shadow, matters))
        });
        self.of_element(self.or(self.or(from_b, from_c), unknown), elem)
    }
}
