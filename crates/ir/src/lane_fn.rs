//! Lane functions: pure functions applied lane by lane, for rare operations.

use std::mem::MaybeUninit;

use crate::types::{Elem, LANES};

/// A step of a division sequence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DivisionStep {
    /// Scales the numerator or the denominator.
    Scale,
    /// The last fused multiply-add, whose result is scaled back.
    ScaledFma,
    /// Replaces the result in special cases.
    Fixup {
        /// Whether denormal operands count as zeros.
        flushes: bool,
    },
}

/// A pure Rust function that a front end applies to every lane.
///
/// Arguments and results are zero-extended to 64 bits. If any input is undefined, so is the output (the rule for shadows).
pub struct LaneFn {
    /// The unique name in the text form.
    pub name: &'static str,
    /// The width of the result, 32 or 64.
    pub result_bits: u32,
    /// Whether there is a second result, one mask bit a lane.
    pub has_mask: bool,
    /// The division step that the function is, with its format, for engines and checkers that treat divisions specially.
    pub division: Option<(DivisionStep, Elem)>,
    /// The function; unused arguments are 0.
    pub call: fn([u64; 4]) -> (u64, bool),
    /// The loop that calls the function for every lane.
    pub all: LaneLoops,
}

/// An argument in all lanes: the low halves of 64 bits, and the high halves, which are 0 for a 32-bit argument.
pub type LaneArg<'a> = [&'a [u32; LANES]; 2];

/// Results in all lanes, aligned to cache lines like lane vectors. A function writes those that it has.
#[repr(C, align(64))]
pub struct LaneResults {
    /// The low halves of 64 bits.
    pub low: MaybeUninit<[u32; LANES]>,
    /// The high halves, if the result has 64 bits.
    pub high: MaybeUninit<[u32; LANES]>,
    /// Words that are all ones where the second result is set, if there is one.
    pub mask: MaybeUninit<[u32; LANES]>,
}

impl Default for LaneResults {
    #[inline(always)]
    fn default() -> Self {
        LaneResults {
            low: MaybeUninit::uninit(),
            high: MaybeUninit::uninit(),
            mask: MaybeUninit::uninit(),
        }
    }
}

/// The loop that applies a lane function to every lane.
///
/// # Safety
/// The processor has the features for which it was compiled.
pub type LaneLoop = unsafe fn(&[LaneArg<'_>; 4], &mut LaneResults);

/// The loops for all levels of processor features. Made by [`lane_loops!`](crate::lane_loops); all give the same bits. On hosts
/// other than x86-64, all levels are the plain loop.
pub struct LaneLoops {
    /// The loop for AVX-512 (F, BW, DQ, VL, CD), FMA, F16C, BMI and BMI2.
    pub avx512: LaneLoop,
    /// The loop for AVX2, FMA, F16C, BMI and BMI2.
    pub avx2: LaneLoop,
    /// The loop for every processor.
    pub baseline: LaneLoop,
}

/// Compiles a loop for each level of processor features: a closure of arguments and results whose body calls
/// [`over_lanes`](crate::over_lanes) or [`over_usual_lanes`](crate::over_usual_lanes), which are inlined into it.
#[macro_export]
macro_rules! lane_loops {
    ($all:expr) => {{
        #[cfg_attr(
            target_arch = "x86_64",
            target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd"),
            target_feature(enable = "fma,f16c,bmi1,bmi2,lzcnt,popcnt")
        )]
        unsafe fn avx512(args: &[$crate::LaneArg<'_>; 4], results: &mut $crate::LaneResults) {
            ($all)(args, results)
        }
        #[cfg_attr(
            target_arch = "x86_64",
            target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")
        )]
        unsafe fn avx2(args: &[$crate::LaneArg<'_>; 4], results: &mut $crate::LaneResults) {
            ($all)(args, results)
        }
        unsafe fn baseline(args: &[$crate::LaneArg<'_>; 4], results: &mut $crate::LaneResults) {
            ($all)(args, results)
        }
        $crate::LaneLoops {
            avx512,
            avx2,
            baseline,
        }
    }};
}

/// The arguments of a lane.
#[inline(always)]
fn lane(args: &[LaneArg<'_>; 4], i: usize) -> [u64; 4] {
    args.map(|[low, high]| u64::from(low[i]) | u64::from(high[i]) << 32)
}

/// Applies a function to every lane. [`LaneFn::all`] is made of this, so that the function is compiled into the loop. `WIDE` and
/// `MASK` say which results the function has.
///
/// ```
/// use wavetank_ir::{LANES, LaneResults, over_lanes};
/// let (one, zero) = ([1; LANES], [0; LANES]);
/// let args = [[&one, &zero], [&one, &zero], [&zero; 2], [&zero; 2]];
/// let mut results = LaneResults::default();
/// over_lanes::<false, false>(|[a, b, ..]| (a + b, a > b), &args, &mut results);
/// // SAFETY: the low halves have just been written.
/// assert_eq!(unsafe { results.low.assume_init() }[63], 2);
/// ```
#[inline(always)]
pub fn over_lanes<const WIDE: bool, const MASK: bool>(
    f: impl Fn([u64; 4]) -> (u64, bool),
    args: &[LaneArg<'_>; 4],
    results: &mut LaneResults,
) {
    // Separate from the results, so that the compiler can prove that they overlap no argument.
    let (mut low, mut high, mut mask) = ([0; LANES], [0; LANES], [0; LANES]);
    for i in 0..LANES {
        let (value, bit) = f(lane(args, i));
        low[i] = value as u32;
        if WIDE {
            high[i] = (value >> 32) as u32;
        }
        if MASK {
            mask[i] = u32::from(bit).wrapping_neg();
        }
    }
    results.low.write(low);
    if WIDE {
        results.high.write(high);
    }
    if MASK {
        results.mask.write(mask);
    }
}

/// As [`over_lanes`], for a function that is simple for usual arguments. `usual` returns its first result, and whether the
/// arguments are usual; then the second result is not set. `f` is called if any lane has other arguments.
#[inline(always)]
pub fn over_usual_lanes<const WIDE: bool, const MASK: bool>(
    usual: impl Fn([u64; 4]) -> (u64, bool),
    f: impl Fn([u64; 4]) -> (u64, bool),
    args: &[LaneArg<'_>; 4],
    results: &mut LaneResults,
) {
    let mut odd = 0;
    let (mut low, mut high) = ([0; LANES], [0; LANES]);
    for i in 0..LANES {
        let (value, is_usual) = usual(lane(args, i));
        odd |= u32::from(!is_usual);
        low[i] = value as u32;
        if WIDE {
            high[i] = (value >> 32) as u32;
        }
    }
    if odd != 0 {
        return over_lanes::<WIDE, MASK>(f, args, results);
    }
    results.low.write(low);
    if WIDE {
        results.high.write(high);
    }
    if MASK {
        results.mask.write([0; LANES]);
    }
}

impl std::fmt::Debug for LaneFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LaneFn({})", self.name)
    }
}
