//! Tallies: compiled code adds to the counters of the memory unit.

use std::mem::offset_of;

use iced_x86::{Code, Register};
use wavetank_ir::Value;
use wavetank_lane_ops::Ctx;
use wavetank_memory::{Context, MemoryUnit, TALLY_PARTS, TALLY_ROW};

use crate::compiler::asm::{Arg, Label, Mem, fixed};
use crate::compiler::uniform::Uniform;

/// The active lanes, and those that were active before.
const LANES: Register = Register::RAX;
const BEFORE: Register = Register::RCX;
/// The memory unit, then the first row of counters.
const ROWS: Register = Register::RDX;
const OTHER: Register = Register::R8;

/// The count of an execution of a site.
pub(super) struct Tally {
    pub site: u32,
    pub lanes: Value,
    pub before: Value,
}

impl Tally {
    /// The offset of a counter of the site, if an instruction can have it.
    fn offset(&self, counter: usize) -> Option<u32> {
        let offset = (self.site as usize * TALLY_ROW + counter) * size_of::<u64>();
        i32::try_from(offset).ok().map(|offset| offset as u32)
    }

    /// Counts, or jumps to a label if there is no row for the site yet, which the helpers make.
    pub(super) fn emit(&self, u: &mut Uniform<'_, '_>, slow: Label) {
        let (Some(lanes), Some(parts)) = (self.offset(0), self.offset(TALLY_PARTS)) else {
            return u.asm.jump(Code::Jmp_rel32_64, slow);
        };
        let changed = self.before != self.lanes;
        u.load(LANES, self.lanes);
        if changed {
            u.load(BEFORE, self.before);
        }
        let asm = &mut *u.asm;
        let unit = offset_of!(Ctx<'_, '_>, context) + offset_of!(Context<'_, '_>, memory);
        let at = |base, offset: usize| Arg::M(Mem::at(base, offset as u32));
        let load = Code::Mov_r64_rm64;
        asm.op(load, &[ROWS.into(), at(fixed::CTX, unit)]);
        let site = self.site as i32;
        let sites = at(ROWS, MemoryUnit::TALLIED_SITES);
        asm.with_constant(Code::Cmp_rm32_imm32, sites, site, false);
        asm.jump(Code::Jbe_rel32_64, slow);
        let last = at(ROWS, MemoryUnit::LAST_TALLIED);
        asm.with_constant(Code::Mov_rm32_imm32, last, site, false);
        asm.op(load, &[ROWS.into(), at(ROWS, MemoryUnit::TALLIES)]);
        if changed {
            // The lanes that stay: some, but not all.
            let same = asm.label();
            asm.op(load, &[OTHER.into(), LANES.into()]);
            asm.op(Code::And_r64_rm64, &[OTHER.into(), BEFORE.into()]);
            asm.jump(Code::Je_rel32_64, same);
            asm.op(Code::Cmp_r64_rm64, &[OTHER.into(), BEFORE.into()]);
            asm.jump(Code::Je_rel32_64, same);
            asm.op(Code::Inc_rm64, &[Arg::M(Mem::at(ROWS, parts))]);
            asm.place(same);
        }
        asm.op(Code::Popcnt_r64_rm64, &[LANES.into(), LANES.into()]);
        asm.op(Code::Shl_rm64_imm8, &[LANES.into(), Arg::I(3)]);
        let counter = Mem::sum(ROWS, LANES, lanes);
        asm.op(Code::Inc_rm64, &[Arg::M(counter)]);
    }
}
