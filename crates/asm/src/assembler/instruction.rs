//! Assembly of instructions: from text to bytes, with fixups for operands whose values are not known yet.

use std::ops::Range;

use wavetank_gcn::text::{parse_at, parse_quietly};
use wavetank_gcn::{Dialect, Encoded, Inst, ParseError, encode};

use super::operands::{self, MUST_BE_KNOWN, Reach, Rewritten, StandIn};
use super::{Assembler, names, too_large};
use crate::expression::{Base, Expr, Variant};
use crate::line::LITERAL;
use crate::source::{SyntaxError, first_word, syntax_error};
use crate::state::{FirstCharFilter, FixupKind, Location};

/// An operand whose value is not known yet: the kind of its fixup, its expression, and its place in the statement.
pub(super) type Waiting = (FixupKind, Expr, Range<usize>);

/// The failure of an attempt to read the names of a statement as symbols.
#[derive(Default)]
struct Failed {
    /// Whether every error is a symbol without a value.
    late: bool,
    /// Whether a word of the assembly language was passed that could also be a symbol.
    passed: bool,
    /// The error, if it concerns more than the instruction itself.
    error: Option<SyntaxError>,
}

impl Assembler<'_> {
    /// Assembles an instruction, and appends it to the section. The case of its mnemonic does not matter in LLVM's dialect, as that
    /// of registers does.
    pub(crate) fn instruction(&mut self, text: &str) -> Result<(), SyntaxError> {
        let mnemonic = first_word(text);
        if self.dialect == Dialect::Llvm && mnemonic.bytes().any(|b| b.is_ascii_uppercase()) {
            let mut lower = text.to_owned();
            lower[..mnemonic.len()].make_ascii_lowercase();
            return self.lower_case_instruction(&lower);
        }
        self.lower_case_instruction(text)
    }

    fn lower_case_instruction(&mut self, text: &str) -> Result<(), SyntaxError> {
        if let Some(place) = names::target(text, self.branches) {
            let count = self.symbols.count();
            return self
                .branch(text, place)
                .inspect_err(|_| self.symbols.forget(count));
        }
        let plain = !self.may_have_names(text);
        if plain && let Some((inst, code)) = self.preparsed_inst(text) {
            return self.put(&inst, code, None, text);
        }
        if plain && let Some(inst) = self.parse_quietly(text) {
            return self.emit(&inst, text, None);
        }
        // Known names are tried first, and words of the assembly language last.
        let least = if plain { Reach::Later } else { Reach::Known };
        let mut why = None;
        for reach in [Reach::Known, Reach::Later, Reach::Modifiers] {
            if reach < least {
                continue;
            }
            let count = self.symbols.count();
            match self.with_values(text, reach) {
                Ok((inst, waiting)) => return self.emit(&inst, text, waiting),
                Err(failed) => {
                    // The names of a failed attempt are removed: they would be taken for symbols in other lines.
                    self.symbols.forget(count);
                    let passed = failed.passed;
                    why = why
                        .filter(|why: &Failed| why.late || !failed.late)
                        .or(Some(failed));
                    if reach == Reach::Later && !passed {
                        break;
                    }
                }
            }
        }
        let error = self.explained(text, plain, why);
        Err(error)
    }

    /// Returns the error of a statement that does not parse; `why` is the outcome of reading its names as symbols.
    fn explained(&mut self, text: &str, plain: bool, why: Option<Failed>) -> SyntaxError {
        let count = self.symbols.count();
        let error = match why {
            Some(Failed {
                late: true,
                error: Some(error),
                ..
            }) => self.unknown_mnemonic(text).unwrap_or(error),
            _ if self.silent => syntax_error(0..0, ""),
            _ if plain => self.unparsed(text),
            Some(Failed {
                error: Some(error), ..
            }) => error,
            // Parsed as it was written, with known values replaced.
            _ => {
                let here = self.sections.location();
                match operands::rewrite(self, here, text, Reach::Known, StandIn::Written) {
                    Ok(rewritten) => rewritten.restored(*self.unparsed(&rewritten.text)),
                    Err(error) => error,
                }
            }
        };
        self.symbols.forget(count);
        error
    }

    /// Returns the error of an unknown mnemonic, which takes precedence over all others.
    fn unknown_mnemonic(&self, text: &str) -> Option<SyntaxError> {
        let error = (!self.silent).then(|| self.unparsed(text))?;
        (error.span.start < first_word(text).len()).then_some(error)
    }

    /// Returns the parse error of a text that is not an instruction.
    pub(super) fn unparsed(&self, text: &str) -> SyntaxError {
        let address = self.sections.location().offset;
        match parse_at(text, self.chip, self.dialect, address) {
            Ok(_) => syntax_error(0..text.len(), "this has no value"),
            Err(error) => Box::new(error),
        }
    }

    pub(crate) fn may_be_named(&self, first_chars: FirstCharFilter, order: &str) -> bool {
        let named = first_chars.meets(self.symbols.first_chars());
        named && self.may_have_names(order)
    }

    fn may_have_names(&self, text: &str) -> bool {
        names::may_have_names(text, |word| self.symbols.is_known(word))
    }

    /// Returns the instruction of a statement without names, if a thread has already parsed it.
    fn preparsed_inst(&mut self, text: &str) -> Option<(Inst, Encoded)> {
        let (preparsed, origin) = (self.preparsed.as_mut()?, self.at.origin.as_ref()?);
        let start = self.at.start + self.at.indent;
        preparsed.take(&origin.text, start..start + text.len(), self.chip)
    }

    pub(super) fn parse_quietly(&self, text: &str) -> Option<Inst> {
        let address = self.sections.location().offset;
        parse_quietly(text, self.chip, self.dialect, address)
    }

    /// Parses an instruction whose expressions are replaced by their values.
    fn with_values(&mut self, text: &str, reach: Reach) -> Result<(Inst, Option<Waiting>), Failed> {
        let here = self.sections.location();
        let kinds = [
            (LITERAL, Some(FixupKind::Literal)),
            (operands::HALF, Some(FixupKind::Half)),
            // Checks whether a number could stand there at all.
            (1, None),
        ];
        let mut failed = Failed::default();
        for (placeholder, kind) in kinds {
            let stand_in = StandIn::Number(placeholder);
            let rewritten = match operands::rewrite(self, here, text, reach, stand_in) {
                Ok(rewritten) => rewritten,
                Err(error) => {
                    // A later attempt may read the names of modifiers as symbols.
                    failed.passed = reach < Reach::Modifiers;
                    failed.late = error.message.ends_with(MUST_BE_KNOWN);
                    failed.error = Some(error);
                    return Err(failed);
                }
            };
            failed.passed = rewritten.passed;
            let inst = self.parse_quietly(&rewritten.text);
            match (inst, kind, rewritten.waiting) {
                (Some(inst), _, None) => return Ok((inst, None)),
                (None, _, None) => return Err(failed),
                (Some(inst), Some(kind), Some((expr, place))) => {
                    if self.holds(&inst, kind, placeholder) {
                        return if self.expected(&expr, reach) {
                            Ok((inst, Some((kind, expr, place))))
                        } else {
                            Err(failed)
                        };
                    }
                }
                (Some(_), None, Some((expr, place))) => {
                    failed.late = self.expected(&expr, reach);
                    failed.error = Some(operands::must_be_known(text, place));
                }
                (None, ..) => {}
            }
        }
        Err(failed)
    }

    /// Whether the placeholder was encoded at a place that a fixup can fill in.
    fn holds(&self, inst: &Inst, kind: FixupKind, placeholder: u32) -> bool {
        encode(inst).is_ok_and(|code| match (kind, code.as_bytes()) {
            (FixupKind::Literal, [.., a, b, c, d]) if code.as_bytes().len() > 4 => {
                u32::from_le_bytes([*a, *b, *c, *d]) == placeholder
            }
            (FixupKind::Half, [a, b, _, _]) => {
                u32::from(u16::from_le_bytes([*a, *b])) == placeholder
            }
            _ => false,
        })
    }

    /// Whether a word that was guessed to be a symbol is one, as far as the first reading shows.
    fn expected(&self, expr: &Expr, reach: Reach) -> bool {
        let (true, Some(known)) = (reach > Reach::Known, &self.known) else {
            return true;
        };
        match self.values().reduce(expr).ok().and_then(|r| r.plus) {
            Some(Base::Symbol(id, Variant::None)) => known.contains_key(&self.symbols[id].name),
            _ => true,
        }
    }

    /// Encodes an instruction, and appends it to the section.
    pub(super) fn emit(
        &mut self,
        inst: &Inst,
        text: &str,
        waiting: Option<Waiting>,
    ) -> Result<(), SyntaxError> {
        // A field that waits is zero in the object: relocations for this target carry their addends themselves.
        let bare = match &waiting {
            Some((FixupKind::Literal, ..)) => inst.with_literal(0),
            Some(_) => inst.with_simm16(0),
            None => *inst,
        };
        let code = encode(&bare).map_err(|error| syntax_error(0..text.len(), error))?;
        self.put(inst, code, waiting, text)
    }

    pub(crate) fn put(
        &mut self,
        inst: &Inst,
        code: Encoded,
        waiting: Option<Waiting>,
        text: &str,
    ) -> Result<(), SyntaxError> {
        let location = self.sections.location();
        self.begin_own_row();
        self.lines.begin_pending_row(location);
        self.count_registers(inst);
        self.sections.append(code.as_bytes()).map_err(too_large)?;
        let written = waiting
            .as_ref()
            .map(|(_, _, place)| text[place.clone()].to_owned());
        if let Some((kind, expr, place)) = waiting {
            let offset = match kind {
                FixupKind::Literal => code.as_bytes().len() as u64 - 4,
                _ => 0,
            };
            let location = Location {
                offset: location.offset + offset,
                ..location
            };
            self.wait(location, kind, expr, place);
        }
        self.deliver(inst, code, written, location);
        Ok(())
    }
}

impl Rewritten {
    /// Maps an error of the rewritten text back to its place in the written text.
    fn restored(&self, error: ParseError) -> SyntaxError {
        let ParseError {
            span,
            message,
            help,
        } = error;
        Box::new(ParseError {
            span: self.written(span.start)
                ..self.written(span.end).max(self.written(span.start) + 1),
            message,
            help,
        })
    }
}
