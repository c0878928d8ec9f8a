//! Parsing of an instruction.

use std::ops::Range;

use super::cursor::{Cursor, Word};
use super::marks::{integer, marks};
use super::modifiers::modifiers;
use crate::maxwell::control::Control;
use crate::maxwell::encode::encode;
use crate::maxwell::generation::Generation;
use crate::maxwell::inst::{Guard, Handle, Inst, Op, Pred, Reg};
use crate::maxwell::operand_constraints::{self, Part};
use crate::text_error::TextError;

/// An instruction as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// The instruction.
    pub inst: Inst,
    /// The control that the marks after the instruction set.
    pub control: Control,
    spans: Spans,
}

/// The places of the parts that rules refer to, in bytes of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Spans {
    sparse: Range<usize>,
    size: Range<usize>,
    rd: Range<usize>,
    ra: Range<usize>,
    rb: Range<usize>,
    handle: Range<usize>,
    all: Range<usize>,
}

/// Reads an instruction, whether or not it keeps the [`operand_constraints`]: any text that the disassembler prints. Case is ignored; `;` at
/// the end and `.ADD` before a size may be omitted.
///
/// # Errors
/// A [`TextError`] with the place, if the text is not an instruction of this generation.
pub fn parse(text: &str, generation: Generation) -> Result<Parsed, TextError> {
    let mut cursor = Cursor::new(text);
    let parsed = instruction(&mut cursor, generation)?;
    statement_end(&mut cursor)?;
    let word = encode(&parsed.inst);
    word.map_err(|error| {
        use crate::maxwell::encode::EncodeError::{Sparse, SparseLater};
        let span = match (&error, parsed.inst.sparse) {
            (Sparse | SparseLater(_), Some(_)) => &parsed.spans.sparse,
            _ => &parsed.spans.all,
        };
        TextError::new(span.clone(), error)
    })?;
    Ok(parsed)
}

/// Reads an instruction that keeps the [`operand_constraints`].
///
/// # Errors
/// The errors of [`parse`], and the first broken rule.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Generation, assemble, encode};
/// let line = "SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100;";
/// let (inst, _) = assemble(line, Generation::Sm52)?;
/// assert_eq!(encode(&inst), Ok(0xea14_1000_1047_0302));
///
/// let error = assemble("SUATOM.D.2D.ADD R10, [R3], R4, R1;", Generation::Sm52).unwrap_err();
/// assert_eq!(error.span, 22..24);
/// # Ok::<(), wavetank_surface_isa::TextError>(())
/// ```
pub fn assemble(text: &str, generation: Generation) -> Result<(Inst, Control), TextError> {
    let Parsed {
        inst,
        control,
        spans,
    } = parse(text, generation)?;
    operand_constraints::check(&inst).map_err(|broken| {
        let span = match broken.part {
            Part::Size => spans.size,
            Part::Rd => spans.rd,
            Part::Ra => spans.ra,
            Part::Rb => spans.rb,
            Part::Rc => spans.handle,
        };
        broken.at(span)
    })?;
    Ok((inst, control))
}

/// Reads the end of a statement: `;` if there is one, then nothing.
pub(crate) fn statement_end(cursor: &mut Cursor<'_>) -> Result<(), TextError> {
    let ended = cursor.eat(';');
    match cursor.is_at_end() {
        true => Ok(()),
        false if ended => cursor.fail("expected one instruction a line"),
        false => cursor.fail(
            "expected `;`, or a mark of the control word such as `&req_1`, `&rd0`, `&wr0`, `?stall4`",
        ),
    }
}

fn instruction(cursor: &mut Cursor<'_>, generation: Generation) -> Result<Parsed, TextError> {
    let guard = guard(cursor)?;
    let name = cursor.word();
    if !name.is("SUATOM") {
        // The cursor has not moved if there is no word.
        return match name.text {
            "" => cursor.fail("expected `SUATOM`"),
            text => name.fail(format!(
                "`{text}` is not an instruction here: expected `SUATOM`"
            )),
        };
    }
    let start = name.span.start;
    let modifiers = modifiers(cursor, name, generation)?;
    let first = cursor.word();
    let sparse = predicate(&first);
    let sparse_span = first.span.clone();
    let rd = match sparse {
        None => first,
        Some(_) => {
            cursor.expect(',', "between the operands Ps and Rd")?;
            cursor.word()
        }
    };
    let rd_reg = register(
        cursor,
        &rd,
        "the register Rd for the value before: R0 to R254 or RZ",
    )?;
    cursor.expect(',', "between the operands Rd and [Ra]")?;
    cursor.expect('[', "before the register of the coordinates, as in `[R2]`")?;
    let ra = cursor.word();
    let ra_reg = register(
        cursor,
        &ra,
        "the register Ra of the coordinates: R0 to R254",
    )?;
    cursor.expect(']', "after the register of the coordinates")?;
    cursor.expect(',', "between the operands [Ra] and Rb")?;
    let rb = cursor.word();
    let rb_reg = register(cursor, &rb, "the register Rb of the data: R0 to R254 or RZ")?;
    cursor.expect(
        ',',
        "between the operands Rb and Rc, or Rb and the index of the handle",
    )?;
    let (handle, handle_span) = handle(cursor)?;
    let all = cursor.since(start);
    let control = marks(cursor)?;
    let inst = Inst {
        generation,
        guard,
        mode: modifiers.mode,
        dim: modifiers.dim,
        op: modifiers.op,
        size: modifiers.size,
        clamp: modifiers.clamp,
        // CAS has the same encoding for PT and for no status.
        sparse: sparse.filter(|p| modifiers.op != Op::Cas || *p != Pred::PT),
        rd: rd_reg,
        ra: ra_reg,
        rb: rb_reg,
        handle,
    };
    let spans = Spans {
        sparse: sparse_span,
        size: modifiers.size_span,
        rd: rd.span,
        ra: ra.span,
        rb: rb.span,
        handle: handle_span,
        all,
    };
    Ok(Parsed {
        inst,
        control,
        spans,
    })
}

fn guard(cursor: &mut Cursor<'_>) -> Result<Guard, TextError> {
    if !cursor.eat('@') {
        return Ok(Guard::ALL);
    }
    let negated = cursor.eat('!');
    let word = cursor.word();
    match predicate(&word) {
        Some(pred) => Ok(Guard { pred, negated }),
        None => word.fail("expected a guard predicate P0 to P6 or PT, as in `@!P2`"),
    }
}

/// Returns the number after a letter: 12 for `R12`, without zeros before it.
fn numbered(word: &Word<'_>, letter: char, most: u8) -> Option<u8> {
    let digits = word
        .text
        .strip_prefix([letter, letter.to_ascii_lowercase()])?;
    let plain =
        digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|n| plain && *n <= most)
}

fn predicate(word: &Word<'_>) -> Option<Pred> {
    if word.is("PT") {
        Some(Pred::PT)
    } else {
        numbered(word, 'P', 6).and_then(Pred::new)
    }
}

fn register(cursor: &mut Cursor<'_>, word: &Word<'_>, expected: &str) -> Result<Reg, TextError> {
    if word.is("RZ") {
        return Ok(Reg::RZ);
    }
    match (numbered(word, 'R', 254), word.text) {
        (Some(number), _) => Ok(Reg(number)),
        (None, "") => cursor.fail(format!("expected {expected}")),
        (None, text) => word.fail(format!("expected {expected}; here is `{text}`")),
    }
}

/// Reads the handle: `Rc`, or the index of a word in the constant bank.
fn handle(cursor: &mut Cursor<'_>) -> Result<(Handle, Range<usize>), TextError> {
    cursor.skip_blanks();
    let start = cursor.place();
    let marked = cursor.eat_here('#');
    let word = cursor.word_here();
    let span = cursor.since(start);
    if let (false, Some(b'R' | b'r')) = (marked, word.text.bytes().next()) {
        let expected = "the register Rc of the handle: R0 to R254";
        return Ok((Handle::Register(register(cursor, &word, expected)?), span));
    }
    match (integer(word.text), word.text) {
        (Some(index), _) if index <= u64::from(Handle::MAX) => {
            Ok((Handle::Immediate(index as u16), span))
        }
        (None, "") => cursor.fail("expected Rc, or the index of the handle in the constant bank"),
        (None, text) if text.bytes().any(|b| !b.is_ascii_hexdigit() && b != b'x' && b != b'X') || !text.starts_with(|c: char| c.is_ascii_digit()) => word.fail(format!(
            "expected Rc, or the index of the handle in the constant bank (0 to 0x1fff); here is `{text}`"
        )),
        (_, text) => Err(TextError::new(
            span,
            format!("`{text}` is not an index of 13 bits: a word of the constant bank is 0 to 0x1fff"),
        )),
    }
}
