//! Each row gives the same results as its instruction, with random operands and under random masks, on a processor that has both.

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::Value;

use super::state::Form;
use super::{FRAME, table};
use crate::compiler::asm::{Arg, Asm, Mem, Under};
use crate::compiler::code_memory::CodeMemory;

/// The memory of a test: registers before and after, masks, a general register, and memory operands.
#[repr(C, align(64))]
#[derive(Clone)]
struct Memory([u8; 4096]);

const VECTORS: u32 = 8;
const AFTER: u32 = 1024;
const MASKS: u32 = 512;
const MASKS_AFTER: u32 = 2048;
const GENERAL_AFTER: u32 = 2088;
const OPERAND: u32 = 3072;
const BASE: Register = Register::RBX;

/// Pseudo-random numbers for the operands.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn is_lucky(&mut self) -> bool {
        self.below(2) == 0
    }
}

fn at(offset: u32) -> Mem {
    Mem::at(BASE, offset)
}

const ROUNDINGS: [RoundingControl; 4] = [
    RoundingControl::RoundToNearest,
    RoundingControl::RoundDown,
    RoundingControl::RoundUp,
    RoundingControl::RoundTowardZero,
];

/// A register or memory, possibly a number in memory for all lanes.
fn either(register: Register, word: &str, random: &mut Random) -> Arg {
    match (random.below(3), word.contains("512b")) {
        (0, _) => at(OPERAND).into(),
        (1, true) => Arg::Each(at(OPERAND)),
        _ => register.into(),
    }
}

/// An instruction with random operands, as the name of its code requires.
struct Case {
    code: Code,
    name: String,
    form: Form,
    args: Vec<Arg>,
    under: Under,
    round: Option<RoundingControl>,
}

impl Case {
    fn new(code: Code, random: &mut Random) -> Case {
        let mut case = Case {
            code,
            name: format!("{code:?}"),
            form: table::row(code).expect("it has a row").form,
            args: Vec::new(),
            under: Under::All,
            round: None,
        };
        for word in case.name.clone().split('_').skip(2) {
            case.word(word, random);
        }
        let in_memory = case
            .args
            .iter()
            .any(|arg| matches!(arg, Arg::M(_) | Arg::Each(_)));
        if case.name.ends_with("_er") && !in_memory && random.is_lucky() {
            case.round = Some(ROUNDINGS[random.below(4) as usize]);
        }
        // A memory result cannot be zeroed in inactive lanes, and a blend needs a mask.
        if let (Arg::M(_), Under::Zero(k)) = (case.args[0], case.under) {
            case.under = Under::Merge(k);
        }
        if case.name.contains("Vpblendm") && case.under == Under::All {
            case.under = Under::Merge(Register::K1);
        }
        case
    }

    /// Adds the operand, or the mask, for a word of the name.
    fn word(&mut self, word: &str, random: &mut Random) {
        let n = random.below(6) as u32;
        // The numbers to scale are in the first registers, the exponents in the others.
        let n = match self.args.len() {
            1 if self.name.contains("Vscalef") => n % 3,
            2 if self.name.contains("Vscalef") => 3 + n % 3,
            _ => n,
        };
        let k = Register::K1 + n % 3;
        let arg = match word {
            "zmm" => (Register::ZMM0 + n).into(),
            "ymm" => (Register::YMM0 + n).into(),
            "xmm" => (Register::XMM0 + n).into(),
            "kr" => k.into(),
            "k1" | "k1z" => return self.restrict(word == "k1z", k, random),
            "r32" => Register::EAX.into(),
            "r64" => Register::RAX.into(),
            "rm32" => either(Register::EAX, word, random),
            "rm64" => either(Register::RAX, word, random),
            "m16" | "m128" => at(OPERAND).into(),
            "km16" => either(k, word, random),
            "zmmm512" if self.args.is_empty() => at(OPERAND).into(),
            "imm8" => Arg::I(immediate(&self.name, random)),
            "er" | "sae" => return,
            _ if word.starts_with("zmmm") => either(Register::ZMM0 + n, word, random),
            _ if word.starts_with("ymmm") => either(Register::YMM0 + n, word, random),
            _ if word.starts_with("xmmm") => either(Register::XMM0 + n, word, random),
            _ => panic!("{}: what is {word}?", self.name),
        };
        self.args.push(arg);
    }

    /// Adds a mask at random. Masks of words have no instruction here that loads them.
    fn restrict(&mut self, may_zero: bool, k: Register, random: &mut Random) {
        if self.form != Form::Words && random.is_lucky() {
            self.under = if may_zero && random.is_lucky() {
                Under::Zero(k)
            } else {
                Under::Merge(k)
            };
        }
    }

    /// The code of the case, or `None` if it is refused, like an instruction that templates do not use.
    fn code(&self, mut asm: Asm) -> Option<Vec<u8>> {
        asm.mark(Value(0));
        self.begin(&mut asm);
        match self.round {
            Some(round) => asm.rounded(self.code, round, self.under, &self.args),
            None => asm.under(self.code, self.under, &self.args),
        }
        self.end(&mut asm);
        let assembled = super::finish(asm);
        assembled.refused.is_empty().then_some(assembled.bytes)
    }

    /// Begins a function of the address of the memory, and loads the registers.
    fn begin(&self, asm: &mut Asm) {
        let (rsp, rbp, rax) = (Register::RSP, Register::RBP, Register::RAX.into());
        asm.op(Code::Push_r64, &[rbp.into()]);
        asm.op(Code::Push_r64, &[BASE.into()]);
        asm.op(Code::Mov_r64_rm64, &[rbp.into(), rsp.into()]);
        asm.op(Code::Mov_r64_rm64, &[BASE.into(), Register::RDI.into()]);
        asm.with_constant(Code::Sub_rm64_imm32, rsp.into(), FRAME as i32, true);
        asm.with_constant(Code::And_rm64_imm32, rsp.into(), -64, true);
        asm.use_constants();
        for n in 0..VECTORS {
            let code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
            asm.op(code, &[(Register::ZMM0 + n).into(), at(64 * n).into()]);
        }
        for n in 0..3 {
            let k = Arg::R(Register::K1 + n);
            let from = at(MASKS + 8 * n).into();
            asm.op(Code::Mov_r64_rm64, &[rax, from]);
            if self.form == Form::Bytes {
                asm.op(Code::VEX_Kmovq_kr_r64, &[k, rax]);
            } else {
                asm.op(Code::VEX_Kmovw_kr_km16, &[k, from]);
            }
        }
    }

    /// Stores the registers to memory.
    fn end(&self, asm: &mut Asm) {
        let (rsp, rbp, rax) = (Register::RSP, Register::RBP, Register::RAX.into());
        asm.op(Code::Mov_rm64_r64, &[at(GENERAL_AFTER).into(), rax]);
        for n in 0..3 {
            let k = Arg::R(Register::K1 + n);
            let to = at(MASKS_AFTER + 8 * n).into();
            if self.form == Form::Bytes {
                asm.op(Code::VEX_Kmovq_r64_kr, &[rax, k]);
                asm.op(Code::Mov_rm64_r64, &[to, rax]);
            } else {
                asm.op(Code::VEX_Kmovw_m16_kr, &[to, k]);
            }
        }
        for n in 0..VECTORS {
            let code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
            let to = at(AFTER + 64 * n);
            asm.op(code, &[to.into(), (Register::ZMM0 + n).into()]);
        }
        asm.op(Code::VEX_Vzeroupper, &[]);
        asm.op(Code::Mov_r64_rm64, &[rsp.into(), rbp.into()]);
        asm.op(Code::Pop_r64, &[BASE.into()]);
        asm.op(Code::Pop_r64, &[rbp.into()]);
        asm.op(Code::Retnq, &[]);
    }
}

/// An immediate that templates use.
fn immediate(name: &str, random: &mut Random) -> u8 {
    let end = match name {
        n if n.contains("Vpcmp") => 8,
        n if n.contains("Vcmp") => 32,
        n if n.contains("Vrndscale") => return 8 + random.below(4) as u8,
        n if n.contains("Vrange") => return 4 + random.below(2) as u8,
        n if n.contains("Vgetmant") => return 2,
        n if n.contains("Kshiftr") => return 8,
        n if n.contains("i32x8") => 2,
        n if n.contains("i32x4_") && !n.contains("Vshuf") => 4,
        n if n.contains("Vpinsrd") || n.contains("Vpextrd") || n.contains("Vcvtps2ph") => 4,
        n if n.contains("Valign") => 16,
        n if n.contains("Vps") => 70,
        _ => 256,
    };
    random.below(end) as u8
}

/// The name of the field kind for integers.
const WHOLE: &str = "whole";

/// A random field for instructions of this kind, of `bits` bits.
fn field(name: &str, bits: u32, random: &mut Random) -> u64 {
    let [fraction, bias] = if bits == 64 { [52, 1023] } else { [23, 127] };
    let sign = random.below(2) << (bits - 1);
    let any = random.next() & ((1 << fraction) - 1);
    let with_exponent = |exponent: u64| sign | exponent << fraction | any;
    // The kinds: integers to scale by; numbers with an exponent; no NaNs; no negative numbers.
    if name == WHOLE {
        let whole = random.below(2600) as f64 - 1300.0;
        return if bits == 64 {
            whole.to_bits()
        } else {
            (whole as f32).to_bits().into()
        };
    }
    if name.contains("Vgetexp") || name.contains("Vgetmant") {
        return with_exponent(random.below(2 * bias + 1)) | 1;
    }
    if name.contains("Vrange") {
        let equal = [0, sign, sign | (2 * bias + 1) << fraction][random.below(3) as usize];
        return if random.is_lucky() {
            equal
        } else {
            with_exponent(random.below(2 * bias + 1))
        };
    }
    if name.contains("udq_") && name.contains("Vcvtt") {
        return with_exponent(bias + random.below(40)) & !(1 << (bits - 1));
    }
    let near = with_exponent(bias - 20 + random.below(40));
    let special = [0, 1, (1 << (bits - 1)) - 1, (2 * bias + 1) << fraction];
    let small = random.below(40);
    match random.below(6) {
        0 => special[random.below(4) as usize] | sign,
        1 => with_exponent(0),
        2 => small,
        3 => random.next() & (u64::MAX >> (64 - bits)),
        _ => near,
    }
}

fn memory(code: Code, random: &mut Random) -> Box<Memory> {
    let (name, mut memory) = (format!("{code:?}"), Box::new(Memory([0; 4096])));
    let double = table::row(code).is_some_and(|row| row.form == Form::Qwords);
    for (n, bytes) in memory.0.chunks_mut(8).enumerate() {
        let scales = name.contains("Vscalef") && n >= 3 * 8;
        let name = if scales { WHOLE } else { &name };
        let field = |random: &mut Random| {
            if double {
                field(name, 64, random)
            } else {
                field(name, 32, random) | field(name, 32, random) << 32
            }
        };
        let is_mask = (MASKS as usize / 8..MASKS as usize / 8 + 3).contains(&n);
        let number = if is_mask {
            random.next()
        } else {
            field(random)
        };
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    memory
}

/// The contents of the memory after the code has run.
fn run(memory: &mut CodeMemory, code: &[u8], mut on: Box<Memory>) -> Box<Memory> {
    let code = memory.add(code).expect("the system gives memory for code");
    // SAFETY: the code is a function of this type, which preserves the registers of its convention.
    let code = unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut u8)>(code) };
    code(on.0.as_mut_ptr());
    on
}

/// Rows whose results are an estimate, or flags; and accesses of lanes, which the tests of accesses compare.
fn is_compared_elsewhere(name: &str) -> bool {
    ["Vrsqrt14", "Vucomi", "Kortest", "Vpgather", "Vpscatter"]
        .iter()
        .any(|part| name.contains(part))
}

#[test]
fn rows_do_what_avx512_does() {
    if wavetank_lane_ops::Simd::detect() != wavetank_lane_ops::Simd::Avx512 {
        return println!("SKIP rows_do_what_avx512_does: the processor has no AVX-512");
    }
    let (mut random, mut memory_for_code) = (Random(1), CodeMemory::default());
    let mut count = 0;
    for code in Code::values().filter(|code| table::row(*code).is_some()) {
        let name = format!("{code:?}");
        let needs_more = name.contains("Vpopcnt") && !is_x86_feature_detected!("avx512vpopcntdq");
        if is_compared_elsewhere(&name) || needs_more {
            continue;
        }
        let mut compared = 0;
        for _ in 0..60 {
            let case = Case::new(code, &mut random);
            let before = memory(code, &mut random);
            let Some(narrow) = case.code(Asm::to_avx2()) else {
                continue;
            };
            let wide = case.code(Asm::new()).expect("it is as it was written");
            let [wide, narrow] =
                [wide, narrow].map(|code| run(&mut memory_for_code, &code, before.clone()));
            if let Some(at) = (0..4096).find(|n| wide.0[*n] != narrow.0[*n]) {
                let at = at & !7;
                let [wide, narrow] = [wide, narrow].map(|m| m.0[at..at + 8].to_vec());
                let (args, under, round) = (case.args, case.under, case.round);
                panic!("{name} {args:?} {under:?} {round:?}: at {at} {narrow:x?}, not {wide:x?}");
            }
            compared += 1;
        }
        assert!(compared > 10, "{name} was refused");
        count += 1;
    }
    assert!(count > 150, "{count} rows were compared");
}

/// The effect of an instruction on unmapped memory, under an empty mask.
#[test]
fn what_is_off_is_not_read() {
    if wavetank_lane_ops::Simd::detect() == wavetank_lane_ops::Simd::Baseline {
        return println!("SKIP what_is_off_is_not_read: the processor has no AVX2");
    }
    let mut memory_for_code = CodeMemory::default();
    for (code, zeroes) in [
        (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, true),
        (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, true),
        (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, false),
        (Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128, true),
        (Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256, true),
    ] {
        let (k, nowhere) = (Register::K1, Mem::at(Register::RAX, 64));
        let case = Case {
            code,
            name: String::new(),
            form: Form::Dwords,
            args: vec![Register::ZMM2.into(), nowhere.into()],
            under: if zeroes {
                Under::Zero(k)
            } else {
                Under::Merge(k)
            },
            round: None,
        };
        let mut before = Box::new(Memory([7; 4096]));
        // The last mask is in the general register when the instruction runs: all masks are empty.
        before.0[MASKS as usize..MASKS as usize + 24].fill(0);
        let code = case.code(Asm::to_avx2()).expect("there are rows");
        let after = run(&mut memory_for_code, &code, before);
        let result = &after.0[AFTER as usize + 128..][..64];
        let wanted = if zeroes { [0; 64] } else { [7; 64] };
        assert_eq!(result, wanted, "{:?}", case.code);
    }
}
