//! Instruction boundaries and branch targets in the code of a region.

use std::convert::Infallible;

use wavetank_gcn::tables::{Field, Kind};
use wavetank_gcn::{Chip, Inst, Op, Operand, decode};

use super::region::{Region, length};
use crate::ordered_pool::run_in_order;

/// Bytes of code in a piece that is scanned on its own.
const PIECE: usize = 1 << 16;

/// The instruction boundaries and branches of a region, from `start` on. Places are byte offsets from the start of the region.
#[derive(Default)]
pub(super) struct Labels {
    start: usize,
    /// For each dword from `start` on, whether an instruction begins there.
    begins: Vec<bool>,
    /// Places of branches, with the addresses of their targets.
    branches: Vec<(usize, u64)>,
    /// The place at which the next instruction begins.
    end: usize,
}

impl Labels {
    /// Scans all code of a region.
    pub(super) fn of(region: &Region<'_>, chip: Chip) -> Labels {
        let starts: Vec<usize> = (0..region.bytes.len()).step_by(PIECE).collect();
        let mut all = Labels::default();
        let Ok(()) = run_in_order(
            &starts,
            |start| Labels::of_piece(region, chip, *start),
            |piece| {
                all.append(region, chip, piece);
                Ok::<_, Infallible>(())
            },
        );
        all
    }

    /// Scans a piece as if an instruction began at its start.
    fn of_piece(region: &Region<'_>, chip: Chip, start: usize) -> Labels {
        let mut piece = Labels {
            start,
            end: start,
            ..Labels::default()
        };
        while piece.end < region.bytes.len().min(start + PIECE) {
            piece.step(region, chip);
        }
        piece
    }

    /// Decodes the next instruction, and records it.
    fn step(&mut self, region: &Region<'_>, chip: Chip) {
        let code = &region.bytes[self.end..];
        let inst = decode(code, chip);
        let address = region.address + self.end as u64;
        self.reach(self.end);
        self.begins.push(true);
        if let Ok(inst) = &inst
            && let Some(to) = target(inst, address)
        {
            self.branches.push((self.end, to));
        }
        self.end += length(code, &inst);
    }

    /// Extends `begins` up to a place; the dwords in between do not begin an instruction.
    fn reach(&mut self, place: usize) {
        self.begins.resize((place - self.start) / 4, false);
    }

    /// Appends the piece that follows. The last instruction may extend into it: then instructions are decoded again until one
    /// begins where one of the piece does.
    fn append(&mut self, region: &Region<'_>, chip: Chip, piece: Labels) {
        while self.end < piece.end && !piece.begins_at(self.end) {
            self.step(region, chip);
        }
        let same = self.end;
        if same < piece.end {
            self.reach(same);
            self.begins
                .extend_from_slice(&piece.begins[(same - piece.start) / 4..]);
            let known = piece.branches.into_iter().filter(|(at, _)| *at >= same);
            self.branches.extend(known);
            self.end = piece.end;
        }
    }

    /// Whether an instruction begins at a place.
    pub(super) fn begins_at(&self, place: usize) -> bool {
        let dword = place.checked_sub(self.start).map(|distance| distance / 4);
        dword.and_then(|dword| self.begins.get(dword)) == Some(&true)
    }

    /// Leaves out the branches at addresses for which `is_unknown` holds: a linker fills their targets in.
    pub(super) fn leave_out(&mut self, address: u64, is_unknown: impl Fn(u64) -> bool) {
        self.branches
            .retain(|(at, _)| !is_unknown(address + *at as u64));
    }

    /// Returns the branch targets at which an instruction begins. A target within an instruction gets no label.
    pub(super) fn targets(&self, address: u64) -> impl Iterator<Item = u64> {
        let targets = self.branches.iter().map(|(_, to)| *to);
        targets.filter(move |to| {
            let place = to.checked_sub(address);
            place.is_some_and(|place| self.begins_at(place as usize))
        })
    }
}

/// Returns the target address of a branch.
pub(super) fn target(inst: &Inst, address: u64) -> Option<u64> {
    // Only these formats have space for a distance, and most instructions are in other formats.
    if !matches!(inst.op, Op::Sopp(_) | Op::Sopk(_)) {
        return None;
    }
    let last = inst.row().operands.last()?;
    if last.kind != Kind::Target {
        return None;
    }
    match inst.operand(Field::Simm16) {
        Operand::Imm(words) => {
            let distance = 4 * i64::from(words as i16);
            Some(address.wrapping_add(4).wrapping_add_signed(distance))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

        /// Many words are literals here, so that instructions cross the ends of pieces.
        #[test]
        fn pieces_make_no_difference(
            words in prop::collection::vec(prop_oneof![any::<u32>(), Just(0x7e00_02ff), 0xbf82_0000u32..0xbf82_0010], 20_000..70_000),
            cut in 0..4usize,
        ) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let bytes = &bytes[..bytes.len() - cut];
            let region = Region { address: 0x1000, bytes, code: true };
            let found = Labels::of(&region, Chip::Gfx900);
            let mut one = Labels::default();
            while one.end < bytes.len() {
                one.step(&region, Chip::Gfx900);
            }
            prop_assert!(found.begins == one.begins);
            prop_assert_eq!(&found.branches, &one.branches);
            prop_assert_eq!(found.end, bytes.len());
        }
    }
}
