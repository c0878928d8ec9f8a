//! Padding: copies of bytes, alignment, `.org`.

use std::ops::Range;

use super::{Assembler, too_large};
use crate::expression::{Binary, Expr};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{FixupKind, Location, Tail};

impl Assembler<'_> {
    /// Reads a repeat count, which may depend on later locations.
    pub(crate) fn repeat_count(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<(Expr, Range<usize>), SyntaxError> {
        let start = cursor.at();
        let expr = self.expr(cursor)?;
        Ok((expr, start..cursor.text()[..cursor.at()].trim_end().len()))
    }

    /// Appends as many copies of some bytes as an expression gives.
    pub(crate) fn append_copies(
        &mut self,
        count: Expr,
        place: Range<usize>,
        bytes: &[u8],
    ) -> Result<(), SyntaxError> {
        let number = self.number_of(&count, place.clone());
        let waits = number.is_err() && !self.sections.here().has_no_bytes();
        if waits && !bytes.is_empty() {
            let location = self.sections.location();
            self.wait(location, FixupKind::Count, count.clone(), place);
            let bytes = bytes.into();
            self.sections.append_tail(Tail::Copies { count, bytes });
            return Ok(());
        }
        let number = number?;
        let number = u64::try_from(number)
            .map_err(|_| syntax_error(place, format_args!("{number} is negative")))?;
        self.sections
            .append_copies(number, bytes)
            .map_err(too_large)
    }

    /// Fills up to a multiple of `align`, unless more than `most` bytes are needed.
    pub(crate) fn align_to(&mut self, align: u64, fill: u32, most: u64) -> Result<(), SyntaxError> {
        self.sections.align_at_least(align);
        if !self.sections.here().has_known_size() {
            self.sections.append_tail(Tail::Align { align, fill, most });
            return Ok(());
        }
        let at = self.sections.location().offset;
        let gap = at.next_multiple_of(align) - at;
        if gap > most {
            Ok(())
        } else {
            self.sections.append_padding(gap, fill).map_err(too_large)
        }
    }

    /// Handles `.org PLACE, BYTE`: moves on to a later place of the section.
    pub(crate) fn org(&mut self, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
        let here = self.sections.location();
        let (to, place) = self.repeat_count(&mut cursor)?;
        let byte = if cursor.comma() {
            self.number(&mut cursor)? as u8
        } else {
            0
        };
        cursor.end()?;
        let reduced = self.values().reduce(&to);
        let reduced = reduced.map_err(|why| syntax_error(place.clone(), why))?;
        let apart =
            |from: Location| Expr::Binary(Binary::Sub, Box::new([to.clone(), Expr::Place(from)]));
        let beginning = Location {
            fragment: 0,
            offset: 0,
            ..here
        };
        let gap = match reduced.as_number() {
            Some(number) => {
                let done = [Expr::Place(here), Expr::Place(beginning)];
                let done = Expr::Binary(Binary::Sub, Box::new(done));
                Expr::Binary(Binary::Sub, Box::new([Expr::Number(number), done]))
            }
            None => apart(here),
        };
        if self.values().number(&gap).is_ok_and(|gap| gap < 0) {
            let offset = self.number_of(&apart(beginning), place.clone());
            let to = reduced.as_number().map_or(offset, Ok)?;
            let now = here.offset;
            return Err(syntax_error(
                place,
                format_args!(
                    "the section is at byte {now} already: `.org` does not go back to {to}"
                ),
            ));
        }
        self.append_copies(gap, place, &[byte])
    }
}
