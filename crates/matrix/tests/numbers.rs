//! Numbers against the soft floats of `rustc_apfloat`, and against the definitions of the formats that it does not know.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Half, Single};
use wavetank_matrix::{Class, ElementType, Number, round_to_f32};

use crate::common::Random;

/// The bits of a single, all NaNs alike.
fn bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

#[test]
fn halves_are_those_of_soft_floats() {
    for word in 0..=u16::MAX {
        let single = |soft: Single| bits(f32::from_bits(soft.to_bits() as u32));
        let mut loses = false;
        let half: Single =
            rustc_apfloat::FloatConvert::convert(Half::from_bits(word.into()), &mut loses).value;
        let ours = Number::decode(ElementType::F16, word.into()).to_f32();
        assert_eq!(bits(ours), single(half), "{word:x}");
        let bfloat: Single =
            rustc_apfloat::FloatConvert::convert(BFloat::from_bits(word.into()), &mut loses).value;
        let ours = Number::decode(ElementType::Bf16, word.into()).to_f32();
        assert_eq!(bits(ours), single(bfloat), "{word:x}");
    }
}

/// The values of FNUZ bytes by their definition: `±(1 + f / 2^n) · 2^(e - bias)`, without infinities and negative zero.
#[test]
fn bytes_are_finite_with_one_zero() {
    for (element, fraction, bias) in [(ElementType::Fp8, 3, 8), (ElementType::Bf8, 2, 16)] {
        for byte in 0..=u8::MAX {
            let ours = Number::decode(element, byte.into());
            if byte == 0x80 {
                assert_eq!(ours.class, Class::Nan);
                continue;
            }
            let magnitude = i32::from(byte & 0x7f);
            let (e, f) = (magnitude >> fraction, magnitude & ((1 << fraction) - 1));
            let part = f64::from(f) / f64::from(1 << fraction);
            let value = match e {
                0 => part * 2f64.powi(1 - bias),
                _ => (1.0 + part) * 2f64.powi(e - bias),
            };
            let value = if byte > 0x80 { -value } else { value };
            assert_eq!(f64::from(ours.to_f32()), value, "{element:?} {byte:x}");
        }
    }
    assert_eq!(Number::decode(ElementType::Fp8, 0x7f).to_f32(), 240.0);
    assert_eq!(Number::decode(ElementType::Bf8, 0xff).to_f32(), -57344.0);
}

#[test]
fn the_matrix_unit_reads_19_bits_of_xf32() {
    let number = Number::decode(ElementType::Xf32, 0x3f80_1fff);
    assert_eq!(number.to_f32(), 1.0);
    let number = Number::decode(ElementType::Xf32, 0xbf80_2000);
    assert_eq!(number.to_f32(), -1.0 - 1.0 / 1024.0);
}

/// Doubles are rounded to singles by the host as IEEE 754 says.
#[test]
fn rounding_is_that_of_the_host() {
    let mut random = Random::new();
    for _ in 0..200_000 {
        let magnitude = u64::from(random.word()) << 20 | u64::from(random.word() >> 12);
        // Few bits meet ties more often.
        let magnitude = magnitude >> random.below(50);
        let lsb = random.below(360).cast_signed() - 220;
        let double = magnitude as f64 * 2f64.powi(lsb);
        let ours = round_to_f32(false, magnitude.into(), lsb);
        assert_eq!(ours, (double as f32).to_bits(), "{magnitude:x} * 2^{lsb}");
        let wide = u128::from(magnitude) << 70;
        assert_eq!(
            round_to_f32(true, wide, lsb - 70),
            (-double as f32).to_bits()
        );
    }
}
