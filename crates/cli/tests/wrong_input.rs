//! Wrong input gets one clear sentence on stderr, and exit code 2.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::common::{MANDELBROT, REDUCE, VECADD, directory, outcome, wavetank, wavetank_in};

/// Arguments that fit `vecadd` for up to 64 work-items.
const FITTING: &str = "--arg zero:256 --arg zero:256 --arg zero:256 --arg u32:64";

fn launch(rest: &str) -> crate::common::Outcome {
    wavetank(&format!("launch {VECADD} {rest}"))
}

#[test]
fn files_that_are_no_code_objects() {
    let dir = directory("no_code_objects");
    fs::write(dir.join("text"), "hello, world").unwrap();
    fs::write(dir.join("empty"), "").unwrap();
    let whole = fs::read(VECADD).unwrap();
    fs::write(dir.join("truncated"), &whole[..whole.len() - 100]).unwrap();
    for command in ["info", "launch --grid 1 --block 1"] {
        let refused = |file: &str, parts: &[&str]| {
            wavetank_in(&dir, &format!("{command} {file}")).refused(parts);
        };
        refused(
            "text",
            &["text: ", "neither an ELF file nor an offload bundle"],
        );
        refused("empty", &["empty: ", "the file is empty"]);
        refused("truncated", &["truncated: ", "the file is truncated"]);
        refused("missing", &["cannot read missing"]);
        refused(".", &["cannot read ."]);
        refused("/dev/zero", &["cannot read /dev/zero: it is a device"]);
        refused(env!("CARGO_BIN_EXE_wavetank"), &["not for an AMD GPU"]);
    }
}

#[test]
fn kernels_that_are_not_there() {
    let words = |file, kernel| format!("launch {file} {kernel} --grid 1 --block 1");
    let parts = ["`mandl`", "did you mean `mandel`?", "also mandel_d"];
    wavetank(&words(MANDELBROT, "mandl")).refused(&parts);
    let parts = ["`xyz`", "there are mandel, mandel_d"];
    wavetank(&words(MANDELBROT, "xyz")).refused(&parts);
    let parts = ["several kernels", "mandel, mandel_d"];
    wavetank(&words(MANDELBROT, "")).refused(&parts);
}

#[test]
fn gpus_that_do_not_fit() {
    let gpu = |gpu| launch(&format!("--grid 1 --block 1 --gpu {gpu}"));
    gpu("gfx906").refused(&["no code for gfx906", "it has gfx900"]);
    gpu("gfx803").refused(&["no code for gfx803", "it has gfx900"]);
    gpu("voodoo").refused(&["`voodoo` is not a GPU that is emulated", "gfx900, gfx902"]);
    wavetank(&format!("info {VECADD} --gpu gfx906")).refused(&["it has gfx900"]);
    wavetank(&format!("info {VECADD} --gpu voodoo")).refused(&["`voodoo` is not a target"]);
}

#[test]
fn arguments_that_do_not_fit() {
    let args = |args: &str| launch(&format!("--grid 64 --block 64 {args}"));
    let signature = "its signature is vecadd(float* arg0, float* arg1, float* arg2, uint arg3)";
    let three = "--arg zero:256 --arg zero:256 --arg zero:256";
    args("").refused(&["takes 4 arguments and was given 0", signature]);
    args(three).refused(&["takes 4 arguments and was given 3", signature]);
    args(&format!("{FITTING} --arg u32:1")).refused(&["was given 5", signature]);
    args(&format!("{three} --arg f32:1")).refused(&["argument 3", "an f32", signature]);
    args(&format!("{three} --arg u64:1")).refused(&["takes 4 bytes", "a u64", signature]);
    args(&format!("{three} --arg zero:4")).refused(&["argument 3", "a buffer", signature]);
    args("--arg u32:1 --arg zero:4 --arg zero:4 --arg u32:1").refused(&["argument 0", "a u32"]);
}

#[test]
fn argument_texts_that_mean_nothing() {
    let arg = |arg: &str| launch(&format!("--grid 64 --block 64 --arg {arg}"));
    arg("float:1").refused(&["--arg float:1", "`float` is none of"]);
    arg("iota:f32").refused(&["--arg iota:f32", "iota:TYPE:N"]);
    arg("u8:256").refused(&["--arg u8:256", "0 to 255"]);
    arg("in:missing.bin").refused(&["cannot read missing.bin"]);
    arg("out:nowhere/c.bin:4").refused(&["cannot write nowhere/c.bin"]);
    arg("out:c.npy:4").refused(&["needs a type"]);
    arg("zero:0xffffffffffffff").refused(&["could not be allocated"]);
}

#[test]
fn arrays_that_cannot_be_read() {
    let dir = directory("bad_arrays");
    let header =
        b"\x93NUMPY\x01\x00\x37\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}";
    fs::write(dir.join("text.npy"), "hello, world").unwrap();
    fs::write(dir.join("cut.npy"), &header[..20]).unwrap();
    fs::write(dir.join("short.npy"), [&header[..], &[0; 7]].concat()).unwrap();
    fs::write(dir.join("raw.bin"), [0; 8]).unwrap();
    let refused = |arg: &str, parts: &[&str]| {
        let words = format!("launch {VECADD} --grid 64 --block 64 --arg {arg}");
        wavetank_in(&dir, &words).refused(parts);
    };
    refused("in:text.npy", &["text.npy: not a usable .npy file"]);
    refused("in:cut.npy", &["cut.npy: not a usable .npy file"]);
    refused(
        "inout:short.npy:x.npy",
        &["promises 8 bytes of data, and it has 7"],
    );
    refused("inout:raw.bin:x.npy", &["x.npy: a .npy file needs a type"]);
}

#[test]
fn sizes_that_cannot_be() {
    let size = |grid, block| launch(&format!("--grid {grid} --block {block} {FITTING}"));
    size("0", "64").refused(&["the grid 0x1x1 has no work-items"]);
    size("64,0", "64").refused(&["the grid 64x0x1 has no work-items"]);
    size("64", "0").refused(&["the work-group 0x1x1 has no work-items"]);
    size("64", "32,33").refused(&["1056 work-items; the most is 1024"]);
    size("64", "512").refused(&["at most 256, not of 512"]);
    for bad in [
        "--grid x --block 1",
        "--grid 1,2,3,4 --block 1",
        "--grid 1",
        "--block 1",
    ] {
        launch(bad).failure(2, &["--grid", "--help"][usize::from(bad == "--grid 1")..]);
    }
}

#[test]
fn lds_that_does_not_fit() {
    launch(&format!("--grid 64 --block 64 {FITTING} --arg lds:65537"))
        .refused(&["65537 bytes of LDS", "at most 65536"]);
    let args = "--arg zero:256 --arg zero:256 --arg u32:64 --arg lds:65540";
    wavetank(&format!(
        "launch {REDUCE} reduce_sum --grid 64 --block 64 {args}"
    ))
    .refused(&["65540 bytes of LDS", "at most 65536"]);
}

#[test]
fn programs_that_cannot_be_run() {
    wavetank("run --gpu gfx900,voodoo -- ./absent").refused(&["`voodoo`", "gfx900, gfx902"]);
    wavetank("run --gpu gfx900,gfx1030 -- ./absent").refused(&["gfx1030 is a chip of RDNA"]);
    // Either the library or the program is what is missing, whatever has been built.
    wavetank("run -- ./absent-program").refused(&[]);
    assert_eq!(wavetank("run").code, Some(2));
}

#[test]
fn settings_that_mean_nothing() {
    for (name, value, part) in [
        (
            "WAVETANK_LOG",
            "bogus",
            "not a level of the log; write info or trace",
        ),
        (
            "WAVETANK_GPU",
            "voodoo",
            "`voodoo` is not a GPU that is emulated",
        ),
        ("WAVETANK_STATS", "maybe", "neither 1 nor 0"),
        ("WAVETANK_MEMORY", "lots", "not a size of memory"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        command.args(["run", "--", "./absent"]).env(name, value);
        outcome(&mut command).refused(&[name, part]);
    }
    wavetank("run --gpu gfx900:8 -- ./absent").refused(&["--gpu: `8` is not a size of memory"]);
    wavetank("run --gpu gfx900:xnack+ -- ./absent").refused(&["gfx900:xnack- is"]);
}

#[test]
fn output_that_nobody_gets() {
    for words in [
        "isa",
        "info vecadd.co",
        "asm --json a.s",
        "dis --raw vecadd.co",
    ] {
        let dir = directory("closed_stdout");
        fs::copy(VECADD, dir.join("vecadd.co")).unwrap();
        fs::write(dir.join("a.s"), "s_nop 0\n").unwrap();
        let script = format!("exec \"$0\" {words} >&-");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_wavetank")]);
        let outcome = outcome(command.current_dir(dir));
        outcome.refused(&["cannot write to stdout: it is closed"]);
    }
}

#[test]
fn names_that_are_no_text() {
    let dir = directory("bytes_as_names");
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let run = |args: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        outcome(command.args(args).current_dir(&dir))
    };
    fs::write(
        dir.join(name(b"\xff.wt")),
        "v1 = 1\n> v_mov_b32 v0, v1\nv0 = 1\n",
    )
    .unwrap();
    assert!(
        run(&["exec".as_ref(), name(b"\xff.wt")])
            .success()
            .starts_with("ok")
    );
    run(&["exec".as_ref(), name(b"\xff")]).refused(&["the argument is not UTF-8"]);
    let words =
        format!("launch {VECADD} --grid 4 --block 4 --arg iota:f32:4 --arg iota:f32:4 --arg");
    let mut args: Vec<&OsStr> = words.split(' ').map(OsStr::new).collect();
    args.extend([name(b"out:\xff.bin:16"), "--arg".as_ref(), "u32:4".as_ref()]);
    run(&args).success();
    assert_eq!(fs::read(dir.join(name(b"\xff.bin"))).unwrap().len(), 16);
}

#[test]
fn options_that_mean_nothing() {
    launch(&format!("--grid 64 --block 64 {FITTING} --trace=thread=3"))
        .refused(&["--trace: `thread=3`"]);
    for option in ["--threads 0", "--timeout 0", "--timeout soon", "--speed 3"] {
        let outcome = launch(&format!("--grid 64 --block 64 {FITTING} {option}"));
        outcome.failure(2, &[option.split(' ').next().unwrap()]);
    }
    assert_eq!(wavetank("").code, Some(2));
    assert_eq!(wavetank("levitate").code, Some(2));
}
