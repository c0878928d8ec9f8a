//! Whole instructions on small integers, whose sums every rule computes exactly: against a triple loop over matrices, which knows
//! layouts only by reading and writing single elements, and the fields of the encoding.

use wavetank_matrix::{
    Addend, ElementType, Level, Matrix, Model, OperandError, Place, Shape, multiply, multiply_at,
};

use crate::common::{Random, instructions};

const LEVELS: [Level; 3] = [Level::Avx512, Level::Avx2, Level::Baseline];

/// The bits of a small integer. Those of bytes on gfx942 are exact up to 8.
fn encode(element: ElementType, value: i32) -> u64 {
    let single = (value as f32).to_bits();
    let narrow = |fraction_bits: u32, bias: u32| {
        let exponent = (single >> 23 & 0xff).wrapping_sub(127 - bias);
        let fraction = single >> (23 - fraction_bits) & ((1 << fraction_bits) - 1);
        let sign = single >> 31 << 7;
        let magnitude = if value == 0 {
            0
        } else {
            exponent << fraction_bits | fraction
        };
        u64::from(if value == 0 { 0 } else { sign | magnitude })
    };
    match element {
        ElementType::F64 => f64::from(value).to_bits(),
        ElementType::F32 | ElementType::Xf32 => single.into(),
        ElementType::Bf16 => (single >> 16).into(),
        ElementType::F16 if value == 0 => 0,
        ElementType::F16 => {
            let exponent = (single >> 23 & 0xff) - 127 + 15;
            u64::from(single >> 16 & 0x8000 | exponent << 10 | single >> 13 & 0x3ff)
        }
        ElementType::Fp8 => narrow(3, 8),
        ElementType::Bf8 => narrow(2, 16),
        ElementType::I8 => u64::from(value as i8 as u8),
        ElementType::I32 => u64::from(value.cast_unsigned()),
    }
}

fn write(registers: &mut [[u32; 64]], element: ElementType, place: Place, bits: u64) {
    registers[place.register][place.lane] |= (bits as u32) << place.bit;
    if element == ElementType::F64 {
        registers[place.register + 1][place.lane] = (bits >> 32) as u32;
    }
}

/// The matrices of all blocks: `a[block][i][k]` and so on.
struct Matrices {
    a: Vec<Vec<Vec<i32>>>,
    b: Vec<Vec<Vec<i32>>>,
    c: Vec<Vec<Vec<i32>>>,
    index: [u32; 64],
}

impl Matrices {
    fn random(shape: &Shape, random: &mut Random) -> Matrices {
        let (m, n, k): (usize, usize, usize) = (shape.m.into(), shape.n.into(), shape.k.into());
        let mut matrices = |rows: usize, columns: usize| -> Vec<Vec<Vec<i32>>> {
            let mut row = || {
                (0..columns)
                    .map(|_| random.below(9).cast_signed() - 4)
                    .collect()
            };
            let mut matrix = || (0..rows).map(|_| row()).collect();
            (0..shape.blocks).map(|_| matrix()).collect()
        };
        let (a, b, c) = (
            matrices(m, shape.stored_k()),
            matrices(k, n),
            matrices(m, n),
        );
        Matrices {
            a,
            b,
            c,
            index: std::array::from_fn(|_| random.word()),
        }
    }

    /// Registers of A, B and C.
    fn registers(&self, shape: &Shape) -> [Vec<[u32; 64]>; 3] {
        let mut a = vec![[0; 64]; shape.a_registers()];
        let mut b = vec![[0; 64]; shape.b_registers()];
        let mut c = vec![[0; 64]; shape.d_registers()];
        let each = |matrices: &[Vec<Vec<i32>>], write: &mut dyn FnMut(usize, usize, usize, i32)| {
            for (block, matrix) in matrices.iter().enumerate() {
                for (row, values) in matrix.iter().enumerate() {
                    for (column, value) in values.iter().enumerate() {
                        write(block, row, column, *value);
                    }
                }
            }
        };
        each(&self.a, &mut |block, i, k, value| {
            let place = shape.place_of_a(block, i, k);
            write(&mut a, shape.a, place, encode(shape.a, value));
        });
        each(&self.b, &mut |block, k, j, value| {
            let place = shape.place_of_b(block, k, j);
            write(&mut b, shape.b, place, encode(shape.b, value));
        });
        each(&self.c, &mut |block, i, j, value| {
            let place = shape.place_of_d(block, i, j);
            write(&mut c, shape.d, place, encode(shape.d, value));
        });
        [a, b, c]
    }

    /// D by the definition of a product, with `block_of_a` and the row of B of a stored element.
    fn product(
        &self,
        shape: &Shape,
        block_of_a: impl Fn(usize) -> usize,
        row_of_b: impl Fn(usize, usize) -> usize,
    ) -> Vec<[u32; 64]> {
        let mut d = vec![[0; 64]; shape.d_registers()];
        for block in 0..usize::from(shape.blocks) {
            for i in 0..usize::from(shape.m) {
                for j in 0..usize::from(shape.n) {
                    let products = (0..shape.stored_k()).map(|k| {
                        self.a[block_of_a(block)][i][k] * self.b[block][row_of_b(i, k)][j]
                    });
                    let sum = self.c[block][i][j] + products.sum::<i32>();
                    let place = shape.place_of_d(block, i, j);
                    write(&mut d, shape.d, place, encode(shape.d, sum));
                }
            }
        }
        d
    }
}

/// D of an instruction at each level.
fn check(matrix: &Matrix, matrices: &Matrices, wanted: &[[u32; 64]]) {
    let [a, b, c] = matrices.registers(matrix.shape());
    for level in LEVELS {
        let mut d = c.clone();
        let index = Some(&matrices.index);
        multiply_at(level, matrix, &a, &b, Addend::InPlace, index, &mut d).expect("operands");
        assert!(d == wanted, "{level:?} {matrix:?}: in place");
        let mut d = vec![[7; 64]; c.len()];
        multiply_at(level, matrix, &a, &b, Addend::Registers(&c), index, &mut d).expect("operands");
        assert!(d == wanted, "{level:?} {matrix:?}: from other registers");
    }
}

#[test]
fn products_are_those_of_matrices() {
    let mut random = Random::new();
    for matrix in instructions().filter(|matrix| !matrix.shape().sparse) {
        let matrices = Matrices::random(matrix.shape(), &mut random);
        let wanted = matrices.product(matrix.shape(), |block| block, |_, k| k);
        check(&matrix, &matrices, &wanted);
    }
}

/// The index of the stored elements of row i: those of a lane follow each other, two bits each, in the set that ABID chooses.
#[test]
fn sparse_products_choose_rows_of_b() {
    let mut random = Random::new();
    for matrix in instructions().filter(|matrix| matrix.shape().sparse) {
        let shape = *matrix.shape();
        let (elements, set_bits) = if shape.a.bits() == 16 {
            (4, 8)
        } else {
            (8, 16)
        };
        for (cbsz, abid) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (2, 3)] {
            let mut matrix = matrix;
            (matrix.cbsz, matrix.abid) = (cbsz, abid);
            let sets = 32 / set_bits;
            let set = if cbsz == 0 { u32::from(abid) % sets } else { 0 };
            let matrices = Matrices::random(&shape, &mut random);
            let row_of_b = |i: usize, k: usize| {
                let lane = k / elements * usize::from(shape.m) + i;
                let word = matrices.index[lane] >> (set * set_bits);
                let two_bits = word >> (2 * (k % elements)) & 3;
                k / 2 * 4 + two_bits as usize
            };
            let wanted = matrices.product(&shape, |block| block, row_of_b);
            check(&matrix, &matrices, &wanted);
        }
    }
}

#[test]
fn blocks_of_a_are_broadcast() {
    let mut random = Random::new();
    for matrix in instructions().filter(|matrix| matrix.shape().has_broadcast()) {
        let blocks = matrix.shape().blocks;
        for cbsz in 0..=blocks.ilog2() as u8 {
            for abid in 0..1u8 << cbsz {
                let mut matrix = matrix;
                (matrix.cbsz, matrix.abid) = (cbsz, abid);
                let matrices = Matrices::random(matrix.shape(), &mut random);
                let size = 1usize << cbsz;
                let block_of_a = |block: usize| block / size * size + usize::from(abid);
                let wanted = matrices.product(matrix.shape(), block_of_a, |_, k| k);
                check(&matrix, &matrices, &wanted);
            }
        }
    }
}

/// BLGP is a permutation of B's registers, which can as well be done before.
#[test]
fn lanes_of_b_are_permuted() {
    let mut random = Random::new();
    for matrix in instructions() {
        for blgp in 1..8u8 {
            let shape = *matrix.shape();
            let matrices = Matrices::random(&shape, &mut random);
            let [a, b, c] = matrices.registers(&shape);
            let from = |lane: usize| match blgp {
                _ if !shape.has_permutation(matrix.model()) => lane,
                1 => lane & 31,
                2 => lane | 32,
                3 => (lane + 16) & 63,
                _ => (lane & 15) + 16 * (usize::from(blgp) - 4),
            };
            let permuted: Vec<[u32; 64]> = b
                .iter()
                .map(|register| std::array::from_fn(|lane| register[from(lane)]))
                .collect();
            let mut wanted = c.clone();
            let index = Some(&matrices.index);
            multiply(&matrix, &a, &permuted, Addend::InPlace, index, &mut wanted)
                .expect("operands");
            let mut matrix = matrix;
            matrix.blgp = blgp;
            if shape.has_negation(matrix.model()) {
                continue;
            }
            for level in LEVELS {
                let mut d = c.clone();
                multiply_at(level, &matrix, &a, &b, Addend::InPlace, index, &mut d)
                    .expect("operands");
                assert!(d == wanted, "{level:?} {matrix:?}");
            }
        }
    }
}

#[test]
fn signs_of_doubles_are_changed() {
    let mut random = Random::new();
    for mut matrix in instructions().filter(|m| m.shape().has_negation(m.model())) {
        for blgp in 0..8 {
            matrix.blgp = blgp;
            let shape = *matrix.shape();
            let matrices = Matrices::random(&shape, &mut random);
            let sign = |bit: u8| if blgp >> bit & 1 != 0 { -1 } else { 1 };
            let times = |matrices: &Vec<Vec<Vec<i32>>>, sign: i32| -> Vec<Vec<Vec<i32>>> {
                let row = |row: &Vec<i32>| row.iter().map(|value| sign * value).collect();
                let matrix = |matrix: &Vec<Vec<i32>>| matrix.iter().map(row).collect();
                matrices.iter().map(matrix).collect()
            };
            let signed = Matrices {
                a: times(&matrices.a, sign(0)),
                b: times(&matrices.b, sign(1)),
                c: times(&matrices.c, sign(2)),
                index: matrices.index,
            };
            let wanted = signed.product(&shape, |block| block, |_, k| k);
            check(&matrix, &matrices, &wanted);
        }
    }
}

/// An inline constant is the same element everywhere.
#[test]
fn a_constant_is_added_everywhere() {
    let mut random = Random::new();
    for matrix in instructions() {
        let shape = *matrix.shape();
        let mut matrices = Matrices::random(&shape, &mut random);
        for value in matrices.c.iter_mut().flatten().flatten() {
            *value = 3;
        }
        let [a, b, c] = matrices.registers(&shape);
        let index = Some(&matrices.index);
        let mut wanted = c;
        multiply(&matrix, &a, &b, Addend::InPlace, index, &mut wanted).expect("operands");
        let mut d = vec![[9; 64]; wanted.len()];
        let three = Addend::Every(encode(shape.d, 3));
        multiply(&matrix, &a, &b, three, index, &mut d).expect("operands");
        assert!(d == wanted, "{matrix:?}");
    }
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let shape = Shape::sparse(16, 32, ElementType::F16, ElementType::F16, ElementType::F32);
    let matrix = Matrix::new(Model::Gfx942, shape).expect("an instruction");
    assert!(Matrix::new(Model::Gfx90a, shape).is_none());
    let (a, b) = ([[0; 64]; 2], [[0; 64]; 4]);
    let mut d = [[0; 64]; 4];
    let error = multiply(&matrix, &a, &b[..2], Addend::InPlace, None, &mut d);
    let text = "B of this matrix instruction has 4 registers, and 2 are given";
    assert_eq!(error.expect_err("an error").to_string(), text);
    let error = multiply(&matrix, &a, &b, Addend::InPlace, None, &mut d);
    assert_eq!(error, Err(OperandError::NoIndex));
    let error = multiply(
        &matrix,
        &a,
        &b,
        Addend::Registers(&a),
        Some(&[0; 64]),
        &mut d,
    );
    assert!(error.is_err());
}
