//! The facts about an instruction, of one kind for all that show them: the command in text, JSON and HTML, and the Python package.
//!
//! [`Facts`], about one of GCN, is made of the table, of the meaning as pseudo-code, of the hazards that the checker knows, and of the cases that show how
//! exact the instruction is. The atomics on surfaces of other vendors have [`SuatomFacts`] and [`TypedAtomicFacts`].

mod facts;
mod forms;
mod hazards;
mod related;
mod suatom;
mod typed_atomic;

pub use facts::{Bits, Cases, Facts, Modifier, Name, Operand, Pseudo, fields, modifiers};
pub use forms::{
    Subject, chip_with, every_subject, exists, form_name, forms, has_form, has_operand, name,
    named, own_type, subjects,
};
pub use hazards::Hazard;
pub use related::related;
pub use suatom::{SuatomFacts, SuatomField, SuatomRow, suatom_forms, suatom_rows};
pub use typed_atomic::{TypedAtomicFacts, TypedAtomicField, hex_pairs};
