//! Sums rounded to odd: a further rounding to a narrower format is correct in any direction.

macro_rules! sum_to_odd {
    ($name:ident, $f:ident) => {
        /// a + b rounded to odd: if the last bit of the sum is even, it moves by one place toward the remainder.
        #[inline(always)]
        pub(crate) fn $name(a: $f, b: $f) -> $f {
            let sum = a + b;
            let added = sum - a;
            let rest = (a - (sum - added)) + (b - added);
            let bits = sum.to_bits();
            let away = rest.is_sign_negative() == sum.is_sign_negative();
            let odd = if away {
                bits.wrapping_add(1)
            } else {
                bits.wrapping_sub(1)
            };
            // Infinities and NaNs have no finite remainder.
            let moves = (rest != 0.0) & rest.is_finite() & (bits & 1 == 0);
            $f::from_bits(if moves { odd } else { bits })
        }
    };
}

sum_to_odd!(sum_to_odd_f32, f32);
sum_to_odd!(sum_to_odd_f64, f64);
