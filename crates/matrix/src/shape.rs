//! Shapes of matrix instructions: which exist on a chip, how many registers their operands take, and how long they run.
//!
//! The shapes are those of AMD's matrix instruction calculator 1.3.2; passes are those of LLVM's `SISchedule.td`.

use crate::number::ElementType;
use ElementType::{Bf8, Bf16, F16, F32, F64, Fp8, I8, I32, Xf32};

/// The chip whose matrix unit computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    /// CDNA 1: MI100.
    Gfx908,
    /// CDNA 2: MI210, MI250.
    Gfx90a,
    /// CDNA 3: MI300, MI325.
    Gfx942,
}

/// The shape of a matrix instruction: `D(M×N) = A(M×K) · B(K×N) + C`, for each of some blocks.
///
/// ```
/// use wavetank_matrix::{ElementType, Model, Shape};
///
/// // v_mfma_f32_32x32x8f16
/// let shape = Shape::dense(32, 8, 1, ElementType::F16, ElementType::F32);
/// assert!(shape.is_of(Model::Gfx90a));
/// assert_eq!((shape.a_registers(), shape.d_registers()), (2, 16));
/// assert_eq!((shape.passes(Model::Gfx90a), shape.passes(Model::Gfx942)), (16, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// Rows of A and D.
    pub m: u8,
    /// Columns of B and D.
    pub n: u8,
    /// Columns of A, rows of B. A sparse A holds half of them.
    pub k: u8,
    /// Independent products.
    pub blocks: u8,
    /// The type of A's elements.
    pub a: ElementType,
    /// The type of B's elements.
    pub b: ElementType,
    /// The type of the elements of C and D.
    pub d: ElementType,
    /// Whether A holds two of each four elements, chosen by an index (SMFMAC).
    pub sparse: bool,
}

/// Lanes of a wave.
pub const LANES: usize = 64;

impl Shape {
    /// A dense shape whose A and B are alike and square in M and N.
    pub const fn dense(m: u8, k: u8, blocks: u8, factors: ElementType, d: ElementType) -> Shape {
        Shape {
            m,
            n: m,
            k,
            blocks,
            a: factors,
            b: factors,
            d,
            sparse: false,
        }
    }

    /// A shape of one block whose A is sparse.
    pub const fn sparse(m: u8, k: u8, a: ElementType, b: ElementType, d: ElementType) -> Shape {
        Shape {
            a,
            b,
            sparse: true,
            ..Shape::dense(m, k, 1, a, d)
        }
    }

    const fn mixed(m: u8, k: u8, a: ElementType, b: ElementType) -> Shape {
        Shape {
            a,
            b,
            ..Shape::dense(m, k, 1, a, F32)
        }
    }

    /// Returns the shapes of a chip's instructions.
    pub fn all(model: Model) -> impl Iterator<Item = Shape> {
        let lists: &'static [&'static [Shape]] = match model {
            Model::Gfx908 => &[&EVERYWHERE, &OLD],
            Model::Gfx90a => &[&EVERYWHERE, &OLD, &BF16_OF_FOUR, &DOUBLE],
            Model::Gfx942 => &[&EVERYWHERE, &BF16_OF_FOUR, &DOUBLE, &GFX942],
        };
        lists.iter().copied().flatten().copied()
    }

    /// Whether the chip has an instruction of this shape.
    pub fn is_of(&self, model: Model) -> bool {
        Shape::all(model).any(|shape| shape == *self)
    }

    /// Columns of A that are stored.
    pub fn stored_k(&self) -> usize {
        usize::from(self.k) >> u32::from(self.sparse)
    }

    /// Elements of A that a lane holds.
    pub fn a_elements(&self) -> usize {
        self.stored_k() * usize::from(self.m) * usize::from(self.blocks) / LANES
    }

    /// Elements of B that a lane holds.
    pub fn b_elements(&self) -> usize {
        usize::from(self.k) * usize::from(self.n) * usize::from(self.blocks) / LANES
    }

    /// Registers of A.
    pub fn a_registers(&self) -> usize {
        self.a_elements() * self.a.bits() as usize / 32
    }

    /// Registers of B.
    pub fn b_registers(&self) -> usize {
        self.b_elements() * self.b.bits() as usize / 32
    }

    /// Registers of C, and of D.
    pub fn d_registers(&self) -> usize {
        let elements = usize::from(self.m) * usize::from(self.n) * usize::from(self.blocks) / LANES;
        elements * self.d.bits() as usize / 32
    }

    /// Products of an instruction.
    pub fn products(&self) -> usize {
        let rows = usize::from(self.m) * usize::from(self.blocks);
        rows * usize::from(self.n) * self.stored_k()
    }

    /// Passes of four cycles that the matrix unit is busy.
    pub fn passes(&self, model: Model) -> u32 {
        match (self.m, self.a) {
            (4, F64) => 4,
            (4, _) => 2,
            (_, F64) => 8,
            (m, _) => {
                let passes = u32::from(m) / 2;
                if model == Model::Gfx942 && self.is_rich() {
                    passes / 2
                } else {
                    passes
                }
            }
        }
    }

    /// Whether this is a shape of one block for which gfx942 has doubled the throughput ("K-rich"). These take no CBSZ, ABID and
    /// BLGP there.
    fn is_rich(&self) -> bool {
        self.blocks == 1 && !matches!(self.a, F32 | F64)
    }

    /// Whether CBSZ and ABID broadcast a block of A. In sparse shapes, these fields choose bits of the index instead.
    pub fn has_broadcast(&self) -> bool {
        self.blocks > 1 && self.a != F64 && !self.sparse
    }

    /// Whether BLGP permutes the lanes of B.
    pub fn has_permutation(&self, model: Model) -> bool {
        self.a != F64 && !self.sparse && (model != Model::Gfx942 || !self.is_rich())
    }

    /// Whether BLGP changes the signs of A, B and C: bits 0, 1 and 2.
    pub fn has_negation(&self, model: Model) -> bool {
        self.a == F64 && model == Model::Gfx942
    }
}

/// Shapes that all three chips have.
const EVERYWHERE: [Shape; 13] = [
    Shape::dense(32, 1, 2, F32, F32),
    Shape::dense(16, 1, 4, F32, F32),
    Shape::dense(4, 1, 16, F32, F32),
    Shape::dense(32, 2, 1, F32, F32),
    Shape::dense(16, 4, 1, F32, F32),
    Shape::dense(32, 4, 2, F16, F32),
    Shape::dense(16, 4, 4, F16, F32),
    Shape::dense(4, 4, 16, F16, F32),
    Shape::dense(32, 8, 1, F16, F32),
    Shape::dense(16, 16, 1, F16, F32),
    Shape::dense(32, 4, 2, I8, I32),
    Shape::dense(16, 4, 4, I8, I32),
    Shape::dense(4, 4, 16, I8, I32),
];

/// Shapes that gfx942 has replaced by those of twice the K.
const OLD: [Shape; 7] = [
    Shape::dense(32, 8, 1, I8, I32),
    Shape::dense(16, 16, 1, I8, I32),
    Shape::dense(32, 2, 2, Bf16, F32),
    Shape::dense(16, 2, 4, Bf16, F32),
    Shape::dense(4, 2, 16, Bf16, F32),
    Shape::dense(32, 4, 1, Bf16, F32),
    Shape::dense(16, 8, 1, Bf16, F32),
];

/// Shapes of bf16 with four elements a lane, `_1k` on gfx90a.
const BF16_OF_FOUR: [Shape; 5] = [
    Shape::dense(32, 4, 2, Bf16, F32),
    Shape::dense(16, 4, 4, Bf16, F32),
    Shape::dense(4, 4, 16, Bf16, F32),
    Shape::dense(32, 8, 1, Bf16, F32),
    Shape::dense(16, 16, 1, Bf16, F32),
];

const DOUBLE: [Shape; 2] = [
    Shape::dense(16, 4, 1, F64, F64),
    Shape::dense(4, 4, 4, F64, F64),
];

const GFX942: [Shape; 26] = [
    Shape::dense(16, 8, 1, Xf32, F32),
    Shape::dense(32, 4, 1, Xf32, F32),
    Shape::dense(32, 16, 1, I8, I32),
    Shape::dense(16, 32, 1, I8, I32),
    Shape::mixed(16, 32, Bf8, Bf8),
    Shape::mixed(16, 32, Bf8, Fp8),
    Shape::mixed(16, 32, Fp8, Bf8),
    Shape::mixed(16, 32, Fp8, Fp8),
    Shape::mixed(32, 16, Bf8, Bf8),
    Shape::mixed(32, 16, Bf8, Fp8),
    Shape::mixed(32, 16, Fp8, Bf8),
    Shape::mixed(32, 16, Fp8, Fp8),
    Shape::sparse(16, 32, F16, F16, F32),
    Shape::sparse(32, 16, F16, F16, F32),
    Shape::sparse(16, 32, Bf16, Bf16, F32),
    Shape::sparse(32, 16, Bf16, Bf16, F32),
    Shape::sparse(16, 64, I8, I8, I32),
    Shape::sparse(32, 32, I8, I8, I32),
    Shape::sparse(16, 64, Bf8, Bf8, F32),
    Shape::sparse(16, 64, Bf8, Fp8, F32),
    Shape::sparse(16, 64, Fp8, Bf8, F32),
    Shape::sparse(16, 64, Fp8, Fp8, F32),
    Shape::sparse(32, 32, Bf8, Bf8, F32),
    Shape::sparse(32, 32, Bf8, Fp8, F32),
    Shape::sparse(32, 32, Fp8, Bf8, F32),
    Shape::sparse(32, 32, Fp8, Fp8, F32),
];
