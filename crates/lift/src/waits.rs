//! Waits for loads: the instructions at which a chip makes a wave wait.

use wavetank_gcn::WaitCounter;
use wavetank_ir::{Block, Counter, Op, WaitCnt};

use crate::block::Lift;

/// The accesses in flight of a wait counter (Vega ISA, 4.4 "Data Dependency Resolution").
#[derive(Default)]
struct InFlight {
    /// The number of instructions that incremented the counter.
    count: u16,
    /// The address of the last one.
    last: u64,
    /// Whether one of them is a load.
    loads: bool,
}

impl InFlight {
    /// Records a memory access by the instruction at `pc`, which may make several.
    fn issue(&mut self, pc: u64, loads: bool) {
        self.count += u16::from(self.count == 0 || pc != self.last);
        self.last = pc;
        self.loads |= loads;
    }

    /// Whether the wave waits until at most `most` accesses are in flight, not for stores only.
    fn exceeds(&self, most: Option<u8>) -> bool {
        self.loads && most.is_some_and(|most| self.count > most.into())
    }
}

/// The counts of an `s_waitcnt`. A count at the limit of its counter waits for nothing.
pub(crate) fn counters(l: &Lift) -> WaitCnt {
    let imm = l.simm16();
    let most = |counter: WaitCounter| {
        let most = counter.get(imm);
        (most < counter.max()).then_some(most as u8)
    };
    let [vm, exp, lgkm] = l.rules().wait_counters.map(most);
    WaitCnt { vm, exp, lgkm }
}

/// Whether a wave waits at an `s_waitcnt` for a load of the block so far.
///
/// Loads of earlier blocks that are in flight are not considered.
pub(crate) fn for_loads(block: &Block, most: WaitCnt) -> bool {
    let (mut vm, mut lgkm) = (InFlight::default(), InFlight::default());
    let mut at = block.pc;
    for node in &block.nodes {
        match &node.op {
            Op::Inst { pc, .. } => at = *pc,
            Op::Mem(op) => {
                if op.counter != Counter::Lgkm {
                    vm.issue(at, op.loads());
                }
                if op.counter != Counter::Vm {
                    lgkm.issue(at, op.loads());
                }
            }
            _ => {}
        }
    }
    vm.exceeds(most.vm) || lgkm.exceeds(most.lgkm)
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::{Chip, decode};
    use wavetank_ir::{Op, Terminator};

    use crate::{Modes, lift_block};

    // The words are encoded by LLVM's assembler.
    const LOAD: [u32; 2] = [0xdc50_8000, 0x047f_0002]; // global_load_dword v4, v[2:3], off
    const STORE: [u32; 2] = [0xdc70_8000, 0x007f_0200]; // global_store_dword v[0:1], v2, off
    const READ_PAIR: [u32; 2] = [0xd86e_1000, 0x0200_0008]; // ds_read2_b32 v[2:3], v8 offset1:16
    const SCALAR: [u32; 2] = [0xc00a_0002, 0]; // s_load_dwordx4 s[0:3], s[4:5], 0x0
    const VMCNT_0: [u32; 1] = [0xbf8c_0f70];
    const LGKMCNT_0: [u32; 1] = [0xbf8c_c07f];
    const LGKMCNT_1: [u32; 1] = [0xbf8c_c17f];
    const BARRIER: [u32; 1] = [0xbf8a_0000];
    const END: [u32; 1] = [0xbf81_0000];

    /// The end of the block of these instructions on gfx900, at address 0.
    fn end(code: &[&[u32]]) -> Terminator {
        let bytes: Vec<u8> = code.concat().iter().flat_map(|w| w.to_le_bytes()).collect();
        let inst = |pc: u64| {
            let rest = bytes.get(pc as usize..).unwrap_or_default();
            decode(rest, Chip::Gfx900).map_err(|error| error.to_string())
        };
        let mut block = lift_block(&inst, 0, Modes::default());
        match block.nodes.pop().map(|node| node.op) {
            Some(Op::End(terminator)) => terminator,
            other => panic!("a block ends with a terminator, not {other:?}"),
        }
    }

    #[test]
    fn blocks_end_where_loads_are_waited_for_before_a_write() {
        let load = [&LOAD[..], &VMCNT_0, &STORE, &END];
        assert_eq!(end(&load), Terminator::Branch(12));
        let read = [&READ_PAIR[..], &LGKMCNT_0, &STORE, &END];
        assert_eq!(end(&read), Terminator::Branch(12));
        // Two instructions are in flight, each with two accesses, and one may be.
        let two = [&READ_PAIR[..], &READ_PAIR, &LGKMCNT_1, &STORE, &END];
        assert_eq!(end(&two), Terminator::Branch(20));
    }

    #[test]
    fn blocks_go_on_where_nothing_is_waited_for() {
        let code: [&[&[u32]]; 6] = [
            &[&READ_PAIR, &LGKMCNT_1, &END],
            &[&LOAD, &LGKMCNT_0, &END],
            &[&STORE, &VMCNT_0, &END],
            &[&SCALAR, &LGKMCNT_0, &END],
            &[&VMCNT_0, &LGKMCNT_0, &END],
            // Other waves see what this one writes, not what it reads.
            &[&READ_PAIR, &LGKMCNT_0, &READ_PAIR, &LGKMCNT_0, &END],
        ];
        for code in code {
            assert_eq!(end(code), Terminator::EndProgram, "{code:x?}");
        }
        // Every wave waits there anyway.
        let barrier = [&READ_PAIR[..], &LGKMCNT_0, &BARRIER, &END];
        assert_eq!(end(&barrier), Terminator::Barrier { next: 16 });
    }
}
