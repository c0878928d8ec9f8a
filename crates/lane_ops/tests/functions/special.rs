//! Operations with rules of their own, against the ISA document's examples and
//! pseudo-code (Vega ISA, 12.7 to 12.10).

use wavetank_ir::{Bin, Elem, Fp, Rel, Tern, Un};

use super::samples::{Random, environments, layout, ones, specials, width};
use super::scalar;

fn un32(op: Un, a: u32) -> u32 {
    scalar::un(op, Elem::F32, Fp::default(), a.into()) as u32
}

#[test]
fn examples_of_the_document_in_single_precision() {
    // Vega ISA, VOP1 opcodes 32 to 42.
    for (op, examples) in [
        (
            Un::FExp2,
            &[
                (0xff80_0000, 0),
                (0x8000_0000, 0x3f80_0000),
                (0x7f80_0000, 0x7f80_0000),
            ][..],
        ),
        (
            Un::FLog2,
            &[
                (0xff80_0000, 0xffc0_0000),
                (0xbf80_0000, 0xffc0_0000),
                (0x8000_0000, 0xff80_0000),
                (0, 0xff80_0000),
                (0x3f80_0000, 0),
                (0x7f80_0000, 0x7f80_0000),
            ],
        ),
        (
            Un::FRcp,
            &[
                (0xff80_0000, 0x8000_0000),
                (0xc000_0000, 0xbf00_0000),
                (0x8000_0000, 0xff80_0000),
                (0, 0x7f80_0000),
                (0x7f80_0000, 0),
            ],
        ),
        (
            Un::FRsq,
            &[
                (0xff80_0000, 0xffc0_0000),
                (0x8000_0000, 0xff80_0000),
                (0, 0x7f80_0000),
                (0x4080_0000, 0x3f00_0000),
                (0x7f80_0000, 0),
            ],
        ),
        (
            Un::FSqrt,
            &[
                (0xff80_0000, 0xffc0_0000),
                (0x8000_0000, 0x8000_0000),
                (0, 0),
                (0x4080_0000, 0x4000_0000),
                (0x7f80_0000, 0x7f80_0000),
            ],
        ),
        (
            Un::FSin,
            &[
                (0xff80_0000, 0xffc0_0000),
                (0xff7f_ffff, 0),
                (0x8000_0000, 0x8000_0000),
                (0x3e80_0000, 0x3f80_0000),
                (0x7f80_0000, 0xffc0_0000),
            ],
        ),
        (
            Un::FCos,
            &[
                (0xff80_0000, 0xffc0_0000),
                (0xff7f_ffff, 0x3f80_0000),
                (0x8000_0000, 0x3f80_0000),
                (0x3e80_0000, 0),
                (0x7f80_0000, 0xffc0_0000),
            ],
        ),
    ] {
        for &(a, r) in examples {
            assert_eq!(un32(op, a), r, "{op:?} of {a:#x}");
        }
    }
}

#[test]
fn examples_of_the_document_in_half_precision() {
    // Vega ISA, VOP1 opcodes 61 to 75.
    for (op, examples) in [
        (
            Un::FRcp,
            &[
                (0xfc00, 0x8000),
                (0xc000, 0xb800),
                (0x8000, 0xfc00),
                (0, 0x7c00),
                (0x7c00, 0),
            ][..],
        ),
        (
            Un::FSqrt,
            &[
                (0xfc00, 0xfe00),
                (0x8000, 0x8000),
                (0, 0),
                (0x4400, 0x4000),
                (0x7c00, 0x7c00),
            ],
        ),
        (
            Un::FRsq,
            &[
                (0xfc00, 0xfe00),
                (0x8000, 0xfc00),
                (0, 0x7c00),
                (0x4400, 0x3800),
                (0x7c00, 0),
            ],
        ),
        (
            Un::FLog2,
            &[
                (0xfc00, 0xfe00),
                (0xbc00, 0xfe00),
                (0x8000, 0xfc00),
                (0, 0xfc00),
                (0x3c00, 0),
                (0x7c00, 0x7c00),
            ],
        ),
        (
            Un::FExp2,
            &[(0xfc00, 0), (0x8000, 0x3c00), (0x7c00, 0x7c00)],
        ),
        (
            Un::FSin,
            &[
                (0xfc00, 0xfe00),
                (0xfbff, 0),
                (0x8000, 0x8000),
                (0x3400, 0x3c00),
                (0x7bff, 0),
                (0x7c00, 0xfe00),
            ],
        ),
        (
            Un::FCos,
            &[
                (0xfc00, 0xfe00),
                (0xfbff, 0x3c00),
                (0x8000, 0x3c00),
                (0x3400, 0),
                (0x7bff, 0x3c00),
                (0x7c00, 0xfe00),
            ],
        ),
    ] {
        for &(a, r) in examples {
            // The upper half of the word does not matter.
            let ours = scalar::un(op, Elem::F16, Fp::default(), a | 0xdead_0000);
            assert_eq!(ours, r, "{op:?} of {a:#x}");
        }
    }
}

/// A float as the pseudo-code sees it.
#[derive(Clone, Copy)]
struct Number {
    elem: Elem,
    bits: u64,
}

impl Number {
    fn value(self) -> f64 {
        let (fraction, bias) = layout(self.elem);
        let sign = if self.bits >> (width(self.elem) - 1) == 1 {
            -1.0
        } else {
            1.0
        };
        let field = self.bits >> fraction & (2 * bias + 1);
        let part = (self.bits & ones(fraction)) as f64 / (1u64 << fraction) as f64;
        let scale = |e: i64| 2f64.powi((e / 2) as i32) * 2f64.powi((e - e / 2) as i32);
        match field {
            0 => sign * part * scale(1 - bias as i64),
            f if f == 2 * bias + 1 && part != 0.0 => f64::NAN,
            f if f == 2 * bias + 1 => sign * f64::INFINITY,
            f => sign * (1.0 + part) * scale(f as i64 - bias as i64),
        }
    }

    fn is_nan(self) -> bool {
        self.value().is_nan()
    }

    fn is_signaling(self) -> bool {
        self.is_nan() && self.bits >> (layout(self.elem).0 - 1) & 1 == 0
    }

    fn quiet(self) -> Number {
        Number {
            bits: self.bits | 1 << (layout(self.elem).0 - 1),
            ..self
        }
    }

    fn is_zero(self, negative: bool) -> bool {
        self.value() == 0.0 && self.value().is_sign_negative() == negative
    }
}

/// V_MIN_F32: line by line as the document has it.
#[allow(clippy::if_same_then_else)]
fn pseudo_min(ieee: bool, s0: Number, s1: Number) -> Number {
    if ieee && s0.is_signaling() {
        s0.quiet()
    } else if ieee && s1.is_signaling() {
        s1.quiet()
    } else if s0.is_nan() {
        s1
    } else if s1.is_nan() {
        s0
    } else if s0.is_zero(false) && s1.is_zero(true) {
        s1
    } else if s0.is_zero(true) && s1.is_zero(false) {
        s0
    } else if s0.value() < s1.value() {
        s0
    } else {
        s1
    }
}

/// V_MAX_F32.
#[allow(clippy::if_same_then_else)]
fn pseudo_max(ieee: bool, s0: Number, s1: Number) -> Number {
    if ieee && s0.is_signaling() {
        s0.quiet()
    } else if ieee && s1.is_signaling() {
        s1.quiet()
    } else if s0.is_nan() {
        s1
    } else if s1.is_nan() {
        s0
    } else if s0.is_zero(false) && s1.is_zero(true) {
        s0
    } else if s0.is_zero(true) && s1.is_zero(false) {
        s1
    } else if ieee {
        if s0.value() >= s1.value() { s0 } else { s1 }
    } else if s0.value() > s1.value() {
        s0
    } else {
        s1
    }
}

/// V_MED3_F32.
fn pseudo_median(ieee: bool, [a, b, c]: [Number; 3]) -> Number {
    let largest = pseudo_max(ieee, pseudo_max(ieee, a, b), c);
    if a.is_nan() || b.is_nan() || c.is_nan() {
        pseudo_min(ieee, pseudo_min(ieee, a, b), c)
    } else if largest.value() == a.value() {
        pseudo_max(ieee, b, c)
    } else if largest.value() == b.value() {
        pseudo_max(ieee, a, c)
    } else {
        pseudo_max(ieee, a, b)
    }
}

fn flushed(on: bool, a: Number) -> Number {
    let (fraction, bias) = layout(a.elem);
    if on && a.bits >> fraction & (2 * bias + 1) == 0 {
        Number {
            bits: a.bits >> (width(a.elem) - 1) << (width(a.elem) - 1),
            ..a
        }
    } else {
        a
    }
}

#[test]
fn minimum_maximum_and_median_follow_the_pseudo_code() {
    for elem in [Elem::F16, Elem::F32, Elem::F64] {
        let special = specials(elem);
        let mut random = Random(7);
        for fp in environments() {
            let read = |bits| flushed(fp.flush_in, Number { elem, bits });
            for &a in &special {
                for &b in &special {
                    let c = random.value(elem);
                    let [x, y, z] = [a, b, c].map(read);
                    let min = flushed(fp.flush_out, pseudo_min(fp.ieee, x, y)).bits;
                    let max = flushed(fp.flush_out, pseudo_max(fp.ieee, x, y)).bits;
                    let median = flushed(fp.flush_out, pseudo_median(fp.ieee, [x, y, z])).bits;
                    let what = format!("{elem:?} {a:x} {b:x} {c:x} in {fp:?}");
                    assert_eq!(scalar::bin(Bin::FMin, elem, fp, a, b), min, "min {what}");
                    assert_eq!(scalar::bin(Bin::FMax, elem, fp, a, b), max, "max {what}");
                    let ours = scalar::tern(Tern::FMed3, elem, fp, [a, b, c]);
                    assert_eq!(ours, median, "median {what}");
                }
            }
        }
    }
}

#[test]
fn relations_are_those_of_the_numbers() {
    for elem in [Elem::F16, Elem::F32, Elem::F64] {
        let special = specials(elem);
        for fp in environments() {
            for &a in &special {
                for &b in &special {
                    let read = |bits| flushed(fp.flush_in, Number { elem, bits }).value();
                    let (x, y) = (read(a), read(b));
                    for (rel, expected) in [
                        (Rel::Eq, x == y),
                        (Rel::Ne, x != y),
                        (Rel::Lt, x < y),
                        (Rel::Le, x <= y),
                        (
                            Rel::FLg,
                            x.partial_cmp(&y).is_some_and(|order| order.is_ne()),
                        ),
                        (Rel::FOrd, !x.is_nan() && !y.is_nan()),
                    ] {
                        let ours = scalar::cmp(rel, elem, fp, a, b);
                        assert_eq!(ours, expected, "{rel:?} {elem:?} {a:x} {b:x} in {fp:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_float_has_one_class() {
    // Vega ISA, V_CMP_CLASS_F32: the order of the ten bits.
    for elem in [Elem::F16, Elem::F32, Elem::F64] {
        for bits in specials(elem) {
            let a = Number { elem, bits };
            let negative = bits >> (width(elem) - 1) == 1;
            let denormal = a.value() != 0.0 && flushed(true, a).value() == 0.0;
            let expected = match (negative, a.value()) {
                _ if a.is_signaling() => 0,
                _ if a.is_nan() => 1,
                (true, f64::NEG_INFINITY) => 2,
                (false, f64::INFINITY) => 9,
                (true, 0.0) => 5,
                (false, 0.0) => 6,
                (true, _) if denormal => 4,
                (false, _) if denormal => 7,
                (true, _) => 3,
                (false, _) => 8,
            };
            for class in 0..10 {
                let ours = scalar::class(elem, bits, 1 << class);
                assert_eq!(
                    ours,
                    class == expected,
                    "class {class} of {elem:?} {bits:x}"
                );
            }
        }
    }
}

#[test]
fn clamps_keep_to_zero_and_one() {
    for (a, clamped, kept) in [
        (0x3f00_0000, 0x3f00_0000, 0x3f00_0000),
        (0x4000_0000, 0x3f80_0000, 0x3f80_0000),
        (0x7f80_0000, 0x3f80_0000, 0x3f80_0000),
        (0xff80_0000, 0, 0),
        (0xbf00_0000, 0, 0),
        (0x8000_0000, 0, 0),
        (0x0000_0001, 1, 1),
        (0x7fc0_0001, 0, 0x7fc0_0001),
        (0xffc0_0000, 0, 0xffc0_0000u32),
    ] {
        assert_eq!(un32(Un::FClamp, a), clamped, "clamp of {a:#x}");
        assert_eq!(un32(Un::FClampKeepNan, a), kept, "clamp of {a:#x}");
    }
}

#[test]
fn parts_of_numbers() {
    let double = |op, x: f64| scalar::un(op, Elem::F64, Fp::default(), x.to_bits());
    let single = |op, x: f32| un32(op, x.to_bits());
    // Vega ISA, V_FREXP_*: S0 = significand · 2^exponent.
    for x in [
        1.0,
        -1.0,
        0.75,
        3.5,
        1e-300,
        -1e300,
        5e-324,
        f64::MIN_POSITIVE,
        f64::MAX,
    ] {
        let (m, e) = (
            f64::from_bits(double(Un::FMantissa, x)),
            double(Un::FExponent, x) as i32,
        );
        assert!((0.5..1.0).contains(&m.abs()), "mantissa of {x}: {m}");
        let back = m * 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
        assert_eq!(back, x, "{m} · 2^{e}");
    }
    for x in [1.0f32, -0.75, 3.5, 1e-40, f32::MAX] {
        let (m, e) = (
            f32::from_bits(single(Un::FMantissa, x)),
            single(Un::FExponent, x) as i32,
        );
        assert!((0.5..1.0).contains(&m.abs()), "mantissa of {x}: {m}");
        assert_eq!(f64::from(m) * 2f64.powi(e), f64::from(x));
    }
    for bits in specials(Elem::F16) {
        let x = Number {
            elem: Elem::F16,
            bits,
        };
        let mantissa = scalar::un(Un::FMantissa, Elem::F16, Fp::default(), bits);
        let exponent = scalar::un(Un::FExponent, Elem::F16, Fp::default(), bits);
        if x.value() == 0.0 || x.value().is_infinite() {
            assert_eq!((mantissa, exponent), (bits, 0));
        } else if x.is_nan() {
            assert_eq!((mantissa, exponent), (x.quiet().bits, 0));
        } else {
            let m = Number {
                elem: Elem::F16,
                bits: mantissa,
            }
            .value();
            assert!((0.5..1.0).contains(&m.abs()));
            assert_eq!(m * 2f64.powi((exponent as i16).into()), x.value());
        }
    }
    assert_eq!(single(Un::FExponent, 0.0), 0);
    assert_eq!(single(Un::FExponent, f32::INFINITY), 0);
    assert_eq!(single(Un::FMantissa, -0.0), 0x8000_0000);
    assert_eq!(un32(Un::FMantissa, 0x7f80_0001), 0x7fc0_0001);
    // Never 1, however small the operand below zero.
    assert_eq!(single(Un::FFract, -1e-20), 0x3f7f_ffff);
    assert_eq!(single(Un::FFract, 2.75), 0.75f32.to_bits());
    assert_eq!(single(Un::FFract, -2.75), 0.25f32.to_bits());
    assert_eq!(single(Un::FFract, f32::INFINITY), 0xffc0_0000);
    assert_eq!(double(Un::FFract, -1e-20), 0x3fef_ffff_ffff_ffff);
    assert_eq!(
        scalar::un(Un::FFract, Elem::F16, Fp::default(), 0x8001),
        0x3bff
    );
}

#[test]
fn integral_parts_of_every_half() {
    for bits in 0..0x1_0000u64 {
        let x = Number {
            elem: Elem::F16,
            bits,
        };
        for (op, exact) in [
            (Un::FTrunc, f64::trunc as fn(f64) -> f64),
            (Un::FCeil, f64::ceil),
            (Un::FFloor, f64::floor),
            (Un::FRoundEven, f64::round_ties_even),
        ] {
            let ours = scalar::un(op, Elem::F16, Fp::default(), bits);
            if x.is_nan() {
                assert_eq!(ours, x.quiet().bits);
                continue;
            }
            let r = Number {
                elem: Elem::F16,
                bits: ours,
            }
            .value();
            let expected = exact(x.value());
            assert_eq!(r.to_bits(), expected.to_bits(), "{op:?} of {}", x.value());
        }
    }
}

#[test]
fn flushed_operands_of_reciprocals_are_zeros() {
    let fp = Fp {
        flush_in: true,
        flush_out: true,
        ..Fp::default()
    };
    let un = |op, a| scalar::un(op, Elem::F32, fp, a);
    assert_eq!(un(Un::FRcp, 1), 0x7f80_0000);
    assert_eq!(un(Un::FRcp, 0x8000_0001), 0xff80_0000);
    // 1 / 2^127 is a denormal.
    assert_eq!(un(Un::FRcp, 0x7f00_0000), 0);
    assert_eq!(un(Un::FLog2, 0x007f_ffff), 0xff80_0000);
    assert_eq!(un(Un::FExp2, (-130f32).to_bits().into()), 0);
    assert_eq!(un(Un::FCanonicalize, 0x8000_0001), 0x8000_0000);
    assert_eq!(un(Un::FCanonicalize, 0x7f80_0001), 0x7fc0_0001);
    assert_eq!(un(Un::FFloor, 0x8000_0001), 0x8000_0000);
    // Without flushing.
    assert_eq!(un32(Un::FExp2, (-130f32).to_bits()), 1 << 19);
    assert_eq!(un32(Un::FFloor, 0x8000_0001), 0xbf80_0000);
}
