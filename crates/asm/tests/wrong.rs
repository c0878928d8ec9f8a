//! Wrong sources: a sentence each, at its place; and sources that would never end, or fill all memory.

use std::collections::HashMap;

use wavetank_asm::{Errors, Files, Options, assemble_object};
use wavetank_gcn::Chip;

/// Files in memory.
struct Texts(HashMap<&'static str, &'static str>);

impl Files for Texts {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let text = self.0.get(name).ok_or("is not there")?;
        Ok(text.as_bytes().to_vec())
    }
}

fn errors(source: &str) -> Errors {
    let files = Texts(HashMap::from([
        ("inner.inc", "s_nop 0\n  s_nop s0\n"),
        ("empty.inc", ""),
        ("self.inc", ".include \"self.inc\"\n"),
    ]));
    let options = Options {
        files: &files,
        max_errors: 20,
        ..Options::new(Chip::Gfx900)
    };
    match assemble_object("main.s", source, &options) {
        Ok(_) => panic!("{source:?} is a source"),
        Err(errors) => errors,
    }
}

#[track_caller]
fn says(source: &str, words: &[&str]) {
    let text = errors(source).to_string();
    for word in words {
        assert!(
            text.contains(word),
            "{source:?} says:\n{text}\nnot {word:?}"
        );
    }
    assert!(text.len() < 4000, "{} bytes", text.len());
}

#[test]
fn each_wrong_line_is_reported_at_its_place() {
    let errors =
        errors(".long 1,\n.section .rodata\n.fill -1\n.set a, b*c\ns_nop q\n.globl\n.p2align 99\n")
            .0;
    let places: Vec<_> = errors
        .iter()
        .map(|e| (e.number, e.error.span.clone()))
        .collect();
    assert_eq!(
        places,
        [
            (1, 8..8),
            (3, 6..8),
            (4, 8..11),
            (5, 6..7),
            (6, 6..6),
            (7, 9..11)
        ]
    );
}

#[test]
fn sentences_name_the_thing_and_the_way_out() {
    says(
        ".byte 256",
        &["256 has more than 1 bytes", "\n  .byte 256\n        ^^^"],
    );
    says(
        ".lnog 1",
        &["`.lnog` is not a directive", "did you mean `.long`?"],
    );
    says("s_mov_b32 s0, missing", &["missing"]);
    says("a:\nb: a:", &["there is another label `a`"]);
    says("a = 1\na: s_nop 0", &["there is another label `a`"]);
    says(".equiv a, 1\n.equiv a, 2", &["`a` is defined already"]);
    says(".long 1/0", &["this divides by zero"]);
    says(".if x\n.endif", &["`x` is not known here"]);
    says(".long 0x", &["`0x` is not an integer"]);
    says(".ascii \"abc", &["no end quote"]);
    says("s_branch far", &["there is no label `far`"]);
    says("f: .zero 2\ns_branch f+1", &["a multiple of 4 bytes"]);
    says(
        "f: .zero 200000\ns_branch f",
        &["a branch reaches -32768 to 32767"],
    );
    says(
        ".include \"inner.inc\"",
        &["inner.inc, line 2: ", "in inner.inc, which line 1 includes"],
    );
    says(".include \"none.inc\"", &["none.inc is not there"]);
    says(
        ".macro m a\n .long \\a,\n.endm\n s_nop 0\n m 5",
        &[
            "line 1: ",
            ".long 5,",
            "in the macro `m`, which line 5 uses",
        ],
    );
    says(".macro m a\n.endm\nm 1, 2", &["`m` has 1 parameters"]);
    says(".macro m a:req\n.endm\nm", &["needs a value for `a`"]);
    says(".macro m", &["this has no `.endm`"]);
    says(
        ".if 1\ns_nop 0",
        &["line 1: this condition has no `.endif`"],
    );
    says(".else", &["no `.if` stands before"]);
    says(".endr", &["no `.rept` stands before"]);
    says(
        "s_nop 0\n .long 1 /* one\ns_nop 1",
        &["line 2: this comment has no `*/`", "\n           ^^^^^^"],
    );
    says(
        ".amd_kernel_code_t\nenable_wgp_mode = 1\n.end_amd_kernel_code_t",
        &["`enable_wgp_mode` is for later chips than gfx900"],
    );
    says(
        ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n.end_amdhsa_kernel",
        &["no `.amdhsa_next_free_sgpr`"],
    );
    says(
        ".amdhsa_kernel k\n.amdhsa_next_free_vgpt 4\n.end_amdhsa_kernel",
        &["did you mean `.amdhsa_next_free_vgpr`?"],
    );
    says(
        ".amdhsa_kernel k\n.amdhsa_wavefront_size32 1\n.end_amdhsa_kernel",
        &["for later chips than gfx900"],
    );
    says(".amdhsa_kernel k", &["this has no `.end_amdhsa_kernel`"]);
    says(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"",
        &["gfx1030 is a chip of RDNA: GCN and CDNA are executed up to gfx942"],
    );
    says(".amdhsa_code_object_version 9", &["versions 2 to 6, not 9"]);
    says(".popsection", &["no `.pushsection` stands before"]);
    says(".long f-g\nf: .data\ng:", &["distance"]);
    says(".uleb128 nowhere", &["nowhere"]);
}

#[test]
fn what_never_ends_ends_with_a_sentence() {
    says(".macro m\nm\n.endm\nm", &["stands too deep"]);
    says(
        ".macro m a\n.long \\a\nm \\a+1\n.endm\nm 1",
        &["stands too deep"],
    );
    says(".include \"self.inc\"", &["includes itself without end"]);
    says(".fill 1<<40, 8, 1", &["256 megabytes at most"]);
    says(".zero 1<<62", &["256 megabytes at most"]);
    says(
        ".rept 1<<60\n.zero 1<<20\n.endr",
        &["256 megabytes at most"],
    );
    says(".org 1<<50", &["256 megabytes at most"]);
    says(".byte 1\n.p2align 31", &["256 megabytes at most"]);
    says(
        ".byte 1\n.subsection 3\n.p2align 31\n.byte 1",
        &["256 megabytes at most"],
    );
    says(
        ".comm x, 4, 32",
        &["base-2 logarithm, at most 31: write 4 for 16 bytes"],
    );
    says(".data\n.p2align 30\n.byte 1", &["256 megabytes at most"]);
    says(
        ".uleb128 b-a\na: b: .p2align 31\n.byte 1\n.p2align 31",
        &["256 megabytes at most"],
    );
    says(
        ".fill b-a, 1\na: .byte 1\nb: .fill 1<<28",
        &["256 megabytes"],
    );
    says("a: .fill b-a+1\nb:", &["depends on itself"]);
    says(".fill a-b\na: .long 1\nb:", &["-4 is negative"]);
    says(".zero nowhere", &["no symbol `nowhere`"]);
    let values = ",x".repeat(10_000);
    let both = format!(".irp a{values}\n.irp b{values}\n.byte 1\n.endr\n.endr");
    says(&both, &["`.irp` grows to more than 16 megabytes"]);
    says(
        ".rept 1<<40\n.include \"empty.inc\"\n.endr",
        &["this does not end"],
    );
    says("a = b\nb = a\n.long a", &["depends on itself"]);
    says(
        &format!(".long {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        &["too deep"],
    );
    says(&format!(".long {}x", "-".repeat(100_000)), &["too deep"]);
    says(&format!(".long x{}", "*x".repeat(100_000)), &["too deep"]);
    let doubled: String = (1..200)
        .map(|n| format!(".set x{n}, x{0}-x{0}+x{0}\n", n - 1))
        .collect();
    says(&format!("{doubled}\ns_movk_i32 s0, x199"), &["x0"]);
    let grown: String = (0..40)
        .map(|n| format!(".macro m{n} a\nm{} \\a\\a\n.endm\n", n + 1))
        .collect();
    says(&format!("{grown}m0 12345678"), &["megabytes"]);
}

#[test]
fn files_without_end_are_too_large() {
    if !std::path::Path::new("/dev/zero").exists() {
        eprintln!("SKIP files without end: there is no /dev/zero");
        return;
    }
    let folders = wavetank_asm::Folders::default();
    let why = folders.read("/dev/zero").expect_err("it has no end");
    assert_eq!(why, "has more than 256 megabytes");
}

#[test]
fn a_line_has_no_more_errors_than_requested() {
    let all = errors(&"a:".repeat(1000)).0;
    assert_eq!(all.len(), 20);
}
