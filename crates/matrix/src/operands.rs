//! The operands of a matrix instruction: registers of 64 lanes, checked against the shape.

use crate::instruction::Matrix;
use crate::number::ElementType;
use crate::shape::LANES;

/// Consecutive registers.
pub type Registers = [[u32; LANES]];

/// C, which the products are added to.
#[derive(Clone, Copy, Debug)]
pub enum Addend<'a> {
    /// C is in the registers of D, which then are read and written: the usual case.
    InPlace,
    /// Other registers.
    Registers(&'a Registers),
    /// The same element everywhere, as an inline constant gives: its bits, 64 of them in double precision.
    Every(u64),
}

/// Operands that do not fit the shape of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperandError {
    /// An operand has another number of registers.
    #[error("{operand} of this matrix instruction has {wanted} registers, and {given} are given")]
    Registers {
        /// The operand's letter.
        operand: char,
        /// The registers of the shape.
        wanted: usize,
        /// The registers given.
        given: usize,
    },
    /// A sparse shape without its index.
    #[error("a sparse matrix instruction needs a register of indices, and none is given")]
    NoIndex,
}

/// Checks the operands of an instruction.
///
/// # Errors
/// A number of registers is not that of the shape, or the index of a sparse shape is missing.
pub(crate) fn check(
    instruction: &Matrix,
    a: &Registers,
    b: &Registers,
    c: Addend<'_>,
    index: Option<&[u32; LANES]>,
    d: &Registers,
) -> Result<(), OperandError> {
    let [of_a, of_b, of_d] = instruction.registers();
    let of_c = match c {
        Addend::Registers(c) => c.len(),
        Addend::InPlace | Addend::Every(_) => of_d,
    };
    let operands = [
        ('A', of_a, a.len()),
        ('B', of_b, b.len()),
        ('C', of_d, of_c),
        ('D', of_d, d.len()),
    ];
    for (operand, wanted, given) in operands {
        if wanted != given {
            return Err(OperandError::Registers {
                operand,
                wanted,
                given,
            });
        }
    }
    if instruction.shape().sparse && index.is_none() {
        return Err(OperandError::NoIndex);
    }
    Ok(())
}

/// Puts C where D is, with the sign that the instruction gives it.
pub(crate) fn place_addend(instruction: &Matrix, c: Addend<'_>, d: &mut Registers) {
    let is_double = instruction.shape().d == ElementType::F64;
    match c {
        Addend::InPlace => {}
        Addend::Registers(c) => d.copy_from_slice(c),
        Addend::Every(bits) => {
            for (n, register) in d.iter_mut().enumerate() {
                let half = if is_double { n % 2 * 32 } else { 0 };
                *register = [(bits >> half) as u32; LANES];
            }
        }
    }
    if instruction.negations()[2] {
        negate_doubles(d);
    }
}

/// Changes the signs of double-precision elements.
pub(crate) fn negate_doubles(registers: &mut Registers) {
    for high in registers.iter_mut().skip(1).step_by(2) {
        *high = high.map(|dword| dword ^ 1 << 31);
    }
}
