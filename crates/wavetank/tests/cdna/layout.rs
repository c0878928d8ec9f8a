//! The places of the elements of matrices in registers, by the closed forms of AMD's matrix instruction calculator.

/// A product of `blocks` pairs of matrices, M×K and K×N.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub blocks: usize,
}

impl Shape {
    /// Lane, and element of the lane, of A[i][k].
    pub(crate) fn a(&self, block: usize, i: usize, k: usize) -> (usize, usize) {
        let Shape { m, blocks, .. } = *self;
        let e = self.k * m * blocks / 64;
        (k / e * m * blocks + block * m + i, k % e)
    }

    /// Lane, and element of the lane, of B[k][j].
    pub(crate) fn b(&self, block: usize, k: usize, j: usize) -> (usize, usize) {
        let Shape { n, blocks, .. } = *self;
        let e = self.k * n * blocks / 64;
        (k / e * n * blocks + block * n + j, k % e)
    }

    /// Lane and register of an element of 32 bits of C or D.
    pub(crate) fn d(&self, block: usize, i: usize, j: usize) -> (usize, usize) {
        match self.m {
            32 => (i / 4 % 2 * 32 + j, 16 * block + 4 * (i / 8) + i % 4),
            16 => (i / 4 * 16 + j, 4 * block + i % 4),
            _ => (4 * block + j, i),
        }
    }

    /// The number of registers of 32 bits in each lane of D.
    fn registers(&self) -> usize {
        self.m * self.n * self.blocks / 64
    }

    /// The registers of all lanes, a lane after the other; `element` computes D[i][j] of a block.
    pub(crate) fn registers_of_d<T: Copy + Default>(
        &self,
        element: impl Fn(usize, usize, usize) -> T,
    ) -> Vec<T> {
        let mut all = vec![T::default(); 64 * self.registers()];
        for block in 0..self.blocks {
            for i in 0..self.m {
                for j in 0..self.n {
                    let (lane, register) = self.d(block, i, j);
                    all[lane * self.registers() + register] = element(block, i, j);
                }
            }
        }
        all
    }
}

/// The records of lanes: from those of each result, which have these numbers of values, a lane after the other.
pub(crate) fn records<T: Copy>(results: &[&[T]]) -> Vec<T> {
    let of_lane = |lane: usize| {
        results.iter().flat_map(move |all| {
            let size = all.len() / 64;
            all[lane * size..][..size].iter().copied()
        })
    };
    (0..64).flat_map(of_lane).collect()
}
