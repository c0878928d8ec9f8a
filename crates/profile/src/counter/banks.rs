//! Bank conflicts of LDS.
//!
//! The LDS of a compute unit has 32 banks of dwords, and 16 on gfx703, gfx705 and gfx810 (LLVM's `FeatureLDSBankCount32` and
//! `FeatureLDSBankCount16`). In a cycle it serves lanes that access different banks, or the same dword of a bank (AMD, "OpenCL
//! Optimization Guide", "Local Memory (LDS)"). The lanes of an access are served in their order, as many together as have a dword for
//! each bank: with 32 banks 32 lanes of a dword or less, 16 of 8 bytes, 8 of 12 or 16 bytes. They take as many cycles as the bank with
//! the most different dwords has. Lanes of an atomic at the same dword take a cycle each. Chips may serve the lanes of large accesses
//! in another order.

use crate::access::{Access, ByteRanges};
use crate::model::{Kind, Memory, Space};
use wavetank_gcn::Chip;
use wavetank_memory::AccessRecord;

/// The most banks that a chip has.
const MOST: usize = 32;

/// Returns the banks of a chip. With N of them, each has every Nth dword.
pub(crate) fn banks_of(chip: Chip) -> usize {
    match chip {
        Chip::Gfx703 | Chip::Gfx705 | Chip::Gfx810 => 16,
        _ => MOST,
    }
}

/// Adds the cycles of an access, and those that it would take without conflicts.
pub(super) fn count(access: &Access<'_>, _: &ByteRanges, to: &mut Memory) {
    if access.space != Space::Lds {
        return;
    }
    let is_atomic = access.kind == Kind::Atomic;
    if let Some(run) = access.only_run() {
        let bytes = run.first.bytes;
        let is_whole = bytes < 4 || run.first.address.is_multiple_of(4);
        // Lanes of an atomic that share a dword take turns.
        let shares = run.lanes > 1 && (run.step == 0 || bytes < 4);
        if is_whole && !(is_atomic && shares) {
            let lane = u32::from(run.first.lane.unwrap_or(0));
            let together = together(bytes, access.banks);
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
        parts.add(nth, &record, access.banks);
    }
    for part in &mut parts.0 {
        to.bank_cycles += part.cycles(is_atomic, access.banks);
        to.least_bank_cycles += 1;
    }
}

/// The lanes that LDS serves together: as many as have a dword for each bank.
fn together(bytes: u32, banks: usize) -> u32 {
    let dwords = bytes.div_ceil(4).next_power_of_two();
    banks as u32 / dwords
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
    fn add(&mut self, nth: u32, record: &AccessRecord, banks: usize) {
        let key = (
            nth,
            u32::from(record.lane.unwrap_or(0)) / together(record.bytes, banks),
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
    fn cycles(&mut self, is_atomic: bool, banks: usize) -> u64 {
        if !is_atomic {
            self.dwords.sort_unstable();
            self.dwords.dedup();
        }
        let mut in_bank = [0; MOST];
        for dword in &self.dwords {
            in_bank[*dword as usize % banks] += 1;
        }
        in_bank.into_iter().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_ir::MemKind;
    use wavetank_memory::{AccessRun, MemoryKind};

    /// The cycles of loads of 64 lanes with a stride, and those without conflicts.
    fn cycles(bytes: u32, stride: u64, banks: usize) -> (u64, u64) {
        let records = (0..64u8).map(|lane| AccessRecord {
            pc: 0,
            kind: MemKind::Load,
            lane: Some(lane),
            memory: MemoryKind::Lds,
            address: u64::from(lane) * stride,
            bytes,
        });
        let records: Vec<_> = records.collect();
        let access = Access {
            space: Space::Lds,
            kind: Kind::Load,
            runs: &AccessRun::all(&records),
            banks,
        };
        let mut memory = Memory::new(Space::Lds, Kind::Load);
        count(&access, &[], &mut memory);
        (memory.bank_cycles, memory.least_bank_cycles)
    }

    fn common(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { common(b, a % b) }
    }

    #[test]
    fn a_stride_conflicts_by_its_common_divisor_with_the_banks() {
        for stride in 1..=66 {
            let conflicts = common(stride, 32);
            assert_eq!(cycles(4, 4 * stride, 32), (2 * conflicts, 2), "{stride}");
            let conflicts = common(stride, 16);
            assert_eq!(cycles(4, 4 * stride, 16), (4 * conflicts, 4), "{stride}");
        }
        // Pairs of dwords in the order of lanes, and a dword apart.
        assert_eq!(cycles(8, 8, 32), (4, 4));
        assert_eq!(cycles(8, 16, 32), (8, 4));
        assert_eq!(cycles(16, 16, 32), (8, 8));
        // All lanes at one place, and bytes that share dwords.
        assert_eq!((cycles(4, 0, 32), cycles(1, 1, 32)), ((2, 2), (2, 2)));
    }
}
