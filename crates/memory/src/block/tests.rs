use super::*;

fn value(part: Part) -> f64 {
    match part {
        Part::Absent => 0.0,
        Part::Ratio(a, b) => f64::from(a) / f64::from(b),
        Part::Half(bits) => {
            let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
            let magnitude = match exponent {
                0 => mantissa * 2f64.powi(-24),
                31 => f64::INFINITY,
                _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
            };
            if bits >> 15 != 0 {
                -magnitude
            } else {
                magnitude
            }
        }
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = (0..hex.len()).step_by(2);
    digits
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// The vectors of another decoder, which computes BC1 to BC5 in 8 bits and truncates, and clamps halves between 0 and 1 and
/// returns them in 255ths. Between the endpoints of BC6 it truncates too, where the specification rounds.
#[test]
fn blocks_are_as_another_decoder_has_them() {
    let mut count = 0;
    for line in include_str!("vectors.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let words: Vec<_> = line.split(' ').collect();
        let [name, block, texels] = words[..] else {
            panic!("{line}");
        };
        let (plain, signed) = match name.strip_suffix('s') {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let number: u8 = plain.strip_prefix("bc").unwrap().parse().unwrap();
        let kind = Block::new(34 + number).unwrap();
        let (block, texels) = (bytes(block), bytes(texels));
        assert_eq!(block.len(), kind.bytes() as usize);
        let block = (0..)
            .zip(block)
            .fold(0, |all, (n, byte)| all | u128::from(byte) << (8 * n));
        for (n, want) in (0..16).zip(texels.chunks_exact(texels.len() / 16)) {
            let got = kind.texel(block, n, signed).map(value);
            for (component, (got, want)) in got.into_iter().zip(want).enumerate() {
                // The other decoder returns 0 for the third component of BC5.
                if kind == Block::Bc5 && component == 2 {
                    continue;
                }
                let (got, most) = match (kind, signed) {
                    (Block::Bc7, _) => (got * 255.0, 0.001),
                    (Block::Bc6, _) => (got.clamp(0.0, 1.0) * 255.0, 1.2),
                    (_, true) => (got * 127.0 + 128.0, 1.0),
                    _ => (got * 255.0, 2.0),
                };
                let off = (got - f64::from(*want)).abs();
                assert!(
                    off <= most,
                    "{line}: texel {n}, {component}: {got}, not {want}"
                );
            }
        }
        count += 1;
    }
    assert!(count >= 80, "{count}");
}

/// Two colors, thirds between them; or a half and the transparent one.
#[test]
fn colors_are_fractions() {
    let four = 0xe4 << 32 | u64::from(0x001f_u16) << 16 | 0xf800;
    let texel = |block: u64, n| Block::Bc1.texel(block.into(), n, false);
    let [none, one] = [Part::Ratio(0, 31), Part::Ratio(31, 31)];
    let green = Part::Ratio(0, 63);
    let opaque = Part::Ratio(1, 1);
    assert_eq!(texel(four, 0), [one, green, none, opaque]);
    assert_eq!(texel(four, 1), [none, green, one, opaque]);
    let thirds = [
        Part::Ratio(62, 93),
        Part::Ratio(0, 189),
        Part::Ratio(31, 93),
        opaque,
    ];
    assert_eq!(texel(four, 2), thirds);
    let three = 0xe4 << 32 | u64::from(0xf800_u16) << 16 | 0x001f;
    let halves = [
        Part::Ratio(31, 62),
        Part::Ratio(0, 126),
        Part::Ratio(31, 62),
        opaque,
    ];
    assert_eq!(texel(three, 2), halves);
    assert_eq!(texel(three, 3), [Part::Ratio(0, 1); 4]);
}

/// The limits of the range exist if the first number is not greater than the second.
#[test]
fn numbers_between() {
    let of = |first: u8, second: u8, index: u64, signed| {
        let block = u64::from(first) | u64::from(second) << 8 | index << 16;
        Block::Bc4.texel(block.into(), 0, signed)[0]
    };
    assert_eq!(of(70, 0, 2, false), Part::Ratio(6 * 70, 7 * 255));
    assert_eq!(of(70, 0, 7, false), Part::Ratio(70, 7 * 255));
    assert_eq!(of(0, 50, 5, false), Part::Ratio(4 * 50, 5 * 255));
    assert_eq!(
        [of(0, 50, 6, false), of(0, 50, 7, false)].map(value),
        [0.0, 1.0]
    );
    assert_eq!(
        [of(0, 50, 6, true), of(0, 50, 7, true)].map(value),
        [-1.0, 1.0]
    );
    assert_eq!(of(0x80, 50, 0, true), Part::Ratio(-127, 127));
}

/// A difference of 1 from -3, in 16 bits, of which halves take 31/32: -2.9 and -1.9, truncated.
#[test]
fn sums_of_signed_endpoints_keep_their_sign() {
    let first = 0xfffd_u128;
    let reversed = (0..6).fold(0, |bits, n| bits | (first >> (15 - n) & 1) << n);
    let ends = (first & 0x3ff) << 5 | 1 << 35 | reversed << 39;
    // The second texel has index 15.
    let block = 0x0f | ends | 15 << 68;
    let red = |n| Block::Bc6.texel(block, n, true)[0];
    assert_eq!([red(0), red(1)], [Part::Half(0x8002), Part::Half(0x8001)]);
}

/// Reserved modes decode to zeros.
#[test]
fn reserved_modes() {
    assert_eq!(Block::Bc7.texel(0, 5, false).map(value), [0.0; 4]);
    for mode in [0x13, 0x17, 0x1b, 0x1f_u128] {
        let block = !0x1f | mode;
        assert_eq!(Block::Bc6.texel(block, 5, false).map(value), [0.0; 4]);
    }
}
