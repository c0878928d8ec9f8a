//! The names operations have in the text form: one table for printing and
//! parsing, so that neither can know a name the other does not.

use crate::image::{ImageKind, Lod};
use crate::mem::{Clock, Counter, Family, GlobalSync, Half, Rmw};
use crate::op::{Bin, Cvt, Rel, Tern, Un};
use crate::types::{Elem, Round, Ty};

/// Gives an enum `name` (an exhaustive match) and `NAMES` (for the parser).
/// Variants that carry data stand behind the semicolon: the parser treats them.
macro_rules! names {
    ($ty:ident { $($variant:ident = $name:literal),* $(,)? $(; $data:pat => $data_name:literal)? }) => {
        impl $ty {
            /// Every variant without data, with its name in the text form.
            pub const NAMES: &[($ty, &str)] = &[$(($ty::$variant, $name)),*];

            /// The name in the text form.
            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $($ty::$variant => $name,)*
                    $($data => $data_name,)?
                }
            }

            /// The variant without data that has this name.
            pub(crate) fn from_text(name: &str) -> Option<$ty> {
                Self::NAMES.iter().find(|(_, n)| *n == name).map(|&(v, _)| v)
            }
        }
    };
}

names!(Ty { U32 = "u32", U64 = "u64", Mask = "mask", V32 = "v32", V64 = "v64" });

names!(Elem {
    I16 = "i16", I32 = "i32", I64 = "i64", F16 = "f16", F32 = "f32", F64 = "f64",
});

names!(Round { Nearest = "nearest", Up = "up", Down = "down", Zero = "zero" });

names!(Family {
    Salu = "salu", Valu = "valu", Smem = "smem", Vmem = "vmem", Flat = "flat",
    Lds = "lds", Branch = "branch", Other = "other",
});

names!(Clock { Cycles = "cycles", RealTime = "real_time" });

names!(Counter { Vm = "vm", Lgkm = "lgkm", Both = "both" });

names!(ImageKind {
    Texel = "texel", Raw = "raw", RawSigned = "raw_signed", Info = "info",
    Sample = "sample", Gather = "gather", Lod = "lod",
});

names!(Lod {
    Zero = "zero", Implicit = "implicit", Bias = "bias", Derivatives = "derivatives",
    Explicit = "explicit",
});

names!(GlobalSync {
    Init = "init", Signal = "signal", SignalMany = "signal_many", Wait = "wait",
    Release = "release", Barrier = "barrier",
});

names!(Half { Whole = "whole", Low = "low", High = "high" });

names!(Rmw {
    Swap = "swap", CmpSwap = "cmp_swap", Add = "add", Sub = "sub", RevSub = "rev_sub",
    MinS = "min_s", MinU = "min_u", MaxS = "max_s", MaxU = "max_u",
    And = "and", Or = "or", Xor = "xor", Inc = "inc", Dec = "dec",
    MaskOr = "mask_or", Wrap = "wrap", CondXchg = "cond_xchg",
    FCmpSwap = "fcmp_swap", FMin = "fmin", FMax = "fmax", FAdd = "fadd",
});

names!(Un {
    Not = "not", Reverse = "reverse", CountOnes = "count_ones",
    LeadingZeros = "leading_zeros", LeadingSigns = "leading_signs",
    TrailingZeros = "trailing_zeros",
    Low = "low", High = "high", Widen = "widen", WidenSigned = "widen_signed",
    FNeg = "fneg", FAbs = "fabs", FClamp = "fclamp", FClampKeepNan = "fclamp_keep_nan",
    FCanonicalize = "fcanonicalize", FSqrt = "fsqrt", FRcp = "frcp", FRsq = "frsq",
    FExp2 = "fexp2", FLog2 = "flog2", FSin = "fsin", FCos = "fcos", FFract = "ffract",
    FTrunc = "ftrunc", FCeil = "fceil", FFloor = "ffloor", FRoundEven = "fround_even",
    FExponent = "fexponent", FMantissa = "fmantissa";
    Un::SignExtend(_) => "sign_extend"
});

names!(Bin {
    Add = "add", Sub = "sub", Mul = "mul", MulHiU = "mul_hi_u", MulHiS = "mul_hi_s",
    MulU24 = "mul_u24", MulS24 = "mul_s24", MulHiU24 = "mul_hi_u24", MulHiS24 = "mul_hi_s24",
    And = "and", Or = "or", Xor = "xor", Shl = "shl", Shr = "shr", Sar = "sar",
    MinU = "min_u", MaxU = "max_u", MinS = "min_s", MaxS = "max_s",
    AddSatU = "add_sat_u", SubSatU = "sub_sat_u", AddSatS = "add_sat_s", SubSatS = "sub_sat_s",
    Pack = "pack", FAdd = "fadd", FSub = "fsub", FMul = "fmul", FMin = "fmin", FMax = "fmax",
    FLdexp = "fldexp",
});

names!(Tern {
    Fma = "fma", FMad = "fmad", BitSelect = "bit_select", BfeU = "bfe_u", BfeS = "bfe_s",
    AlignBit = "align_bit", AlignByte = "align_byte", FMed3 = "fmed3",
});

names!(Rel {
    Eq = "eq", Ne = "ne", LtU = "lt_u", LeU = "le_u", Lt = "lt", Le = "le",
    FLg = "flg", FOrd = "ford",
});

names!(Cvt {
    SToF = "s_to_f", UToF = "u_to_f", FToS = "f_to_s", FToU = "f_to_u", FToF = "f_to_f",
});
