//! `wavetank explain typed_atomic`: the reference page, and one instruction taken apart.

use std::fmt::Write;

use serde::Serialize;
use wavetank_surface_isa::TextError;
use wavetank_surface_isa::visa::operation::{Data, ROWS, Row, Sources};
use wavetank_surface_isa::visa::{
    Combine, Ids, Part, TypedAtomic, Version, check, decode, encode, parse, parse_with_parts,
    variable_name,
};

use crate::atomics::side_by_side;
use crate::columns::Columns;
use crate::diagram::{Cell, fitted};
use crate::exit::{Failure, Result, print, print_json};
use crate::fold::{folded, paragraphs};
use crate::paint::title;

/// Whether a text is about TYPED_ATOMIC whatever the instruction set: its name, or an instruction by its text.
pub fn is_meant(text: &str) -> bool {
    text.to_ascii_lowercase().contains("typed_atomic")
}

/// Explains the name alone by the reference page, and an instruction, as text or in bytes, by its fields.
pub fn explain(text: &str, version: Version, json: bool) -> Result {
    if text.trim().eq_ignore_ascii_case("typed_atomic") {
        return match json {
            true => print_json(&Reference::new()),
            false => print(&page()),
        };
    }
    let wrong = |error: TextError| {
        let column = error.column(text);
        Failure::usage(format!("column {column}: {error}\n{}", error.snippet(text)))
    };
    let inst = match bytes(text) {
        Some(bytes) => {
            let inst = decode(&bytes, version.ids());
            inst.map_err(|e| Failure::usage(e.to_string()))?
        }
        None => {
            let (inst, places) = parse_with_parts(text).map_err(wrong)?;
            encode(&inst, version.ids()).map_err(|error| wrong(places.unencoded(&error)))?;
            inst
        }
    };
    let told = Told::new(&inst, version)?;
    match json {
        true => print_json(&told),
        false => print(&told.text()),
    }
}

/// The bytes of pairs of hexadecimal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let pair = |word: &str| {
        let digits = word.len() == 2 && word.bytes().all(|b| b.is_ascii_hexdigit());
        u8::from_str_radix(word, 16).ok().filter(|_| digits)
    };
    let words: Option<Vec<u8>> = text.split_whitespace().map(pair).collect();
    words.filter(|bytes| !bytes.is_empty())
}

/// An instruction, taken apart.
#[derive(Serialize)]
struct Told {
    text: String,
    version: String,
    bytes: Vec<u8>,
    meaning: String,
    fields: Vec<Field>,
    /// The rule that it breaks, if it does.
    wrong: Option<String>,
}

#[derive(Serialize)]
struct Field {
    name: &'static str,
    /// The first byte and how many there are.
    at: (usize, usize),
    hex: String,
    meaning: String,
}

impl Told {
    fn new(inst: &TypedAtomic, version: Version) -> Result<Told> {
        let bytes = encode(inst, version.ids()).map_err(|e| Failure::usage(e.to_string()))?;
        let size = version.ids().bytes() + 2;
        let mut fields = Vec::new();
        let mut field = |name, at: usize, length: usize, meaning: String| {
            let hex = bytes[at..at + length]
                .iter()
                .map(|byte| format!("{byte:02x}"));
            fields.push(Field {
                name,
                at: (at, length),
                hex: hex.collect::<Vec<_>>().join(" "),
                meaning,
            });
        };
        let row = inst.operation.row();
        let bits = if inst.word { 16 } else { 32 };
        field("Opcode", 0, 1, "TYPED_ATOMIC".to_owned());
        field(
            "Op",
            1,
            1,
            format!("{} on elements of {bits} bits", row.name),
        );
        field("Exec_size", 2, 1, channels(inst));
        field("Pred", 3, 2, predicate(inst));
        field(
            "Surface",
            5,
            1,
            wavetank_surface_isa::visa::surface_name(inst.surface),
        );
        for (n, (part, raw)) in Part::OPERANDS.iter().zip(inst.operands()).enumerate() {
            let place = match raw.is_null() {
                true => "none".to_owned(),
                false => format!(
                    "{} from byte {} on",
                    variable_name(raw.variable),
                    raw.offset
                ),
            };
            let role = role(*part, row);
            field(part.name(), 6 + n * size, size, format!("{role}: {place}"));
        }
        Ok(Told {
            text: inst.to_string(),
            version: version.to_string(),
            meaning: meaning(row, inst),
            wrong: check(inst).err().map(|broken| broken.message),
            fields,
            bytes,
        })
    }

    fn text(&self) -> String {
        let length = self.bytes.len();
        let mut text = folded(&self.text, "", 2);
        let _ = writeln!(text, "  vISA {}, {length} bytes\n", self.version);
        text += &folded(&self.meaning, "  ", 2);
        text += "\n";
        let mut table = Columns::new(&["bytes", "field", "hex", ""], &[], &[]);
        for Field {
            name,
            at,
            hex,
            meaning,
        } in &self.fields
        {
            let place = match *at {
                (at, 1) => at.to_string(),
                (at, length) => format!("{at}–{}", at + length - 1),
            };
            table.add(vec![
                place,
                (*name).to_owned(),
                hex.clone(),
                meaning.clone(),
            ]);
        }
        for line in table.text().lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(wrong) = &self.wrong {
            text += &format!("\n{}", folded(wrong, "  wrong: ", 4));
        }
        text
    }
}

fn channels(inst: &TypedAtomic) -> String {
    let (first, count) = (inst.mask.first(), inst.channels.count());
    let which = match count {
        1 => format!("channel {first}"),
        _ => format!("channels {first} to {}", first + count - 1),
    };
    match inst.mask.no_mask() {
        true => format!("{which}, all of them ({}, {count})", inst.mask),
        false => format!("{which} that are on ({}, {count})", inst.mask),
    }
}

fn predicate(inst: &TypedAtomic) -> String {
    let Some(predicate) = inst.predicate else {
        return "none".to_owned();
    };
    let name = format!("P{}", predicate.variable);
    match (predicate.combine, predicate.inverse) {
        (Combine::Each, false) => format!("channels whose bit of {name} is set"),
        (Combine::Each, true) => format!("channels whose bit of {name} is not set"),
        (Combine::Any, false) => format!("all channels, if any bit of {name} is set"),
        (Combine::Any, true) => format!("all channels, if no bit of {name} is set"),
        (Combine::All, false) => format!("all channels, if all bits of {name} are set"),
        (Combine::All, true) => format!("all channels, unless all bits of {name} are set"),
    }
}

fn role(part: Part, row: &Row) -> String {
    match part {
        Part::U => "x".to_owned(),
        Part::V => "y or layer".to_owned(),
        Part::R => "z or layer".to_owned(),
        Part::Lod => "mip level".to_owned(),
        Part::Dst => format!("result, {}", row.returned),
        part => part.name().to_lowercase(),
    }
}

/// One sentence on what an instruction does.
fn meaning(row: &Row, inst: &TypedAtomic) -> String {
    let how = match (row.data, inst.word) {
        (Data::Unsigned, _) => "",
        (Data::Signed, _) => " (with signs)",
        (Data::Float, false) => " (single precision)",
        (Data::Float, true) => " (half precision)",
    };
    let result = match inst.dst.is_null() {
        true => "nothing is returned".to_owned(),
        false => format!("Dst gets {}", row.returned),
    };
    format!(
        "Each active channel stores {}{how} to its element in one step; {result}.",
        row.stored
    )
}

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

const SYNTAX: &str = "\
[(P1)] typed_atomic.OP[.16] (M1, 8) SURFACE U V R LOD SRC0 SRC1 DST

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
fn page() -> String {
    let mut text = format!("{}\n", title("TYPED_ATOMIC"));
    text += &paragraphs(INTRODUCTION, 2);
    text += &section("text");
    text += &paragraphs(SYNTAX, 2);
    text += &section("bytes");
    text += &drawing();
    text += &section("operations");
    text += &operations();
    text += &section("surfaces");
    let mut table = Columns::new(&["surface", "U", "V", "R", "LOD"], &[], &[]);
    for (surface, u, v, r) in SURFACES {
        let cells = [surface, u, v, r, "mip level, or -"];
        table.add(cells.map(str::to_owned).to_vec());
    }
    text += &indented(&table.text());
    text += "  `-` is the null variable.\n";
    text += &section("rules");
    text += &paragraphs(RULES, 2);
    text += &section("examples");
    for (what, example) in EXAMPLES {
        let example_lines = folded(example, "    ", 6);
        let _ = writeln!(text, "  {what}\n{example_lines}{}", hex(example));
    }
    text += "  `wavetank explain` with one of them takes it apart.\n";
    text += &section("atomics of three vendors");
    text += &side_by_side();
    text
}

fn section(name: &str) -> String {
    format!("\n{}\n", title(name))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The bytes of an example, in two lines.
fn hex(example: &str) -> String {
    let bytes = parse(example)
        .ok()
        .and_then(|inst| encode(&inst, Ids::Wide).ok());
    let bytes = bytes.unwrap_or_default();
    let line = |bytes: &[u8]| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("    {}\n", bytes.join(" "))
    };
    bytes.chunks(24).map(line).collect()
}

/// The fields as bit diagrams: the first six bytes, and an operand.
fn drawing() -> String {
    let cells = |cells: &[(&str, u32, u32)]| {
        let cells = cells
            .iter()
            .map(|(text, low, width)| Cell::new(*text, *low, *width));
        indented(&fitted(&cells.collect::<Vec<_>>(), 48))
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
    let told = |text| folded(text, "  ", 2);
    format!(
        "{}{head}{}{operand}{}",
        told(first),
        told(then),
        told(before)
    )
}

fn operations() -> String {
    let mut table = Columns::new(
        &["code", "operation", "sources", "stores", "returns", ""],
        &[0],
        &[5],
    );
    for row in &ROWS {
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
        let told = [sources, row.stored, row.returned, data].map(str::to_owned);
        table.add([vec![row.operation.code().to_string(), name], told.to_vec()].concat());
    }
    indented(&table.text())
}

/// The page as data.
#[derive(Serialize)]
struct Reference {
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

impl Reference {
    fn new() -> Reference {
        let row = |row: &Row| OperationRow {
            code: row.operation.code(),
            name: row.name,
            other: row.other,
            stores: row.stored,
            returns: row.returned,
        };
        Reference {
            name: "TYPED_ATOMIC",
            opcode: wavetank_surface_isa::visa::TYPED_ATOMIC,
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
    use super::*;

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
        let told = |example: &str| {
            let inst = parse(example).expect("it is an example");
            Told::new(&inst, Version::DEFAULT)
                .expect("it has bytes")
                .text()
        };
        let pages = EXAMPLES
            .iter()
            .map(|(_, example)| told(example))
            .chain([page()]);
        for line in pages.flat_map(|page| page.lines().map(str::to_owned).collect::<Vec<_>>()) {
            assert!(line.chars().count() <= PAGE, "{line}");
        }
    }
}
