//! The interface of the two instruction sets: [`SurfaceIsa`].

use std::error::Error;
use std::fmt::{Debug, Display};

use wavetank_ir::Block;

use crate::source::{Line, LineError};
use crate::text_error::TextError;

/// A function that returns a program's block at an address, with at most a number of instructions.
pub type Program = Box<dyn Fn(u64, usize) -> Block + Send + Sync>;

/// A version of an instruction set with one instruction: its text, encoding and meaning.
///
/// ```
/// use wavetank_surface_isa::maxwell::Generation;
/// use wavetank_surface_isa::visa::Version;
/// use wavetank_surface_isa::{SurfaceIsa, TextError};
///
/// /// The size of a line's code, in bytes.
/// fn bytes(isa: impl SurfaceIsa, line: &str) -> usize {
///     let (lines, errors) = isa.source(line, 1);
///     assert!(errors.is_empty());
///     isa.pack(&lines).len()
/// }
/// let line = "typed_atomic.inc (8) T6 V32 V0 V0 V0 V0 V0 V0";
/// assert_eq!((bytes(Version::DEFAULT, line), bytes(Version::FIRST, line)), (48, 34));
/// // A bundle has room for three instructions.
/// assert_eq!(bytes(Generation::Sm52, "SUATOM.D.2D.ADD R10, [R2], R4, R1;"), 32);
/// ```
pub trait SurfaceIsa: Copy {
    /// The name of the instruction, in capitals.
    const NAME: &'static str;
    /// Bytes from an instruction of a [`program`](Self::program) to the next.
    const STEP: u64;

    /// An instruction, printed without the other parts of its line.
    type Inst: Copy + PartialEq + Debug + Display;
    /// The code of an instruction.
    type Code;
    /// The statement of a line of a source: an instruction with its code.
    type Statement;
    /// The reason for which a code is not the instruction.
    type DecodeError: Error;
    /// The reason for which an instruction has no code.
    type EncodeError: Error;

    /// Decodes the instruction at the start of a code.
    ///
    /// # Errors
    /// The reason for which the code is not an instruction of this version.
    fn decode(self, code: &Self::Code) -> Result<Self::Inst, Self::DecodeError>;

    /// Encodes an instruction, whether or not it follows the rules about operands.
    ///
    /// # Errors
    /// The reason for which the instruction has no code in this version.
    fn encode(self, inst: &Self::Inst) -> Result<Self::Code, Self::EncodeError>;

    /// Returns whether an instruction follows the rules about operands.
    fn keeps_rules(self, inst: &Self::Inst) -> bool;

    /// Parses an instruction that follows the rules and has a code.
    ///
    /// # Errors
    /// The first error, with its place.
    fn parse(self, text: &str) -> Result<Self::Inst, TextError>;

    /// Parses a source. Returns the valid lines, and the errors of the others, at most `most`.
    fn source(self, text: &str, most: usize) -> (Vec<Line<Self::Statement>>, Vec<LineError>);

    /// Returns the canonical text of a statement.
    fn print(self, statement: &Self::Statement) -> String;

    /// Returns the bytes of a file of statements.
    fn pack(self, lines: &[Line<Self::Statement>]) -> Vec<u8>;

    /// Returns the text of plain code, which [`source`](Self::source) reads.
    fn listing(self, code: &[u8]) -> String;

    /// Returns a program of consecutive instructions: the first is at address 0, each [`STEP`](Self::STEP) after the previous
    /// one, and then the program ends.
    ///
    /// # Errors
    /// The instruction that cannot be executed, and the reason.
    fn program(self, insts: &[Self::Inst]) -> Result<Program, String>;
}
