//! The execution of a matrix instruction.

use crate::elements;
use crate::instruction::Matrix;
use crate::kernels;
use crate::level::Level;
use crate::operands::{Addend, OperandError, Registers, check, place_addend};
use crate::shape::LANES;

/// The most registers that A has.
const MAX_A: usize = 2;
/// The most registers that B has, in sparse shapes.
const MAX_B: usize = 4;

/// Executes a matrix instruction in all 64 lanes: `d = a · b + c`. EXEC has no part in it.
///
/// `index` is the index register of a sparse shape; others ignore it. D's registers are written after A and B have been read, so a
/// caller may hand copies of those that overlap D.
///
/// ```
/// use wavetank_matrix::{Addend, ElementType, Matrix, Model, Shape, multiply};
///
/// // v_mfma_i32_16x16x16i8 d, a, b, 5
/// let shape = Shape::dense(16, 16, 1, ElementType::I8, ElementType::I32);
/// let instruction = Matrix::new(Model::Gfx90a, shape).expect("a shape of gfx90a");
/// let mut d = [[0; 64]; 4];
/// multiply(&instruction, &[[0x0101_0101; 64]], &[[0xfefe_fefe; 64]], Addend::Every(5), None, &mut d)?;
/// assert!(d.iter().flatten().all(|d| d.cast_signed() == 5 - 16 * 2));
/// # Ok::<(), wavetank_matrix::OperandError>(())
/// ```
///
/// # Errors
/// A number of registers is not that of the shape, or the index of a sparse shape is missing. D is unchanged then.
pub fn multiply(
    instruction: &Matrix,
    a: &Registers,
    b: &Registers,
    c: Addend<'_>,
    index: Option<&[u32; LANES]>,
    d: &mut Registers,
) -> Result<(), OperandError> {
    multiply_at(Level::detect(), instruction, a, b, c, index, d)
}

/// Executes a matrix instruction as [`multiply`] does, with the code for a level of processor features. All levels give the same
/// bits.
///
/// # Errors
/// See [`multiply`].
pub fn multiply_at(
    level: Level,
    instruction: &Matrix,
    a: &Registers,
    b: &Registers,
    c: Addend<'_>,
    index: Option<&[u32; LANES]>,
    d: &mut Registers,
) -> Result<(), OperandError> {
    check(instruction, a, b, c, index, d)?;
    place_addend(instruction, c, d);
    let (mut room_a, mut room_b);
    let (mut read_a, mut read_b) = (a, b);
    if instruction.broadcasts() {
        room_a = [[0; LANES]; MAX_A];
        read_a = moved(&mut room_a, a, |lane| instruction.lane_of_a(lane));
    }
    if instruction.permutes() {
        room_b = [[0; LANES]; MAX_B];
        read_b = moved(&mut room_b, b, |lane| instruction.lane_of_b(lane));
    }
    if !kernels::accumulate(level, instruction, read_a, read_b, index, d) {
        elements::accumulate(instruction, a, b, index, d);
    }
    Ok(())
}

/// Copies registers, each lane from another one.
fn moved<'r>(
    room: &'r mut Registers,
    registers: &Registers,
    from: impl Fn(usize) -> usize,
) -> &'r Registers {
    for (room, register) in room.iter_mut().zip(registers) {
        for (lane, value) in room.iter_mut().enumerate() {
            *value = register[from(lane) % LANES];
        }
    }
    let count = registers.len().min(room.len());
    &room[..count]
}
