//! What the table of sums does not have: infinities, NaNs, overflow, signs of zeros, and integers that wrap.

use wavetank_matrix::{
    Addend, ElementType, Level, Matrix, Model, NAN_F32, NAN_F64, Rule, Shape, multiply_at,
};

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

/// Every element of D, by rule and by every kernel, for equal rows of A, equal columns of B, and one accumulator.
fn everywhere(model: Model, shape: Shape, acc: f32, a: &[u64], b: &[u64], wanted: f32) {
    let matrix = Matrix::new(model, shape).expect("an instruction");
    let zeros = vec![0; shape.stored_k() - a.len()];
    let (a, b) = ([a, &zeros].concat(), [b, &zeros].concat());
    let d = matrix.rule().dot(shape.a, shape.b, single(acc), &a, &b);
    assert_eq!(d, single(wanted), "{matrix:?} {a:x?} {b:x?} {acc}: {d:x}");
    let [mut registers_a, mut registers_b] =
        [shape.a_registers(), shape.b_registers()].map(|count| vec![[0u32; 64]; count]);
    let (m, lines) = (
        usize::from(shape.m),
        shape.m as usize * shape.blocks as usize,
    );
    for (line, k) in (0..lines * a.len()).map(|at| (at / a.len(), at % a.len())) {
        let place = shape.place_of_a(line / m, line % m, k);
        registers_a[place.register][place.lane] |= (a[k] as u32) << place.bit;
        let place = shape.place_of_b(line / m, k, line % m);
        registers_b[place.register][place.lane] |= (b[k] as u32) << place.bit;
    }
    for level in [Level::Avx512, Level::Avx2, Level::Baseline] {
        let mut d = vec![[0; 64]; shape.d_registers()];
        let c = Addend::Every(single(acc));
        multiply_at(level, &matrix, &registers_a, &registers_b, c, None, &mut d).expect("operands");
        assert!(
            d.iter().flatten().all(|d| *d == wanted.to_bits()),
            "{level:?} {matrix:?} {a:x?} {b:x?} {acc}: {:x}",
            d[0][0]
        );
    }
}

/// Bits that decide a tie, above and below the places where fused sums are cut.
#[test]
fn fused_sums_are_cut_where_the_rule_says() {
    let shape = Shape::dense(16, 16, 1, ElementType::F16, ElementType::F32);
    let halves = |acc, a: &[u64], b: &[u64], wanted| {
        everywhere(Model::Gfx942, shape, acc, a, b, wanted);
    };
    let half = |exponent: i32| ((exponent + 15) as u64) << 10;
    // The products are 2^-24 and 2^-31 or 2^-32: beside 1, the former ties, and bits down to 2^-31 decide.
    let up = 1.0 + 2f32.powi(-23);
    halves(1.0, &[half(-12), half(-14)], &[half(-12), 1 << 7], up);
    halves(1.0, &[half(-12), half(-14)], &[half(-12), 1 << 6], 1.0);
    // -3·2^-25 ties between two numbers below 1, where sums have bits down to 2^-32. The lower is even.
    let [higher, lower] = [1.0 - 2f32.powi(-24), 1.0 - 2f32.powi(-23)];
    let minus_three = 0x8000 | half(-12) | 1 << 9;
    halves(1.0, &[minus_three, half(-14)], &[half(-12), 1 << 6], higher);
    halves(1.0, &[minus_three, half(-14)], &[half(-12), 1 << 5], lower);
    // A product of zero has no exponent, however large its other factor: 2^-28 alone is not cut.
    let (a, b) = ([0, half(-14)], [half(15), half(-14)]);
    halves(0.0, &a, &b, 2f32.powi(-28));
    // Among denormal results bits down to 2^-157 decide: 2^-150 ties with zero.
    let shape = Shape::dense(16, 16, 1, ElementType::Bf16, ElementType::F32);
    let brain = |exponent: i32| ((exponent + 127) as u64) << 7;
    for (a, b, wanted) in [(-79, -79, 0), (-79, -78, 1), (-78, -79, 1)] {
        let (a, b) = ([brain(-75), brain(a)], [brain(-75), brain(b)]);
        everywhere(Model::Gfx942, shape, 0.0, &a, &b, f32::from_bits(wanted));
    }
}

/// Denormal sums are flushed before the accumulator is added, and keep their sign.
#[test]
fn denormal_sums_are_flushed() {
    let brain = |exponent: i32| ((exponent + 127) as u64) << 7;
    let least = f32::MIN_POSITIVE;
    // 1.5·2^-126 and -2^-126 in two pairs.
    let a = [brain(-63) | 1 << 6, 0, 0x8000 | brain(-63), 0];
    let b = [brain(-63); 4];
    let shape = Shape::dense(16, 16, 1, ElementType::Bf16, ElementType::F32);
    everywhere(Model::Gfx90a, shape, least, &a, &b, least);
    // Two negative products, each denormal.
    let a = [0x8000 | brain(-70); 2];
    let b = [brain(-70); 2];
    let shape = Shape::dense(32, 2, 2, ElementType::Bf16, ElementType::F32);
    everywhere(Model::Gfx90a, shape, -0.0, &a, &b, -0.0);
    everywhere(Model::Gfx90a, shape, 0.0, &a, &b, 0.0);
    // A normal product of 2^-120, and an accumulator that differs in its last bit: what is left is denormal.
    let acc = f32::from_bits(((127 - 120) << 23) + 1);
    everywhere(
        Model::Gfx90a,
        shape,
        -acc,
        &[brain(-60)],
        &[brain(-60)],
        -0.0,
    );
    everywhere(
        Model::Gfx90a,
        shape,
        acc,
        &[0x8000 | brain(-60)],
        &[brain(-60)],
        0.0,
    );
}

/// A sum that reaches from 2^8 to 2^-48: too far for a double, in which 2^-16 would tie.
#[test]
fn exact_sums_have_bits_that_doubles_have_not() {
    let shape = Shape::dense(16, 16, 1, ElementType::F16, ElementType::F32);
    let small = (15 - 8) << 10;
    let up = 256.0 + 2f32.powi(-15);
    everywhere(Model::Gfx908, shape, 256.0, &[small, 1], &[small, 1], up);
    everywhere(Model::Gfx908, shape, 256.0, &[small, 0], &[small, 1], 256.0);
    let down = [small, 0x8001];
    everywhere(Model::Gfx908, shape, up, &down, &[small, 1], up);
}
