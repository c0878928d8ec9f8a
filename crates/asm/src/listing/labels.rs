//! Boundaries of instructions and targets of branches in the code of a region.

use std::convert::Infallible;

use wavetank_gcn::tables::{Field, Kind};
use wavetank_gcn::{Chip, Inst, Op, Operand, decode};

use super::region::{Region, length};
use crate::ordered_pool::run_in_order;

/// Code is looked through in pieces of so many bytes.
const PIECE: usize = 1 << 16;

/// What has been found in the code of a region, from some place of it on. Places are bytes from the start of the region.
#[derive(Default)]
pub struct Labels {
    start: usize,
    /// Which dwords begin an instruction, from the start on.
    begins: Vec<bool>,
    /// Places of branches, and the addresses that they lead to.
    branches: Vec<(usize, u64)>,
    /// Where the next instruction begins.
    end: usize,
}

impl Labels {
    /// Looks through all code of a region.
    pub fn of(region: &Region<'_>, chip: Chip) -> Labels {
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

    /// Looks through a piece as if an instruction began at its start.
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

    /// Looks at the next instruction.
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

    /// Says of all dwords up to a place whether they begin an instruction.
    fn reach(&mut self, place: usize) {
        self.begins.resize((place - self.start) / 4, false);
    }

    /// Adds the piece that follows. The last instruction may reach into it: then others are found, until one begins where
    /// one of the piece does.
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
    pub fn begins_at(&self, place: usize) -> bool {
        let dword = place.checked_sub(self.start).map(|distance| distance / 4);
        dword.and_then(|dword| self.begins.get(dword)) == Some(&true)
    }

    /// The addresses that branches lead to, where an instruction begins: into the midst of one leads no name.
    pub fn targets(&self, address: u64) -> impl Iterator<Item = u64> {
        let targets = self.branches.iter().map(|(_, to)| *to);
        targets.filter(move |to| {
            let place = to.checked_sub(address);
            place.is_some_and(|place| self.begins_at(place as usize))
        })
    }
}

/// Where a branch leads.
pub fn target(inst: &Inst, address: u64) -> Option<u64> {
    // Only these have space for a distance, and most instructions are others.
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

        /// Many words are literals here, so that instructions reach over the ends of pieces.
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
