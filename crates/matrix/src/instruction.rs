//! A matrix instruction: a shape on a chip, with the fields that change where A and B are read.

use crate::arithmetic::Rule;
use crate::layout::{broadcast_block, index_shift, permuted_lane, sparse_row};
use crate::shape::{Model, Shape};

/// A matrix instruction.
///
/// The three fields are those of the encoding. Each has an effect only in the shapes that take it: where AMD's calculator says that
/// it is not supported, its effect is not known, and it has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix {
    model: Model,
    shape: Shape,
    // Functions of the two above, kept because each execution asks for them.
    rule: Rule,
    registers: [usize; 3],
    /// The blocks that read the same block of A, as a power of two. In a sparse shape: zero lets ABID choose bits of the index.
    pub cbsz: u8,
    /// Which block of A these read. In a sparse shape: the index bits.
    pub abid: u8,
    /// A permutation of B's lanes; of double precision on gfx942, the signs of A, B and C.
    pub blgp: u8,
}

impl Matrix {
    /// Returns the instruction of a shape without modifiers, if the chip has it.
    pub fn new(model: Model, shape: Shape) -> Option<Matrix> {
        let is_of = shape.is_of(model);
        is_of.then(|| Matrix {
            model,
            shape,
            rule: Rule::of(model, &shape),
            registers: [
                shape.a_registers(),
                shape.b_registers(),
                shape.d_registers(),
            ],
            cbsz: 0,
            abid: 0,
            blgp: 0,
        })
    }

    /// The chip.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the rule of its arithmetic.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the numbers of registers of A, of B, and of C and D.
    pub fn registers(&self) -> [usize; 3] {
        self.registers
    }

    /// Returns whether the signs of A, B and C are changed.
    pub fn negations(&self) -> [bool; 3] {
        let has = self.shape.has_negation(self.model);
        [0, 1, 2].map(|bit| has && self.blgp >> bit & 1 != 0)
    }

    /// Whether A's blocks are read by others than their own.
    pub fn broadcasts(&self) -> bool {
        self.shape.has_broadcast() && self.cbsz != 0
    }

    /// Whether B's lanes are permuted.
    pub fn permutes(&self) -> bool {
        self.shape.has_permutation(self.model) && self.blgp & 7 != 0
    }

    /// Returns the block of A that a block of D reads.
    pub fn block_of_a(&self, block: usize) -> usize {
        if self.broadcasts() {
            broadcast_block(self.shape.blocks, self.cbsz, self.abid, block)
        } else {
            block
        }
    }

    /// Returns the lane from which A's value of `lane` is read.
    pub fn lane_of_a(&self, lane: usize) -> usize {
        let m = usize::from(self.shape.m);
        let block = lane / m % usize::from(self.shape.blocks);
        lane + self.block_of_a(block) * m - block * m
    }

    /// Returns the lane from which B's value of `lane` is read.
    pub fn lane_of_b(&self, lane: usize) -> usize {
        if self.permutes() {
            permuted_lane(self.blgp, lane)
        } else {
            lane
        }
    }

    /// Returns where the index of a lane begins in its register. A dense shape has none.
    pub fn index_shift(&self) -> u32 {
        index_shift(&self.shape, self.cbsz, self.abid)
    }

    /// Returns the row of B that the stored element k of a row of A is multiplied with. `word` is the index register of the lane
    /// that holds the element; a dense shape does not read it.
    pub fn row_of_b(&self, k: usize, word: u32) -> usize {
        if self.shape.sparse {
            let element = k % self.shape.a_elements().max(1);
            sparse_row(word, self.index_shift(), k, element)
        } else {
            k
        }
    }
}
