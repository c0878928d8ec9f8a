//! What newcomers type, and what they are told.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{
    Outcome, REDUCE, VECADD, bundle, directory, outcome, wavetank, wavetank_from, wavetank_in,
    wavetank_with,
};

/// Runs the command with words that may have blanks.
fn with(words: &[&str]) -> Outcome {
    outcome(Command::new(env!("CARGO_BIN_EXE_wavetank")).args(words))
}

#[test]
fn an_instruction_needs_no_quotes() {
    let words = "exec --json v_add_u32 v0, v1, v2 v1=3 v2=4";
    let changes: serde_json::Value = serde_json::from_str(&wavetank(words).success()).unwrap();
    assert_eq!(changes[0]["changes"][0]["values"][0], 7);
    wavetank("exec s_movk_i32 s0, -5").success();
    wavetank("exec v_add_f32 v0, v1").failure(2, &["expected `,` and another operand"]);
}

#[test]
fn integers_for_floats_get_a_note() {
    let run = |state: &str| {
        let out = with(&["exec", "v_add_f32 v0, v1, v2", "v1=1.0", state]);
        assert_eq!(out.code, Some(0), "{out:?}");
        out.stderr
    };
    let note = "note: v2 is read as f32, and 2 is its bits; write 2.0 for the number\n";
    assert_eq!(run("v2=2"), note);
    for meant in ["v2=2.0", "v2=0", "v2=0x40000000", "v2=1073741824", "v3=2"] {
        assert_eq!(run(meant), "", "{meant}");
    }
    assert_eq!(with(&["exec", "v_add_u32 v0, v1, v2", "v2=2"]).stderr, "");
}

#[test]
fn what_is_wrong_with_an_instruction() {
    let says = |words: &[&str], part: &str| drop(with(words).failure(2, &[part]));
    says(
        &["explain", "v_add"],
        "names that begin so: v_add_co_u32, v_add_f16, v_add_f32",
    );
    says(&["explain", "v_mullit_f32"], "help: `--gpu gfx700` names a");
    says(&["exec", "x: s_branch x"], "labels work in `asm`");
    says(
        &["explain", "v_add_f32 v0, v1, v2, v3"],
        "`v_add_f32` takes 3 operands",
    );
    says(
        &["exec", "v_mov_b32 v0, v1", "v1="],
        "`v1=`: a value is missing",
    );
    let timeout = [
        "launch",
        VECADD,
        "--grid",
        "1",
        "--block",
        "1",
        "--timeout",
        "-1",
    ];
    says(&timeout, "a number of seconds above 0");
}

#[test]
fn chips_have_many_names() {
    let dir = directory("chips_have_many_names");
    fs::write(dir.join("a.s"), "s_nop 0\n").unwrap();
    for name in [
        "vega", "Vega20", "GFX900", "Tahiti", "bonaire", "fiji", "polaris", "vega10", "Renoir",
    ] {
        assert_eq!(
            wavetank_in(&dir, &format!("asm --gpu {name} a.s")).success(),
            "s_nop 0\n"
        );
    }
    wavetank_in(&dir, "asm --gpu voodoo a.s")
        .refused(&["`voodoo` is not an instruction set", "vega20"]);
    assert!(
        wavetank(&format!("info --gpu Vega10 {VECADD}"))
            .success()
            .contains("vecadd")
    );
    assert!(wavetank("agents --gpu vega20").success().contains("gfx906"));
    wavetank(&format!("launch {VECADD} --gpu Vega20 --grid 1 --block 1"))
        .refused(&["no code for gfx906"]);
    for product in ["RX Vega 64", "radeon-vii", "mi50", "AMD Radeon RX 580"] {
        with(&["exec", "--gpu", product, "s_nop 0"]).success();
    }
    wavetank(&format!("launch {VECADD} --gpu rx580 --grid 1 --block 1"))
        .refused(&["no code for gfx803"]);
}

/// One sentence says why a chip of CDNA or RDNA is refused, wherever it is named.
#[test]
fn chips_after_gcn_are_refused_with_the_reason() {
    let dir = directory("chips_after_gcn");
    fs::write(
        dir.join("a.s"),
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"\nv_fmac_f32_e32 v0, v1, v2\nv_foo v1\n",
    )
    .unwrap();
    let rdna = "gfx1030 is a chip of RDNA: GCN and CDNA are executed up to gfx942; gfx950 is assembled and disassembled, RDNA is not supported";
    for words in [
        "asm --gpu gfx1030 a.s".to_owned(),
        "dis --gpu gfx1030 a.s".to_owned(),
        "exec --gpu gfx1030 s_nop".to_owned(),
        "explain --gpu gfx1030 s_nop".to_owned(),
        "isa --gpu gfx1030".to_owned(),
        "agents --gpu gfx1030".to_owned(),
        "run --gpu gfx1030 ./absent".to_owned(),
        format!("launch {VECADD} --gpu gfx1030"),
    ] {
        wavetank_in(&dir, &words).failure(2, &[rdna]);
    }
    with(&["agents", "--gpu", "RX 7900 XTX"]).refused(&["RX 7900 XTX is a chip of RDNA"]);
    // Text of CDNA is read and shown.
    fs::write(dir.join("b.s"), "v_accvgpr_read_b32 v0, a1\n").unwrap();
    let line = "v_accvgpr_read_b32 v0, a1\n";
    assert_eq!(wavetank_in(&dir, "asm --gpu gfx90a b.s").success(), line);
    let shown = wavetank_in(&dir, "explain --gpu gfx942 v_mfma_f32_32x32x1_2b_f32").success();
    assert!(
        shown.contains("D[0]: lanes 0-31 D[0][0..31], 32-63 D[4][0..31]"),
        "{shown}"
    );
    assert!(
        wavetank("isa --gpu gfx950 v_bitop3")
            .success()
            .contains("v_bitop3_b32")
    );
    // The instructions of another chip are not read as those of gfx900.
    let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"\nv_foo v1\n";
    fs::write(dir.join("c.s"), source).unwrap();
    let out = wavetank_in(&dir, "asm c.s");
    assert!(
        out.stderr.contains("line 1: gfx1030 is a chip of RDNA"),
        "{out:?}"
    );
    assert!(out.stderr.ends_with("error: 1 error in c.s\n"), "{out:?}");
    let owners = "chips of CDNA have it: gfx908, gfx90a, gfx942 and gfx950";
    wavetank("explain v_mfma_f32_32x32x1f32").failure(2, &[owners]);
    wavetank("explain v_dual_mul_f32").failure(2, &["it is an instruction of RDNA: "]);
    // gfx950 has text only.
    for words in [
        "exec --gpu gfx950 s_nop",
        "agents --gpu gfx950",
        "run --gpu gfx950 ./absent",
    ] {
        wavetank_in(&dir, words).failure(2, &["gfx950 is a chip of CDNA: "]);
    }
}

#[test]
fn commands_of_other_tools_lead_to_ours() {
    let says = |words: &str, part: &str| drop(wavetank(words).failure(2, &[part]));
    says(
        "debug ./a.out",
        "tip: there is no debugger: `wavetank launch --trace`",
    );
    says(
        "rocprof ./a.out",
        "`wavetank profile -- PROGRAM` shows what kernels do",
    );
    says("racecheck", "`wavetank check -- PROGRAM`");
    says("explian", "'explain'");
    let listing = wavetank(&format!("dis {VECADD}")).success();
    for name in ["disasm", "disassemble"] {
        assert_eq!(wavetank(&format!("{name} {VECADD}")).success(), listing);
    }
    let dir = directory("commands_of_other_tools");
    fs::copy(VECADD, dir.join("vecadd")).unwrap();
    fs::write(dir.join("a.s"), "s_nop 0\n").unwrap();
    assert_eq!(wavetank_in(&dir, "assemble a.s").success(), "s_nop 0\n");
    wavetank_in(&dir, "vecadd").failure(2, &["tip: ", "`wavetank run ./vecadd`"]);
    // A path in place of a command is a program.
    wavetank_in(&dir, "./vecadd 512").refused(&["./vecadd: this is a code object for gfx900"]);
}

#[test]
fn a_misspelt_variable_is_told() {
    let out = wavetank_with("WAVETANK_THREAD", "1", "isa s_nop");
    assert_eq!(out.code, Some(0), "{out:?}");
    assert_eq!(
        out.stderr,
        "note: WAVETANK_THREAD has no effect: there is no such variable; did you mean WAVETANK_THREADS?\n"
    );
    assert_eq!(
        wavetank_with("WAVETANK_THREADS", "1", "isa s_nop").stderr,
        ""
    );
}

#[test]
fn a_picture_is_printed_in_its_shape() {
    let words = "--grid 8 --block 8 --arg iota:f32:8 --arg zero:32 --arg print:f32:4x2 --arg u32:8";
    let text = wavetank(&format!("launch {VECADD} {words}")).success();
    assert_eq!(
        text,
        "arg2: 4x2 f32\n    0  0.0 1.0 2.0 3.0\n    1  4.0 5.0 6.0 7.0\n"
    );
}

#[test]
fn sources_are_to_be_compiled() {
    let dir = directory("sources_are_to_be_compiled");
    fs::write(
        dir.join("k.cl"),
        "kernel void k(global int *v) { v[0] = 1; }\n",
    )
    .unwrap();
    fs::write(dir.join("k.hip"), "#include <hip/hip_runtime.h>\n").unwrap();
    for command in ["asm", "dis", "info", "launch"] {
        let says = |file: &str, parts: &[&str]| {
            wavetank_in(&dir, &format!("{command} {file}")).failure(2, parts);
        };
        says(
            "k.cl",
            &[
                "k.cl: this looks like OpenCL source",
                " -O2 k.cl -o kernels.hsaco",
            ],
        );
        says(
            "k.hip",
            &["k.hip: this looks like HIP source", "hipcc --genco"],
        );
    }
    fs::write(dir.join("k.s"), "\ts_endpgm\n").unwrap();
    fs::write(dir.join("k.bc"), b"BC\xc0\xde\x35\x14").unwrap();
    for command in ["dis", "info", "launch"] {
        let says = |file: &str, parts: &[&str]| {
            wavetank_in(&dir, &format!("{command} {file}")).failure(2, parts);
        };
        says(
            "k.s",
            &[
                "k.s: this looks like assembly source",
                "wavetank asm k.s -o kernels.co",
            ],
        );
        says(
            "k.bc",
            &["k.bc: this is LLVM's bitcode", "-nogpulib -O2 k.bc"],
        );
    }
    wavetank_in(&dir, "asm k.bc").failure(2, &["this is LLVM's bitcode"]);
    wavetank_in(&dir, "asm -c k.s -o k.o").success();
    wavetank_in(&dir, "check k.bc").failure(2, &["this is LLVM's bitcode"]);
    // They read object files, and a launch needs a linked one.
    wavetank_in(&dir, "info k.o").success();
    let listing = wavetank_in(&dir, "dis k.o").success();
    assert!(
        listing.starts_with("// k.o: gfx900, not linked\n"),
        "{listing}"
    );
    wavetank_in(&dir, "launch k.o").refused(&["`wavetank asm FILE -o OUTPUT`"]);
}

/// The line to compile a source is one that works, where there is a compiler.
#[test]
fn the_line_to_compile_works() {
    let dir = directory("the_line_to_compile");
    fs::write(
        dir.join("k.cl"),
        "kernel void k(global float *v) { v[0] = sin(v[1]); }\n",
    )
    .unwrap();
    let text = wavetank_in(&dir, "launch k.cl").failure(2, &[]);
    let line = text.lines().nth(1).expect("the line to compile").trim();
    let compiler = line.split(' ').next().unwrap();
    let has = |compiler| Command::new(compiler).arg("--version").output().is_ok();
    if !has(compiler) {
        eprintln!("SKIP the line to compile: {compiler} is absent");
        return;
    }
    let done = Command::new("sh")
        .args(["-c", line])
        .current_dir(&dir)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let info = wavetank_in(&dir, "info kernels.hsaco").success();
    assert!(info.contains("kernel k\n"), "{info}");
}

#[test]
fn files_come_from_stdin() {
    assert!(
        wavetank_from(VECADD, "info -")
            .success()
            .contains("kernel vecadd")
    );
    let words = "launch - --grid 4 --block 4 --arg iota:f32:4 --arg iota:f32:4 --arg print:f32:4 --arg u32:4";
    assert!(
        wavetank_from(VECADD, words)
            .success()
            .contains("0.0 2.0 4.0 6.0")
    );
}

#[test]
fn a_buffer_for_part_of_the_grid_is_too_short() {
    let words = format!(
        "launch {VECADD} --grid 100 --block 64 --arg iota:f32:10 --arg iota:f32:100 --arg print:f32:100 --arg u32:100"
    );
    wavetank(&words).failure(
        1,
        &[
            "argument 0",
            "an element for each work-item takes 400 bytes",
        ],
    );
}

/// The call that is printed is a line of a shell, and it works.
#[test]
fn a_launch_without_a_grid_is_a_template() {
    let folder = Path::new(env!("CARGO_BIN_EXE_wavetank")).parent().unwrap();
    for (file, first) in [
        (
            VECADD,
            "# vecadd(float* arg0, float* arg1, float* arg2, uint arg3)\nwavetank launch ",
        ),
        (REDUCE, "# reduce_sum("),
    ] {
        let text = wavetank(&format!("launch {file}")).success();
        assert!(text.starts_with(first), "{text}");
        let calls = text.matches("wavetank launch ").count();
        assert_eq!(calls, if file == VECADD { 1 } else { 2 });
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let script = format!("set -e\n{text}");
        let mut shell = Command::new("sh");
        let out = outcome(shell.args(["-c", &script]).env("PATH", path)).success();
        assert_eq!(
            out.matches(": 64 ").count(),
            calls,
            "each prints a buffer: {out}"
        );
    }
    wavetank(&format!("launch {VECADD} --grid 64")).failure(2, &["--block"]);
    wavetank(&format!("launch {VECADD} --arg u32:1")).failure(2, &["--grid"]);
}

#[test]
fn an_option_that_run_does_not_have_is_none_of_the_program() {
    let says = |words: &str, parts: &[&str]| {
        let text = wavetank(words).failure(2, parts);
        assert!(!text.contains("cannot run"), "{text}");
    };
    let stat = [
        "unexpected argument '--stat'",
        "similar argument exists: '--stats'",
    ];
    says("run --stat ./sum", &stat);
    says("run --gpus gfx900 ./sum", &["'--gpus'", "'--gpu'"]);
    says("run -s ./sum", &["unexpected argument '-s'"]);
    let check = [
        "unexpected argument '--check'",
        "`wavetank check -- PROGRAM`",
    ];
    says("run --check ./sum", &check);
    says(
        "--no-pager run --trace=op=v_ ./sum",
        &["`wavetank launch --trace`"],
    );
    says("run --profile ./sum", &["`--stats`"]);
    // Of other commands it is what it was.
    let elsewhere = wavetank("info --check a.hsaco").failure(2, &["'--check'"]);
    assert!(!elsewhere.contains("PROGRAM"), "{elsewhere}");
}

#[test]
fn what_is_no_program_is_told_before_it_runs() {
    let dir = directory("no_programs");
    let put = |name: &str, bytes: &[u8]| {
        fs::write(dir.join(name), bytes).unwrap();
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(dir.join(name), all).unwrap();
    };
    let refused = |name: &str, parts: &[&str]| {
        wavetank_in(&dir, &format!("run ./{name} 512")).refused(parts);
    };
    put("vecadd.hsaco", &fs::read(VECADD).unwrap());
    let launch = "`wavetank launch FILE`";
    refused(
        "vecadd.hsaco",
        &["./vecadd.hsaco: ", "a code object for gfx900", launch],
    );
    put("both.hipfb", &bundle());
    refused(
        "both.hipfb",
        &["an offload bundle for gfx900", "gfx906", launch],
    );
    fs::write(dir.join("a.s"), "s_endpgm\n").unwrap();
    wavetank_in(&dir, "asm -c a.s -o a.o").success();
    refused(
        "a.o",
        &["a relocatable object file", "`wavetank asm FILE -o OUTPUT`"],
    );
    // The type of an ELF file is at 16, 1 that of object files, and the machine at 18.
    let mut host = fs::read("/bin/true").unwrap();
    host[16] = 1;
    put("host.o", &host);
    refused("host.o", &["this is an object file", "link it"]);
    (host[16], host[18]) = (
        3,
        if cfg!(target_arch = "x86_64") {
            183
        } else {
            62
        },
    );
    put("other", &host);
    refused("other", &["this is a program for ", "and this machine is "]);

    fs::write(
        dir.join("hello.hip"),
        "#include <hip/hip_runtime.h>\nint main() {}\n",
    )
    .unwrap();
    let compile = "hipcc --offload-arch=gfx900 -O2 ./hello.hip -o ./hello";
    wavetank_in(&dir, "run ./hello.hip").failure(2, &["looks like HIP source", compile]);
    put("hello_there", b"#!/bin/sh\n");
    wavetank_in(&dir, "run hello_there").refused(&["did you mean ./hello_there?"]);
}

/// Ends as a command with so little memory does: well, with a sentence, or before it begins.
#[test]
fn little_memory_is_told() {
    let mut told = 0;
    for kilobytes in (20_000..400_000).step_by(500) {
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        let words = ["-c", &script, env!("CARGO_BIN_EXE_wavetank"), "isa"];
        let out = outcome(command.args(words));
        match out.code {
            Some(0) => break,
            Some(2) => {
                assert!(out.stderr.starts_with("error: "), "{kilobytes}: {out:?}");
                told += 1;
            }
            // The system, or the dynamic linker, has no room for the program itself.
            Some(126 | 127) => {}
            None if out.stderr.is_empty() => {}
            // Nor has Rust's runtime, before `main`, for the stack on which it would report an overflow. The range is narrow: at some
            // sizes of the command a limit falls into it.
            None if out.stderr.contains("alternative stack") => {}
            _ => panic!("{kilobytes}: {out:?}"),
        }
    }
    assert!(told > 0, "it was never short of memory");
}

/// Where files may have 512 KiB, there is no memory for compiled code.
#[test]
fn small_files_leave_the_interpreter() {
    let dir = directory("small_files");
    for engine in ["auto", "jit"] {
        let script = "ulimit -f 512; exec \"$0\" \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", script, env!("CARGO_BIN_EXE_wavetank")]);
        command.args(["demo", "--size", "64x64", "--engine", engine]);
        let out = outcome(command.current_dir(&dir));
        assert_eq!(out.code, Some(0), "{engine}: {out:?}");
        assert!(out.stderr.contains("File too large"), "{engine}: {out:?}");
    }
}

/// The limit stands for a full disk: writes beyond it fail.
#[test]
fn an_output_that_fails_leaves_what_was_there() {
    let dir = directory("full_disk");
    fs::write(dir.join("a.s"), ".fill 100000, 4, 7\n").unwrap();
    fs::write(dir.join("a.co"), "what was there").unwrap();
    for ignored in ["", "trap '' XFSZ; "] {
        let script = format!("{ignored}ulimit -f 64; exec \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_wavetank")]);
        let words = command.args(["asm", "a.s", "-o", "a.co"]).current_dir(&dir);
        outcome(words).refused(&["cannot write a.co: File too large"]);
        assert_eq!(fs::read(dir.join("a.co")).unwrap(), b"what was there");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
    }
}
