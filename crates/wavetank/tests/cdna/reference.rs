//! Dot products of matrix instructions, by the published model of each chip: MMA-Sim (arXiv 2511.10909v2).
//!
//! Written for these tests alone, on numbers of double precision, in which each product of two single-precision numbers or
//! narrower ones is exact, and each step of the model's fixed-point sums, too. Only the exact sum of gfx908 needs more bits.

use wavetank::Chip;

/// A type of the elements of A and B.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    F32,
    Xf32,
    F16,
    Bf16,
    Fp8,
    Bf8,
}

impl Kind {
    /// The value of an element.
    pub(crate) fn value(self, bits: u32) -> f64 {
        match self {
            Kind::F32 => f32::from_bits(bits).into(),
            // The lower 13 bits are dropped.
            Kind::Xf32 => f32::from_bits(bits & !0x1fff).into(),
            Kind::F16 => half::f16::from_bits(bits as u16).into(),
            Kind::Bf16 => f32::from_bits(bits << 16).into(),
            Kind::Fp8 => byte(bits, 3, 8),
            Kind::Bf8 => byte(bits, 2, 16),
        }
    }

    /// The least exponent of a number, which denormals have.
    fn least_exponent(self) -> i32 {
        match self {
            Kind::F32 | Kind::Xf32 | Kind::Bf16 => -126,
            Kind::F16 => -14,
            Kind::Fp8 => -7,
            Kind::Bf8 => -15,
        }
    }

    fn exponent(self, value: f64) -> i32 {
        exponent(value).max(self.least_exponent())
    }
}

/// A float of 8 bits in the form of gfx942: the code of -0 is the NaN, and there is no infinity.
fn byte(bits: u32, mantissa: i32, bias: i32) -> f64 {
    let code = bits as i32 & 0xff;
    if code == 0x80 {
        return f64::NAN;
    }
    let sign = if code >= 0x80 { -1.0 } else { 1.0 };
    let (exponent, fraction) = ((code & 0x7f) >> mantissa, code & ((1 << mantissa) - 1));
    let magnitude = match exponent {
        0 => f64::from(fraction) * power(1 - bias - mantissa),
        _ => f64::from(fraction + (1 << mantissa)) * power(exponent - bias - mantissa),
    };
    sign * magnitude
}

fn power(n: i32) -> f64 {
    2f64.powi(n)
}

/// The exponent of a double that is normal; one below all others for 0.
fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// c + a·b as a matrix instruction of the chip adds it up. `lanes` is the number of elements of A that a lane has.
pub(crate) fn dot(chip: Chip, [ka, kb]: [Kind; 2], lanes: usize, c: f32, ab: &[[u32; 2]]) -> f32 {
    let numbers: Vec<[f64; 2]> = ab
        .iter()
        .map(|[a, b]| [ka.value(*a), kb.value(*b)])
        .collect();
    if ka == Kind::F32 {
        return numbers
            .iter()
            .fold(c, |sum, [a, b]| (*a as f32).mul_add(*b as f32, sum));
    }
    match chip {
        Chip::Gfx908 => {
            let group = if ka == Kind::F16 { 4 } else { 2 };
            numbers.chunks(group).fold(c, |sum, pairs| {
                let mut exact = Exact::default();
                exact.add(sum.into());
                pairs.iter().for_each(|[a, b]| exact.add(a * b));
                exact.round()
            })
        }
        Chip::Gfx90a => {
            let group = if ka == Kind::F16 { 4 } else { lanes };
            pairwise(group, ka, c, &numbers)
        }
        Chip::Gfx942 => match ka {
            Kind::Fp8 | Kind::Bf8 => numbers
                .chunks(16)
                .fold(c, |sum, pairs| fused_apart([ka, kb], sum, pairs)),
            Kind::Xf32 => numbers
                .chunks(4)
                .fold(c, |sum, pairs| fused(ka, sum, pairs)),
            _ => numbers
                .chunks(8)
                .fold(c, |sum, pairs| fused(ka, sum, pairs)),
        },
        _ => panic!("{chip} has no matrix instructions"),
    }
}

/// gfx90a: pairs are added as a tree, and all denormals are 0.
fn pairwise(group: usize, kind: Kind, c: f32, numbers: &[[f64; 2]]) -> f32 {
    let flushed = |x: f32| {
        if x.abs() < f32::MIN_POSITIVE {
            0f32.copysign(x)
        } else {
            x
        }
    };
    let element = |x: f64| {
        if x.abs() < power(kind.least_exponent()) {
            0.0
        } else {
            x
        }
    };
    let start = if c.is_subnormal() { 0.0 } else { c };
    numbers.chunks(group).fold(start, |sum, pairs| {
        let p: Vec<f32> = pairs
            .iter()
            .map(|[a, b]| flushed((element(*a) * element(*b)) as f32))
            .collect();
        let halves: Vec<f32> = p.chunks(2).map(|p| flushed(p[0] + p[1])).collect();
        let tree = halves.into_iter().reduce(|a, b| flushed(a + b)).unwrap();
        flushed(sum + tree)
    })
}

/// Multiples of a power of two, toward 0 or down.
fn cut(value: f64, unit: i32, round: impl Fn(f64) -> f64) -> f64 {
    // Two factors, since the power alone may be no double.
    let (half, rest) = (power(-unit / 2), power(-unit - -unit / 2));
    round(value * half * rest) / half / rest
}

/// The exponent of a product, by those of its factors.
fn of_product([ka, kb]: [Kind; 2], [a, b]: [f64; 2]) -> i32 {
    match a * b {
        0.0 => -999,
        _ => ka.exponent(a) + kb.exponent(b),
    }
}

/// The sum of products, of which each is truncated to 24 bits below the largest, and the exponent of that.
fn truncated(kinds: [Kind; 2], pairs: impl Iterator<Item = [f64; 2]> + Clone) -> (f64, i32) {
    let largest = pairs.clone().map(|p| of_product(kinds, p)).max().unwrap();
    let sum = pairs.map(|[a, b]| match a * b {
        0.0 => 0.0,
        product => cut(product, largest - 24, f64::trunc),
    });
    (sum.sum(), largest)
}

fn sum_with(acc: f64, products: f64, m: i32) -> f32 {
    let s = cut(products, m - 32, f64::floor) + cut(acc, m - 24, f64::floor);
    let s = match s {
        0.0 => 0.0,
        s => cut(s, exponent(s).max(-126) - 31, f64::floor),
    };
    s as f32
}

/// gfx942: all products of a group are added in fixed point.
fn fused(kind: Kind, c: f32, pairs: &[[f64; 2]]) -> f32 {
    let (sum, e) = truncated([kind, kind], pairs.iter().copied());
    let acc = f64::from(c);
    sum_with(acc, sum, e.max(exponent(acc).max(-126)))
}

/// gfx942, 8 bits: products of even and of odd k are added apart.
fn fused_apart(kinds: [Kind; 2], c: f32, pairs: &[[f64; 2]]) -> f32 {
    let part = |n: usize| truncated(kinds, pairs.iter().copied().skip(n).step_by(2));
    let (even, odd) = (part(0), part(1));
    let e = even.1.max(odd.1);
    let floor = |sum: f64| match sum {
        0.0 => 0.0,
        sum => cut(sum, e - 24, f64::floor),
    };
    let sum = floor(even.0) + floor(odd.0);
    let acc = f64::from(c);
    let of_acc = exponent(acc).max(-126);
    let m = e.max(of_acc);
    let acc = if of_acc < m - 25 { 0.0 } else { acc };
    sum_with(acc, sum, m)
}

/// An exact sum of doubles: two's complement in units of 2^-320.
#[derive(Default)]
struct Exact([u64; 11]);

impl Exact {
    fn add(&mut self, value: f64) {
        if value == 0.0 {
            return;
        }
        let fraction = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
        let place = exponent(value) - 52 + 320;
        let (fraction, place) = match place {
            0.. => (fraction, place as usize),
            _ => (fraction >> -place, 0),
        };
        let mut wide = [0u64; 11];
        let bits = u128::from(fraction) << (place % 64);
        (wide[place / 64], wide[place / 64 + 1]) = (bits as u64, (bits >> 64) as u64);
        let is_negative = value < 0.0;
        let mut carry = is_negative;
        for (limb, other) in self.0.iter_mut().zip(wide) {
            let other = if is_negative { !other } else { other };
            let (sum, first) = limb.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(carry.into());
            (*limb, carry) = (sum, first || second);
        }
    }

    /// The nearest number of single precision, the even one of two.
    fn round(mut self) -> f32 {
        let is_negative = self.0[10] >> 63 == 1;
        if is_negative {
            let mut carry = true;
            for limb in &mut self.0 {
                (*limb, carry) = (!*limb).overflowing_add(carry.into());
            }
        }
        let bit = |n: usize| self.0[n / 64] >> (n % 64) & 1;
        let Some(top) = (0..11 * 64).rev().find(|n| bit(*n) == 1) else {
            return 0.0;
        };
        // The last place of single precision is 23 below the first bit, and not below 2^-149.
        let last = top.saturating_sub(23).max(320 - 149);
        let kept = (last..=top).rev().fold(0u64, |all, n| all << 1 | bit(n));
        let half = bit(last - 1) == 1;
        let beyond = (0..last - 1).any(|n| bit(n) == 1);
        let up = half && (beyond || kept & 1 == 1);
        // At most 25 bits, and a power of two that a double has: exact.
        let value = (kept + u64::from(up)) as f64 * power(last as i32 - 320);
        (if is_negative { -value } else { value }) as f32
    }
}

/// `conformance/mfma-dots.tsv`: sums by an exact implementation of the model, which gives the results measured on silicon.
#[test]
fn the_reference_gives_the_published_sums() {
    let Some(shared) = crate::common::shared() else {
        eprintln!("SKIP: the published sums are absent (set WAVETANK_SHARED)");
        return;
    };
    let Ok(text) = std::fs::read_to_string(shared.join("conformance/mfma-dots.tsv")) else {
        eprintln!("SKIP: conformance/mfma-dots.tsv is absent");
        return;
    };
    let hex = |text: &str| u32::from_str_radix(text, 16).expect("hexadecimal");
    let kind = |name: &str| match name {
        "f32" => Kind::F32,
        "xf32" => Kind::Xf32,
        "f16" => Kind::F16,
        "bf16" => Kind::Bf16,
        "fp8" => Kind::Fp8,
        "bf8" => Kind::Bf8,
        _ => panic!("{name} is not a kind"),
    };
    // Double precision is a chain of fma, which needs no reference.
    for line in text.lines().filter(|line| !line.contains("\tf64\t")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, kinds, a, b, c, d] = columns[..] else {
            panic!("six columns: {line}")
        };
        let chip = Chip::EXECUTED
            .iter()
            .find(|chip| chip.name() == name)
            .unwrap();
        let (plain, lanes) = match kinds.strip_suffix("_1k") {
            Some(plain) => (plain, 4),
            None => (kinds, 2),
        };
        let (ka, kb) = plain.split_once('_').unwrap_or((plain, plain));
        let pairs = a
            .split(',')
            .zip(b.split(','))
            .map(|(a, b)| [hex(a), hex(b)]);
        let pairs: Vec<_> = pairs.collect();
        let sum = dot(
            *chip,
            [kind(ka), kind(kb)],
            lanes,
            f32::from_bits(hex(c)),
            &pairs,
        );
        assert_eq!(sum.to_bits(), hex(d), "{line}: {:08x}", sum.to_bits());
    }
}
