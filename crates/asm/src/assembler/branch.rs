//! Branches: instructions with the distance to a label.

use std::ops::Range;

use wavetank_gcn::encode;
use wavetank_gcn::text::parse_at;
use wavetank_gcn::text::places::Place;

use super::{Assembler, KnownValue, Template};
use crate::expression::{Base, Expr, Reader, Variant};
use crate::source::{Cursor, SyntaxError, first_word, syntax_error};
use crate::state::{FixupKind, Location, SectionId, Symbol};

/// Limit of cached templates: generated sources name each pair of registers in an `s_call_b64`.
const MOST_TEMPLATES: usize = 1000;

impl Assembler<'_> {
    /// Assembles a branch whose target is not a plain number.
    pub(super) fn branch(&mut self, text: &str, place: Range<usize>) -> Result<(), SyntaxError> {
        let target = first_word(&text[place.start..]);
        if Place::Operand.keeps(target, self.dialect) {
            let span = place.start..place.start + target.len();
            let mut error =
                syntax_error(span, format_args!("`{target}` is a register, not a label"));
            if self.symbols.is_known(target) {
                error.help = Some(format!("write `({target})` for the label of this name"));
            }
            return Err(error);
        }
        let (inst, code) = self.template(text, place.start)?;
        let here = self.sections.location();
        let mut cursor = Cursor::new(text, place.start);
        let expr = Reader::new(&mut self.symbols, here, self.dialect).read(&mut cursor)?;
        cursor.end()?;
        let number = self.values().number(&expr);
        if let Ok(number) = number {
            let line = format!("{}{number}", &text[..place.start]);
            let Some(inst) = self.parse_quietly(&line) else {
                return Err(self.unparsed(&line));
            };
            return self.emit(&inst, text, None);
        }
        let [low, high] = match self.distance(&expr, here, &place)? {
            Some(distance) => distance.to_le_bytes(),
            None => {
                return self.put(&inst, code, Some((FixupKind::Branch, expr, place)), text);
            }
        };
        let words = u16::from_le_bytes([low, high]);
        let inst = inst.with_simm16(words);
        self.emit(&inst, text, None)
    }

    /// Returns the instruction of a branch with the distance 0, parsed once and cached by the text before its target.
    fn template(&mut self, text: &str, target: usize) -> Result<Template, SyntaxError> {
        let prefix = &text[..target];
        if let Some(template) = self.templates.get(prefix) {
            return Ok(*template);
        }
        let line = format!("{prefix}0");
        // Parsed as if it stood at address 0, because CLRX takes the number for an address.
        let parsed = parse_at(&line, self.chip, self.dialect, 0).map_err(Box::new);
        let inst = parsed?.with_simm16(0);
        let code = encode(&inst).map_err(|error| syntax_error(0..text.len(), error))?;
        if self.templates.len() >= MOST_TEMPLATES {
            self.templates.clear();
        }
        self.templates.insert(prefix.into(), (inst, code));
        Ok((inst, code))
    }

    /// Returns the distance of a target in dwords, if it is known.
    fn distance(
        &self,
        expr: &Expr,
        here: Location,
        place: &Range<usize>,
    ) -> Result<Option<i16>, SyntaxError> {
        let reduced = self
            .values()
            .reduce(expr)
            .map_err(|why| syntax_error(place.clone(), why))?;
        let (Some(base), None) = (reduced.plus, reduced.minus) else {
            return Err(syntax_error(place.clone(), "a branch leads to an address"));
        };
        let to = match (self.values().location(&base), base) {
            (Some(location), _)
                if location.section == here.section && location.fragment == here.fragment =>
            {
                location.offset
            }
            (None, Base::Symbol(id, Variant::None)) => match self
                .known_place(&self.symbols[id], place)?
            {
                Some((section, offset)) if section == here.section && here.fragment == 0 => offset,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let bytes = (to as i64)
            .wrapping_add(reduced.constant)
            .wrapping_sub(here.offset as i64 + 4);
        words_of(bytes)
            .map(Some)
            .map_err(|message| syntax_error(place.clone(), message))
    }

    /// Returns the location of a symbol that is defined later, as the first reading found it.
    fn known_place(
        &self,
        symbol: &Symbol,
        place: &Range<usize>,
    ) -> Result<Option<(SectionId, u64)>, SyntaxError> {
        let Some(known) = &self.known else {
            return Ok(None);
        };
        match known.get(&symbol.name) {
            Some(KnownValue::Place(section, offset)) => Ok(Some((*section, *offset))),
            Some(KnownValue::Number(_)) => Ok(None),
            None => {
                let name = symbol.written();
                let span = place.start..place.start + name.len().min(place.len());
                Err(syntax_error(
                    span,
                    format_args!("there is no label `{name}`"),
                ))
            }
        }
    }
}

/// Converts a branch's distance in bytes to dwords.
pub(crate) fn words_of(bytes: i64) -> Result<i16, String> {
    let words = bytes / 4;
    match (bytes % 4, i16::try_from(words)) {
        (0, Ok(words)) => Ok(words),
        (0, Err(_)) => Err(format!(
            "the label is {words} dwords away: a branch reaches -32768 to 32767"
        )),
        _ => Err("a branch leads to a multiple of 4 bytes".to_owned()),
    }
}
