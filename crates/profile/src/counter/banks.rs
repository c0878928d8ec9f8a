//! Bank conflicts of LDS.
//!
//! The LDS of a compute unit has 32 banks of dwords, and serves 32 lanes a cycle if they access different banks, or the same dword of
//! a bank (AMD, "OpenCL Optimization Guide", 2.8 "Local Memory (LDS)"; LLVM's `FeatureLDSBankCount32`, of all chips here). So an
//! access is counted in the order of lanes, as many together as have 32 dwords: 32 lanes of a dword or less, 16 of 8 bytes, 8 of 12
//! or 16 bytes. They take as many cycles as the bank with the most different dwords has. Lanes of an atomic at the same dword take a
//! cycle each.

use super::Ranges;
use crate::access::Access;
use crate::model::{Kind, Memory, Space};
use wavetank_memory::AccessRecord;

/// The banks, each of which has every 32nd dword.
const BANKS: usize = 32;

/// Adds the cycles of an access, and those that it would take without conflicts.
pub(super) fn count(access: &Access<'_>, _: &Ranges, to: &mut Memory) {
    if access.space != Space::Lds {
        return;
    }
    let is_atomic = access.kind == Kind::Atomic;
    if let Some(run) = access.only_run() {
        let bytes = u64::from(run.first.bytes);
        let whole = bytes < 4 || run.first.address.is_multiple_of(4);
        let apart = run.step != 0 || run.lanes == 1;
        if whole && (apart || !is_atomic) && (bytes >= 4 || !is_atomic) {
            let lane = u32::from(run.first.lane.unwrap_or(0));
            let together = together(run.first.bytes);
            let groups = (lane + u32::from(run.lanes) - 1) / together - lane / together + 1;
            to.bank_cycles += u64::from(groups);
            to.least_bank_cycles += u64::from(groups);
            return;
        }
    }
    let mut parts = Parts::default();
    let mut last = None;
    let mut nth = 0;
    for record in access.runs.iter().copied().flat_map(|run| run.records()) {
        // The second part of a lane, as of `ds_read2_b32`, is an access of its own.
        nth = if last == record.lane { nth + 1 } else { 0 };
        last = record.lane;
        parts.add(nth, &record);
    }
    for part in &mut parts.0 {
        to.bank_cycles += part.cycles(is_atomic);
        to.least_bank_cycles += 1;
    }
}

/// The lanes that LDS serves together.
fn together(bytes: u32) -> u32 {
    match bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

/// Dwords of lanes that are served together.
struct Part {
    /// The number of the record in its lane, and of the lanes among those that are served together.
    key: (u32, u32),
    dwords: Vec<u64>,
}

#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn add(&mut self, nth: u32, record: &AccessRecord) {
        let key = (
            nth,
            u32::from(record.lane.unwrap_or(0)) / together(record.bytes),
        );
        let end = record.address + u64::from(record.bytes);
        let dwords = record.address / 4..end.div_ceil(4);
        match self.0.iter_mut().find(|part| part.key == key) {
            Some(part) => part.dwords.extend(dwords),
            None => self.0.push(Part {
                key,
                dwords: dwords.collect(),
            }),
        }
    }
}

impl Part {
    /// The cycles of the part.
    fn cycles(&mut self, is_atomic: bool) -> u64 {
        if !is_atomic {
            self.dwords.sort_unstable();
            self.dwords.dedup();
        }
        let mut banks = [0; BANKS];
        for dword in &self.dwords {
            banks[*dword as usize % BANKS] += 1;
        }
        banks.into_iter().max().unwrap_or(0)
    }
}
