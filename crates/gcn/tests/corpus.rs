//! The project's own corpus: lines made from the table, with the bytes of
//! `llvm-mc` (`asm`, `reject`) or put together from the layouts of the ISA
//! documents (`layout`). `cargo run -p wavetank-gcn --example corpus write`
//! makes it anew.

use std::collections::HashSet;

use crate::common::unhex;
use wavetank_gcn::{Chip, Dialect, Form, Op, decode, encode, parse, parse_in};

macro_rules! corpus {
    ($kind:literal) => {
        [
            include_str!(concat!("corpus/", $kind, "-gfx6.tsv")),
            include_str!(concat!("corpus/", $kind, "-gfx7.tsv")),
            include_str!(concat!("corpus/", $kind, "-gfx8.tsv")),
            include_str!(concat!("corpus/", $kind, "-gfx9.tsv")),
        ]
    };
}

const ASM: [&str; 4] = corpus!("asm");
const REJECT: [&str; 4] = corpus!("reject");
const LAYOUT: [&str; 4] = corpus!("layout");

/// The first column as a chip, and the others.
fn row(line: &str) -> (Chip, Vec<&str>) {
    let mut columns = line.split('\t');
    let chip = columns.next().and_then(Chip::from_name).expect("a chip");
    (chip, columns.collect())
}

fn assert_none(failures: &[String]) {
    let shown = failures.iter().take(20).map(String::as_str);
    let shown: Vec<&str> = shown.collect();
    assert!(
        failures.is_empty(),
        "{} wrong:\n{}",
        failures.len(),
        shown.join("\n")
    );
}

/// What is wrong with a line of (cpu, bytes, canonical text, input text).
fn wrong(line: &str) -> Option<String> {
    let (chip, columns) = row(line);
    let [bytes, canonical, input] = columns[..] else {
        return Some(format!("{line}: not four columns"));
    };
    let inst = match parse(input, chip) {
        Ok(inst) => inst,
        Err(error) => return Some(format!("{chip} {input}: {error}")),
    };
    let encoded = encode(&inst).map(|e| e.as_bytes().to_vec());
    if encoded != Ok(unhex(bytes)) {
        return Some(format!("{chip} {input}: {encoded:02x?}, expected {bytes}"));
    }
    if inst.to_string() != canonical {
        return Some(format!(
            "{chip} {input}: printed {inst}, expected {canonical}"
        ));
    }
    // Spelling aside, which the bytes do not hold.
    match decode(&unhex(bytes), chip) {
        Ok(back) if back == inst => None,
        other => Some(format!("{chip} {input}: decoded {other:?}")),
    }
}

#[test]
fn lines_assemble_to_their_bytes_and_back() {
    let lines = ASM.iter().flat_map(|text| text.lines());
    assert_none(&lines.filter_map(wrong).collect::<Vec<_>>());
}

#[test]
fn lines_to_refuse_are_refused() {
    let mut accepted = Vec::new();
    for line in REJECT.iter().flat_map(|text| text.lines()) {
        let (chip, columns) = row(line);
        match parse(columns[0], chip) {
            Ok(inst) => accepted.push(format!("{line}: {inst}")),
            Err(error) => {
                assert!(
                    columns[0].get(error.span.clone()).is_some(),
                    "{line}: {error:?}"
                );
                assert!(!error.message.is_empty(), "{line}");
            }
        }
    }
    assert_none(&accepted);
}

/// Instructions that LLVM's text does not have are decoded and printed; the
/// CLRX dialect alone assembles them.
#[test]
fn layouts_decode_and_assemble_in_clrx() {
    let mut failures = Vec::new();
    for line in LAYOUT.iter().flat_map(|text| text.lines()) {
        let (chip, columns) = row(line);
        let bytes = unhex(columns[0]);
        match decode(&bytes, chip) {
            Ok(inst) if inst.to_string() == columns[1] => {}
            other => failures.push(format!("{line}: {:?}", other.map(|i| i.to_string()))),
        }
        if let Ok(inst) = parse(columns[1], chip) {
            failures.push(format!("{line}: LLVM's dialect takes {inst}"));
        }
        let clrx = decode(&bytes, chip).map(|inst| {
            let mut text = String::new();
            wavetank_gcn::print_in(&inst, Dialect::Clrx, &mut text).expect("a string takes all");
            text
        });
        let back = clrx
            .as_ref()
            .ok()
            .map(|text| parse_in(text, chip, Dialect::Clrx));
        match back {
            Some(Ok(inst)) if encode(&inst).is_ok_and(|e| e.as_bytes() == bytes) => {}
            other => failures.push(format!("{line}: {clrx:?}: {other:?}")),
        }
    }
    assert_none(&failures);
}

/// The forms of an instruction, each determined by parsing its line.
fn forms(op: Op, chip: Chip) -> Vec<Form> {
    let flat = op.home() == Form::Flat && chip >= Chip::Gfx900;
    let short = op.vop2(chip).map(|_| Form::Vop2);
    let forms = [
        (op.home() != Form::Vop3).then_some(op.home()),
        short,
        op.lists_vop3(chip).then_some(Form::Vop3),
        op.sdwa(chip).then_some(Form::Sdwa),
        op.dpp(chip).then_some(Form::Dpp),
        flat.then_some(Form::Global),
        op.scratch(chip).filter(|_| flat).map(|_| Form::Scratch),
    ];
    let all: HashSet<Form> = forms.into_iter().flatten().collect();
    all.into_iter().collect()
}

/// Nothing in the table goes untested.
#[test]
fn every_instruction_stands_in_the_corpus_in_every_form() {
    let mut here: HashSet<(Op, Form, usize)> = HashSet::new();
    for lines in [&ASM, &LAYOUT] {
        for line in lines.iter().flat_map(|text| text.lines()) {
            let (chip, columns) = row(line);
            let inst = decode(&unhex(columns[0]), chip).expect(line);
            here.insert((inst.op, inst.form, chip.generation() as usize));
        }
    }
    let mut missing = Vec::new();
    for chip in [
        Chip::Gfx600,
        Chip::Gfx704,
        Chip::Gfx803,
        Chip::Gfx900,
        Chip::Gfx906,
    ] {
        for op in Op::all().filter(|op| op.row().exists_on(chip)) {
            let generation = chip.generation();
            let listed = op.row().listed(generation);
            let forms = if listed {
                forms(op, chip)
            } else {
                vec![op.home()]
            };
            for form in forms {
                if !here.contains(&(op, form, generation as usize)) {
                    missing.push(format!("{op:?} as {form:?} on {chip}"));
                }
            }
        }
    }
    assert_none(&missing);
}
