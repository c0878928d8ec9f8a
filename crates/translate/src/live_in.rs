//! Live-in vector registers: those that a program may read before it has written them.
//!
//! A wave starts with zeros in all vector registers except those that hold ids. Most programs never read these zeros, and writing
//! them is a large part of the cost of a short wave.

use std::collections::HashMap;

use wavetank_ir::{Block, Op, Reg, RegFile, Span, Value};
use wavetank_lift::Modes;

use crate::Translator;
use crate::registers::{RegisterSet, loaded, successors};

/// The largest number of blocks to analyse: a longer program runs so long that zeroing does not matter.
const MAX_BLOCKS: usize = 64;

/// The largest number of visits of blocks.
const MAX_VISITS: usize = 512;

/// The state at the start of a block, valid on all paths to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Known {
    /// Registers that the program has written, in all lanes.
    written: RegisterSet,
    /// Whether all lanes are active.
    all_on: bool,
}

impl Known {
    fn on_both_ways(self, other: Known) -> Known {
        Known {
            written: self.written.both(other.written),
            all_on: self.all_on && other.all_on,
        }
    }
}

impl Translator {
    /// The vector registers that the program at an address may read before it has written them, if it begins with all lanes
    /// active and values in the `given` first registers. `None` if the analysis takes too long, or depends on values that are
    /// known only at run time.
    pub fn live_in(&self, pc: u64, modes: Modes, given: u32) -> Option<Vec<u16>> {
        let start = Known {
            written: RegisterSet::of(Span::new(RegFile::Vector, 0, given)),
            all_on: true,
        };
        let mut blocks: HashMap<u64, (Block, Known)> = HashMap::new();
        blocks.insert(pc, (self.lift_for(pc, modes), start));
        let (mut open, mut needed) = (vec![pc], RegisterSet::default());
        for _ in 0..MAX_VISITS {
            let Some(at) = open.pop() else {
                return Some(needed.iter().collect());
            };
            let (block, known) = &blocks[&at];
            let (read, known) = walk(block, *known)?;
            needed = needed.with(read);
            for next in successors(block)?.into_iter().flatten() {
                let seen = blocks.len();
                match blocks.get_mut(&next) {
                    Some((_, before)) => {
                        let both = before.on_both_ways(known);
                        if both != *before {
                            *before = both;
                            open.push(next);
                        }
                    }
                    None if seen == MAX_BLOCKS => return None,
                    None => {
                        blocks.insert(next, (self.lift_for(next, modes), known));
                        open.push(next);
                    }
                }
            }
        }
        None
    }
}

/// The registers that a block reads before they are written, and the state after it.
fn walk(block: &Block, mut known: Known) -> Option<(RegisterSet, Known)> {
    let mut read = RegisterSet::default();
    // The values that are masks of all lanes.
    let mut full = vec![false; block.nodes.len()];
    for (n, node) in block.nodes.iter().enumerate() {
        let effects = node.op.effects();
        for span in effects.reads.iter().filter(|s| s.file == RegFile::Vector) {
            read = read.with(RegisterSet::of(span).without(known.written));
        }
        full[n] = match &node.op {
            Op::Read(Reg::Mask(Reg::EXEC_LO) | Reg::S64(Reg::EXEC_LO)) => known.all_on,
            Op::Const(c) => *c == !0,
            Op::Cast(_, a) => full[a.index()],
            _ => false,
        };
        let is_full = |mask: &Option<Value>| mask.is_some_and(|mask| full[mask.index()]);
        match &node.op {
            Op::Write {
                reg: reg @ (Reg::V(_) | Reg::V64(_)),
                mask,
                bytes: 0xf,
                ..
            } if is_full(mask) => {
                known.written = known.written.with(RegisterSet::of(Span::of(*reg)));
            }
            Op::Mem(op) if is_full(&op.mask) => {
                known.written = known.written.with(RegisterSet::of(loaded(op)));
            }
            _ => {}
        }
        for span in effects.writes.iter() {
            // The meaning of later instructions may depend on hardware registers.
            if span.file == RegFile::Hardware {
                return None;
            }
            if span.overlaps(Span::EXEC) {
                known.all_on = sets_exec(&node.op).is_some_and(|value| full[value.index()]);
            }
        }
    }
    Some((read, known))
}

/// The value that an operation writes to all of EXEC, if that is its only effect.
fn sets_exec(op: &Op) -> Option<Value> {
    match op {
        Op::Write {
            reg: Reg::Mask(Reg::EXEC_LO) | Reg::S64(Reg::EXEC_LO),
            value,
            ..
        } => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Arc;
    use wavetank_gcn::{Chip, Inst, parse};

    /// A program whose instructions are 8 bytes long each.
    pub(crate) fn program(lines: &[&str]) -> Translator {
        let insts: Vec<Inst> = lines
            .iter()
            .map(|line| parse(line, Chip::Gfx900).unwrap_or_else(|e| panic!("{line}: {e}")))
            .collect();
        let code = move |pc: u64| {
            let inst = insts.get(pc as usize / 8).copied();
            let mut inst = inst.ok_or("the end of the code")?;
            inst.len = 8;
            Ok(inst)
        };
        Translator::new(Arc::new(code), false)
    }

    /// The registers that a program needs zeroed. v0 has ids.
    fn needs(lines: &[&str]) -> Option<Vec<u16>> {
        program(lines).live_in(0, Modes::new(0, 0), 1)
    }

    #[test]
    fn what_is_written_first_needs_no_zero() {
        let lines = [
            "v_mov_b32_e32 v1, v0",
            "v_add_f32_e32 v2, v1, v3",
            "s_endpgm",
        ];
        assert_eq!(needs(&lines), Some(vec![3]));
    }

    #[test]
    fn loads_write_what_they_return() {
        let load = "global_load_dwordx2 v[2:3], v[0:1], off";
        assert_eq!(
            needs(&[
                "v_mov_b32_e32 v1, 0",
                load,
                "v_add_f32_e32 v4, v2, v3",
                "s_endpgm"
            ]),
            Some(vec![])
        );
        let half = "global_load_short_d16 v2, v[0:1], off";
        assert_eq!(
            needs(&[
                "v_mov_b32_e32 v1, 0",
                half,
                "v_mov_b32_e32 v3, v2",
                "s_endpgm"
            ]),
            Some(vec![2])
        );
    }

    /// Lanes that were inactive when a register was written may be active when it is read.
    #[test]
    fn writes_of_some_lanes_do_not_count() {
        let some = "s_mov_b64 exec, s[0:1]";
        let write = "v_mov_b32_e32 v1, 0";
        let read = "v_mov_b32_e32 v2, v1";
        assert_eq!(needs(&[some, write, read, "s_endpgm"]), Some(vec![1]));
        assert_eq!(needs(&[write, some, read, "s_endpgm"]), Some(vec![]));
        let all = "s_mov_b64 exec, -1";
        assert_eq!(needs(&[some, all, write, read, "s_endpgm"]), Some(vec![]));
        let half = "s_mov_b32 exec_lo, -1";
        assert_eq!(needs(&[some, half, write, read, "s_endpgm"]), Some(vec![1]));
    }

    /// A register counts as written if it was on every path, and the state at the end of a loop flows back to its start.
    #[test]
    fn every_way_counts() {
        let lines = [
            "s_cbranch_scc1 2",
            "v_mov_b32_e32 v1, 0",
            "v_mov_b32_e32 v2, v1",
            "s_endpgm",
        ];
        assert_eq!(needs(&lines), Some(vec![1]));
        let lines = [
            "v_mov_b32_e32 v1, 0",
            "v_mov_b32_e32 v2, v1",
            "s_mov_b64 exec, s[0:1]",
            "v_mov_b32_e32 v3, 0",
            "s_cbranch_scc1 65528",
            "v_mov_b32_e32 v4, v3",
            "s_endpgm",
        ];
        assert_eq!(needs(&lines), Some(vec![3]));
    }

    #[test]
    fn what_is_not_known_before_is_nothing() {
        assert_eq!(needs(&["s_setpc_b64 s[0:1]"]), None);
        assert_eq!(
            needs(&["s_setreg_b32 hwreg(HW_REG_MODE), s0", "s_endpgm"]),
            None
        );
        let read = ["v_mov_b32_e32 v2, v1", "s_branch 65534"];
        assert_eq!(needs(&read), Some(vec![1]));
    }
}
