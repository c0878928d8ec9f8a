//! Lane functions: pure functions of the front end, applied to every lane.

use wavetank_ir::{LANES, LaneFn};

use crate::drive::Custom;
use crate::lanes::Word;
use crate::step::{Ctx, Next, Step};
use crate::store::Store;
use wavetank_memory::Source;

/// A call of a lane function, kept beside the block; `imm[0]` of its step is
/// its address.
pub struct LaneCall {
    /// The function.
    pub function: &'static LaneFn,
    /// Where its arguments are, and whether they have 64 bits.
    pub args: [(Source, bool); 4],
    /// Whether the result is uniform: that of lane 0.
    pub uniform: bool,
}

/// Applies the function.
pub struct Call;

impl Custom for Call {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering keeps the call beside the block, and proved the
        // offsets of its arguments.
        unsafe {
            let call: &LaneCall = &*std::ptr::with_exposed_provenance(s.imm[0] as usize);
            let mut args = [[0u64; LANES]; 4];
            for ((source, wide), arg) in call.args.iter().zip(&mut args) {
                argument(ctx, *source, *wide, arg);
            }
            let [a, b, c, d] = &args;
            let mut results = [0u64; LANES];
            let bits = (call.function.all)([a, b, c, d], &mut results);
            if call.uniform {
                uniform_result(ctx, s, call.function, results[0], bits);
                return Next::Step;
            }
            let mask = ctx.mask(s);
            if call.function.result_bits == 64 {
                u64::store::<S>(ctx.v(s.dst), mask, &results);
            } else {
                let narrow = results.map(|r| r as u32);
                u32::store::<S>(ctx.v(s.dst), mask, &narrow);
            }
            if call.function.has_mask {
                ctx.u::<u64>(s.dst2).write_unaligned(bits & mask);
            }
        }
        Next::Step
    }
}

#[inline(always)]
unsafe fn uniform_result(ctx: &mut Ctx<'_, '_>, s: &Step, f: &LaneFn, value: u64, bits: u64) {
    // SAFETY: lowering proved the offsets of the step.
    unsafe {
        if f.result_bits == 64 {
            ctx.u::<u64>(s.dst).write_unaligned(value);
        } else {
            ctx.u::<u32>(s.dst).write(value as u32);
        }
        if f.has_mask {
            ctx.u::<u32>(s.dst2).write(bits as u32 & 1);
        }
    }
}

#[inline(always)]
unsafe fn argument(ctx: &Ctx<'_, '_>, source: Source, wide: bool, arg: &mut [u64; LANES]) {
    // SAFETY: that of `StepFn`.
    unsafe {
        match source {
            Source::None => {}
            Source::Const(c) => *arg = [c; LANES],
            Source::Uniform(at) if wide => *arg = [ctx.u::<u64>(at).read_unaligned(); LANES],
            Source::Uniform(at) => *arg = [ctx.u::<u32>(at).read().into(); LANES],
            Source::Vector(at) => {
                let p = ctx.v(at).cast_const();
                for (i, a) in arg.iter_mut().enumerate() {
                    *a = if wide {
                        u64::lane(p, i)
                    } else {
                        u32::lane(p, i).into()
                    };
                }
            }
        }
    }
}
