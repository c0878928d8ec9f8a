//! The parser of CLRX's syntax: text to [`Inst`], driven by the rows of the table.
//!
//! As in LLVM's syntax, a name stands for a few rows and forms, and the first form that takes every operand and modifier is
//! chosen. The case of names is ignored. Every text that the encoding can hold is assembled: limits of the chip, such as two
//! scalar values in a vector instruction, are not checked.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::super::failure::{Failure, ParseError, fail};
use super::super::help::{GENERATIONS, alike_name, of_later, owners};
use super::super::lex::{Lexer, Located, Token};
use super::super::parse::{check_widths, finish, spelling};
use super::super::parse_operand::Written;
use super::super::shared_modifiers::present;
use super::modifier::{Modifiers, modifiers};
use super::names::Name;
use super::operand::{forced, literal, source};
use super::symbolic::immediate;
use super::{expr, names};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Flags, Inst, MAX_OPERANDS, Mods, Operand, Spelling};
use crate::modifiers::{is_mix, source_bit};
use crate::tables::{Access, Ds, Features, Field, Kind, Op, OperandSpec, Ty};

/// Parses one instruction at an address of the code.
pub(in crate::text) fn parse(text: &str, chip: Chip, address: u64) -> Result<Inst, ParseError> {
    // ASCII conversion keeps the positions of bytes.
    let text = text.to_ascii_lowercase();
    let mut lex = Lexer::new(&text);
    let start = lex;
    let Token::Word(word) = lex.next() else {
        return Err(*fail::<()>(&start, "expected a mnemonic").unwrap_err());
    };
    let lines = lines(word, chip, address);
    if let Some(inst) = first_that_suits(lex, lines.clone()) {
        return Ok(inst);
    }
    // Of the failures, the one with the furthest position wins; of several at that position, the first.
    let failures = lines.filter_map(|line| line.read(lex).err());
    let best = failures.reduce(|best, next| {
        if next.span.start > best.span.start {
            next
        } else {
            best
        }
    });
    Err(best.map_or_else(|| unknown(word, &start, chip), |failure| *failure))
}

/// Parses as [`parse`] does, without the reason why a line is not an instruction.
pub(in crate::text) fn parse_quietly(text: &str, chip: Chip, address: u64) -> Option<Inst> {
    let text = text.to_ascii_lowercase();
    let mut lex = Lexer::new(&text);
    let Token::Word(word) = lex.next() else {
        return None;
    };
    first_that_suits(lex, lines(word, chip, address))
}

/// Returns the line as each candidate of its mnemonic.
fn lines(word: &str, chip: Chip, address: u64) -> impl Iterator<Item = Line> + Clone {
    candidates(word, chip)
        .into_iter()
        .map(move |candidate| Line {
            candidate,
            chip,
            address,
        })
}

fn first_that_suits(mut lex: Lexer<'_>, mut lines: impl Iterator<Item = Line>) -> Option<Inst> {
    lex.quiet = true;
    lines.find_map(|line| line.read(lex).ok())
}

fn unknown(word: &str, start: &Lexer<'_>, chip: Chip) -> ParseError {
    let of = |generation: &Generation| table(*generation).get(word)?.first().copied();
    let elsewhere = GENERATIONS.iter().find_map(of);
    let (message, help) = match elsewhere.map(Op::row) {
        Some(row) => (
            format!("{chip} has no `{word}`; other chips have"),
            Some(match row.mnemonic(chip.generation()) {
                Some(llvm) if row.exists_on(chip) => {
                    let Name(parts) = names::mnemonic(llvm, chip.generation());
                    format!("on {chip} it is called `{}`", parts.concat())
                }
                _ => owners(row, |_| true),
            }),
        ),
        None => {
            let names = table(chip.generation()).keys().map(String::as_str);
            let meant = || alike_name(word, names).map(|name| format!("did you mean `{name}`?"));
            (
                format!("`{word}` is not an instruction of {chip}"),
                of_later(word).or_else(meant),
            )
        }
    };
    ParseError {
        span: start.span(),
        message,
        help,
    }
}

/// A row and a form that a name can stand for.
#[derive(Clone, Copy)]
struct Candidate {
    op: Op,
    form: Form,
    /// Whether the name has the suffix of the form.
    spelled: bool,
    /// Whether the text has the register of a load although the data goes to LDS.
    lds_data: bool,
}

/// The rows by name, for one generation.
type Names = HashMap<String, Vec<Op>>;

/// Returns the table of names: CLRX's, and LLVM's where they differ.
fn table(generation: Generation) -> &'static Names {
    static NAMES: [OnceLock<Names>; 4] = [const { OnceLock::new() }; 4];
    NAMES[generation as usize].get_or_init(|| {
        let mut table = Names::new();
        for op in Op::all() {
            let Some(llvm) = op.row().mnemonic(generation) else {
                continue;
            };
            let name = names::mnemonic(llvm, generation).to_string();
            if name != llvm {
                table.entry(llvm.to_owned()).or_default().push(op);
            }
            if let Some(twin) = names::twin(llvm, generation) {
                table.entry(twin.to_owned()).or_default().push(op);
            }
            table.entry(name).or_default().push(op);
        }
        table
    })
}

/// Returns the rows and forms that a name can stand for, the shortest encoding first.
fn candidates(word: &str, chip: Chip) -> Vec<Candidate> {
    let names = table(chip.generation());
    let mut found = Vec::new();
    let mut add = |name: &str, only: Option<&str>| {
        for op in names.get(name).into_iter().flatten() {
            found.extend(forms(*op, chip, only));
        }
    };
    add(word, None);
    for suffix in ["_e32", "_e64", "_sdwa", "_dpp"] {
        if let Some(name) = word.strip_suffix(suffix) {
            add(name, Some(suffix));
        }
    }
    if chip.generation() == Generation::Gfx9 {
        for (prefix, form) in [("global_", Form::Global), ("scratch_", Form::Scratch)] {
            let Some(rest) = word.strip_prefix(prefix) else {
                continue;
            };
            let ops = names.get(&format!("flat_{rest}")).into_iter().flatten();
            let exists = |op: &&Op| form == Form::Global || op.scratch(chip).is_some();
            found.extend(ops.filter(exists).flat_map(|op| {
                [false, true].map(|lds_data| Candidate {
                    op: *op,
                    form,
                    spelled: true,
                    lds_data,
                })
            }));
        }
    }
    found
}

/// Returns the forms of a row, or only the one that a suffix names.
fn forms(op: Op, chip: Chip, only: Option<&str>) -> Vec<Candidate> {
    if !op.row().exists_on(chip) {
        return Vec::new();
    }
    let home = op.home();
    let vector = matches!(
        home,
        Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vop3 | Form::Vintrp
    );
    let short = match home {
        Form::Vop3 => op.vop2(chip).map(|_| Form::Vop2),
        form => Some(form),
    };
    let modified = chip.generation() >= Generation::Gfx8
        && matches!(home, Form::Vop1 | Form::Vop2 | Form::Vopc);
    let lds = matches!(home, Form::Mubuf | Form::Flat) && !op.row().has(Features::LDS_ONLY);
    let all = [
        ("_e32", short, false),
        ("_e32", short.filter(|_| lds), true),
        (
            "_e64",
            (vector && op.vop3(chip).is_some()).then_some(Form::Vop3),
            false,
        ),
        ("_sdwa", modified.then_some(Form::Sdwa), false),
        ("_dpp", modified.then_some(Form::Dpp), false),
    ];
    let matching = |(suffix, form, lds_data): (&str, Option<Form>, bool)| {
        Some(Candidate {
            op,
            form: form.filter(|_| only.is_none_or(|o| o == suffix))?,
            spelled: only.is_some(),
            lds_data,
        })
    };
    all.into_iter().filter_map(matching).collect()
}

/// A line, to be read as one candidate.
struct Line {
    candidate: Candidate,
    chip: Chip,
    address: u64,
}

impl Line {
    /// Reads the operands and modifiers after the name.
    fn read(&self, mut lex: Lexer<'_>) -> Result<Inst, Failure> {
        let start = lex;
        let Candidate { op, form, .. } = self.candidate;
        let mut inst = Inst {
            op,
            chip: self.chip,
            form,
            len: 0,
            operands: [Operand::None; MAX_OPERANDS],
            mods: Mods::default(),
            spelling: Spelling::default(),
        };
        let mut written = [Written::default(); MAX_OPERANDS];
        let mut places = [0..0, 0..0, 0..0, 0..0, 0..0, 0..0, 0..0, 0..0];
        let words = words(lex);
        let mut first = true;
        if op == Op::Ds(Ds::DS_NOP) {
            skip_unread(&mut lex, self.chip.generation());
        }
        for i in order(op, form) {
            let spec = &op.row().operands[i];
            if self.left_out(spec, words) {
                continue;
            }
            if spec.kind == Kind::OptionalCount && lex.peek() == Token::End {
                inst.operands[i] = Operand::Imm(0);
                continue;
            }
            if !first && !lex.mark(b',') && op.row().operands[0].field != Field::Target {
                return fail(&lex, "expected `,` and another operand");
            }
            first = false;
            let from = lex;
            written[i] = self.operand(&mut lex, &mut inst, spec)?;
            places[i] = from.position()..lex.position().max(from.span().end);
            inst.operands[i] = written[i].operand;
        }
        let modifiers_at = lex;
        let m = modifiers(&mut lex, form, self.chip.generation())?;
        self.apply(&mut inst, m, &written, &modifiers_at)?;
        past_the_end(&inst, &mut written);
        check_widths(&inst, &written, &places)?;
        let mut inst = finish(inst, &start.location(), &modifiers_at.location(), &places)?;
        inst.spelling = spelling(&inst, &written);
        Ok(inst)
    }

    /// Returns whether the text omits the operand of this field.
    fn left_out(&self, spec: &OperandSpec, words: Words) -> bool {
        let row = self.candidate.op.row();
        let to_lds = words.lds && !self.candidate.lds_data;
        match (self.candidate.form, spec.field) {
            (Form::Flat, Field::Saddr) => true,
            (Form::Mubuf, Field::Vdata) if to_lds => true,
            (Form::Flat | Form::Global | Form::Scratch, Field::Vdst)
                if to_lds && row.has(Features::LDS) =>
            {
                true
            }
            _ => spec.access == Access::WriteIfGlc && !words.glc,
        }
    }

    /// Reads one operand by its specification.
    fn operand(
        &self,
        lex: &mut Lexer<'_>,
        inst: &mut Inst,
        spec: &OperandSpec,
    ) -> Result<Written, Failure> {
        let generation = self.chip.generation();
        let plain = |operand| Written {
            operand,
            ..Written::default()
        };
        match spec.kind {
            Kind::Source
            | Kind::Vgpr
            | Kind::Agpr
            | Kind::Vector
            | Kind::Accumulator
            | Kind::Sgpr
            | Kind::Scalar => {
                if inst.form == Form::Smem && spec.field == Field::Soffset {
                    return smem_offset(lex, inst);
                }
                source(lex, spec.ty, generation)
            }
            Kind::Literal if inst.form == Form::Vop3 => source(lex, spec.ty, generation),
            Kind::Literal => literal(lex, spec.ty).map(|bits| plain(Operand::Literal(bits))),
            kind => immediate(lex, kind, inst.chip, self.address)
                .map(|value| plain(Operand::Imm(value))),
        }
    }

    /// Stores modifiers in the instruction.
    fn apply(
        &self,
        inst: &mut Inst,
        m: Modifiers,
        written: &[Written],
        at: &Lexer<'_>,
    ) -> Result<(), Failure> {
        let row = inst.row();
        let smem = (inst.mods.offset, inst.mods.flags);
        inst.mods = m.mods;
        let (mut sources, mut around) = (0, [m.neg, m.abs, m.sext]);
        for (spec, w) in row.operands.iter().zip(written) {
            let bit = source_bit(spec.field);
            sources |= bit;
            if bit == 0 && (w.neg || w.abs || w.sext) {
                return fail(at, "this operand takes no neg, abs or sext");
            }
            for (mask, on) in around.iter_mut().zip([w.neg, w.abs, w.sext]) {
                *mask |= if on { bit } else { 0 };
            }
        }
        self.take_around(inst, around, at)?;
        match inst.form {
            Form::Vop3 => {
                let count = sources.count_ones();
                let dst = m.mods.op_sel >> count & 1;
                inst.mods.op_sel = m.mods.op_sel & ((1 << count) - 1) | dst << 3;
            }
            Form::Vop3p if m.present & present::OP_SEL_HI == 0 => inst.mods.op_sel_hi = sources,
            Form::Sdwa => {
                let kinds = present::OF_SDWA;
                let requested =
                    self.candidate.spelled || m.form.is_some() || m.present & kinds != 0;
                if !requested && inst.mods.sext == 0 {
                    return fail(at, "expected a modifier, such as dst_sel:byte0");
                }
            }
            Form::Dpp => {
                let kinds = present::OF_DPP;
                let requested =
                    self.candidate.spelled || m.form.is_some() || m.present & kinds != 0;
                if !requested {
                    return fail(at, "expected a modifier, such as row_shl:1");
                }
            }
            Form::Smem => apply_smem(inst, smem, m.present, at)?,
            Form::Exp => {
                let exports = (1..5).filter(|i| matches!(inst.operands[*i], Operand::Vgpr(_)));
                inst.mods.dmask = exports.fold(0, |mask, i| mask | 1 << (i - 1));
            }
            _ => {}
        }
        Ok(())
    }

    /// Stores neg, abs and sext of the sources, if the form has them.
    fn take_around(
        &self,
        inst: &mut Inst,
        [neg, abs, sext]: [u8; 3],
        at: &Lexer<'_>,
    ) -> Result<(), Failure> {
        let takes = match inst.form {
            Form::Vop3 | Form::Dpp => sext == 0,
            Form::Sdwa => true,
            Form::Vop3p => is_mix(inst.op) && sext == 0,
            _ => false,
        };
        if neg | abs | sext != 0 && !takes {
            return fail(at, "this form takes no neg, abs or sext");
        }
        inst.mods.neg |= neg;
        inst.mods.abs |= abs;
        inst.mods.sext |= sext;
        Ok(())
    }
}

/// Skips the address that the wiki gives ds_nop, which does not read it.
fn skip_unread(lex: &mut Lexer<'_>, generation: Generation) {
    let mut ahead = *lex;
    if source(&mut ahead, Ty::B32, generation).is_ok() {
        *lex = ahead;
    }
}

/// Accepts a span that runs beyond v255, which is written as its first register.
fn past_the_end(inst: &Inst, written: &mut [Written]) {
    for (i, w) in written.iter_mut().enumerate() {
        if let Operand::Vgpr(first) = w.operand
            && u16::from(first) + u16::from(inst.dwords(i)) > 256
            && w.registers == 1
        {
            w.registers = 0;
        }
    }
}

/// Returns the order in which a form writes its operands: that of the row, except for the VOP3 form of v_madmk, whose sources are
/// in the order of their fields.
pub(super) fn order(op: Op, form: Form) -> impl Iterator<Item = usize> {
    let specs = op.row().operands;
    let literal = specs.iter().position(|s| s.field == Field::Literal);
    let moved = literal.filter(|_| form == Form::Vop3);
    let others = (0..specs.len()).filter(move |i| Some(*i) != moved);
    others.chain(moved)
}

/// Words after the operands that determine which operands are present.
#[derive(Clone, Copy, Default)]
struct Words {
    glc: bool,
    lds: bool,
}

fn words(mut lex: Lexer<'_>) -> Words {
    let mut words = Words::default();
    loop {
        match lex.next() {
            Token::Word("glc") => words.glc = true,
            Token::Word("lds") => words.lds = true,
            Token::End => return words,
            _ => {}
        }
    }
}

/// Reads the offset of scalar memory: an immediate, a literal on gfx7, or a register.
fn smem_offset(lex: &mut Lexer<'_>, inst: &mut Inst) -> Result<Written, Failure> {
    let generation = inst.chip.generation();
    let literal = |value: u32| Written {
        operand: Operand::Literal(value),
        ..Written::default()
    };
    if let Some(value) = forced(lex, Ty::U32)? {
        return Ok(literal(value));
    }
    if !expr::begins(lex) {
        return source(lex, Ty::U32, generation);
    }
    let max = match generation {
        Generation::Gfx6 => 255,
        Generation::Gfx7 => 0xffff_ffff,
        _ => 0x1f_ffff,
    };
    let value = expr::within(lex, -(1 << 20), max)?;
    if generation == Generation::Gfx7 && value > 255 {
        return Ok(literal(value as u32));
    }
    inst.mods.flags |= Flags::SMEM_IMM;
    inst.mods.offset = match generation {
        Generation::Gfx9 => signed_offset(value),
        _ => value as i32,
    };
    Ok(Written::default())
}

/// Converts a 21-bit offset of gfx9, which may be written without a sign.
fn signed_offset(value: i64) -> i32 {
    let wraps = (1 << 20..1 << 21).contains(&value);
    (value - if wraps { 1 << 21 } else { 0 }) as i32
}

/// Stores the offset that is written among the operands, or beside a register among the modifiers.
fn apply_smem(
    inst: &mut Inst,
    (offset, flags): (i32, Flags),
    present: u32,
    at: &Lexer<'_>,
) -> Result<(), Failure> {
    let register = !flags.contains(Flags::SMEM_IMM);
    match (present & present::OFFSET != 0, register) {
        (false, _) => inst.mods.offset = offset,
        (true, true) if inst.chip.generation() == Generation::Gfx9 => {
            inst.mods.offset = signed_offset(inst.mods.offset.into());
            inst.mods.flags |= Flags::SMEM_IMM | Flags::SMEM_SOFFSET;
        }
        (true, _) => return fail(at, "the offset stands here twice"),
    }
    inst.mods.flags |= flags;
    Ok(())
}
