//! Finds the shared reference data, or says visibly that a test is skipped.

// Not each program of tests needs all of it.
#![allow(dead_code)]

use std::path::PathBuf;

/// The text of a file of the shared data, by its path there.
///
/// `None`, after one visible line, when the data is absent; a failure when
/// `CI=true`, where it must be present.
pub(crate) fn shared(path: &str) -> Option<String> {
    let root = std::env::var_os("WAVETANK_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    match std::fs::read_to_string(root.join(path)) {
        Ok(text) => Some(text),
        Err(error) => {
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "CI needs the shared data: {path}: {error}"
            );
            eprintln!("SKIP {path}: {error}; set WAVETANK_SHARED to the shared data");
            None
        }
    }
}

/// Rows of the lines to refuse that are instructions after all: `llvm-mc` 14
/// and 19 assemble them for the same chips.
pub(crate) const ACCEPTED: [(&str, &str); 4] = [
    ("tahiti", "v_movrelsd_b32 v1, v2"),
    (
        "tonga",
        "v_cmp_eq_f32_sdwa vcc, v1, v2 src0_sel:BYTE_2 src1_sel:WORD_0",
    ),
    ("tonga", "v_lshrrev_b32 v1, v2, v3"),
    ("tonga", "v_max_u32 v1, v2, v3"),
];

/// One line of the conformance data: an instruction of a chip.
pub(crate) struct Example {
    pub chip: wavetank_gcn::Chip,
    pub bytes: Vec<u8>,
    /// LLVM's canonical text.
    pub text: String,
}

/// The bytes that a string of hexadecimal digits stands for.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Lines of a generation, from the assembler's rows and the disassembler's.
pub(crate) fn examples(generation: u8) -> Vec<Example> {
    let files = [
        format!("asm-gfx{generation}.tsv"),
        format!("dis-gfx{generation}.tsv"),
    ];
    let files = files
        .iter()
        .filter(|f| generation >= 8 || f.starts_with("asm"));
    let mut examples = Vec::new();
    for text in files.filter_map(|f| shared(&format!("conformance/{f}"))) {
        for line in text.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let chip = wavetank_gcn::Chip::from_name(columns[0]).expect("cpu");
            let [bytes, text] = [columns[1], columns[2]];
            examples.push(Example {
                chip,
                bytes: unhex(bytes),
                text: text.to_string(),
            });
        }
    }
    examples
}
