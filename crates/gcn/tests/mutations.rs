//! Lines of the corpus, changed at random: what is taken for an instruction is one for LLVM as well, with the same bytes.
//!
//! The other way round does not hold. LLVM's assembler lets commas be left out, takes any unknown word for a symbol, and
//! cuts numbers that are too large.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use wavetank_gcn::{Chip, Form, Inst, encode, parse};

/// Lines that are made for each chip.
const COUNT: usize = 6000;
const CHIPS: [(Chip, &str); 4] = [
    (Chip::Gfx600, include_str!("corpus/asm-gfx6.tsv")),
    (Chip::Gfx704, include_str!("corpus/asm-gfx7.tsv")),
    (Chip::Gfx803, include_str!("corpus/asm-gfx8.tsv")),
    (Chip::Gfx900, include_str!("corpus/asm-gfx9.tsv")),
];
const PIECES: [&str; 40] = [
    "",
    "-",
    "|",
    "0",
    "255",
    "[",
    "]",
    "v",
    "s[",
    ",",
    " glc",
    "(",
    ")",
    ":",
    "vcc",
    "exec",
    "m0",
    "0x12345",
    "1.0",
    "-1",
    "65",
    "012",
    "v256",
    "s[0:1]",
    "s[4:7]",
    "v[0:1]",
    "off",
    "lds",
    "scc",
    "ttmp0",
    "src_vccz",
    "abs(v1)",
    "sext(v1)",
    "neg(v1)",
    "-v1",
    "|v1|",
    " clamp",
    "0.5",
    "64",
    "0xffffffff",
];

/// Numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count.max(1) as u64) as usize
    }
}

/// Words, numbers, blanks, and marks one by one.
fn tokens(line: &str) -> Vec<String> {
    let sort = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "._".contains(c) => 0,
        ' ' => 1,
        _ => 2,
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = 2;
    for c in line.chars() {
        match tokens.last_mut() {
            Some(token) if sort(c) == last && last != 2 => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = sort(c);
    }
    tokens
}

/// A line that is changed in one or two places after its mnemonic.
fn mutated(line: &str, random: &mut Random) -> String {
    let mut tokens = tokens(line);
    for _ in 0..1 + random.below(4) / 3 {
        let at = 1 + random.below(tokens.len() - 1);
        let piece = PIECES[random.below(PIECES.len())].to_owned();
        match random.below(4) {
            _ if at >= tokens.len() => tokens.push(piece),
            0 => tokens[at] = piece,
            1 => drop(tokens.remove(at)),
            2 => tokens.insert(at, piece),
            _ => {
                let other = 1 + random.below(tokens.len() - 1);
                tokens.swap(at, other);
            }
        }
    }
    tokens.concat()
}

/// The bytes of each line, as `llvm-mc` 14 shows them; none where it takes it for no instruction. `None` if it is absent.
fn llvm(lines: &[String], chip: Chip) -> Option<Vec<Option<String>>> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = format!("{}/mutated-{chip}-{count}.s", env!("CARGO_TARGET_TMPDIR"));
    let mut file = std::fs::File::create(&path).expect("the lines can be written");
    writeln!(file, "{}", lines.join("\n")).expect("the lines can be written");
    let output = Command::new("llvm-mc-14")
        .args([
            "-arch=amdgcn",
            &format!("-mcpu={chip}"),
            "-show-encoding",
            &path,
        ])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let number = |line: &str| line.split(':').nth(1)?.parse::<usize>().ok();
    let errors = errors.lines().filter(|line| line.contains(": error: "));
    let refused: Vec<usize> = errors.filter_map(number).collect();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut encodings = text.lines().filter_map(|line| {
        let (_, bytes) = line.split_once("encoding: [")?;
        Some(bytes.trim_end_matches(']').replace("0x", ""))
    });
    let of = |n: usize| {
        if refused.contains(&n) {
            None
        } else {
            encodings.next()
        }
    };
    Some((1..=lines.len()).map(of).collect())
}

/// Whether an operand is an integer of 16 bits.
fn is_of_halves(inst: &Inst) -> bool {
    let name = inst.to_string();
    let name = name.split(' ').next().unwrap_or_default();
    ["i16", "u16", "b16"].iter().any(|sort| name.contains(sort))
}

/// Why a difference is none to remove.
fn known(inst: &Inst) -> Option<&'static str> {
    let text = inst.to_string();
    let has = |word: &str| text.contains(word);
    match inst.form {
        Form::Mimg => Some("it knows other sizes of addresses, and no LWE beside D16"),
        Form::Mubuf | Form::Mtbuf if has(" lds") || has(" tfe") => {
            Some("LDS and TFE of formats, which the encoding has")
        }
        Form::Smem if has("offset:") => Some("a register beside an offset, as of version 15"),
        Form::Vop3p if has("neg_") => Some("it drops the negation of packed integers"),
        Form::Dpp | Form::Sdwa if has("v_cndmask_b32") => {
            Some("it takes the sources of v_cndmask_b32 for integers")
        }
        _ if is_of_halves(inst) => Some("floats of 16-bit integers: see docs/reference/errata.md"),
        _ => None,
    }
}

fn hexadecimal(inst: &Inst) -> String {
    let bytes = encode(inst).expect("what is parsed has bytes");
    let bytes = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(",")
}

#[test]
fn what_is_taken_is_what_llvm_takes() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut wrong = Vec::new();
    for (chip, table) in CHIPS {
        let rows: Vec<&str> = table
            .lines()
            .filter_map(|row| row.split('\t').nth(3))
            .collect();
        let lines = (0..COUNT).map(|_| mutated(rows[random.below(rows.len())], &mut random));
        let taken: Vec<(String, Inst)> = lines
            .filter_map(|line| parse(&line, chip).ok().map(|inst| (line, inst)))
            .collect();
        assert!(taken.len() > COUNT / 20, "{chip}: {} lines", taken.len());
        // As it was written, or in the order and the words that LLVM expects.
        let written: Vec<String> = taken.iter().map(|(line, _)| line.clone()).collect();
        let canonical: Vec<String> = taken.iter().map(|(_, inst)| inst.to_string()).collect();
        let (Some(written), Some(canonical)) = (llvm(&written, chip), llvm(&canonical, chip))
        else {
            let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!ci, "llvm-mc-14 is absent");
            eprintln!("SKIP what_is_taken_is_what_llvm_takes: llvm-mc-14 is absent");
            return;
        };
        for (((line, inst), written), canonical) in taken.iter().zip(written).zip(canonical) {
            let ours = hexadecimal(inst);
            let theirs = written.or(canonical);
            if theirs.as_ref() != Some(&ours) && known(inst).is_none() {
                wrong.push(format!("{chip} {line}: {ours}, {theirs:?}"));
            }
        }
    }
    let shown = wrong.join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{shown}", wrong.len());
}

/// Constants at the ends of what a half can be: LLVM refuses those that would become 0 or infinity.
const ENDS_OF_HALVES: [&str; 8] = [
    "v_add_f16 v0, 1e-50, v1",
    "v_add_f16 v0, -1e-50, v1",
    "v_add_f16 v0, 2.98e-8, v1",
    "v_add_f16 v0, 0.00006103515625, v1",
    "v_add_f16 v0, 65519.0, v1",
    "v_add_f16 v0, 65520.0, v1",
    "v_add_f16 v0, -65520.0, v1",
    "v_add_f16 v0, 0.0, v1",
];

#[test]
fn halves_end_where_llvm_ends_them() {
    let lines = ENDS_OF_HALVES.map(String::from);
    let Some(theirs) = llvm(&lines, Chip::Gfx900) else {
        let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(!ci, "llvm-mc-14 is absent");
        return eprintln!("SKIP halves_end_where_llvm_ends_them: llvm-mc-14 is absent");
    };
    let parsed = |line| parse(line, Chip::Gfx900).ok();
    let ours = ENDS_OF_HALVES.map(|line| parsed(line).map(|inst| hexadecimal(&inst)));
    assert_eq!(Vec::from(ours), theirs);
}

/// Spellings of older sources: registers with zeros first, and the format of a typed buffer access before its scalar offset.
const OLDER: [&str; 22] = [
    "v_mov_b32 v01, s00",
    "v_mov_b32 v010, s007",
    "s_mov_b32 s0000000000012, 1",
    "s_mov_b32 s00a, 1",
    "v_mov_b32 v0256, 1",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4, nfmt:7, s0",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4, nfmt:7, s0 offset:4 glc",
    "tbuffer_load_format_x v0, off, s[0:3], nfmt:7, dfmt:4, s0",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4 nfmt:7, s0",
    "tbuffer_load_format_x v0, off, s[0:3] dfmt:4 nfmt:7 s0",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4, s0",
    "tbuffer_load_format_x v0, off, s[0:3], nfmt:7, s0",
    "tbuffer_load_format_x v0, v1, s[0:3], dfmt:3, nfmt:5, 0 idxen",
    "tbuffer_store_format_xyzw v[1:4], off, s[4:7], dfmt:15, nfmt:2, s1 offset:4095",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4, nfmt:7, s0 format:78",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:16, s0",
    "tbuffer_load_format_x v0, off, s[0:3], nfmt:8, s0",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4, dfmt:4, s0",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:4",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt, s0",
    "tbuffer_load_format_x v0, off, s[0:3], dfmt:, s0",
    "buffer_load_format_x v0, off, s[0:3], dfmt:4, s0",
];

#[test]
fn older_spellings_are_taken_as_llvm_takes_them() {
    let lines = OLDER.map(String::from);
    for (chip, _) in CHIPS {
        let Some(theirs) = llvm(&lines, chip) else {
            let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!ci, "llvm-mc-14 is absent");
            eprintln!("SKIP older_spellings_are_taken_as_llvm_takes_them: llvm-mc-14 is absent");
            return;
        };
        let ours = OLDER.map(|line| parse(line, chip).ok().map(|inst| hexadecimal(&inst)));
        assert_eq!(Vec::from(ours), theirs, "{chip}");
        assert!(theirs.iter().flatten().count() >= 12, "{chip}: {theirs:?}");
    }
}
