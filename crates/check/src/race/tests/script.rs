//! Launches written by hand: which wave accesses what, slice by slice.

use std::collections::HashMap;

use wavetank_gcn::{Chip, Inst, parse};
use wavetank_ir::{MemKind, Rmw};
use wavetank_machine::Group;
use wavetank_memory::{AccessRecord, AccessRun, MemoryKind};

use crate::finding::{Finding, Findings};
use crate::race::{InstAt, Race};
use crate::watch::{SliceEnd, Watcher, WaveOf};

/// The instructions that launches are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    LdsLoad,
    LdsStore,
    LdsOtherStore,
    LdsAdd,
    LdsSilentAdd,
    LdsSpin,
    /// In a loop of code that is not optimised.
    LdsLoopLoad,
    Load,
    OtherLoad,
    Store,
    OtherStore,
    CoherentLoad,
    CoherentStore,
    Add,
    SilentAdd,
    SilentMin,
    Swap,
    SpinSwap,
    SpinLoad,
    GdsAdd,
    GdsLoad,
    GdsStore,
    Wait,
    Unknown,
}

pub use Op::*;

/// Each with its text. What spins is followed by a loop.
const OPS: [(Op, &str); 23] = [
    (LdsLoad, "ds_read_b32 v1, v0"),
    (LdsStore, "ds_write_b32 v0, v1"),
    (LdsOtherStore, "ds_write_b32 v0, v1"),
    (LdsAdd, "ds_add_rtn_u32 v2, v0, v1"),
    (LdsSilentAdd, "ds_add_u32 v0, v1"),
    (LdsSpin, "ds_read_b32 v1, v0"),
    (LdsLoopLoad, "ds_read_b32 v1, v0"),
    (Load, "global_load_dword v0, v[2:3], off"),
    (OtherLoad, "s_load_dword s0, s[2:3], 0x0"),
    (Store, "global_store_dword v[2:3], v0, off"),
    (OtherStore, "global_store_dword v[2:3], v0, off"),
    (CoherentLoad, "global_load_dword v0, v[2:3], off glc"),
    (CoherentStore, "global_store_dword v[2:3], v0, off glc"),
    (Add, "global_atomic_add v1, v[2:3], v0, off glc"),
    (SilentAdd, "global_atomic_add v[2:3], v0, off"),
    (SilentMin, "global_atomic_umin v[2:3], v0, off"),
    (Swap, "global_atomic_swap v1, v[2:3], v0, off glc"),
    (SpinSwap, "global_atomic_swap v1, v[2:3], v0, off glc"),
    (SpinLoad, "global_load_dword v0, v[2:3], off"),
    (GdsAdd, "ds_add_rtn_u32 v2, v0, v1 gds"),
    (GdsLoad, "ds_read_b32 v1, v0 gds"),
    (GdsStore, "ds_write_b32 v0, v1 gds"),
    (Wait, "s_waitcnt vmcnt(0)"),
];

impl Op {
    pub fn pc(self) -> u64 {
        0x1000 + 0x20 * self as u64
    }

    fn kind(self) -> MemKind {
        match self {
            LdsLoad | LdsSpin | LdsLoopLoad | Load | OtherLoad | CoherentLoad | SpinLoad
            | GdsLoad | Wait => MemKind::Load,
            LdsStore | LdsOtherStore | Store | OtherStore | CoherentStore | GdsStore | Unknown => {
                MemKind::Store
            }
            LdsAdd | LdsSilentAdd | Add | SilentAdd | GdsAdd => MemKind::Atomic(Rmw::Add),
            SilentMin => MemKind::Atomic(Rmw::MinU),
            Swap | SpinSwap => MemKind::Atomic(Rmw::Swap),
        }
    }

    pub fn memory(self) -> MemoryKind {
        match self {
            LdsLoad | LdsStore | LdsOtherStore | LdsAdd | LdsSilentAdd | LdsSpin | LdsLoopLoad => {
                MemoryKind::Lds
            }
            GdsAdd | GdsLoad | GdsStore => MemoryKind::Gds,
            _ => MemoryKind::Global,
        }
    }

    /// A lane of it, on some bytes.
    pub fn record(self, lane: u8, address: u64, bytes: u32) -> AccessRecord {
        AccessRecord {
            pc: self.pc(),
            kind: self.kind(),
            lane: (self != OtherLoad).then_some(lane),
            memory: self.memory(),
            address,
            bytes,
        }
    }
}

/// The code of all of them.
pub fn inst_at() -> InstAt {
    let mut code: HashMap<u64, Inst> = HashMap::new();
    let inst = |text: &str| parse(text, Chip::Gfx900).unwrap();
    for (op, text) in OPS {
        let first = inst(text);
        code.insert(op.pc(), first);
        if op == LdsLoopLoad {
            // Its address is a variable.
            let address = "buffer_load_dword v0, off, s[0:3], s33";
            code.insert(op.pc() + 8, inst(address));
            code.insert(op.pc() + 16, inst("s_cbranch_vccz 65531"));
        }
        if matches!(op, LdsSpin | SpinLoad | SpinSwap) {
            // To itself: minus its own length and that of the branch.
            let back = 0x10000 - u32::from(first.len) / 4 - 1;
            let branch = inst(&format!("s_cbranch_vccz {back}"));
            code.insert(op.pc() + u64::from(first.len), branch);
        }
    }
    Box::new(move |pc| code.get(&pc).copied())
}

/// A launch that goes on.
pub struct Script {
    pub race: Race,
    waves: u32,
}

impl Script {
    /// With so many waves in each group.
    pub fn new(waves: u32) -> Script {
        let race = Race::new("k", inst_at());
        Script { race, waves }
    }

    /// A time slice of a wave of a group, with all it accesses.
    pub fn time_slice(&mut self, wave: (u64, u32), records: &[AccessRecord], end: SliceEnd) {
        self.runs(wave, &AccessRun::all(records), end);
    }

    /// The same, by runs of lanes.
    pub fn runs(&mut self, (group, wave): (u64, u32), runs: &[AccessRun], end: SliceEnd) {
        let wave = WaveOf {
            group: Group {
                index: group,
                id: [group as u32, 0, 0],
                size: [64 * self.waves, 1, 1],
            },
            wave,
            waves: self.waves,
        };
        self.race.runs(wave, runs, end);
    }

    /// A time slice in which lane 0 accesses dwords, and goes on.
    pub fn go(&mut self, wave: (u64, u32), accesses: &[(Op, u64)]) -> &mut Script {
        self.until(wave, accesses, SliceEnd::GoesOn)
    }

    /// A time slice that ends at the barrier.
    pub fn barrier(&mut self, wave: (u64, u32), accesses: &[(Op, u64)]) -> &mut Script {
        self.until(wave, accesses, SliceEnd::Barrier(0))
    }

    /// The last time slice of a wave.
    pub fn end(&mut self, wave: (u64, u32), accesses: &[(Op, u64)]) -> &mut Script {
        self.until(wave, accesses, SliceEnd::Ended)
    }

    /// A time slice that ends so.
    pub fn until(
        &mut self,
        wave: (u64, u32),
        accesses: &[(Op, u64)],
        end: SliceEnd,
    ) -> &mut Script {
        let run = |&(op, address): &(Op, u64)| match op {
            Wait => AccessRun::wait(op.pc()),
            _ => AccessRun::of(op.record(0, address, 4)),
        };
        let runs: Vec<AccessRun> = accesses.iter().map(run).collect();
        self.runs(wave, &runs, end);
        self
    }

    /// What was found.
    pub fn findings(&mut self) -> Vec<Finding> {
        let mut findings = Findings::default();
        self.race.end(&mut findings);
        findings.iter().cloned().collect()
    }

    /// The rules of what was found.
    pub fn rules(&mut self) -> Vec<&'static str> {
        self.findings().iter().map(|finding| finding.rule).collect()
    }
}
