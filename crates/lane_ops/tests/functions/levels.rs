//! Every level of processor features computes the same bits as one lane does,
//! with every way of fusing operands.

use std::mem::offset_of;

use wavetank_ir::{Bin, Cvt, Elem, Fp, LANES, Op, Rel, Round, Tern, Un, Value};

use super::samples::{Random, ones, width};
use super::scalar::{self, OneLane, env};
use wavetank_lane_ops::internals::{ENV_SHIFT, visit_function};
use wavetank_lane_ops::{CONST, Caps, Ctx, Next, Shape, Simd, Step, caps, fuses, step};
use wavetank_memory::{Context, MemoryUnit, Registry, Uniform, VECTOR_BYTES, Wave, sreg};

/// Something to choose a function for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    Un(Un, Elem),
    Bin(Bin, Elem),
    Tern(Tern, Elem),
    Cmp(Rel, Elem),
    Class(Elem),
    Cvt(Cvt, Elem, Elem),
    NonZero,
}

const ELEMENTS: [Elem; 8] = [
    Elem::I16,
    Elem::I32,
    Elem::I64,
    Elem::F16,
    Elem::F32,
    Elem::F64,
    Elem::I16x2,
    Elem::F16x2,
];

impl Choice {
    /// All that exist.
    fn all() -> Vec<Choice> {
        let mut all = vec![Choice::NonZero];
        all.extend([8, 16, 24].map(|n| Choice::Un(Un::SignExtend(n), Elem::I32)));
        for elem in ELEMENTS {
            all.extend(Un::NAMES.iter().map(|n| Choice::Un(n.0, elem)));
            all.extend(Bin::NAMES.iter().map(|n| Choice::Bin(n.0, elem)));
            all.extend(Tern::NAMES.iter().map(|n| Choice::Tern(n.0, elem)));
            all.extend(Rel::NAMES.iter().map(|n| Choice::Cmp(n.0, elem)));
            all.push(Choice::Class(elem));
            for to in ELEMENTS {
                all.extend(Cvt::NAMES.iter().map(|n| Choice::Cvt(n.0, elem, to)));
            }
        }
        all.retain(|c| c.caps(Fp::default()).is_some());
        assert!(all.len() > 200, "only {} functions exist", all.len());
        all
    }

    /// As an operation, whose values matter to nobody who chooses a function.
    fn op(self, fp: Fp) -> Op {
        const V: Value = Value(0);
        match self {
            Choice::Un(op, elem) => Op::Un(op, elem, fp, V),
            Choice::Bin(op, elem) => Op::Bin(op, elem, fp, V, V),
            Choice::Tern(op, elem) => Op::Tern(op, elem, fp, V, V, V),
            Choice::Cmp(rel, elem) => Op::Cmp(rel, elem, fp, V, V),
            Choice::Class(elem) => Op::Class(elem, V, V),
            Choice::Cvt(op, from, to) => Op::Cvt(op, from, to, fp, V),
            Choice::NonZero => Op::NonZero(V),
        }
    }

    fn caps(self, fp: Fp) -> Option<Caps> {
        caps(&self.op(fp))
    }

    /// The elements of the operands.
    fn operands(self) -> Vec<Elem> {
        use Elem::I32;
        match self {
            Choice::Un(Un::Low | Un::High, _) => vec![Elem::I64],
            Choice::Un(Un::Widen | Un::WidenSigned, _) => vec![I32],
            Choice::Un(_, elem) | Choice::Cvt(_, elem, _) => vec![elem],
            Choice::Bin(Bin::Shl | Bin::Shr | Bin::Sar | Bin::FLdexp, elem) => vec![elem, I32],
            Choice::Bin(_, elem) | Choice::Cmp(_, elem) => vec![elem, elem],
            Choice::Tern(Tern::BfeU | Tern::BfeS, elem) => vec![elem, I32, I32],
            Choice::Tern(_, elem) => vec![elem; 3],
            Choice::Class(elem) => vec![elem, I32],
            Choice::NonZero => vec![I32, I32],
        }
    }

    fn is_test(self) -> bool {
        matches!(self, Choice::Cmp(..) | Choice::Class(_) | Choice::NonZero)
    }

    /// The bits of the carrier of the result.
    fn result_bits(self) -> u32 {
        match self {
            Choice::Un(Un::Low | Un::High | Un::FExponent, _) => 32,
            Choice::Un(Un::CountOnes | Un::LeadingZeros, _) => 32,
            Choice::Un(Un::LeadingSigns | Un::TrailingZeros, _) => 32,
            Choice::Un(Un::Widen | Un::WidenSigned, _) => 64,
            Choice::Bin(Bin::Pack, Elem::I32) => 64,
            Choice::Cvt(_, _, to) => to.carrier_bits(),
            Choice::Un(_, elem) | Choice::Bin(_, elem) | Choice::Tern(_, elem) => {
                elem.carrier_bits()
            }
            Choice::Cmp(..) | Choice::Class(_) | Choice::NonZero => 64,
        }
    }
}

/// One use of a function: which sources are uniform, which sign modifiers they
/// have (as in [`Step::flags`]), and which lanes are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub fp: Fp,
    pub uniform: u8,
    pub mods: u32,
    pub mask: u64,
}

pub(crate) type Lanes = [u64; LANES];

/// Registers of the test: sources from v0, two each; the result at v8.
const RESULT: usize = 8;

/// What unwritten lanes hold.
const OLD: u32 = 0x5a5a_1234;

fn set_lanes(wave: &mut Wave, reg: usize, lanes: &Lanes, bits: u32) {
    for (i, &v) in lanes.iter().enumerate() {
        wave.vgpr_mut(reg)[i] = v as u32;
        if bits == 64 {
            wave.vgpr_mut(reg + 1)[i] = (v >> 32) as u32;
        }
    }
}

fn vector(reg: usize) -> u32 {
    (reg * VECTOR_BYTES) as u32
}

fn scalar(reg: u8) -> u32 {
    (offset_of!(Uniform, s) + 4 * usize::from(reg)) as u32
}

fn call(wave: &mut Wave, step: &Step) {
    let registry = Registry::new();
    let mut memory = MemoryUnit::new(&registry);
    let (uniform, vector) = wave.raw();
    let context = Context {
        uniform,
        vector: vector.cast(),
        memory: &mut memory,
    };
    let mut ctx = Ctx {
        context,
        leave: None,
    };
    // SAFETY: the files are those of a live wave, the offsets are of its
    // registers, and the caller chose a level that the processor has.
    let next = unsafe { (step.run)(&mut ctx, step) };
    assert_eq!(next, Next::Step);
}

/// Runs a vector step and gives the result's lanes; a relation's are 0 or 1.
pub(crate) fn run(simd: Simd, choice: Choice, how: Use, lanes: &[Lanes]) -> Lanes {
    let caps = choice.caps(how.fp).expect("the choice exists");
    let fused = Caps {
        uniform: fuses(simd) && caps.uniform,
        mods: fuses(simd) && caps.mods,
    };
    let mut wave = Wave::new(0);
    wave.set_s64(sreg::EXEC, how.mask);
    let shape = Shape::Lanes {
        uniform: if fused.uniform { how.uniform } else { 0 },
        mods: fused.mods,
    };
    let mut step = Step {
        run: step(simd, &choice.op(how.fp), shape).expect("the choice exists"),
        dst: vector(RESULT),
        dst2: 0,
        src: [0; 3],
        mask: scalar(sreg::EXEC),
        imm: [0; 3],
        flags: env(how.fp).0 << ENV_SHIFT | if fused.mods { how.mods } else { 0 },
    };
    for (n, elem) in choice.operands().into_iter().enumerate() {
        let is_uniform = how.uniform >> n & 1 != 0;
        let mut values = lanes[n];
        if is_uniform {
            values = [values[0]; LANES];
        }
        if !fused.mods {
            values = values.map(|v| modified(v, elem, how.mods, n));
        }
        if is_uniform && fused.uniform {
            // A constant for the first source, registers for the others.
            step.src[n] = if n == 0 { CONST } else { scalar(2 * n as u8) };
            step.imm[n] = values[0];
            wave.set_s64(2 * n as u8, values[0]);
        } else {
            step.src[n] = vector(2 * n);
            set_lanes(&mut wave, 2 * n, &values, elem.carrier_bits());
        }
    }
    wave.vgpr_mut(RESULT).fill(OLD);
    wave.vgpr_mut(RESULT + 1).fill(OLD);
    if choice.is_test() {
        step.dst = scalar(sreg::VCC);
        call(&mut wave, &step);
        let result = wave.s64(sreg::VCC);
        return std::array::from_fn(|i| result >> i & 1);
    }
    call(&mut wave, &step);
    std::array::from_fn(|i| {
        let high = if choice.result_bits() == 64 {
            wave.vgpr(RESULT + 1)[i]
        } else {
            0
        };
        u64::from(wave.vgpr(RESULT)[i]) | u64::from(high) << 32
    })
}

/// Runs a uniform step on lane 0.
fn run_uniform(simd: Simd, choice: Choice, fp: Fp, lanes: &[Lanes]) -> u64 {
    let mut wave = Wave::new(0);
    let mut step = Step {
        run: step(simd, &choice.op(fp), Shape::Uniform).expect("the choice exists"),
        dst: scalar(10),
        dst2: 0,
        src: [0; 3],
        mask: 0,
        imm: [0; 3],
        flags: env(fp).0 << ENV_SHIFT,
    };
    for (n, values) in lanes.iter().enumerate() {
        step.src[n] = scalar(2 * n as u8);
        wave.set_s64(2 * n as u8, values[0]);
    }
    call(&mut wave, &step);
    wave.s64(10)
}

/// A value with the sign modifiers of source `n`.
fn modified(v: u64, elem: Elem, mods: u32, n: usize) -> u64 {
    let sign = 1 << (width(elem) - 1);
    let v = if mods >> (3 + n) & 1 != 0 {
        v & !sign
    } else {
        v
    };
    if mods >> n & 1 != 0 { v ^ sign } else { v }
}

/// What a step must give, by one lane at a time.
fn expected(choice: Choice, how: Use, lanes: &[Lanes]) -> Lanes {
    let lane = visit_function(&choice.op(how.fp), OneLane).expect("the choice exists");
    std::array::from_fn(|i| {
        if how.mask >> i & 1 == 0 {
            let old = u64::from(OLD);
            return match (choice.is_test(), choice.result_bits()) {
                (true, _) => 0,
                (_, 64) => old | old << 32,
                _ => old,
            };
        }
        let mut args = [0; 3];
        for (n, elem) in choice.operands().into_iter().enumerate() {
            let lane = if how.uniform >> n & 1 != 0 { 0 } else { i };
            // Bits above a 16-bit element must not matter.
            args[n] = modified(lanes[n][lane], elem, how.mods, n) & ones(width(elem));
        }
        lane(env(how.fp), args)
    })
}

fn environments() -> [Fp; 6] {
    let fp = |round, flush_in, flush_out, ieee| Fp {
        round,
        flush_in,
        flush_out,
        ieee,
    };
    [
        fp(Round::Nearest, false, false, true),
        fp(Round::Nearest, true, true, false),
        fp(Round::Nearest, true, false, true),
        fp(Round::Up, false, false, false),
        fp(Round::Down, false, true, true),
        fp(Round::Zero, true, true, true),
    ]
}

fn check_level(simd: Simd) {
    if simd.or_best() != simd {
        eprintln!("SKIP {simd:?}: this processor lacks it");
        return;
    }
    let mut random = Random(13);
    for choice in Choice::all() {
        let operands = choice.operands();
        let caps = choice.caps(Fp::default()).expect("the choice exists");
        for fp in environments() {
            for round in 0..3u32 {
                let lanes: Vec<Lanes> = operands
                    .iter()
                    .map(|&elem| {
                        let above = random.next() as u32 & !ones(width(elem)) as u32;
                        std::array::from_fn(|_| match round {
                            2 => random.usual(elem),
                            _ => random.value(elem) | u64::from(above),
                        })
                    })
                    .collect();
                let all = 1u8 << operands.len();
                for uniform in (0..if caps.uniform { all - 1 } else { 1 })
                    .filter(|&u| operands.len() > 1 || u == 0)
                {
                    let mods = if caps.mods && round == 1 {
                        random.next() as u32 & (0o11 * u32::from(all - 1))
                    } else {
                        0
                    };
                    let mask = if random.below(2) == 0 {
                        u64::MAX
                    } else {
                        random.next()
                    };
                    let how = Use {
                        fp,
                        uniform,
                        mods,
                        mask,
                    };
                    let (ours, right) = (
                        run(simd, choice, how, &lanes),
                        expected(choice, how, &lanes),
                    );
                    for i in 0..LANES {
                        assert!(
                            ours[i] == right[i],
                            "{simd:?}: lane {i} of {choice:?}, {how:?}, {:x?}: {:x}, one lane gives {:x}",
                            lanes.iter().map(|l| [l[0], l[i]]).collect::<Vec<_>>(),
                            ours[i],
                            right[i]
                        );
                    }
                }
                let how = Use {
                    fp,
                    uniform: 0,
                    mods: 0,
                    mask: 1,
                };
                let (ours, right) = (
                    run_uniform(simd, choice, fp, &lanes),
                    expected(choice, how, &lanes)[0],
                );
                assert!(
                    ours == right,
                    "{simd:?}: uniform {choice:?} in {fp:?}: {ours:x}, one lane gives {right:x}"
                );
            }
        }
    }
}

/// Levels permute bytes in their own ways: every selector next to usual ones, in lanes and the same in all of them.
#[test]
fn every_level_permutes_bytes_alike() {
    let levels = [Simd::Avx512, Simd::Avx2, Simd::Baseline];
    let choice = Choice::Tern(Tern::Perm, Elem::I32);
    let mut random = Random(5);
    for simd in levels.into_iter().filter(|simd| simd.or_best() == *simd) {
        for round in 0..100 {
            // Bytes and zeros alone, signs too, and anything.
            let most = [0x0707_0707, 0x0f0f_0f0f, 0xffff_ffff][round % 3];
            let zeros = if round % 2 == 0 { 0x000c_0000 } else { 0 };
            let select: Lanes =
                std::array::from_fn(|_| random.next() & most & !(zeros << 4) | zeros);
            let mut word = |_| random.next() & 0xffff_ffff;
            let lanes = vec![
                std::array::from_fn(&mut word),
                std::array::from_fn(&mut word),
                select,
            ];
            for uniform in [0, 0b100, 0b011] {
                let how = Use {
                    fp: Fp::default(),
                    uniform,
                    mods: 0,
                    mask: random.next(),
                };
                let ours = run(simd, choice, how, &lanes);
                assert_eq!(ours, expected(choice, how, &lanes), "{simd:?} {lanes:x?}");
            }
        }
    }
}

/// Rows in which no lane is special are done at once: powers that single precision has, and medians of numbers, with
/// zeros of one sign or both.
#[test]
fn usual_rows_are_right_at_every_level() {
    let levels = [Simd::Avx512, Simd::Avx2, Simd::Baseline];
    let mut random = Random(31);
    let ldexp = Choice::Bin(Bin::FLdexp, Elem::F32);
    let median = Choice::Tern(Tern::FMed3, Elem::F32);
    for simd in levels.into_iter().filter(|simd| simd.or_best() == *simd) {
        for round in 0..300 {
            let any: Lanes = std::array::from_fn(|_| random.value(Elem::F32));
            let power = |power: i64| u64::from(power as u32);
            // The last of a round of four is just beyond.
            let most = [255, 255, 20, 257][round % 4];
            let powers =
                std::array::from_fn(|_| power(random.below(most) as i64 - most as i64 / 2));
            let mut number = |_| match random.below(8) {
                0 if round % 3 > 0 => 0,
                1 if round % 3 > 1 => 1 << 31,
                _ => random.next() & 0xbfff_ffff,
            };
            let numbers = [(); 3].map(|()| std::array::from_fn(&mut number));
            for (choice, lanes) in [(ldexp, vec![any, powers]), (median, numbers.to_vec())] {
                for fp in environments() {
                    for uniform in [0, 0b10] {
                        let how = Use {
                            fp,
                            uniform,
                            mods: 0,
                            mask: u64::MAX,
                        };
                        let ours = run(simd, choice, how, &lanes);
                        let right = expected(choice, how, &lanes);
                        assert_eq!(ours, right, "{simd:?}: {choice:?} {how:?} {lanes:x?}");
                    }
                }
            }
        }
    }
}

#[test]
fn baseline_gives_the_bits_of_one_lane() {
    check_level(Simd::Baseline);
}

#[test]
fn avx2_gives_the_bits_of_one_lane() {
    check_level(Simd::Avx2);
}

#[test]
fn avx512_gives_the_bits_of_one_lane() {
    check_level(Simd::Avx512);
}

/// What an operation does to pairs, it does to both halves.
#[test]
fn pairs_are_halves() {
    let mut random = Random(29);
    let mut kinds = 0;
    for choice in Choice::all() {
        let (Choice::Un(_, elem) | Choice::Bin(_, elem) | Choice::Tern(_, elem)) = choice else {
            continue;
        };
        let Some(half) = elem.half() else { continue };
        let of_halves = match choice {
            Choice::Un(op, _) => Choice::Un(op, half),
            Choice::Bin(op, _) => Choice::Bin(op, half),
            Choice::Tern(op, _) => Choice::Tern(op, half),
            other => other,
        };
        kinds += 1;
        for fp in environments() {
            let [pair, single] = [choice, of_halves]
                .map(|choice| visit_function(&choice.op(fp), OneLane).expect("the choice exists"));
            for _ in 0..500 {
                let args = [(); 3].map(|()| random.value(elem));
                let [low, high] = [0, 16].map(|at| single(env(fp), args.map(|x| x >> at & 0xffff)));
                let expected = low | high << 16;
                assert_eq!(pair(env(fp), args), expected, "{choice:?} {fp:?} {args:x?}");
            }
        }
    }
    assert!(kinds > 20, "only {kinds} operations on pairs exist");
}

#[test]
fn every_operation_exists_at_its_elements() {
    // 32-bit integers and single precision have every operation of their kind.
    let all = Choice::all();
    let has = |f: &dyn Fn(&Choice) -> bool| all.iter().any(f);
    for &(op, name) in Un::NAMES {
        assert!(
            has(&|c| matches!(c, Choice::Un(o, _) if *o == op)),
            "{name}"
        );
    }
    for &(op, name) in Bin::NAMES {
        assert!(
            has(&|c| matches!(c, Choice::Bin(o, _) if *o == op)),
            "{name}"
        );
    }
    for &(op, name) in Tern::NAMES {
        assert!(
            has(&|c| matches!(c, Choice::Tern(o, _) if *o == op)),
            "{name}"
        );
    }
    for elem in [Elem::F16, Elem::F32, Elem::F64] {
        for op in [
            Bin::FAdd,
            Bin::FSub,
            Bin::FMul,
            Bin::FMin,
            Bin::FMax,
            Bin::FLdexp,
        ] {
            assert!(has(
                &|c| matches!(c, Choice::Bin(o, e) if *o == op && *e == elem)
            ));
        }
    }
    assert!(
        all.iter()
            .all(|c| c.operands().iter().all(|&e| width(e) <= 64))
    );
}

/// The engine's functions of integers are those of the IR's own evaluator.
#[test]
fn integers_are_as_the_evaluator_of_the_ir_says() {
    let mut random = Random(77);
    let mut known = 0;
    for choice in Choice::all() {
        let operands = choice.operands();
        let evaluate = |x: &[u64]| match choice {
            Choice::Un(op, elem) => op.evaluate(elem, x[0]),
            Choice::Bin(op, elem) => op.evaluate(elem, x[0], x[1]),
            Choice::Tern(op, elem) => op.evaluate(elem, [x[0], x[1], x[2]]),
            Choice::Cmp(rel, elem) => rel.evaluate(elem, x[0], x[1]).map(u64::from),
            _ => None,
        };
        for _ in 0..500 {
            let x: Vec<u64> = operands.iter().map(|e| random.value(*e)).collect();
            let Some(expected) = evaluate(&x) else { break };
            let fp = Fp::default();
            let ours = match choice {
                Choice::Un(op, elem) => scalar::un(op, elem, fp, x[0]),
                Choice::Bin(op, elem) => scalar::bin(op, elem, fp, x[0], x[1]),
                Choice::Tern(op, elem) => scalar::tern(op, elem, fp, [x[0], x[1], x[2]]),
                Choice::Cmp(rel, elem) => scalar::cmp(rel, elem, fp, x[0], x[1]).into(),
                _ => continue,
            };
            assert_eq!(ours, expected, "{choice:?} of {x:x?}");
            known += 1;
        }
    }
    assert!(known > 50 * 500, "only {known} results were compared");
}
