//! A matrix instruction element by element: every place by its closed form, every sum by its rule. It is slow, and what the kernels
//! are compared with; they hand it the operands that they do not know.

use crate::instruction::Matrix;
use crate::layout::Place;
use crate::operands::{Addend, OperandError, Registers, check, negate_doubles, place_addend};
use crate::shape::LANES;

/// Executes a matrix instruction as [`multiply`](crate::multiply()) does, element by element.
///
/// # Errors
/// See [`multiply`](crate::multiply()).
pub fn multiply_by_elements(
    instruction: &Matrix,
    a: &Registers,
    b: &Registers,
    c: Addend<'_>,
    index: Option<&[u32; LANES]>,
    d: &mut Registers,
) -> Result<(), OperandError> {
    check(instruction, a, b, c, index, d)?;
    place_addend(instruction, c, d);
    accumulate(instruction, a, b, index, d);
    Ok(())
}

/// Adds the product to D. The numbers of registers are those of the shape.
pub(crate) fn accumulate(
    instruction: &Matrix,
    a: &Registers,
    b: &Registers,
    index: Option<&[u32; LANES]>,
    d: &mut Registers,
) {
    let (shape, rule) = (instruction.shape(), instruction.rule());
    let [negate_a, negate_b, _] = instruction.negations();
    let (a, b) = (negated(a, negate_a), negated(b, negate_b));
    let (m, n, blocks) = (shape.m.into(), shape.n.into(), shape.blocks.into());
    for (block, i, j) in positions(blocks, m, n) {
        let mut row = Vec::with_capacity(shape.stored_k());
        let mut column = Vec::with_capacity(shape.stored_k());
        for k in 0..shape.stored_k() {
            let place = shape.place_of_a(block, i, k);
            let word = index.map_or(0, |index| index[place.lane]);
            row.push(read(&a, shape.a.bits(), place, |lane| {
                instruction.lane_of_a(lane)
            }));
            let place = shape.place_of_b(block, instruction.row_of_b(k, word), j);
            column.push(read(&b, shape.b.bits(), place, |lane| {
                instruction.lane_of_b(lane)
            }));
        }
        let place = shape.place_of_d(block, i, j);
        let acc = read(d, shape.d.bits(), place, |lane| lane);
        let sum = rule.dot(shape.a, shape.b, acc, &row, &column);
        d[place.register][place.lane] = sum as u32;
        if shape.d.bits() == 64 {
            d[place.register + 1][place.lane] = (sum >> 32) as u32;
        }
    }
}

/// Block, row and column of every element of D.
fn positions(blocks: usize, m: usize, n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..blocks * m * n).map(move |at| (at / (m * n), at / n % m, at % n))
}

fn negated(registers: &Registers, negate: bool) -> Vec<[u32; LANES]> {
    let mut registers = registers.to_vec();
    if negate {
        negate_doubles(&mut registers);
    }
    registers
}

fn read(registers: &Registers, bits: u32, place: Place, lane: impl Fn(usize) -> usize) -> u64 {
    let lane = lane(place.lane);
    let low = u64::from(registers[place.register][lane] >> place.bit);
    match bits {
        64 => u64::from(registers[place.register + 1][lane]) << 32 | low,
        _ => low & ((1 << bits) - 1),
    }
}
