//! VOP1: vector instructions with one source (Vega ISA, 12.8).

use wavetank_gcn::tables::Vop1::{self, *};
use wavetank_gcn::{Field, Operand};
use wavetank_ir::{Elem, LaneFn, Reg, Rel, Round, Un};

use super::operand::Vector;
use super::shape::{INFINITIES, NANS, NEGATIVE_INFINITY};
use crate::block::{Flow, LATER, NAME_ONLY};
use crate::lane_fn;
use crate::operand::{EXCP, hw};
use crate::value::{Float, Int};

pub(super) fn lift(v: &Vector, op: Vop1) -> Flow {
    match op {
        V_NOP => Flow::Next,
        V_CLREXCP => {
            let trapsts = Reg::Hw(hw::TRAPSTS);
            let kept = Int::i32(v.b(), v.b().read(trapsts)) & u64::from(!EXCP);
            v.b().write(trapsts, kept.v, None);
            Flow::Next
        }
        V_MOV_B32 | V_MOV_B64 | V_ACCVGPR_MOV_B32 => v.int(|[a]| a),
        V_SWAP_B32 => swap(v),
        V_READFIRSTLANE_B32 => read_first_lane(v),
        V_MOVRELS_B32 => movrel(v, true, false),
        V_MOVRELD_B32 => movrel(v, false, true),
        V_MOVRELSD_B32 => movrel(v, true, true),

        V_CVT_F64_I32 | V_CVT_F32_I32 | V_CVT_F16_I16 => v.to_float(|[a]| v.float_of_signed(a)),
        V_CVT_F64_U32 | V_CVT_F32_U32 | V_CVT_F16_U16 => v.to_float(|[a]| v.float_of_unsigned(a)),
        V_CVT_I32_F64 | V_CVT_I32_F32 | V_CVT_I16_F16 => v.to_int(|[a]| v.signed_of(a)),
        V_CVT_U32_F64 | V_CVT_U32_F32 | V_CVT_U16_F16 => v.to_int(|[a]| v.unsigned_of(a)),
        V_CVT_F32_F64 | V_CVT_F32_F16 => v.float(|[a]| v.resize(a, Elem::F32)),
        V_CVT_F64_F32 => v.float(|[a]| v.resize(a, Elem::F64)),
        V_CVT_F16_F32 => v.float(|[a]| v.resize(a, Elem::F16)),
        V_CVT_RPI_I32_F32 => {
            v.to_int(|[a]| bound_of_nan(a, v.signed_of((a + v.constant(a, 0.5)).un(Un::FFloor))))
        }
        V_CVT_FLR_I32_F32 => v.to_int(|[a]| bound_of_nan(a, v.signed_of(a.un(Un::FFloor)))),
        V_CVT_OFF_F32_I4 => v.to_float(|[a]| {
            let sixteenths = v.float_of_signed(a.bfe_s(0, 4));
            sixteenths * v.constant(sixteenths, 0.0625)
        }),
        V_CVT_F32_UBYTE0 => v.to_float(|[a]| v.float_of_unsigned(a & 0xff)),
        V_CVT_F32_UBYTE1 => v.to_float(|[a]| v.float_of_unsigned(a.bfe_u(8, 8))),
        V_CVT_F32_UBYTE2 => v.to_float(|[a]| v.float_of_unsigned(a.bfe_u(16, 8))),
        V_CVT_F32_UBYTE3 => v.to_float(|[a]| v.float_of_unsigned(a >> 24)),
        V_CVT_NORM_I16_F16 => {
            v.to_int(|[a]| v.int_fn(&lane_fn::SNORM16, [v.resize(a, Elem::F32).v]))
        }
        V_CVT_NORM_U16_F16 => {
            v.to_int(|[a]| v.int_fn(&lane_fn::UNORM16, [v.resize(a, Elem::F32).v]))
        }
        V_CVT_F32_FP8 => v.to_float(|[a]| float_of_byte(v, &lane_fn::F32_OF_FP8, a)),
        V_CVT_F32_BF8 => v.to_float(|[a]| float_of_byte(v, &lane_fn::F32_OF_BF8, a)),
        V_CVT_PK_F32_FP8 => floats_of_bytes(v, &lane_fn::F32_OF_FP8),
        V_CVT_PK_F32_BF8 => floats_of_bytes(v, &lane_fn::F32_OF_BF8),
        // NotYet
        V_PRNG_B32 | V_PERMLANE16_SWAP_B32 | V_PERMLANE32_SWAP_B32 | V_CVT_F32_BF16 => {
            Flow::unsupported(v.l.inst, LATER)
        }
        V_SAT_PK_U8_I16 => v.int(|[a]| v.int_fn(&lane_fn::SAT_PK_U8_I16, [a.v])),

        V_TRUNC_F16 | V_TRUNC_F32 | V_TRUNC_F64 => v.float(|[a]| a.un(Un::FTrunc)),
        V_CEIL_F16 | V_CEIL_F32 | V_CEIL_F64 => v.float(|[a]| a.un(Un::FCeil)),
        V_RNDNE_F16 | V_RNDNE_F32 | V_RNDNE_F64 => v.float(|[a]| a.un(Un::FRoundEven)),
        V_FLOOR_F16 | V_FLOOR_F32 | V_FLOOR_F64 => v.float(|[a]| a.un(Un::FFloor)),
        V_FRACT_F16 | V_FRACT_F32 | V_FRACT_F64 => v.float(fraction),
        V_FREXP_EXP_I16_F16 | V_FREXP_EXP_I32_F32 | V_FREXP_EXP_I32_F64 => v.to_int(|[a]| {
            let n = a.exponent();
            if v.l.rules().infinities_have_parts {
                n
            } else {
                a.class(v.b().u32(NANS | INFINITIES))
                    .select(Int::const32(v.b(), u32::MAX), n)
            }
        }),
        V_FREXP_MANT_F16 | V_FREXP_MANT_F32 | V_FREXP_MANT_F64 => v.float(|[a]| {
            let mantissa = a.un(Un::FMantissa);
            if v.l.rules().infinities_have_parts {
                mantissa
            } else {
                a.class(v.b().u32(INFINITIES))
                    .select_float(a.generated_nan(), mantissa)
            }
        }),

        // Single precision flushes denormals in every mode.
        V_EXP_F16 | V_EXP_F32 | V_EXP_LEGACY_F32 => {
            v.float(|[a]| a.flushing_single().un(Un::FExp2))
        }
        V_LOG_F16 | V_LOG_F32 | V_LOG_LEGACY_F32 => {
            v.float(|[a]| a.flushing_single().un(Un::FLog2))
        }
        V_RCP_F16 | V_RCP_F32 | V_RCP_IFLAG_F32 | V_RCP_F64 => {
            v.float(|[a]| a.flushing_single().un(Un::FRcp))
        }
        V_RSQ_F16 | V_RSQ_F32 | V_RSQ_F64 => v.float(|[a]| a.flushing_single().un(Un::FRsq)),
        V_SQRT_F16 | V_SQRT_F32 | V_SQRT_F64 => v.float(|[a]| a.flushing_single().un(Un::FSqrt)),
        V_SIN_F16 | V_SIN_F32 => v.float(|[a]| v.turns(a).un(Un::FSin)),
        V_COS_F16 | V_COS_F32 => v.float(|[a]| v.turns(a).un(Un::FCos)),
        V_LOG_CLAMP_F32 => v.float(|[a]| finite(v, NEGATIVE_INFINITY, a.flushing().un(Un::FLog2))),
        V_RCP_CLAMP_F32 | V_RCP_CLAMP_F64 => {
            v.float(|[a]| finite(v, INFINITIES, a.flushing_single().un(Un::FRcp)))
        }
        V_RSQ_CLAMP_F32 | V_RSQ_CLAMP_F64 => {
            v.float(|[a]| finite(v, INFINITIES, a.flushing_single().un(Un::FRsq)))
        }

        V_NOT_B32 => v.int(|[a]| !a),
        V_BFREV_B32 => v.int(|[a]| a.reverse()),
        V_FFBH_U32 => v.int(|[a]| a.leading_zeros()),
        V_FFBL_B32 => v.int(|[a]| a.trailing_zeros()),
        V_FFBH_I32 => v.int(|[a]| a.leading_signs()),
        V_SCREEN_PARTITION_4SE_B32 => v.int(|[a]| v.int_fn(&lane_fn::SCREEN_PARTITION_4SE, [a.v])),

        V_RCP_LEGACY_F32 => v.float(|[a]| {
            let r = a.flushing().un(Un::FRcp);
            let zero = (r.as_int() & 0x8000_0000).v;
            r.class(v.b().u32(INFINITIES))
                .select_float(Float { v: zero, ..r }, r)
        }),
        V_RSQ_LEGACY_F32 => v.float(|[a]| {
            let r = a.flushing().un(Un::FRsq);
            r.class(v.b().u32(INFINITIES))
                .select_float(r.constant_bits(0), r)
        }),
        // NotYet: opcodes that no document explains.
        V_MOV_FED_B32 | V_MOV_PRSV_B32 | V_WRITELANE_REGWR_B32 => {
            Flow::unsupported(v.l.inst, NAME_ONLY)
        }
    }
}

/// The difference from the floor: below 1.0 for any rounding.
fn fraction<'a>([a]: [Float<'a>; 1]) -> Float<'a> {
    if a.fp.round == Round::Nearest {
        return a.un(Un::FFract);
    }
    let rounded = a - a.un(Un::FFloor);
    let one = match a.elem {
        Elem::F16 => 0x3c00,
        Elem::F64 => 1f64.to_bits(),
        _ => 1f32.to_bits().into(),
    };
    let is_one = rounded.cmp(Rel::Eq, a.constant_bits(one));
    // Infinities have no fraction: `FFract` defines their result.
    let finite = is_one.select_float(a.constant_bits(one - 1), rounded);
    a.class(a.b.u32(INFINITIES))
        .select_float(a.un(Un::FFract), finite)
}

/// The integer of a float; for a NaN, the bound of its sign (docs/reference/errata.md).
fn bound_of_nan<'a>(a: Float<'a>, n: Int<'a>) -> Int<'a> {
    let bound = a.as_int().sar(31) ^ 0x7fff_ffff;
    a.class(a.b.u32(NANS)).select(bound, n)
}

/// The float whose 8 bits are the low byte.
fn float_of_byte<'a>(v: &Vector<'a>, f: &'static LaneFn, a: Int<'a>) -> Float<'a> {
    let float = v.b().lane_fn(f, &[(a & 0xff).v]);
    Float::new(v.b(), Elem::F32, v.fp(Elem::F32), float)
}

/// The floats of the two low bytes, in two registers.
fn floats_of_bytes(v: &Vector, f: &'static LaneFn) -> Flow {
    let [a] = v.fetch::<Int, 1>();
    let [low, high] = [a, a >> 8].map(|byte| {
        let float = float_of_byte(v, f, byte);
        Int::i32(v.b(), v.output_modifiers(float.v, Elem::F32))
    });
    v.write_bytes(low.pack(high).v, 0b1111);
    Flow::Next
}

/// V_SWAP_B32: both registers are read before either is written.
fn swap(v: &Vector) -> Flow {
    let ([source, target], b) = (v.fetch::<Int, 2>(), v.b());
    v.write(source.v, Elem::I32);
    if let Operand::Vgpr(n) = v.l.inst.operand(Field::Src0) {
        b.write(Reg::V(n.into()), target.v, Some(v.lanes()));
    }
    Flow::Next
}

/// V_READFIRSTLANE_B32: EXEC selects the lane, and lane 0 if it is 0.
fn read_first_lane(v: &Vector) -> Flow {
    let [a] = v.fetch::<Int, 1>();
    // A uniform source is the same in every lane.
    let value = if v.b().ty(a.v).is_vector() {
        v.b().read_first_lane(a.v, v.l.exec_mask())
    } else {
        a.v
    };
    v.write_sgpr(value);
    Flow::Next
}

/// V_MOVREL*: M0 is added to the number of the source, the destination or both.
fn movrel(v: &Vector, source: bool, destination: bool) -> Flow {
    let m0 = v.l.m0();
    let value = match v.l.inst.operand(Field::Src0) {
        Operand::Vgpr(n) if source => v.read_indexed(n.into(), m0),
        _ => v.fetch::<Int, 1>()[0].v,
    };
    match v.l.inst.operand(Field::Vdst) {
        Operand::Vgpr(n) if destination => v.write_indexed(n.into(), m0, value, v.lanes()),
        _ => v.write(value, Elem::I32),
    }
    Flow::Next
}

/// Replaces the infinities of these classes by the largest number of their sign (gfx6, gfx7).
fn finite<'a>(v: &Vector<'a>, classes: u32, x: Float<'a>) -> Float<'a> {
    let infinite = x.class(v.b().u32(classes));
    infinite.select_float(x.next_to_zero(), x)
}
