//! The project's own cases of instructions (`tests/isa`): the number for each instruction, and the fidelity that they show.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use include_dir::{Dir, File, include_dir};
use wavetank_gcn::{Chip, Form, Generation, Op};
use wavetank_translate::{self as translate, Fidelity};

use crate::parse_file;

/// The meaning of *exact* in the coverage table.
pub const EXACT: &str = "a row is exact when every neighbouring meaning fails its cases";

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/isa");

/// A file of the project's cases, for one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFile {
    /// The path, from the root of the repository.
    pub path: String,
    /// The number of its cases that execute the instruction.
    pub cases: usize,
    /// Whether the name of a case contains the instruction's name.
    named: bool,
}

/// The cases of an instruction on the chips of a generation: the files, sorted by path.
#[derive(Default)]
struct Shown {
    files: Vec<CaseFile>,
}

impl Shown {
    /// Returns the file that shows the instruction best: the first with a case of its name, or else the first.
    fn best(&self) -> Option<&CaseFile> {
        let named = self.files.iter().find(|file| file.named);
        named.or_else(|| self.files.first())
    }

    /// Counts a case of a file. All cases of a file are counted before those of the next.
    fn count(&mut self, path: &str, named: bool) {
        match self.files.last_mut() {
            Some(file) if file.path == path => {
                file.cases += 1;
                file.named |= named;
            }
            _ => self.files.push(CaseFile {
                path: path.to_owned(),
                cases: 1,
                named,
            }),
        }
    }
}

/// Returns the number of the project's cases that execute an instruction on a generation.
///
/// ```
/// use wavetank_cases::cases_of;
/// use wavetank_gcn::tables::Vop3;
/// use wavetank_gcn::Generation;
/// assert!(cases_of(Vop3::V_LSHL_ADD_U32, Generation::Gfx9) > 0);
/// assert_eq!(cases_of(Vop3::V_LSHL_ADD_U32, Generation::Gfx6), 0);
/// ```
pub fn cases_of(op: impl Into<Op>, generation: Generation) -> usize {
    case_files(op, generation)
        .iter()
        .map(|file| file.cases)
        .sum()
}

/// Returns the files of the project's cases that execute an instruction on a generation, sorted by path.
///
/// ```
/// use wavetank_cases::case_files;
/// use wavetank_gcn::tables::Vop3;
/// use wavetank_gcn::Generation;
/// let files = case_files(Vop3::V_LSHL_ADD_U32, Generation::Gfx9);
/// assert!(files.iter().any(|file| file.path == "tests/isa/vop3/vop3-integer.wt" && file.cases > 0));
/// ```
pub fn case_files(op: impl Into<Op>, generation: Generation) -> &'static [CaseFile] {
    shown(op.into(), None, generation).map_or(&[], |shown| &shown.files)
}

/// Returns the files of the cases that execute an instruction in a form. FLAT, GLOBAL and SCRATCH have cases of their own, and
/// the forms of other instructions share theirs.
///
/// ```
/// use wavetank_cases::case_files_in;
/// use wavetank_gcn::tables::Flat;
/// use wavetank_gcn::{Form, Generation};
/// let files = case_files_in(Flat::FLAT_LOAD_DWORD, Form::Global, Generation::Gfx9);
/// assert!(files.iter().any(|file| file.path == "tests/isa/flat/global.wt"));
/// assert!(files.iter().all(|file| file.path != "tests/isa/flat/flat.wt"));
/// ```
pub fn case_files_in(op: impl Into<Op>, form: Form, generation: Generation) -> &'static [CaseFile] {
    let op = op.into();
    shown(op, segment(op, form), generation).map_or(&[], |shown| &shown.files)
}

/// Returns the name of an instruction in a segment.
fn name_in(name: &str, segment: Option<Form>) -> Cow<'_, str> {
    match segment {
        Some(Form::Global) => name.replacen("flat_", "global_", 1).into(),
        Some(Form::Scratch) => name.replacen("flat_", "scratch_", 1).into(),
        _ => name.into(),
    }
}

/// Returns the segment whose cases are counted separately, if the form is one.
fn segment(op: Op, form: Form) -> Option<Form> {
    (op.home() == Form::Flat).then_some(form)
}

/// Returns the fidelity of an instruction on a chip: how closely it follows the ISA's document, and the evidence.
///
/// If an instruction is exact ([`EXACT`]), its cases fail with each of its neighbours in its place: the twelve instructions of
/// the same encoding and operands whose names are the most similar. The project's tests check that, and list the neighbours that
/// compute the same, with the reason (`tests/data/equivalent.txt`).
///
/// ```
/// use wavetank_cases::{Fidelity, fidelity};
/// use wavetank_gcn::Chip;
/// use wavetank_gcn::tables::{Sopp, Vop3};
/// let exact = fidelity(Vop3::V_LSHL_ADD_U32, Chip::Gfx900);
/// assert!(matches!(exact, Fidelity::Exact(file) if file.starts_with("tests/isa/")));
/// assert!(matches!(fidelity(Sopp::S_SETPRIO, Chip::Gfx803), Fidelity::NoEffect(_)));
/// ```
pub fn fidelity(op: impl Into<Op>, chip: Chip) -> Fidelity {
    let op = op.into();
    with_evidence(op, shown(op, None, chip.generation()), chip)
}

/// Returns the fidelity of an instruction in a form. If only cases in FLAT show an instruction, it is unshown in GLOBAL and
/// SCRATCH, whose addresses are computed in another way.
///
/// ```
/// use wavetank_cases::{Fidelity, fidelity_in};
/// use wavetank_gcn::tables::Flat;
/// use wavetank_gcn::{Chip, Form};
/// let exact = fidelity_in(Flat::FLAT_LOAD_DWORD, Form::Global, Chip::Gfx900);
/// assert!(matches!(exact, Fidelity::Exact("tests/isa/flat/global.wt")));
/// ```
pub fn fidelity_in(op: impl Into<Op>, form: Form, chip: Chip) -> Fidelity {
    let op = op.into();
    let in_form = shown(op, segment(op, form), chip.generation());
    with_evidence(op, in_form, chip)
}

fn with_evidence(op: Op, shown: Option<&'static Shown>, chip: Chip) -> Fidelity {
    match (translate::fidelity(op, chip), shown.and_then(Shown::best)) {
        (Fidelity::Unshown | Fidelity::Exact(_), Some(file)) => Fidelity::Exact(&file.path),
        (class, _) => class,
    }
}

/// An instruction, the segment if its cases are counted separately, and a generation.
type Key = (Op, Option<Form>, Generation);

fn shown(op: Op, segment: Option<Form>, generation: Generation) -> Option<&'static Shown> {
    static ALL: OnceLock<HashMap<Key, Shown>> = OnceLock::new();
    ALL.get_or_init(all).get(&(op, segment, generation))
}

fn all() -> HashMap<Key, Shown> {
    let mut all: HashMap<_, Shown> = HashMap::new();
    for file in files(&FILES) {
        let path = format!("tests/isa/{}", file.path().display());
        // The project's tests fail if one of these files cannot be read.
        let cases = file.contents_utf8().map(parse_file);
        for case in cases.into_iter().flatten().flatten() {
            let Some(chip) = case.chip() else { continue };
            let executed = case.instructions().flat_map(|inst| {
                let apart = segment(inst.op, inst.form);
                [Some((inst.op, None)), apart.map(|_| (inst.op, apart))]
            });
            let mut executed: Vec<(Op, Option<Form>)> = executed.flatten().collect();
            executed.sort_unstable();
            executed.dedup();
            for (op, segment) in executed {
                let mnemonic = op.row().mnemonic(chip.generation());
                let named = mnemonic.is_some_and(|name| {
                    let name = name_in(name, segment);
                    case.name.split(' ').any(|word| word == name)
                });
                let key = (op, segment, chip.generation());
                let shown: &mut Shown = all.entry(key).or_default();
                shown.count(&path, named);
            }
        }
    }
    all
}

/// Returns the files of a folder and its subfolders, sorted by path. Those of CDNA are last: cases on Vega show what Vega has.
fn files<'a>(folder: &'a Dir<'a>) -> Vec<&'a File<'a>> {
    let mut found: Vec<_> = folder.files().collect();
    found.extend(folder.dirs().flat_map(files));
    found.sort_by_key(|file| (file.path().starts_with("cdna"), file.path()));
    found
}
