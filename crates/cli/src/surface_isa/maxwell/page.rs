//! `wavetank explain suatom`: the reference page, made of the tables that decoder and assembler read.

use serde::Serialize;
use wavetank_facts::SuatomField;
use wavetank_surface_isa::maxwell::{
    Dim, FORMS, Form, Generation, Op, Size, assemble, encode, operand_constraints,
};

use super::drawing::cells;
use crate::atomics::side_by_side;
use crate::diagram::Cell;
use crate::surface_isa::reference::{Block, Reference, Section, Table};

/// The examples of the page, with their explanations.
const EXAMPLES: [(&str, &str); 6] = [
    (
        "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;",
        "x in R2, y in R3, data in R4, handle in R1",
    ),
    (
        "SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100;",
        "adds R4:R5 at byte R3; the handle is at c[bank][0x400]",
    ),
    (
        "@!P2 SUATOM.D.2D_ARRAY.MIN.S32 R0, [R4], R8, R12;",
        "threads where P2 is false; layer R6[15:0]",
    ),
    (
        "SUATOM.D.3D.CAS.U64 R8, [R4], R12, R1;",
        "compares with R12:R13, writes R14:R15",
    ),
    (
        "SUATOM.D.2D.XOR.TRAP P0, R8, [R4], R12, R1;",
        "P0 is set where the page is sparse",
    ),
    (
        "SUATOM.D.1D.INC RZ, [R2], R4, R1 &req_6 &wr0 ?stall2;",
        "waits for barriers 1 and 2, raises barrier 0",
    ),
];

/// Returns the new value of the element by an operation.
fn formula(op: Op) -> &'static str {
    match op {
        Op::Add => "M + Rb; wraps, SD sizes saturate",
        Op::Min => "min(M, Rb), by the size's sign",
        Op::Max => "max(M, Rb), by the size's sign",
        Op::Inc => "M >= Rb ? 0 : M + 1",
        Op::Dec => "M == 0 || M > Rb ? Rb : M - 1",
        Op::And => "M & Rb",
        Op::Or => "M | Rb",
        Op::Xor => "M ^ Rb",
        Op::Exch => "Rb",
        Op::Cas => "M == Rb ? the register (pair) after Rb : M",
    }
}

/// The coordinates of each dimension, a register each.
fn coordinates(dim: Dim) -> &'static str {
    match dim {
        Dim::D1 => "x",
        Dim::Buffer => "x: unsigned, but signed with .NEAR",
        Dim::D1Array => "x, index (16 low bits)",
        Dim::D2 => "x, y",
        Dim::D2Array => "x, y, index (16 low bits)",
        Dim::D3 => "x, y, z",
    }
}

const OPERANDS: [(&str, &str); 7] = [
    (
        "Pg",
        "guard: P0 to P6 or PT, `@!` negates; other threads do nothing",
    ),
    (
        "Ps",
        "set where the page is sparse; PT drops it. Not in .P, and not with an immediate handle but in CAS",
    ),
    ("Rd", "gets the value before; RZ drops it"),
    ("Ra", "the first coordinate; the others follow it. Not RZ"),
    (
        "Rb",
        "the data; in CAS the value to compare with, then the one to write",
    ),
    (
        "Rc",
        "the handle: samplerPtr[31:20] | headerPtr[19:0]. Not RZ",
    ),
    (
        "0x…",
        "or the index of a word in the constant bank that holds the handle: 13 bits",
    ),
];

const RULES: [&str; 7] = [
    "An operation takes the sizes listed above.",
    "Coordinates: two begin at an even register, three at a multiple of 4.",
    "Data and Rd of 64 bits begin at an even register; Rb of CAS at an even one with 32 bits, at a multiple of 4 with 64.",
    "No register of a group is RZ, unless the group is RZ as a whole; Ra and Rc are not RZ.",
    "A header pointer beyond MaximumIndex is not a surface; a disabled surface drops what is written.",
    "Helper and killed pixels do nothing.",
    "Lanes that meet at one element go one after another, in rising order.",
];

const CONTROL: [(&str, &str); 6] = [
    ("&req_N", "waits for barriers, a bit each"),
    ("&rdN", "raises barrier N until the sources have been read"),
    ("&wrN", "raises barrier N until Rd is there"),
    ("&reuse_N", "keeps source registers, a bit each"),
    ("?stallN", "cycles until the next one"),
    ("?yield", "sets the yield bit, as ?stallN.yield does"),
];

/// Returns whether instructions of a generation report sparse pages.
fn has_sparse(generation: Generation) -> bool {
    forms_of(generation).any(|form| form.name == "D_REG_SPARSE")
}

fn operands(generation: Generation) -> Block {
    let there = |name: &str| name != "Ps" || has_sparse(generation);
    let operands = OPERANDS.iter().filter(|(name, _)| there(name));
    Block::Terms(4, terms(operands.copied()))
}

fn terms<'t>(terms: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<(String, String)> {
    let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    terms.into_iter().map(owned).collect()
}

fn rules_of_all() -> Vec<Block> {
    let note = "The disassembler shows what breaks the first four; the assembler refuses it.";
    let rules = RULES.iter().map(|rule| (*rule).to_owned());
    vec![Block::List(rules.collect()), Block::text(note)]
}

/// The action of every operation.
const DOES: &str = "Does one read-modify-write on an element of a surface for each thread, and returns the value before.";

fn syntax(generation: Generation, op: &str) -> Block {
    let status = if has_sparse(generation) { "{Ps,} " } else { "" };
    Block::Code(vec![format!(
        "{{@{{!}}Pg}} SUATOM.D{{.BA}}.dim.{op}{{.sz}}{{.clamp}} {status}Rd, [Ra], Rb, Rc|#tsPtrIdxU13 {{&req_6}} {{&rdN}} \
         {{&wrN}} {{?sched}};"
    )])
}

/// The reference page for a generation.
pub(super) fn reference(generation: Generation) -> Reference {
    let data = ".D takes data as they are, x in elements, with .BA in bytes; .P takes them in the surface's format.";
    Reference {
        title: format!("SUATOM, atomic operation on a surface ({generation})"),
        introduction: vec![
            Block::text(DOES),
            syntax(generation, "op"),
            Block::text(data),
        ],
        sections: vec![
            Section::new("Operands", vec![operands(generation)]),
            Section::new(
                "Operations: what M becomes, and the sizes (.U32 if there is none)",
                vec![operations(generation)],
            ),
            Section::new(
                "Dimensions: the coordinates from Ra on, 32 bits each",
                vec![dimensions()],
            ),
            Section::new("Clamps (.NEAR if there is none)", vec![clamps()]),
            Section::new("Rules", rules_of_all()),
            Section::new(
                "Forms, a word of 64 bits each; bits in empty cells count for nothing",
                forms(generation),
            ),
            Section::new(
                "Control word: 21 bits for each of a bundle's three, from bit 0 upward",
                control(),
            ),
            Section::new("Examples", examples(generation, None)),
            Section::new("Atomics of three vendors", side_by_side()),
        ],
    }
}

/// The page of an operation: its forms and sizes, and the common part of the reference page.
pub(super) fn operation_page(generation: Generation, op: Op) -> Reference {
    let becomes = format!("The element M becomes: {}.", formula(op));
    let has = |form: &&Form| form.is_cas() == (op == Op::Cas);
    let drawn = forms_of(generation).filter(has).flat_map(drawn_form);
    let code = (op != Op::Cas).then(|| format!("The field op is {}.", op.code()));
    let encoding = code.map(Block::text).into_iter().chain(drawn);
    Reference {
        title: format!("SUATOM.{}", op.name()),
        introduction: vec![
            Block::text(DOES),
            Block::text(becomes),
            syntax(generation, op.name()),
        ],
        sections: vec![
            Section::new("Sizes", vec![Block::text(sizes(op, generation).join(", "))]),
            Section::new("Operands", vec![operands(generation)]),
            Section::new("Encoding", encoding.collect()),
            Section::new("Clamps", vec![clamps()]),
            Section::new("Rules", rules_of_all()),
            Section::new("Examples", examples(generation, Some(op))),
        ]
        .into_iter()
        .filter(|section| !section.blocks.is_empty())
        .collect(),
    }
}

fn sizes(op: Op, generation: Generation) -> Vec<&'static str> {
    let sizes = operand_constraints::sizes(op)
        .iter()
        .filter(|size| size.is_on(generation));
    sizes.map(|size| size.printed(generation)).collect()
}

fn operations(generation: Generation) -> Block {
    let row = |op: &Op| {
        let sizes = sizes(*op, generation).join(" ");
        vec![format!(".{}", op.name()), formula(*op).to_owned(), sizes]
    };
    Block::Table(Table {
        header: vec!["op", "M becomes", "sizes"],
        numbers: Vec::new(),
        rows: Op::ALL.iter().map(row).collect(),
    })
}

fn dimensions() -> Block {
    let line = |dim: &Dim| (format!(".{}", dim.name()), coordinates(*dim).to_owned());
    Block::Terms(11, Dim::ALL.iter().map(line).collect())
}

fn clamps() -> Block {
    let all = [
        (".IGN", "outside nothing is written, and Rd gets 0"),
        (".NEAR", "a coordinate outside is the nearest one inside"),
        (".TRAP", "a coordinate outside stops the program"),
    ];
    Block::Terms(6, terms(all))
}

/// The forms that a generation has.
fn forms_of(generation: Generation) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(move |form| form.since <= generation)
}

fn drawn_form(form: &'static Form) -> [Block; 2] {
    [
        Block::text(format!("\n{} (from {})", form.name, form.since)),
        Block::Diagram(cells(form, None), 64),
    ]
}

fn forms(generation: Generation) -> Vec<Block> {
    let mut blocks: Vec<Block> = forms_of(generation).flat_map(drawn_form).collect();
    let codes = |name: &str, list: Vec<String>| (name.to_owned(), list.join(", "));
    let ops = Op::ALL.iter().filter(|op| **op != Op::Cas);
    let dims = Dim::ALL.iter();
    let there = Size::ALL.iter().filter(|size| size.is_on(generation));
    let clamps = wavetank_surface_isa::maxwell::Clamp::ALL.iter();
    let status = if has_sparse(generation) {
        "the predicate inverted: 0 PT … 7 P0"
    } else {
        "0: there is no sparse status"
    };
    blocks.push(Block::text("\n"));
    blocks.push(Block::Terms(
        6,
        vec![
            codes(
                "op",
                ops.map(|op| format!("{} {}", op.code(), op.name()))
                    .collect(),
            ),
            codes(
                "dim",
                dims.map(|d| format!("{} {}", d.code(), d.name())).collect(),
            ),
            codes(
                "sz",
                there
                    .map(|s| format!("{} {}", s.code(), s.printed(generation)))
                    .collect(),
            ),
            codes(
                "clamp",
                clamps
                    .map(|c| format!("{} {}", c.code(), c.name()))
                    .collect(),
            ),
            (
                "Ps".to_owned(),
                format!("{status};  Pg 7 is PT;  register 255 is RZ"),
            ),
        ],
    ));
    blocks
}

/// The diagram of one slot, and the marks.
fn control() -> Vec<Block> {
    let fields = [
        ("stall", 0, 4),
        ("yield", 4, 1),
        ("wr", 5, 3),
        ("rd", 8, 3),
        ("req", 11, 6),
        ("reuse", 17, 4),
    ];
    let cells = fields.map(|(name, low, width)| Cell::new(name, low, width));
    vec![
        Block::Diagram(cells.to_vec(), 21),
        Block::text("wr and rd: 7 is none"),
        Block::Terms(9, terms(CONTROL)),
    ]
}

/// The examples of all operations, or of one.
fn examples(generation: Generation, of: Option<Op>) -> Vec<Block> {
    let example = |(text, about): &(&str, &str)| {
        // Some need a later generation.
        let (inst, _) = assemble(text, generation).ok()?;
        let word = encode(&inst).ok()?;
        let wanted = of.is_none_or(|op| op == inst.op);
        wanted.then(|| {
            [
                Block::text(*text),
                Block::Code(vec![format!("{word:#018x}  {about}")]),
            ]
        })
    };
    EXAMPLES.iter().filter_map(example).flatten().collect()
}

/// The page's tables.
#[derive(Serialize)]
pub(crate) struct Facts {
    isa: String,
    operations: Vec<Operation>,
    forms: Vec<FormFacts>,
}

#[derive(Serialize)]
struct Operation {
    name: &'static str,
    becomes: &'static str,
    sizes: Vec<&'static str>,
}

#[derive(Serialize)]
struct FormFacts {
    name: &'static str,
    prefix: String,
    fields: Vec<SuatomField>,
}

/// The page's tables for a generation.
pub(super) fn facts(generation: Generation) -> Facts {
    let operation = |op: &Op| Operation {
        name: op.name(),
        becomes: formula(*op),
        sizes: sizes(*op, generation),
    };
    let form = |form: &Form| FormFacts {
        name: form.name,
        prefix: format!("{:b}", form.prefix),
        fields: form
            .fields
            .iter()
            .map(|placed| SuatomField::new(placed, None))
            .collect(),
    };
    Facts {
        isa: generation.to_string(),
        operations: Op::ALL.iter().map(operation).collect(),
        forms: forms_of(generation).map(form).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::PAGE;

    #[test]
    fn pages_fit_a_terminal() {
        for generation in Generation::ALL {
            for line in reference(generation).page().lines() {
                assert!(line.chars().count() <= PAGE, "{generation}: {line}");
            }
        }
    }

    /// Sparse status is of SPA 5.2 and later.
    #[test]
    fn the_first_generation_has_no_sparse_status() {
        let has = |generation| {
            let page = reference(generation).page();
            page.contains("{Ps,}") && page.contains("\n  Ps   set where")
        };
        assert!(has(Generation::Sm52) && !has(Generation::Sm50));
        assert!(!reference(Generation::Sm50).page().contains("Ps,"));
    }
}
