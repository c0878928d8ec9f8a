//! The interface of an instruction set of which one instruction is known.

use std::error::Error;
use std::fmt::{Debug, Display};

use wavetank_ir::Block;

use crate::source::{Line, LineError};
use crate::text_error::TextError;

/// A program's blocks, by address and largest number of instructions.
pub type Program = Box<dyn Fn(u64, usize) -> Block + Send + Sync>;

/// A version of an instruction set with one instruction: text, code and meaning of it.
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

    /// An instruction, printed without what stands beside it on its line.
    type Inst: Copy + PartialEq + Debug + Display;
    /// The code of an instruction.
    type Code;
    /// The statement of a line of a source: an instruction with its code.
    type Statement;
    /// The reason why a code is not the instruction.
    type DecodeError: Error;
    /// The reason why an instruction has no code.
    type EncodeError: Error;

    /// The instruction that a code begins with.
    ///
    /// # Errors
    /// The reason why it is none in this version.
    fn decode(self, code: &Self::Code) -> Result<Self::Inst, Self::DecodeError>;

    /// The code of an instruction, whether or not it keeps the rules about operands.
    ///
    /// # Errors
    /// The reason why it has none in this version.
    fn encode(self, inst: &Self::Inst) -> Result<Self::Code, Self::EncodeError>;

    /// Whether an instruction keeps the rules about operands.
    fn keeps_rules(self, inst: &Self::Inst) -> bool;

    /// Reads an instruction that keeps the rules and has a code.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    fn parse(self, text: &str) -> Result<Self::Inst, TextError>;

    /// Reads a source: the lines that are right, and what is wrong with the others.
    fn source(self, text: &str, most: usize) -> (Vec<Line<Self::Statement>>, Vec<LineError>);

    /// The canonical text of a statement.
    fn print(self, statement: &Self::Statement) -> String;

    /// The bytes of a file of statements.
    fn pack(self, lines: &[Line<Self::Statement>]) -> Vec<u8>;

    /// The text of plain code, which [`source`](Self::source) reads.
    fn listing(self, code: &[u8]) -> String;

    /// Instructions one after another as a program: the first at address 0, each [`STEP`](Self::STEP) after the one before,
    /// and then the end.
    ///
    /// # Errors
    /// The instruction that cannot be executed, and the reason.
    fn program(self, insts: &[Self::Inst]) -> Result<Program, String>;
}
