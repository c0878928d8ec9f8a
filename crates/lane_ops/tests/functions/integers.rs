//! Integer functions against the ISA document's examples, and against
//! arithmetic in 128 bits.

use wavetank_ir::{Bin, Elem, Fp, Rel, Tern, Un};

use super::samples::{Random, ones, specials, width};
use super::scalar;

const ELEMENTS: [Elem; 3] = [Elem::I16, Elem::I32, Elem::I64];

fn signed(elem: Elem, a: u64) -> i128 {
    let shift = 128 - width(elem);
    (i128::from(a) << shift) >> shift
}

#[test]
fn two_operands_against_wide_arithmetic() {
    let mut random = Random(10);
    for elem in ELEMENTS {
        let bits = width(elem);
        let special = specials(elem);
        let mut pairs: Vec<(u64, u64)> = special
            .iter()
            .flat_map(|&a| special.iter().map(move |&b| (a, b)))
            .collect();
        pairs.extend((0..5000).map(|_| (random.value(elem), random.value(elem))));
        for (a, b) in pairs {
            let (u, v) = (i128::from(a), i128::from(b));
            let (s, t) = (signed(elem, a), signed(elem, b));
            let (most, least) = (i128::from(ones(bits - 1)), -i128::from(ones(bits - 1)) - 1);
            let count = b as u32 % bits;
            for (op, expected) in [
                (Bin::Add, u + v),
                (Bin::Sub, u - v),
                (Bin::Mul, u.wrapping_mul(v)),
                (
                    Bin::MulHiU,
                    ((u as u128).wrapping_mul(v as u128) >> bits) as i128,
                ),
                (Bin::MulHiS, (s * t) >> bits),
                (Bin::And, u & v),
                (Bin::Or, u | v),
                (Bin::Xor, u ^ v),
                (Bin::Shl, u << count),
                (Bin::Shr, u >> count),
                (Bin::Sar, s >> count),
                (Bin::MinU, u.min(v)),
                (Bin::MaxU, u.max(v)),
                (Bin::MinS, s.min(t)),
                (Bin::MaxS, s.max(t)),
                (Bin::AddSatU, (u + v).min(i128::from(ones(bits)))),
                (Bin::SubSatU, (u - v).max(0)),
                (Bin::AddSatS, (s + t).clamp(least, most)),
                (Bin::SubSatS, (s - t).clamp(least, most)),
            ] {
                // Bits above 16 do not matter, and are zero in results.
                let above = if bits == 16 { 0xabcd_0000 } else { 0 };
                let ours = scalar::bin(op, elem, Fp::default(), a | above, b | above);
                let expected = expected as u64 & ones(bits);
                assert_eq!(ours, expected, "{op:?} {elem:?} of {a:x}, {b:x}");
            }
            for (rel, expected) in [
                (Rel::Eq, u == v),
                (Rel::Ne, u != v),
                (Rel::LtU, u < v),
                (Rel::LeU, u <= v),
                (Rel::Lt, s < t),
                (Rel::Le, s <= t),
            ] {
                let ours = scalar::cmp(rel, elem, Fp::default(), a, b);
                assert_eq!(ours, expected, "{rel:?} {elem:?} of {a:x}, {b:x}");
            }
        }
    }
}

#[test]
fn products_of_24_bits() {
    let mut random = Random(11);
    for _ in 0..5000 {
        let (a, b) = (random.value(Elem::I32), random.value(Elem::I32));
        let (u, v) = (a & 0xff_ffff, b & 0xff_ffff);
        let narrow = |a: u64| (a << 40) as i64 >> 40;
        let bin = |op| scalar::bin(op, Elem::I32, Fp::default(), a, b);
        assert_eq!(bin(Bin::MulU24), (u * v) & ones(32));
        assert_eq!(bin(Bin::MulHiU24), (u * v) >> 32);
        let product = narrow(a) * narrow(b);
        assert_eq!(bin(Bin::MulS24), product as u64 & ones(32));
        assert_eq!(bin(Bin::MulHiS24), (product >> 32) as u64 & ones(32));
    }
}

#[test]
fn bit_searches_of_the_document() {
    let un = |op, a| scalar::un(op, Elem::I32, Fp::default(), a);
    // Vega ISA, V_FFBH_U32, V_FFBL_B32, V_FFBH_I32.
    for (a, r) in [
        (0, 0xffff_ffff),
        (0x8000_00ff, 0),
        (0x1000_00ff, 3),
        (0xffff, 16),
        (1, 31),
    ] {
        assert_eq!(un(Un::LeadingZeros, a), r);
    }
    for (a, r) in [
        (0, 0xffff_ffff),
        (0xff00_0001, 0),
        (0xff00_0008, 3),
        (0xffff_0000, 16),
        (0x8000_0000, 31),
    ] {
        assert_eq!(un(Un::TrailingZeros, a), r);
    }
    for (a, r) in [
        (0, 0xffff_ffff),
        (0x4000_0000, 1),
        (0x8000_0000, 1),
        (0x0fff_ffff, 4),
        (0xffff_0000, 16),
        (0xffff_fffe, 31),
        (0xffff_ffff, 0xffff_ffff),
    ] {
        assert_eq!(un(Un::LeadingSigns, a), r, "{a:x}");
    }
    assert_eq!(un(Un::Reverse, 0x8000_0005), 0xa000_0001);
    assert_eq!(un(Un::CountOnes, 0xf0f0_0001), 9);
    assert_eq!(un(Un::Not, 0xf), 0xffff_fff0);
    assert_eq!(un(Un::SignExtend(8), 0x1280), 0xffff_ff80);
    assert_eq!(un(Un::SignExtend(16), 0x1_7fff), 0x7fff);
    assert_eq!(un(Un::SignExtend(24), 0xff80_0000), 0xff80_0000);
    assert_eq!(un(Un::WidenSigned, 0x8000_0000), 0xffff_ffff_8000_0000);
    assert_eq!(un(Un::Widen, 0x8000_0000), 0x8000_0000);
    assert_eq!(un(Un::Low, 0x1234_5678_9abc_def0), 0x9abc_def0);
    assert_eq!(un(Un::High, 0x1234_5678_9abc_def0), 0x1234_5678);
    let un = |op, elem, a| scalar::un(op, elem, Fp::default(), a);
    assert_eq!(un(Un::LeadingZeros, Elem::I64, 1), 63);
    assert_eq!(un(Un::TrailingZeros, Elem::I64, 1 << 40), 40);
    assert_eq!(un(Un::LeadingSigns, Elem::I64, u64::MAX), 0xffff_ffff);
    assert_eq!(un(Un::Not, Elem::I16, 0xf), 0xfff0);
    assert_eq!(un(Un::Reverse, Elem::I16, 1), 0x8000);
}

#[test]
fn bit_fields_and_alignment() {
    let mut random = Random(12);
    let tern = |op, a, b, c| scalar::tern(op, Elem::I32, Fp::default(), [a, b, c]);
    for _ in 0..5000 {
        let [a, b, c] = std::array::from_fn(|_| random.value(Elem::I32));
        let (offset, bits) = (b % 32, c % 32);
        // Vega ISA, V_BFE_U32, V_BFE_I32: bits past the top read as the sign.
        assert_eq!(tern(Tern::BfeU, a, b, c), a >> offset & ((1 << bits) - 1));
        let shifted = i64::from(a as i32) >> offset;
        let field = if bits == 0 {
            0
        } else {
            shifted << (64 - bits) >> (64 - bits)
        };
        assert_eq!(tern(Tern::BfeS, a, b, c), field as u64 & ones(32));
        let pair = a << 32 | b;
        assert_eq!(tern(Tern::AlignBit, a, b, c), pair >> (c % 32) & ones(32));
        assert_eq!(
            tern(Tern::AlignByte, a, b, c),
            pair >> (8 * (c % 4)) & ones(32)
        );
        assert_eq!(tern(Tern::BitSelect, a, b, c), (a & b | !a & c) & ones(32));
    }
    let pack = |elem| scalar::bin(Bin::Pack, elem, Fp::default(), 0x1234_5678, 0x9abc_def0);
    assert_eq!(pack(Elem::I16), 0xdef0_5678);
    assert_eq!(pack(Elem::I32), 0x9abc_def0_1234_5678);
}

/// An operation of three words.
fn word3(op: Tern, args: [u64; 3]) -> u64 {
    scalar::tern(op, Elem::I32, Fp::default(), args)
}

/// Expectations folded by LLVM's instcombine from `llvm.amdgcn.perm`.
#[test]
fn perm_as_llvm_folds() {
    for (a, b, c, want) in [
        (0x80706050, 0x84038281, 0x03020100, 0x84038281),
        (0x80706050, 0x84038281, 0x07060504, 0x80706050),
        (0x80706050, 0x84038281, 0x0b0a0908, 0xff00ffff),
        (0x80706050, 0x84038281, 0x0c0dff00, 0x00ffff81),
        (0x80706050, 0x84038281, 0x0e0c0b04, 0xff00ff50),
        (0x00ff00ff, 0x7f807f80, 0x08090a0b, 0x00000000),
    ] {
        assert_eq!(word3(Tern::Perm, [a, b, c]), want, "{a:#x} {b:#x} {c:#x}");
    }
}

/// The manual's table of selectors (12.10 V_PERM_B32), for each selector in each byte.
#[test]
fn perm_of_every_selector() {
    for [a, b] in [[0x8001_7f02u64, 0x0384_0586], [0x7f80_ff00, 0xfe01_8033]] {
        let bytes = (a << 32 | b).to_le_bytes();
        let sign = |byte: usize| if bytes[byte] & 0x80 != 0 { 0xff } else { 0 };
        for select in 0..=255u8 {
            let byte = match select {
                0..=7 => bytes[usize::from(select)],
                8..=11 => sign(usize::from(select - 8) * 2 + 1),
                12 => 0,
                _ => 0xff,
            };
            let all = u64::from(select) * 0x0101_0101;
            let expected = u64::from(byte) * 0x0101_0101;
            assert_eq!(word3(Tern::Perm, [a, b, all]), expected, "{select}");
        }
    }
}

/// Sums of differences by the definitions, worked by hand; they wrap.
#[test]
fn sums_of_differences() {
    let bytes = [0x0a_00_ff_01, 0x00_0a_00_02, 5];
    assert_eq!(word3(Tern::SadU8, bytes), 10 + 10 + 255 + 1 + 5);
    assert_eq!(word3(Tern::MaskedSadU8, bytes), 10 + 1 + 5);
    let halves = [0xffff_0001, 0x0000_0003, 7];
    assert_eq!(word3(Tern::SadU16, halves), 0xffff + 2 + 7);
    assert_eq!(word3(Tern::SadU32, [3, 10, 0xffff_fffc]), 3);
    assert_eq!(word3(Tern::SadU8, [0xff, 0, 0xffff_ffff]), 0xfe);
}

/// `(a + b + round) >> 1` in each byte.
#[test]
fn averages() {
    let average = |args| word3(Tern::AverageU8, args);
    assert_eq!(
        average([0xff_00_01_02, 0xff_01_02_02, 0x01_01_00_01]),
        0xff_01_01_02
    );
    for [a, b, round] in (0..=255u64).flat_map(|a| [[a, 255 - a, 0], [a, a / 3, 1], [a, 255, 1]]) {
        let expected = (a + b + round) / 2 * 0x0101_0101;
        assert_eq!(average([a, b, round].map(|x| x * 0x0101_0101)), expected);
    }
}

/// The middle of three sorted numbers.
#[test]
fn medians() {
    let mut random = Random(21);
    for elem in ELEMENTS {
        for _ in 0..2000 {
            let args = [(); 3].map(|()| random.value(elem));
            let mut sorted = args;
            sorted.sort_unstable();
            let fp = Fp::default();
            assert_eq!(scalar::tern(Tern::Med3U, elem, fp, args), sorted[1]);
            sorted.sort_unstable_by_key(|x| signed(elem, *x));
            assert_eq!(scalar::tern(Tern::Med3S, elem, fp, args), sorted[1]);
        }
    }
}
