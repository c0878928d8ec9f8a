//! Products of matrices: instructions of a matrix unit, whose operands are spans of vector registers.

use wavetank_matrix::Matrix;

/// D = A·B + C, in all lanes. The instruction determines the number of registers of each operand.
///
/// Results overwrite all lanes of D. Where D shares registers with A, B or the indices, these are read before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixOp {
    /// The shape, the chip whose arithmetic it is, and the modifiers.
    pub instruction: Matrix,
    /// The first register of D.
    pub d: u16,
    /// The first register of A.
    pub a: u16,
    /// The first register of B.
    pub b: u16,
    /// C.
    pub c: Addend,
    /// The register with the indices of a sparse A.
    pub index: Option<u16>,
}

/// The matrix that a product is added to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addend {
    /// The first of its registers.
    Registers(u16),
    /// The bits of all of its elements: 32 of them, or 64 in double precision.
    Every(u64),
}
