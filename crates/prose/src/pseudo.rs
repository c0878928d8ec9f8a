//! Pseudo-code, made of the meaning that is run: an instruction is lifted, simplified, and written down as people write it.

mod access;
mod block;
mod by_hand;
mod expression;
mod names;
mod sample;
mod terms;

use std::sync::Arc;

use wavetank_isa::{Chip, Inst, Op};
use wavetank_translate::{Modes, Translator};

use names::Names;
pub use sample::operand_names;

/// Denormals kept in all widths, DX10_CLAMP, IEEE: Vega ISA, 3.5, and what compilers start kernels with.
const MODE: u32 = 0xf0 | 1 << 8 | 1 << 9;

/// What an instruction does, line by line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PseudoCode {
    /// Assignments, and what else is done, in order; each lane does those with vector registers for itself.
    pub lines: Vec<String>,
    /// The functions in them that need a word, with their meanings.
    pub terms: Vec<(&'static str, &'static str)>,
}

impl PseudoCode {
    /// Of an instruction of the table on a chip, with operands by the names of [`operand_names`]; `None` if it is not
    /// executed there.
    ///
    /// ```
    /// use wavetank_isa::{Chip, tables::Vop3};
    /// use wavetank_prose::PseudoCode;
    /// let code = PseudoCode::of_row(Vop3::V_LSHL_ADD_U32.into(), Chip::Gfx900);
    /// assert_eq!(code.map(|code| code.lines), Some(vec!["D = (S0 << (S1 & 31)) + S2".to_owned()]));
    /// ```
    pub fn of_row(op: Op, chip: Chip) -> Option<PseudoCode> {
        if let Some(lines) = by_hand::lines(op) {
            return Some(PseudoCode::of_lines(lines));
        }
        let (inst, names) = sample::sample(op, chip);
        PseudoCode::of(inst, &names)
    }

    /// Of an instruction with operands, which are called as in its text; `None` if it stops the kernel.
    ///
    /// Where pseudo-code is written by hand operands have the names of [`operand_names`].
    ///
    /// ```
    /// use wavetank_isa::{Chip, parse};
    /// use wavetank_prose::PseudoCode;
    /// let inst = parse("v_add_f32 v0, -v1, s2", Chip::Gfx900).expect("text");
    /// let code = PseudoCode::of_instruction(&inst).expect("it is executed");
    /// assert_eq!(code.lines, ["v0 = -v1.f32 + s2.f32"]);
    /// ```
    pub fn of_instruction(inst: &Inst) -> Option<PseudoCode> {
        match by_hand::lines(inst.op) {
            Some(lines) => Some(PseudoCode::of_lines(lines)),
            None => {
                let mut names = Names::default();
                names.call(sample::PC + u64::from(inst.len), block::NEXT);
                PseudoCode::of(*inst, &names)
            }
        }
    }

    fn of(inst: Inst, names: &Names) -> Option<PseudoCode> {
        let code = move |at: u64| match at {
            sample::PC => Ok(inst),
            _ => Err(String::new()),
        };
        let block = Translator::new(Arc::new(code), true).block(sample::PC, Modes::new(MODE, 0));
        let lines = block::lines(&block.simple, names)?;
        Some(PseudoCode::of_lines(lines))
    }

    fn of_lines(lines: Vec<String>) -> PseudoCode {
        let terms = terms::terms(&lines);
        PseudoCode { lines, terms }
    }
}

#[cfg(test)]
mod tests;
