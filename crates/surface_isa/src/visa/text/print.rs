//! The canonical text: Intel's, in lower case, with the offset of every operand.

use std::fmt;

use crate::visa::instruction::{Combine, Predicate, Raw, TypedAtomic};
use crate::visa::names::{surface_name, variable_name};

impl fmt::Display for TypedAtomic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(predicate) = self.predicate {
            write!(f, "({predicate}) ")?;
        }
        let word = if self.word { ".16" } else { "" };
        write!(
            f,
            "typed_atomic.{}{word} ({}, {}) {}",
            self.operation.row().name,
            self.mask,
            self.channels.count(),
            surface_name(self.surface)
        )?;
        self.operands()
            .iter()
            .try_for_each(|raw| write!(f, " {raw}"))
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inverse = if self.inverse { "!" } else { "" };
        let combine = match self.combine {
            Combine::Each => "",
            Combine::Any => ".any",
            Combine::All => ".all",
        };
        write!(f, "{inverse}P{}{combine}", self.variable)
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", variable_name(self.variable), self.offset)
    }
}
