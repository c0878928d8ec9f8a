//! The interface of an instruction set to the commands, beyond that of the library.

use std::path::Path;

use serde::Serialize;
use wavetank_surface_isa::{Line, SurfaceIsa, TextError};

use super::reference::Reference;
use crate::exit::{Failure, Result};

/// An instruction set that the commands list, assemble, disassemble and explain.
pub(crate) trait CliIsa: SurfaceIsa {
    /// Whether wrong lines in JSON have a field `help`.
    const HELPS: bool;
    /// The headers of the list of instructions, and the columns that are less important: without coverage, and with it.
    const HEADERS: [(&'static [&'static str], &'static [usize]); 2];

    /// A line of a source in JSON.
    type Assembled<'l>: Serialize;
    /// The tables of the reference page in JSON.
    type Facts: Serialize;
    /// The facts about an instruction in JSON.
    type Explanation: Serialize;
    /// The facts in a row of the list of instructions.
    type RowFacts: Serialize;

    /// A line of a source, by its number among the lines with instructions.
    fn assembled(self, number: usize, line: &Line<Self::Statement>) -> Self::Assembled<'_>;

    /// The code of a statement in hexadecimal.
    fn hex(statement: &Self::Statement) -> String;

    /// The listing of a file that has code and more, read as this version or as its own.
    ///
    /// # Errors
    /// The error in the file.
    fn file(path: &Path, bytes: Vec<u8>, isa: Option<Self>) -> Result<String>;

    /// The instruction of a line of hexadecimal code: `None` for a line of something else, `Some(None)` for other code.
    fn decode_line(self, line: &str) -> Option<Option<Self::Inst>>;

    /// Refuses a file that has lines of something else than hexadecimal code.
    ///
    /// # Errors
    /// A sentence on the lines, if there are any.
    fn refuse_lines(path: &Path, numbers: &[usize]) -> Result;

    /// The reference page.
    fn reference(self) -> Reference;

    /// A page for each operation.
    fn operations(self) -> Vec<Reference>;

    /// The tables of the reference page.
    fn facts(self) -> Self::Facts;

    /// The code of hexadecimal digits in an argument.
    fn code(text: &str) -> Option<Self::Code>;

    /// The facts about an instruction that has been decoded from a code.
    ///
    /// # Errors
    /// The reason why it has no code.
    fn explain_code(
        self,
        inst: &Self::Inst,
        code: &Self::Code,
    ) -> Result<Self::Explanation, Self::EncodeError>;

    /// The facts about an instruction in text.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    fn explain_text(self, text: &str) -> Result<Self::Explanation, TextError>;

    /// The page about an instruction.
    fn text(explanation: &Self::Explanation) -> String;

    /// The rows of the list of instructions, of any name.
    ///
    /// # Errors
    /// A form that the instruction set does not have.
    fn rows(self, asked: &Asked<'_>) -> Result<Vec<Row<Self::RowFacts>>>;

    /// The list in JSON.
    fn list(self, rows: &[Row<Self::RowFacts>]) -> serde_json::Value {
        let _ = self;
        serde_json::json!({ "instructions": rows })
    }

    /// Returns the sentence under the list, which counts the executed operations.
    fn summary(self, rows: &[Row<Self::RowFacts>]) -> String;
}

/// The part of the list of instructions that is asked for.
pub(crate) struct Asked<'a> {
    /// Only the instructions of this form.
    pub format: Option<&'a str>,
    /// Only the instructions with this part in their name.
    pub part: &'a str,
    /// Whether it is executed, and how exactly.
    pub coverage: bool,
    /// Whether JSON is printed.
    pub json: bool,
}

/// A row of the list of instructions: a name, and the facts that its instruction set has of it.
#[derive(Serialize)]
pub(crate) struct Row<Facts> {
    pub name: String,
    #[serde(flatten)]
    pub facts: Facts,
    #[serde(flatten)]
    pub coverage: Option<Coverage>,
    /// Another name, or nothing.
    #[serde(skip)]
    pub other: String,
    /// The code of the operation.
    #[serde(skip)]
    pub code: String,
    /// The cells of the table after name and code, where coverage is not asked for.
    #[serde(skip)]
    pub cells: Vec<String>,
}

/// The execution of an instruction, and its fidelity.
#[derive(Serialize)]
pub(crate) struct Coverage {
    pub executes: bool,
    pub fidelity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl<Facts> Row<Facts> {
    /// The cells of the table.
    pub(crate) fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.name.clone(), self.code.clone()];
        match &self.coverage {
            Some(coverage) => {
                let executes = if coverage.executes { "yes" } else { "no" };
                let parts = [Some(executes), Some(coverage.fidelity), coverage.reason];
                cells.extend(parts.into_iter().flatten().map(str::to_owned));
            }
            None => cells.extend_from_slice(&self.cells),
        }
        cells
    }
}

/// The failure of an error without a place.
pub(super) fn usage(error: impl std::fmt::Display) -> Failure {
    Failure::usage(error.to_string())
}
