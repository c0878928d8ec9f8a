//! Instructions: text to bytes, with what waits for the address of a symbol.

use std::collections::HashSet;
use std::ops::Range;

use wavetank_isa::numbers::{flat_scratch, general_sgprs, sreg};
use wavetank_isa::text::places::Place;
use wavetank_isa::text::{parse_at, parse_quietly};
use wavetank_isa::{Encoded, Inst, ParseError, decode, encode};

use super::operands::{self, MUST_BE_KNOWN, Reach, Rewritten, StandIn};
use super::{Assembler, KnownValue, too_large};
use crate::Line;
use crate::assemble::Symbolic;
use crate::expression::{Base, Expr, Reader, Variant};
use crate::source::{Cursor, Row, Wrong, first_word, wrong};
use crate::state::{Definition, FixupKind, Initials, Layout, SectionId, Spot, Symbol};

/// A branch by the text before its target: so that only the distance is to be filled in.
pub(crate) type Template = (Inst, Encoded);

/// Templates that are kept: sources of machines name each pair of registers in an `s_call_b64`.
const MOST_TEMPLATES: usize = 1000;

/// One more than the highest register of each kind that instructions name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub vgprs: u32,
    pub sgprs: u32,
    /// Whether VCC, FLAT_SCRATCH are among them, which stand behind the SGPRs.
    pub vcc: bool,
    pub flat_scratch: bool,
}

/// An operand whose value is not known yet: how it is written, what it is, where it stands in the statement.
type Waiting = (FixupKind, Expr, Range<usize>);

/// What became of a try to read the names of a statement as symbols.
#[derive(Default)]
struct Failed {
    /// Whether all that is wrong is a symbol without a value.
    late: bool,
    /// Whether a word of the language was passed that could be a symbol.
    passed: bool,
    /// What is wrong, if that is more than the instruction itself.
    error: Option<Wrong>,
}

impl Assembler<'_> {
    /// Assembles an instruction.
    pub(super) fn instruction(&mut self, text: &str) -> Result<(), Wrong> {
        if let Some(place) = operands::target(text, self.branches) {
            let count = self.symbols.count();
            return self
                .branch(text, place)
                .inspect_err(|_| self.symbols.forget(count));
        }
        let plain = !self.may_have_names(text);
        if plain && let Some((inst, code)) = self.parsed_ahead(text) {
            return self.put(&inst, code, None, text);
        }
        if plain && let Some(inst) = self.parse_quietly(text) {
            return self.emit(&inst, text, None);
        }
        // Names that are known first, and words of the language last.
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
                    // Names that are none would be taken for symbols in other lines.
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

    /// Why a statement is no instruction; `why` says what became of the tries to read names as symbols.
    fn explained(&mut self, text: &str, plain: bool, why: Option<Failed>) -> Wrong {
        let count = self.symbols.count();
        let error = match why {
            Some(Failed {
                late: true,
                error: Some(error),
                ..
            }) => self.unknown_mnemonic(text).unwrap_or(error),
            _ if self.silent => wrong(0..0, ""),
            _ if plain => self.unparsed(text),
            Some(Failed {
                error: Some(error), ..
            }) => error,
            // As it was written, but for the values that are known.
            _ => {
                let here = self.sections.spot();
                match operands::rewrite(self, here, text, Reach::Known, StandIn::Written) {
                    Ok(rewritten) => rewritten.restored(*self.unparsed(&rewritten.text)),
                    Err(error) => error,
                }
            }
        };
        self.symbols.forget(count);
        error
    }

    /// The error of a mnemonic, behind which nothing else counts.
    fn unknown_mnemonic(&self, text: &str) -> Option<Wrong> {
        let error = (!self.silent).then(|| self.unparsed(text))?;
        (error.span.start < first_word(text).len()).then_some(error)
    }

    /// Why a text is no instruction.
    fn unparsed(&self, text: &str) -> Wrong {
        let address = self.sections.spot().offset;
        match parse_at(text, self.chip, self.dialect, address) {
            Ok(_) => wrong(0..text.len(), "this has no value"),
            Err(error) => Box::new(error),
        }
    }

    /// Assembles a line that is an instruction without names and has been parsed already; `false` if it is none. `line` has
    /// blanks for comments.
    pub(super) fn line_ahead(&mut self, row: &Row, line: &str) -> Result<bool, Wrong> {
        let skips = self.conditions.last().is_some_and(|c| !c.reads());
        let (Some(ahead), Some(input), false) = (&mut self.ahead, self.inputs.current(), skips)
        else {
            return Ok(false);
        };
        let Some(parsed) = ahead.within(&input.origin.text, &row.range, self.chip) else {
            return Ok(false);
        };
        let (place, (inst, code), initials) = (parsed.place.clone(), parsed.inst, parsed.initials);
        let indent = place.start - row.range.start;
        let Some((before, order)) = line.split_at_checked(indent) else {
            return Ok(false);
        };
        let order = order.trim_end();
        // Nothing else stands in the line.
        let alone = order == &input.origin.text[place] && before.trim_ascii().is_empty();
        if !alone || self.is_macro(first_word(order)) || self.may_be_named(initials, order) {
            return Ok(false);
        }
        self.indent = indent;
        self.put(&inst, code, None, order)?;
        Ok(true)
    }

    fn may_be_named(&self, initials: Initials, order: &str) -> bool {
        let named = initials.meets(self.symbols.initials());
        named && self.may_have_names(order)
    }

    fn may_have_names(&self, text: &str) -> bool {
        operands::may_have_names(text, |word| self.symbols.is_known(word))
    }

    /// The instruction that a statement without names is, if it has been parsed already.
    fn parsed_ahead(&mut self, text: &str) -> Option<(Inst, Encoded)> {
        let (ahead, input) = (self.ahead.as_mut()?, self.inputs.current()?);
        let start = self.start + self.indent;
        ahead.take(&input.origin.text, start..start + text.len(), self.chip)
    }

    fn parse_quietly(&self, text: &str) -> Option<Inst> {
        let address = self.sections.spot().offset;
        parse_quietly(text, self.chip, self.dialect, address)
    }

    /// Parses an instruction whose expressions are replaced by their values.
    fn with_values(&mut self, text: &str, reach: Reach) -> Result<(Inst, Option<Waiting>), Failed> {
        let here = self.sections.spot();
        let kinds = [
            (operands::LITERAL, Some(FixupKind::Literal)),
            (operands::HALF, Some(FixupKind::Half)),
            // Whether a number could stand there at all.
            (1, None),
        ];
        let mut failed = Failed::default();
        for (placeholder, kind) in kinds {
            let stand_in = StandIn::Number(placeholder);
            let rewritten = match operands::rewrite(self, here, text, reach, stand_in) {
                Ok(rewritten) => rewritten,
                Err(error) => {
                    // The language may have the words of modifiers in its own way yet.
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
                        return match self.expected(&expr, reach) {
                            true => Ok((inst, Some((kind, expr, place)))),
                            false => Err(failed),
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

    /// Whether the value that is waited for stands where it can be filled in.
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

    /// Whether a symbol that was only guessed is one, as far as that is known from a first reading.
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
    fn emit(&mut self, inst: &Inst, text: &str, waiting: Option<Waiting>) -> Result<(), Wrong> {
        // What waits is zero in the object: relocations here bring all they add.
        let bare = match &waiting {
            Some((FixupKind::Literal, ..)) => inst.with_literal(0),
            Some(_) => inst.with_simm16(0),
            None => *inst,
        };
        let code = encode(&bare).map_err(|error| wrong(0..text.len(), error))?;
        self.put(inst, code, waiting, text)
    }

    fn put(
        &mut self,
        inst: &Inst,
        code: Encoded,
        waiting: Option<Waiting>,
        text: &str,
    ) -> Result<(), Wrong> {
        let spot = self.sections.spot();
        self.table.settle(spot);
        self.program.count(inst);
        if let Some(counts) = &mut self.counts {
            let own = Counts::of(inst);
            counts.join(own);
            self.at_least(".amdgcn.next_free_vgpr", own.vgprs);
            self.at_least(".amdgcn.next_free_sgpr", own.sgprs);
        }
        self.sections.append(code.as_bytes()).map_err(too_large)?;
        let written = waiting
            .as_ref()
            .map(|(_, _, place)| text[place.clone()].to_owned());
        if let Some((kind, expr, place)) = waiting {
            let offset = match kind {
                FixupKind::Literal => code.as_bytes().len() as u64 - 4,
                _ => 0,
            };
            let spot = Spot {
                offset: spot.offset + offset,
                ..spot
            };
            self.wait(spot, kind, expr, place);
        }
        self.tell(inst, code, written, spot);
        Ok(())
    }

    /// Hands an instruction on, unless it waits for something, or one before it does.
    fn tell(&mut self, inst: &Inst, code: Encoded, written: Option<String>, spot: Spot) {
        let Some(each) = &mut self.each else {
            return;
        };
        let symbolic = written.map(|written| Symbolic {
            written,
            template: *inst,
            linked: false,
        });
        let waits = symbolic.is_some() || spot.fragment > 0 || !self.held.is_empty();
        let line = Line {
            number: self.line,
            address: spot.offset,
            inst: *inst,
            code,
            symbolic,
        };
        match waits {
            true => self.held.push((line, spot)),
            false => each(&line),
        }
    }

    /// Hands on what had to wait, with its values. `left` is what a linker has to fill in, by section.
    pub fn tell_held(&mut self, layout: &Layout, left: &[Vec<(u64, u32, Base, i64)>]) {
        let held = std::mem::take(&mut self.held);
        let Some(each) = &mut self.each else {
            return;
        };
        let places = left.iter().zip(0..).flat_map(|(section, n)| {
            let places = section.iter().map(|(offset, ..)| *offset);
            places.map(move |offset| (SectionId(n), offset))
        });
        let left: HashSet<(SectionId, u64)> = places.collect();
        for (mut line, spot) in held {
            let bytes = line.code.as_mut_bytes();
            if let Some(done) = self.sections.bytes_at(spot, bytes.len()) {
                bytes.copy_from_slice(done);
            }
            line.address = layout.offset(spot);
            if let Some(symbolic) = &mut line.symbolic {
                let dwords = (0..line.code.as_bytes().len() as u64).step_by(4);
                let mut places = dwords.map(|dword| (spot.section, line.address + dword));
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

impl Assembler<'_> {
    /// A variable grows to this, if it is less. Sources set it to zero where a kernel begins.
    fn at_least(&mut self, name: &str, count: u32) {
        let id = self.symbols.id(name);
        let old = match self.symbols[id].definition {
            Definition::Variable(Expr::Number(number)) => number,
            _ => 0,
        };
        if old < count.into() {
            self.set_number(name, count.into());
        }
    }
}

/// Branches.
impl Assembler<'_> {
    /// Assembles a branch, whose target is no plain number.
    fn branch(&mut self, text: &str, place: Range<usize>) -> Result<(), Wrong> {
        let target = first_word(&text[place.start..]);
        if Place::Operand.keeps(target, self.dialect) {
            let span = place.start..place.start + target.len();
            let mut error = wrong(span, format_args!("`{target}` is a register, not a label"));
            if self.symbols.is_known(target) {
                error.help = Some(format!("write `({target})` for the label of this name"));
            }
            return Err(error);
        }
        let (inst, code) = self.template(text, place.start)?;
        let here = self.sections.spot();
        let mut cursor = Cursor::new(text, place.start);
        let expr = Reader::new(&mut self.symbols, here, self.dialect).read(&mut cursor)?;
        cursor.end()?;
        let number = self.values().number(&expr);
        if let Ok(number) = number {
            let line = format!("{}{number}", &text[..place.start]);
            let inst = match self.parse_quietly(&line) {
                Some(inst) => inst,
                None => return Err(self.unparsed(&line)),
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

    /// A branch with the distance 0.
    fn template(&mut self, text: &str, target: usize) -> Result<Template, Wrong> {
        let prefix = &text[..target];
        if let Some(template) = self.templates.get(prefix) {
            return Ok(*template);
        }
        let line = format!("{prefix}0");
        // As if it stood at the beginning: CLRX takes the number for an address.
        let parsed = parse_at(&line, self.chip, self.dialect, 0).map_err(Box::new);
        let inst = parsed?.with_simm16(0);
        let code = encode(&inst).map_err(|error| wrong(0..text.len(), error))?;
        if self.templates.len() >= MOST_TEMPLATES {
            self.templates.clear();
        }
        self.templates.insert(prefix.into(), (inst, code));
        Ok((inst, code))
    }

    /// How many dwords away a target is, if that is known.
    fn distance(
        &self,
        expr: &Expr,
        here: Spot,
        place: &Range<usize>,
    ) -> Result<Option<i16>, Wrong> {
        let reduced = self
            .values()
            .reduce(expr)
            .map_err(|why| wrong(place.clone(), why))?;
        let (Some(base), None) = (reduced.plus, reduced.minus) else {
            return Err(wrong(place.clone(), "a branch leads to an address"));
        };
        let to = match (self.values().spot(&base), base) {
            (Some(spot), _) if spot.section == here.section && spot.fragment == here.fragment => {
                spot.offset
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
            .map_err(|message| wrong(place.clone(), message))
    }

    /// Where a symbol lies that is not defined yet, as a first reading has found it.
    fn known_place(
        &self,
        symbol: &Symbol,
        place: &Range<usize>,
    ) -> Result<Option<(SectionId, u64)>, Wrong> {
        let Some(known) = &self.known else {
            return Ok(None);
        };
        match known.get(&symbol.name) {
            Some(KnownValue::Place(section, offset)) => Ok(Some((*section, *offset))),
            Some(KnownValue::Number(_)) => Ok(None),
            None => {
                let name = symbol.written();
                let span = place.start..place.start + name.len().min(place.len());
                Err(wrong(span, format_args!("there is no label `{name}`")))
            }
        }
    }
}

/// The dwords of a branch's distance in bytes.
pub(super) fn words_of(bytes: i64) -> Result<i16, String> {
    let words = bytes / 4;
    match (bytes % 4, i16::try_from(words)) {
        (0, Ok(words)) => Ok(words),
        (0, Err(_)) => Err(format!(
            "the label is {words} dwords away: a branch reaches -32768 to 32767"
        )),
        _ => Err("a branch leads to a multiple of 4 bytes".to_owned()),
    }
}

impl Counts {
    /// Those of an instruction.
    pub fn of(inst: &Inst) -> Counts {
        let mut counts = Counts::default();
        counts.add(inst);
        counts
    }

    /// Counts those of others, too.
    pub fn join(&mut self, others: Counts) {
        self.vgprs = self.vgprs.max(others.vgprs);
        self.sgprs = self.sgprs.max(others.sgprs);
        self.vcc |= others.vcc;
        self.flat_scratch |= others.flat_scratch;
    }

    /// Counts the registers of an instruction.
    pub fn add(&mut self, inst: &Inst) {
        let effects = inst.effects();
        let generation = inst.chip.generation();
        for registers in [&effects.reads, &effects.writes] {
            let vectors = registers.vectors().max().map_or(0, |v| u32::from(v) + 1);
            self.vgprs = self.vgprs.max(vectors);
            for scalar in registers.scalars() {
                let beside = |pair: u8| scalar & !1 == pair;
                match scalar {
                    _ if scalar < general_sgprs(generation) => {
                        self.sgprs = self.sgprs.max(u32::from(scalar) + 1);
                    }
                    // Those behind the SGPRs are not counted: they are reserved by name.
                    _ if beside(sreg::VCC) => self.vcc = true,
                    _ if flat_scratch(generation).is_some_and(beside) => self.flat_scratch = true,
                    _ => {}
                }
            }
        }
    }
}

impl Rewritten {
    /// An error of the text with values, its place in the text as it was written.
    fn restored(&self, error: ParseError) -> Wrong {
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
