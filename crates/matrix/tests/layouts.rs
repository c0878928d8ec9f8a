//! Shapes and layouts: `opcodes/mfma-shapes.tsv`, places that are used exactly once, and places that AMD's documents show.

use std::collections::HashSet;

use wavetank_matrix::{ElementType, Model, Place, Shape};

use crate::common::{MODELS, instructions, model, shared};

fn element(name: &str) -> ElementType {
    match name {
        "fp64" => ElementType::F64,
        "fp32" => ElementType::F32,
        "xf32" => ElementType::Xf32,
        "fp16" => ElementType::F16,
        "bf16" => ElementType::Bf16,
        "amd_fp8" => ElementType::Fp8,
        "amd_bf8" => ElementType::Bf8,
        "int8" => ElementType::I8,
        "int32" => ElementType::I32,
        _ => panic!("{name} is not an element type"),
    }
}

#[test]
fn shapes_are_those_of_the_calculator() {
    let Some(text) = shared("opcodes/mfma-shapes.tsv") else {
        return;
    };
    let mut seen = HashSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |column: usize| columns[column].parse::<usize>().expect("a number");
        let chip = model(columns[0]);
        let shape = Shape {
            m: number(6) as u8,
            n: number(7) as u8,
            k: number(8) as u8,
            blocks: number(9) as u8,
            a: element(columns[3]),
            b: element(columns[4]),
            d: element(columns[5]),
            sparse: number(16) != 0,
        };
        assert!(shape.is_of(chip), "{line}");
        assert!(
            seen.insert((chip, shape)),
            "two instructions of one shape: {line}"
        );
        let registers = (
            shape.a_registers(),
            shape.b_registers(),
            shape.d_registers(),
        );
        assert_eq!(registers, (number(10), number(11), number(12)), "{line}");
        assert_eq!(shape.passes(chip) as usize, number(13), "{line}");
        // In sparse shapes the two fields choose index bits.
        let takes = shape.has_broadcast() || shape.sparse;
        assert_eq!(usize::from(takes), number(14), "{line}");
        let takes = shape.has_permutation(chip) || shape.has_negation(chip);
        assert_eq!(usize::from(takes), number(15), "{line}");
    }
    for chip in MODELS {
        for shape in Shape::all(chip) {
            assert!(
                seen.contains(&(chip, shape)),
                "{chip:?} {shape:?} is not in the table"
            );
        }
    }
}

/// Every bit of every register belongs to one element, and every element has a place.
fn fill(places: impl Iterator<Item = Place>, bits: u32, registers: usize) {
    let mut used = vec![[0u32; 64]; registers];
    let mut take = |register: usize, lane: usize, mask: u32| {
        let word: &mut u32 = &mut used[register][lane];
        assert_eq!(*word & mask, 0, "two elements at {register}, {lane}");
        *word |= mask;
    };
    for place in places {
        let mask = (u64::MAX >> (64 - bits)) << place.bit;
        take(place.register, place.lane, mask as u32);
        if bits == 64 {
            take(place.register + 1, place.lane, u32::MAX);
        }
    }
    assert!(used.iter().flatten().all(|word| *word == u32::MAX));
}

#[test]
fn elements_fill_the_registers() {
    for matrix in instructions() {
        let shape = matrix.shape();
        let (m, n): (usize, usize) = (shape.m.into(), shape.n.into());
        let (k, stored, blocks): (usize, _, usize) =
            (shape.k.into(), shape.stored_k(), shape.blocks.into());
        let all = |rows: usize, columns: usize| {
            (0..blocks * rows * columns)
                .map(move |at| (at / (rows * columns), at / columns % rows, at % columns))
        };
        let a = all(m, stored).map(|(block, i, k)| shape.place_of_a(block, i, k));
        fill(a, shape.a.bits(), shape.a_registers());
        let b = all(k, n).map(|(block, k, j)| shape.place_of_b(block, k, j));
        fill(b, shape.b.bits(), shape.b_registers());
        let d = all(m, n).map(|(block, i, j)| shape.place_of_d(block, i, j));
        fill(d, shape.d.bits(), shape.d_registers());
    }
}

/// Places that kernels rely on which their authors have run. Singles, 16x16x4: `sgemm_16x16x4` of AMD's article "AMD matrix cores"
/// (GPUOpen), with work-items x of 16 and y of 4. Halves, 32x32x8: `bench_mfma` of tingqli/pyhip.
#[test]
fn places_are_those_that_kernels_use() {
    let at = |lane, register, bit| Place {
        lane,
        register,
        bit,
    };
    let singles = Shape::dense(16, 4, 1, ElementType::F32, ElementType::F32);
    for (x, y) in (0..64).map(|lane| (lane % 16, lane / 16)) {
        assert_eq!(singles.place_of_a(0, x, y), at(16 * y + x, 0, 0));
        assert_eq!(singles.place_of_b(0, y, x), at(16 * y + x, 0, 0));
        for i in 0..4 {
            assert_eq!(singles.place_of_d(0, 4 * y + i, x), at(16 * y + x, i, 0));
        }
    }
    let halves = Shape::dense(32, 8, 1, ElementType::F16, ElementType::F32);
    for lane in 0..64 {
        let (row, half) = (lane % 32, lane / 32);
        for k in 0..4 {
            let place = at(lane, k / 2, 16 * (k as u32 % 2));
            assert_eq!(halves.place_of_a(0, row, 4 * half + k), place);
            assert_eq!(halves.place_of_b(0, 4 * half + k, row), place);
        }
        for register in 0..16 {
            let i = 8 * (register / 4) + 4 * half + register % 4;
            assert_eq!(halves.place_of_d(0, i, row), at(lane, register, 0));
        }
    }
}

/// On gfx942 the shapes of more K take no field; elsewhere only the blocks decide.
#[test]
fn fields_have_an_effect_where_the_calculator_says() {
    let rich = Shape::dense(32, 8, 1, ElementType::F16, ElementType::F32);
    assert!(rich.has_permutation(Model::Gfx90a) && !rich.has_permutation(Model::Gfx942));
    let double = Shape::dense(4, 4, 4, ElementType::F64, ElementType::F64);
    assert!(!double.has_broadcast());
    assert!(double.has_negation(Model::Gfx942) && !double.has_negation(Model::Gfx90a));
}
