//! `wavetank explain typed_atomic`: the reference page, made of the tables that decoder and assembler read.

use serde::Serialize;
use wavetank_facts::hex_pairs;
use wavetank_surface_isa::visa::operation::{Data, ROWS, Row, Sources};
use wavetank_surface_isa::visa::{Ids, TYPED_ATOMIC, encode, parse};

use crate::atomics::side_by_side;
use crate::diagram::Cell;
use crate::surface_isa::reference::{Block, Reference, Section, Table};

/// The surface types and their offsets, as the description's table has them; `-` is null.
const SURFACES: [(&str, &str, &str, &str); 5] = [
    ("1D", "x", "-", "-"),
    ("1D_array", "x", "layer", "-"),
    ("2D", "x", "y", "-"),
    ("2D_array", "x", "y", "layer"),
    ("3D", "x", "y", "z"),
];

/// Instructions that are shown with their bytes.
const EXAMPLES: [(&str, &str); 4] = [
    (
        "Count hits in a 2D image; the counts are not needed:",
        "typed_atomic.inc (M1, 8) T6 V32.0 V33.0 %null.0 %null.0 %null.0 %null.0 %null.0",
    ),
    (
        "Take numbers from a line of 16-bit counters:",
        "typed_atomic.add.16 (M1, 16) T7 V32.0 %null.0 %null.0 %null.0 V36.0 %null.0 V38.0",
    ),
    (
        "Put V36 where V37 stands, for channels whose bit of P1 is not set:",
        "(!P1) typed_atomic.cmpxchg (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 V36.0 V37.0 V38.0",
    ),
    (
        "The depth of a voxel, for the upper channels of a thread of 16:",
        "typed_atomic.fmin (M3, 8) T8 V32.32 V33.32 V34.32 %null.0 V36.32 %null.0 %null.0",
    ),
];

const INTRODUCTION: &str = "\
An atomic on elements of a typed surface (Intel vISA, opcode 0x73), 1 to 16 channels.

Each active channel names an element by coordinates. Its old value, and what the operation makes of it, change places in one \
step; channels that meet at an element go one after another, in their order. Dst gets the old value (predec: the new one). \
Outside the surface nothing is stored, and 0 is returned.
";

/// The text of an operation.
const SYNTAX: &str = "[(P1)] typed_atomic.OP[.16] (M1, 8) SURFACE U V R LOD SRC0 SRC1 DST";

const WORDS: &str = "\
(!P1) inverts, (P1.any) and (P1.all) decide for all channels at once. M1 to M8 name the first channel (0, 4, … 28); _NM takes \
channels that control flow has switched off as well.
Operands are V32.0 (variable, byte) or %null.0.
In any case; read also as the description of vISA writes them (TYPED_ATOMIC.IMIN, (8), V32, V0).
";

const RULES: &str = "\
U must be a variable; R is null where V is.
inc and dec take no source; Src0 of all others but predec must be a variable.
Src1 is a variable for cmpxchg and fcmpwr, and null for all others.
Variables have type UD; Src0, Src1 and Dst of imin and imax have type D.
Each holds a dword for each channel, from a byte on that is a multiple of 4; with .16 the lower half of it counts.
First channel and number of channels stay within the 32 of a thread.
";

/// The reference page.
pub(super) fn reference() -> Reference {
    Reference {
        title: "TYPED_ATOMIC".to_owned(),
        introduction: vec![Block::text(INTRODUCTION)],
        sections: vec![
            Section::new("text", syntax("OP")),
            Section::new("bytes", drawing()),
            Section::new("operations", vec![operations(|_| true)]),
            Section::new("surfaces", surfaces()),
            Section::new("rules", vec![Block::text(RULES)]),
            Section::new("examples", examples(None)),
            Section::new("atomics of three vendors", side_by_side()),
        ],
    }
}

/// The page of an operation, with the common part of the reference page.
pub(super) fn operation_page(row: &Row) -> Reference {
    let name = row.name;
    let other = row
        .other
        .map(|other| format!("The description of vISA calls it `{other}`."));
    let stores = format!(
        "Each active channel stores `{}` to its element.",
        row.stored
    );
    let returns = format!("Dst gets `{}`; `old` is the value before.", row.returned);
    let sentences = [Some(stores), Some(returns), other];
    let text = sentences.into_iter().flatten().collect::<Vec<_>>();
    Reference {
        title: format!("typed_atomic.{name}"),
        introduction: vec![Block::text(text.join("\n"))],
        sections: vec![
            Section::new("text", syntax(name)),
            Section::new("operation", vec![operations(|other| other.name == name)]),
            Section::new("bytes", drawing()),
            Section::new("surfaces", surfaces()),
            Section::new("rules", vec![Block::text(RULES)]),
            Section::new("examples", examples(Some(row))),
        ]
        .into_iter()
        .filter(|section| !section.blocks.is_empty())
        .collect(),
    }
}

/// The text of an operation, with the meaning of its parts.
fn syntax(operation: &str) -> Vec<Block> {
    let text = SYNTAX.replace("OP[", &format!("{operation}["));
    vec![Block::Code(vec![text]), Block::text(WORDS)]
}

fn surfaces() -> Vec<Block> {
    let row = |(surface, u, v, r): &(&str, &str, &str, &str)| {
        let cells = [surface, u, v, r, "mip level, or -"];
        cells.map(str::to_owned).to_vec()
    };
    let table = Table {
        header: vec!["surface", "U", "V", "R", "LOD"],
        numbers: Vec::new(),
        rows: SURFACES.iter().map(row).collect(),
    };
    vec![
        Block::Table(table),
        Block::text("`-` is the null variable."),
    ]
}

/// The examples of all operations, or of one.
fn examples(of: Option<&Row>) -> Vec<Block> {
    let shown = EXAMPLES.iter().filter(|(_, example)| {
        let inst = parse(example);
        of.is_none_or(|row| inst.is_ok_and(|inst| inst.operation == row.operation))
    });
    let mut blocks: Vec<Block> = shown
        .flat_map(|(about, example)| {
            let mut lines = vec![(*example).to_owned()];
            lines.extend(bytes(example));
            [Block::text(*about), Block::Code(lines)]
        })
        .collect();
    if !blocks.is_empty() {
        let note = "`wavetank explain` with one of them takes it apart.";
        blocks.push(Block::text(note));
    }
    blocks
}

/// The bytes of an example, in two lines.
fn bytes(example: &str) -> Vec<String> {
    let bytes = parse(example)
        .ok()
        .and_then(|inst| encode(&inst, Ids::Wide).ok());
    let bytes = bytes.unwrap_or_default();
    bytes.chunks(24).map(hex_pairs).collect()
}

/// The fields as bit diagrams: the first six bytes, and an operand.
fn drawing() -> Vec<Block> {
    let cells = |cells: &[(&str, u32, u32)]| {
        let cells = cells
            .iter()
            .map(|(text, low, width)| Cell::new(*text, *low, *width));
        Block::Diagram(cells.collect(), 48)
    };
    let head = cells(&[
        ("0x73", 0, 8),
        ("op", 8, 5),
        (".16", 13, 1),
        ("0", 14, 2),
        ("log2 n", 16, 3),
        ("0", 19, 1),
        ("mask", 20, 4),
        ("P", 24, 12),
        ("0", 36, 1),
        ("any", 37, 1),
        ("all", 38, 1),
        ("!", 39, 1),
        ("surface", 40, 8),
    ]);
    let operand = cells(&[("variable", 0, 32), ("first byte", 32, 16)]);
    let first = "Bytes 0 to 5 as a word, the lowest byte first: n channels, mask M1 = 0 to M8_NM = 15, P 0 for no predicate";
    let then =
        "Then U, V, R, LOD, Src0, Src1, Dst, six bytes each: 48 bytes in all. Variable 0 is null";
    let before =
        "Before vISA 3.4 a variable's number has 16 bits, an operand four bytes, the whole 34.";
    vec![
        Block::text(first),
        head,
        Block::text(then),
        operand,
        Block::text(before),
    ]
}

fn operations(wanted: impl Fn(&Row) -> bool) -> Block {
    let cells = |row: &Row| {
        let data = match row.data {
            Data::Unsigned => "",
            Data::Signed => "type D",
            Data::Float => "float",
        };
        let sources = match row.sources {
            Sources::None => "",
            Sources::Ignored => "(src0)",
            Sources::One => "src0",
            Sources::Two => "src0 src1",
        };
        let name = row.other.map_or(row.name.to_owned(), |other| {
            format!("{}, {other}", row.name)
        });
        let cells = [sources, row.stored, row.returned, data].map(str::to_owned);
        [vec![row.operation.code().to_string(), name], cells.to_vec()].concat()
    };
    Block::Table(Table {
        header: vec!["code", "operation", "sources", "stores", "returns", "data"],
        numbers: vec![0],
        rows: ROWS.iter().filter(|row| wanted(row)).map(cells).collect(),
    })
}

/// The page as data.
#[derive(Serialize)]
pub(crate) struct Facts {
    name: &'static str,
    opcode: u8,
    operations: Vec<OperationRow>,
    surfaces: Vec<[&'static str; 4]>,
    examples: Vec<&'static str>,
}

#[derive(Serialize)]
struct OperationRow {
    code: u8,
    name: &'static str,
    other: Option<&'static str>,
    stores: &'static str,
    returns: &'static str,
}

impl Facts {
    pub(crate) fn new() -> Facts {
        let row = |row: &Row| OperationRow {
            code: row.operation.code(),
            name: row.name,
            other: row.other,
            stores: row.stored,
            returns: row.returned,
        };
        Facts {
            name: "TYPED_ATOMIC",
            opcode: TYPED_ATOMIC,
            operations: ROWS.iter().map(row).collect(),
            surfaces: SURFACES
                .iter()
                .map(|(s, u, v, r)| [*s, *u, *v, *r])
                .collect(),
            examples: EXAMPLES.iter().map(|(_, example)| *example).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use wavetank_facts::TypedAtomicFacts;
    use wavetank_surface_isa::visa::Version;

    use super::*;
    use crate::surface_isa::visa::explanation;

    #[test]
    fn examples_are_instructions_as_they_are_printed() {
        for (_, example) in EXAMPLES {
            let inst = parse(example).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert_eq!(inst.to_string(), example);
        }
    }

    #[test]
    fn pages_fit_a_terminal() {
        use crate::fold::PAGE;
        let page_of = |example: &str| {
            let inst = parse(example).expect("it is an example");
            let facts = TypedAtomicFacts::of(&inst, Version::DEFAULT);
            explanation::page(&facts.expect("it has bytes"))
        };
        let pages = EXAMPLES
            .iter()
            .map(|(_, example)| page_of(example))
            .chain([reference().page()]);
        for line in pages.flat_map(|page| page.lines().map(str::to_owned).collect::<Vec<_>>()) {
            assert!(line.chars().count() <= PAGE, "{line}");
        }
    }
}
