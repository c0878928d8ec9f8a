//! The page about a GCN instruction: sentence, bits, operands, pseudo-code, names.

use std::fmt::Write;

use wavetank_facts::{Facts, Modifier, Operand, Pseudo};

use crate::diagram::{Cell, fitted};
use crate::fold::folded;

/// The column of text beside a name.
const BESIDE: usize = 15;

/// The page about an instruction.
pub(super) struct Page<'f>(pub(super) &'f Facts);

impl Page<'_> {
    /// Returns the page, with the wave IR at the end if `ir` is set.
    pub(super) fn text(&self, ir: bool) -> String {
        let mut out = folded(&self.0.text, "", 2);
        out += &folded(&self.0.sentence, "  ", 2);
        let _ = write!(out, "\n  {} on {}", self.0.format, self.0.chip);
        let words = self.words();
        if !words.is_empty() {
            let _ = write!(out, ", {} bytes: {words}", self.0.bytes.len());
        }
        out += "\n\n";
        out += &self.drawing();
        out += "\n";
        out += &self.state();
        out += &self.pseudo();
        out += &self.layout();
        out += &self.modifiers();
        out += "\n";
        let names = self
            .0
            .generations
            .iter()
            .map(|n| format!("{} {} {:#04x}", n.generation, n.name, n.opcode));
        let cases = self
            .0
            .cases
            .iter()
            .map(|cases| format!("{} in {}", cases.count, cases.file));
        let cases = cases.collect::<Vec<_>>().join(", ");
        for (name, text) in [
            ("unit", self.0.unit),
            ("counters", &self.0.counters.join(", ")),
            ("opcodes", &names.collect::<Vec<_>>().join(", ")),
            ("forms", &self.0.forms.join(", ")),
            ("hazards", &self.hazards()),
            ("fidelity", &self.0.fidelity),
            ("cases", if cases.is_empty() { "none" } else { &cases }),
            ("related", &self.0.related.join(", ")),
        ] {
            if !text.is_empty() {
                out += &beside(name, text);
            }
        }
        if let Some(meaning) = self.0.meaning.as_ref().filter(|_| ir) {
            out += "\n  wave IR\n";
            for line in meaning.lines() {
                out += &folded(line, "    ", 6);
            }
        }
        out
    }

    /// Returns the words of the instruction in hexadecimal.
    fn words(&self) -> String {
        let word = |w: &[u8]| format!("{:08X}", u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        let words: Vec<String> = self.0.bytes.chunks_exact(4).map(word).collect();
        words.join(" ")
    }

    /// Returns the fields as a diagram.
    fn drawing(&self) -> String {
        let end = self
            .0
            .fields
            .iter()
            .map(|field| field.low + field.width)
            .max()
            .unwrap_or(0);
        let cells: Vec<Cell> = self
            .0
            .fields
            .iter()
            .map(|f| Cell::new(f.name.as_str(), f.low, f.width))
            .collect();
        let drawn = fitted(&cells, end.next_multiple_of(32));
        drawn.lines().map(|line| format!("  {line}\n")).collect()
    }

    /// Returns the operands, and the other state that is read and written.
    fn state(&self) -> String {
        let mut out = String::new();
        for Operand {
            name,
            field,
            text,
            ty,
            access,
        } in &self.0.operands
        {
            let line = format!("  {access:<12} {name:<8} {field:<8} {text:<12} {ty}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
        for (verb, state) in [("reads", &self.0.reads), ("writes", &self.0.writes)] {
            if !state.is_empty() {
                out += &beside(verb, &state.join(", "));
            }
        }
        out
    }

    /// Returns the pseudo-code and its functions, and the reason why the instruction is not executed. Both are there where the
    /// documents say what it does.
    fn pseudo(&self) -> String {
        let code = self.0.pseudo_code.as_ref().map(listing);
        let reason = self.0.not_executed.as_ref();
        let reason = reason.map(|why| format!("\n  not executed\n{}", folded(why, "    ", 8)));
        code.unwrap_or_default() + &reason.unwrap_or_default()
    }

    /// Returns the places of the elements of matrices.
    fn layout(&self) -> String {
        if self.0.layout.is_empty() {
            return String::new();
        }
        let mut out =
            "\n  layout      register of the operand, its lanes, and their elements by row and column\n"
                .to_owned();
        for note in &self.0.layout_notes {
            out += &folded(note, "              ", 14);
        }
        for line in &self.0.layout {
            out += &folded(line, "    ", 8);
        }
        out
    }

    /// Returns the modifiers, with their meanings.
    fn modifiers(&self) -> String {
        if self.0.modifiers.is_empty() {
            return String::new();
        }
        let mut out = "\n  modifiers\n".to_owned();
        for Modifier { text, meaning } in &self.0.modifiers {
            out += &folded(&format!("{text}: {meaning}"), "    ", 8);
        }
        out
    }

    /// Returns the rules of the hazards, with the wait states that each needs.
    fn hazards(&self) -> String {
        let part = |is_first: bool, part: &str| {
            let all = self.0.hazards.iter().filter(|h| h.is_first == is_first);
            let all: Vec<String> = all
                .map(|hazard| format!("{} {}", hazard.rule, hazard.wait_states))
                .collect();
            (!all.is_empty()).then(|| format!("as the {part} of two: {}", all.join(", ")))
        };
        let parts = [part(true, "first"), part(false, "second")];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// Returns a line with a name at its beginning.
fn beside(name: &str, text: &str) -> String {
    folded(text, &format!("  {name:<12} "), BESIDE)
}

/// Returns the lines of pseudo-code, and the functions that need an explanation.
fn listing(code: &Pseudo) -> String {
    let mut out = "\n  pseudo-code\n".to_owned();
    for line in &code.lines {
        let indent = 4 + line.len() - line.trim_start().len();
        out += &folded(line, &" ".repeat(indent), indent + 4);
    }
    for (name, meaning) in &code.terms {
        out += &folded(meaning, &format!("      {name}: "), 8);
        let defined = code.definitions.iter().find(|(defined, _)| defined == name);
        for line in defined.map_or(&[][..], |(_, lines)| *lines) {
            let indent = 8 + line.len() - line.trim_start().len();
            out += &folded(line, &" ".repeat(indent), indent + 4);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use wavetank_facts::{exists, subjects};
    use wavetank_gcn::{Chip, Dialect, Op, parse};

    use super::*;
    use crate::fold::PAGE;

    fn fits(page: &str) {
        for line in page.lines() {
            assert!(line.chars().count() <= PAGE, "{line}\nin\n{page}");
        }
    }

    #[test]
    fn what_is_not_executed_has_its_reason() {
        for op in Op::all().filter(|op| op.row().exists_on(Chip::Gfx900)) {
            let facts = Facts::row((op, op.home()), Chip::Gfx900);
            let has_reason = Page(&facts).text(false).contains("\n  not executed\n    ");
            assert_eq!(has_reason, facts.pseudo_code.is_none(), "{op:?}");
        }
    }

    /// What only gfx950 has is published, and not executed.
    #[test]
    fn code_that_is_not_executed_is_marked() {
        let (mut shown, mut all) = (0, 0);
        for op in Op::all().filter(|op| op.row().exists_on(Chip::Gfx950)) {
            let mut executed = Chip::EXECUTED.iter();
            if executed.any(|chip| op.row().exists_on(*chip)) {
                continue;
            }
            let facts = Facts::row((op, op.home()), Chip::Gfx950);
            if facts.not_executed.is_none() {
                // Its kind is that of other chips, and its code what would run.
                assert!(matches!(op, Op::Mubuf(_)), "{op:?}");
                continue;
            }
            let page = Page(&facts).text(false);
            let reason = page.find("\n  not executed\n    only gfx950 has it");
            let reason = reason.unwrap_or_else(|| panic!("{op:?}: {page}"));
            all += 1;
            if let Some(code) = page.find("\n  pseudo-code\n") {
                assert!(code < reason, "{op:?}");
                shown += 1;
            }
            fits(&page);
        }
        assert!(shown > 80 && all > shown, "{shown} of {all}");
    }

    #[test]
    fn pages_fit_a_terminal() {
        for chip in [
            Chip::Gfx600,
            Chip::Gfx701,
            Chip::Gfx803,
            Chip::Gfx900,
            Chip::Gfx906,
        ] {
            for subject in subjects().filter(|subject| exists(*subject, chip)) {
                fits(&Page(&Facts::row(subject, chip)).text(false));
            }
        }
        for text in [
            "v_add_u32_sdwa v0, v1, v2 dst_sel:WORD_1 src0_sel:BYTE_0",
            "v_add_f32_dpp v0, v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
            "v_cmp_class_f64 s[10:11], -v[2:3], s4",
            "s_cbranch_g_fork s[0:1], s[2:3]",
            "v_trig_preop_f64 v[0:1], v[2:3], v4",
            "ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,3,3,3,3)",
            "v_interp_p1_f32 v0, v1, attr0.x",
            "image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf",
        ] {
            let inst = parse(text, Chip::Gfx900).unwrap_or_else(|error| panic!("{text}: {error}"));
            let page = Page(&Facts::of(&inst, Dialect::Llvm)).text(true);
            // The table of a shuffle in the wave IR may be wider.
            fits(page.split("wave IR").next().unwrap_or_default());
        }
    }
}
