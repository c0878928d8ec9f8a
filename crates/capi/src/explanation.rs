//! Explanations of instructions.

use std::ffi::{CString, c_char};

use wavetank_facts::Facts;

use crate::device::chip_named;
use crate::failure::Failure;
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::pointer::{c_string, shown_or_null, text, text_or_none};
use crate::record::Record;
use crate::status::wavetank_status::{self, *};

/// The explanation of an instruction. It does not change: any thread may read it at any time.
pub struct wavetank_explanation {
    _private: [u8; 0],
}

pub(crate) struct Explanation {
    text: CString,
    sentence: CString,
    format: CString,
    pseudo_code: Option<CString>,
    operands: CString,
    modifiers: CString,
    layout: Option<CString>,
    fidelity: CString,
}

impl Handled for Explanation {
    type Opaque = wavetank_explanation;
    const KIND: Kind = Kind::Explanation;
}

impl Explanation {
    fn of(facts: &Facts) -> Explanation {
        let modifiers = facts.modifiers.iter();
        let modifiers: Vec<String> = modifiers
            .map(|modifier| format!("{}: {}", modifier.text, modifier.meaning))
            .collect();
        let operands: Vec<&str> = facts.operands.iter().map(|operand| operand.name).collect();
        let layout = Some(&facts.layout).filter(|lines| !lines.is_empty());
        Explanation {
            text: c_string(&facts.text),
            sentence: c_string(&facts.sentence),
            format: c_string(&facts.format),
            pseudo_code: facts
                .pseudo_code
                .as_ref()
                .map(|code| c_string(&code.lines.join("\n"))),
            operands: c_string(&operands.join("\n")),
            fidelity: c_string(&facts.fidelity),
            modifiers: c_string(&modifiers.join("\n")),
            layout: layout.map(|lines| c_string(&lines.join("\n"))),
        }
    }
}

/// Explains an instruction of a chip: a text such as "v_add_f32 v0, v1, v2", or the name alone. A null chip is gfx900.
///
/// WAVETANK_ERROR_SOURCE: a text that is not an instruction. `*explanation` is then null. Free the explanation by
/// wavetank_explanation_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_explain(
    instruction: *const c_char,
    chip: *const c_char,
    explanation: *mut *mut wavetank_explanation,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Explanation>(explanation, "explanation", || {
            let instruction = text(instruction, "instruction")?;
            let chip = chip_named(text_or_none(chip, "chip")?)?;
            let facts = Facts::of_text(instruction, chip);
            let facts = facts.map_err(|wrong| Failure::new(WAVETANK_ERROR_SOURCE, wrong))?;
            Ok(Explanation::of(&facts))
        })
    }
}

/// Frees an explanation, with its texts; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_explanation_free(
    explanation: *mut wavetank_explanation,
) -> wavetank_status {
    handle::free::<Explanation>(explanation, "explanation")
}

/// The texts of an explanation. They are valid until it is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_explanation_texts {
    /// The canonical text of the instruction, or its name.
    pub text: *const c_char,
    /// The meaning in a sentence.
    pub sentence: *const c_char,
    /// The encoding, such as "VOP3".
    pub format: *const c_char,
    /// The pseudo-code in lines, or null for an instruction that is not executed.
    pub pseudo_code: *const c_char,
    /// The names of the operands, a line each.
    pub operands: *const c_char,
    /// The modifiers that the instruction can have, a line each: the text, a colon, and the meaning.
    pub modifiers: *const c_char,
    /// For a matrix instruction the places of elements in registers, in lines; otherwise null.
    pub layout: *const c_char,
    /// How exact its execution is, and by what that is known.
    pub fidelity: *const c_char,
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_explanation_texts {
    const FIRST_SIZE: usize = 64;
}

/// Writes the texts of an explanation. `size` is sizeof(wavetank_explanation_texts).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_explanation_get(
    explanation: *const wavetank_explanation,
    texts: *mut wavetank_explanation_texts,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let explanation = handle::get::<Explanation>(explanation, "explanation")?;
        let record = wavetank_explanation_texts {
            text: explanation.text.as_ptr(),
            sentence: explanation.sentence.as_ptr(),
            format: explanation.format.as_ptr(),
            pseudo_code: shown_or_null(explanation.pseudo_code.as_deref()),
            operands: explanation.operands.as_ptr(),
            modifiers: explanation.modifiers.as_ptr(),
            layout: shown_or_null(explanation.layout.as_deref()),
            fidelity: explanation.fidelity.as_ptr(),
        };
        // SAFETY: by the caller's promise.
        unsafe { record.write(texts, size, "texts") }
    })
}
