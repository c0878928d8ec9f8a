//! Liveness of vector registers: which are dead after each block.
//!
//! Backwards from a read to a write, a register is *live*. A write under EXEC leaves the inactive lanes unchanged. So it kills
//! only values that were written while the same lanes were active. Therefore two sets are kept: registers that some lane may read
//! later, whatever is written under EXEC before; and registers that active lanes may read, if EXEC does not change.
//!
//! The back edge of a spin loop reads all lanes of the registers that tell whether an iteration made progress.

use std::collections::HashMap;

use wavetank_ir::{Block, Op, Reg, RegFile, Span, Value};
use wavetank_lift::Modes;

use crate::Translator;
use crate::registers::{RegisterSet, loaded, successors};

/// The largest number of blocks to analyse. Any register may be live after the other blocks.
const MAX_BLOCKS: usize = 32;

/// The largest number of iterations over all blocks.
const MAX_ROUNDS: usize = 64;

/// The live registers at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Live {
    /// Registers that are live in any lane.
    by_some: RegisterSet,
    /// Registers that are live in the active lanes, as long as EXEC does not change.
    by_same: RegisterSet,
}

impl Live {
    const ALL: Live = Live {
        by_some: RegisterSet::ALL,
        by_same: RegisterSet::ALL,
    };

    fn or(self, other: Live) -> Live {
        Live {
            by_some: self.by_some.with(other.by_some),
            by_same: self.by_same.with(other.by_same),
        }
    }
}

impl Translator {
    /// The dead vector registers after the block at an address, and after blocks that follow it, by their addresses.
    /// Registers of waves that have ended, or have been stopped by a fault, count as dead.
    pub fn dead_registers(&self, pc: u64, modes: Modes) -> HashMap<u64, RegisterSet> {
        // A handler, or an index of registers, may read any register.
        if modes.has_handler() || modes.gpr_index_enabled() {
            return HashMap::new();
        }
        let blocks = self.reached(pc, modes);
        let mut live: HashMap<u64, Live> = blocks
            .iter()
            .map(|(at, _)| (*at, Live::default()))
            .collect();
        for _ in 0..MAX_ROUNDS {
            let before = live.clone();
            for (at, block) in blocks.iter().rev() {
                let now = block.at_start(block.at_end(&live));
                live.insert(*at, now);
            }
            if live == before {
                let dead = |(at, block): &(u64, Seen)| (*at, block.dead(block.at_end(&live)));
                return blocks.iter().map(dead).collect();
            }
        }
        HashMap::new()
    }

    /// The blocks that may be reached, in the order of discovery.
    fn reached(&self, pc: u64, modes: Modes) -> Vec<(u64, Seen)> {
        let seen = |pc| {
            let block = self.lift_for(pc, modes);
            let compared = self.compared_registers(&block, modes);
            (pc, Seen::new(block, compared))
        };
        let mut blocks = vec![seen(pc)];
        let mut done = 0;
        while let Some((_, block)) = blocks.get(done) {
            done += 1;
            let successors = block.successors.into_iter().flatten().flatten();
            for next in successors.collect::<Vec<_>>() {
                if blocks.len() < MAX_BLOCKS && blocks.iter().all(|(at, _)| *at != next) {
                    blocks.push(seen(next));
                }
            }
        }
        blocks
    }
}

/// The lanes of a mask, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lanes {
    /// An unknown set of lanes.
    Some,
    /// The lanes that are active after a number of writes of EXEC.
    On(u32),
    All,
}

/// The effect of a node on vector registers.
#[derive(Clone, Copy, Debug)]
enum Does {
    Read(RegisterSet),
    Write(RegisterSet, Lanes),
    /// A write of part of a register, or one that may not happen.
    WritePart(RegisterSet),
    /// A write of EXEC.
    Exec,
}

/// The effects of a block on vector registers, in order.
struct Seen {
    does: Vec<Does>,
    /// The successors of the block, if they are known.
    successors: Option<[Option<u64>; 2]>,
    /// The registers that are compared at its back edge.
    compared: RegisterSet,
    /// The number of writes of EXEC.
    execs: u32,
}

impl Seen {
    fn new(block: Block, compared: RegisterSet) -> Seen {
        let mut seen = Seen {
            does: Vec::new(),
            successors: successors(&block),
            compared,
            execs: 0,
        };
        let mut lanes = vec![Lanes::Some; block.nodes.len()];
        for n in 0..block.nodes.len() {
            lanes[n] = seen.lanes(&block.nodes[n].op, &lanes);
            seen.add(&block.nodes[n].op, &lanes);
        }
        seen
    }

    fn lanes(&self, op: &Op, lanes: &[Lanes]) -> Lanes {
        match op {
            Op::Read(Reg::Mask(Reg::EXEC_LO) | Reg::S64(Reg::EXEC_LO)) => Lanes::On(self.execs),
            Op::Const(c) if *c == !0 => Lanes::All,
            Op::Cast(_, a) => lanes[a.index()],
            _ => Lanes::Some,
        }
    }

    fn add(&mut self, op: &Op, lanes: &[Lanes]) {
        let effects = op.effects();
        let vector = |span: &Span| span.file == RegFile::Vector;
        for span in effects.reads.iter().filter(vector) {
            self.does.push(Does::Read(RegisterSet::of(span)));
        }
        let under = |mask: &Option<Value>| mask.map_or(Lanes::All, |mask| lanes[mask.index()]);
        let whole = match op {
            Op::Write {
                reg: reg @ (Reg::V(_) | Reg::V64(_)),
                mask,
                bytes: 0xf,
                ..
            } => Some((Span::of(*reg), under(mask))),
            Op::Mem(op) => Some((loaded(op), under(&op.mask))),
            _ => None,
        };
        let mut written = RegisterSet::default();
        if let Some((span, lanes)) = whole {
            written = RegisterSet::of(span);
            self.does.push(Does::Write(written, lanes));
        }
        for span in effects.writes.iter() {
            if vector(&span) {
                let others = RegisterSet::of(span).without(written);
                self.does.push(Does::WritePart(others));
            }
            // The meaning of later instructions may depend on hardware registers.
            if span.file == RegFile::Hardware {
                self.successors = None;
            }
            if span.overlaps(Span::EXEC) {
                self.execs += 1;
                self.does.push(Does::Exec);
            }
        }
    }

    /// The live registers at the end of the block.
    fn at_end(&self, live: &HashMap<u64, Live>) -> Live {
        let Some(successors) = self.successors else {
            return Live::ALL;
        };
        let compared = Live {
            by_some: self.compared,
            by_same: self.compared,
        };
        let successors = successors.into_iter().flatten();
        successors
            .map(|to| *live.get(&to).unwrap_or(&Live::ALL))
            .fold(compared, Live::or)
    }

    /// The live registers at the start of the block, from those at its end.
    fn at_start(&self, mut live: Live) -> Live {
        let mut execs = self.execs;
        for does in self.does.iter().rev() {
            match *does {
                Does::Read(registers) => {
                    live.by_some = live.by_some.with(registers);
                    live.by_same = live.by_same.with(registers);
                }
                Does::Write(registers, Lanes::All) => {
                    live.by_some = live.by_some.without(registers);
                    live.by_same = live.by_same.without(registers);
                }
                Does::Write(registers, Lanes::On(when)) if when == execs => {
                    live.by_same = live.by_same.without(registers);
                }
                Does::Write(..) | Does::WritePart(_) => {}
                Does::Exec => {
                    execs -= 1;
                    live.by_same = live.by_some;
                }
            }
        }
        live
    }

    /// The registers that are dead at the end of the block. A write to lanes that may be inactive there is not killed by later
    /// writes of the active ones.
    fn dead(&self, live: Live) -> RegisterSet {
        let mut to_others = RegisterSet::default();
        for does in &self.does {
            match *does {
                Does::Write(_, lanes) if lanes == Lanes::On(self.execs) => {}
                Does::Write(registers, _) | Does::WritePart(registers) => {
                    to_others = to_others.with(registers);
                }
                Does::Read(_) | Does::Exec => {}
            }
        }
        let by_same = RegisterSet::ALL.without(live.by_same).without(to_others);
        RegisterSet::ALL.without(live.by_some).with(by_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live_in::tests::program;

    /// The registers among v0 to v7 that are dead after the block at an address. The program's instructions are 8 bytes long
    /// each.
    fn dead(lines: &[&str], at: u64) -> Vec<u16> {
        let dead = program(lines).dead_registers(0, Modes::new(0, 0));
        let block = dead.get(&(8 * at));
        block.map_or(Vec::new(), |set| {
            set.iter().take_while(|n| *n < 8).collect()
        })
    }

    const ALL: [u16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn nothing_is_read_after_the_end() {
        assert_eq!(dead(&["v_mov_b32_e32 v1, v0", "s_endpgm"], 0), ALL);
        assert_eq!(dead(&["v_mov_b32_e32 v1, v0", "s_setpc_b64 s[0:1]"], 0), []);
        let changes = "s_setreg_b32 hwreg(HW_REG_MODE), s0";
        assert_eq!(dead(&["v_mov_b32_e32 v1, v0", changes, "s_endpgm"], 0), []);
    }

    /// A loop whose sum is live afterwards, while the operands of the sum are dead.
    #[test]
    fn loops_spend_what_they_write_again() {
        let lines = [
            "v_mov_b32_e32 v2, 0",
            "v_add_f32_e32 v1, v0, v0",
            "v_add_f32_e32 v2, v2, v1",
            "s_cbranch_scc1 65530",
            "v_mov_b32_e32 v3, v2",
            "s_endpgm",
        ];
        assert_eq!(dead(&lines, 1), [1, 3, 4, 5, 6, 7]);
        assert_eq!(dead(&lines, 4), ALL);
    }

    /// Lanes leave a loop with their last values; writes of the remaining lanes do not kill these.
    #[test]
    fn lanes_that_are_off_keep_what_they_have() {
        let lines = [
            "v_add_f32_e32 v1, v0, v0",
            "s_and_b64 exec, exec, vcc",
            "s_cbranch_scc1 65530",
            "s_mov_b64 exec, -1",
            "v_mov_b32_e32 v3, v1",
            "s_endpgm",
        ];
        assert_eq!(dead(&lines, 0), [2, 3, 4, 5, 6, 7]);
        // No lane reads the register before all lanes have written it.
        let lines = [
            "v_add_f32_e32 v1, v0, v0",
            "s_cbranch_scc1 2",
            "s_mov_b64 exec, s[0:1]",
            "v_mov_b32_e32 v1, v2",
            "v_mov_b32_e32 v3, v1",
            "s_endpgm",
        ];
        assert_eq!(dead(&lines, 0), [0, 3, 4, 5, 6, 7]);
        let lines = [
            "v_add_f32_e32 v1, v0, v0",
            "s_cbranch_scc1 2",
            "s_nop 0",
            "v_mov_b32_e32 v1, v2",
            "v_mov_b32_e32 v3, v1",
            "s_endpgm",
        ];
        assert_eq!(dead(&lines, 0), [0, 1, 3, 4, 5, 6, 7]);
    }

    /// A write of one lane or of a half kills nothing under EXEC.
    #[test]
    fn only_whole_writes_under_exec_count() {
        let then = ["s_cbranch_scc1 2", "s_nop 0"];
        let again = ["v_mov_b32_e32 v1, v2", "v_mov_b32_e32 v3, v1", "s_endpgm"];
        for write in [
            "v_writelane_b32 v1, s0, 3",
            "v_mov_b32_sdwa v1, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
        ] {
            let lines: Vec<&str> = [write].iter().chain(&then).chain(&again).copied().collect();
            assert_eq!(dead(&lines, 0), [0, 3, 4, 5, 6, 7], "{write}");
        }
    }
}
