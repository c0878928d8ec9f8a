//! `wavetank cc`, and links named `clang`, `llvm-mc` and `ld.lld`: what they make, held to clang's, and what they say.

use std::path::Path;
use std::process::Command;

use wavetank_link::{Linked, Relocatable};

use crate::common::{Outcome, directory, outcome, wavetank_in};

const SOURCE: &str = "\
.macro pause n
  s_nop \\n
.endm
.include \"inner.inc\"
.text
.globl k
.p2align 8
.type k,@function
k:
  pause N
  v_mov_b32 v0, LIMIT
  s_endpgm
.section .rodata,\"a\",@progbits
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
";

fn sources(name: &str) -> std::path::PathBuf {
    let folder = directory(name);
    std::fs::create_dir_all(folder.join("inc")).expect("a folder");
    std::fs::write(folder.join("inc/inner.inc"), "LIMIT = 7\n").expect("a file");
    std::fs::write(folder.join("k.s"), SOURCE).expect("a file");
    folder
}

fn object(folder: &Path, name: &str) -> Relocatable {
    let bytes = std::fs::read(folder.join(name)).expect("an object file");
    Relocatable::read(&bytes).expect("an object file")
}

/// Runs the command as a link of another name.
#[cfg(unix)]
fn as_tool(folder: &Path, tool: &str, words: &str) -> Outcome {
    let link = folder.join(tool);
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_wavetank"), &link).expect("a link");
    }
    outcome(
        Command::new(&link)
            .args(words.split(' '))
            .current_dir(folder),
    )
}

/// The options are those of MIOpen and Tensile.
#[test]
fn objects_are_those_of_clang() {
    let folder = sources("cc-objects");
    for (n, options) in [
        "-x assembler -target amdgcn-amd-amdhsa -mcpu=gfx906:sramecc+:xnack- -Wa,-defsym,N=4 -Iinc -c k.s",
        "-x assembler -target amdgcn--amdhsa -mcpu=gfx900 -Wa,-defsym,N=0x10 -I inc -mcode-object-version=4 -O3 -c k.s",
        "-x assembler --target=amdgcn-amd-amdhsa -mcpu=gfx803 -Wa,-defsym,N=1 -Iinc -Wall -c k.s",
    ]
    .into_iter()
    .enumerate()
    {
        wavetank_in(&folder, &format!("cc {options} -o ours{n}.o")).success();
        let clang = Command::new("clang-15")
            .args(options.split(' '))
            .args(["-mcode-object-version=5"].iter().filter(|_| n != 1))
            .args(["-o", &format!("theirs{n}.o")])
            .current_dir(&folder)
            .status();
        let Ok(status) = clang else {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "clang-15 is absent");
            eprintln!("SKIP objects_are_those_of_clang: clang-15 is absent");
            return;
        };
        assert!(status.success(), "{options}");
        let [ours, theirs] = ["ours", "theirs"].map(|who| object(&folder, &format!("{who}{n}.o")));
        assert_eq!(ours.identity, theirs.identity, "{options}");
        for name in [".text", ".rodata"] {
            let bytes = |object: &Relocatable| {
                let section = object.sections.iter().find(|s| s.name == name);
                section.expect("a section").bytes.clone()
            };
            assert_eq!(bytes(&ours), bytes(&theirs), "{name}: {options}");
        }
    }
}

/// XNACK off is 0x200 in `e_flags`, SRAM ECC of any state 0x400, and on 0xc00 (LLVM's guide, `EF_AMDGPU_FEATURE_XNACK_V4`).
#[test]
fn features_are_set_by_options_of_their_own() {
    let folder = sources("cc-features");
    let flags = |options: &str| {
        wavetank_in(
            &folder,
            &format!("cc -target amdgcn-amd-amdhsa {options} -Wa,-defsym,N=1 -Iinc -c k.s"),
        )
        .success();
        object(&folder, "k.o").identity.flags
    };
    assert_eq!(flags("-mcpu=gfx906 -mno-xnack"), 0x62f);
    assert_eq!(flags("-mcpu=gfx906:xnack-"), 0x62f);
    assert_eq!(flags("-mcpu=gfx906 -mno-xnack -msram-ecc"), 0xe2f);
    // The chip has no such feature.
    assert_eq!(flags("-mcpu=gfx803 -mno-xnack"), 0x2a);
    let json = wavetank_in(&folder, "asm --gpu gfx906:xnack- -DN=1 -I inc -c k.s").success();
    assert_eq!(
        (json.as_str(), object(&folder, "k.o").identity.flags),
        ("", 0x62f)
    );
}

#[cfg(unix)]
#[test]
fn links_with_names_of_tools_are_these_tools() {
    let folder = sources("cc-tools");
    std::fs::write(
        folder.join("words"),
        "-target amdgcn-amd-amdhsa '-mcpu=gfx900'\n-Wa,-defsym,N=1 -Iinc",
    )
    .expect("a file");
    as_tool(&folder, "clang", "@words -MD -MF k.dep -c k.s -o k.o").success();
    let rule = std::fs::read_to_string(folder.join("k.dep")).expect("a rule");
    assert_eq!(rule, "k.o: k.s \\\n  inc/inner.inc\n");
    as_tool(&folder, "ld.lld", "-shared k.o -o k.co").success();
    as_tool(&folder, "clang", "@words k.s -o direct.co").success();
    let [a, b] =
        ["k.co", "direct.co"].map(|name| std::fs::read(folder.join(name)).expect("a file"));
    assert!(a == b && Linked::read(&a).is_ok());
    as_tool(
        &folder,
        "llvm-mc",
        "-triple=amdgcn-amd-amdhsa -mcpu=gfx900 -filetype=obj --defsym=N=1 -I inc k.s -o mc.o",
    )
    .success();
    assert_eq!(object(&folder, "mc.o"), object(&folder, "k.o"));
    let text = as_tool(
        &folder,
        "llvm-mc",
        "-arch=amdgcn -mcpu=gfx900 -show-encoding -defsym N=1 -I inc k.s",
    )
    .success();
    assert!(
        text.starts_with("s_nop 1 ; encoding: [0x01,0x00,0x80,0xbf]\n"),
        "{text}"
    );
}

#[test]
fn options_of_others_are_refused_by_name() {
    let folder = sources("cc-refused");
    for (words, expected) in [
        (
            "-mavx -c k.s",
            "`-mavx` is not an option for assembling or linking",
        ),
        ("-foo -c k.s", "`-foo` is not an option"),
        ("-x c -c k.c", "`-x c` is for a compiler"),
        ("-S k.s", "`-S` is for a compiler"),
        (
            "-target x86_64-linux-gnu -c k.s",
            "`x86_64-linux-gnu` is not the target",
        ),
        ("-mcpu=gfx1030 -c k.s", "gfx1030"),
        ("-mcpu=gfx803:xnack- -c k.s", "gfx803"),
        ("-Wa,-foo -c k.s", "`-foo` is not an option"),
        ("-Wl,-z,origin k.s", "`-z origin` is none of"),
        ("-c", "no input files"),
        ("-c k.s -o", "the value of `-o` is missing"),
        ("-c k.s k.s -o k.o", "several inputs"),
    ] {
        let out = wavetank_in(&folder, &format!("cc {words}"));
        assert_eq!(out.code, Some(1), "{words}: {}", out.stderr);
        assert!(
            out.stderr.starts_with("wavetank cc: error: "),
            "{}",
            out.stderr
        );
        assert!(out.stderr.contains(expected), "{words}: {}", out.stderr);
    }
}

/// Editors find the place by the beginning of the line.
#[test]
fn messages_begin_with_file_line_and_column() {
    let folder = directory("cc-messages");
    let source = "s_nop 0\n.macro m a\n\n  v_mov_b32 v\\a, 0\n.endm\n  m 999\n.include \"bad.inc\"\n.warning \"w\"\n";
    std::fs::write(folder.join("e.s"), source).expect("a file");
    std::fs::write(folder.join("bad.inc"), "\n\tv_add_f23 v0, v1\n m 400\n").expect("a file");
    let out = wavetank_in(&folder, "cc -c e.s");
    let heads: Vec<&str> = out
        .stderr
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    assert_eq!(
        heads,
        [
            "e.s:8:1: warning: w",
            "e.s:6:3: error: v999 is out of range: the last is v255",
            "e.s:6:3: note: in the macro `m`, which line 6 uses",
            "bad.inc:2:2: error: `v_add_f23` is not an instruction of gfx900",
            "bad.inc:2:2: note: did you mean `v_add_f32`?",
            "e.s:7:1: note: in bad.inc, which line 7 includes",
            "bad.inc:3:2: error: v400 is out of range: the last is v255",
            "bad.inc:3:2: note: in the macro `m`, which line 3 of bad.inc uses",
            "e.s:7:1: note: in bad.inc, which line 7 includes",
            "wavetank cc: error: 3 errors in e.s",
        ]
    );
    // JSON has the lines of files as well, also of instructions that macros make.
    std::fs::write(
        folder.join("f.s"),
        "s_nop 0\n.macro m a\n  s_nop \\a\n.endm\nm 1\nm x9\n",
    )
    .expect("a file");
    let json = wavetank_in(&folder, "asm --json f.s").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["instructions"][1]["line"], 5);
    assert_eq!(
        (&json["errors"][0]["line"], &json["errors"][0]["column"]),
        (&6.into(), &1.into())
    );
}

#[test]
fn lines_of_assembly_are_known_to_listings() {
    let folder = directory("cc-lines");
    std::fs::write(
        folder.join("k.s"),
        "\n\nk: s_nop 1\n.rept 2\n s_nop 2\n.endr\n s_endpgm\n",
    )
    .expect("a file");
    wavetank_in(&folder, "asm -g k.s -o k.co").success();
    let text = wavetank_in(&folder, "dis --lines k.co").success();
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("// k.s:"))
        .collect();
    assert_eq!(lines, ["3", "4", "7"], "{text}");
}
