//! The shapes of matrix instructions: sizes, types, and the registers that follow from both.
//!
//! An instruction computes D = A·B + C for a number of blocks. In each block A has M rows and K columns, B has K rows and N
//! columns, and C and D have M rows and N columns. The elements of a matrix are spread evenly over 64 lanes (AMD, "Matrix
//! Instruction Calculator").

/// The type of a matrix's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixType {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// Single precision, of which 10 bits of the mantissa are used.
    Xf32,
    /// Half precision.
    F16,
    /// The upper half of single precision.
    Bf16,
    /// 8 bits with 4 bits of exponent. The exact format depends on the chip.
    Fp8,
    /// 8 bits with 5 bits of exponent. The exact format depends on the chip.
    Bf8,
    /// 6 bits with 2 bits of exponent.
    Fp6,
    /// 6 bits with 3 bits of exponent.
    Bf6,
    /// 4 bits with 2 bits of exponent.
    Fp4,
    /// 8, 6 or 4 bits: CBSZ chooses the type of A, and BLGP that of B. See [`MatrixType::chosen`].
    F8f6f4,
    /// Signed integers of 8 bits.
    I8,
    /// Signed integers of 32 bits.
    I32,
}

impl MatrixType {
    /// Returns the number of bits of an element. An element whose type is chosen has 8 at most.
    pub const fn bits(self) -> u32 {
        match self {
            MatrixType::F64 => 64,
            MatrixType::F32 | MatrixType::Xf32 | MatrixType::I32 => 32,
            MatrixType::F16 | MatrixType::Bf16 => 16,
            MatrixType::Fp8 | MatrixType::Bf8 | MatrixType::F8f6f4 | MatrixType::I8 => 8,
            MatrixType::Fp6 | MatrixType::Bf6 => 6,
            MatrixType::Fp4 => 4,
        }
    }

    /// Returns the type that a value of CBSZ or BLGP chooses for [`MatrixType::F8f6f4`]; other types are not chosen. `None` for a
    /// value that chooses none.
    ///
    /// ```
    /// use wavetank_gcn::shapes::MatrixType;
    /// assert_eq!(MatrixType::F8f6f4.chosen(4), Some(MatrixType::Fp4));
    /// assert_eq!(MatrixType::F16.chosen(4), Some(MatrixType::F16));
    /// ```
    pub const fn chosen(self, value: u8) -> Option<MatrixType> {
        match (self, value) {
            (MatrixType::F8f6f4, 0) => Some(MatrixType::Fp8),
            (MatrixType::F8f6f4, 1) => Some(MatrixType::Bf8),
            (MatrixType::F8f6f4, 2) => Some(MatrixType::Fp6),
            (MatrixType::F8f6f4, 3) => Some(MatrixType::Bf6),
            (MatrixType::F8f6f4, 4) => Some(MatrixType::Fp4),
            (MatrixType::F8f6f4, _) => None,
            (own, _) => Some(own),
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
    pub d: MatrixType,
    /// Whether only two of each four elements of A in a row are stored (SMFMAC).
    pub sparse: bool,
}

/// The lanes that the elements of a matrix are spread over.
const LANES: u32 = 64;

impl Shape {
    /// Makes a shape from its sizes, as the name of the instruction has them: M, N, K and the number of blocks.
    pub(crate) const fn new(sizes: [u16; 4], a: MatrixType, b: MatrixType, d: MatrixType) -> Shape {
        let [m, n, k, blocks] = sizes;
        Shape {
            m,
            n,
            k,
            blocks,
            a,
            b,
            d,
            sparse: false,
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
        dwords(self.m, stored, self.blocks, ty)
    }

    /// Returns the number of registers that hold B, if its elements have the given type.
    pub const fn b_dwords(&self, ty: MatrixType) -> u8 {
        dwords(self.n, self.k, self.blocks, ty)
    }

    /// Returns the number of registers that hold D, and likewise C.
    pub const fn d_dwords(&self) -> u8 {
        dwords(self.m, self.n, self.blocks, self.d)
    }
}

/// Returns the registers for the elements of a matrix in each of its blocks.
const fn dwords(rows: u16, columns: u16, blocks: u16, ty: MatrixType) -> u8 {
    let elements = rows as u32 * columns as u32 * blocks as u32 / LANES;
    (elements * ty.bits() / 32) as u8
}
