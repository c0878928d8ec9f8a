//! A row of the table of hazards.

use super::consumer::Consumer;
use super::link::Link;
use super::need::{COLUMNS, Column, Need};
use super::producer::Producer;

/// A row of the table of hazards.
#[derive(Debug)]
pub(crate) struct Row {
    /// The name of the hazard, which is the rule of its findings. Rows of one rule follow each other, but for a few of CDNA.
    pub name: &'static str,
    /// The action of the first instruction.
    pub(super) producer: Producer,
    /// The use by the second instruction.
    pub(super) consumer: Consumer,
    /// The condition on both instructions together.
    pub(super) link: Link,
    /// The required wait states between the two, by [`Column`].
    pub needs: [Need; COLUMNS],
    /// The use by the second instruction, in words; `{}` is the register.
    pub(super) uses: &'static str,
    /// The action of the first instruction, in words; `{}` is its name.
    pub(super) after: &'static str,
    /// The source: document and section.
    pub source: &'static str,
}

impl Row {
    /// Returns the wait states that the chips of a column require.
    pub(crate) fn need(&self, column: Column) -> Need {
        self.needs[column as usize]
    }

    /// Returns the two instructions in words for any instruction: the first, and the use by the second.
    pub(crate) fn parts(&self) -> (&'static str, &'static str) {
        (self.producer.words(), self.uses)
    }
}
