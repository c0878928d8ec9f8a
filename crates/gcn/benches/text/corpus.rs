//! A million instructions of a chip: the conformance rows in random order, and compiled kernels as they run on.

use std::path::{Path, PathBuf};

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection};
use wavetank_gcn::{Chip, decode, parse};

/// How many instructions a corpus has.
pub(crate) const COUNT: usize = 1_000_000;

/// Instructions of a chip, as bytes and as text, in the same order.
pub(crate) struct Corpus {
    pub chip: Chip,
    pub code: Vec<u8>,
    pub text: String,
}

/// One instruction: its bytes and its line.
#[derive(Clone)]
pub(crate) struct Sample {
    pub bytes: Vec<u8>,
    pub line: String,
}

/// Where the shared reference data lies.
pub(crate) fn shared() -> PathBuf {
    std::env::var_os("WAVETANK_SHARED").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").into(),
        PathBuf::from,
    )
}

/// The conformance rows of a chip, each instruction once.
pub(crate) fn rows(chip: Chip) -> Vec<Sample> {
    let generation = chip.generation() as u8 + 6;
    let mut all = Vec::new();
    for kind in ["asm", "dis"] {
        let path = shared().join(format!("conformance/{kind}-gfx{generation}.tsv"));
        let table = std::fs::read_to_string(path).unwrap_or_default();
        all.extend(table.lines().filter_map(|line| row(line, chip)));
    }
    all.sort_by(|a, b| a.bytes.cmp(&b.bytes));
    all.dedup_by(|a, b| a.bytes == b.bytes);
    all
}

/// An instruction from a line (cpu, bytes, text) that is for the chip.
fn row(line: &str, chip: Chip) -> Option<Sample> {
    let mut columns = line.split('\t');
    if Chip::from_name(columns.next()?) != Some(chip) {
        return None;
    }
    let hex = columns.next()?;
    let byte = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    let sample = sample(&bytes, chip)?;
    (sample.bytes.len() == bytes.len()).then_some(sample)
}

/// The instruction that bytes begin with, if its text can be read back: inline floats in 16-bit integer operands are
/// printed as bits, which stand for a literal.
fn sample(bytes: &[u8], chip: Chip) -> Option<Sample> {
    let inst = decode(bytes, chip).ok()?;
    let line = inst.to_string();
    parse(&line, chip).ok()?;
    Some(Sample {
        bytes: bytes[..usize::from(inst.len)].to_vec(),
        line,
    })
}

/// The code of every code object of these targets, instruction by instruction.
pub(crate) fn kernels(chip: Chip, targets: &[&str]) -> Vec<Sample> {
    let mut files = Vec::new();
    list(&shared().join("kernels/co"), &mut files);
    files.sort();
    files.retain(|path| {
        let path = path.to_string_lossy();
        targets.iter().any(|target| path.contains(target))
    });
    let sections = files.iter().filter_map(|path| text_section(path));
    sections
        .flat_map(|code| disassembled(&code, chip))
        .collect()
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|e| e.path()) {
        if path.is_dir() {
            list(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn text_section(path: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    let file = ElfFile64::<Endianness>::parse(&*bytes).ok()?;
    let section = file.section_by_name(".text")?;
    section.data().ok().map(<[u8]>::to_vec)
}

/// Every instruction of a section; what is none (padding, descriptors) is left out.
fn disassembled(code: &[u8], chip: Chip) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut at = 0;
    while at + 4 <= code.len() {
        let found = sample(&code[at..], chip).filter(|_| code[at..at + 4] != [0; 4]);
        at += found.as_ref().map_or(4, |s| s.bytes.len());
        samples.extend(found);
    }
    samples
}

impl Corpus {
    /// A million rows in random order.
    pub(crate) fn shuffled(chip: Chip, rows: &[Sample]) -> Corpus {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let pick = || {
            // Xorshift: the same order in every run, and none that a branch predictor could learn.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            &rows[(random % rows.len() as u64) as usize]
        };
        Corpus::new(chip, std::iter::repeat_with(pick).take(COUNT))
    }

    /// A million instructions of real code, in its order.
    pub(crate) fn in_order(chip: Chip, code: &[Sample]) -> Corpus {
        Corpus::new(chip, code.iter().cycle().take(COUNT))
    }

    /// Half a million of each, one half after the other.
    pub(crate) fn mixed(rows: &Corpus, code: &Corpus) -> Corpus {
        let half = |text: &str| {
            text.split_inclusive('\n')
                .take(COUNT / 2)
                .collect::<String>()
        };
        let text = half(&rows.text) + &half(&code.text);
        let mut bytes = Vec::new();
        for corpus in [rows, code] {
            bytes.extend_from_slice(&corpus.code[..extent(corpus, COUNT / 2)]);
        }
        Corpus {
            chip: rows.chip,
            code: bytes,
            text,
        }
    }

    /// The bytes of each instruction as a line of text.
    pub(crate) fn lines_of_bytes(&self, line: impl Fn(&[u8]) -> String) -> String {
        let (mut lines, mut at) = (String::new(), 0);
        while at < self.code.len() {
            let end = at + decode(&self.code[at..], self.chip).map_or(4, |i| usize::from(i.len));
            lines += &line(&self.code[at..end]);
            at = end;
        }
        lines
    }

    fn new<'a>(chip: Chip, samples: impl Iterator<Item = &'a Sample>) -> Corpus {
        let (mut code, mut text) = (Vec::new(), String::new());
        for sample in samples {
            code.extend_from_slice(&sample.bytes);
            text.push_str(&sample.line);
            text.push('\n');
        }
        Corpus { chip, code, text }
    }
}

/// How many bytes the first instructions take.
fn extent(corpus: &Corpus, count: usize) -> usize {
    let mut at = 0;
    for _ in 0..count {
        at += decode(&corpus.code[at..], corpus.chip).map_or(4, |i| usize::from(i.len));
    }
    at
}
