//! The project's own cases of instructions (`tests/isa`): how many each has, and what they show.

use std::collections::HashMap;
use std::sync::OnceLock;

use include_dir::{Dir, include_dir};
use wavetank_isa::{Chip, Generation, Op};
use wavetank_translate::{self as translate, Fidelity};

use crate::exec::parse_file;

/// What it says of an instruction that it is exact.
pub const EXACT: &str = "a row is exact when every neighbouring meaning fails its cases";

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/isa");

/// The cases of an instruction on the chips of a generation.
#[derive(Default)]
struct Shown {
    count: usize,
    /// The first file with a case that has its name, or else with any, from the root of the repository.
    file: String,
    /// Whether the case there has its name.
    named: bool,
}

/// In how many of the project's cases an instruction is executed on a generation.
///
/// ```
/// use wavetank::cases_of;
/// use wavetank_isa::tables::Vop3;
/// use wavetank_isa::Generation;
/// assert!(cases_of(Vop3::V_LSHL_ADD_U32, Generation::Gfx9) > 0);
/// assert_eq!(cases_of(Vop3::V_LSHL_ADD_U32, Generation::Gfx6), 0);
/// ```
pub fn cases_of(op: impl Into<Op>, generation: Generation) -> usize {
    shown(op.into(), generation).map_or(0, |shown| shown.count)
}

/// The class of an instruction on a chip: how true it is to the ISA's document, and what shows it.
///
/// Of what is exact ([`EXACT`]), its cases fail with each of its neighbours in its place: the twelve instructions of the same
/// encoding and operands whose names are the nearest. The project's tests hold that, and name those that do the same, with the
/// reason (`tests/data/equivalent.txt`).
///
/// ```
/// use wavetank::{Chip, Fidelity, fidelity};
/// use wavetank_isa::tables::{Sopp, Vop3};
/// let exact = fidelity(Vop3::V_LSHL_ADD_U32, Chip::Gfx900);
/// assert!(matches!(exact, Fidelity::Exact(file) if file.starts_with("tests/isa/")));
/// assert!(matches!(fidelity(Sopp::S_SETPRIO, Chip::Gfx803), Fidelity::NoEffect(_)));
/// ```
pub fn fidelity(op: impl Into<Op>, chip: Chip) -> Fidelity {
    let op = op.into();
    match (translate::fidelity(op, chip), shown(op, chip.generation())) {
        (Fidelity::Unshown | Fidelity::Exact(_), Some(shown)) => Fidelity::Exact(&shown.file),
        (class, _) => class,
    }
}

fn shown(op: Op, generation: Generation) -> Option<&'static Shown> {
    static ALL: OnceLock<HashMap<(Op, Generation), Shown>> = OnceLock::new();
    ALL.get_or_init(all).get(&(op, generation))
}

fn all() -> HashMap<(Op, Generation), Shown> {
    let mut all: HashMap<_, Shown> = HashMap::new();
    for file in FILES.files() {
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
                if shown.count == 0 || named && !shown.named {
                    shown.file = format!("tests/isa/{}", file.path().display());
                    shown.named = named;
                }
                shown.count += 1;
            }
        }
    }
    all
}
