//! Code objects made for a test, of any size: what linkers write, without compiling anything.

use rmpv::Value;

/// What is to be made.
pub(crate) struct Made {
    /// The names of its kernels.
    pub kernels: Vec<String>,
    /// Whether each kernel has a note of its own, as where the objects of many kernels were linked.
    pub note_each: bool,
    /// Bytes of code, of which each kernel uses the first ones.
    pub code: usize,
    /// Bytes of zeroed memory after the code.
    pub zeros: u64,
}

/// So many kernels with names that a compiler might give.
pub(crate) fn kernels(count: usize) -> Made {
    let name = |n| format!("_ZN5large6objectIfLi{n}EEvPKfPfj");
    Made {
        kernels: (0..count).map(name).collect(),
        note_each: false,
        code: 256,
        zeros: 0,
    }
}

const PAGE: usize = 4096;
/// Offset of the first note, after the header and four program headers.
const NOTES: usize = 512;

fn words<const N: usize>(out: &mut Vec<u8>, words: [u64; N]) {
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn pad(out: &mut Vec<u8>, align: usize) {
    out.resize(out.len().next_multiple_of(align), 0);
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.map(|(key, value)| (key.into(), value)).into())
}

/// A kernel with one argument: a pointer.
fn metadata(name: &str) -> Value {
    let argument = map([
        (".value_kind", "global_buffer".into()),
        (".offset", 0.into()),
        (".size", 8.into()),
    ]);
    map([
        (".name", name.into()),
        (".symbol", format!("{name}.kd").into()),
        (".kernarg_segment_size", 8.into()),
        (".kernarg_segment_align", 8.into()),
        (".args", Value::Array(vec![argument])),
    ])
}

/// A note of the owner AMDGPU, `NT_AMDGPU_METADATA`.
fn note(out: &mut Vec<u8>, kernels: &[String]) {
    let kernels = kernels.iter().map(|name| metadata(name)).collect();
    let root = map([("amdhsa.kernels", Value::Array(kernels))]);
    let mut contents = Vec::new();
    rmpv::encode::write_value(&mut contents, &root).unwrap();
    for number in [7, contents.len() as u32, 32] {
        out.extend(number.to_le_bytes());
    }
    out.extend(b"AMDGPU\0\0");
    out.extend(contents);
    pad(out, 4);
}

impl Made {
    /// The file: header, notes, descriptors, code, symbols, names, section headers. Addresses are offsets.
    pub(crate) fn file(&self) -> Vec<u8> {
        let mut out = vec![0; NOTES];
        if self.note_each {
            self.kernels.chunks(1).for_each(|one| note(&mut out, one));
        } else {
            note(&mut out, &self.kernels);
        }
        let notes_end = out.len();
        pad(&mut out, 64);
        let descriptors = out.len();
        let code = (descriptors + 64 * self.kernels.len()).next_multiple_of(PAGE);
        for n in 0..self.kernels.len() {
            let mut descriptor = [0; 64];
            let distance = (code - descriptors - 64 * n) as u64;
            descriptor[16..24].copy_from_slice(&distance.to_le_bytes());
            out.extend(descriptor);
        }
        out.resize(code, 0);
        // s_endpgm (Vega ISA, 12.5 SOPP, opcode 1), again and again.
        out.extend([0, 0, 0x81, 0xbf].repeat(self.code / 4));
        let code_end = out.len();
        let symbols = self.symbols(&mut out, descriptors);
        self.header(&mut out, symbols);
        let segments = [
            (4, 4, NOTES, notes_end - NOTES, 0, 4),
            (1, 4, 0, code, 0, PAGE),
            (1, 5, code, code_end - code, 0, PAGE),
            (1, 6, code_end.next_multiple_of(PAGE), 0, self.zeros, PAGE),
        ];
        for (n, (kind, flags, at, size, more, align)) in segments.into_iter().enumerate() {
            // Zeros have no place in the file.
            let offset = at.min(out.len()) as u64;
            let (at, size) = (at as u64, size as u64);
            let fields = [kind | flags << 32, offset, at, at, size, size + more];
            let mut header = Vec::new();
            words(&mut header, fields);
            words(&mut header, [align as u64]);
            out[64 + 56 * n..64 + 56 * (n + 1)].copy_from_slice(&header);
        }
        out
    }

    /// Writes the symbols of the descriptors and their names; gives where both begin and end.
    fn symbols(&self, out: &mut Vec<u8>, descriptors: usize) -> [usize; 3] {
        pad(out, 8);
        let symbols = out.len();
        out.extend([0; 24]);
        let mut names = vec![0];
        for (n, kernel) in self.kernels.iter().enumerate() {
            // Name, then STB_GLOBAL and STT_OBJECT in section 1.
            let head = names.len() as u64 | 0x11 << 32 | 1 << 48;
            words(out, [head, (descriptors + 64 * n) as u64, 64]);
            names.extend(kernel.bytes());
            names.extend(b".kd\0");
        }
        let strings = out.len();
        out.extend(names);
        pad(out, 8);
        [symbols, strings, out.len()]
    }

    /// Writes the section headers (none, symbols, names), and the file's header.
    fn header(&self, out: &mut Vec<u8>, [symbols, strings, end]: [usize; 3]) {
        let at = |n: usize| n as u64;
        words(out, [0; 8]);
        // SHT_DYNSYM, its names in section 2; sizes of entries; SHT_STRTAB.
        words(
            out,
            [
                11 << 32,
                0,
                0,
                at(symbols),
                at(strings - symbols),
                2 | 1 << 32,
                8,
                24,
            ],
        );
        words(
            out,
            [3 << 32, 0, 0, at(strings), at(end - strings), 0, 1, 0],
        );
        // ELF, 64 bits, little-endian, HSA (64), version 5 (ABI byte 3).
        let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 64, 3];
        header.resize(16, 0);
        // ET_DYN for EM_AMDGPU; program headers; section headers; gfx900 with XNACK as you like.
        words(&mut header, [3 | 224 << 16 | 1 << 32, 0, 64, at(end)]);
        header.extend(0x12cu32.to_le_bytes());
        for half in [64u16, 56, 4, 64, 3, 2] {
            header.extend(half.to_le_bytes());
        }
        out[..64].copy_from_slice(&header);
    }
}
