//! Random operand fields of every opcode in every form, to text and back.
//!
//! A word decodes, prints, parses and encodes to itself, or it differs in one of
//! the ways that the tables of this file list; `docs/reference/round-trip.md` says them in
//! prose.

use std::collections::BTreeMap;

use crate::common::unhex;
use wavetank_gcn::tables::{Ds, Op, Sopp};
use wavetank_gcn::{Chip, Form, Inst, Operand, decode, encode, parse};

/// Of instructions without operands all but the opcode is ignored.
const WITHOUT_OPERANDS: u64 = 0xffff_ffff_0203_ffff;

/// Bits that some instruction of a form does not use: the hardware ignores them
/// there, decoding drops them and encoding clears them.
const IGNORED: [(Form, u64, &str); 21] = [
    (
        Form::Sop1,
        0x7f_00ff,
        "SDST or SSRC0 that is not there, the low bit of a pair",
    ),
    (
        Form::Sop2,
        0x7f_0101,
        "SDST of s_cbranch_g_fork, the low bits of pairs",
    ),
    (
        Form::Sopk,
        0x7f_0000,
        "SDST of s_setreg_imm32_b32, the low bit of a pair",
    ),
    (Form::Sopc, 0x0101, "the low bits of pairs"),
    (Form::Sopp, 0xffff, "SIMM16 of what takes no number"),
    (
        Form::Smem,
        0xffff_ffff_003f_ffff,
        "offsets beside a register, all fields of cache operations, gfx8's bits 14 and 15",
    ),
    (Form::Vop1, 0x1fe_01ff, "VDST and SRC0 that are not there"),
    (Form::Vop2, 0, "all is used"),
    (Form::Vopc, 0x01, "the low bit of a pair"),
    (
        Form::Vop3,
        0xffff_ff01_0001_ff01,
        "sources, VDST, modifiers and OP_SEL that are not taken",
    ),
    (
        Form::Vop3p,
        0x87fc_0000_0000_6400,
        "SRC2 and its modifiers of two sources",
    ),
    (
        Form::Sdwa,
        0xfff8_ff00_0000_0000,
        "modifiers that are not taken, SDST that is VCC, a second source",
    ),
    (
        Form::Dpp,
        0x00f6_0000_0000_0000,
        "neg and abs of integers, bits 49 and 50",
    ),
    (
        Form::Ds,
        0xffff_ffff_0201_0000,
        "registers that are not there, the bit beside the opcode, GDS of what is",
    ),
    (
        Form::Mubuf,
        0x0060_ffff_0202_8000,
        "VADDR without an address, VDATA of LDS, reserved bits",
    ),
    (
        Form::Mtbuf,
        0x0020_00ff_0000_0000,
        "VADDR without an address, a reserved bit",
    ),
    (
        Form::Mimg,
        0xffe0_0000_0000_00ff,
        "SSAMP of loads and stores, reserved bits",
    ),
    (
        Form::Flat,
        0xff7f_ff00_0200_ffff,
        "VDST or DATA that is not there, SADDR, the offset before gfx9",
    ),
    (
        Form::Global,
        0xff01_ff00_0200_2000,
        "VDST or DATA that is not there, the low bit of SADDR, LDS of what has none",
    ),
    (
        Form::Scratch,
        0xff00_ffff_0200_2000,
        "VDST or DATA that is not there, VADDR beside SADDR, LDS of what has none",
    ),
    (
        Form::Exp,
        0xffff_ffff_03ff_e000,
        "registers that EN leaves out, reserved bits",
    ),
];

/// Words of each opcode in each form. (Of 150 words, and several seeds, nothing
/// is left unexplained.)
const WORDS: usize = 6;

type Which = fn(&Inst) -> bool;
/// Bits that an instruction has and its text does not say, which instructions
/// those are, and why.
const UNSAID: [(u64, Which, &str); 11] = [
    (
        0xfe00_007f_0000_4000,
        |i| i.form == Form::Smem && i.chip >= Chip::Gfx900,
        "an offset in a register has two places on gfx9",
    ),
    (
        u64::MAX,
        |i| i.chip < Chip::Gfx801 && i.operands.contains(&Operand::Inline(248)),
        "the code of 1/(2\u{3c0}) is reserved before gfx8; its text is a literal there",
    ),
    (
        1 << 55,
        |i| i.form >= Form::Flat && i.form <= Form::Scratch,
        "NV has no word",
    ),
    (1 << 15, |i| i.form == Form::Smem, "NV has no word"),
    (
        0xff00_0000_0000,
        |i| i.form == Form::Sdwa && i.op.home() == Form::Vopc,
        "a comparison selects no part of a destination",
    ),
    (
        0xf0f0,
        |i| i.op == Op::Sopp(Sopp::S_WAITCNT),
        "reserved bits beside the counters",
    ),
    (0xfc80, is_message, "reserved bits beside the message"),
    (
        0xffff,
        |i| i.op == Op::Ds(Ds::DS_SWIZZLE_B32),
        "a pattern has several masks",
    ),
    (
        0xffff_000f,
        |i| i.form == Form::Exp,
        "pairs of registers go to EN 0x3 and 0xc; other values are reserved",
    ),
    (
        0xffff_0000_000f,
        |i| i.form == Form::Exp,
        "pairs of registers go to EN 0x3 and 0xc; other values are reserved",
    ),
    (
        u64::MAX,
        |i| i.form == Form::Vop3 && matches!(i.to_string().as_str(), "v_nop" | "v_clrexcp"),
        "the long form has the name of the short one",
    ),
];

fn is_message(inst: &Inst) -> bool {
    matches!(inst.op, Op::Sopp(Sopp::S_SENDMSG | Sopp::S_SENDMSGHALT))
}

/// What the disassembler shows and the assembler refuses, by its message.
const REFUSED: &[(&str, &str)] = &[
    (
        "` is not an instruction of",
        "an opcode that only CLRX lists",
    ),
    ("has no `", "an opcode that only CLRX lists"),
    ("is out of range", "a span that runs past the last register"),
    (
        "is not a register",
        "a span that runs past the last register",
    ),
    ("begin at a multiple", "a span at an odd place"),
    (
        "registers, found",
        "a span that begins at m0, exec_hi or the last register",
    ),
    (
        "exists from gfx9",
        "a source code that is reserved before gfx9",
    ),
    ("no xnack_mask", "a register of chips that retry"),
    (
        "the number does not fit",
        "1/(2\u{3c0}) before gfx8, whose code is reserved there",
    ),
    (
        "has no room in this form",
        "1/(2\u{3c0}) before gfx8, or an inline float of a 16-bit integer, which print as literals",
    ),
    (
        "this literal has 16 bits",
        "the upper half of a literal of 16 bits",
    ),
    (
        "one scalar value at most",
        "more scalar values than the bus carries",
    ),
    (
        "room for one literal",
        "1/(2\u{3c0}) before gfx8, beside a literal",
    ),
    ("is not a literal", "a literal as the number of a lane"),
    ("lds_direct cannot stand", "LDS where it cannot be read"),
    (
        "expected a scalar register",
        "a constant in the place of a register",
    ),
    ("expected vector registers", "scalar values of 128 bits"),
    ("expected an attribute", "an attribute above 32"),
    (
        "expected p10, p20 or p0",
        "a reserved interpolation parameter",
    ),
    ("expected an export target", "a reserved export target"),
    ("is not a modifier", "a reserved DPP control"),
    ("expected one of BYTE_0", "a reserved SDWA selection"),
    ("expected one of UNUSED_PAD", "a reserved SDWA treatment"),
    ("the carry of this form goes to vcc", "a carry of SDWA"),
    ("is not scaled", "OMOD of an integer result in SDWA"),
    (
        "takes no `",
        "a modifier that LLVM's text does not have in the form",
    ),
    (
        "takes no modifiers",
        "modifiers of an instruction without operands",
    ),
    ("write dst_sel:DWORD", "SDWA that adds to a part"),
    (
        "integers are clamped from gfx8",
        "CLAMP of an integer before gfx8",
    ),
    ("one channel by dmask", "a gather of several channels"),
    ("an atomic works on one or two", "DMASK of an atomic"),
    ("has no d16", "D16 of a packed format"),
    ("permuted without GDS", "GDS of a permutation"),
    ("works on GDS", "GWS without GDS"),
    ("works on LDS", "LDS left out"),
    (
        "expected a vector register",
        "LDS of a buffer instruction that does not load to it",
    ),
    (
        "does not load to LDS",
        "LDS of a buffer instruction that does not load to it",
    ),
    (
        "from vector registers",
        "an address that the instruction does not take",
    ),
    (
        "scalar memory neither",
        "M0 and EXEC as the data of scalar memory",
    ),
    ("is outside 0 to 15", "reserved bits of an index mask"),
    ("into a buffer has no sign", "an offset with the sign set"),
    ("the offset is outside", "an offset with the sign set"),
    ("leave out offen and idxen", "addr64 beside another address"),
    ("is for loads to registers", "TFE of what returns nothing"),
];

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b))
}

/// One word of every opcode in every form, from the corpus.
fn bases() -> BTreeMap<(Chip, Op, Form), u64> {
    const CORPUS: [&str; 8] = [
        include_str!("corpus/asm-gfx6.tsv"),
        include_str!("corpus/asm-gfx7.tsv"),
        include_str!("corpus/asm-gfx8.tsv"),
        include_str!("corpus/asm-gfx9.tsv"),
        include_str!("corpus/layout-gfx6.tsv"),
        include_str!("corpus/layout-gfx7.tsv"),
        include_str!("corpus/layout-gfx8.tsv"),
        include_str!("corpus/layout-gfx9.tsv"),
    ];
    let mut bases = BTreeMap::new();
    for line in CORPUS.iter().flat_map(|text| text.lines()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let chip = Chip::from_name(columns[0]).expect("a chip");
        let bytes = unhex(columns[1]);
        let inst = decode(&bytes, chip).expect(line);
        bases
            .entry((chip, inst.op, inst.form))
            .or_insert(word(&bytes));
    }
    bases
}

/// Random bits that a seed repeats (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Whether the same text stands for both, which differ in the constants alone:
/// a literal that has an inline form, or an inline form that prints as a number.
fn same_but_for_constants(a: &Inst, b: &Inst) -> bool {
    let constant = |o: &Operand| matches!(o, Operand::Inline(_) | Operand::Literal(_));
    let alike = |(a, b): (&Operand, &Operand)| a == b || constant(a) && constant(b);
    a.to_string() == b.to_string()
        && a.mods == b.mods
        && a.operands.iter().zip(&b.operands).all(alike)
}

/// What is wrong with the trip of a word.
fn wrong(inst: &Inst, w: u64) -> Option<String> {
    let text = inst.to_string();
    let bytes = encode(inst).expect(&text);
    let plain = word(bytes.as_bytes());
    let ignored = IGNORED.iter().find(|(form, ..)| *form == inst.form);
    let mut ignored = ignored.map_or(0, |(_, bits, _)| *bits);
    if inst.row().operands.is_empty() {
        ignored |= WITHOUT_OPERANDS;
    }
    if (w ^ plain) & !ignored != 0 {
        return Some(format!("{text}: {w:016x} encodes to {plain:016x}"));
    }
    if decode(bytes.as_bytes(), inst.chip) != Ok(*inst) {
        return Some(format!("{text}: {plain:016x} is another instruction"));
    }
    let back = match parse(&text, inst.chip) {
        Ok(back) => back,
        Err(error) => {
            let mut reasons = REFUSED.iter();
            let known = reasons.any(|(part, _)| error.message.contains(part));
            return (!known).then(|| format!("{text}: {error}"));
        }
    };
    let again = word(encode(&back).expect(&text).as_bytes());
    let mut unsaid = 0;
    for (bits, which, _) in UNSAID {
        unsaid |= if which(inst) { bits } else { 0 };
    }
    let explained = (again ^ plain) & !unsaid == 0 || same_but_for_constants(inst, &back);
    (!explained).then(|| format!("{text}: {plain:016x} comes back as {again:016x}, {back}"))
}

#[test]
fn random_fields_of_every_opcode_come_back() {
    let bases = bases();
    assert!(bases.len() > 8_000, "{}", bases.len());
    let mut random = Random(1);
    let mut failures = Vec::new();
    for (&(chip, op, form), &base) in &bases {
        let same = |w: u64| {
            let inst = decode(&w.to_le_bytes(), chip).ok();
            inst.filter(|i| i.op == op && i.form == form)
        };
        let free = (0..64).filter(|b| same(base ^ 1 << b).is_some());
        let free: u64 = free.fold(0, |mask, b| mask | 1 << b);
        let words = (0..600).filter_map(|_| {
            let w = base & !free | random.next() & free;
            same(w).map(|inst| (inst, w))
        });
        let words: Vec<_> = words.take(WORDS).collect();
        assert!(!words.is_empty(), "{chip} {op:?} {form:?}: nothing decodes");
        for (inst, w) in words {
            let w = if inst.len == 4 { w & 0xffff_ffff } else { w };
            failures.extend(wrong(&inst, w).map(|why| format!("{chip} {form:?} {why}")));
        }
    }
    failures.sort();
    let step = failures.len().div_ceil(40).max(1);
    let shown: Vec<&str> = failures.iter().step_by(step).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} wrong:\n{}",
        failures.len(),
        shown.join("\n")
    );
}
