//! The project's own cases of instructions (`tests/isa`): how many each has, and what they show.

use std::collections::HashMap;
use std::sync::OnceLock;

use include_dir::{Dir, File, include_dir};
use wavetank_gcn::{Chip, Generation, Op};
use wavetank_translate::{self as translate, Fidelity};

use crate::parse_file;

/// What it says of an instruction that it is exact.
pub const EXACT: &str = "a row is exact when every neighbouring meaning fails its cases";

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/isa");

/// A file of the project's cases, for one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFile {
    /// The path, from the root of the repository.
    pub path: String,
    /// How many of its cases execute the instruction.
    pub cases: usize,
    /// Whether a case has the instruction's name in its own.
    named: bool,
}

/// The cases of an instruction on the chips of a generation: the files, sorted by path.
#[derive(Default)]
struct Shown {
    files: Vec<CaseFile>,
}

impl Shown {
    /// The file that shows the instruction best: the first with a case of its name, or else the first.
    fn best(&self) -> Option<&CaseFile> {
        let named = self.files.iter().find(|file| file.named);
        named.or_else(|| self.files.first())
    }

    /// Counts a case of a file; files come one after the other.
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

/// In how many of the project's cases an instruction is executed on a generation.
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

/// The files of the project's cases that execute an instruction on a generation, sorted by path.
///
/// ```
/// use wavetank_cases::case_files;
/// use wavetank_gcn::tables::Vop3;
/// use wavetank_gcn::Generation;
/// let files = case_files(Vop3::V_LSHL_ADD_U32, Generation::Gfx9);
/// assert!(files.iter().any(|file| file.path == "tests/isa/vop3/vop3-integer.wt" && file.cases > 0));
/// ```
pub fn case_files(op: impl Into<Op>, generation: Generation) -> &'static [CaseFile] {
    shown(op.into(), generation).map_or(&[], |shown| &shown.files)
}

/// The class of an instruction on a chip: how true it is to the ISA's document, and what shows it.
///
/// Of what is exact ([`EXACT`]), its cases fail with each of its neighbours in its place: the twelve instructions of the same
/// encoding and operands whose names are the nearest. The project's tests hold that, and name those that do the same, with the
/// reason (`tests/data/equivalent.txt`).
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
    let best = shown(op, chip.generation()).and_then(Shown::best);
    match (translate::fidelity(op, chip), best) {
        (Fidelity::Unshown | Fidelity::Exact(_), Some(file)) => Fidelity::Exact(&file.path),
        (class, _) => class,
    }
}

fn shown(op: Op, generation: Generation) -> Option<&'static Shown> {
    static ALL: OnceLock<HashMap<(Op, Generation), Shown>> = OnceLock::new();
    ALL.get_or_init(all).get(&(op, generation))
}

fn all() -> HashMap<(Op, Generation), Shown> {
    let mut all: HashMap<_, Shown> = HashMap::new();
    for file in files(&FILES) {
        let path = format!("tests/isa/{}", file.path().display());
        // They are the project's tests, which fail on one that cannot be read.
        let cases = file.contents_utf8().map(parse_file);
        for case in cases.into_iter().flatten().flatten() {
            let Some(chip) = case.chip() else { continue };
            let mut ops: Vec<Op> = case.instructions().map(|inst| inst.op).collect();
            ops.sort_unstable();
            ops.dedup();
            for op in ops {
                let mnemonic = op.row().mnemonic(chip.generation());
                let named =
                    mnemonic.is_some_and(|name| case.name.split(' ').any(|word| word == name));
                let shown: &mut Shown = all.entry((op, chip.generation())).or_default();
                shown.count(&path, named);
            }
        }
    }
    all
}

/// The files of a folder and of those in it, sorted by path.
fn files<'a>(folder: &'a Dir<'a>) -> Vec<&'a File<'a>> {
    let mut found: Vec<_> = folder.files().collect();
    found.extend(folder.dirs().flat_map(files));
    found.sort_by_key(|file| file.path());
    found
}
