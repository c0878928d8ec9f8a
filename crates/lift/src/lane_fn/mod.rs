//! Lane functions: rare operations as pure functions of one lane.
//!
//! Arguments are zero-extended to 64 bits. The functions do not depend on the mode of the wave: operations that do are composed
//! from operations of the IR.

mod bytes;
mod cube;
mod division;
mod exact;
pub(crate) mod exceptions;
mod f16_saturate;
mod fp8;
mod norm;
mod screen;
mod trig;

pub(crate) use bytes::{
    DOT4_I8, DOT4_U8, DOT8_I4, DOT8_U4, MQSAD_PK_U16_U8, QSAD_PK_U16_U8, SAT_PK_U8_I16,
};
pub(crate) use cube::{
    CUBE_AXIS, CUBE_AXIS_FLUSHING, CUBE_ID, CUBE_ID_FLUSHING, CUBE_SC, CUBE_SC_FLUSHING, CUBE_TC,
    CUBE_TC_FLUSHING,
};
pub(crate) use division::{
    DIV_FIXUP_F16, DIV_FIXUP_F32, DIV_FIXUP_F64, DIV_FIXUP_FLUSHING_F16, DIV_FIXUP_FLUSHING_F32,
    DIV_FIXUP_FLUSHING_F64, DIV_FMAS_SCALED_F32, DIV_FMAS_SCALED_F64, DIV_SCALE_F32, DIV_SCALE_F64,
};
pub(crate) use exceptions::EXCEPTIONS;
pub(crate) use f16_saturate::SATURATED_HALVES;
pub(crate) use fp8::{
    F32_OF_BF8, F32_OF_FP8, PK_BF8, PK_BF8_SATURATED, PK_FP8, PK_FP8_SATURATED, SR_BF8,
    SR_BF8_SATURATED, SR_FP8, SR_FP8_SATURATED,
};
pub(crate) use norm::{PK_SNORM16, PK_UNORM16, SNORM16, UNORM16};
pub(crate) use screen::SCREEN_PARTITION_4SE;
pub(crate) use trig::TRIG_PREOP_F64;

/// Defines a [`wavetank_ir::LaneFn`]. With `, mask` at the end, the function returns a pair whose second part is the mask bit of
/// the lane. `, usually` adds a simpler function for usual arguments, for [`wavetank_ir::over_usual_lanes`]. `, step` at the end
/// names the step of a division that the function is.
macro_rules! lane_fn {
    ($(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $f:expr $(, step $step:expr)?) => {
        lane_fn!(@ [$($step)?] $(#[$doc])* $ident, $name, $bits, false, |args| (u64::from($f(args)), false), over_lanes);
    };
    ($(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $f:expr, usually $usual:expr $(, step $step:expr)?) => {
        lane_fn!(@ [$($step)?] $(#[$doc])* $ident, $name, $bits, false, |args| (u64::from($f(args)), false), over_usual_lanes, $usual,);
    };
    ($(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $f:expr, mask $(, step $step:expr)?) => {
        lane_fn!(@ [$($step)?] $(#[$doc])* $ident, $name, $bits, true, $f, over_lanes);
    };
    ($(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $f:expr, mask, usually $usual:expr $(, step $step:expr)?) => {
        lane_fn!(@ [$($step)?] $(#[$doc])* $ident, $name, $bits, true, $f, over_usual_lanes, $usual,);
    };
    (@ [$($step:expr)?] $(#[$doc:meta])* $ident:ident, $name:literal, $bits:literal, $mask:literal, $f:expr, $over:ident $(, $usual:expr,)?) => {
        $(#[$doc])*
        pub(crate) static $ident: wavetank_ir::LaneFn = wavetank_ir::LaneFn {
            name: $name,
            result_bits: $bits,
            has_mask: $mask,
            division: lane_fn!(@step $($step)?),
            call: $f,
            all: wavetank_ir::lane_loops!(|args, results| {
                wavetank_ir::$over::<{ $bits == 64 }, $mask>($($usual,)? $f, args, results)
            }),
        };
    };
    (@step) => { None };
    (@step $step:expr) => { Some($step) };
}
use lane_fn;

/// Every lane function, for the parser of the text form.
static ALL: [&wavetank_ir::LaneFn; 43] = [
    &F32_OF_BF8,
    &F32_OF_FP8,
    &PK_BF8,
    &PK_BF8_SATURATED,
    &PK_FP8,
    &PK_FP8_SATURATED,
    &SR_BF8,
    &SR_BF8_SATURATED,
    &SR_FP8,
    &SR_FP8_SATURATED,
    &DOT4_I8,
    &DOT4_U8,
    &DOT8_I4,
    &DOT8_U4,
    &MQSAD_PK_U16_U8,
    &QSAD_PK_U16_U8,
    &SAT_PK_U8_I16,
    &CUBE_AXIS,
    &CUBE_AXIS_FLUSHING,
    &CUBE_ID,
    &CUBE_ID_FLUSHING,
    &CUBE_SC,
    &CUBE_SC_FLUSHING,
    &CUBE_TC,
    &CUBE_TC_FLUSHING,
    &DIV_FIXUP_F16,
    &DIV_FIXUP_F32,
    &DIV_FIXUP_F64,
    &DIV_FIXUP_FLUSHING_F16,
    &DIV_FIXUP_FLUSHING_F32,
    &DIV_FIXUP_FLUSHING_F64,
    &DIV_FMAS_SCALED_F32,
    &DIV_FMAS_SCALED_F64,
    &DIV_SCALE_F32,
    &DIV_SCALE_F64,
    &EXCEPTIONS,
    &SATURATED_HALVES,
    &PK_SNORM16,
    &PK_UNORM16,
    &SNORM16,
    &UNORM16,
    &SCREEN_PARTITION_4SE,
    &TRIG_PREOP_F64,
];

/// Finds the lane function with a name, such as `dot4_u8`.
///
/// ```
/// let dot = wavetank_lift::lane_fn("dot4_u8").expect("it exists");
/// assert_eq!((dot.call)([0x0403_0201, 0x0101_0101, 0, 0]).0, 10);
/// ```
pub fn by_name(name: &str) -> Option<&'static wavetank_ir::LaneFn> {
    ALL.into_iter().find(|f| f.name == name)
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use wavetank_ir::{LaneLoop, LaneLoops, LaneResults};

    use super::*;

    /// Each name finds its own function, so names are unique.
    #[test]
    fn names_are_unique() {
        for f in ALL {
            let found = by_name(f.name).expect("it is listed");
            assert!(std::ptr::eq(found, f), "{} names two functions", f.name);
        }
    }

    /// The loops of the levels that this processor has.
    #[cfg(target_arch = "x86_64")]
    fn loops(all: &LaneLoops) -> Vec<LaneLoop> {
        let mut loops = vec![all.baseline];
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            loops.push(all.avx2);
        }
        let avx512 = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq");
        if avx512 && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512cd") {
            loops.push(all.avx512);
        }
        loops
    }

    /// On hosts other than x86-64, all levels are the plain loop.
    #[cfg(not(target_arch = "x86_64"))]
    fn loops(all: &LaneLoops) -> Vec<LaneLoop> {
        vec![all.baseline]
    }

    /// The loops over all lanes give the same results as a call for each lane, for usual arguments and for others.
    #[test]
    fn all_is_call_in_every_lane() {
        let zero = [0; 64];
        let halves = |of: [u64; 64]| [of.map(|x| x as u32), of.map(|x| (x >> 32) as u32)];
        for round in 0..400u64 {
            // Whole words, floats around 1 in both widths, and numbers with many zeros.
            let number = |n: u64, i: u64| {
                let x = (i + 64 * round + 1).wrapping_mul(n);
                let x = x ^ x >> 29;
                match (round % 4, i % 16) {
                    (0, _) | (_, 0) => x,
                    (1, _) => x & !0x7ff0_0000_7f80_0000 | 0x3ff0_0000_3f80_0000,
                    (2, _) => x & 0x3fff_ffff_3fff_ffff | 0x3000_0000_3000_0000,
                    _ => x & 0x8000_7f80_8000_0700,
                }
            };
            let lane = |n: u64| std::array::from_fn(|i| number(n, i as u64));
            let odd = [
                0x9e37_79b9_7f4a_7c15,
                0xd6e8_feb8_6659_fd93,
                0xa076_1d64_78bd_642f,
                5,
            ];
            let args: [[u64; 64]; 4] = odd.map(lane);
            for f in ALL {
                for wide in [false, true] {
                    let args = args.map(|a| a.map(|x| if wide { x } else { x & 0xffff_ffff }));
                    let halves = args.map(halves);
                    let of = |n: usize| [&halves[n][0], &halves[n][1]];
                    let expected: [(u64, bool); 64] =
                        std::array::from_fn(|i| (f.call)(args.map(|a| a[i])));
                    for all in loops(&f.all) {
                        let mut results = LaneResults {
                            low: MaybeUninit::new(zero),
                            high: MaybeUninit::new(zero),
                            mask: MaybeUninit::new(zero),
                        };
                        // SAFETY: the processor has the features; all results were initialized before.
                        let [low, high, mask] = unsafe {
                            all(&[of(0), of(1), of(2), of(3)], &mut results);
                            [results.low, results.high, results.mask].map(|r| r.assume_init())
                        };
                        for i in 0..64 {
                            let value = u64::from(low[i]) | u64::from(high[i]) << 32;
                            assert_eq!((value, mask[i] != 0), expected[i], "{} lane {i}", f.name);
                        }
                    }
                }
            }
        }
    }
}
