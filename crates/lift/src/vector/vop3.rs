//! VOP3: vector instructions with up to three sources (Vega ISA, 12.10).

use wavetank_gcn::tables::OperandSpec;
use wavetank_gcn::tables::Vop3::{self, *};
use wavetank_gcn::{DstUnused, Field, Operand, SdwaSel, Ty};
use wavetank_ir::{Bin, Elem, Fp, LaneFn, Rel, Round, Tern, Value};

use super::interpolation;
use super::operand::Vector;
use crate::block::{Flow, LATER, NAME_ONLY};
use crate::lane_fn;
use crate::value::{Cond, Float, Int};

pub(super) fn lift(v: &Vector, op: Vop3) -> Flow {
    match op {
        V_ADD_F64 => v.float(|[a, b]| a + b),
        V_MUL_F64 => v.float(|[a, b]| a * b),
        V_MIN_F64 => v.choice(|[a, b]| a.min(b)),
        V_MAX_F64 => v.choice(|[a, b]| a.max(b)),
        V_LDEXP_F32 | V_LDEXP_F64 => v.float(|[a, n]| a.ldexp(n.v)),
        V_FMA_F16 | V_FMA_LEGACY_F16 | V_FMA_F32 | V_FMA_F64 => v.float(|[a, b, c]| a.fma(b, c)),
        // Rounded twice, denormals flushed.
        V_MAD_F16 | V_MAD_LEGACY_F16 | V_MAD_F32 => v.float(|[a, b, c]| a.flushing().mad(b, c)),
        V_MAD_LEGACY_F32 | V_MAC_LEGACY_F32 => {
            v.float(|[a, b, c]| v.mul_legacy(a.flushing(), b.flushing()) + c)
        }
        V_MIN3_F16 | V_MIN3_F32 => v.choice(|[a, b, c]| a.min(b).min(c)),
        V_MAX3_F16 | V_MAX3_F32 => v.choice(|[a, b, c]| a.max(b).max(c)),
        V_MED3_F16 | V_MED3_F32 => v.choice(|[a, b, c]| a.tern(Tern::FMed3, b, c)),
        V_CUBEID_F32 => {
            v.float(|xyz| v.flushing_fn(&lane_fn::CUBE_ID, &lane_fn::CUBE_ID_FLUSHING, xyz))
        }
        V_CUBESC_F32 => {
            v.float(|xyz| v.flushing_fn(&lane_fn::CUBE_SC, &lane_fn::CUBE_SC_FLUSHING, xyz))
        }
        V_CUBETC_F32 => {
            v.float(|xyz| v.flushing_fn(&lane_fn::CUBE_TC, &lane_fn::CUBE_TC_FLUSHING, xyz))
        }
        V_CUBEMA_F32 => v.float(|xyz| {
            let axis = v.flushing_fn(&lane_fn::CUBE_AXIS, &lane_fn::CUBE_AXIS_FLUSHING, xyz);
            axis * v.constant(axis, 2.0)
        }),
        V_TRIG_PREOP_F64 => {
            v.float(|args: [_; 2]| v.float_fn(&lane_fn::TRIG_PREOP_F64, args).flushed_result())
        }

        V_DIV_SCALE_F32 => div_scale(v, &lane_fn::DIV_SCALE_F32),
        V_DIV_SCALE_F64 => div_scale(v, &lane_fn::DIV_SCALE_F64),
        V_DIV_FMAS_F32 => v.float(|abc| div_fmas(v, &lane_fn::DIV_FMAS_SCALED_F32, abc)),
        V_DIV_FMAS_F64 => v.float(|abc| div_fmas(v, &lane_fn::DIV_FMAS_SCALED_F64, abc)),
        V_DIV_FIXUP_F16 | V_DIV_FIXUP_LEGACY_F16 => v.float(|qdn| {
            v.flushing_fn(
                &lane_fn::DIV_FIXUP_F16,
                &lane_fn::DIV_FIXUP_FLUSHING_F16,
                qdn,
            )
        }),
        V_DIV_FIXUP_F32 => v.float(|qdn| {
            v.flushing_fn(
                &lane_fn::DIV_FIXUP_F32,
                &lane_fn::DIV_FIXUP_FLUSHING_F32,
                qdn,
            )
        }),
        V_DIV_FIXUP_F64 => v.float(|qdn| {
            v.flushing_fn(
                &lane_fn::DIV_FIXUP_F64,
                &lane_fn::DIV_FIXUP_FLUSHING_F64,
                qdn,
            )
        }),

        V_CVT_PK_U8_F32 | V_CVT_PKACCUM_U8_F32 => v.to_int(|[x, at, word]: [Float; 3]| {
            // The manual does not specify the rounding, so MODE applies, as in the CLRX wiki (docs/reference/errata.md).
            let byte = x.integral().to_int_u(Elem::I32);
            byte.apply3(Tern::InsertU8, at.as_int(), word.as_int())
        }),
        V_CVT_PKNORM_I16_F32 | V_CVT_PKNORM_I16_F16 => pack_norm(v, &lane_fn::PK_SNORM16),
        V_CVT_PKNORM_U16_F32 | V_CVT_PKNORM_U16_F16 => pack_norm(v, &lane_fn::PK_UNORM16),
        V_CVT_PKRTZ_F16_F32 => pack_halves_toward_zero(v),
        V_CVT_PK_U16_U32 => v.int(|[a, b]| a.apply(Bin::PackSatU, b)),
        V_CVT_PK_I16_I32 => v.int(|[a, b]| a.apply(Bin::PackSatS, b)),
        V_PACK_B32_F16 => v.to_int(|[a, b]| a.flushed().as_int().pack(b.flushed().as_int())),

        V_MUL_LO_U32 | V_MUL_LO_I32 => v.int(|[a, b]| a * b),
        V_MUL_HI_U32 => v.int(|[a, b]| a.mul_hi_u(b)),
        V_MUL_HI_I32 => v.int(|[a, b]| a.mul_hi_s(b)),
        V_MAD_U32_U24 => v.int(|[a, b, c]| v.mad_u(24, a, b, c)),
        V_MAD_I32_I24 => v.int(|[a, b, c]| v.mad_s(24, a, b, c)),
        V_MAD_U16 | V_MAD_LEGACY_U16 | V_MAD_U32_U16 => v.int(|[a, b, c]| v.mad_u(16, a, b, c)),
        V_MAD_I16 | V_MAD_LEGACY_I16 | V_MAD_I32_I16 => v.int(|[a, b, c]| v.mad_s(16, a, b, c)),
        V_MAD_U64_U32 => v.carry(|[a, b, c]| mad_wide(v, false, a, b, c)),
        V_MAD_I64_I32 => v.carry(|[a, b, c]| mad_wide(v, true, a, b, c)),
        V_ADD_I16 | V_ADD_I32 => v.int(|[a, b]| v.add_s(a, b)),
        V_SUB_I16 | V_SUB_I32 => v.int(|[a, b]| v.sub_s(a, b)),
        V_ADD3_U32 => v.int(|[a, b, c]| a + b + c),
        V_LSHL_ADD_U32 => v.int(|[a, b, c]| (a << b) + c),
        // Three bits of the distance count (CDNA 3 ISA, V_LSHL_ADD_U64).
        V_LSHL_ADD_U64 => v.int(|[a, n, c]| (a << (n & 7)) + c),
        V_MUL_LEGACY_F32_E64 => v.float(|[a, b]| v.mul_legacy(a, b)),
        V_ADD_LSHL_U32 => v.int(|[a, b, c]| (a + b) << c),
        V_XAD_U32 => v.int(|[a, b, c]| (a ^ b) + c),
        V_MIN3_I16 | V_MIN3_I32 => v.int(|[a, b, c]| a.min_s(b).min_s(c)),
        V_MIN3_U16 | V_MIN3_U32 => v.int(|[a, b, c]| a.min_u(b).min_u(c)),
        V_MAX3_I16 | V_MAX3_I32 => v.int(|[a, b, c]| a.max_s(b).max_s(c)),
        V_MAX3_U16 | V_MAX3_U32 => v.int(|[a, b, c]| a.max_u(b).max_u(c)),
        V_MED3_I16 | V_MED3_I32 => v.int(|[a, b, c]| a.apply3(Tern::Med3S, b, c)),
        V_MED3_U16 | V_MED3_U32 => v.int(|[a, b, c]| a.apply3(Tern::Med3U, b, c)),

        V_LSHL_OR_B32 => v.int(|[a, b, c]| (a << b) | c),
        V_AND_OR_B32 => v.int(|[a, b, c]| (a & b) | c),
        V_OR3_B32 => v.int(|[a, b, c]| a | b | c),
        V_BFE_U32 => v.int(|[a, b, c]| a.bfe_u(b, c)),
        V_BFE_I32 => v.int(|[a, b, c]| a.bfe_s(b, c)),
        V_BFI_B32 => v.int(|[a, b, c]| a.bit_select(b, c)),
        V_BFM_B32 => v.int(|[a, b]| ((a.constant(1) << a) - 1) << b),
        V_ALIGNBIT_B32 => v.int(|[a, b, c]| a.apply3(Tern::AlignBit, b, c)),
        V_ALIGNBYTE_B32 => v.int(|[a, b, c]| a.apply3(Tern::AlignByte, b, c)),
        V_LSHLREV_B64 => v.int(|[n, a]| a << n),
        V_LSHRREV_B64 => v.int(|[n, a]| a >> n),
        V_ASHRREV_I64 => v.int(|[n, a]| a.sar(n)),
        V_LSHL_B64 => v.int(|[a, n]| a << n),
        V_LSHR_B64 => v.int(|[a, n]| a >> n),
        V_ASHR_I64 => v.int(|[a, n]| a.sar(n)),
        V_BCNT_U32_B32 => v.int(|[a, b]| a.count_ones() + b),
        V_MBCNT_LO_U32_B32 => v.int(|[a, b]| masked_bit_count(v, false, a) + b),
        V_MBCNT_HI_U32_B32 => v.int(|[a, b]| masked_bit_count(v, true, a) + b),

        V_PERM_B32 => v.int(|[a, b, c]| a.apply3(Tern::Perm, b, c)),
        V_LERP_U8 => v.int(|[a, b, c]| a.apply3(Tern::AverageU8, b, c)),
        V_SAD_U8 => v.int(|[a, b, c]| v.sad(Tern::SadU8, a, b, c)),
        V_SAD_HI_U8 => v.int(|[a, b, c]| v.add_u(a.apply3(Tern::SadU8, b, 0) << 16, c)),
        V_SAD_U16 => v.int(|[a, b, c]| v.sad(Tern::SadU16, a, b, c)),
        V_SAD_U32 => v.int(|[a, b, c]| v.sad(Tern::SadU32, a, b, c)),
        V_MSAD_U8 => v.int(|[a, b, c]| v.sad(Tern::MaskedSadU8, a, b, c)),
        V_QSAD_PK_U16_U8 => v.int(|abc| quad_sad(v, &lane_fn::QSAD_PK_U16_U8, abc)),
        V_MQSAD_PK_U16_U8 => v.int(|abc| quad_sad(v, &lane_fn::MQSAD_PK_U16_U8, abc)),
        V_MQSAD_U32_U8 => mqsad_u32(v),

        V_READLANE_B32 => read_lane(v),
        V_WRITELANE_B32 => write_lane(v),

        V_INTERP_P1LL_F16 => interpolation::first_half(v, None),
        V_INTERP_P1LV_F16 => interpolation::first_half(v, Some(Field::Src2)),
        V_INTERP_P2_F16 | V_INTERP_P2_LEGACY_F16 => interpolation::second_half(v),
        V_MULLIT_F32 => v.float(|[a, b, c]| {
            let positive = v.per_lane(c.constant_bits(0).cmp(Rel::Lt, c));
            positive.select_float(v.mul_legacy(a, b), v.constant(c, -f32::MAX))
        }),
        V_CVT_PK_FP8_F32 => pack_bytes(v, &lane_fn::PK_FP8, &lane_fn::PK_FP8_SATURATED),
        V_CVT_PK_BF8_F32 => pack_bytes(v, &lane_fn::PK_BF8, &lane_fn::PK_BF8_SATURATED),
        V_CVT_SR_FP8_F32 => byte_by_chance(v, &lane_fn::SR_FP8, &lane_fn::SR_FP8_SATURATED),
        V_CVT_SR_BF8_F32 => byte_by_chance(v, &lane_fn::SR_BF8, &lane_fn::SR_BF8_SATURATED),

        // NotYet: an opcode that no document at hand explains.
        V_READLANE_REGRD_B32 => Flow::unsupported(v.l.inst, NAME_ONLY),
        // NotYet
        V_BITOP3_B16
        | V_BITOP3_B32
        | V_CVT_SCALEF32_PK_FP8_F32
        | V_CVT_SCALEF32_PK_BF8_F32
        | V_CVT_SCALEF32_SR_FP8_F32
        | V_CVT_SCALEF32_SR_BF8_F32
        | V_CVT_SCALEF32_PK_F32_FP8
        | V_CVT_SCALEF32_PK_F32_BF8
        | V_CVT_SCALEF32_F32_FP8
        | V_CVT_SCALEF32_F32_BF8
        | V_CVT_SCALEF32_PK_FP4_F32
        | V_CVT_SCALEF32_SR_PK_FP4_F32
        | V_CVT_SCALEF32_PK_F32_FP4
        | V_CVT_SCALEF32_PK_FP8_F16
        | V_CVT_SCALEF32_PK_BF8_F16
        | V_CVT_SCALEF32_SR_FP8_F16
        | V_CVT_SCALEF32_SR_BF8_F16
        | V_CVT_SCALEF32_PK_FP8_BF16
        | V_CVT_SCALEF32_PK_BF8_BF16
        | V_CVT_SCALEF32_SR_FP8_BF16
        | V_CVT_SCALEF32_SR_BF8_BF16
        | V_CVT_SCALEF32_PK_F16_FP8
        | V_CVT_SCALEF32_PK_F16_BF8
        | V_CVT_SCALEF32_F16_FP8
        | V_CVT_SCALEF32_F16_BF8
        | V_CVT_SCALEF32_PK_FP4_F16
        | V_CVT_SCALEF32_PK_FP4_BF16
        | V_CVT_SCALEF32_SR_PK_FP4_F16
        | V_CVT_SCALEF32_SR_PK_FP4_BF16
        | V_CVT_SCALEF32_PK_F16_FP4
        | V_CVT_SCALEF32_PK_BF16_FP4
        | V_CVT_SCALEF32_2XPK16_FP6_F32
        | V_CVT_SCALEF32_2XPK16_BF6_F32
        | V_CVT_SCALEF32_SR_PK32_FP6_F32
        | V_CVT_SCALEF32_SR_PK32_BF6_F32
        | V_CVT_SCALEF32_PK32_F32_FP6
        | V_CVT_SCALEF32_PK32_F32_BF6
        | V_CVT_SCALEF32_PK32_FP6_F16
        | V_CVT_SCALEF32_PK32_FP6_BF16
        | V_CVT_SCALEF32_PK32_BF6_F16
        | V_CVT_SCALEF32_PK32_BF6_BF16
        | V_CVT_SCALEF32_SR_PK32_FP6_F16
        | V_CVT_SCALEF32_SR_PK32_FP6_BF16
        | V_CVT_SCALEF32_SR_PK32_BF6_F16
        | V_CVT_SCALEF32_SR_PK32_BF6_BF16
        | V_CVT_SCALEF32_PK32_F16_FP6
        | V_CVT_SCALEF32_PK32_BF16_FP6
        | V_CVT_SCALEF32_PK32_F16_BF6
        | V_CVT_SCALEF32_PK32_BF16_BF6
        | V_ASHR_PK_I8_I32
        | V_ASHR_PK_U8_I32
        | V_CVT_PK_F16_F32
        | V_CVT_PK_BF16_F32
        | V_CVT_SCALEF32_PK_BF16_FP8
        | V_CVT_SCALEF32_PK_BF16_BF8
        | V_CVT_SR_F16_F32
        | V_CVT_SR_BF16_F32
        | V_MINIMUM3_F32
        | V_MAXIMUM3_F32 => Flow::unsupported(v.l.inst, LATER),
    }
}

/// Two floats rounded to bytes, in the half of the destination that OP_SEL selects. FP16_OVFL saturates.
fn pack_bytes(v: &Vector, plain: &'static LaneFn, saturated: &'static LaneFn) -> Flow {
    let bytes = first_two(v, plain, saturated);
    let half = match v.l.inst.mods.op_sel & 8 {
        0 => SdwaSel::Word0,
        _ => SdwaSel::Word1,
    };
    v.write_part(bytes, half, DstUnused::Preserve);
    Flow::Next
}

/// A float rounded by random bits to a byte, in the byte of the destination that the upper bits of OP_SEL select.
fn byte_by_chance(v: &Vector, plain: &'static LaneFn, saturated: &'static LaneFn) -> Flow {
    let byte = first_two(v, plain, saturated);
    let place = match v.l.inst.mods.op_sel >> 2 & 3 {
        0 => SdwaSel::Byte0,
        1 => SdwaSel::Byte1,
        2 => SdwaSel::Byte2,
        _ => SdwaSel::Byte3,
    };
    v.write_part(byte, place, DstUnused::Preserve);
    Flow::Next
}

/// A lane function of the first two sources, the second one if the mode saturates halves.
fn first_two(v: &Vector, plain: &'static LaneFn, saturated: &'static LaneFn) -> Value {
    let f = if v.l.modes.fp16_ovfl() {
        saturated
    } else {
        plain
    };
    let sources = v.sources().take(2);
    let args: Vec<Value> = sources
        .map(|(spec, operand)| v.source(spec, operand))
        .collect();
    v.b().lane_fn(f, &args)
}

/// V_DIV_SCALE: the scaled number, and in the mask whether V_DIV_FMAS must scale the quotient back.
fn div_scale(v: &Vector, f: &'static LaneFn) -> Flow {
    let args: [Float; 3] = v.fetch();
    let (scaled, post) = v.b().lane_fn2(f, &args.map(|a| a.v));
    v.write(scaled, args[0].elem);
    v.write_mask(Cond::new(v.b(), post));
    Flow::Next
}

/// V_DIV_FMAS: a fused multiply-add, scaled where VCC is set. Denormal inputs are kept.
fn div_fmas<'a>(v: &Vector<'a>, f: &'static LaneFn, [a, b, c]: [Float<'a>; 3]) -> Float<'a> {
    let fp = Fp {
        flush_in: false,
        ..a.fp
    };
    let plain = Float { fp, ..a }.fma(b, c);
    v.vcc().select_float(v.float_fn(f, [a, b, c]), plain)
}

/// Two floats as a pair of normalized words.
fn pack_norm(v: &Vector, norm: &'static LaneFn) -> Flow {
    v.to_int(|ab: [Float; 2]| {
        let single = |x: Float| match x.elem {
            Elem::F16 => v.resize(x, Elem::F32).v,
            _ => x.v,
        };
        v.int_fn(norm, ab.map(single))
    })
}

/// V_CVT_PKRTZ_F16_F32: rounds toward zero in every mode.
fn pack_halves_toward_zero(v: &Vector) -> Flow {
    v.to_int(|ab: [Float; 2]| {
        let fp = Fp {
            round: Round::Zero,
            ..v.fp(Elem::F16)
        };
        let [low, high] = ab.map(|x| x.to_float(Elem::F16, fp).as_int());
        low.pack(high)
    })
}

/// a · b + c in 64 bits, and bit 64 of it: the carry, or the sign of a signed sum (RDNA 2 ISA, V_MAD_I64_I32). CLAMP saturates
/// the unsigned sum.
fn mad_wide<'a>(
    v: &Vector<'a>,
    signed: bool,
    a: Int<'a>,
    b: Int<'a>,
    c: Int<'a>,
) -> (Int<'a>, Cond<'a>) {
    let (sum, carry) = v.b().mad_wide(signed, a.v, b.v, c.v);
    let (sum, carry) = (Int::i64(v.b(), sum), Cond::new(v.b(), carry));
    if signed {
        let product = sum - c;
        // The signs of the addends, and the carry out of bit 63.
        let carried = (product & c) | ((product | c) & !sum);
        let sign = product ^ c ^ carried;
        return (sum, v.per_lane(sign.lt_s(0)));
    }
    if v.clamp() {
        (carry.select(sum.constant(u64::MAX), sum), carry)
    } else {
        (sum, carry)
    }
}

/// The number of ones of `a` that belong to lanes below each lane.
fn masked_bit_count<'a>(v: &Vector<'a>, high: bool, a: Int<'a>) -> Int<'a> {
    (a & Int::i32(v.b(), v.b().lanes_below(high))).count_ones()
}

/// Four sums of 16 bits, each added to a word of c. Each is at most 1020, so only the addition of c can saturate.
fn quad_sad<'a>(v: &Vector<'a>, f: &'static LaneFn, [a, b, c]: [Int<'a>; 3]) -> Int<'a> {
    if !v.clamp() {
        return v.int_fn(f, [a, b, c].map(|x| x.v));
    }
    let sums = v.int_fn(f, [a.v, b.v, c.constant(0).v]);
    let pair = |x: Int<'a>| Int::new(v.b(), Elem::I16x2, x.v);
    let add = |x: Int<'a>, y: Int<'a>| Int::i32(v.b(), v.add_u(pair(x), pair(y)).v);
    add(sums.low(), c.low()).pack(add(sums.high(), c.high()))
}

/// V_MQSAD_U32_U8: four masked sums at successive bytes of S0, each added to a
/// dword of the 128-bit S2.
fn mqsad_u32(v: &Vector) -> Flow {
    let mut sources = v.sources();
    let mut next = || sources.next().expect("the row has three sources");
    let [(s0, data), (s1, reference), (s2, sums)] = [next(), next(), next()];
    let data = Int::i64(v.b(), v.source(s0, data));
    let reference = v.source(s1, reference);
    let Operand::Vgpr(sums) = sums else {
        return Flow::unsupported(v.l.inst, "its 128-bit source is not a vector register");
    };
    let dword = OperandSpec { ty: Ty::U32, ..s2 };
    let totals: [Int; 4] = std::array::from_fn(|i| {
        let window = (data >> (8 * i as u64)).low();
        let total = v.raw(dword, Operand::Vgpr(sums.wrapping_add(i as u8)));
        let [reference, total] = [reference, total].map(|x| Int::i32(v.b(), x));
        v.sad(Tern::MaskedSadU8, window, reference, total)
    });
    if let Operand::Vgpr(n) = v.l.inst.operand(Field::Vdst) {
        for (i, total) in totals.into_iter().enumerate() {
            v.write_vgpr(u16::from(n) + i as u16, total.v, 0b1111);
        }
    }
    Flow::Next
}

/// V_READLANE_B32, which does not depend on EXEC.
fn read_lane(v: &Vector) -> Flow {
    let [data, lane] = v.fetch::<Int, 2>();
    v.write_sgpr(v.b().read_lane(data.v, lane.v));
    Flow::Next
}

/// V_WRITELANE_B32, which does not depend on EXEC.
fn write_lane(v: &Vector) -> Flow {
    let [data, lane] = v.fetch::<Int, 2>();
    let mask = (Int::const64(v.b(), 1) << lane).as_mask();
    if let Operand::Vgpr(n) = v.l.inst.operand(Field::Vdst) {
        v.write_lanes(n.into(), data.v, 0b1111, mask.v);
    }
    Flow::Next
}
