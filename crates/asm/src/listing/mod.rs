//! Listings of code: one instruction per line, with labels for symbols and branch targets, and address and words as a comment.

mod labels;
mod object;
mod region;
mod writer;

use std::collections::HashSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io::{self, Write};

use thiserror::Error;
use wavetank_gcn::{Chip, Dialect, EXECUTED_CHIPS, Inst, decode};
use wavetank_object::{CodeObject, Lines};

use crate::ordered_pool::run_in_order;
use labels::Labels;
pub use object::SectionListing;
use region::{Label, Region, length, regions, symbols};
use writer::{Look, Piece, Writer};

/// Bytes of code in a piece of text, which one thread writes.
const PIECE: usize = 1 << 12;

/// The reason why a code object cannot be listed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ListingError {
    /// Code of a chip that is not GCN.
    #[error("this is code for {0}: {EXECUTED_CHIPS}")]
    Chip(String),
}

/// A listing of code. The text is a source that [`assemble`](crate::assemble) reads if all of the code is instructions; other
/// words are shown as `.long`.
///
/// ```
/// use wavetank_asm::Listing;
/// use wavetank_gcn::{Chip, Dialect, EXECUTED_CHIPS, Inst, decode};
/// let code = [0x00, 0x81, 0x80, 0x80, 0xfe, 0xff, 0x85, 0xbf];
/// let mut text = Vec::new();
/// Listing::raw(&code, Chip::Gfx900).write(Dialect::Llvm, &mut text)?;
/// let text = String::from_utf8(text)?;
/// assert!(text.starts_with("L0:\n\ts_sub_u32 s0, s0, 1"));
/// assert!(text.contains("\ts_cbranch_scc1 L0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Listing<'a> {
    regions: Vec<Region<'a>>,
    /// Instruction boundaries and branch targets of each region.
    labels: Vec<Labels>,
    look: Look,
}

impl<'a> Listing<'a> {
    /// Returns a listing of plain bytes, which begin at address 0. Every word is shown.
    pub fn raw(bytes: &'a [u8], chip: Chip) -> Self {
        let region = Region {
            address: 0,
            bytes,
            code: true,
        };
        Listing::new(vec![region], Look::new(chip, BTreeMap::new(), false))
    }

    /// Returns a listing of the code of a code object.
    ///
    /// # Errors
    /// [`ListingError::Chip`] if the code object is for a chip that is not GCN.
    pub fn of(object: &'a CodeObject) -> Result<Self, ListingError> {
        let target = object.target();
        let chip = Chip::from_name(target.instructions());
        let chip = chip.ok_or_else(|| ListingError::Chip(target.chip.clone()))?;
        let look = Look::new(chip, symbols(object), true);
        Ok(Listing::new(regions(object), look))
    }

    fn new(regions: Vec<Region<'a>>, look: Look) -> Self {
        let labels = |region: &Region<'_>| {
            if !region.code {
                return Labels::default();
            }
            let mut labels = Labels::of(region, look.chip);
            if !look.relocations.is_empty() {
                labels.leave_out(region.address, |at| look.relocations.contains_key(&at));
            }
            labels
        };
        let listing = Listing {
            labels: regions.iter().map(labels).collect(),
            regions,
            look,
        };
        listing.with_targets()
    }

    /// Returns the chip whose instructions are listed.
    pub fn chip(&self) -> Chip {
        self.look.chip
    }

    /// Returns the instructions and data words of the code in the order of memory: the address, the bytes, and the instruction if
    /// they are one.
    pub fn items(&self) -> impl Iterator<Item = (u64, &'a [u8], Option<Inst>)> {
        let chip = self.look.chip;
        let code = self.regions.iter().filter(|region| region.code);
        code.flat_map(move |region| {
            let mut at = 0;
            std::iter::from_fn(move || {
                let rest = region.bytes.get(at..).filter(|rest| !rest.is_empty())?;
                let inst = decode(rest, chip);
                let (address, length) = (region.address + at as u64, length(rest, &inst));
                at += length;
                Some((address, &rest[..length], inst.ok()))
            })
        })
    }

    /// Shows the source lines of the instructions as comments between them.
    pub fn with_lines(mut self, lines: Lines) -> Self {
        self.look.lines = Some(lines);
        self
    }

    /// Gives each branch target a name.
    fn with_targets(mut self) -> Self {
        let known = self.regions.iter().zip(&self.labels);
        let mut targets: Vec<u64> = known
            .flat_map(|(region, labels)| labels.targets(region.address))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        let reserved: HashSet<String> = self.look.labels.values().map(|l| l.name.clone()).collect();
        let names = (0..).map(|n| format!("L{n}"));
        let mut names = names.filter(|name| !reserved.contains(name));
        for address in targets {
            if let Entry::Vacant(place) = self.look.labels.entry(address)
                && let Some(name) = names.next()
            {
                place.insert(Label {
                    name,
                    symbol: false,
                });
            }
        }
        self
    }

    /// Writes the text of the listing.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, dialect: Dialect, out: &mut impl Write) -> io::Result<()> {
        run_in_order(
            &self.pieces(PIECE),
            |piece| Writer::of(&self.look, dialect, piece),
            |text| out.write_all(text.as_bytes()),
        )
    }

    /// Returns the regions in pieces of about `size` bytes.
    fn pieces(&self, size: usize) -> Vec<Piece<'_>> {
        let known = self.regions.iter().zip(&self.labels);
        known
            .flat_map(|(region, labels)| self.cut(region, labels, size))
            .collect()
    }

    /// Cuts a region into pieces between instructions. There is no cut after a zero, because it may belong to a run that is shown
    /// as padding.
    fn cut<'r>(&self, region: &'r Region<'r>, labels: &Labels, size: usize) -> Vec<Piece<'r>> {
        let length = region.bytes.len();
        let may_cut = |at: &usize| {
            let before = &region.bytes[at - 4..*at];
            labels.begins_at(*at) && !(self.look.folds_zeros && before == [0; 4])
        };
        let mut pieces = Vec::new();
        let (mut start, mut labels_from) = (0, region.address);
        while start < length {
            let mut cuts = (start + size..length).step_by(4);
            let end = cuts.find(may_cut).unwrap_or(length);
            pieces.push(Piece {
                region,
                range: start..end,
                labels_from,
            });
            let last = (4..=8).step_by(4).map(|length| end.saturating_sub(length));
            let last = last.into_iter().find(|at| labels.begins_at(*at));
            labels_from = region.address + last.unwrap_or(start) as u64 + 1;
            start = end;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pieces_make_no_difference(
            words in prop::collection::vec(prop_oneof![Just(0), any::<u32>(), Just(0x7e00_02ff), 0xbf82_0000u32..0xbf82_0080], 100..400),
            folds_zeros: bool,
            cut in 0..4usize,
        ) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut listing = Listing::raw(&bytes[..bytes.len() - cut], Chip::Gfx900);
            listing.look.folds_zeros = folds_zeros;
            // A symbol that may lie within an instruction.
            listing.look.labels.insert(404, Label { name: "f".to_owned(), symbol: true });
            let text = |size| -> String {
                let pieces = listing.pieces(size);
                pieces.iter().map(|piece| Writer::of(&listing.look, Dialect::Llvm, piece)).collect()
            };
            prop_assert_eq!(text(32), text(1 << 20));
        }
    }
}
