//! Pseudo-code from the executed IR: an instruction is lifted, simplified, and written in the notation of manuals.

mod access;
mod block;
mod by_hand;
mod definitions;
mod expression;
mod gfx950;
mod lane_pattern;
mod names;
mod sample;
mod terms;

use std::sync::Arc;

use wavetank_gcn::{Chip, Form, Inst, Op};
use wavetank_ir::Block;
use wavetank_translate::{Modes, Translator};

use lane_pattern::LanePattern;
use names::Names;
use sample::Base;
pub use sample::operand_names;

use crate::cache_bits::returning_bit;

/// Denormals kept in all widths, DX10_CLAMP, IEEE: the MODE with which compilers start kernels (Vega ISA, 3.5).
const MODE: u32 = 0xf0 | 1 << 8 | 1 << 9;
/// DX10_CLAMP alone: OMOD takes effect only if denormals of results are flushed and IEEE is off (Vega ISA, 6.2 "OMOD").
const MODE_OF_OMOD: u32 = 1 << 8;

/// The pseudo-code of an instruction, line by line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PseudoCode {
    /// Assignments and other actions, in order. Those with vector registers are done by each lane for itself.
    pub lines: Vec<String>,
    /// The functions in the lines that need an explanation, with their meanings.
    pub terms: Vec<(&'static str, &'static str)>,
    /// The functions that a sentence does not explain, with the lines that define them. Their operands are `a`, `b`, `c`.
    pub definitions: Vec<(&'static str, &'static [&'static str])>,
}

impl PseudoCode {
    /// Returns the code of an operation on a chip, with operands named as in [`operand_names`]; `None` if the chip does not
    /// execute it. What only gfx950 has is not executed, and has the code that is published.
    ///
    /// ```
    /// use wavetank_gcn::{Chip, tables::Vop3};
    /// use wavetank_explain::PseudoCode;
    /// let code = PseudoCode::of_row(Vop3::V_LSHL_ADD_U32.into(), Chip::Gfx900);
    /// assert_eq!(code.map(|code| code.lines), Some(vec!["D = (S0 << (S1 & 31)) + S2".to_owned()]));
    /// ```
    pub fn of_row(op: Op, chip: Chip) -> Option<PseudoCode> {
        if let Some(lines) = by_hand::lines(op).or_else(|| gfx950::lines(op)) {
            return Some(PseudoCode::of_lines(lines));
        }
        let (inst, names) = sample::sample(op, chip);
        let mut code = written(inst, &names, MODE)?;
        if let Some((other, names)) = sample::other(op, chip) {
            let other = written(other, &names, MODE)?;
            code = sample::either(&code, &other);
        }
        Some(PseudoCode::of_lines(sample::of_all_modifiers(op, code)))
    }

    /// Returns the code of an operation in a form. GLOBAL and SCRATCH have a code of their own: the address may have a scalar
    /// base.
    ///
    /// ```
    /// use wavetank_gcn::{Chip, Form, tables::Flat};
    /// use wavetank_explain::PseudoCode;
    /// let code = PseudoCode::of_form(Flat::FLAT_LOAD_DWORD.into(), Form::Global, Chip::Gfx900).expect("it is executed");
    /// assert_eq!(
    ///     code.lines,
    ///     [
    ///         "if SADDR is off:",
    ///         "  D = 4 bytes of memory at ADDR + OFFSET",
    ///         "else:",
    ///         "  D = 4 bytes of memory at SADDR + ADDR + OFFSET",
    ///     ]
    /// );
    /// ```
    pub fn of_form(op: Op, form: Form, chip: Chip) -> Option<PseudoCode> {
        if !matches!(form, Form::Global | Form::Scratch) {
            return PseudoCode::of_row(op, chip);
        }
        let of = |base| {
            let (inst, names) = sample::segment_sample(op, form, base, chip);
            written(inst, &names, MODE)
        };
        let (without, with) = (of(Base::Off)?, of(Base::Scalar)?);
        let lines = sample::without_and_with_base(&without, &with);
        Some(PseudoCode::of_lines(lines))
    }

    /// Returns the code of an instruction, with operands named as in its text; `None` if it stops the kernel.
    ///
    /// In hand-written pseudo-code, operands have the names of [`operand_names`].
    ///
    /// ```
    /// use wavetank_gcn::{Chip, parse};
    /// use wavetank_explain::PseudoCode;
    /// let inst = parse("v_add_f32 v0, -v1, s2", Chip::Gfx900).expect("text");
    /// let code = PseudoCode::of_instruction(&inst).expect("it is executed");
    /// assert_eq!(code.lines, ["v0 = -v1.f32 + s2.f32"]);
    /// ```
    pub fn of_instruction(inst: &Inst) -> Option<PseudoCode> {
        let mut names = Names::default();
        names.pattern = LanePattern::of(inst);
        names.generation = Some(inst.chip.generation());
        names.returns = returning_bit(inst.chip);
        names.call(sample::PC + u64::from(inst.len), block::NEXT);
        let by_hand = by_hand::lines(inst.op).filter(|_| names.pattern.is_none());
        if let Some(lines) = by_hand.or_else(|| gfx950::lines(inst.op)) {
            return Some(PseudoCode::of_lines(lines));
        }
        let mut lines = written(*inst, &names, MODE)?;
        if inst.mods.omod != 0 {
            let multiplied = written(*inst, &names, MODE_OF_OMOD)?;
            if multiplied != lines {
                lines = multiplied
                    .into_iter()
                    .chain(["where MODE has IEEE or keeps denormals of results:".to_owned()])
                    .chain(lines.iter().map(|line| format!("  {line}")))
                    .collect();
            }
        }
        Some(PseudoCode::of_lines(lines))
    }

    fn of_lines(lines: Vec<String>) -> PseudoCode {
        let called = terms::called(&lines);
        let (terms, definitions) = (terms::terms(&called), definitions::definitions(&called));
        PseudoCode {
            lines,
            terms,
            definitions,
        }
    }
}

/// Returns the block of an operation with the sample's operands.
pub(crate) fn block_of_row(op: Op, chip: Chip) -> Block {
    block_of(sample::sample(op, chip).0, MODE)
}

fn block_of(inst: Inst, mode: u32) -> Block {
    let code = move |at: u64| match at {
        sample::PC => Ok(inst),
        _ => Err(String::new()),
    };
    let block = Translator::new(Arc::new(code), true).block(sample::PC, Modes::new(mode, 0));
    block.simple
}

/// Returns the lines of an instruction under a MODE; `None` if it stops the kernel.
fn written(inst: Inst, names: &Names, mode: u32) -> Option<Vec<String>> {
    block::lines(&block_of(inst, mode), names)
}

#[cfg(test)]
mod tests;
