//! Tallies: steps that count executions for profiles. Source 0 is the mask of active lanes, source 1 those that were active before,
//! `imm[2]` the site.

use crate::drive::Custom;
use crate::step::{Ctx, Next, Step};
use crate::store::Store;

/// Sets the site that a step counts.
pub fn set_site(step: &mut Step, site: u32) {
    step.imm[2] = site.into();
}

/// Counts an execution of a site.
pub(crate) struct Tally;

impl Custom for Tally {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        let (lanes, before) = unsafe { (ctx.uniform64(s, 0), ctx.uniform64(s, 1)) };
        ctx.memory.tally(s.imm[2] as u32, lanes, before);
        Next::Step
    }
}
