//! What instructions do, against a plain reference written from the description: channel by channel, on a list of elements.

use std::sync::Arc;

use half::f16;
use proptest::prelude::*;
use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::{Dimensions, Reg, verify};
use wavetank_machine::{Backend, Leave};
use wavetank_memory::{Element, MemoryUnit, Registry, Surface, Surfaces, Wave};
use wavetank_surface_isa::visa::{
    Combine, Part, Raw, Registers, TypedAtomic, check_surface, parse, program,
};

use crate::visa::random::instructions;

/// Dwords of each variable.
const DWORDS: usize = 192;

/// What an instruction sees of its thread.
#[derive(Clone, PartialEq, Debug)]
struct Thread {
    /// The channels that control flow leaves on.
    on: u32,
    /// The predicate, if the instruction has one.
    predicate: u32,
    /// The variables of the operands, in their order.
    variables: [Vec<u32>; 7],
}

/// A surface, with its elements in the order of memory.
#[derive(Clone, PartialEq, Debug)]
struct Plane {
    dimensions: Dimensions,
    size: [u32; 3],
    levels: u32,
    elements: Vec<u32>,
}

/// Elements of a level along x, y and z, and how many layers there are.
fn sides(plane: &Plane, level: u32) -> ([u32; 3], u32) {
    let half = |n: u32| (n >> level).max(1);
    let [x, y, z] = plane.size;
    match plane.dimensions {
        Dimensions::D1 | Dimensions::Buffer => ([half(x), 1, 1], 1),
        Dimensions::D1Array => ([half(x), 1, 1], y),
        Dimensions::D2 => ([half(x), half(y), 1], 1),
        Dimensions::D2Array => ([half(x), half(y), 1], z),
        Dimensions::D3 => ([half(x), half(y), half(z)], 1),
    }
}

/// The description's table of offsets: which element is at U, V, R of a level, if any.
fn element(plane: &Plane, [u, v, r]: [u32; 3], level: u32) -> Option<usize> {
    if level >= plane.levels {
        return None;
    }
    let ([width, height, depth], layers) = sides(plane, level);
    let (x, y, z, layer) = match plane.dimensions {
        Dimensions::D1 | Dimensions::Buffer => (u, 0, 0, 0),
        Dimensions::D1Array => (u, 0, 0, v),
        Dimensions::D2 => (u, v, 0, 0),
        Dimensions::D2Array => (u, v, 0, r),
        Dimensions::D3 => (u, v, r, 0),
    };
    if x >= width || y >= height || z >= depth || layer >= layers {
        return None;
    }
    let count = |level| sides(plane, level).0.iter().product::<u32>();
    let of_layer: u32 = (0..plane.levels).map(count).sum();
    let before: u32 = (0..level).map(count).sum();
    Some((layer * of_layer + before + (z * height + y) * width + x) as usize)
}

/// All elements of a surface.
fn total(plane: &Plane) -> usize {
    let (_, layers) = sides(plane, 0);
    let count = |level| sides(plane, level).0.iter().product::<u32>();
    (layers * (0..plane.levels).map(count).sum::<u32>()) as usize
}

/// The new value of an element, by the table of operations; with 16 bits each value has no more.
fn new(name: &str, word: bool, old: u32, a: u32, b: u32) -> u32 {
    let signed = |x: u32| {
        if word {
            i32::from(x as u16 as i16)
        } else {
            x as i32
        }
    };
    let float = |x: u32| {
        if word {
            f16::from_bits(x as u16).to_f32()
        } else {
            f32::from_bits(x)
        }
    };
    let bits = |x: f32| {
        if word {
            f16::from_f32(x).to_bits().into()
        } else {
            x.to_bits()
        }
    };
    let value = match name {
        "add" => old.wrapping_add(a),
        "sub" => old.wrapping_sub(a),
        "inc" => old.wrapping_add(1),
        "dec" | "predec" => old.wrapping_sub(1),
        "min" => old.min(a),
        "max" => old.max(a),
        "xchg" => a,
        "cmpxchg" => {
            if old == b {
                a
            } else {
                old
            }
        }
        "and" => old & a,
        "or" => old | a,
        "xor" => old ^ a,
        "minsint" => {
            if signed(a) < signed(old) {
                a
            } else {
                old
            }
        }
        "maxsint" => {
            if signed(a) > signed(old) {
                a
            } else {
                old
            }
        }
        "fmin" if float(old).is_nan() => a,
        "fmax" if float(old).is_nan() => a,
        "fmin" => {
            if float(a) < float(old) {
                a
            } else {
                old
            }
        }
        "fmax" => {
            if float(a) > float(old) {
                a
            } else {
                old
            }
        }
        "fcmpwr" => {
            if float(a) == float(old) {
                b
            } else {
                old
            }
        }
        "fadd" => bits(float(old) + float(a)),
        "fsub" => bits(float(old) - float(a)),
        name => panic!("{name} is not in the table"),
    };
    if word { value & 0xffff } else { value }
}

/// Which channels take part (vISA, "Predication").
fn active(inst: &TypedAtomic, thread: &Thread) -> Vec<bool> {
    let (first, count) = (inst.mask.first(), inst.channels.count());
    let bit = |bits: u32, n: u32| bits >> (first + n) & 1 != 0;
    let enabled = |n| inst.mask.no_mask() || bit(thread.on, n);
    let Some(predicate) = inst.predicate else {
        return (0..count).map(enabled).collect();
    };
    let mut channels = 0..count;
    let whole = match predicate.combine {
        Combine::Each => None,
        Combine::Any => Some(channels.any(|n| bit(thread.predicate, n))),
        Combine::All => Some(channels.all(|n| bit(thread.predicate, n))),
    };
    let decided = |n| whole.unwrap_or_else(|| bit(thread.predicate, n)) != predicate.inverse;
    (0..count).map(|n| enabled(n) && decided(n)).collect()
}

/// Executes an instruction: channels one after the other, in their order.
fn reference(inst: &TypedAtomic, thread: &mut Thread, plane: &mut Plane) {
    let limit = if inst.word { 0xffff } else { u32::MAX };
    let operand = |thread: &Thread, which: usize, n: usize| {
        let raw = inst.operands()[which];
        let dword = usize::from(raw.offset) / 4 + n;
        if raw.is_null() {
            0
        } else {
            thread.variables[which][dword]
        }
    };
    let before = thread.clone();
    for (n, _) in active(inst, thread)
        .into_iter()
        .enumerate()
        .filter(|(_, on)| *on)
    {
        let at = [0, 1, 2].map(|which| operand(&before, which, n));
        let [a, b] = [4, 5].map(|which| operand(&before, which, n) & limit);
        let result = match element(plane, at, operand(&before, 3, n)) {
            None => 0,
            Some(place) => {
                let old = plane.elements[place];
                let name = inst.operation.row().name;
                plane.elements[place] = new(name, inst.word, old, a, b);
                if name == "predec" {
                    plane.elements[place]
                } else {
                    old
                }
            }
        };
        if !inst.dst.is_null() {
            thread.variables[6][usize::from(inst.dst.offset) / 4 + n] = result;
        }
    }
}

/// Executes an instruction on an engine: what the thread and the elements are then.
fn run(inst: &TypedAtomic, thread: &Thread, plane: &Plane, plain: bool) -> (Thread, Plane) {
    let all = inst.operands().map(|raw| {
        if raw.is_null() {
            raw
        } else {
            Raw::new(raw.variable, 4 * (DWORDS as u16 - 16))
        }
    });
    let [u, v, r, lod, src0, src1, dst] = all;
    let whole = TypedAtomic {
        u,
        v,
        r,
        lod,
        src0,
        src1,
        dst,
        ..*inst
    };
    let registers = Registers::of(&[*inst, whole]).expect("registers");
    let blocks = program(&[*inst], &registers).expect("it is lifted");
    verify(&blocks(0, usize::MAX)).expect("it is well made");
    let element = match (inst.word, inst.operation.row().name) {
        (true, _) => Element::U16,
        (false, _) => Element::U32,
    };
    let registry = Registry::new();
    let bytes: Vec<u8> = plane
        .elements
        .iter()
        .flat_map(|e| e.to_le_bytes()[..element.bytes() as usize].to_vec())
        .collect();
    let made = registry
        .allocate("surface", bytes.len() as u64, 512)
        .expect("memory");
    registry.write(made.address, &bytes).expect("memory");
    let mut surface = Surface::new(made.address, plane.dimensions, plane.size, element);
    surface.levels = plane.levels;
    assert_eq!(surface.bytes(), bytes.len() as u64);
    let mut surfaces = Surfaces::new();
    surfaces
        .bind(inst.surface.into(), surface)
        .expect("a surface");
    let mut unit = MemoryUnit::new(&registry);
    unit.set_surfaces(Arc::new(surfaces));

    let mut wave = Wave::new(0);
    wave.uniform_mut().budget = 10;
    wave.set_s64(Reg::EXEC_LO, thread.on.into());
    if let Some(predicate) = inst.predicate {
        let register = registers.predicate(predicate.variable).expect("a register");
        wave.set_s64(register, thread.predicate.into());
    }
    let operands = inst.operands();
    let named = operands
        .iter()
        .enumerate()
        .filter(|(_, raw)| !raw.is_null());
    for (which, raw) in named.clone() {
        let register = usize::from(registers.variable(raw.variable).expect("a register"));
        for (n, dword) in thread.variables[which].iter().enumerate() {
            wave.vgpr_mut(register + n / 64)[n % 64] = *dword;
        }
    }
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    let source = Arc::new(blocks);
    let leave = if plain {
        Plain::new(&PlainProgram::of(source, false)).run(&mut wave, &mut unit)
    } else {
        Interpreter::new(&Program::of(source, how)).run(&mut wave, &mut unit)
    };
    assert!(matches!(leave, Leave::End(_)), "{inst}: {leave:?}");

    let mut after = (thread.clone(), plane.clone());
    for (which, raw) in named {
        let register = usize::from(registers.variable(raw.variable).expect("a register"));
        for (n, dword) in after.0.variables[which].iter_mut().enumerate() {
            *dword = wave.vgpr(register + n / 64)[n % 64];
        }
    }
    let mut bytes = bytes;
    registry.read(made.address, &mut bytes).expect("memory");
    let size = element.bytes() as usize;
    for (element, bytes) in after.1.elements.iter_mut().zip(bytes.chunks(size)) {
        let mut dword = [0; 4];
        dword[..size].copy_from_slice(bytes);
        *element = u32::from_le_bytes(dword);
    }
    after
}

/// Numbers for which operations differ, of 32 and of 16 bits; none is a NaN, nor a zero with a sign.
fn value() -> impl Strategy<Value = u32> {
    let known = [
        0,
        1,
        2,
        0x7fff,
        0x8001,
        0x3c00,
        0xbc00,
        0x7bff,
        0xffff_0001,
        0x7fff_ffff,
        0x8000_0001,
        0x3f80_0000,
        0xbf80_0000,
        0x4000_4000,
        0x0080_0001,
    ];
    prop_oneof![prop::sample::select(known.to_vec()), 0u32..0x7800_7800]
}

fn surface() -> impl Strategy<Value = (Dimensions, [u32; 3], u32)> {
    use Dimensions::*;
    let dimensions = prop::sample::select(vec![D1, D1Array, D2, D2Array, D3]);
    (dimensions, [2u32..6, 2u32..5, 2u32..4], 1u32..3)
}

/// An instruction that fits a surface, with variables of its own for each operand.
fn fitted(
    mut inst: TypedAtomic,
    dimensions: Dimensions,
    offsets: [u16; 7],
    null: [bool; 2],
) -> TypedAtomic {
    use wavetank_surface_isa::visa::operation::Sources;
    let raw = |n: usize, there: bool| {
        if there {
            Raw::new(32 + n as u32, 4 * offsets[n])
        } else {
            Raw::NULL
        }
    };
    let coordinates = dimensions.coordinates();
    let sources = inst.operation.row().sources;
    inst.surface = 6;
    inst.u = raw(0, true);
    inst.v = raw(1, coordinates > 1);
    inst.r = raw(2, coordinates > 2);
    inst.lod = raw(3, !null[0]);
    inst.src0 = raw(4, matches!(sources, Sources::One | Sources::Two));
    inst.src1 = raw(5, sources == Sources::Two);
    inst.dst = raw(6, !null[1]);
    inst
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Every operation, of both widths, on every type of surface, with masks, predicates and operands anywhere.
    #[test]
    fn instructions_do_what_the_description_says(
        inst in instructions(),
        (dimensions, size, levels) in surface(),
        offsets in prop::array::uniform7(prop_oneof![Just(0u16), 0u16..(DWORDS as u16 - 16)]),
        null: [bool; 2],
        (on, predicate) in prop_oneof![Just((u32::MAX, u32::MAX)), any::<(u32, u32)>()],
        small in prop::collection::vec(0u32..6, 4 * DWORDS),
        large in prop::collection::vec(value(), 3 * DWORDS),
        elements in prop::collection::vec(value(), 512),
        far in prop::option::of(any::<u32>()),
    ) {
        let inst = fitted(inst, dimensions, offsets, null);
        prop_assume!(wavetank_surface_isa::visa::check(&inst).is_ok());
        check_surface(&inst, dimensions, if inst.word { 2 } else { 4 }).expect("it fits");
        let mut variables: [Vec<u32>; 7] = std::array::from_fn(|n| match n {
            0..4 => small[n * DWORDS..][..DWORDS].iter().map(|x| if n == 3 { x / 2 } else { *x }).collect(),
            _ => large[(n - 4) * DWORDS..][..DWORDS].to_vec(),
        });
        // Some of what is compared with is what stands there.
        variables[5].iter_mut().step_by(2).for_each(|x| *x = elements[0]);
        if let Some(far) = far {
            variables[0].iter_mut().step_by(5).for_each(|x| *x = far);
        }
        let mut plane = Plane { dimensions, size, levels, elements: Vec::new() };
        let limit = if inst.word { 0xffff } else { u32::MAX };
        plane.elements = elements.iter().cycle().take(total(&plane)).map(|e| e & limit).collect();
        let floats = inst.operation.row().name.starts_with('f');
        if floats {
            // No NaN, no infinity and no zero: what those become is said elsewhere.
            let (exponent, sign) = if inst.word { (0x7c00, 0x8000) } else { (0x7f80_0000, 1 << 31) };
            let one = if inst.word { 0x3c00 } else { 0x3f80_0000 };
            let tame = |x: &mut u32| if *x & exponent == exponent || *x & limit & !sign == 0 { *x = one };
            variables[4..6].iter_mut().flatten().chain(&mut plane.elements).for_each(tame);
        }
        let thread = Thread { on, predicate, variables };
        let mut expected = (thread.clone(), plane.clone());
        reference(&inst, &mut expected.0, &mut expected.1);
        for plain in [true, false] {
            let found = run(&inst, &thread, &plane, plain);
            prop_assert_eq!(&found.1.elements, &expected.1.elements, "{}", inst);
            for part in 0..7 {
                let raw = inst.operands()[part];
                if !raw.is_null() {
                    prop_assert_eq!(&found.0.variables[part], &expected.0.variables[part], "{} {:?}", inst, Part::OPERANDS[part]);
                }
            }
        }
    }
}

/// The description's and the words of both, by hand: two channels meet at an element, one is outside.
#[test]
fn channels_that_meet_go_one_after_another() {
    let inst = parse("typed_atomic.predec (4) T6 V32 V0 V0 V0 V0 V0 V38").expect("text");
    let mut variables: [Vec<u32>; 7] = std::array::from_fn(|_| vec![7; DWORDS]);
    variables[0][..4].copy_from_slice(&[2, 2, 9, 0]);
    let thread = Thread {
        on: u32::MAX,
        predicate: 0,
        variables,
    };
    let plane = Plane {
        dimensions: Dimensions::D1,
        size: [4, 1, 1],
        levels: 1,
        elements: vec![0, 10, 20, 30],
    };
    let (after, plane) = run(&inst, &thread, &plane, false);
    assert_eq!(plane.elements, [u32::MAX, 10, 18, 30]);
    assert_eq!(after.variables[6][..5], [19, 18, 0, u32::MAX, 7]);
}

#[test]
fn unliftable_instructions_are_reported() {
    let mut inst = parse("typed_atomic.inc (8) T6 V32 V0 V0 V0 V0 V0 V38").expect("text");
    // Text cannot say it, bytes can.
    inst.u = Raw::new(32, 2);
    let registers = Registers::of(&[inst]).expect("registers");
    let error = program(&[inst], &registers)
        .map(drop)
        .expect_err("within a dword");
    assert!(
        error.contains("U begins at byte 2, within an element"),
        "{error}"
    );
    let error = program(&[inst], &Registers::default())
        .map(drop)
        .expect_err("no registers");
    assert!(
        error.contains("U begins") || error.contains("no register"),
        "{error}"
    );
}
