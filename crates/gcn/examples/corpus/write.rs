//! The files of the corpus.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use wavetank_gcn::tables::{Chips, Op};
use wavetank_gcn::{Chip, Form, Generation};

use crate::lines::{self, Line};
use crate::llvm::{self, Assembled};
use crate::random::Random;
use crate::{difference, layout, listed, reasons};

/// Of each form: lines that are made, of which the best are kept.
const MADE: usize = 30;
const KEPT: usize = 6;
/// One in so many lines of further chips and lines that are refused is kept.
const FURTHER: usize = 12;
const REFUSED: usize = 4;

/// The chip whose lines are kept in full, and the others of its generation.
const GENERATIONS: [(Generation, Chip, &[Chip]); 4] = [
    (Generation::Gfx6, Chip::Gfx600, &[]),
    (Generation::Gfx7, Chip::Gfx704, &[Chip::Gfx701]),
    (
        Generation::Gfx8,
        Chip::Gfx803,
        &[Chip::Gfx802, Chip::Gfx810],
    ),
    (
        Generation::Gfx9,
        Chip::Gfx900,
        &[Chip::Gfx904, Chip::Gfx906],
    ),
];

/// Writes `tests/corpus` anew.
pub(crate) fn corpus(seed: u64) -> Result<(), String> {
    let tool = llvm::tool().ok_or("no llvm-mc on PATH")?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for (n, (generation, first, others)) in GENERATIONS.into_iter().enumerate() {
        let mut random = Random(seed << 8 | n as u64);
        let mut files = Files::default();
        files.chip(&mut random, tool, first, true)?;
        for &chip in others {
            files.chip(&mut random, tool, chip, false)?;
        }
        files.by_layout(&mut random, first, generation);
        let name = 6 + n;
        for (file, text) in [
            ("asm", &files.asm),
            ("reject", &files.reject),
            ("layout", &files.layout),
        ] {
            let path = folder.join(format!("{file}-gfx{name}.tsv"));
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        println!(
            "gfx{name}: {} lines by {tool}, {} refused, {} by layout",
            files.asm.lines().count(),
            files.reject.lines().count(),
            files.layout.lines().count()
        );
    }
    Ok(())
}

#[derive(Default)]
struct Files {
    asm: String,
    reject: String,
    layout: String,
}

impl Files {
    /// Lines of a chip as `llvm-mc` has them.
    fn chip(
        &mut self,
        random: &mut Random,
        tool: &str,
        chip: Chip,
        full: bool,
    ) -> Result<(), String> {
        let forms: Vec<(Op, &str, Form)> = listed(chip)
            .flat_map(|op| {
                lines::forms(op, chip)
                    .into_iter()
                    .map(move |(suffix, form)| (op, suffix, form))
            })
            .collect();
        let mut made: Vec<Line> = Vec::new();
        for &(op, suffix, form) in &forms {
            made.extend((0..MADE).map(|_| lines::line(random, op, form, suffix, chip)));
        }
        let texts: Vec<&str> = made.iter().map(|l| l.text.as_str()).collect();
        let theirs = llvm::assemble(tool, chip, &texts)?;
        let mut seen = HashSet::new();
        let (mut number, mut refused) = (0, 0);
        for (n, (op, ..)) in forms.iter().enumerate() {
            let range = n * MADE..(n + 1) * MADE;
            let lines: Vec<(&Line, &Option<Assembled>)> =
                made[range.clone()].iter().zip(&theirs[range]).collect();
            for (line, theirs) in &lines {
                let explained = || reasons::explain(line, chip, theirs.as_ref()).is_some();
                if let Some((kind, sample)) = difference(line, chip, theirs)
                    && !explained()
                {
                    return Err(format!("{chip}: {kind}: {sample}"));
                }
            }
            let agreed = lines
                .iter()
                .filter(|(line, theirs)| difference(line, chip, theirs).is_none());
            let (taken, not): (Vec<_>, Vec<_>) = agreed.partition(|(_, theirs)| theirs.is_some());
            let special = !op.row().chips.contains(Chips::VEGA);
            for (line, theirs) in choose(taken, &mut seen) {
                number += 1;
                if let (Some(theirs), true) = (theirs, full || special || number % FURTHER == 0) {
                    let bytes: String = theirs.bytes.iter().map(|b| format!("{b:02x}")).collect();
                    let _ = writeln!(self.asm, "{chip}\t{bytes}\t{}\t{}", theirs.text, line.text);
                }
            }
            for (line, _) in not {
                refused += 1;
                if refused % if full { REFUSED } else { 4 * FURTHER } == 0 {
                    let _ = writeln!(self.reject, "{chip}\t{}", line.text);
                }
            }
        }
        Ok(())
    }

    /// Lines of instructions that `llvm-mc` does not know.
    fn by_layout(&mut self, random: &mut Random, chip: Chip, generation: Generation) {
        for op in Op::all().filter(|op| op.row().exists_on(chip) && !op.row().listed(generation)) {
            for _ in 0..KEPT {
                if let Some((text, bytes)) = layout::line(random, op, chip) {
                    let bytes: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                    let _ = writeln!(self.layout, "{chip}\t{bytes}\t{text}");
                }
            }
        }
    }
}

type Pair<'a> = (&'a Line, &'a Option<Assembled>);

/// The lines to keep: those first that have words no other has in that form.
fn choose<'a>(
    mut lines: Vec<&(&'a Line, &'a Option<Assembled>)>,
    seen: &mut HashSet<(Form, String)>,
) -> Vec<Pair<'a>> {
    let mut kept = Vec::new();
    while kept.len() < KEPT && !lines.is_empty() {
        let news = |line: &Line| words(line).filter(|w| !seen.contains(w)).count();
        let best = (0..lines.len()).max_by_key(|&i| (news(lines[i].0), lines.len() - i));
        let line = lines.remove(best.unwrap_or_default());
        seen.extend(words(line.0));
        kept.push(*line);
    }
    kept
}

/// The words of a line after the mnemonic.
fn words(line: &Line) -> impl Iterator<Item = (Form, String)> {
    let words = line
        .text
        .split([' ', ','])
        .skip(1)
        .filter(|w| !w.is_empty());
    words.map(|w| (line.form, w.to_string()))
}
