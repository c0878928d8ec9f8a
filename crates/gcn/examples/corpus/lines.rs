//! Lines from the rows of the table: every instruction in every form.

use wavetank_gcn::tables::{Access, Features, Field, Kind, Op, OperandSpec};
use wavetank_gcn::{Chip, Form, Generation};

use crate::modifiers;
use crate::operands::{immediate, is_float, number, sgpr, signs, source, vgpr};
use crate::random::Random;

/// A line of assembly and what it is meant to be.
pub(crate) struct Line {
    pub form: Form,
    pub text: String,
}

/// The forms of an instruction on a chip, by what they add to its name.
pub(crate) fn forms(op: Op, chip: Chip) -> Vec<(&'static str, Form)> {
    let home = op.home();
    let vector = matches!(
        home,
        Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vop3 | Form::Vintrp
    );
    if home == Form::Flat {
        let mut forms = vec![("flat", Form::Flat)];
        if chip.generation() == Generation::Gfx9 {
            forms.push(("global", Form::Global));
            if op.scratch(chip).is_some() {
                forms.push(("scratch", Form::Scratch));
            }
        }
        return forms;
    }
    if !vector {
        return vec![("", home)];
    }
    let short = match home {
        Form::Vop3 => op.vop2(chip).map(|_| Form::Vop2),
        _ => Some(home),
    };
    let bare = op.row().has(Features::NO_SUFFIX);
    let mut forms = Vec::new();
    forms.extend(short.map(|form| {
        (
            if bare || !op.lists_vop3(chip) {
                ""
            } else {
                "_e32"
            },
            form,
        )
    }));
    if op.lists_vop3(chip) {
        forms.push((if short.is_none() { "" } else { "_e64" }, Form::Vop3));
    }
    if op.sdwa(chip) {
        forms.push(("_sdwa", Form::Sdwa));
    }
    if op.dpp(chip) {
        forms.push(("_dpp", Form::Dpp));
    }
    forms
}

/// The name of an instruction in a form.
fn name(op: Op, chip: Chip, suffix: &str) -> String {
    let name = op.row().mnemonic(chip.generation()).unwrap_or("unnamed");
    match name.strip_prefix("flat") {
        Some(rest) => format!("{suffix}{rest}"),
        None => format!("{name}{suffix}"),
    }
}

/// A random line of a form.
pub(crate) fn line(random: &mut Random, op: Op, form: Form, suffix: &str, chip: Chip) -> Line {
    let row = op.row();
    // Now and then without the suffix, which leaves the form to the assembler.
    let suffix = if suffix.starts_with('_') && random.one_in(6) {
        ""
    } else {
        suffix
    };
    let sources = row.operands.iter().filter(|s| is_source(s.field)).count();
    let mut words = match form {
        Form::Mubuf | Form::Mtbuf => modifiers::buffer(random, op, form, chip),
        Form::Mimg => modifiers::image(random, op, chip),
        Form::Flat | Form::Global | Form::Scratch => modifiers::flat(random, op, form, chip),
        _ => modifiers::modifiers(random, op, form, chip, sources),
    };
    if row.operands.is_empty() && matches!(form, Form::Mubuf | Form::Smem) {
        words.clear();
    }
    words.extend(modifiers::stray(random).map(String::from));
    let mut place = Place {
        random,
        op,
        form,
        chip,
        words,
    };
    let mut operands: Vec<String> = Vec::new();
    for spec in row.operands {
        operands.extend(place.operand(spec));
    }
    let words = place.words;
    if random.one_in(80) {
        operands.pop();
    }
    let mut text = name(op, chip, suffix);
    let is_target = row
        .operands
        .first()
        .is_some_and(|s| s.field == Field::Target);
    let separator = if is_target && operands.len() > 1 {
        " "
    } else {
        ", "
    };
    if !operands.is_empty() {
        text += " ";
        text += &operands[0];
        for (n, operand) in operands[1..].iter().enumerate() {
            text += if n == 0 { separator } else { ", " };
            text += operand;
        }
    }
    for word in words {
        text += " ";
        text += &word;
    }
    Line { form, text }
}

fn is_source(field: Field) -> bool {
    matches!(field, Field::Src0 | Field::Src1 | Field::Src2)
}

/// The line as far as its operands depend on it.
struct Place<'a> {
    random: &'a mut Random,
    op: Op,
    form: Form,
    chip: Chip,
    words: Vec<String>,
}

impl Place<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }

    /// How many registers an operand has, as the modifiers have it.
    fn width(&mut self, spec: &OperandSpec) -> usize {
        let packs = self.chip >= Chip::Gfx810;
        let extra = usize::from(self.has("tfe"));
        let plain = usize::from(spec.ty.dwords()).max(1);
        let count = match (self.form, spec.field) {
            (Form::Mubuf | Form::Mtbuf, Field::Vaddr) => {
                let both = self.has("offen") && self.has("idxen");
                if both || self.has("addr64") { 2 } else { 1 }
            }
            (Form::Mubuf | Form::Mtbuf, Field::Vdata) => {
                let name = self.op.row().mnemonic(self.chip.generation()).unwrap_or("");
                let data = if self.op.row().has(Features::D16) && !packs {
                    name.rsplit('_').next().map_or(1, str::len)
                } else {
                    plain
                };
                data + extra
            }
            (Form::Mimg, Field::Vdata) => {
                let mask = self.words.iter().find_map(|w| w.strip_prefix("dmask:0x"));
                let mask = mask
                    .and_then(|m| u32::from_str_radix(m, 16).ok())
                    .unwrap_or(0);
                let data = if self.op.row().has(Features::GATHER) {
                    4
                } else {
                    mask.count_ones().max(1) as usize
                };
                let halved = self.has("d16") && packs;
                extra + if halved { data.div_ceil(2) } else { data }
            }
            (Form::Mimg, Field::Vaddr) => self.random.pick(&[1, 1, 2, 3, 4, 4, 8, 16, 5, 6]),
            (Form::Mimg, Field::Srsrc) if self.has("r128") => 4,
            (Form::Global, Field::Vaddr) => 2,
            (Form::Scratch, Field::Vaddr | Field::Saddr) => 1,
            _ => plain,
        };
        // Too wide or too narrow, once in a while.
        match self.random.below(250) {
            0 => count + 1,
            1 => count.saturating_sub(1).max(1),
            _ => count,
        }
    }

    fn operand(&mut self, spec: &OperandSpec) -> Option<String> {
        let generation = self.chip.generation();
        let short = matches!(self.form, Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Dpp);
        let slip = self.random.one_in(100);
        match (self.form, spec.field) {
            (Form::Flat, Field::Saddr) => return None,
            (Form::Mubuf | Form::Mtbuf, Field::Vdata)
                if self.has("lds")
                    && spec.access == Access::Write
                    && !self.op.row().has(Features::LDS_ONLY) =>
            {
                return None;
            }
            (Form::Mubuf | Form::Mtbuf, Field::Vaddr) => {
                let addressed = ["offen", "idxen", "addr64"].iter().any(|w| self.has(w));
                if !addressed && !slip {
                    return Some("off".into());
                }
            }
            (Form::Global | Form::Scratch, Field::Vaddr) => return Some(self.address(spec)),
            (Form::Global | Form::Scratch, Field::Saddr) => {
                return Some(self.words.pop().unwrap_or_else(|| "off".into()));
            }
            (Form::Smem, Field::Soffset) => return Some(self.smem_offset()),
            (Form::Exp, field) if field != Field::Target => {
                let off = self.random.one_in(3);
                return Some(if off {
                    "off".into()
                } else {
                    vgpr(self.random, 1)
                });
            }
            (_, Field::Sdst | Field::CarryIn) if short && spec.kind == Kind::Sgpr => {
                return Some(if slip { "s[2:3]".into() } else { "vcc".into() });
            }
            (Form::Sdwa, Field::Sdst)
                if self.op.home() != Form::Vopc || generation == Generation::Gfx8 =>
            {
                return Some("vcc".into());
            }
            (Form::Sdwa, Field::CarryIn) => return Some("vcc".into()),
            _ if spec.access == Access::WriteIfGlc && !self.has("glc") => return None,
            _ => {}
        }
        let width = self.width(spec);
        Some(match spec.kind {
            Kind::Vgpr if slip => sgpr(self.random, width, generation),
            Kind::Vgpr => {
                let text = vgpr(self.random, width);
                if is_source(spec.field) {
                    signs(self.random, text, is_float(spec.ty), self.form)
                } else {
                    text
                }
            }
            Kind::Sgpr if slip => vgpr(self.random, width),
            Kind::Sgpr => sgpr(self.random, width, generation),
            Kind::Scalar if self.random.one_in(3) => number(self.random, false),
            Kind::Scalar => sgpr(self.random, width, generation),
            Kind::Source => {
                let text = source(self.random, spec, self.form, generation);
                let float = is_float(spec.ty) || self.op.row().has(Features::SRC_MODS);
                signs(self.random, text, float, self.form)
            }
            Kind::Literal => number(self.random, true),
            Kind::OptionalCount if self.random.one_in(2) => return None,
            kind => immediate(self.random, kind),
        })
    }

    /// The vector address of GLOBAL and SCRATCH; the scalar one is left at the
    /// end of the words for the operand that follows.
    fn address(&mut self, spec: &OperandSpec) -> String {
        let generation = self.chip.generation();
        let scalar = self.random.one_in(2);
        let width = self.width(spec);
        let (vector, saddr) = match (self.form, scalar) {
            (Form::Global, true) => (vgpr(self.random, 1), sgpr(self.random, 2, generation)),
            (Form::Scratch, true) => ("off".into(), sgpr(self.random, 1, generation)),
            _ => (vgpr(self.random, width), "off".into()),
        };
        self.words.push(saddr);
        vector
    }

    fn smem_offset(&mut self) -> String {
        let generation = self.chip.generation();
        let offset = self.random.pick(&[
            0,
            1,
            4,
            255,
            255,
            256,
            0xf_ffff,
            0xf_ffff,
            0x10_0000,
            -1,
            -0x10_0000,
            0x1234_5678,
            0xffff_ffffi64,
        ]);
        match (self.random.below(5), generation) {
            (0, Generation::Gfx9) => {
                let register = sgpr(self.random, 1, generation);
                self.words.insert(0, format!("offset:{offset:#x}"));
                register
            }
            (0 | 1, _) => sgpr(self.random, 1, generation),
            (2, _) => offset.to_string(),
            _ if offset < 0 => format!("-{:#x}", -offset),
            _ => format!("{offset:#x}"),
        }
    }
}
