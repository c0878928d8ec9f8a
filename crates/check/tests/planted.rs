//! Programs with one mistake, and their twins without it: `planted/TOOL/NAME.s`.
//!
//! The first line names the chips, `// gfx803 gfx900`. A line with `//+` stands in the twin alone, one with `//-`
//! in the program with the mistake alone. There, `//~ RULE` (or `//-~ RULE`) stands where the finding is, and `//^` where
//! the other half of the story is.

use std::path::{Path, PathBuf};

use wavetank_asm::{Options, assemble, assemble_object};
use wavetank_check::{Findings, Tools, check_code};
use wavetank_gcn::{Chip, Dialect};
use wavetank_link::{Input, link};
use wavetank_object::CodeObject;

/// One of the two programs of a file.
struct Program {
    source: String,
    code: Vec<u8>,
    /// Where findings should be, with the rule.
    wanted: Vec<(u64, String)>,
    /// Where the other half of the story is.
    related: Vec<u64>,
}

impl Program {
    /// The program with the mistake, or its twin.
    fn of(text: &str, chip: Chip, twin: bool) -> Program {
        let dropped = if twin { "//-" } else { "//+" };
        let lines = text.lines().skip(1);
        let lines: Vec<&str> = lines.filter(|l| !l.contains(dropped)).collect();
        let mut program = Program {
            source: lines.join("\n"),
            code: Vec::new(),
            wanted: Vec::new(),
            related: Vec::new(),
        };
        let source = program.source.clone();
        assemble(&source, chip, Dialect::Llvm, |inst| {
            let line = lines[inst.number - 1];
            let at = inst.address;
            if let Some((_, rule)) = line.split_once("~ ").filter(|_| !twin) {
                program.wanted.push((at, rule.trim().to_owned()));
            }
            if line.contains("//^") {
                program.related.push(at);
            }
            program.code.extend_from_slice(inst.bytes());
        })
        .unwrap_or_else(|errors| panic!("{errors}\n{source}"));
        program
    }

    /// The code object: with kernels where the source has descriptors, else the plain code as a function.
    fn object(&self, chip: Chip) -> (CodeObject, u64) {
        if !self.source.contains(".amdhsa_kernel") {
            let target = chip.name().parse().expect("a chip is a target");
            let object = CodeObject::of_code(&self.code, target).expect("it is code");
            return (object, 0);
        }
        let object = assemble_object("planted.s", &self.source, &Options::new(chip));
        let object = object.unwrap_or_else(|errors| panic!("{errors}"));
        let input = Input {
            name: "planted.s",
            object: &object,
        };
        let linked = link(&[input], &Default::default()).expect("it can be linked");
        let object = CodeObject::parse(&linked).expect("it is a code object");
        let entry = object.kernels()[0].entry;
        (object, entry)
    }

    /// What the tools find, with the places of the other half, from the start of the code.
    fn found(&self, chip: Chip) -> Vec<(u64, String, Vec<u64>)> {
        let (object, start) = self.object(chip);
        let mut findings = Findings::default();
        check_code(&object, Tools::STATIC, &mut findings);
        let found = findings.iter().map(|f| {
            let related = f.related.iter().map(|mark| mark.place.pc - start).collect();
            let rule = format!("{}/{}", f.tool, f.rule);
            (f.at.place.pc - start, rule, related)
        });
        found.collect()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "s") {
            all.push(path);
        }
    }
    all.sort();
    all
}

#[test]
fn planted_mistakes_are_found_and_twins_are_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted");
    for path in files(&folder) {
        let text = std::fs::read_to_string(&path).expect("text");
        let tool = path.parent().and_then(Path::file_name).expect("a folder");
        let chips = text.lines().next().and_then(|l| l.strip_prefix("// "));
        let chips = chips.expect("the first line names chips");
        for name in chips.split_whitespace() {
            let chip = Chip::from_name(name).expect(name);
            let shown = format!("{} on {name}", path.display());
            let wrong = Program::of(&text, chip, false);
            assert_eq!(wrong.wanted.len(), 1, "{shown}: one planted mistake");
            let found = wrong.found(chip);
            let wanted: Vec<_> = (wrong.wanted.iter())
                .map(|(at, rule)| {
                    let rule = format!("{}/{rule}", tool.display());
                    (*at, rule, wrong.related.clone())
                })
                .collect();
            assert_eq!(found, wanted, "{shown}");
            let twin = Program::of(&text, chip, true);
            assert_eq!(twin.found(chip), [], "the twin of {shown}");
        }
    }
}
