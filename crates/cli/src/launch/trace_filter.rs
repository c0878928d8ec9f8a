//! The filter of `--trace`: a selection of waves, of their instructions, and of lanes.

use std::ops::RangeInclusive;

use wavetank::{Change, Group, Place, Step};

use super::element::integer;

/// The selection of waves and of their instructions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filter {
    group: Groups,
    wave: RangeInclusive<u64>,
    pc: RangeInclusive<u64>,
    op: String,
    /// The mask of the lanes that are shown.
    lanes: u64,
    /// The lines of the source, if not all.
    line: Option<RangeInclusive<u64>>,
    /// The end of the path of the source.
    src: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Groups {
    Numbers(RangeInclusive<u64>),
    Id([u32; 3]),
}

impl Filter {
    /// Parses a filter. The empty one selects wave 0 of work-group 0.
    pub(super) fn parse(text: &str) -> Result<Filter, String> {
        let mut filter = Filter {
            group: Groups::Numbers(0..=0),
            wave: 0..=0,
            pc: 0..=u64::MAX,
            op: String::new(),
            lanes: !0,
            line: None,
            src: String::new(),
        };
        for condition in text.split(',').filter(|condition| !condition.is_empty()) {
            let wrong = || {
                format!(
                    "`{condition}` is none of group=…, wave=…, lane=…, pc=…, op=…, line=…, src=…"
                )
            };
            let (key, value) = condition.split_once('=').ok_or_else(wrong)?;
            match key {
                "group" => filter.group = groups(value)?,
                "wave" => filter.wave = range(value)?,
                "pc" => filter.pc = range(value)?,
                "op" => filter.op = value.to_owned(),
                "lane" => filter.lanes = lanes(value)?,
                "line" => filter.line = Some(range(value)?),
                "src" => filter.src = value.to_owned(),
                _ => return Err(wrong()),
            }
        }
        Ok(filter)
    }

    /// Returns whether a wave has to be watched.
    pub(super) fn watches(&self, group: &Group, wave: u32) -> bool {
        let group = match &self.group {
            Groups::Numbers(numbers) => numbers.contains(&group.index),
            Groups::Id(id) => group.id == *id,
        };
        group && self.wave.contains(&wave.into())
    }

    /// Returns whether an instruction is selected.
    pub(super) fn shows(&self, step: &Step) -> bool {
        let place = &step.place;
        let offset = place
            .symbol
            .as_ref()
            .map_or(place.pc, |(_, offset)| *offset);
        let instruction = place.instruction.as_deref().unwrap_or("");
        self.pc.contains(&offset) && instruction.starts_with(&self.op) && self.is_of_source(place)
    }

    /// Returns whether a line that an instruction comes from is selected. Lines of inlined functions and of their callers count.
    fn is_of_source(&self, place: &Place) -> bool {
        if self.line.is_none() && self.src.is_empty() {
            return true;
        }
        place.source.frames.iter().any(|frame| {
            let line = self.line.as_ref();
            let line = line
                .is_none_or(|lines| frame.line.is_some_and(|line| lines.contains(&line.into())));
            line && frame.file.ends_with(&self.src)
        })
    }

    /// Removes the lanes that are not selected. Scalar registers and scalar accesses are kept.
    pub(super) fn cut(&self, step: &mut Step) {
        let selected = |lane: u8| self.lanes >> lane & 1 != 0;
        step.accesses
            .retain(|access| access.lane.is_none_or(selected));
        step.changes.retain_mut(|change| match change {
            Change::Vector { lanes, .. } => {
                *lanes &= self.lanes;
                *lanes != 0
            }
            _ => true,
        });
    }
}

/// Returns the mask of a range of lanes.
fn lanes(text: &str) -> Result<u64, String> {
    let range = range(text)?;
    match (*range.start(), *range.end()) {
        (_, u64::MAX) if text == "all" => Ok(!0),
        (first @ 0..64, last @ 0..64) => Ok(!0 << first & !0 >> (63 - last)),
        _ => Err(format!(
            "`{text}` has lanes that a wave does not have; they are 0..63"
        )),
    }
}

fn groups(text: &str) -> Result<Groups, String> {
    match text.split(':').collect::<Vec<_>>().as_slice() {
        [numbers] => Ok(Groups::Numbers(range(numbers)?)),
        [x, y, z] => {
            let id = |text| {
                number(text)?
                    .try_into()
                    .map_err(|_| format!("{text} is too large"))
            };
            Ok(Groups::Id([id(x)?, id(y)?, id(z)?]))
        }
        _ => Err(format!(
            "`{text}` is not a work-group; write 3, 3..5, 1:0:0 or all"
        )),
    }
}

/// Parses `N`, `A..B` (both ends included) or `all`.
fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    if text == "all" {
        return Ok(0..=u64::MAX);
    }
    match text.split_once("..") {
        Some((first, last)) => {
            let range = number(first)?..=number(last)?;
            if range.is_empty() {
                Err(format!(
                    "`{text}` ends before it begins; write A..B with A up to B"
                ))
            } else {
                Ok(range)
            }
        }
        None => {
            let only = number(text)?;
            Ok(only..=only)
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    let value = integer(text)?;
    value.try_into().map_err(|_| format!("{text} is negative"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn filters_are_read() {
        let filter = Filter::parse("").unwrap();
        assert_eq!(filter.group, Groups::Numbers(0..=0));
        assert_eq!(filter.wave, 0..=0);
        let filter = Filter::parse("group=1:2:3,wave=all,pc=0x10..0x20,op=v_add").unwrap();
        assert_eq!(filter.group, Groups::Id([1, 2, 3]));
        assert_eq!(filter.wave, 0..=u64::MAX);
        assert_eq!(filter.pc, 0x10..=0x20);
        assert_eq!(filter.op, "v_add");
        let filter = Filter::parse("lane=3..5,line=12,src=a.hip").unwrap();
        assert_eq!((filter.lanes, filter.line), (0b111 << 3, Some(12..=12)));
        assert_eq!(filter.src, "a.hip");
        assert_eq!(Filter::parse("lane=0..63").unwrap().lanes, !0);
        assert_eq!(Filter::parse("lane=63").unwrap().lanes, 1 << 63);
        for bad in [
            "x",
            "lane=64",
            "lane=3..64",
            "line=b",
            "group=1:2",
            "wave=a",
            "pc=5..",
            "wave=-1",
            "wave=9..1",
            "group=4294967296:0:0",
        ] {
            assert!(Filter::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn texts_never_panic(text in "((group|wave|pc|op|lane|line|src)=?[a-z0-9.:-]{0,12},?){0,4}") {
            let _ = Filter::parse(&text);
        }
    }
}
