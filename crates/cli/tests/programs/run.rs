//! What `wavetank run` does beside running: it looks into programs, ends them, and keeps a record.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Toolchain;
use super::execution::build_library;
use crate::common::{Outcome, directory, outcome};

/// Prints the name of the GPU that it finds.
const NAME: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void over(int *v, int n, int at) { if (threadIdx.x < n) v[threadIdx.x + (size_t(at) << 32)] = 7; }
int main(int argc, char **) {
    hipDeviceProp_t about;
    int *v, got = 0;
    if (hipGetDeviceProperties(&about, 0) || hipMalloc(&v, 256)) return 9;
    over<<<1, 64>>>(v, 64, argc - 1);
    if (hipMemcpy(&got, v, 4, hipMemcpyDeviceToHost)) return 8;
    printf("%s %d\n", about.gcnArchName, got);
    return 0;
}
"#;

/// A program of some source, built by a compiler with these words before it.
fn build(folder: &Path, name: &str, source: &str, compiler: &[&str], links: &[&str]) -> PathBuf {
    let (file, built) = (folder.join(name), folder.join(name).with_extension("out"));
    std::fs::write(&file, source).expect("the folder can be written");
    let mut command = Command::new(compiler[0]);
    command
        .args(&compiler[1..])
        .arg(&file)
        .args(links)
        .arg("-o")
        .arg(&built);
    let output = command.output().expect("the compiler is there");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    built
}

fn hip(folder: &Path, architectures: &[&str]) -> PathBuf {
    let options: Vec<String> = architectures
        .iter()
        .map(|a| format!("--offload-arch={a}"))
        .collect();
    let mut words = vec!["hipcc"];
    words.extend(options.iter().map(String::as_str));
    build(
        folder,
        &format!("{}.hip", architectures.join("-")),
        NAME,
        &words,
        &[],
    )
}

fn run(folder: &Path, words: &[&str], program: &Path, arguments: &[&str]) -> Outcome {
    build_library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.arg("run").args(words).arg(program).args(arguments);
    outcome(command.current_dir(folder))
}

#[test]
#[ignore = "builds the optimized library first"]
fn words_behind_the_program_are_its_own() {
    let script = "echo \"$0 $*\"";
    let words = ["-c", script, "x", "--stats", "--", "-y"];
    let out = run(Path::new("."), &[], Path::new("sh"), &words);
    assert_eq!(out.success(), "x --stats -- -y\n");
    let out = run(
        Path::new("."),
        &["--threads", "1", "--"],
        Path::new("echo"),
        &["--gpu"],
    );
    assert_eq!(out.success(), "--gpu\n");
}

#[test]
#[ignore = "builds the optimized library first"]
fn a_time_limit_ends_the_program() {
    let start = std::time::Instant::now();
    let sentence = "error: the program was ended after 0.3 seconds (--timeout)\n";
    let out = run(
        Path::new("."),
        &["--timeout", "0.3"],
        Path::new("sleep"),
        &["1000"],
    );
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), sentence));
    // Who does not listen is killed.
    let deaf = "trap '' TERM; while :; do sleep 0.1; done";
    let out = run(
        Path::new("."),
        &["--timeout", "0.3"],
        Path::new("sh"),
        &["-c", deaf],
    );
    assert_eq!((out.code, out.stderr.as_str()), (Some(1), sentence));
    assert!(start.elapsed().as_secs() < 60);
    let out = run(
        Path::new("."),
        &["--timeout", "60"],
        Path::new("sh"),
        &["-c", "exit 3"],
    );
    assert_eq!((out.code, out.stderr.as_str()), (Some(3), ""));
}

#[test]
#[ignore = "builds the optimized library first"]
fn tools_that_look_for_the_driver_find_it() {
    let asks = "read state < /sys/module/amdgpu/initstate; : < /dev/kfd && echo $state; \
                while read name rest; do [ $name = amdgpu ] && echo $name; done < /proc/modules; :";
    let script = ["-c", asks];
    let out = run(Path::new("."), &[], Path::new("sh"), &script);
    assert_eq!(out.success(), "live\namdgpu\n");
    if Path::new("/usr/bin/rocminfo").exists() {
        let gpus = ["--gpu", "gfx900,gfx906"];
        let out = run(Path::new("."), &gpus, Path::new("rocminfo"), &[]);
        let found = out.success();
        for isa in ["gfx900:xnack-", "gfx906:sramecc-:xnack-"] {
            assert!(
                found.contains(&format!("amdgcn-amd-amdhsa--{isa}")),
                "{found}"
            );
        }
    } else {
        eprintln!("SKIP rocminfo: it is not installed");
    }
    if Path::new("/sys/module/amdgpu").exists() {
        eprintln!("SKIP that nobody else is answered: there is a driver");
        return;
    }
    // A program that was not started by `run` is told what is there.
    let library = Path::new(env!("CARGO_BIN_EXE_wavetank")).with_file_name("libhsa_runtime64.so");
    let mut command = Command::new("sh");
    let out = outcome(command.args(script).env("LD_PRELOAD", library));
    assert!(!out.stdout.contains("live"), "{out:?}");
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn the_chip_is_one_that_the_program_has_code_for() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("chips_of_programs");
    let newer = hip(&folder, &["gfx803", "gfx906"]);
    let prints = |words: &[&str]| run(&folder, words, &newer, &[]);
    assert!(prints(&[]).success().starts_with("gfx906:"));
    assert_eq!(prints(&["--json", "-"]).code, Some(0));
    let other = prints(&["--gpu", "gfx900"]);
    assert!(
        other.code != Some(0) && !other.stderr.contains("build it with"),
        "{other:?}"
    );
    let older = hip(&folder, &["gfx803"]);
    run(&folder, &[], &older, &[]).refused(&[
        "gfx803.out: the program has code for gfx803, which is not emulated",
        "--offload-arch=gfx900",
        "--gpu",
    ]);
    let both = hip(&folder, &["gfx906", "gfx900"]);
    assert!(
        run(&folder, &[], &both, &[])
            .success()
            .starts_with("gfx900:")
    );
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_run_leaves_a_record() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("records_of_runs");
    let program = hip(&folder, &["gfx900"]);
    let words = ["--log", "gpu.log", "--json", "run.json", "--stats"];
    let record = || -> serde_json::Value {
        let text = std::fs::read(folder.join("run.json")).expect("it was written");
        serde_json::from_slice(&text).expect("it is JSON")
    };
    let log = || std::fs::read_to_string(folder.join("gpu.log")).expect("it was written");
    // Well: a table in the log.
    let out = run(&folder, &words, &program, &[]).success();
    assert!(out.ends_with(" 7\n"), "{out}");
    assert!(log().contains("over(int*, int, int)\n"), "{}", log());
    let about = record();
    assert_eq!(
        (&about["exit_code"], &about["fault"]),
        (&0.into(), &serde_json::Value::Null)
    );
    let kernels = about["kernels"].as_array().unwrap();
    let over = kernels
        .iter()
        .find(|kernel| kernel["name"] == "_Z4overPiii")
        .unwrap();
    assert_eq!(
        (&over["calls"], &over["readable"]),
        (&1.into(), &"over(int*, int, int)".into())
    );
    // A fault: exit code 1, whatever the signal, and the sentence last.
    let out = run(&folder, &words, &program, &["x"]);
    assert_eq!(out.code, Some(1), "{out:?}");
    let last = out.stderr.lines().next_back().unwrap();
    let start =
        "error: a fault on the GPU ended the program: kernel `over(int*, int, int)` faulted at ";
    assert!(last.starts_with(start), "{out:?}");
    assert!(!out.stderr.contains("wavetank: "), "{out:?}");
    assert!(log().contains("wavetank: kernel `over(int*, int, int)` faulted at "));
    let about = record();
    assert_eq!(
        (&about["exit_code"], &about["signal"]),
        (&serde_json::Value::Null, &"SIGABRT".into())
    );
    assert!(last.ends_with(about["fault"].as_str().unwrap()));
}

/// Asks the library for its GPUs, then reads one byte too far if there is an argument.
const SANITIZED: &str = r#"
#include <hsa/hsa.h>
#include <stdio.h>
#include <stdlib.h>
static hsa_status_t count(hsa_agent_t agent, void *data) {
    char name[64];
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU) printf("%s\n", name);
    return HSA_STATUS_SUCCESS;
}
int main(int argc, char **argv) {
    if (hsa_init() || hsa_iterate_agents(count, NULL) || hsa_shut_down()) return 9;
    char *bytes = calloc(16, 1);
    int sum = bytes[argc > 1 ? 16 : 15];
    free(bytes);
    return sum;
}
"#;

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn sanitizers_work() {
    if !Toolchain::C.is_here() {
        return;
    }
    let folder = directory("sanitized_programs");
    let links = ["-lhsa-runtime64"];
    for (name, compiler) in [
        ("gcc.c", &["cc", "-g", "-fsanitize=address"][..]),
        ("clang.c", &["clang-15", "-g", "-fsanitize=address"]),
        (
            "shared.c",
            &[
                "clang-15",
                "-g",
                "-fsanitize=address",
                "-shared-libasan",
                "-Wl,-rpath,/usr/lib/llvm-15/lib/clang/15.0.6/lib/linux",
            ],
        ),
        ("undefined.c", &["cc", "-g", "-fsanitize=undefined"]),
        // Its own path of libraries comes before that of the environment: the library is preloaded.
        (
            "path.c",
            &[
                "cc",
                "-g",
                "-Wl,--disable-new-dtags",
                "-Wl,-rpath,/usr/lib/x86_64-linux-gnu",
            ],
        ),
    ] {
        let program = build(&folder, name, SANITIZED, compiler, &links);
        let out = run(&folder, &["--gpu", "gfx906"], &program, &[]);
        assert_eq!(out.success(), "gfx906\n", "{name}");
        if compiler.contains(&"-fsanitize=address") {
            let out = run(&folder, &[], &program, &["x"]);
            assert_eq!(out.code, Some(1), "{name}: {out:?}");
            assert!(
                out.stderr
                    .contains("AddressSanitizer: heap-buffer-overflow"),
                "{name}: {out:?}"
            );
        }
    }
}

/// Opens something else instead of the driver.
const DRIVER: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int open(const char *path, int flags, int mode) {
    int (*next)(const char *, int, int) = dlsym(RTLD_NEXT, "open");
    return next(strcmp(path, "/dev/kfd") ? path : "/dev/null", flags, mode);
}
"#;

/// ROCm's own tool, once it believes that there is a driver, has every line of ours, in this order.
#[test]
#[ignore = "needs ROCm's rocminfo"]
fn rocminfo_is_what_rocminfo_prints() {
    let tool = Path::new("/usr/bin/rocminfo");
    if !tool.is_file() {
        eprintln!("SKIP: {} is absent", tool.display());
        return;
    }
    let folder = directory("rocminfo");
    let lsmod = folder.join("lsmod");
    std::fs::write(&lsmod, "#!/bin/sh\necho amdgpu 1 0\n").unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&lsmod, PermissionsExt::from_mode(0o755)).unwrap();
    let driver = build(
        &folder,
        "driver.c",
        DRIVER,
        &["cc", "-shared", "-fPIC"],
        &["-ldl"],
    );
    build_library();
    for gpu in ["gfx900:1G", "gfx906:2G"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        command
            .args(["run", "--gpu", gpu])
            .arg(tool)
            .env("PATH", path)
            .env("LD_PRELOAD", &driver);
        let theirs = outcome(&mut command).success();
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        let ours = outcome(command.args(["agents", "--rocminfo", "--gpu", gpu])).success();
        let colourless = |line: &str| {
            anstream::adapter::strip_str(line)
                .to_string()
                .trim_end()
                .to_owned()
        };
        let ours: Vec<String> = ours.lines().map(colourless).collect();
        let mut theirs = theirs.lines().map(colourless);
        for line in &ours {
            assert!(
                theirs.any(|other| other == *line),
                "{line:?} stands elsewhere, or nowhere"
            );
        }
        let names = ours.iter().filter(|line| line.starts_with("  Name: "));
        assert_eq!(names.count(), 2);
    }
}
