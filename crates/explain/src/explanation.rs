//! An instruction's explanation: its facts together, by text or by name.

use wavetank_gcn::{BitField, Chip, Form, Inst, Op, ParseError, bit_fields, parse};

use crate::layout::matrix_layout;
use crate::modifiers::{Modifier, modifiers};
use crate::pseudo::{PseudoCode, operand_names};
use crate::sentence::sentence_in;

/// The facts of an instruction on a chip.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The canonical text, or the name alone.
    pub text: String,
    /// The chip.
    pub chip: Chip,
    /// The meaning in a sentence.
    pub sentence: String,
    /// The encoding: `VOP3`.
    pub format: String,
    /// The lines of the pseudo-code, if the instruction is executed.
    pub pseudo_code: Option<Vec<String>>,
    /// The names of the operands.
    pub operands: Vec<&'static str>,
    /// The modifiers that it can have.
    pub modifiers: Vec<Modifier>,
    /// The fields of the encoding, lowest first.
    pub fields: Vec<BitField>,
    /// For a matrix instruction, the places of elements in registers, a line each.
    pub layout: Vec<String>,
}

impl Explanation {
    /// Explains a text: an instruction with its operands, or a name alone.
    ///
    /// # Errors
    /// The mistake in the text.
    ///
    /// ```
    /// use wavetank_explain::Explanation;
    /// use wavetank_gcn::Chip;
    ///
    /// let alone = Explanation::of("v_lshl_add_u32", Chip::Gfx900)?;
    /// assert_eq!(alone.sentence, "Shifts left, then adds.");
    /// assert_eq!(alone.format, "VOP3");
    /// assert!(Explanation::of("v_lshl_add_u32", Chip::Gfx803).is_err());
    /// # Ok::<(), wavetank_gcn::ParseError>(())
    /// ```
    pub fn of(text: &str, chip: Chip) -> Result<Explanation, ParseError> {
        let wrong = match parse(text, chip) {
            Ok(inst) => return Ok(Explanation::of_instruction(&inst)),
            Err(wrong) => wrong,
        };
        let name = text.trim();
        let named = |op: &Op| op.row().name(chip) == Some(name);
        let op = Op::all().find(named).ok_or(wrong)?;
        let form = op.home();
        let code = PseudoCode::of_form(op, form, chip);
        Ok(Explanation::new(op, form, chip, name, code))
    }

    /// Explains an instruction.
    pub fn of_instruction(inst: &Inst) -> Explanation {
        let code = PseudoCode::of_instruction(inst);
        Explanation::new(inst.op, inst.form, inst.chip, &inst.to_string(), code)
    }

    fn new(op: Op, form: Form, chip: Chip, text: &str, code: Option<PseudoCode>) -> Explanation {
        let (fields, _) = bit_fields(op, form, chip).unwrap_or_default();
        Explanation {
            text: text.to_owned(),
            chip,
            sentence: sentence_in(op, form),
            format: format!("{form:?}").to_uppercase(),
            pseudo_code: code.map(|code| code.lines),
            operands: operand_names(op),
            modifiers: modifiers(op, form, chip),
            fields,
            layout: matrix_layout(op, chip).unwrap_or_default(),
        }
    }
}
