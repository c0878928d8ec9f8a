//! Lane functions: pure functions of the front end, applied to every lane.

use wavetank_ir::{LANES, LaneArg, LaneFn, LaneLoop, LaneResults};

use crate::drive::Custom;
use crate::lanes::Room;
use crate::step::{Ctx, Next, Step};
use crate::store::{Aligned, Store};
use wavetank_memory::Source;

/// A call of a lane function, stored with the block; `imm[0]` of its step is its address. Inactive lanes of the result may keep
/// their previous values.
pub struct LaneCall {
    /// The function to call.
    function: &'static LaneFn,
    /// The sources of its arguments, and whether they have 64 bits.
    args: [(Source, bool); 4],
    /// The offsets of the arguments if all are lane vectors of 32 bits.
    words: Option<[u32; 4]>,
    /// Whether the result is uniform: then it is that of lane 0.
    uniform: bool,
}

/// The entry of [`LaneCall::words`] for an argument that the function lacks.
const NO_ARGUMENT: u32 = u32::MAX;

/// The lanes of an argument that the function lacks.
static ZERO: [u32; LANES] = [0; LANES];

impl LaneCall {
    /// Returns a call with the arguments at the sources that lowering found.
    pub fn new(function: &'static LaneFn, args: [(Source, bool); 4], uniform: bool) -> Self {
        let word = |arg| match arg {
            (Source::None, _) => Some(NO_ARGUMENT),
            (Source::Vector(at), false) => Some(at),
            _ => None,
        };
        let words = args.map(word);
        let words = words
            .iter()
            .all(Option::is_some)
            .then(|| words.map(|at| at.unwrap_or(NO_ARGUMENT)));
        LaneCall {
            function,
            args,
            words,
            uniform,
        }
    }
}

/// The step that calls a lane function.
pub(crate) struct Call;

impl Custom for Call {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering keeps the call with the block, and proved the offsets of its arguments; the loop is that of the level.
        unsafe {
            let call: &LaneCall = &*std::ptr::with_exposed_provenance(s.imm[0] as usize);
            let function = call.function;
            let mask = ctx.mask(s);
            if mask == 0 && !call.uniform {
                if function.has_mask {
                    ctx.u::<u64>(s.dst2).write_unaligned(0);
                }
                return Next::Step;
            }
            let mut results = LaneResults::default();
            let all = S::of(&function.all);
            if let Some(words) = call.words {
                let low = |at| match at {
                    NO_ARGUMENT => &ZERO,
                    at => &*ctx.v(at).cast_const().cast(),
                };
                all(&words.map(|at| [low(at), &ZERO]), &mut results);
            } else {
                of_any(ctx, all, &call.args, &mut results);
            }
            let LaneResults {
                low,
                high,
                mask: bits,
            } = &results;
            if call.uniform {
                uniform_result(ctx, s, function, &results);
                return Next::Step;
            }
            S::store(ctx.v(s.dst), mask, low.assume_init_ref());
            if function.result_bits == 64 {
                S::store(ctx.v(s.dst).add(LANES), mask, high.assume_init_ref());
            }
            if function.has_mask {
                let bits = S::mask(bits.assume_init_ref());
                ctx.u::<u64>(s.dst2).write_unaligned(bits & mask);
            }
        }
        Next::Step
    }
}

/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn); the results are those of the function.
#[inline(always)]
unsafe fn uniform_result(ctx: &mut Ctx<'_, '_>, s: &Step, f: &LaneFn, results: &LaneResults) {
    // SAFETY: lowering proved the offsets of the step.
    unsafe {
        let value = results.low.assume_init_ref()[0];
        if f.result_bits == 64 {
            let high = results.high.assume_init_ref()[0];
            let value = u64::from(value) | u64::from(high) << 32;
            ctx.u::<u64>(s.dst).write_unaligned(value);
        } else {
            ctx.u::<u32>(s.dst).write(value);
        }
        if f.has_mask {
            ctx.u::<u32>(s.dst2)
                .write(results.mask.assume_init_ref()[0] & 1);
        }
    }
}

/// Calls the function with arguments of any kind.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn) and of the loop.
#[inline(always)]
unsafe fn of_any(
    ctx: &Ctx<'_, '_>,
    all: LaneLoop,
    args: &[(Source, bool); 4],
    results: &mut LaneResults,
) {
    let mut room = [const { [const { Room::uninit() }; 2] }; 4];
    let [a, b, c, d] = &mut room;
    // SAFETY: by the caller's promise.
    unsafe {
        let args = [
            argument(ctx, args[0], a),
            argument(ctx, args[1], b),
            argument(ctx, args[2], c),
            argument(ctx, args[3], d),
        ];
        all(&args, results);
    }
}

/// Returns the halves of an argument in all lanes: in the vector file, or spread into `room`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn). The argument's lane vectors are not written while they are used.
#[inline(always)]
unsafe fn argument<'a>(
    ctx: &Ctx<'_, '_>,
    (source, wide): (Source, bool),
    room: &'a mut [Room<u32>; 2],
) -> LaneArg<'a> {
    // SAFETY: by the caller's promise.
    let value = unsafe {
        match source {
            Source::None => return [&ZERO; 2],
            Source::Vector(at) => {
                let low = ctx.v(at).cast_const();
                let high = if wide { &*low.add(LANES).cast() } else { &ZERO };
                return [&*low.cast(), high];
            }
            Source::Const(c) => c,
            Source::Uniform(at) if wide => ctx.u::<u64>(at).read_unaligned(),
            Source::Uniform(at) => ctx.u::<u32>(at).read().into(),
        }
    };
    if value == 0 {
        return [&ZERO; 2];
    }
    let [low, high] = room;
    let low = low.write(Aligned([value as u32; LANES]));
    match (value >> 32) as u32 {
        0 => [low, &ZERO],
        word => [low, high.write(Aligned([word; LANES]))],
    }
}
