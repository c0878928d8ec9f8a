//! Kernels against element by element, at every level of processor features: random elements of several kinds.

use proptest::prelude::*;
use wavetank_matrix::{Addend, ElementType, Level, Matrix, multiply_at, multiply_by_elements};

use crate::chains::odd_bits;
use crate::common::{Random, instructions, runner};
use crate::dots::dots;

const LEVELS: [Level; 3] = [Level::Avx512, Level::Avx2, Level::Baseline];

/// The kinds of elements that a case has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Any bits.
    Any,
    /// Exponents near one, zero and the ends of the format, special numbers included.
    Odd,
    /// As `Odd`, without infinities and NaNs.
    Finite,
    /// Numbers around one with few bits, and zeros: what most data are.
    Near,
    /// Denormals and the smallest normal numbers.
    Small,
}

const KINDS: [Kind; 5] = [Kind::Any, Kind::Odd, Kind::Finite, Kind::Near, Kind::Small];

fn fields(element: ElementType) -> (u32, u32) {
    match element {
        ElementType::F64 => (11, 52),
        ElementType::F16 => (5, 10),
        ElementType::Bf16 => (8, 7),
        ElementType::Fp8 => (4, 3),
        ElementType::Bf8 => (5, 2),
        _ => (8, 23),
    }
}

fn element(kind: Kind, element: ElementType, random: &mut Random) -> u64 {
    let word = u64::from(random.word()) << 32 | u64::from(random.word());
    if kind == Kind::Any || matches!(element, ElementType::I8 | ElementType::I32) {
        return word & (u64::MAX >> (64 - element.bits()));
    }
    let (exponent_bits, fraction_bits) = fields(element);
    let ones = (1 << exponent_bits) - 1;
    let sign = (word >> 63) << (exponent_bits + fraction_bits);
    let fraction = word & ((1 << fraction_bits) - 1);
    match kind {
        Kind::Any | Kind::Odd => odd_bits(random, exponent_bits, fraction_bits),
        Kind::Finite => loop {
            let bits = odd_bits(random, exponent_bits, fraction_bits);
            let is_nan = element.bits() == 8 && bits == 0x80;
            // Eight bits have no infinity: their largest exponent is like any other.
            if !is_nan && (element.bits() == 8 || bits >> fraction_bits & ones != ones) {
                return bits;
            }
        },
        Kind::Near if random.below(8) == 0 => 0,
        Kind::Near => {
            let exponent = ones / 2 + u64::from(random.below(8)) - 4;
            sign | exponent << fraction_bits | fraction
        }
        Kind::Small if element.bits() == 8 => word & 0x0f,
        Kind::Small => sign | u64::from(random.below(2)) << fraction_bits | fraction,
    }
}

fn compare(matrix: &Matrix, kinds: [Kind; 3], random: &mut Random) {
    let shape = *matrix.shape();
    let [of_a, of_b, of_c] = kinds;
    let a = random.registers(shape.a_registers(), shape.a, |r| element(of_a, shape.a, r));
    let b = random.registers(shape.b_registers(), shape.b, |r| element(of_b, shape.b, r));
    let c = random.registers(shape.d_registers(), shape.d, |r| element(of_c, shape.d, r));
    let index = std::array::from_fn(|_| random.word());
    let mut wanted = c.clone();
    multiply_by_elements(matrix, &a, &b, Addend::InPlace, Some(&index), &mut wanted)
        .expect("operands");
    for level in LEVELS {
        let mut d = c.clone();
        multiply_at(level, matrix, &a, &b, Addend::InPlace, Some(&index), &mut d)
            .expect("operands");
        for (register, (d, wanted)) in d.iter().zip(&wanted).enumerate() {
            for lane in 0..64 {
                assert!(
                    d[lane] == wanted[lane],
                    "{level:?} {matrix:?} {kinds:?}: register {register}, lane {lane}: \
                     {:x} is {:x}, not {:x}",
                    c[register][lane],
                    d[lane],
                    wanted[lane]
                );
            }
        }
    }
}

#[test]
fn kernels_are_as_element_by_element() {
    let mut random = Random::new();
    for matrix in instructions() {
        for a in KINDS {
            for c in KINDS {
                compare(&matrix, [a, a, c], &mut random);
            }
        }
    }
}

#[test]
fn kernels_are_so_with_mixed_kinds_and_fields() {
    let all: Vec<Matrix> = instructions().collect();
    let kind = || prop::sample::select(&KINDS[..]);
    let case = (
        0..all.len(),
        kind(),
        kind(),
        kind(),
        0..8u8,
        0..16u8,
        0..8u8,
    );
    let mut random = Random::new();
    let random = std::cell::RefCell::new(&mut random);
    runner(400)
        .run(&case, |(which, a, b, c, cbsz, abid, blgp)| {
            let mut matrix = all[which];
            (matrix.cbsz, matrix.abid, matrix.blgp) = (cbsz, abid, blgp);
            compare(&matrix, [a, b, c], *random.borrow_mut());
            Ok(())
        })
        .expect("the same bits");
}

/// Rows of the table as rows of A and columns of B: the results stand on the diagonal of D. Those of 4×4 and many blocks are done with
/// shapes of the same K.
#[test]
fn kernels_give_the_sums_of_the_table() {
    let dots = dots();
    for matrix in instructions().filter(|matrix| !matrix.shape().sparse) {
        let shape = *matrix.shape();
        let is_of = |dot: &&crate::dots::Dot| {
            let dot_shape = dot.shape;
            dot.model == matrix.model()
                && (dot_shape.a, dot_shape.b, dot_shape.k) == (shape.a, shape.b, shape.k)
                && dot_shape.a_elements() == shape.a_elements()
        };
        let rows: Vec<_> = dots.iter().filter(is_of).collect();
        let (m, blocks) = (usize::from(shape.m), usize::from(shape.blocks));
        for rows in rows.chunks(m * blocks) {
            let mut a = vec![[0; 64]; shape.a_registers()];
            let mut b = vec![[0; 64]; shape.b_registers()];
            let mut d = vec![[0; 64]; shape.d_registers()];
            let write =
                |registers: &mut Vec<[u32; 64]>, place: wavetank_matrix::Place, bits: u64| {
                    registers[place.register][place.lane] |= (bits as u32) << place.bit;
                    if let Some(next) = registers.get_mut(place.register + 1)
                        && bits >> 32 != 0
                    {
                        next[place.lane] = (bits >> 32) as u32;
                    }
                };
            for (n, row) in rows.iter().enumerate() {
                let (block, i) = (n / m, n % m);
                for k in 0..row.a.len() {
                    write(&mut a, shape.place_of_a(block, i, k), row.a[k]);
                    write(&mut b, shape.place_of_b(block, k, i), row.b[k]);
                }
                write(&mut d, shape.place_of_d(block, i, i), row.c);
            }
            for level in LEVELS {
                let mut d = d.clone();
                multiply_at(level, &matrix, &a, &b, Addend::InPlace, None, &mut d)
                    .expect("operands");
                for (n, row) in rows.iter().enumerate() {
                    let place = shape.place_of_d(n / m, n % m, n % m);
                    let low = u64::from(d[place.register][place.lane]);
                    let bits = match shape.d {
                        ElementType::F64 => {
                            u64::from(d[place.register + 1][place.lane]) << 32 | low
                        }
                        _ => low,
                    };
                    assert_eq!(
                        bits, row.d,
                        "{level:?} {matrix:?}: {:x?} {:x?} {:x}",
                        row.a, row.b, row.c
                    );
                }
            }
        }
    }
}
