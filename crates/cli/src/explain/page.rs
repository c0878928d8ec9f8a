//! The page of an instruction of GCN: sentence, bits, operands, pseudo-code, names.

use std::fmt::Write;

use super::told::{Explanation, Operand};
use crate::diagram::{Cell, fitted};
use crate::fold::folded;

/// The column where what belongs to a name begins.
const BESIDE: usize = 15;

impl Explanation {
    /// The page, with the wave IR at the end if that is asked for.
    pub fn text(&self, ir: bool) -> String {
        let mut out = folded(&self.text, "", 2);
        out += &folded(&self.sentence, "  ", 2);
        let _ = write!(out, "\n  {} on {}", self.format, self.chip);
        let words = self.words();
        if !words.is_empty() {
            let _ = write!(out, ", {} bytes: {words}", self.bytes.len());
        }
        out += "\n\n";
        out += &self.drawing();
        out += "\n";
        out += &self.state();
        out += &self.pseudo();
        out += "\n";
        let names = self
            .generations
            .iter()
            .map(|n| format!("{} {} {:#04x}", n.generation, n.name, n.opcode));
        for (name, text) in [
            ("unit", self.unit),
            ("opcodes", &names.collect::<Vec<_>>().join(", ")),
            ("forms", &self.forms.join(", ")),
            ("fidelity", &self.fidelity),
        ] {
            out += &beside(name, text);
        }
        if let Some(meaning) = self.meaning.as_ref().filter(|_| ir) {
            out += "\n  wave IR\n";
            for line in meaning.lines() {
                out += &folded(line, "    ", 6);
            }
        }
        out
    }

    /// The words in hexadecimal.
    fn words(&self) -> String {
        let word = |w: &[u8]| format!("{:08X}", u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        let words: Vec<String> = self.bytes.chunks_exact(4).map(word).collect();
        words.join(" ")
    }

    /// The fields as a diagram.
    fn drawing(&self) -> String {
        let end = self
            .fields
            .iter()
            .map(|field| field.low + field.width)
            .max()
            .unwrap_or(0);
        let cells: Vec<Cell> = self
            .fields
            .iter()
            .map(|f| Cell::new(f.name.as_str(), f.low, f.width))
            .collect();
        let drawn = fitted(&cells, end.next_multiple_of(32));
        drawn.lines().map(|line| format!("  {line}\n")).collect()
    }

    /// Operands, and what else is read and written.
    fn state(&self) -> String {
        let mut out = String::new();
        for Operand {
            name,
            field,
            text,
            ty,
            access,
        } in &self.operands
        {
            let line = format!("  {access:<12} {name:<8} {field:<8} {text:<12} {ty}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
        for (verb, state) in [("reads", &self.reads), ("writes", &self.writes)] {
            if !state.is_empty() {
                out += &beside(verb, &state.join(", "));
            }
        }
        out
    }

    /// Pseudo-code, and the functions that it names.
    fn pseudo(&self) -> String {
        let Some(code) = &self.pseudo_code else {
            return String::new();
        };
        let mut out = "\n  pseudo-code\n".to_owned();
        for line in &code.lines {
            out += &folded(line, "    ", 8);
        }
        for (name, meaning) in &code.terms {
            out += &folded(meaning, &format!("      {name}: "), 8);
        }
        out
    }
}

/// A line with a name at its front.
fn beside(name: &str, text: &str) -> String {
    folded(text, &format!("  {name:<12} "), BESIDE)
}
