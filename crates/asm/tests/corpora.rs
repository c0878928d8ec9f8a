//! Every text of every corpus through the assembler of whole sources: what the parser of one instruction takes, many lines
//! of a source take, with the same bytes, whatever symbols there are and whichever lines are wrong around them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wavetank_asm::{Options, assemble, assemble_code, source_of};
use wavetank_gcn::{Chip, Dialect, decode, encode, parse, print_in};
use wavetank_link::{Input, link};

use crate::examples::{ACCEPTED, shared, unhex};

macro_rules! own {
    ($kind:literal) => {
        [
            include_str!(concat!("../../gcn/tests/corpus/", $kind, "-gfx6.tsv")),
            include_str!(concat!("../../gcn/tests/corpus/", $kind, "-gfx7.tsv")),
            include_str!(concat!("../../gcn/tests/corpus/", $kind, "-gfx8.tsv")),
            include_str!(concat!("../../gcn/tests/corpus/", $kind, "-gfx9.tsv")),
        ]
    };
}

/// Lines of a chip, and the bytes of each.
type Lines = BTreeMap<Chip, Vec<(String, Vec<u8>)>>;

/// The rows of files: chip, and the other columns.
fn rows(texts: &[String]) -> impl Iterator<Item = (Chip, Vec<&str>)> {
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.map(|line| {
        let mut columns = line.split('\t');
        let chip = columns.next().and_then(Chip::from_name).expect("a chip");
        (chip, columns.collect())
    })
}

fn texts(own: &[&str], others: &[&str]) -> Vec<String> {
    let own = own.iter().map(|text| (*text).to_owned());
    let others = others
        .iter()
        .filter_map(|name| shared(&format!("conformance/{name}.tsv")));
    own.chain(others).collect()
}

/// Canonical texts and those that people wrote, each once. The few whose bytes a parser does not make are left out: text
/// that LLVM 14 wrote otherwise, and bits that no text holds; the parser's own tests know them.
fn right_lines() -> Lines {
    let files = [
        "asm-gfx6", "asm-gfx7", "asm-gfx8", "asm-gfx9", "dis-gfx8", "dis-gfx9",
    ];
    let mut seen = BTreeSet::new();
    let (mut lines, mut other) = (Lines::new(), 0);
    let all = texts(&own!("asm"), &files);
    for (chip, columns) in rows(&all) {
        let bytes = unhex(columns[0]);
        for text in &columns[1..] {
            let inst = parse(text, chip).ok().and_then(|inst| encode(&inst).ok());
            let same = inst.is_some_and(|code| code.as_bytes() == bytes);
            other += usize::from(!same);
            if same && seen.insert((chip, *text)) {
                lines
                    .entry(chip)
                    .or_default()
                    .push(((*text).to_owned(), bytes.clone()));
            }
        }
    }
    assert!(100 * other < seen.len(), "{other} of {}", seen.len());
    lines
}

/// Lines that are refused, by chip.
fn wrong_lines() -> BTreeMap<Chip, Vec<String>> {
    let files = ["reject-gfx6", "reject-gfx7", "reject-gfx8", "reject-gfx9"];
    let all = texts(&own!("reject"), &files);
    let mut lines: BTreeMap<Chip, Vec<String>> = BTreeMap::new();
    for (chip, columns) in rows(&all) {
        let is_right =
            |(cpu, text): &(&str, &str)| Chip::from_name(cpu) == Some(chip) && *text == columns[0];
        if !ACCEPTED.iter().any(is_right) {
            lines.entry(chip).or_default().push(columns[0].to_owned());
        }
    }
    lines
}

/// What a source makes of each of its lines: bytes by the number of the line, and the sentences of wrong ones.
struct Made {
    bytes: HashMap<usize, Vec<u8>>,
    wrong: HashMap<usize, String>,
}

fn made(source: &str, chip: Chip, dialect: Dialect) -> Made {
    let mut bytes = HashMap::new();
    let done = assemble(source, chip, dialect, |line| {
        bytes.insert(line.number, line.bytes().to_vec());
    });
    let errors = done.err().map(|errors| errors.0).unwrap_or_default();
    let wrong = errors
        .iter()
        .map(|error| (error.number, error.error.message.clone()));
    Made {
        bytes,
        wrong: wrong.collect(),
    }
}

fn assert_none(failures: &[String]) {
    let shown: Vec<&str> = failures.iter().take(20).map(String::as_str).collect();
    let count = failures.len();
    assert!(failures.is_empty(), "{count} wrong:\n{}", shown.join("\n"));
}

/// What is wrong with lines in a source after others.
fn failures(
    chip: Chip,
    dialect: Dialect,
    before: &[String],
    lines: &[(String, Vec<u8>)],
) -> Vec<String> {
    let all = before.iter().chain(lines.iter().map(|line| &line.0));
    let source: String = all.flat_map(|line| [line, "\n"]).collect();
    let made = made(&source, chip, dialect);
    let reported =
        lines
            .iter()
            .zip(1 + before.len()..)
            .filter_map(|((text, bytes), number)| {
                match (made.wrong.get(&number), made.bytes.get(&number)) {
                    (None, Some(own)) if own == bytes => None,
                    (None, own) => Some(format!("{chip} {text}: {own:02x?}, not {bytes:02x?}")),
                    (Some(why), _) => Some(format!("{chip} {text}: {why}")),
                }
            });
    reported.collect()
}

#[test]
fn right_lines_make_their_bytes_in_a_source() {
    let mut all = Vec::new();
    for (chip, lines) in &right_lines() {
        all.extend(failures(*chip, Dialect::Llvm, &[], lines));
        // The same in one piece.
        let source: String = lines.iter().flat_map(|(text, _)| [text, "\n"]).collect();
        let code = assemble_code("all.s", &source, &Options::new(*chip));
        let bytes: Vec<u8> = lines.iter().flat_map(|line| line.1.clone()).collect();
        if all.is_empty() && code.as_ref() != Ok(&bytes) {
            all.push(format!("{chip}: the code differs from its lines"));
        }
    }
    assert_none(&all);
}

/// LLVM's assembler takes registers and keywords before symbols; so any word of the lines may be a symbol's name as well.
#[test]
fn symbols_named_as_words_of_the_language_change_nothing() {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let mut all = Vec::new();
    for (chip, lines) in &right_lines() {
        let operands = lines.iter().filter_map(|(text, _)| text.split_once(' '));
        let words = operands.flat_map(|(_, rest)| rest.split(|c| !is_part(c)));
        let names = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        let names: BTreeSet<&str> = names.collect();
        let set: Vec<String> = names.iter().map(|name| format!(".set {name}, 1")).collect();
        // Each word of each line is looked at now: some of the lines do.
        let some: Vec<_> = lines.iter().step_by(3).cloned().collect();
        all.extend(failures(*chip, Dialect::Llvm, &set, &some));
    }
    assert_none(&all);
}

#[test]
fn wrong_lines_are_refused_alone_and_spoil_no_others() {
    let mut all = Vec::new();
    let right = right_lines();
    for (chip, wrong) in &wrong_lines() {
        for line in wrong {
            if made(line, *chip, Dialect::Llvm).wrong.is_empty() {
                all.push(format!("{chip} alone: {line}"));
            }
        }
        // A right line after each wrong one, those of one kind beside each other.
        let Some(good) = right.get(chip).or_else(|| same_generation(&right, *chip)) else {
            all.push(format!("{chip} has no right lines"));
            continue;
        };
        let mut good: Vec<&(String, Vec<u8>)> = good.iter().collect();
        good.sort();
        let mut bad: Vec<&String> = wrong.iter().collect();
        bad.sort();
        let step = (good.len() / bad.len()).max(1);
        let good: Vec<_> = good.into_iter().step_by(step).collect();
        let pairs: Vec<_> = bad.into_iter().zip(good).collect();
        let source: String = pairs
            .iter()
            .map(|(bad, good)| format!("{bad}\n{}\n", good.0))
            .collect();
        let made = made(&source, *chip, Dialect::Llvm);
        for ((bad, (text, bytes)), n) in pairs.iter().zip(0..) {
            let (first, second) = (2 * n + 1, 2 * n + 2);
            match made.wrong.get(&first) {
                None => all.push(format!("{chip} among others: {bad}")),
                // What stands in for values that come later.
                Some(why)
                    if ["24301", "5eed", "1592651789"]
                        .iter()
                        .any(|n| why.contains(n)) =>
                {
                    all.push(format!("{chip} {bad}: {why}"));
                }
                Some(_) => {}
            }
            if let Some(why) = made.wrong.get(&second) {
                all.push(format!("{chip} {text}, after {bad}: {why}"));
            } else if made.bytes.get(&second) != Some(bytes) {
                all.push(format!("{chip} {text}, after {bad}: other bytes"));
            }
        }
    }
    assert_none(&all);
}

/// The lines of a chip of the same generation: of some there are only wrong ones.
fn same_generation(lines: &Lines, chip: Chip) -> Option<&Vec<(String, Vec<u8>)>> {
    let found = lines
        .iter()
        .find(|(other, _)| other.generation() == chip.generation());
    found.map(|(_, lines)| lines)
}

/// What LLVM's text does not have is refused in it, and assembles in CLRX's.
#[test]
fn layouts_assemble_in_clrx_sources() {
    let mut all = Vec::new();
    let files = texts(&own!("layout"), &[]);
    let mut lines = Lines::new();
    for (chip, columns) in rows(&files) {
        let bytes = unhex(columns[0]);
        if made(columns[1], chip, Dialect::Llvm).wrong.is_empty() {
            all.push(format!("{chip}: LLVM's dialect takes {}", columns[1]));
        }
        let inst = decode(&bytes, chip).expect("an instruction");
        let mut text = String::new();
        print_in(&inst, Dialect::Clrx, &mut text).expect("a string takes all");
        lines.entry(chip).or_default().push((text, bytes));
    }
    for (chip, lines) in &lines {
        all.extend(failures(*chip, Dialect::Clrx, &[], lines));
    }
    assert_none(&all);
}

/// A code object of all lines becomes a source, and that the same code: `dis --source` and `asm`.
#[test]
fn sources_of_all_lines_assemble_to_them() {
    for (chip, lines) in &right_lines() {
        // Branches would lead out of the code.
        let lines = lines
            .iter()
            .filter(|(text, _)| !text.contains("branch") && !text.contains("s_call"));
        let lines: Vec<_> = lines.collect();
        let body: String = lines.iter().flat_map(|(text, _)| [text, "\n"]).collect();
        let source = format!(".globl f\n.type f,@function\nf:\n{body}\ns_endpgm\n");
        let options = Options::new(*chip);
        let object = wavetank_asm::assemble_object("all.s", &source, &options).expect("a source");
        let inputs = [Input {
            name: "all",
            object: &object,
        }];
        let linked = link(&inputs, &wavetank_link::Options::default()).expect("a code object");
        let again = source_of(&linked).expect("a source");
        let swizzle = "swizzle(BITMASK_PERM,\"";
        assert_eq!(again.contains(swizzle), body.contains(swizzle), "{chip}");
        let code = match assemble_code("again.s", &again, &options) {
            Ok(code) => code,
            Err(errors) => panic!("{chip}: {}", errors.0[0]),
        };
        let end = [0, 0, 0x81, 0xbf];
        let bytes: Vec<u8> = lines
            .iter()
            .flat_map(|line| line.1.clone())
            .chain(end)
            .collect();
        let differs = code.iter().zip(&bytes).position(|(a, b)| a != b);
        assert_eq!((differs, code.len()), (None, bytes.len()), "{chip}");
    }
}
