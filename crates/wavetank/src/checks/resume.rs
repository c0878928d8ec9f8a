//! Resumption of a wave after a denied access.
//!
//! A fault leaves memory and registers unchanged, with the wave at the instruction (`wavetank_ir::MemOp`, "Faults"). So the
//! instruction is executed again, alone, without the lanes that were denied, until no other lane is denied. Its results for these
//! lanes are zero.
//!
//! Accesses beyond the LDS are not faults on a chip: loads give 0 and stores are dropped, dword by dword (Vega ISA, 3.6.2). Such
//! an instruction is executed again as on a chip.

use std::collections::HashMap;
use std::rc::Rc;

use wavetank_ir::{DataReg, Half, MemKind, MemOp, Op};
use wavetank_machine::{Backend, Event, Fault, Leave};
use wavetank_memory::{MemoryFault, MemoryFaultReason, MemoryUnit, VECTOR_REGISTERS, Wave, sreg};
use wavetank_translate::{Code, Key, Modes, Translator};

use super::denials::rule;
use crate::engine::{Engine, Mode};

/// Lanes that were denied an access for the same reason, and the fault of the first of them. The mask is 0 for an access of the
/// wave as a whole.
pub(crate) struct Denied {
    pub lanes: u64,
    pub fault: MemoryFault,
}

/// Executes instructions for the lanes whose accesses are allowed, for one thread.
pub(crate) struct Resumer<'a> {
    /// The engine, whose blocks are single instructions.
    backend: Box<dyn Backend + 'a>,
    engine: &'a Engine,
    translator: Translator,
    /// The accesses of instructions.
    known: HashMap<Key, Rc<[MemOp]>>,
}

impl<'a> Resumer<'a> {
    pub(crate) fn new(engine: &'a Engine, mode: Mode) -> Self {
        Resumer {
            backend: engine.backend(mode.stepped()),
            engine,
            translator: Translator::new(engine.shared_code(), true),
            known: HashMap::new(),
        }
    }

    /// Executes an instruction of which an access was denied, without the denied lanes, and returns these. If that is not
    /// possible, returns `None` and leaves the wave as it was.
    pub(crate) fn pass(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        first: &MemoryFault,
    ) -> Option<Vec<Denied>> {
        let accesses = self.accesses(wave);
        let atomics = accesses
            .iter()
            .filter(|op| matches!(op.kind, MemKind::Atomic(_)));
        // If there are two atomic operations, the first may have been performed already.
        if accesses.is_empty() || atomics.count() > 1 || wave.uniform().pc != first.pc {
            return None;
        }
        let (before, exec) = (Before::of(wave), exec(wave));
        let denied = match first.lane {
            Some(_) => self.by_lanes(wave, memory, first, &accesses),
            None => self.as_a_whole(wave, memory, first, &accesses),
        };
        before.restore(wave);
        if denied.is_none() {
            set_exec(wave, exec);
            wave.uniform_mut().pc = first.pc;
        }
        denied
    }

    /// Returns the accesses of the instruction at which a wave is.
    fn accesses(&mut self, wave: &Wave) -> Rc<[MemOp]> {
        let uniform = wave.uniform();
        let modes = Modes::of_wave(&uniform.hw, uniform.s[usize::from(sreg::M0)]);
        let find = || {
            let block = self.translator.lift(uniform.pc, modes);
            let nodes = block.nodes.into_iter();
            let accesses = nodes.filter_map(|node| match node.op {
                Op::Mem(op) => Some(*op),
                _ => None,
            });
            accesses.collect()
        };
        let known = self.known.entry(Key::new(uniform.pc, modes));
        known.or_insert_with(find).clone()
    }

    /// Executes the instruction without the denied lanes.
    fn by_lanes(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        first: &MemoryFault,
        accesses: &[MemOp],
    ) -> Option<Vec<Denied>> {
        let exec = exec(wave);
        let (mut denied, mut left_out) = (Vec::new(), 0u64);
        let mut fault = first.clone();
        loop {
            let lanes = fault.lanes;
            let done = if let MemoryFaultReason::OutsideLds { .. } = fault.reason {
                let done = self.beyond_lds(wave, memory);
                done.map(|lanes| add(&mut denied, lanes, fault))
            } else {
                add(&mut denied, lanes, fault);
                if exec & !left_out & lanes == 0 {
                    // The denied lanes are not active, so the instruction makes its access whatever EXEC is: it is skipped.
                    self.skip(wave, accesses)?;
                    left_out = exec;
                    break;
                }
                left_out |= lanes;
                set_exec(wave, exec & !left_out);
                self.step(wave, memory)
            };
            match done {
                Ok(()) => break,
                Err(next) => fault = *next?,
            }
        }
        set_exec(wave, exec);
        clear(wave, accesses, left_out);
        Some(denied)
    }

    /// Skips an access of the wave as a whole, and loads those of its dwords that can be read.
    fn as_a_whole(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        first: &MemoryFault,
        accesses: &[MemOp],
    ) -> Option<Vec<Denied>> {
        self.skip(wave, accesses)?;
        if let [
            MemOp {
                kind: MemKind::Load,
                ret: Some(DataReg::S(to)),
                ..
            },
        ] = accesses
        {
            for n in 0..first.bytes / 4 {
                let mut dword = [0; 4];
                let at = first.address + 4 * u64::from(n);
                // A dword that cannot be read stays zero.
                let _ = memory.registry().read(at, &mut dword);
                set_scalar(wave, u32::from(*to) + n, u32::from_le_bytes(dword));
            }
        }
        let (lanes, fault) = (0, first.clone());
        Some(vec![Denied { lanes, fault }])
    }

    /// Executes an instruction without faults beyond the LDS, as a chip does. Returns the lanes whose accesses were beyond it.
    ///
    /// # Errors
    /// Another fault of the instruction, if it is a memory fault.
    fn beyond_lds(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<u64, Option<Box<MemoryFault>>> {
        memory.set_strict(false);
        let done = self.step(wave, memory);
        memory.set_strict(true);
        let seen = memory.take_lds_overrun();
        done.map(|()| seen.map_or(0, |seen| seen.lanes))
    }

    /// Executes one instruction.
    ///
    /// # Errors
    /// The fault of the instruction, if it is a memory fault.
    fn step(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<(), Option<Box<MemoryFault>>> {
        // With a budget of one, the wave stops after the instruction.
        wave.uniform_mut().budget = 1;
        match self.backend.run(wave, memory) {
            Leave::Other(event) => match *event {
                Event::Fault(Fault::Memory(fault)) => Err(Some(fault)),
                _ => Err(None),
            },
            Leave::End(_) | Leave::Barrier(_) => Err(None),
            _ => Ok(()),
        }
    }

    /// Skips the instruction: scalar registers that it would load become zero.
    fn skip(&self, wave: &mut Wave, accesses: &[MemOp]) -> Option<()> {
        let pc = wave.uniform().pc;
        let inst = self.engine.code().inst(pc).ok()?;
        clear(wave, accesses, 0);
        wave.uniform_mut().pc = pc + u64::from(inst.len);
        Some(())
    }
}

/// Adds a lane to those that were denied for the same reason.
fn add(denied: &mut Vec<Denied>, lane: u64, fault: MemoryFault) {
    let same = |known: &&mut Denied| rule(known.fault.reason) == rule(fault.reason);
    match denied.iter_mut().find(same) {
        Some(known) => known.lanes |= lane,
        None => denied.push(Denied { lanes: lane, fault }),
    }
}

/// Clears the results of accesses: those of some lanes, and scalar registers.
fn clear(wave: &mut Wave, accesses: &[MemOp], lanes: u64) {
    for op in accesses {
        let count = op.registers();
        match op.ret {
            Some(DataReg::S(first)) => {
                (0..count).for_each(|n| set_scalar(wave, u32::from(first) + n, 0));
            }
            // A register that does not exist is not set.
            Some(DataReg::V(first)) if usize::from(first) + count as usize <= VECTOR_REGISTERS => {
                let keep = kept(op);
                for n in usize::from(first)..usize::from(first) + count as usize {
                    let values = wave.vgpr_mut(n).iter_mut().enumerate();
                    let denied = values.filter(|(lane, _)| lanes >> lane & 1 == 1);
                    denied.for_each(|(_, value)| *value &= keep);
                    let shadow = wave.shadow_mut(n).into_iter().flatten().enumerate();
                    let denied = shadow.filter(|(lane, _)| lanes >> lane & 1 == 1);
                    denied.for_each(|(_, value)| *value &= keep);
                }
            }
            _ => {}
        }
    }
}

/// Returns the bits of a register that a load keeps: the other half, if it loads 16 bits into one half (D16).
fn kept(op: &MemOp) -> u32 {
    match op.half {
        Half::Low if op.access.bytes() < 4 => 0xffff_0000,
        Half::High if op.access.bytes() < 4 => 0x0000_ffff,
        _ => 0,
    }
}

fn set_scalar(wave: &mut Wave, register: u32, value: u32) {
    if let Some(place) = wave.uniform_mut().s.get_mut(register as usize) {
        *place = value;
    }
    if let Some(shadow) = wave.uniform_mut().shadow.get_mut(register as usize) {
        *shadow = 0;
    }
}

/// The state that repeating an instruction must not change: counts, and the rest of the time slice.
struct Before {
    budget: i64,
    counts: [u64; 8],
    lane_count: u64,
}

impl Before {
    fn of(wave: &Wave) -> Before {
        let uniform = wave.uniform();
        Before {
            budget: uniform.budget,
            counts: uniform.counts,
            lane_count: uniform.lane_count,
        }
    }

    fn restore(self, wave: &mut Wave) {
        let uniform = wave.uniform_mut();
        uniform.budget = self.budget;
        uniform.counts = self.counts;
        uniform.lane_count = self.lane_count;
    }
}

fn exec(wave: &Wave) -> u64 {
    let at = |n: usize| u64::from(wave.uniform().s[usize::from(sreg::EXEC) + n]);
    at(0) | at(1) << 32
}

fn set_exec(wave: &mut Wave, exec: u64) {
    let first = usize::from(sreg::EXEC);
    let s = &mut wave.uniform_mut().s;
    (s[first], s[first + 1]) = (exec as u32, (exec >> 32) as u32);
}
