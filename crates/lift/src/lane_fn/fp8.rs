//! Floats of 8 bits, as gfx942 has them: one NaN in the place of -0, and no infinity (CDNA 3 ISA, 2.8 "Data types": FP8 and BF8).

use super::lane_fn;

/// A format of 8 bits.
#[derive(Clone, Copy)]
struct Format {
    /// The bits of the mantissa.
    mantissa: u32,
    /// The bias of the exponent.
    bias: i32,
}

/// 4 bits of exponent, and 3 of the mantissa.
const FP8: Format = Format {
    mantissa: 3,
    bias: 8,
};

/// 5 bits of exponent, and 2 of the mantissa.
const BF8: Format = Format {
    mantissa: 2,
    bias: 16,
};

/// The code of the NaN.
const NAN: u32 = 0x80;

/// The code of the largest number.
const LARGEST: u32 = 0x7f;

lane_fn!(
    /// The single-precision value of an FP8 in the low byte.
    F32_OF_FP8, "f32_of_fp8", 32, |[a, ..]: [u64; 4]| FP8.widen(a as u8)
);
lane_fn!(
    /// The single-precision value of a BF8 in the low byte.
    F32_OF_BF8, "f32_of_bf8", 32, |[a, ..]: [u64; 4]| BF8.widen(a as u8)
);
lane_fn!(
    /// Two numbers rounded to the nearest FP8; one that is too large becomes a NaN.
    PK_FP8, "pk_fp8", 32, |[a, b, ..]: [u64; 4]| FP8.pair(a, b, false)
);
lane_fn!(
    /// Two numbers rounded to the nearest FP8, or the largest.
    PK_FP8_SATURATED, "pk_fp8_saturated", 32, |[a, b, ..]: [u64; 4]| FP8.pair(a, b, true)
);
lane_fn!(
    /// Two numbers rounded to the nearest BF8; one that is too large becomes a NaN.
    PK_BF8, "pk_bf8", 32, |[a, b, ..]: [u64; 4]| BF8.pair(a, b, false)
);
lane_fn!(
    /// Two numbers rounded to the nearest BF8, or the largest.
    PK_BF8_SATURATED, "pk_bf8_saturated", 32, |[a, b, ..]: [u64; 4]| BF8.pair(a, b, true)
);
lane_fn!(
    /// A number rounded up or down to FP8, by random bits.
    SR_FP8, "sr_fp8", 32, |[a, random, ..]: [u64; 4]| FP8.by_chance(a, random, false)
);
lane_fn!(
    /// A number rounded up or down to FP8, by random bits, at most the largest.
    SR_FP8_SATURATED, "sr_fp8_saturated", 32, |[a, random, ..]: [u64; 4]| FP8.by_chance(a, random, true)
);
lane_fn!(
    /// A number rounded up or down to BF8, by random bits.
    SR_BF8, "sr_bf8", 32, |[a, random, ..]: [u64; 4]| BF8.by_chance(a, random, false)
);
lane_fn!(
    /// A number rounded up or down to BF8, by random bits, at most the largest.
    SR_BF8_SATURATED, "sr_bf8_saturated", 32, |[a, random, ..]: [u64; 4]| BF8.by_chance(a, random, true)
);

impl Format {
    /// Returns the bits of the number in single precision, which has all of them.
    fn widen(self, byte: u8) -> u32 {
        let code = u32::from(byte);
        if code == NAN {
            return 0x7fc0_0000;
        }
        let exponent = ((code & 0x7f) >> self.mantissa) as i32;
        let fraction = code & ((1 << self.mantissa) - 1);
        let hidden = u32::from(exponent != 0) << self.mantissa;
        let power = exponent.max(1) - self.bias - self.mantissa as i32;
        let magnitude = (fraction + hidden) as f32 * (power as f32).exp2();
        magnitude.to_bits() | (code >> 7) << 31
    }

    fn pair(self, a: u64, b: u64, saturate: bool) -> u32 {
        // Half of the last place, less where the kept part is even.
        let nearest =
            |fraction: u64, dropped: u32| (1 << dropped >> 1) - 1 + (fraction >> dropped & 1);
        let [a, b] = [a, b].map(|x| self.narrow(x as u32, saturate, nearest));
        a | b << 8
    }

    /// Adds the upper random bits below the kept part.
    fn by_chance(self, a: u64, random: u64, saturate: bool) -> u32 {
        let added = |_, dropped: u32| (random & 0xffff_ffff) << dropped >> 32;
        self.narrow(a as u32, saturate, added)
    }

    /// Returns the code of a number in single precision. `added` gives the part that rounding adds, from the bits of the fraction
    /// and the number of those that are dropped.
    fn narrow(self, x: u32, saturate: bool, added: impl Fn(u64, u32) -> u64) -> u32 {
        let (sign, exponent, fraction) = (x >> 31 << 7, (x >> 23 & 0xff) as i32, x & 0x7f_ffff);
        if exponent == 0xff {
            let number = saturate && fraction == 0;
            return if number { sign | LARGEST } else { NAN };
        }
        let fraction = u64::from(fraction | u32::from(exponent != 0) << 23);
        let exponent = exponent.max(1) - 127;
        let least = 1 - self.bias;
        let dropped = 23 - self.mantissa + (least - exponent).max(0) as u32;
        // Beyond 31 places even the hidden bit rounds to 0.
        let kept = match dropped {
            0..=31 => (fraction + added(fraction, dropped)) >> dropped,
            _ => 0,
        };
        let above = ((exponent - least).max(0) as u64) << self.mantissa;
        match above + kept {
            0 => 0,
            code if code <= LARGEST.into() => sign | code as u32,
            _ if saturate => sign | LARGEST,
            _ => NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(f: &wavetank_ir::LaneFn, args: [u64; 2]) -> u32 {
        (f.call)([args[0], args[1], 0, 0]).0 as u32
    }

    /// CDNA 3 ISA, 2.8: the largest numbers, the smallest, and the NaN of both formats.
    #[test]
    fn numbers_of_both_formats() {
        let fp8 = |code| f32::from_bits(call(&F32_OF_FP8, [code, 0]));
        let bf8 = |code| f32::from_bits(call(&F32_OF_BF8, [code, 0]));
        assert_eq!(
            [fp8(0x40), fp8(0x7f), fp8(0xff), fp8(0x01)],
            [1.0, 240.0, -240.0, 1.0 / 1024.0]
        );
        assert_eq!(
            [bf8(0x40), bf8(0x7f), bf8(0xff), bf8(0x01)],
            [1.0, 57344.0, -57344.0, 2f32.powi(-17)]
        );
        assert!(fp8(0x80).is_nan() && bf8(0x80).is_nan());
    }

    /// Each number comes back, and a number between two goes to the nearer one, or to the even one.
    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        for (widen, narrow) in [(&F32_OF_FP8, &PK_FP8), (&F32_OF_BF8, &PK_BF8)] {
            let number = |code: u64| f32::from_bits(call(widen, [code, 0]));
            let pair = |x: f32| call(narrow, [x.to_bits().into(), 0]);
            for code in 0..0x7f {
                assert_eq!(pair(number(code)), code as u32);
                let middle = (number(code) + number(code + 1)) / 2.0;
                assert_eq!(pair(middle), (code + (code & 1)) as u32);
                assert_eq!(pair(middle.next_up()), code as u32 + 1);
                assert_eq!(pair(-middle.next_up()), (code as u32 + 1) | 0x80);
            }
        }
    }

    #[test]
    fn numbers_beyond_the_largest() {
        let code = |f, x: f32| call(f, [x.to_bits().into(), 0]) & 0xff;
        assert_eq!(code(&PK_FP8, 247.0), 0x7f);
        assert_eq!(
            [code(&PK_FP8, 248.0), code(&PK_FP8_SATURATED, -248.0)],
            [0x80, 0xff]
        );
        assert_eq!(
            [
                code(&PK_BF8, f32::INFINITY),
                code(&PK_BF8_SATURATED, f32::INFINITY)
            ],
            [0x80, 0x7f]
        );
        assert_eq!(
            [code(&PK_BF8_SATURATED, f32::NAN), code(&PK_FP8, -0.0)],
            [0x80, 0]
        );
    }

    /// The chance to be rounded up is the dropped part.
    #[test]
    fn chance_rounds_up_in_proportion() {
        // 1 + 1/32: a quarter of the way to 1 + 1/8.
        let x = (1.0f32 + 1.0 / 32.0).to_bits().into();
        let ups = (0..256u64).filter(|n| call(&SR_FP8, [x, n << 24]) == 0x41);
        assert_eq!(ups.count(), 64);
        assert_eq!(
            call(&SR_BF8, [1f32.to_bits().into(), u64::from(u32::MAX)]),
            0x40
        );
    }
}
