//! The places of matrices in registers, as grids: the lane and the register of each element.

use wavetank_gcn::{Chip, Op};
use wavetank_matrix::{Place, Shape};

use crate::layout::shape_of;

/// A matrix of an instruction: its first block, and the way to the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixGrid {
    /// The name: A, B, or D, whose places are those of C.
    pub name: &'static str,
    /// The size of an element in bits.
    pub bits: u32,
    /// The places of the elements in the first block, row by row. A sparse A has the columns that are stored.
    pub rows: Vec<Vec<Place>>,
    /// The number of blocks.
    pub blocks: usize,
    /// The lanes and the registers by which each block is after the one before it.
    pub step: [usize; 2],
}

/// Returns the grids of A, B and D of a matrix instruction; `None` for other instructions, and for those of gfx950.
///
/// ```
/// use wavetank_explain::matrix_grids;
/// use wavetank_gcn::{Chip, tables::Mai};
/// let [a, _, d] = matrix_grids(Mai::V_MFMA_F32_16X16X4F32, Chip::Gfx90a).expect("a product");
/// assert_eq!((a.rows.len(), a.rows[0].len()), (16, 4));
/// let place = d.rows[6][3];
/// assert_eq!((place.lane, place.register), (19, 2));
/// ```
pub fn matrix_grids(op: impl Into<Op>, chip: Chip) -> Option<[MatrixGrid; 3]> {
    let shape = shape_of(op.into(), chip)?;
    let [m, n, k] = [shape.m, shape.n, shape.k].map(usize::from);
    let grid = |name, bits, rows, columns, place: fn(&Shape, usize, usize, usize) -> Place| {
        let first = place(&shape, 0, 0, 0);
        let step = match shape.blocks {
            1 => [0, 0],
            _ => {
                let next = place(&shape, 1, 0, 0);
                [next.lane - first.lane, next.register - first.register]
            }
        };
        let row = |i| (0..columns).map(|j| place(&shape, 0, i, j)).collect();
        MatrixGrid {
            name,
            bits,
            rows: (0..rows).map(row).collect(),
            blocks: shape.blocks.into(),
            step,
        }
    };
    Some([
        grid("A", shape.a.bits(), m, shape.stored_k(), Shape::place_of_a),
        grid("B", shape.b.bits(), k, n, Shape::place_of_b),
        grid("D", shape.d.bits(), m, n, Shape::place_of_d),
    ])
}

#[cfg(test)]
mod tests {
    use wavetank_gcn::tables::Mai;

    use super::*;

    /// The blocks of every matrix are the same number of lanes and registers apart.
    #[test]
    fn blocks_follow_in_equal_steps() {
        let mut seen = 0;
        for op in Op::all() {
            for &chip in Chip::CDNA {
                let Some(shape) = shape_of(op, chip).filter(|shape| shape.blocks > 1) else {
                    continue;
                };
                let [a, b, d] = matrix_grids(op, chip).expect("it has a shape");
                for block in 0..shape.blocks.into() {
                    let stepped = |grid: &MatrixGrid, i: usize, j: usize| {
                        let place = grid.rows[i][j];
                        let [lanes, registers] = grid.step.map(|step| block * step);
                        Place {
                            lane: place.lane + lanes,
                            register: place.register + registers,
                            ..place
                        }
                    };
                    for i in 0..shape.m.into() {
                        for j in 0..shape.n.into() {
                            assert_eq!(stepped(&d, i, j), shape.place_of_d(block, i, j));
                        }
                        for k in 0..shape.k.into() {
                            assert_eq!(stepped(&a, i, k), shape.place_of_a(block, i, k));
                            assert_eq!(stepped(&b, k, i), shape.place_of_b(block, k, i));
                        }
                    }
                }
                seen += 1;
            }
        }
        assert!(seen > 20);
    }

    #[test]
    fn other_instructions_have_none() {
        assert_eq!(matrix_grids(Mai::V_ACCVGPR_READ_B32, Chip::Gfx90a), None);
        let scaled = Mai::V_MFMA_F32_16X16X128_F8F6F4;
        assert_eq!(matrix_grids(scaled, Chip::Gfx950), None);
    }
}
