//! `wavetank asm --kernel`: sources without directives that run, and bundles for several chips.

use std::path::Path;
use std::process::Command;

use crate::common::{directory, outcome, wavetank_in};

/// `y = a * x + y` on all generations. Buffers, so that the lanes from `n` on do nothing.
const AXPY: &str = "
.if .amdgcn.gfx_generation_number < 8
    .set unit, 4  ; offsets of scalar loads count dwords
.else
    .set unit, 1
.endif
    s_load_dwordx4 s[12:15], s[0:1], 0
    s_load_dwordx2 s[16:17], s[0:1], 16 / unit
    s_mov_b32 s7, 0xf000
    s_mov_b32 s11, 0xf000
    s_lshl_b32 s2, s2, 6
    v_or_b32 v0, s2, v0
    v_lshlrev_b32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[4:5], s[12:13]
    s_mov_b64 s[8:9], s[14:15]
    s_lshl_b32 s6, s17, 2
    s_mov_b32 s10, s6
    buffer_load_dword v1, v0, s[4:7], 0 offen
    buffer_load_dword v2, v0, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    v_mac_f32 v2, s16, v1
    buffer_store_dword v2, v0, s[8:11], 0 offen
    s_endpgm
";

/// Runs the command with an argument that has blanks behind the words.
fn asm(folder: &Path, words: &str, kernel: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.args(words.split_whitespace());
    let command = command.args(["--kernel", kernel]).current_dir(folder);
    outcome(command).success()
}

/// Launches `axpy`, and compares with the CPU.
fn axpy_runs(folder: &Path, file: &str, gpu: &str) {
    let args = "--arg iota:f32:100 --arg inout:y.bin:z.bin --arg f32:0.1 --arg u32:90";
    let y: Vec<f32> = (0..100).map(|i| 1.0 / (i + 1) as f32).collect();
    let bytes: Vec<u8> = y.iter().flat_map(|y| y.to_le_bytes()).collect();
    std::fs::write(folder.join("y.bin"), bytes).expect("the test directory can be written");
    let words = format!("launch {file} --gpu {gpu} axpy --grid 128 --block 64 {args}");
    assert_eq!(wavetank_in(folder, &words).success(), "");
    let wanted = y
        .iter()
        .enumerate()
        .map(|(i, y)| if i < 90 { 0.1 * i as f32 + y } else { *y });
    let wanted: Vec<u8> = wanted.flat_map(f32::to_le_bytes).collect();
    let got = std::fs::read(folder.join("z.bin")).expect("the launch wrote");
    assert_eq!(got, wanted, "{file} {gpu}");
}

const SIGNATURE: &str = "axpy(global const f32* x, global f32* y, f32 a, u32 n)";

#[test]
fn kernels_without_directives_run() {
    let folder = directory("signatures");
    std::fs::write(folder.join("a.s"), AXPY).expect("the test directory can be written");
    for gpu in ["gfx600", "gfx701", "gfx803", "gfx900"] {
        asm(
            &folder,
            &format!("asm --gpu {gpu} a.s -o {gpu}.co"),
            SIGNATURE,
        );
        axpy_runs(&folder, &format!("{gpu}.co"), gpu);
    }
}

#[test]
fn one_source_makes_code_for_several_chips() {
    let folder = directory("signatures-bundle");
    std::fs::write(folder.join("a.s"), AXPY).expect("the test directory can be written");
    asm(&folder, "asm --gpu fiji,gfx900 a.s -o all.hipfb", SIGNATURE);
    for gpu in ["gfx803", "gfx900"] {
        axpy_runs(&folder, "all.hipfb", gpu);
        let text = wavetank_in(&folder, &format!("dis --gpu {gpu} all.hipfb")).success();
        assert!(text.contains("v_mac_f32"), "{text}");
    }
    let bytes = std::fs::read(folder.join("all.hipfb")).expect("the bundle is there");
    let bundle = wavetank::object::Bundle::parse(&bytes).expect("a bundle");
    let ids: Vec<&str> = bundle.entries().iter().map(|entry| &*entry.id).collect();
    // As hipcc names them (Clang's documentation, "Clang Offload Bundler").
    let wanted = [
        "host-x86_64-unknown-linux--",
        "hipv4-amdgcn-amd-amdhsa--gfx803",
        "hipv4-amdgcn-amd-amdhsa--gfx900",
    ];
    assert_eq!(
        (ids.as_slice(), bundle.entries()[0].bytes),
        (&wanted[..], &b""[..])
    );
    let refused = |words: &str, part: &str| wavetank_in(&folder, words).refused(&[part]);
    refused("asm --gpu gfx803,gfx900 a.s", "give -o FILE");
    refused("asm --gpu gfx803,gfx900 -c a.s -o a.o", "without -c");
    refused("asm --gpu gfx803,fiji a.s -o a.o", "gfx803 twice");
}

/// Ids of work-groups and work-items in two dimensions, and LDS of a caller behind that of the kernel.
const TURN: &str = "
turn:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    s_mov_b32 m0, -1
    v_lshl_add_u32 v2, v1, 1, v0     ; the work-item in the group of 2 * 2
    v_lshlrev_b32 v3, 2, v2
    s_waitcnt lgkmcnt(0)
    v_add_u32 v4, s6, v3
    v_lshl_or_b32 v5, v1, 4, v0
    s_lshl_b32 s7, s3, 12
    s_lshl_b32 s8, s2, 8
    s_or_b32 s7, s7, s8
    v_or_b32 v5, s7, v5
    ds_write_b32 v4, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_u32 v4, 12, v3
    v_add_u32 v4, s6, v4
    ds_read_b32 v5, v4
    s_lshl_b32 s3, s3, 1
    s_add_u32 s2, s2, s3
    s_lshl_b32 s2, s2, 4             ; 4 work-items of 4 bytes
    v_add_u32 v3, s2, v3
    v_mov_b32 v6, s6
    s_waitcnt lgkmcnt(0)
    v_lshl_or_b32 v5, v6, 16, v5
    global_store_dword v3, v5, s[4:5]
    s_endpgm
";

#[test]
fn registers_begin_with_what_the_document_says() {
    let folder = directory("signatures-2d");
    std::fs::write(folder.join("t.s"), TURN).expect("the test directory can be written");
    let signature = "turn(global u32* out, local u32* tmp) lds 256 dims 2";
    asm(&folder, "asm t.s -o t.co", signature);
    let words = "launch t.co --grid 4,4 --block 2,2 --arg out:o.bin:64 --arg lds:16";
    assert_eq!(wavetank_in(&folder, words).success(), "");
    let numbers = (0..16u32).map(|n| {
        let (group, item) = (n / 4, 3 - n % 4);
        256 << 16 | (group / 2) << 12 | (group % 2) << 8 | (item / 2) << 4 | (item % 2)
    });
    let wanted: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    let got = std::fs::read(folder.join("o.bin")).expect("the launch wrote");
    assert_eq!(got, wanted);
}

/// The commands of an indented block as a script, and what comes out of them.
fn session(document: &str, first: &str) -> (String, String) {
    let block = document.lines().skip_while(|line| !line.starts_with(first));
    let block = block.map_while(|line| line.strip_prefix("    "));
    let (mut script, mut shown, mut inside) = (String::new(), String::new(), false);
    for line in block {
        match (line.strip_prefix("$ "), inside) {
            (Some(command), _) => {
                inside = command.ends_with("<<'END'");
                script += &format!("{command}\n");
            }
            (None, true) => {
                inside = line != "END";
                script += &format!("{line}\n");
            }
            (None, false) => shown += &format!("{line}\n"),
        }
    }
    (script, shown)
}

#[test]
fn the_kernel_of_the_document_runs() {
    let document = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/assembling.md"
    );
    let document = std::fs::read_to_string(document).expect("a document of the repository");
    let (script, shown) = session(&document, "    $ cat >square.s");
    assert!(
        script.contains("--kernel") && shown.contains("64 81 0 0"),
        "{script}"
    );
    let command = Path::new(env!("CARGO_BIN_EXE_wavetank"));
    let folder = command.parent().expect("the command is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    let shell = shell
        .args(["-e", "-c", &script])
        .current_dir(directory("signatures-document"));
    let out = outcome(shell.env("PATH", format!("{}:{path}", folder.display())));
    assert_eq!(out.success(), shown);
}

#[test]
fn what_is_wrong_with_a_signature_is_told() {
    let folder = directory("signatures-wrong");
    std::fs::write(folder.join("a.s"), "k: s_endpgm\n").expect("the test directory can be written");
    let told = |kernel: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        command.args(["asm", "a.s", "-o", "a.co", "--kernel", kernel]);
        let out = outcome(command.current_dir(&folder));
        assert_eq!(out.code, Some(2), "{out:?}");
        out.stderr
    };
    let text = told("k(float x)");
    assert!(
        text.starts_with("error: --kernel, column 3: `float` is not a type"),
        "{text}"
    );
    assert!(
        text.ends_with("\n    ^^^^^\n  help: did you mean `f32`?\n"),
        "{text}"
    );
    let text = told("kernel()");
    assert!(
        text.starts_with("--kernel, line 1: the source has no label `kernel`\n"),
        "{text}"
    );
    assert!(!folder.join("a.co").exists());
    let words = "asm a.s a.s -o a.co --kernel k()";
    wavetank_in(&folder, words).refused(&["--kernel describes kernels of one source"]);
}
