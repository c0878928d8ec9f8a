//! The functions of numbers: a row for each, with its name in the text form, its element types, and the widths of its operands
//! and result. Builder, verifier, printer and parser are generated from the rows.
//!
//! The treatment of denormals, rounding and NaNs that all float functions share is described at [`Fp`](crate::Fp).

use crate::names::names;
use crate::types::{Elem, Ty};

/// The element types that a function accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elems {
    Any,
    Integers,
    /// All integers, and masks if all operands are masks.
    Bitwise,
    /// Integers of 32 bits only.
    I32,
    /// Integers of 16 and of 32 bits.
    Halves,
    Floats,
    /// Floats of 16 and of 32 bits.
    Short,
    /// Integers and pairs of them.
    Packed,
    /// Floats and pairs of them.
    PackedFloats,
}

impl Elems {
    /// Whether an element type is included.
    pub(crate) fn contain(self, elem: Elem) -> bool {
        let takes_pairs = matches!(self, Elems::Packed | Elems::PackedFloats);
        if elem.half().is_some() && !takes_pairs {
            return false;
        }
        match self {
            Elems::Any => true,
            Elems::Integers | Elems::Bitwise | Elems::Packed => !elem.is_float(),
            Elems::I32 => elem == Elem::I32,
            Elems::Halves => matches!(elem, Elem::I16 | Elem::I32),
            Elems::Floats | Elems::PackedFloats => elem.is_float(),
            Elems::Short => matches!(elem, Elem::F16 | Elem::F32),
        }
    }

    /// The names of the element types in a message.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Elems::Any => "anything",
            Elems::Integers | Elems::Bitwise => "integers",
            Elems::I32 => "i32",
            Elems::Halves => "i16 or i32",
            Elems::Floats => "floats",
            Elems::Short => "f16 or f32",
            Elems::Packed => "integers or pairs of them",
            Elems::PackedFloats => "floats or pairs of them",
        }
    }
}

/// The width of an operand or a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// The width of the element type.
    Own,
    W32,
    W64,
    /// 32 or 64 bits, for an operand.
    Either,
    /// Twice the width of the element.
    Twice,
    /// A mask for vectors, 0 or 1 for uniforms.
    Bit,
}

/// The types of a function's operands and result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) elems: Elems,
    pub(crate) args: &'static [Width],
    pub(crate) result: Width,
}

impl Shape {
    /// Whether the function operates on masks, by its operands.
    pub(crate) fn is_of_masks(&self, args: &[Ty]) -> bool {
        self.elems == Elems::Bitwise && args.iter().all(|&a| a == Ty::Mask)
    }

    /// The width in bits of an operand of type `is`.
    pub(crate) fn bits(width: Width, elem: Elem, is: Ty) -> u32 {
        match width {
            Width::Own => elem.carrier_bits(),
            Width::W32 | Width::Bit => 32,
            Width::W64 => 64,
            Width::Either => is.bits(),
            Width::Twice if elem == Elem::I32 => 64,
            Width::Twice => 32,
        }
    }

    /// The type of the result: a vector if any operand is a vector.
    pub(crate) fn result(&self, elem: Elem, args: &[Ty]) -> Ty {
        let bits = Shape::bits(self.result, elem, Ty::U32);
        let vector = args.iter().any(|a| a.is_vector());
        match vector {
            _ if self.is_of_masks(args) => Ty::Mask,
            true if self.result == Width::Bit => Ty::Mask,
            true => Ty::vector(bits),
            false => Ty::uniform(bits),
        }
    }
}

/// Declares families of functions. A row that carries data follows the `+`; the parser handles it separately.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        $family:ident {
            $($(#[$of:meta])* $name:ident = $text:literal, $elems:ident($($arg:ident),*) -> $result:ident;)*
        }
        $(+ {
            $(#[$with_of:meta])*
            $with:ident($data:ty) = $with_text:literal, $with_elems:ident($($with_arg:ident),*) -> $with_result:ident;
        })?
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $family {
            $($(#[$of])* $name,)*
            $($(#[$with_of])* $with($data),)?
        }

        names!($family { $($name = $text),* $(; $family::$with(_) => $with_text)? });

        impl $family {
            /// The types of its operands and result.
            pub(crate) const fn shape(self) -> Shape {
                match self {
                    $($family::$name => shape!($elems($($arg),*) -> $result),)*
                    $($family::$with(_) => shape!($with_elems($($with_arg),*) -> $with_result),)?
                }
            }
        }
    )*};
}

macro_rules! shape {
    ($elems:ident($($arg:ident),*) -> $result:ident) => {
        Shape {
            elems: Elems::$elems,
            args: &[$(Width::$arg),*],
            result: Width::$result,
        }
    };
}

functions! {
    /// Operations with one operand.
    Un {
        /// The complement of every bit.
        Not = "not", Bitwise(Own) -> Own;
        /// Reverses the order of the bits.
        Reverse = "reverse", Integers(Own) -> Own;
        /// The number of ones.
        CountOnes = "count_ones", Integers(Own) -> W32;
        /// Zeros above the highest one; all 32 bits set if the operand is 0.
        LeadingZeros = "leading_zeros", Integers(Own) -> W32;
        /// Bits above the highest one that differs from the sign; all 32 bits set if every bit is equal.
        LeadingSigns = "leading_signs", Integers(Own) -> W32;
        /// The position of the lowest one; all 32 bits set if the operand is 0.
        TrailingZeros = "trailing_zeros", Integers(Own) -> W32;
        /// The low half of 64 bits.
        Low = "low", Integers(W64) -> W32;
        /// The high half of 64 bits.
        High = "high", Integers(W64) -> W32;
        /// 32 bits to 64, zero-extended.
        Widen = "widen", Integers(W32) -> W64;
        /// 32 bits to 64, sign-extended.
        WidenSigned = "widen_signed", Integers(W32) -> W64;
        /// Inverts the sign bit, also of a NaN, and nothing else: denormals and signaling NaNs stay.
        FNeg = "fneg", Floats(Own) -> Own;
        /// Clears the sign bit, and changes nothing else.
        FAbs = "fabs", Floats(Own) -> Own;
        /// Clamps to 0 ≤ x ≤ 1; a NaN becomes 0. All zeros become +0.
        FClamp = "fclamp", PackedFloats(Own) -> Own;
        /// Clamps like `FClamp`, but a NaN is unchanged, signaling or not (DX10_CLAMP off).
        FClampKeepNan = "fclamp_keep_nan", PackedFloats(Own) -> Own;
        /// Flushes denormals by the environment, and makes a NaN quiet.
        FCanonicalize = "fcanonicalize", Floats(Own) -> Own;
        /// Square root, correctly rounded to nearest; −0 for −0.
        FSqrt = "fsqrt", Floats(Own) -> Own;
        /// 1 / x, correctly rounded to nearest; infinity with the sign of a zero.
        FRcp = "frcp", Floats(Own) -> Own;
        /// 1 / sqrt(x); infinity with the sign of a zero. Within 0.5001 ULP in F32, 0.51 in F16, 1 ULP in F64.
        FRsq = "frsq", Floats(Own) -> Own;
        /// 2 to the power x, within 0.5001 ULP in F32, 0.51 in F16.
        FExp2 = "fexp2", Short(Own) -> Own;
        /// Base-2 logarithm, as exact as `FExp2`; −∞ for a zero, a NaN for a negative number.
        FLog2 = "flog2", Short(Own) -> Own;
        /// sin(2πx), as exact as `FExp2`. From |x| = 2²⁴ on, x is a whole number of turns; infinities give a NaN.
        FSin = "fsin", Short(Own) -> Own;
        /// cos(2πx), with the precision and the range of `FSin`.
        FCos = "fcos", Short(Own) -> Own;
        /// x − floor(x), rounded to nearest, but always below 1; +0 for −0, a NaN for infinities.
        FFract = "ffract", Floats(Own) -> Own;
        /// Rounds toward zero. This and the next three keep the sign of a zero result.
        FTrunc = "ftrunc", Floats(Own) -> Own;
        /// Rounds toward plus infinity.
        FCeil = "fceil", Floats(Own) -> Own;
        /// Rounds toward minus infinity.
        FFloor = "ffloor", Floats(Own) -> Own;
        /// Rounds to nearest, ties to even.
        FRoundEven = "fround_even", Floats(Own) -> Own;
        /// The exponent such that x = mantissa · 2^e with ½ ≤ |mantissa| < 1 (an
        /// integer result, of 16 bits for F16); 0 for zero, infinity and NaN.
        FExponent = "fexponent", Floats(Own) -> W32;
        /// The mantissa that belongs to `FExponent`; zeros and infinities are unchanged.
        FMantissa = "fmantissa", Floats(Own) -> Own;
    } + {
        /// Sign-extends the low 8, 16 or 24 bits to 32.
        SignExtend(u8) = "sign_extend", Integers(W32) -> W32;
    }

    /// Operations with two operands.
    Bin {
        /// The sum modulo the width.
        Add = "add", Packed(Own, Own) -> Own;
        /// The difference modulo the width.
        Sub = "sub", Packed(Own, Own) -> Own;
        /// The low half of the product.
        Mul = "mul", Packed(Own, Own) -> Own;
        /// High half of the unsigned product.
        MulHiU = "mul_hi_u", Integers(Own, Own) -> Own;
        /// High half of the signed product.
        MulHiS = "mul_hi_s", Integers(Own, Own) -> Own;
        /// Low 32 bits of the product of the low 24 bits, unsigned.
        MulU24 = "mul_u24", I32(W32, W32) -> W32;
        /// Low 32 bits of the product of the low 24 bits, signed.
        MulS24 = "mul_s24", I32(W32, W32) -> W32;
        /// Bits 47:32 of the unsigned 24-bit product.
        MulHiU24 = "mul_hi_u24", I32(W32, W32) -> W32;
        /// Bits 47:32 of the signed 24-bit product, sign-extended.
        MulHiS24 = "mul_hi_s24", I32(W32, W32) -> W32;
        /// The bitwise and of integers or of masks.
        And = "and", Bitwise(Own, Own) -> Own;
        /// The bitwise or of integers or of masks.
        Or = "or", Bitwise(Own, Own) -> Own;
        /// The bitwise exclusive or of integers or of masks.
        Xor = "xor", Bitwise(Own, Own) -> Own;
        /// Shift left; the count is taken modulo the width of the element. The count is as wide as the shifted operand, or has 32
        /// bits, of which only the low ones count. For pairs, each half has its own count.
        Shl = "shl", Packed(Own, Either) -> Own;
        /// Logical shift right; count modulo width.
        Shr = "shr", Packed(Own, Either) -> Own;
        /// Arithmetic shift right; count modulo width.
        Sar = "sar", Packed(Own, Either) -> Own;
        /// The smaller number, as unsigned integers.
        MinU = "min_u", Packed(Own, Own) -> Own;
        /// The larger number, as unsigned integers.
        MaxU = "max_u", Packed(Own, Own) -> Own;
        /// The smaller number, as signed integers.
        MinS = "min_s", Packed(Own, Own) -> Own;
        /// The larger number, as signed integers.
        MaxS = "max_s", Packed(Own, Own) -> Own;
        /// The sum of unsigned integers, clamped to the range of the width.
        AddSatU = "add_sat_u", Packed(Own, Own) -> Own;
        /// The difference of unsigned integers, clamped to 0 from below.
        SubSatU = "sub_sat_u", Packed(Own, Own) -> Own;
        /// The sum of signed integers, clamped to the range of the width.
        AddSatS = "add_sat_s", Packed(Own, Own) -> Own;
        /// The difference of signed integers, clamped to the range of the width.
        SubSatS = "sub_sat_s", Packed(Own, Own) -> Own;
        /// Low half from a, high half from b: 16 + 16 bits to 32 (I16), or 32 + 32
        /// bits to 64 (I32).
        Pack = "pack", Halves(W32, W32) -> Twice;
        /// Low half from a, high half from b, each clamped to 16 unsigned bits.
        PackSatU = "pack_sat_u", I32(W32, W32) -> W32;
        /// Low half from a, high half from b, each clamped to 16 signed bits.
        PackSatS = "pack_sat_s", I32(W32, W32) -> W32;
        /// Float sum, rounded by the environment.
        FAdd = "fadd", PackedFloats(Own, Own) -> Own;
        /// Float difference, rounded by the environment.
        FSub = "fsub", Floats(Own, Own) -> Own;
        /// Float product, rounded by the environment.
        FMul = "fmul", PackedFloats(Own, Own) -> Own;
        /// Minimum, with −0 below +0. In IEEE mode, the first signaling NaN of a and b is the result, made quiet. Else if one
        /// operand is a NaN, the result is the other, unchanged: b if both are NaNs.
        FMin = "fmin", PackedFloats(Own, Own) -> Own;
        /// Maximum, with −0 below +0; NaNs as in `FMin`.
        FMax = "fmax", PackedFloats(Own, Own) -> Own;
        /// a · 2^b, rounded once, with b a signed 32-bit integer (16-bit for F16).
        FLdexp = "fldexp", Floats(Own, W32) -> Own;
    }

    /// Operations with three operands.
    Tern {
        /// a · b + c, rounded once.
        Fma = "fma", PackedFloats(Own, Own, Own) -> Own;
        /// a · b rounded, plus c rounded. If results are flushed, the product is flushed before c is added.
        FMad = "fmad", Floats(Own, Own, Own) -> Own;
        /// (a & b) | (!a & c).
        BitSelect = "bit_select", Integers(Own, Own, Own) -> Own;
        /// Unsigned bit field: bits [b, b + c) of a, with offset and width modulo the element's width; 0 for a width of 0. Bits
        /// past the end are 0.
        BfeU = "bfe_u", Integers(Own, Either, Either) -> Own;
        /// Signed bit field, like `BfeU`. Bits past the end are copies of the sign.
        BfeS = "bfe_s", Integers(Own, Either, Either) -> Own;
        /// The low 32 bits of {a, b} >> (c & 31); a is the high half.
        AlignBit = "align_bit", I32(W32, W32, W32) -> W32;
        /// The low 32 bits of {a, b} >> 8·(c & 3); a is the high half.
        AlignByte = "align_byte", I32(W32, W32, W32) -> W32;
        /// c with its byte b & 3 replaced by a, or by 0xff if a is larger, unsigned.
        InsertU8 = "insert_u8", I32(W32, W32, W32) -> W32;
        /// The unsigned median of three.
        Med3U = "med3_u", Integers(Own, Own, Own) -> Own;
        /// The signed median of three.
        Med3S = "med3_s", Integers(Own, Own, Own) -> Own;
        /// Each byte of c selects a byte of the result: 0 to 7 that byte of {a, b}, where a is the high half; 8 to 11 the sign of
        /// byte 1, 3, 5 or 7 in every bit; 12 is 0, and larger values are 0xff.
        Perm = "perm", I32(W32, W32, W32) -> W32;
        /// (a + b + (c & 1)) >> 1 for each byte, with a sum of nine bits.
        AverageU8 = "average_u8", I32(W32, W32, W32) -> W32;
        /// The sum of c and the absolute differences of the bytes of a and b.
        SadU8 = "sad_u8", I32(W32, W32, W32) -> W32;
        /// `SadU8` without the bytes for which b is 0.
        MaskedSadU8 = "masked_sad_u8", I32(W32, W32, W32) -> W32;
        /// The sum of c and the absolute differences of the halves of a and b.
        SadU16 = "sad_u16", I32(W32, W32, W32) -> W32;
        /// The sum of c and the absolute difference of a and b.
        SadU32 = "sad_u32", I32(W32, W32, W32) -> W32;
        /// Median. With m the largest by `FMax`, it is the larger of the two others: of b and c if m equals a (zeros of both
        /// signs are equal), else of a and c if m equals b, else of a and b. If any operand is a NaN, it is the minimum by `FMin`
        /// of c and the minimum of a and b.
        FMed3 = "fmed3", Floats(Own, Own, Own) -> Own;
    }

    /// Relations of two numbers. Zeros of both signs are equal.
    Rel {
        /// Equal; for floats: ordered and equal.
        Eq = "eq", Any(Own, Own) -> Bit;
        /// Not equal (floats: unordered or unequal).
        Ne = "ne", Any(Own, Own) -> Bit;
        /// Less, as unsigned integers.
        LtU = "lt_u", Integers(Own, Own) -> Bit;
        /// Less or equal, as unsigned integers.
        LeU = "le_u", Integers(Own, Own) -> Bit;
        /// Signed less; for floats: ordered and less.
        Lt = "lt", Any(Own, Own) -> Bit;
        /// Signed less or equal; for floats: ordered and less or equal.
        Le = "le", Any(Own, Own) -> Bit;
        /// Ordered and unequal (floats).
        FLg = "flg", Floats(Own, Own) -> Bit;
        /// Neither operand is a NaN (floats).
        FOrd = "ford", Floats(Own, Own) -> Bit;
    }
}

/// Conversions between numbers. None exists between 16-bit integers and F64, nor between 64-bit integers and F16.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cvt {
    /// Signed integer to float.
    SToF,
    /// Unsigned integer to float.
    UToF,
    /// Float to signed integer, toward zero in every mode, saturating, NaN to 0.
    FToS,
    /// Float to unsigned integer, toward zero in every mode, saturating, NaN to
    /// 0.
    FToU,
    /// Float to another float. A NaN keeps its sign and the upper bits of its
    /// payload, and becomes quiet.
    FToF,
}

names!(Cvt {
    SToF = "s_to_f", UToF = "u_to_f", FToS = "f_to_s", FToU = "f_to_u", FToF = "f_to_f",
});
