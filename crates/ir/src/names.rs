//! The names of operations in the text form: one table for printing and parsing, so that both have the same names.

use crate::image::{ImageKind, Lod, Tiling};
use crate::mem::{Clock, Counter, Dialect, Family, GlobalSync, Half, Rmw};
use crate::surface_atomic::{Dimensions, Outside};
use crate::types::{Elem, Round, Ty};

/// Gives an enum `name` (an exhaustive match) and `NAMES` (for the parser). Variants that carry data follow the semicolon; the
/// parser handles them separately.
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

pub(crate) use names;

names!(Ty { U32 = "u32", U64 = "u64", Mask = "mask", V32 = "v32", V64 = "v64" });

names!(Elem {
    I16 = "i16", I32 = "i32", I64 = "i64", F16 = "f16", F32 = "f32", F64 = "f64",
    I16x2 = "i16x2", F16x2 = "f16x2",
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

names!(Tiling { Indexed = "indexed", Swizzled = "swizzled" });

names!(GlobalSync {
    Init = "init", Signal = "signal", SignalMany = "signal_many", Wait = "wait",
    Release = "release", Barrier = "barrier", Turn = "turn", Pass = "pass", Last = "last",
});

names!(Dialect { Strided = "strided", Swizzled = "swizzled", Indexed = "indexed", Summed = "summed" });

names!(Dimensions {
    D1 = "1d", Buffer = "1d_buffer", D1Array = "1d_array", D2 = "2d", D2Array = "2d_array", D3 = "3d",
});

names!(Outside { Drop = "drop", Nearest = "nearest", Stop = "stop" });

names!(Half { Whole = "whole", Low = "low", High = "high", LowAlone = "low_alone", HighAlone = "high_alone", Each = "each" });

names!(Rmw {
    Swap = "swap", CmpSwap = "cmp_swap", Add = "add", Sub = "sub", RevSub = "rev_sub",
    MinS = "min_s", MinU = "min_u", MaxS = "max_s", MaxU = "max_u",
    And = "and", Or = "or", Xor = "xor", Inc = "inc", Dec = "dec",
    MaskOr = "mask_or", Wrap = "wrap", CondXchg = "cond_xchg",
    FCmpSwap = "fcmp_swap", FMin = "fmin", FMax = "fmax", FAdd = "fadd",
    AddSatS = "add_sat_s", FMinNum = "fmin_num", FMaxNum = "fmax_num", FAddFlush = "fadd_flush",
    FAddFtz = "fadd_ftz", PkFAdd = "pk_fadd", PkBfAdd = "pk_bfadd",
    PkFAddFlush = "pk_fadd_flush", PkFMinFlush = "pk_fmin_flush", PkFMaxFlush = "pk_fmax_flush",
});
