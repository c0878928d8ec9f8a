//! The places of elements in registers: lane, register and bit of A\[i\]\[k\], B\[k\]\[j\] and D\[i\]\[j\] of each block.
//!
//! The closed forms agree with AMD's matrix instruction calculator 1.3.2 on every element of every instruction of the three chips.
//! EXEC has no part in them: the matrix unit reads and writes all 64 lanes.

use crate::number::ElementType;
use crate::shape::{LANES, Shape};

/// Where an element is: from bit `bit` of a lane of a register of its operand. An element of 64 bits goes on in the next register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The lane.
    pub lane: usize,
    /// The register, counted from the operand's first.
    pub register: usize,
    /// The lowest bit.
    pub bit: u32,
}

/// Element number `element` of a lane: they follow each other from the lowest bit of the first register.
fn nth(lane: usize, element: usize, bits: u32) -> Place {
    let bit = element * bits as usize;
    Place {
        lane,
        register: bit / 32,
        bit: bit as u32 % 32,
    }
}

impl Shape {
    /// Returns the place of A\[i\]\[k\] of a block. The k of a sparse shape counts stored elements.
    ///
    /// ```
    /// use wavetank_matrix::{ElementType, Place, Shape};
    ///
    /// let shape = Shape::dense(32, 8, 1, ElementType::F16, ElementType::F32);
    /// assert_eq!(shape.place_of_a(0, 3, 5), Place { lane: 35, register: 0, bit: 16 });
    /// ```
    pub fn place_of_a(&self, block: usize, i: usize, k: usize) -> Place {
        let (m, e) = (usize::from(self.m), self.a_elements().max(1));
        let lane = k / e * m * usize::from(self.blocks) + block * m + i;
        nth(lane, k % e, self.a.bits())
    }

    /// Returns the place of B\[k\]\[j\] of a block.
    pub fn place_of_b(&self, block: usize, k: usize, j: usize) -> Place {
        let (n, e) = (usize::from(self.n), self.b_elements().max(1));
        let lane = k / e * n * usize::from(self.blocks) + block * n + j;
        nth(lane, k % e, self.b.bits())
    }

    /// Returns the place of C\[i\]\[j\] and D\[i\]\[j\] of a block.
    ///
    /// ```
    /// use wavetank_matrix::{ElementType, Place, Shape};
    ///
    /// let shape = Shape::dense(32, 8, 1, ElementType::F16, ElementType::F32);
    /// assert_eq!(shape.place_of_d(0, 13, 7), Place { lane: 39, register: 5, bit: 0 });
    /// ```
    pub fn place_of_d(&self, block: usize, i: usize, j: usize) -> Place {
        let (register, lane) = match (self.m, self.d) {
            (4, ElementType::F64) => (0, 16 * i + 4 * block + j),
            (_, ElementType::F64) => (2 * (i / 4), 16 * (i % 4) + j),
            (32, _) => (16 * block + 4 * (i / 8) + i % 4, 32 * (i / 4 % 2) + j),
            (16, _) => (4 * block + i % 4, 16 * (i / 4) + j),
            _ => (i, 4 * block + j),
        };
        Place {
            lane,
            register,
            bit: 0,
        }
    }
}

/// Returns the lane whose register gives B its value in `lane`, under a BLGP.
///
/// 0: the same · 1: the first 32 lanes twice · 2: the last 32 lanes twice · 3: turned by 16 · 4 to 7: one row of 16, four times.
pub fn permuted_lane(blgp: u8, lane: usize) -> usize {
    match blgp & 7 {
        0 => lane,
        1 => lane % 32,
        2 => lane % 32 + 32,
        3 => (lane + 16) % LANES,
        row => lane % 16 + 16 * usize::from(row - 4),
    }
}

/// Returns the block whose A a block reads: ABID's of each group of 2^CBSZ blocks.
///
/// An ABID beyond the group is cut, and so is a group beyond the blocks: what the chips do is not known.
pub fn broadcast_block(blocks: u8, cbsz: u8, abid: u8, block: usize) -> usize {
    let group = (1usize << cbsz.min(7)).min(usize::from(blocks));
    (block & !(group - 1)) + usize::from(abid) % group
}

/// Returns where the index of a lane begins in its register of a sparse shape.
///
/// A lane has four stored elements of 16 bits, or eight of 8 bits. Their index takes 8 or 16 bits of the register; if CBSZ is
/// zero, ABID says which, otherwise they are the lowest.
pub fn index_shift(shape: &Shape, cbsz: u8, abid: u8) -> u32 {
    let elements = shape.a_elements().clamp(1, 16) as u32;
    let sets = 16 / elements;
    let set = if cbsz == 0 { u32::from(abid) % sets } else { 0 };
    2 * set * elements
}

/// Returns the row of B that stored element `k` of a row of A is multiplied with. Two stored elements stand for four rows; two bits
/// of the index, which begins at `shift`, say which of them. `element` counts within the lane.
pub fn sparse_row(word: u32, shift: u32, k: usize, element: usize) -> usize {
    let bits = word.wrapping_shr(shift + 2 * element as u32) & 3;
    k / 2 * 4 + bits as usize
}
