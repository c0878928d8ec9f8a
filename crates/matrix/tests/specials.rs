//! What the table of sums does not have: infinities, NaNs, overflow, signs of zeros, and integers that wrap.

use wavetank_matrix::{ElementType, NAN_F32, NAN_F64, Rule};

/// A half and a bf16 with the same value, in this order.
const ONE: [u64; 2] = [0x3c00, 0x3f80];
const INFINITY: [u64; 2] = [0x7c00, 0x7f80];
const MINUS_INFINITY: [u64; 2] = [0xfc00, 0xff80];
const NAN: [u64; 2] = [0x7e01, 0x7fc1];
const MINUS_ZERO: [u64; 2] = [0x8000, 0x8000];
const TYPES: [ElementType; 2] = [ElementType::F16, ElementType::Bf16];
const RULES: [Rule; 4] = [
    Rule::Exact { group: 4 },
    Rule::Pairwise { group: 4 },
    Rule::Pairwise { group: 2 },
    Rule::Fused { group: 4 },
];

fn single(x: f32) -> u64 {
    x.to_bits().into()
}

/// The sum of four products by each rule, for both types.
fn all(acc: f32, factors: impl Fn(usize) -> ([u64; 4], [u64; 4]), wanted: u64) {
    for rule in RULES {
        for (n, element) in TYPES.into_iter().enumerate() {
            let (a, b) = factors(n);
            let d = rule.dot(element, element, single(acc), &a, &b);
            assert_eq!(d, wanted, "{rule:?} {element:?} {a:x?} {b:x?} {acc}: {d:x}");
        }
    }
}

#[test]
fn infinities_and_nans_are_summed_as_ieee_says() {
    let ones = |n: usize| [ONE[n]; 4];
    let first = |n: usize, of: [u64; 2]| [of[n], ONE[n], ONE[n], ONE[n]];
    let infinity = single(f32::INFINITY);
    all(1.0, |n| (first(n, INFINITY), ones(n)), infinity);
    all(
        1.0,
        |n| (ones(n), first(n, MINUS_INFINITY)),
        single(f32::NEG_INFINITY),
    );
    all(
        f32::NEG_INFINITY,
        |n| (first(n, INFINITY), ones(n)),
        NAN_F32.into(),
    );
    all(f32::INFINITY, |n| (first(n, INFINITY), ones(n)), infinity);
    all(f32::INFINITY, |n| (ones(n), ones(n)), infinity);
    let zero = |n: usize| [0, ONE[n], ONE[n], ONE[n]];
    all(1.0, |n| (first(n, INFINITY), zero(n)), NAN_F32.into());
    all(1.0, |n| (ones(n), first(n, NAN)), NAN_F32.into());
    all(f32::NAN, |n| (ones(n), ones(n)), NAN_F32.into());
    let both = |n: usize| [INFINITY[n], ONE[n], MINUS_INFINITY[n], ONE[n]];
    all(1.0, |n| (both(n), ones(n)), NAN_F32.into());
}

#[test]
fn chains_give_one_nan() {
    let nan = single(f32::from_bits(0xffc0_1234));
    let d = Rule::Chain.dot(ElementType::F32, ElementType::F32, nan, &[0], &[0]);
    assert_eq!(d, u64::from(NAN_F32));
    let infinity = f64::INFINITY.to_bits();
    let d = Rule::Chain.dot(ElementType::F64, ElementType::F64, 0, &[infinity], &[0]);
    assert_eq!(d, NAN_F64);
}

/// A sum of zeros is positive where integers are summed, and that of IEEE where operations are rounded.
#[test]
fn zeros_have_signs() {
    let (zeros, ones) = ([MINUS_ZERO[0]; 4], [ONE[0]; 4]);
    let half = ElementType::F16;
    for (rule, wanted) in [
        (Rule::Exact { group: 4 }, 0.0),
        (Rule::Fused { group: 4 }, 0.0),
        (Rule::Pairwise { group: 4 }, -0.0),
    ] {
        let d = rule.dot(half, half, single(-0.0), &zeros, &ones);
        assert_eq!(d, single(wanted), "{rule:?}");
    }
    // A negative denormal input is positive zero.
    let d = Rule::Pairwise { group: 2 }.dot(half, half, single(-0.0), &[0x8001, 0x8001], &ones);
    assert_eq!(d, single(0.0));
    let d = Rule::Pairwise { group: 2 }.dot(half, half, 0x8000_0001, &zeros[..2], &ones[..2]);
    assert_eq!(d, single(0.0));
}

/// Products of bf16 reach 2^256. Those of 2^128 and more are infinite on gfx942; gfx908 adds them exactly.
#[test]
fn large_products_overflow() {
    // 2^100, and its negative.
    let (large, minus) = (0x7180, 0xf180);
    let dot = |rule: Rule, a: [u64; 2]| {
        let element = ElementType::Bf16;
        rule.dot(element, element, single(3.0), &a, &[large, large])
    };
    let (exact, fused) = (Rule::Exact { group: 2 }, Rule::Fused { group: 2 });
    assert_eq!(dot(exact, [large, minus]), single(3.0));
    assert_eq!(dot(exact, [large, large]), single(f32::INFINITY));
    assert_eq!(dot(fused, [large, 0]), single(f32::INFINITY));
    assert_eq!(dot(fused, [minus, 0]), single(f32::NEG_INFINITY));
    assert_eq!(dot(fused, [large, minus]), u64::from(NAN_F32));
    let pairs = Rule::Pairwise { group: 2 };
    assert_eq!(dot(pairs, [large, minus]), u64::from(NAN_F32));
}

/// A sum beyond the largest single is infinite, though no product is.
#[test]
fn sums_overflow() {
    // 2^63 · 2^64, twice: with the largest single, the sum is beyond the range.
    let (a, b) = ([0x5f00, 0x5f00], [0x5f80, 0x5f80]);
    for rule in [
        Rule::Exact { group: 2 },
        Rule::Pairwise { group: 2 },
        Rule::Fused { group: 2 },
    ] {
        let element = ElementType::Bf16;
        let d = rule.dot(element, element, single(f32::MAX), &a, &b);
        assert_eq!(d, single(f32::INFINITY), "{rule:?}");
    }
}

/// With large products, sums in two halves drop an accumulator that is not finite, as the models of MMA-Sim do.
#[test]
fn halves_drop_accumulators() {
    let rule = Rule::FusedHalves { group: 16 };
    let element = ElementType::Bf8;
    let dot = |acc: f32, a: u64, b: u64| {
        let mut factors = [[0; 16]; 2];
        (factors[0][5], factors[1][5]) = (a, b);
        rule.dot(element, element, single(acc), &factors[0], &factors[1])
    };
    // Exponents of 12 and 12 make 24, 12 and 13 make 25.
    let (of_12, of_13) = (28 << 2, 29 << 2);
    assert_eq!(dot(f32::INFINITY, of_12, of_12), single(f32::INFINITY));
    assert_eq!(dot(f32::NAN, of_12, of_12), u64::from(NAN_F32));
    assert_eq!(
        dot(f32::INFINITY, of_12, of_13),
        single((1u32 << 25) as f32)
    );
    assert_eq!(dot(f32::NAN, of_12, of_13), single((1u32 << 25) as f32));
    // One that is 26 binary digits below the products counts as zero: their sum would be floored to less than 2^20.
    assert_eq!(dot(-(2f32.powi(-6)), 26 << 2, 26 << 2), single(1_048_576.0));
    assert_eq!(dot(1.0, 0x80, 0), u64::from(NAN_F32));
}

#[test]
fn integers_wrap() {
    let dot = |acc: i32, a: i8, b: i8| {
        let bits = |x: i8| u64::from(x as u8);
        let acc = u64::from(acc.cast_unsigned());
        let element = ElementType::I8;
        let d = Rule::Integer.dot(element, element, acc, &[bits(a)], &[bits(b)]);
        (d as u32).cast_signed()
    };
    assert_eq!(dot(i32::MAX, 1, 1), i32::MIN);
    assert_eq!(dot(i32::MIN, -128, 1), i32::MAX - 127);
    assert_eq!(dot(5, -128, -128), 16389);
}
