//! Products of matrices that have code of their own: every such shape, with registers that overlap and numbers of all kinds,
//! against the plain evaluator, whose routine the tests of `wavetank-matrix` compare with one that goes element by element.

use super::engine;
use super::world::Random;
use wavetank_gcn::{Chip, parse};
use wavetank_interp::{Plain, PlainProgram, Simd, Translation};
use wavetank_jit::Jitted;
use wavetank_machine::Backend;
use wavetank_memory::{MemoryUnit, Registry, VECTOR_REGISTERS, Wave};

type File = Vec<[u32; 64]>;

/// An instruction: mnemonic, registers of D, of A and of B.
type Shape = (&'static str, usize, usize);

/// Those whose factors are singles.
const SINGLES: [Shape; 5] = [
    ("v_mfma_f32_32x32x1f32", 32, 1),
    ("v_mfma_f32_16x16x1f32", 16, 1),
    ("v_mfma_f32_4x4x1f32", 4, 1),
    ("v_mfma_f32_32x32x2f32", 16, 1),
    ("v_mfma_f32_16x16x4f32", 4, 1),
];
const BYTES: [Shape; 5] = [
    ("v_mfma_i32_32x32x4i8", 32, 1),
    ("v_mfma_i32_16x16x4i8", 16, 1),
    ("v_mfma_i32_4x4x4i8", 4, 1),
    ("v_mfma_i32_32x32x8i8", 16, 1),
    ("v_mfma_i32_16x16x16i8", 4, 1),
];
/// Those of gfx942 with a register more.
const RICH_BYTES: [Shape; 2] = [
    ("v_mfma_i32_32x32x16_i8", 16, 2),
    ("v_mfma_i32_16x16x32_i8", 4, 2),
];
const DOUBLES: [Shape; 2] = [
    ("v_mfma_f64_16x16x4f64", 8, 2),
    ("v_mfma_f64_4x4x4f64", 2, 2),
];

/// Factors of 16 bits.
const HALVES: [Shape; 4] = [
    ("v_mfma_f32_32x32x4f16", 32, 2),
    ("v_mfma_f32_16x16x4f16", 16, 2),
    ("v_mfma_f32_32x32x8f16", 16, 2),
    ("v_mfma_f32_16x16x16f16", 4, 2),
];
const BF16: [Shape; 8] = [
    ("v_mfma_f32_32x32x2bf16", 32, 1),
    ("v_mfma_f32_16x16x2bf16", 16, 1),
    ("v_mfma_f32_32x32x4bf16", 16, 1),
    ("v_mfma_f32_16x16x8bf16", 4, 1),
    ("v_mfma_f32_32x32x4bf16_1k", 32, 2),
    ("v_mfma_f32_16x16x4bf16_1k", 16, 2),
    ("v_mfma_f32_32x32x8bf16_1k", 16, 2),
    ("v_mfma_f32_16x16x16bf16_1k", 4, 2),
];

/// Those of gfx942, by type.
const FUSED_HALVES: [Shape; 4] = [
    ("v_mfma_f32_32x32x4_2b_f16", 32, 2),
    ("v_mfma_f32_16x16x4_4b_f16", 16, 2),
    ("v_mfma_f32_32x32x8_f16", 16, 2),
    ("v_mfma_f32_16x16x16_f16", 4, 2),
];
const FUSED_BF16: [Shape; 4] = [
    ("v_mfma_f32_32x32x4_2b_bf16", 32, 2),
    ("v_mfma_f32_16x16x4_4b_bf16", 16, 2),
    ("v_mfma_f32_32x32x8_bf16", 16, 2),
    ("v_mfma_f32_16x16x16_bf16", 4, 2),
];
const XF32: [Shape; 2] = [
    ("v_mfma_f32_16x16x8_xf32", 4, 2),
    ("v_mfma_f32_32x32x4_xf32", 16, 2),
];
const FP8: [Shape; 8] = [
    ("v_mfma_f32_16x16x32_bf8_bf8", 4, 2),
    ("v_mfma_f32_16x16x32_bf8_fp8", 4, 2),
    ("v_mfma_f32_16x16x32_fp8_bf8", 4, 2),
    ("v_mfma_f32_16x16x32_fp8_fp8", 4, 2),
    ("v_mfma_f32_32x32x16_bf8_bf8", 16, 2),
    ("v_mfma_f32_32x32x16_bf8_fp8", 16, 2),
    ("v_mfma_f32_32x32x16_fp8_bf8", 16, 2),
    ("v_mfma_f32_32x32x16_fp8_fp8", 16, 2),
];

/// Four bytes, without the one that is a NaN, or mostly.
fn bytes(random: &mut Random, plain: bool) -> u32 {
    let any = random.next() as u32;
    let near = 0x3838_3838 | any & 0x8787_8787;
    let bytes = if random.below(2) == 0 { near } else { any };
    let is_nan = |n: u32| bytes >> (8 * n) & 0xff == 0x80;
    match (0..4).find(|n| is_nan(*n)) {
        Some(n) if plain => bytes ^ 1 << (8 * n),
        _ => bytes,
    }
}

/// A single as an accumulator: of any size, often so large or small that products are far from it; of fp8 not of every size.
fn accumulator(random: &mut Random, plain: bool, is_fp8: bool) -> u32 {
    let any = random.next() as u32;
    match random.below(if plain { 5 + usize::from(!is_fp8) } else { 7 }) {
        0 => any & 0x8000_0000,
        1 => 0x3f00_0000 | any & 0x81ff_ffff,
        // Around one, with 32 binades to each side.
        2 => (0x2f80_0000 + (any & 0x0fff_ffff)) | any & 0x8000_0000,
        3 => (0x1c00_0000 + (any & 0x3fff_ffff)) | any & 0x8000_0000,
        4 => any & 0x807f_ffff | 0x4080_0000,
        // Infinities, the largest numbers and denormals.
        5 => any & 0x8000_0000 | [0x7f80_0000, 0x7f7f_ffff, 0x007f_ffff, 1][random.below(4)],
        _ => single(random),
    }
}

/// A half of either format in a word: mostly near one, or special.
fn half(random: &mut Random, shapes: &[Shape], plain: bool, size: u32) -> u32 {
    let any = random.next() as u32 & 0xffff;
    let (one, near) = if shapes == HALVES {
        (if size == 0 { 0 } else { 0x3800 }, 0x87ff)
    } else {
        (size, 0x81ff)
    };
    let special = if plain { 9 } else { random.below(30) };
    match special {
        0 if shapes == HALVES => {
            [0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0x7c01, 0x03ff][random.below(7)]
        }
        0 => [0, 0x8000, 0x7f80, 0xff80, 0x7fc1, 0x7f81, 0x007f][random.below(7)],
        1 => any,
        2 => any & 0x807f,
        // Just at the limits of exact products.
        3 if shapes == BF16 => [0x2b80, 0x2b7f, 0x53ff, 0x5400][random.below(4)],
        _ => one | any & near,
    }
}

/// A single: mostly near one, or special.
fn single(random: &mut Random) -> u32 {
    let any = random.next() as u32;
    match random.below(40) {
        0 => [
            0,
            0x8000_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_1234,
            0x7f80_0001,
        ][random.below(6)],
        1 => any,
        2 => any & 0x807f_ffff,
        _ => 0x3f00_0000 | any & 0x81ff_ffff,
    }
}

/// The upper half of a double.
fn upper(random: &mut Random) -> u32 {
    let any = random.next() as u32;
    match random.below(40) {
        0 => [0, 0x8000_0000, 0x7ff0_0000, 0xfff0_0000, 0x7ff8_0001][random.below(5)],
        1 => any,
        _ => 0x3fe0_0000 | any & 0x801f_ffff,
    }
}

/// A file of numbers; those of the second kind have no special ones among them, so that results are numbers.
fn file(random: &mut Random, shapes: &[Shape], plain: bool) -> File {
    // Factors are near one, or mostly denormal; or, of bf16, so small or large that products are no normal numbers.
    let size = [0x3f00, 0x3f00, 0x2000, 0x1f80, 0x5f00, 0][random.below(6)];
    let word = |n: usize, random: &mut Random| {
        let any = random.next() as u32;
        let of_gfx942 = [&FUSED_HALVES[..], &FUSED_BF16, &XF32, &FP8];
        if of_gfx942.contains(&shapes) {
            if n >= SUMS {
                return accumulator(random, plain, shapes == FP8);
            }
            match shapes[0].0 {
                name if name.contains("xf32") && plain => 0x3f00_0000 | any & 0x81ff_ffff,
                name if name.contains("xf32") => single(random),
                name if name.contains("f8") => bytes(random, plain),
                name => {
                    let like = if name.contains("bf16") {
                        &BF16[..]
                    } else {
                        &HALVES
                    };
                    half(random, like, plain, size) | half(random, like, plain, size) << 16
                }
            }
        } else if shapes == DOUBLES && n % 2 == 1 {
            if plain {
                0x3fe0_0000 | any & 0x801f_ffff
            } else {
                upper(random)
            }
        } else if shapes == HALVES || shapes == BF16 {
            // Numbers of all kinds as sums; in half of the files, as factors.
            if n >= SUMS {
                return single(random);
            }
            half(random, shapes, plain, size) | half(random, shapes, plain, size) << 16
        } else if shapes == SINGLES {
            if plain {
                0x3f00_0000 | any & 0x81ff_ffff
            } else {
                single(random)
            }
        } else {
            any
        }
    };
    (0..VECTOR_REGISTERS)
        .map(|n| std::array::from_fn(|_| word(n, random)))
        .collect()
}

/// The first of the registers that only sums are in, in tests of factors of 16 bits.
const SUMS: usize = 256 + 64;

/// A register, even so that it fits all, of few.
fn register(random: &mut Random, file: char, count: usize) -> String {
    let first = 2 * random.below(20);
    match count {
        1 => format!("{file}{first}"),
        _ => format!("{file}[{first}:{}]", first + count - 1),
    }
}

/// An instruction with registers that often overlap, and the modifiers of its kind.
fn line(random: &mut Random, chip: Chip, shape: &Shape) -> String {
    let (name, of_d, of_a) = *shape;
    let kind = if chip == Chip::Gfx908 || random.below(2) == 0 {
        'a'
    } else {
        'v'
    };
    let d = match random.below(2) {
        0 => register(random, kind, of_d),
        _ => format!("a[64:{}]", 63 + of_d),
    };
    let kind = if d.starts_with('a') { 'a' } else { 'v' };
    let factor = |random: &mut Random| {
        let kind = if random.below(3) == 0 { 'a' } else { 'v' };
        register(random, kind, of_a)
    };
    let (a, b) = (factor(random), factor(random));
    let c = match random.below(4) {
        0 => ["0", "1.0", "-4.0"][random.below(if name.contains("i8") { 1 } else { 3 })].to_owned(),
        1 => register(random, kind, of_d),
        _ => d.clone(),
    };
    let mut line = format!("{name} {d}, {a}, {b}, {c}");
    // Those of one block take no modifiers on gfx942, unless they are of singles.
    let is_rich = chip == Chip::Gfx942 && !name.contains("b_");
    if !name.contains("f64") && !is_rich && random.below(2) == 0 {
        let blocks = match name {
            n if n.contains("32x32x1f") || n.contains("32x32x4i") => 1,
            n if n.contains("32x32x4_2b") => 1,
            n if n.contains("16x16x4_4b") => 2,
            n if n.contains("32x32x4f16") || n.contains("32x32x2b") => 1,
            n if n.contains("32x32x4bf16_1k") => 1,
            n if n.contains("16x16x4f16") || n.contains("16x16x2b") => 2,
            n if n.contains("16x16x4bf16") => 2,
            n if n.contains("16x16x1f") || n.contains("16x16x4i") => 2,
            n if n.contains("4x4x") && !n.contains("16x16") => 4,
            _ => 0,
        };
        let cbsz = random.below(blocks + 1);
        let abid = random.below(1 << cbsz);
        let blgp = random.below(8);
        line += &format!(" cbsz:{cbsz} abid:{abid} blgp:{blgp}");
    }
    if chip == Chip::Gfx942 && name.contains("f64") && random.below(4) == 0 {
        line += " neg:[1,0,1]";
    }
    line
}

fn run(backend: &mut dyn Backend, before: &File) -> File {
    let mut wave = Wave::new(0);
    wave.clear(VECTOR_REGISTERS);
    wave.set_s64(126, 0x1234_5678);
    for (n, register) in before.iter().enumerate() {
        *wave.vgpr_mut(n) = *register;
    }
    wave.uniform_mut().budget = 1000;
    let registry = Registry::new();
    backend.run(&mut wave, &mut MemoryUnit::new(&registry));
    (0..VECTOR_REGISTERS).map(|n| *wave.vgpr(n)).collect()
}

fn compare(chip: Chip, shapes: &[Shape]) {
    let mut random = Random::of(0x6d66_6d61);
    for n in 0..150 {
        let lines: Vec<String> = (0..1 + random.below(3))
            .map(|_| {
                loop {
                    let shape = &shapes[random.below(shapes.len())];
                    let line = line(&mut random, chip, shape);
                    // C that is partly D is refused.
                    if parse(&line, chip).is_ok() {
                        return line;
                    }
                }
            })
            .collect();
        let before = file(&mut random, shapes, n % 2 == 0);
        check(chip, &lines, &before);
    }
    // Sums of negative zeros: what their sign is depends on the rule.
    for shape in shapes {
        let mut before = vec![[0x8000_8000; 64]; VECTOR_REGISTERS];
        for n in 2..4 {
            before[n] = [[0x3f80_3f80, 0x3c38_3c38][n % 2]; 64];
        }
        before[256..].fill([0x8000_0000; 64]);
        let (name, of_d, of_a) = *shape;
        let d = 63 + of_d;
        let line = format!(
            "{name} a[64:{d}], v[2:{}], v[4:{}], a[64:{d}]",
            1 + of_a,
            3 + of_a
        );
        check(chip, &[one_register(&line)], &before);
    }
}

/// A line with `v2` for `v[2:2]`.
fn one_register(line: &str) -> String {
    line.replace("v[2:2]", "v2").replace("v[4:4]", "v4")
}

/// Compares compiled code of every level with the plain evaluator.
fn check(chip: Chip, lines: &[String], before: &File) {
    let code = engine::assembled(lines, chip);
    let plain = PlainProgram::new(code.clone(), false);
    let expected = run(&mut Plain::new(&plain), before);
    for simd in engine::levels() {
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd: *simd,
        };
        let got = engine::with(code.clone(), how, |backend| run(backend, before));
        let differs = (0..VECTOR_REGISTERS).find(|n| got[*n] != expected[*n]);
        if let Some(n) = differs {
            panic!(
                "{simd:?}, {lines:#?}: register {n}: {:x?}, not {:x?}",
                got[n], expected[n]
            );
        }
    }
}

#[test]
fn singles_are_multiplied_as_by_the_plain_evaluator() {
    compare(Chip::Gfx90a, &SINGLES);
}

#[test]
fn bytes_are_multiplied_as_by_the_plain_evaluator() {
    compare(Chip::Gfx90a, &BYTES);
    compare(Chip::Gfx942, &RICH_BYTES);
}

#[test]
fn exact_sums_are_those_of_the_plain_evaluator() {
    compare(Chip::Gfx908, &HALVES);
    compare(Chip::Gfx908, &BF16[..4]);
}

#[test]
fn halves_are_multiplied_as_by_the_plain_evaluator() {
    compare(Chip::Gfx90a, &HALVES);
    compare(Chip::Gfx90a, &BF16);
}

#[test]
fn truncated_products_are_those_of_the_plain_evaluator() {
    for shapes in [&FUSED_HALVES[..], &FUSED_BF16, &XF32, &FP8] {
        compare(Chip::Gfx942, shapes);
    }
}

/// A power of two, or a number with few bits beside it, or zero: sums of such products are ties, and just beside them.
fn power(random: &mut Random, name: &str, exponent: i32) -> u32 {
    let any = random.next() as u32;
    let exponent = exponent + (any >> 8 & 7) as i32 - (any >> 11 & 7) as i32;
    let fraction = match any >> 16 & 15 {
        0 => 1,
        1 => u32::MAX,
        2 => any >> 20,
        _ => 0,
    };
    let of = |width: u32, bits: u32, bias: i32| {
        let largest = (1 << (width - 1 - bits)) - 2;
        let field = (exponent + bias).clamp(0, largest) as u32;
        (any & 1) << (width - 1) | field << bits | fraction & ((1 << bits) - 1)
    };
    match name {
        _ if any >> 1 & 7 < 3 => 0,
        name if name.contains("bf16") => of(16, 7, 127),
        name if name.contains("f16") => of(16, 10, 15),
        name if name.contains("xf32") => of(32, 23, 127),
        name => {
            let byte = if name.contains("fp8_fp8") {
                of(8, 3, 8)
            } else {
                of(8, 2, 16)
            };
            // A negative zero is a NaN.
            if byte == 0x80 { 0 } else { byte }
        }
    }
}

/// A number from 1.5 to 2: the sum of eight products of such numbers has as many bits as a sum can have.
fn large(random: &mut Random, name: &str) -> u32 {
    let any = random.next() as u32;
    match name {
        name if name.contains("bf16") => 0x3fc0 | any & 0x3f,
        name if name.contains("f16") => 0x3e00 | any & 0x1ff,
        name if name.contains("xf32") => 0x3fc0_0000 | any & 0x3f_ffff,
        _ => 0x47 | any & 0x38,
    }
}

/// Accumulators of all distances from such products, mostly with few bits; or from just above the sum of large numbers on.
fn accumulator_of_powers(random: &mut Random, exponent: i32, are_large: bool) -> u32 {
    let any = random.next() as u32;
    if are_large {
        return (any & 0x81ff_ffff) + (132 << 23);
    }
    let fraction = [0, 1, 0x7f_ffff, 0x7f_fffe, 0x40_0000, 0x3f_ffff, any, any][random.below(8)];
    let exponent = exponent + random.below(44) as i32 - 12;
    (any & 0x8000_0000) | ((exponent + 127) as u32) << 23 | fraction & 0x7f_ffff
}

/// Compares sums where the bits that are cut decide, of ties and powers of two.
fn compare_powers(chip: Chip, shapes: &[Shape]) {
    let mut random = Random::of(0x0070_6f77);
    for (name, of_d, of_a) in shapes {
        let width = match name {
            name if name.contains("xf32") => 32,
            name if name.contains("f16") => 16,
            _ => 8,
        };
        for n in 0..30 {
            let exponent = [0, 0, 4, -5, 0][n % 5];
            let are_large = n % 5 == 4;
            let word = |register: usize, random: &mut Random| {
                if register >= 256 {
                    return accumulator_of_powers(random, 2 * exponent, are_large);
                }
                let element = |random: &mut Random, n: u32| {
                    let element = if are_large {
                        large(random, name)
                    } else {
                        power(random, name, exponent)
                    };
                    element << (n * width)
                };
                (0..32 / width).fold(0, |word, n| word | element(random, n))
            };
            let before: File = (0..VECTOR_REGISTERS)
                .map(|register| std::array::from_fn(|_| word(register, &mut random)))
                .collect();
            let d = 63 + of_d;
            let line = format!(
                "{name} a[64:{d}], v[2:{}], v[4:{}], a[64:{d}]",
                1 + of_a,
                3 + of_a
            );
            let line = one_register(&line);
            check(chip, &[line.clone(), line], &before);
        }
    }
}

#[test]
fn sums_near_ties_are_those_of_the_plain_evaluator() {
    for shapes in [&FUSED_HALVES[..], &FUSED_BF16, &XF32, &FP8] {
        compare_powers(Chip::Gfx942, shapes);
    }
    compare_powers(Chip::Gfx908, &HALVES);
    compare_powers(Chip::Gfx908, &BF16[..4]);
}

#[test]
fn doubles_are_multiplied_as_by_the_plain_evaluator() {
    compare(Chip::Gfx90a, &DOUBLES);
    compare(Chip::Gfx942, &DOUBLES);
}

/// Exponents of factors that decide about bits: that of a zero beside small products, and that of denormals.
#[test]
fn exponents_of_zeros_and_denormals_are_those_of_the_rule() {
    // Products of zero and 2^45, and of two numbers near 2^-46.
    let of_zeros = ("v_mfma_f32_16x16x16_bf16", 4, 0x2881_0000, 0x2881_5600, 0);
    // Products of 2^-17 and 2^-17 count as of 2^-30; the accumulator is just below -2^-32, and floored by that.
    let of_denormals = (
        "v_mfma_f32_32x32x16_bf8_bf8",
        16,
        0x0101_0101,
        0x0101_0101,
        0xaf80_0001,
    );
    for (name, of_d, a, b, c) in [of_zeros, of_denormals] {
        let d = 63 + of_d;
        let mut before = vec![[c; 64]; VECTOR_REGISTERS];
        before[2..4].fill([a; 64]);
        before[4..6].fill([b; 64]);
        let line = format!("{name} a[64:{d}], v[2:3], v[4:5], a[64:{d}]");
        check(Chip::Gfx942, &[line], &before);
    }
}

/// What no helper computes: where D shares no register with A or B, and the processor has the instructions.
#[test]
fn products_have_code_of_their_own() {
    if !engine::levels().contains(&Simd::Avx512) {
        return println!("SKIP the code of products: the processor has no AVX-512");
    }
    let bytes = is_x86_feature_detected!("avx512vnni");
    let doubles = &DOUBLES[..1];
    let bytes = if bytes { &BYTES[..] } else { &[] };
    let old = [&SINGLES[..], doubles, bytes, &HALVES, &BF16].concat();
    let new = [&FUSED_HALVES[..], &FUSED_BF16, &XF32, &FP8].concat();
    let of = |chip: Chip, shapes: Vec<Shape>| shapes.into_iter().map(move |shape| (chip, shape));
    let exact = [&HALVES, &BF16[..4]].concat();
    let all = of(Chip::Gfx90a, old)
        .chain(of(Chip::Gfx908, exact))
        .chain(of(Chip::Gfx942, new));
    for (chip, (name, of_d, of_a)) in all {
        let (d, next) = (40 + of_d - 1, of_a - 1);
        let line = format!(
            "{name} a[40:{d}], v[2:{}], v[4:{}], a[40:{d}]",
            2 + next,
            4 + next
        );
        let line = one_register(&line);
        let code = engine::assembled(std::slice::from_ref(&line), chip);
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd: Simd::Avx512,
        };
        let jit = engine::compiler(code, how, true);
        run(&mut Jitted::new(&jit), &vec![[0; 64]; VECTOR_REGISTERS]);
        let compiled = jit.compiled();
        assert!(
            compiled.blocks == 1 && compiled.by_helpers.is_empty(),
            "{line}: {compiled:?}"
        );
    }
}
