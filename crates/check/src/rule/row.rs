//! A row of the table of rules.

use crate::tool::Tool;

/// A kind of mistake that a tool looks for.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The tool that reports it.
    pub tool: Tool,
    /// The name in findings, reports and suppressions.
    pub name: &'static str,
    /// The mistake in a sentence.
    pub finds: &'static str,
    /// The effect of the mistake on a chip.
    pub why: &'static str,
    /// The shortest code with the mistake.
    pub example: Example,
    /// Related mistakes that are not reported, and correct code that may be.
    pub limits: &'static str,
}

/// Code with a mistake.
#[derive(Clone, Copy, Debug)]
pub enum Example {
    /// A part of a HIP program, and the file of the repository that has all of it.
    Hip(&'static str, &'static str),
    /// Instructions.
    Assembly(&'static str),
}

impl Rule {
    /// Returns the name of reports.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.tool, self.name)
    }
}

impl Example {
    /// Returns the code as a block of Markdown.
    pub(super) fn shown(self) -> String {
        match self {
            Example::Hip(code, file) => {
                format!("```cpp\n{code}\n```\n\nThe whole program is `{file}`.")
            }
            Example::Assembly(code) => format!("```asm\n{code}\n```"),
        }
    }
}
