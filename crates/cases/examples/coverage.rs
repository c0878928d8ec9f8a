//! Prints `docs/reference/coverage.md`: `cargo run --example coverage > docs/reference/coverage.md`.

use std::collections::BTreeMap;

use wavetank_cases::{EXACT, Fidelity, cases_of, fidelity};
use wavetank_gcn::{Chip, Op};

/// A chip of each generation, Vega 20, which has more instructions, and those of CDNA that are executed.
pub(crate) const CHIPS: [Chip; 8] = [
    Chip::Gfx600,
    Chip::Gfx701,
    Chip::Gfx803,
    Chip::Gfx900,
    Chip::Gfx906,
    Chip::Gfx908,
    Chip::Gfx90a,
    Chip::Gfx942,
];

/// The classes, as columns.
const CLASSES: [&str; 6] = [
    "exact",
    "within ULP",
    "approximate",
    "no effect",
    "unshown",
    "unsupported",
];

const HEAD: &str = "\
# Coverage

The instructions that are executed, how exactly, and in how many cases of `tests/isa`, by generation and encoding. Each instruction
stands in `wavetank isa --coverage --gpu CHIP`, with its reason. This page is made by `cargo run --example coverage >
docs/reference/coverage.md`, and a test holds it.

*exact*: EXACT. A neighbour is an instruction of the same encoding with
the same kinds of operands: the cases run with each of the twelve nearest by name in its place, and some case has to fail. Those
that do the same are listed with the reason in `crates/cases/tests/data/equivalent.txt`. What cases expect
comes from the documents. *within ULP*: as near as the manual asks. *approximate*: not what hardware does, and how is said.
*no effect*: it changes nothing by design. *unshown*: executed, and nothing shows it.
";

/// The document.
pub(crate) fn document() -> String {
    let tables: String = CHIPS.into_iter().map(table).collect();
    let head = HEAD.replace("EXACT", EXACT);
    format!("{head}{tables}{}", not_executed())
}

/// The instructions of a chip.
fn instructions(chip: Chip) -> impl Iterator<Item = Op> {
    Op::all().filter(move |op| op.row().exists_on(chip))
}

/// How many instructions are of each class, and how many cases execute one.
#[derive(Clone, Copy, Default)]
struct Count {
    classes: [usize; CLASSES.len()],
    cases: usize,
}

impl Count {
    fn add(&mut self, other: &Count) {
        for (to, n) in self.classes.iter_mut().zip(other.classes) {
            *to += n;
        }
        self.cases += other.cases;
    }

    fn of(op: Op, chip: Chip) -> Count {
        let class = fidelity(op, chip).class();
        Count {
            classes: CLASSES.map(|name| usize::from(name == class)),
            cases: cases_of(op, chip.generation()),
        }
    }

    fn line(&self, name: &str) -> String {
        let Count { classes, cases } = self;
        let cells = classes.map(|n| match n {
            0 => "–".to_owned(),
            n => n.to_string(),
        });
        let all: usize = classes.iter().sum();
        format!("| {name} | {all} | {} | {cases} |\n", cells.join(" | "))
    }
}

fn table(chip: Chip) -> String {
    let mut rows: BTreeMap<String, Count> = BTreeMap::new();
    for op in instructions(chip) {
        let encoding = format!("{:?}", op.home()).to_uppercase();
        rows.entry(encoding).or_default().add(&Count::of(op, chip));
    }
    let mut sum = Count::default();
    rows.values().for_each(|row| sum.add(row));
    let lines: String = rows.iter().map(|(name, row)| row.line(name)).collect();
    format!(
        "\n## {chip}\n\n| encoding | instructions | {} | cases |\n|---|{}\n{lines}{}",
        CLASSES.join(" | "),
        "---:|".repeat(CLASSES.len() + 2),
        sum.line("all"),
    )
}

/// The instructions that stop a kernel, each with the chips and the reason.
fn not_executed() -> String {
    let mut reasons: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for chip in CHIPS {
        for op in instructions(chip) {
            if let Fidelity::Unsupported(why) = fidelity(op, chip) {
                let name = op.row().mnemonic(chip.generation()).unwrap_or_default();
                let why = why.split_once(": ").map_or(why.as_str(), |(_, why)| why);
                let key = (name.to_owned(), why.to_owned());
                reasons.entry(key).or_default().push(chip.name());
            }
        }
    }
    let line = |((name, why), chips): (&(String, String), &Vec<&str>)| {
        format!("| {name} | {} | {why} |\n", chips.join(", "))
    };
    let lines: String = reasons.iter().map(line).collect();
    format!("\n## What stops a kernel\n\n| instruction | on | why |\n|---|---|---|\n{lines}")
}

#[allow(dead_code)]
fn main() {
    print!("{}", document());
}
