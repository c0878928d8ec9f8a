//! TYPED_ATOMIC as an instruction set of one instruction.

use super::code::{DecodeError, EncodeError, decode, encode};
use super::container::Listing;
use super::instruction::{TypedAtomic, Version};
use super::lift::{STEP, program};
use super::registers::Registers;
use super::rules::check;
use super::source::source;
use super::text::parse_with_parts;
use crate::isa::{Program, SurfaceIsa};
use crate::source::{Line, LineError};
use crate::text_error::TextError;

/// A TYPED_ATOMIC with its bytes in a version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoded {
    /// The instruction.
    pub inst: TypedAtomic,
    /// The encoded instruction.
    pub bytes: Vec<u8>,
}

impl SurfaceIsa for Version {
    const NAME: &'static str = "TYPED_ATOMIC";
    const STEP: u64 = STEP;

    type Inst = TypedAtomic;
    type Code = Vec<u8>;
    type Statement = Encoded;
    type DecodeError = DecodeError;
    type EncodeError = EncodeError;

    fn decode(self, bytes: &Vec<u8>) -> Result<TypedAtomic, DecodeError> {
        decode(bytes, self.ids())
    }

    fn encode(self, inst: &TypedAtomic) -> Result<Vec<u8>, EncodeError> {
        encode(inst, self.ids())
    }

    fn keeps_rules(self, inst: &TypedAtomic) -> bool {
        check(inst).is_ok()
    }

    fn parse(self, text: &str) -> Result<TypedAtomic, TextError> {
        let (inst, places) = parse_with_parts(text)?;
        match self.encode(&inst) {
            Ok(_) => Ok(inst),
            Err(error) => Err(places.unencoded(&error)),
        }
    }

    /// Reports lines whose instructions have no encoding together with the wrong lines; the `most`th error ends the source.
    fn source(self, text: &str, most: usize) -> (Vec<Line<Encoded>>, Vec<LineError>) {
        let (read, mut errors) = source(text, most);
        let mut lines = Vec::new();
        for Line { number, statement } in read {
            match self.encode(&statement) {
                Ok(bytes) => {
                    let statement = Encoded {
                        inst: statement,
                        bytes,
                    };
                    lines.push(Line { number, statement });
                }
                Err(error) => errors.push(unencoded(text, number, &error)),
            }
        }
        errors.sort_by_key(|error| error.number);
        (lines, errors)
    }

    fn print(self, encoded: &Encoded) -> String {
        encoded.inst.to_string()
    }

    fn pack(self, lines: &[Line<Encoded>]) -> Vec<u8> {
        let bytes = lines.iter().flat_map(|line| &line.statement.bytes);
        bytes.copied().collect()
    }

    fn listing(self, code: &[u8]) -> String {
        let ids = self.ids();
        Listing { code, ids }.to_string()
    }

    fn program(self, insts: &[TypedAtomic]) -> Result<Program, String> {
        Ok(Box::new(program(insts, &Registers::of(insts)?)?))
    }
}

/// Returns the error of a line whose instruction has no encoding in this version.
fn unencoded(source: &str, number: usize, error: &EncodeError) -> LineError {
    let text = source
        .lines()
        .nth(number - 1)
        .unwrap_or_default()
        .to_owned();
    let places = parse_with_parts(&text).map(|(_, places)| places);
    LineError {
        number,
        error: places.map_or_else(|error| error, |places| places.unencoded(error)),
        text,
    }
}
