//! Delivery of instructions to the caller, in the order of the source.

use std::collections::HashSet;

use wavetank_gcn::{Encoded, Inst, decode};

use super::Assembler;
use crate::expression::Base;
use crate::line::{Line, Symbolic};
use crate::state::{Layout, Location, SectionId};

impl Assembler<'_> {
    /// Delivers an instruction, or holds it back while it or an earlier one waits for a value.
    pub(super) fn deliver(
        &mut self,
        inst: &Inst,
        code: Encoded,
        written: Option<String>,
        location: Location,
    ) {
        let Some(each) = &mut self.each else {
            return;
        };
        let symbolic = written.map(|written| Symbolic {
            written,
            template: *inst,
            linked: false,
        });
        let waits = symbolic.is_some() || location.fragment > 0 || !self.held.is_empty();
        let line = Line {
            number: self.at.line,
            file_line: match &self.at.origin {
                Some(origin) => origin.in_file(self.at.line).1,
                None => self.at.line,
            },
            address: location.offset,
            inst: *inst,
            code,
            symbolic,
        };
        if waits {
            self.held.push((line, location));
        } else {
            each(&line);
        }
    }

    /// Delivers the instructions that were held back, now with their values. `left` lists the relocations of each section.
    pub(crate) fn deliver_held(&mut self, layout: &Layout, left: &[Vec<(u64, u32, Base, i64)>]) {
        let held = std::mem::take(&mut self.held);
        let Some(each) = &mut self.each else {
            return;
        };
        let places = left.iter().zip(0..).flat_map(|(section, n)| {
            let places = section.iter().map(|(offset, ..)| *offset);
            places.map(move |offset| (SectionId(n), offset))
        });
        let left: HashSet<(SectionId, u64)> = places.collect();
        for (mut line, location) in held {
            let bytes = line.code.as_mut_bytes();
            if let Some(done) = self.sections.bytes_at(location, bytes.len()) {
                bytes.copy_from_slice(done);
            }
            line.address = layout.offset(location);
            if let Some(symbolic) = &mut line.symbolic {
                let dwords = (0..line.code.as_bytes().len() as u64).step_by(4);
                let mut places = dwords.map(|dword| (location.section, line.address + dword));
                symbolic.linked = places.any(|place| left.contains(&place));
                if let Ok(inst) = decode(line.code.as_bytes(), line.inst.chip) {
                    let spelling = line.inst.spelling;
                    line.inst = Inst { spelling, ..inst };
                }
            }
            each(&line);
        }
    }
}
