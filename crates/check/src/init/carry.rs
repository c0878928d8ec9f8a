//! Operations that compute the shadows of sums and products, in which undefined bits carry to higher bits.

use wavetank_ir::{Bin, Elem, Ty, Un, Value};

use super::numbers::{Bits, FP, Numbers, Shadow};

impl Numbers<'_> {
    /// Returns all bits from the lowest undefined one up.
    pub(super) fn up(self, shadow: Value, elem: Elem) -> Value {
        let zero = self.constant(shadow, 0);
        let negative = self.0.bin(Bin::Sub, elem, FP, zero, shadow);
        self.or_of(shadow, negative)
    }

    /// Returns the bits that carries can reach: all from the lowest undefined one up.
    pub(super) fn carried(self, shadow: Shadow, elem: Elem) -> Shadow {
        let integers = match elem {
            Elem::F16 => Elem::I16,
            Elem::F16x2 => Elem::I16x2,
            other => other,
        };
        let shadow = self.of_element(shadow, elem)?;
        Some(self.up(shadow, integers))
    }

    /// Returns the shadows of a sum or difference, with or without carry: of the result, and of its carry.
    pub(super) fn with_carry(
        self,
        subtract: bool,
        a: Bits,
        b: Bits,
        carry: Option<Bits>,
    ) -> (Shadow, Shadow) {
        let carry_shadow = carry
            .and_then(Bits::shadow)
            .map(|shadow| match self.0.ty(shadow) {
                Ty::Mask => self.0.select(shadow, self.0.u32(1), self.0.u32(0)),
                _ => self.smear(shadow, 1),
            });
        let all = self.or(self.or(a.shadow, b.shadow), carry_shadow);
        let Some(all) = all else {
            return (None, None);
        };
        let ((low_a, high_a), (low_b, high_b)) = (self.ends(a, 0), self.ends(b, 0));
        let (low_c, high_c) = match carry {
            None => (None, None),
            Some(Bits {
                value,
                shadow: None,
            }) => (Some(value), Some(value)),
            Some(bits) => {
                let (low, high) = self.ends(bits, 0);
                (Some(low), Some(high))
            }
        };
        let (least, most) = if !subtract {
            (
                self.0.add_carry(low_a, low_b, low_c).1,
                self.0.add_carry(high_a, high_b, high_c).1,
            )
        } else {
            (
                self.0.sub_borrow(high_a, low_b, low_c).1,
                self.0.sub_borrow(low_a, high_b, high_c).1,
            )
        };
        let out = self.bin(Bin::Xor, least, most);
        (Some(self.up(all, Elem::I32)), Some(out))
    }

    /// Returns the shadow of the low half of a product. A factor that is divisible by a power of two shifts the undefined bits of
    /// the other up; a factor of 0 makes the product defined.
    pub(super) fn multiplied(self, elem: Elem, a: Bits, b: Bits) -> Shadow {
        let moved = |of: Bits, by: Bits| {
            of.shadow.map(|shadow| {
                self.0
                    .bin(Bin::Mul, elem, FP, shadow, self.lowest(by, elem))
            })
        };
        self.carried(self.or(moved(a, b), moved(b, a)), elem)
    }

    /// Returns the shadow of the high half of a product.
    pub(super) fn multiplied_high(self, elem: Elem, a: Bits, b: Bits) -> Shadow {
        let matters = |of: Bits, by: Bits| {
            let other = self.smear(self.most(by), self.0.ty(by.value).bits());
            of.shadow.map(|shadow| self.and(shadow, other))
        };
        self.whole(self.or(matters(a, b), matters(b, a)), elem, elem.bits())
    }

    /// Returns the low 24 bits of value and shadow.
    pub(super) fn low_24(self, bits: Bits) -> Bits {
        let low = |v| self.and_const(v, 0xff_ffff);
        Bits {
            value: low(bits.value),
            shadow: bits.shadow.map(low),
        }
    }

    /// Returns the value with all undefined bits set.
    fn most(self, bits: Bits) -> Value {
        self.ends(bits, 0).1
    }

    /// Returns the lowest bit of each element that may be set.
    fn lowest(self, bits: Bits, elem: Elem) -> Value {
        let most = self.most(bits);
        let negative = self.0.bin(Bin::Sub, elem, FP, self.constant(most, 0), most);
        self.and(most, negative)
    }

    /// Returns the shadow of a · b + c with 64 bits.
    pub(super) fn mad_wide(self, [a, b, c]: [Bits; 3]) -> Shadow {
        let widened = |v| self.0.un(Un::Widen, Elem::I32, FP, v);
        let moved = |of: Bits, by: Bits| {
            let by = widened(self.lowest(by, Elem::I32));
            of.shadow
                .map(|shadow| self.0.bin(Bin::Mul, Elem::I64, FP, widened(shadow), by))
        };
        let product = self.or(moved(a, b), moved(b, a));
        Some(self.up(self.or(product, c.shadow)?, Elem::I64))
    }
}
