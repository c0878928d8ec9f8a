//! The places of matrices in registers, for people: which elements the lanes of each register hold.

use std::collections::BTreeMap;

use wavetank_gcn::{Chip, Op as Instruction};
use wavetank_ir::Op;
use wavetank_matrix::{Matrix, Place, Shape};

use crate::pseudo::block_of_row;

/// An element of a matrix: block, row and column.
type Element = (usize, usize, usize);

/// Returns a line for each register of a matrix instruction's operands, with the elements that its lanes hold; `None` for other
/// instructions.
///
/// ```
/// use wavetank_explain::matrix_layout;
/// use wavetank_gcn::{Chip, tables::Mai};
/// let lines = matrix_layout(Mai::V_MFMA_F32_16X16X4F32, Chip::Gfx90a).expect("a product");
/// assert_eq!(lines[0], "A[0]: lanes 0-15 A[0..15][0], 16-31 A[0..15][1], 32-47 A[0..15][2], 48-63 A[0..15][3]");
/// assert_eq!(lines[2], "D[0]: lanes 0-15 D[0][0..15], 16-31 D[4][0..15], 32-47 D[8][0..15], 48-63 D[12][0..15]");
/// ```
pub fn matrix_layout(op: impl Into<Instruction>, chip: Chip) -> Option<Vec<String>> {
    let shape = shape_of(op.into(), chip)?;
    let sizes = |rows: usize, columns: usize| {
        let blocks = 0..usize::from(shape.blocks);
        blocks.flat_map(move |b| {
            (0..rows).flat_map(move |row| (0..columns).map(move |column| (b, row, column)))
        })
    };
    let (m, n, k) = (
        usize::from(shape.m),
        usize::from(shape.n),
        usize::from(shape.k),
    );
    let place = |of: fn(&Shape, usize, usize, usize) -> Place| {
        move |(b, row, column): Element| of(&shape, b, row, column)
    };
    let a = lines("A", sizes(m, shape.stored_k()), place(Shape::place_of_a));
    let b = lines("B", sizes(k, n), place(Shape::place_of_b));
    let d = lines("D", sizes(m, n), place(Shape::place_of_d));
    Some([a, b, d].concat())
}

/// Returns sentences about how the lines of [`matrix_layout`] are read; none where they say all.
///
/// ```
/// use wavetank_explain::layout_notes;
/// use wavetank_gcn::{Chip, tables::Mai};
/// let notes = layout_notes(Mai::V_MFMA_F32_32X32X4F16, Chip::Gfx90a);
/// assert_eq!(notes, ["A1 is A of block 1, and so on", "elements of one register stand from its lowest bits on"]);
/// ```
pub fn layout_notes(op: impl Into<Instruction>, chip: Chip) -> Vec<&'static str> {
    let Some(shape) = shape_of(op.into(), chip) else {
        return Vec::new();
    };
    let is_packed = shape.a.bits() < 32 || shape.b.bits() < 32;
    let notes = [
        (shape.blocks > 1, "A1 is A of block 1, and so on"),
        (
            is_packed,
            "elements of one register stand from its lowest bits on",
        ),
        (
            shape.d.bits() > 32,
            "an element takes this register and the next",
        ),
        (
            shape.sparse,
            "A has the stored columns: 2n and 2n+1 are two of the columns 4n to 4n+3, and two bits of S2 in the same lane say which",
        ),
    ];
    let there = notes.into_iter().filter(|(applies, _)| *applies);
    there.map(|(_, note)| note).collect()
}

/// Returns the shape of a matrix instruction that the chip executes.
pub(crate) fn shape_of(op: Instruction, chip: Chip) -> Option<Shape> {
    matrix_of(op, chip).map(|matrix| *matrix.shape())
}

/// Returns a matrix instruction that the chip executes.
pub(crate) fn matrix_of(op: Instruction, chip: Chip) -> Option<Matrix> {
    op.row().shape?;
    let block = block_of_row(op, chip);
    block.nodes.iter().find_map(|node| match &node.op {
        Op::Matrix(product) => Some(product.instruction),
        _ => None,
    })
}

/// Returns the lines of a matrix with these elements.
fn lines(
    name: &str,
    elements: impl Iterator<Item = Element>,
    place: impl Fn(Element) -> Place,
) -> Vec<String> {
    let mut registers: BTreeMap<usize, BTreeMap<usize, Vec<Element>>> = BTreeMap::new();
    for element in elements {
        let Place { lane, register, .. } = place(element);
        let lanes = registers.entry(register).or_default();
        lanes.entry(lane).or_default().push(element);
    }
    let line = |(register, lanes): (usize, BTreeMap<usize, Vec<Element>>)| {
        let mut runs: Vec<Run> = Vec::new();
        for (lane, elements) in lanes {
            let next = Run::of(lane, &elements);
            let continues = runs.last_mut().is_some_and(|run| run.takes(&next));
            if !continues {
                runs.push(next);
            }
        }
        let runs: Vec<String> = runs.iter().map(|run| run.text(name)).collect();
        format!("{name}[{register}]: lanes {}", runs.join(", "))
    };
    registers.into_iter().map(line).collect()
}

/// Consecutive lanes with consecutive elements.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    lanes: [usize; 2],
    block: usize,
    rows: [usize; 2],
    columns: [usize; 2],
}

impl Run {
    /// The elements of one lane: several, if a register holds more than one.
    fn of(lane: usize, elements: &[Element]) -> Run {
        let (block, row, column) = elements[0];
        let (_, last_row, last_column) = elements[elements.len() - 1];
        Run {
            lanes: [lane; 2],
            block,
            rows: [row, last_row],
            columns: [column, last_column],
        }
    }

    /// Adds the elements of the next lane, if they continue in one direction. Returns whether they do.
    fn takes(&mut self, next: &Run) -> bool {
        let (rows, columns) = (self.rows, self.columns);
        let down = next.columns == columns && next.rows == [rows[1] + 1; 2];
        let right = next.rows == rows && next.columns == [columns[1] + 1; 2];
        let fits = next.block == self.block && next.lanes[0] == self.lanes[1] + 1;
        if !fits || !(down || right) {
            return false;
        }
        self.lanes[1] = next.lanes[1];
        (self.rows[1], self.columns[1]) = (next.rows[1], next.columns[1]);
        true
    }

    fn text(&self, name: &str) -> String {
        let range = |[first, last]: [usize; 2], between: &str| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}{between}{last}")
            }
        };
        let lanes = range(self.lanes, "-");
        let (rows, columns) = (range(self.rows, ".."), range(self.columns, ".."));
        match self.block {
            0 => format!("{lanes} {name}[{rows}][{columns}]"),
            block => format!("{lanes} {name}{block}[{rows}][{columns}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::tables::Mai;

    use super::*;

    fn layout(op: Mai, chip: Chip) -> Vec<String> {
        matrix_layout(op, chip).expect("a product")
    }

    /// AMD's matrix instruction calculator, v_mfma_f32_32x32x8f16: a lane has four halves of a row of A, and D has four rows in
    /// four registers.
    #[test]
    fn elements_in_pairs() {
        let lines = layout(Mai::V_MFMA_F32_32X32X8F16, Chip::Gfx90a);
        assert_eq!(lines.len(), 2 + 2 + 16);
        assert_eq!(
            lines[0],
            "A[0]: lanes 0-31 A[0..31][0..1], 32-63 A[0..31][4..5]"
        );
        assert_eq!(
            lines[3],
            "B[1]: lanes 0-31 B[2..3][0..31], 32-63 B[6..7][0..31]"
        );
        assert_eq!(lines[4], "D[0]: lanes 0-31 D[0][0..31], 32-63 D[4][0..31]");
        assert_eq!(lines[8], "D[4]: lanes 0-31 D[8][0..31], 32-63 D[12][0..31]");
    }

    #[test]
    fn blocks_have_numbers() {
        let lines = layout(Mai::V_MFMA_F32_32X32X1F32, Chip::Gfx908);
        assert_eq!(lines[0], "A[0]: lanes 0-31 A[0..31][0], 32-63 A1[0..31][0]");
        assert_eq!(
            lines[2 + 16],
            "D[16]: lanes 0-31 D1[0][0..31], 32-63 D1[4][0..31]"
        );
    }

    #[test]
    fn other_instructions_have_none() {
        assert_eq!(matrix_layout(Mai::V_ACCVGPR_READ_B32, Chip::Gfx90a), None);
    }
}
