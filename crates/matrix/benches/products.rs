//! Products a second of each instruction, and the ratio to fused multiply-adds that stay in registers:
//! `cargo bench -p wavetank-matrix`, or `cargo bench -p wavetank-matrix -- 16x16x4_f32` for the instructions with such a name.

mod peak;

use std::hint::black_box;

use peak::{peak, seconds};
use wavetank_matrix::{Addend, ElementType, Level, Matrix, Model, Shape, multiply_at};

/// Registers of numbers around one, or of any bytes.
fn registers(count: usize, element: ElementType, seed: u32) -> Vec<[u32; 64]> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let mut word = |register: usize| match element {
        ElementType::F64 if register % 2 == 1 => 0x3fe0_0000 | next() << 7 & 0x800f_ffff,
        ElementType::F64 => next(),
        ElementType::F32 | ElementType::Xf32 => 0x3f00_0000 | next() << 7 & 0x81ff_ffff,
        ElementType::F16 => 0x3800_3800 | next() & 0x87ff_87ff,
        ElementType::Bf16 => 0x3f00_3f00 | next() << 4 & 0x80ff_80ff,
        ElementType::Fp8 => 0x3838_3838 | next() & 0x8787_8787,
        ElementType::Bf8 => 0x3c3c_3c3c | next() & 0x8383_8383,
        ElementType::I8 | ElementType::I32 => next() ^ next() << 8,
    };
    (0..count)
        .map(|register| std::array::from_fn(|_| word(register)))
        .collect()
}

fn name(shape: &Shape) -> String {
    let blocks = match shape.blocks {
        1 => String::new(),
        blocks => format!("_{blocks}b"),
    };
    let types = if shape.a == shape.b {
        format!("{:?}", shape.a)
    } else {
        format!("{:?}_{:?}", shape.a, shape.b)
    };
    let kind = if shape.sparse { "smfmac" } else { "mfma" };
    let Shape { m, n, k, .. } = shape;
    format!("{kind}_{m}x{n}x{k}{blocks}_{}", types.to_lowercase())
}

fn main() {
    let level = Level::detect();
    // Cargo adds `--bench`.
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let is_wanted = |name: &str| filter.as_ref().is_none_or(|part| name.contains(part));
    let peak = peak(level);
    println!(
        "{level:?}: {:.1} G fused multiply-adds a second in registers",
        peak / 1e9
    );
    println!(
        "{:8} {:28} {:>9} {:>14} {:>6}",
        "chip", "instruction", "ns", "G products/s", "ratio"
    );
    for model in [Model::Gfx908, Model::Gfx90a, Model::Gfx942] {
        for shape in Shape::all(model) {
            if !is_wanted(&name(&shape)) {
                continue;
            }
            let instruction = Matrix::new(model, shape).expect("a shape of the chip");
            let a = registers(shape.a_registers(), shape.a, 1);
            let b = registers(shape.b_registers(), shape.b, 2);
            let mut d = vec![[0; 64]; shape.d_registers()];
            let index = [0x9c4e_4ec9; 64];
            let time = seconds(|| {
                let result = multiply_at(
                    level,
                    &instruction,
                    black_box(&a),
                    black_box(&b),
                    Addend::InPlace,
                    Some(&index),
                    black_box(&mut d),
                );
                result.expect("operands of the shape");
            });
            let rate = shape.products() as f64 / time;
            println!(
                "{:8} {:28} {:9.1} {:14.2} {:6.2}",
                format!("{model:?}").to_lowercase(),
                name(&shape),
                time * 1e9,
                rate / 1e9,
                rate / peak
            );
        }
    }
}
