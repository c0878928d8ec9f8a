//! The type of a row of the table: how an instruction of AVX-512 is lowered to AVX2.

use iced_x86::Code;

use super::lowering::Lowering;
use super::state::Form;
use crate::compiler::asm::inst_list::Wide;

/// A function that emits the code for an instruction.
pub(super) type Recipe = fn(&mut Lowering<'_>, &Wide, Row);

/// The lowering of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// The fields that the bits of its mask stand for.
    pub form: Form,
    pub code: Code,
    pub recipe: Recipe,
}
