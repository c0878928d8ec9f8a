//! The shapes of matrix instructions: sizes, types, and the registers that follow from both.
//!
//! An instruction computes D = A·B + C for a number of blocks. In each block A has M rows and K columns, B has K rows and N
//! columns, and C and D have M rows and N columns. The elements of a matrix are spread evenly over 64 lanes (AMD, "Matrix
//! Instruction Calculator").

pub use wavetank_matrix::ElementType;

/// The type of A's or B's elements: one that the matrix unit computes with, or one that only gfx950 has. The types of gfx950 are
/// apart, since `wavetank_matrix` has an arithmetic for each of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixType {
    /// A type of gfx908 to gfx942. The 8-bit formats of gfx950 are others than those of gfx942.
    Executed(ElementType),
    /// 6 bits with 2 bits of exponent.
    Fp6,
    /// 6 bits with 3 bits of exponent.
    Bf6,
    /// 4 bits with 2 bits of exponent.
    Fp4,
    /// 8, 6 or 4 bits: CBSZ chooses the type of A, and BLGP that of B. See [`MatrixType::chosen`].
    F8f6f4,
}

impl MatrixType {
    /// Returns the number of bits of an element. An element whose type is chosen has 8 at most.
    pub const fn bits(self) -> u32 {
        match self {
            MatrixType::Executed(ty) => ty.bits(),
            MatrixType::F8f6f4 => 8,
            MatrixType::Fp6 | MatrixType::Bf6 => 6,
            MatrixType::Fp4 => 4,
        }
    }

    /// Returns the name of the type, as the names of instructions have it: `bf16`.
    pub const fn name(self) -> &'static str {
        match self {
            MatrixType::Executed(ty) => ty.name(),
            MatrixType::F8f6f4 => "f8f6f4",
            MatrixType::Fp6 => "fp6",
            MatrixType::Bf6 => "bf6",
            MatrixType::Fp4 => "fp4",
        }
    }

    /// Returns the type that a value of CBSZ or BLGP chooses for [`MatrixType::F8f6f4`]; other types are not chosen. `None` for a
    /// value that chooses none.
    ///
    /// ```
    /// use wavetank_gcn::shapes::{ElementType, MatrixType};
    /// assert_eq!(MatrixType::F8f6f4.chosen(4), Some(MatrixType::Fp4));
    /// let half = MatrixType::Executed(ElementType::F16);
    /// assert_eq!(half.chosen(4), Some(half));
    /// ```
    pub const fn chosen(self, value: u8) -> Option<MatrixType> {
        match (self, value) {
            (MatrixType::F8f6f4, 0) => Some(MatrixType::Executed(ElementType::Fp8)),
            (MatrixType::F8f6f4, 1) => Some(MatrixType::Executed(ElementType::Bf8)),
            (MatrixType::F8f6f4, 2) => Some(MatrixType::Fp6),
            (MatrixType::F8f6f4, 3) => Some(MatrixType::Bf6),
            (MatrixType::F8f6f4, 4) => Some(MatrixType::Fp4),
            (MatrixType::F8f6f4, _) => None,
            (own, _) => Some(own),
        }
    }

    /// Returns the type if an executed chip has it.
    pub const fn executed(self) -> Option<ElementType> {
        match self {
            MatrixType::Executed(ty) => Some(ty),
            _ => None,
        }
    }
}

/// The shape of a matrix instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The rows of A, C and D.
    pub m: u16,
    /// The columns of B, C and D.
    pub n: u16,
    /// The columns of A and the rows of B.
    pub k: u16,
    /// The number of independent products.
    pub blocks: u16,
    /// The type of A.
    pub a: MatrixType,
    /// The type of B.
    pub b: MatrixType,
    /// The type of C and D.
    pub d: ElementType,
    /// Whether only two of each four elements of A in a row are stored (SMFMAC).
    pub sparse: bool,
}

/// The lanes that the elements of a matrix are spread over.
const LANES: u32 = 64;

impl Shape {
    /// Makes a shape from its sizes, as the name of the instruction has them: M, N, K and the number of blocks.
    pub(crate) const fn new(
        sizes: [u16; 4],
        a: ElementType,
        b: ElementType,
        d: ElementType,
    ) -> Shape {
        let [m, n, k, blocks] = sizes;
        Shape {
            m,
            n,
            k,
            blocks,
            a: MatrixType::Executed(a),
            b: MatrixType::Executed(b),
            d,
            sparse: false,
        }
    }

    /// Makes the shape of a product of single precision whose factors' types are chosen.
    pub(crate) const fn chosen(sizes: [u16; 4]) -> Shape {
        let factors = MatrixType::F8f6f4;
        Shape {
            a: factors,
            b: factors,
            ..Shape::new(sizes, ElementType::F32, ElementType::F32, ElementType::F32)
        }
    }

    /// Makes the shape of a sparse A.
    pub(crate) const fn sparse(self) -> Shape {
        Shape {
            sparse: true,
            ..self
        }
    }

    /// Returns the number of registers that hold A, if its elements have the given type.
    ///
    /// ```
    /// use wavetank_gcn::tables::Mai;
    /// let shape = Mai::V_MFMA_F32_32X32X4F16.row().shape.expect("it multiplies matrices");
    /// assert_eq!((shape.a_dwords(shape.a), shape.b_dwords(shape.b), shape.d_dwords()), (2, 2, 32));
    /// ```
    pub const fn a_dwords(&self, ty: MatrixType) -> u8 {
        let stored = if self.sparse { self.k / 2 } else { self.k };
        dwords(self.m, stored, self.blocks, ty.bits())
    }

    /// Returns the number of registers that hold B, if its elements have the given type.
    pub const fn b_dwords(&self, ty: MatrixType) -> u8 {
        dwords(self.n, self.k, self.blocks, ty.bits())
    }

    /// Returns the number of registers that hold D, and likewise C.
    pub const fn d_dwords(&self) -> u8 {
        dwords(self.m, self.n, self.blocks, self.d.bits())
    }
}

/// Returns the registers for the elements of a matrix in each of its blocks.
const fn dwords(rows: u16, columns: u16, blocks: u16, bits: u32) -> u8 {
    let elements = rows as u32 * columns as u32 * blocks as u32 / LANES;
    (elements * bits / 32) as u8
}
