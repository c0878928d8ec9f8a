//! The facts about a TYPED_ATOMIC of Intel: its fields and effects.

use serde::Serialize;
use wavetank_surface_isa::TextError;
use wavetank_surface_isa::visa::operation::{Data, Row};
use wavetank_surface_isa::visa::{
    Combine, EncodeError, Part, TypedAtomic, Version, check, encode, parse_with_parts,
    surface_name, variable_name,
};

/// An instruction, taken apart.
#[derive(Serialize)]
pub struct TypedAtomicFacts {
    pub text: String,
    pub version: String,
    pub bytes: Vec<u8>,
    pub meaning: String,
    pub fields: Vec<TypedAtomicField>,
    /// The rule that it breaks, if it does.
    pub wrong: Option<String>,
}

/// A field of the bytes.
#[derive(Serialize)]
pub struct TypedAtomicField {
    pub name: &'static str,
    /// The first byte and how many there are.
    pub at: (usize, usize),
    pub hex: String,
    pub meaning: String,
}

/// Returns bytes as pairs of hexadecimal digits with blanks between them.
pub fn hex_pairs(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

impl TypedAtomicFacts {
    /// Returns the facts about an instruction.
    ///
    /// # Errors
    /// It has no code.
    pub fn of(inst: &TypedAtomic, version: Version) -> Result<TypedAtomicFacts, EncodeError> {
        let bytes = encode(inst, version.ids())?;
        let size = version.ids().bytes() + 2;
        let mut fields = Vec::new();
        let mut field = |name, at: usize, length: usize, meaning: String| {
            fields.push(TypedAtomicField {
                name,
                at: (at, length),
                hex: hex_pairs(&bytes[at..at + length]),
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
        field("Surface", 5, 1, surface_name(inst.surface));
        for (n, (part, raw)) in Part::OPERANDS.iter().zip(inst.operands()).enumerate() {
            let place = if raw.is_null() {
                "none".to_owned()
            } else {
                format!(
                    "{} from byte {} on",
                    variable_name(raw.variable),
                    raw.offset
                )
            };
            let role = role(*part, row);
            field(part.name(), 6 + n * size, size, format!("{role}: {place}"));
        }
        Ok(TypedAtomicFacts {
            text: inst.to_string(),
            version: version.to_string(),
            meaning: meaning(row, inst),
            wrong: check(inst).err().map(|broken| broken.message),
            fields,
            bytes,
        })
    }

    /// Returns the facts about an instruction in text.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn of_text(text: &str, version: Version) -> Result<TypedAtomicFacts, TextError> {
        let (inst, places) = parse_with_parts(text)?;
        TypedAtomicFacts::of(&inst, version).map_err(|error| places.unencoded(&error))
    }
}

fn channels(inst: &TypedAtomic) -> String {
    let (first, count) = (inst.mask.first(), inst.channels.count());
    let which = match count {
        1 => format!("channel {first}"),
        _ => format!("channels {first} to {}", first + count - 1),
    };
    if inst.mask.no_mask() {
        format!("{which}, all of them ({}, {count})", inst.mask)
    } else {
        format!("{which} that are on ({}, {count})", inst.mask)
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

/// Returns a sentence that describes an instruction.
fn meaning(row: &Row, inst: &TypedAtomic) -> String {
    let how = match (row.data, inst.word) {
        (Data::Unsigned, _) => "",
        (Data::Signed, _) => " (with signs)",
        (Data::Float, false) => " (single precision)",
        (Data::Float, true) => " (half precision)",
    };
    let result = if inst.dst.is_null() {
        "nothing is returned".to_owned()
    } else {
        format!("Dst gets {}", row.returned)
    };
    format!(
        "Each active channel stores {}{how} to its element in one step; {result}.",
        row.stored
    )
}
