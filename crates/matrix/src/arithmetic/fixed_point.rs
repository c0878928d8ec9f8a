//! Fixed-point numbers wide enough for the exact sum of products of bf16 and of a single.
//!
//! The lowest bit has the weight 2^-300: the smallest product of two bf16 is 2^-266, the smallest single 2^-149. 640 bits reach far
//! beyond the largest product, 2^256.

use crate::number::round_to_f32;

const LIMBS: usize = 10;
/// The exponent of the lowest bit.
const LSB: i32 = -300;

/// A signed number in two's complement, lowest limb first.
#[derive(Clone, Copy, Default)]
pub(super) struct FixedPoint([u64; LIMBS]);

impl FixedPoint {
    /// Adds `±magnitude · 2^lsb`.
    pub(super) fn add(&mut self, negative: bool, magnitude: u64, lsb: i32) {
        let at = (lsb - LSB).max(0).cast_unsigned() as usize;
        let shifted = u128::from(magnitude) << (at % 64);
        let mut addend = [0; LIMBS];
        addend[at / 64] = shifted as u64;
        addend[at / 64 + 1] = (shifted >> 64) as u64;
        if negative {
            addend = negated(addend);
        }
        let mut carry = false;
        for (limb, addend) in self.0.iter_mut().zip(addend) {
            let (sum, first) = limb.overflowing_add(addend);
            let (sum, second) = sum.overflowing_add(carry.into());
            (*limb, carry) = (sum, first || second);
        }
    }

    /// Rounds to the nearest single, ties to even. Zero is positive.
    pub(super) fn round(&self) -> u32 {
        let negative = self.0[LIMBS - 1] >> 63 != 0;
        let limbs = if negative { negated(self.0) } else { self.0 };
        let Some(top) = limbs.iter().rposition(|limb| *limb != 0) else {
            return 0;
        };
        // Two limbs hold all bits that the result keeps; what is below them counts as one bit.
        let below = top.saturating_sub(1);
        let sticky = limbs[..below].iter().any(|limb| *limb != 0);
        let high = if top > 0 { limbs[top] } else { 0 };
        let magnitude = u128::from(high) << 64 | u128::from(limbs[below] | u64::from(sticky));
        round_to_f32(negative, magnitude, LSB + 64 * below as i32)
    }
}

fn negated(limbs: [u64; LIMBS]) -> [u64; LIMBS] {
    let mut carry = true;
    limbs.map(|limb| {
        let (limb, overflow) = (!limb).overflowing_add(carry.into());
        carry = overflow;
        limb
    })
}
