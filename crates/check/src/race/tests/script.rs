//! Launches written by hand, slice by slice, with the accesses of each wave.

use std::collections::HashMap;

use wavetank_gcn::{Chip, Inst, parse};
use wavetank_ir::{MemKind, Rmw};
use wavetank_machine::Group;
use wavetank_memory::{AccessRecord, AccessRun, Lds, MemoryKind};

use crate::finding::{Finding, Findings};
use crate::race::{InstAt, Race};
use crate::watch::{SliceEnd, TimeSlice, Watcher, WaveOf};

/// The instructions used in launches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    LdsLoad,
    LdsStore,
    LdsOtherStore,
    LdsAdd,
    LdsSilentAdd,
    LdsSpin,
    /// In a loop of unoptimized code.
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
    /// A compare-and-swap that writes, and those that fail.
    WinningSwap,
    FailedSwap,
    LdsFailedSwap,
    SilentFailedSwap,
    SpinFailedSwap,
    SpinSwap,
    SpinLoad,
    GdsAdd,
    GdsLoad,
    GdsStore,
    Wait,
    Unknown,
}

pub(super) use Op::*;

/// Instructions with their text. Those that spin are followed by a loop.
const OPS: [(Op, &str); 28] = [
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
    (
        WinningSwap,
        "global_atomic_cmpswap v1, v[2:3], v[4:5], off glc",
    ),
    (
        FailedSwap,
        "global_atomic_cmpswap v1, v[2:3], v[4:5], off glc",
    ),
    (LdsFailedSwap, "ds_cmpst_rtn_b32 v3, v0, v2, v1"),
    (
        SilentFailedSwap,
        "global_atomic_cmpswap v[2:3], v[4:5], off",
    ),
    (
        SpinFailedSwap,
        "global_atomic_cmpswap v1, v[2:3], v[4:5], off glc",
    ),
    (SpinLoad, "global_load_dword v0, v[2:3], off"),
    (GdsAdd, "ds_add_rtn_u32 v2, v0, v1 gds"),
    (GdsLoad, "ds_read_b32 v1, v0 gds"),
    (GdsStore, "ds_write_b32 v0, v1 gds"),
    (Wait, "s_waitcnt vmcnt(0)"),
];

impl Op {
    pub(super) fn pc(self) -> u64 {
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
            WinningSwap | FailedSwap | LdsFailedSwap | SilentFailedSwap | SpinFailedSwap => {
                MemKind::Atomic(Rmw::CmpSwap)
            }
        }
    }

    pub(super) fn has_failed(self) -> bool {
        matches!(
            self,
            FailedSwap | LdsFailedSwap | SilentFailedSwap | SpinFailedSwap
        )
    }

    pub(super) fn memory(self) -> MemoryKind {
        match self {
            LdsLoad | LdsStore | LdsOtherStore | LdsAdd | LdsSilentAdd | LdsSpin | LdsLoopLoad
            | LdsFailedSwap => MemoryKind::Lds,
            GdsAdd | GdsLoad | GdsStore => MemoryKind::Gds,
            _ => MemoryKind::Global,
        }
    }

    /// Returns the access of a lane by this instruction, on some bytes.
    pub(super) fn record(self, lane: u8, address: u64, bytes: u32) -> AccessRecord {
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

/// Returns the code of all instructions.
pub(super) fn inst_at() -> InstAt {
    let mut code: HashMap<u64, Inst> = HashMap::new();
    let inst = |text: &str| parse(text, Chip::Gfx900).unwrap();
    for (op, text) in OPS {
        let first = inst(text);
        code.insert(op.pc(), first);
        if op == LdsLoopLoad {
            // The address is a variable.
            let address = "buffer_load_dword v0, off, s[0:3], s33";
            code.insert(op.pc() + 8, inst(address));
            code.insert(op.pc() + 16, inst("s_cbranch_vccz 65531"));
        }
        if matches!(op, LdsSpin | SpinLoad | SpinSwap | SpinFailedSwap) {
            // A branch back to the instruction: minus its own length and that of the branch.
            let back = 0x10000 - u32::from(first.len) / 4 - 1;
            let branch = inst(&format!("s_cbranch_vccz {back}"));
            code.insert(op.pc() + u64::from(first.len), branch);
        }
    }
    Box::new(move |pc| code.get(&pc).copied())
}

/// A launch in progress.
pub(super) struct Script {
    pub race: Race,
    /// The LDS of the work-group. Its values are not known if it is empty.
    pub lds: Lds,
    waves: u32,
}

impl Script {
    /// Starts a launch with this number of waves in each group.
    pub(super) fn new(waves: u32) -> Script {
        Script {
            race: Race::new("k", inst_at()),
            lds: Lds::new(0),
            waves,
        }
    }

    /// Runs a time slice of a wave of a group, with all its accesses.
    pub(super) fn time_slice(&mut self, wave: (u64, u32), records: &[AccessRecord], end: SliceEnd) {
        self.runs(wave, &AccessRun::all(records), end);
    }

    /// Runs a time slice with accesses in runs of lanes.
    pub(super) fn runs(&mut self, (group, wave): (u64, u32), runs: &[AccessRun], end: SliceEnd) {
        let wave = WaveOf {
            group: Group {
                index: group,
                id: [group as u32, 0, 0],
                size: [64 * self.waves, 1, 1],
            },
            wave,
            waves: self.waves,
        };
        self.race.slice(&TimeSlice {
            wave,
            runs,
            end,
            exec: u64::MAX,
            lds: &self.lds,
        });
    }

    /// Runs a time slice in which lane 0 accesses dwords, and which continues later.
    pub(super) fn go(&mut self, wave: (u64, u32), accesses: &[(Op, u64)]) -> &mut Script {
        self.until(wave, accesses, SliceEnd::GoesOn)
    }

    /// Runs a time slice that ends at the barrier.
    pub(super) fn barrier(&mut self, wave: (u64, u32), accesses: &[(Op, u64)]) -> &mut Script {
        self.until(wave, accesses, SliceEnd::Barrier(0))
    }

    /// Runs the last time slice of a wave.
    pub(super) fn end(&mut self, wave: (u64, u32), accesses: &[(Op, u64)]) -> &mut Script {
        self.until(wave, accesses, SliceEnd::Ended)
    }

    /// Runs a time slice with the given end.
    pub(super) fn until(
        &mut self,
        wave: (u64, u32),
        accesses: &[(Op, u64)],
        end: SliceEnd,
    ) -> &mut Script {
        let run = |&(op, address): &(Op, u64)| match op {
            Wait => AccessRun::wait(op.pc()),
            _ => AccessRun {
                failed: op.has_failed(),
                ..AccessRun::of(op.record(0, address, 4))
            },
        };
        let runs: Vec<AccessRun> = accesses.iter().map(run).collect();
        self.runs(wave, &runs, end);
        self
    }

    /// Returns the findings of the launch.
    pub(super) fn findings(&mut self) -> Vec<Finding> {
        let mut findings = Findings::default();
        self.race.end(&mut findings);
        findings.iter().cloned().collect()
    }

    /// Returns the rules of the findings.
    pub(super) fn rules(&mut self) -> Vec<&'static str> {
        self.findings().iter().map(|finding| finding.rule).collect()
    }
}
