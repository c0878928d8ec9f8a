//! `wavetank explain` of atomics on surfaces: the reference page, and one instruction taken apart.

use super::cli_isa::{CliIsa, usage};
use crate::exit::{Failure, Result, print, print_json};

/// Explains the name alone by the reference page, and an instruction, as text or as code, by its fields.
pub(crate) fn explain<I: CliIsa>(isa: I, text: &str, json: bool) -> Result {
    if text.trim().eq_ignore_ascii_case(I::NAME) {
        return if json {
            print_json(&isa.facts())
        } else {
            print(&isa.reference().page())
        };
    }
    let explanation = match I::code(text) {
        Some(code) => {
            let inst = isa.decode(&code).map_err(usage)?;
            isa.explain_code(&inst, &code).map_err(usage)?
        }
        None => isa.explain_text(text).map_err(|error| {
            let column = error.column(text);
            Failure::usage(format!("column {column}: {error}\n{}", error.snippet(text)))
        })?,
    };
    if json {
        print_json(&explanation)
    } else {
        print(&I::text(&explanation))
    }
}
