//! What `wavetank run` does beside running: it looks into programs, ends them, and keeps a record.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Toolchain;
use super::execution::build_library;
use super::program::Program;
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
pub(super) fn build(
    folder: &Path,
    name: &str,
    source: &str,
    compiler: &[&str],
    links: &[&str],
) -> PathBuf {
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
    assert_eq!(
        (out.code, out.stdout.as_str()),
        (Some(0), "x --stats -- -y\n")
    );
    let note = "note: --stats went to the program, since it stands after it; for this command write `wavetank run --stats … sh`\n";
    assert_eq!(out.stderr, note);
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
    let one = run(
        Path::new("."),
        &["--timeout", "1"],
        Path::new("sleep"),
        &["1000"],
    );
    assert!(
        one.stderr.contains("was ended after 1 second (--timeout)"),
        "{one:?}"
    );
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

/// A kernel that never ends.
const SPIN: &str = r#"
#include <hip/hip_runtime.h>
__global__ void spin(volatile int *v) {
    while (v[0] == 0) {
    }
    v[1] = 1;
}
int main() {
    int *v;
    if (hipMalloc(&v, 4096) || hipMemset(v, 0, 4096)) return 8;
    spin<<<2, 128>>>(v);
    return hipDeviceSynchronize();
}
"#;

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_time_limit_names_the_kernel_that_runs() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("time_limits");
    let words = ["hipcc", "--offload-arch=gfx900", "-g"];
    let program = build(&folder, "spin.hip", SPIN, &words, &[]);
    // Long enough for the program to start beside other tests.
    let out = run(&folder, &["--timeout", "10"], &program, &[]);
    assert_eq!(out.code, Some(1), "{out:?}");
    for part in [
        "error: the program was ended after 10 seconds (--timeout): kernel `spin(int volatile*)` did not end in time",
        "\n  work-group (0, 0, 0), wave 0 runs at ",
        "spin.hip:",
        "\n  help: `wavetank check --timeout 10 -- PROGRAM` shows",
    ] {
        assert!(out.stderr.contains(part), "{part:?} is missing: {out:?}");
    }
    assert_eq!(out.stderr.matches("work-group (").count(), 3, "{out:?}");
}

#[test]
#[ignore = "builds the optimized library first"]
fn a_variable_of_real_drivers_is_answered() {
    build_library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command
        .args(["run", "true"])
        .env("HSA_OVERRIDE_GFX_VERSION", "9.0.6");
    let out = outcome(&mut command);
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(
        out.stderr
            .starts_with("note: HSA_OVERRIDE_GFX_VERSION=9.0.6 has no effect"),
        "{out:?}"
    );
    assert_eq!(out.stderr.lines().count(), 1, "{out:?}");
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
        // Older ones ask `lsmod`, which says on stderr that it misses a folder of the module.
        assert_eq!(out.code, Some(0), "{out:?}");
        let found = out.stdout;
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
    // It is tried, after a word.
    let other = prints(&["--gpu", "gfx900"]);
    let lines = other.stderr.lines();
    let told = lines.filter(|line| {
        line.contains("has code for gfx803, gfx906, and none for gfx900")
            && line.contains("--offload-arch=gfx900")
    });
    assert!(other.code != Some(0) && told.count() == 1, "{other:?}");
    assert_eq!(prints(&["--gpu", "gfx803"]).stderr, "");
    let older = hip(&folder, &["gfx803"]);
    let printed = run(&folder, &[], &older, &[]).success();
    assert!(printed.starts_with("gfx803 "), "{printed}");
    let cdna = hip(&folder, &["gfx90a"]);
    let printed = run(&folder, &[], &cdna, &[]).success();
    assert!(printed.starts_with("gfx90a:"), "{printed}");
    let foreign = hip(&folder, &["gfx1030"]);
    run(&folder, &[], &foreign, &[]).refused(&[
        "gfx1030.out: the program has code for gfx1030: GCN and CDNA are executed up to gfx942",
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

/// Lines that the program's library writes, and those of the command.
#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_log_that_is_lost_is_told() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("lost_logs");
    let program = hip(&folder, &["gfx900"]);
    let refused = ["cannot write /dev/full", "lines of the log are lost"];
    for options in [&["--stats"][..], &[]] {
        let words = [options, &["--log", "/dev/full"]].concat();
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
        command.arg("run").args(words).arg(&program);
        let out = outcome(command.env("WAVETANK_LOG", "info"));
        assert_eq!(out.code, Some(2), "{out:?}");
        assert!(
            refused.iter().all(|part| out.stderr.contains(part)),
            "{out:?}"
        );
    }
    let words = ["--log", "gpu.log", "--stats"];
    assert!(
        run(&folder, &words, &program, &[])
            .success()
            .starts_with("gfx900")
    );
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn programs_for_openmp_say_their_chip() {
    let folder = directory("chips_of_openmp");
    let source = folder.join("region.c");
    let text = "int main(void) {\n    int x = 1;\n#pragma omp target map(tofrom : x)\n    x = 0;\n    return x;\n}\n";
    std::fs::write(&source, text).expect("the folder can be written");
    for toolchain in [Toolchain::OPENMP_LLVM, Toolchain::OPENMP_GCC] {
        if !toolchain.is_here() {
            continue;
        }
        let built = toolchain.build(&Program::read(&source), "gfx906");
        let built = built.unwrap_or_else(|problem| panic!("{problem}"));
        let out = run(&folder, &["--json", "-"], &built[0], &[]).success();
        let record: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        assert_eq!(record["gpus"], serde_json::json!(["gfx906"]), "{out}");
        // The region was a kernel, perhaps between others that begin and end a program.
        assert_ne!(record["kernels"], serde_json::json!([]), "{out}");
    }
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
    // The members are those of `launch --stats`, for the kernel and for all.
    for part in [over, &about] {
        assert_eq!((&part["calls"], &part["waves"]), (&1.into(), &1.into()));
        let families = part["by_family"].as_object().unwrap().values();
        let sum: u64 = families.map(|count| count.as_u64().unwrap()).sum();
        assert!(sum > 0, "{part}");
        assert_eq!(part["wave_instructions"], sum);
        assert_eq!(part["compiled"]["by_interpreter"], serde_json::json!({}));
    }
    assert!(about.get("fidelity").is_none(), "{about}");
    // A fault: exit code 1, whatever the signal, and the sentence last.
    let out = run(&folder, &words, &program, &["x"]);
    assert_eq!(out.code, Some(1), "{out:?}");
    let last = out.stderr.lines().next_back().unwrap();
    let start =
        "error: a fault on the GPU ended the program: kernel `over(int*, int, int)` faulted at ";
    assert!(last.starts_with(start), "{out:?}");
    assert!(!out.stderr.contains("wavetank: "), "{out:?}");
    // The log has the place as `check` shows it.
    let log = log();
    for part in [
        "wavetank: kernel `over(int*, int, int)` faulted at ",
        "\nerror[memory/out-of-bounds]: a store of 4 bytes at 0x",
        "^ outside every allocation: block (0,0,0) thread (0,0,0)\n",
        "= note: no allocation is near",
    ] {
        assert!(log.contains(part), "{part:?} is missing: {log}");
    }
    let about = record();
    assert_eq!(
        (&about["exit_code"], &about["signal"]),
        (&serde_json::Value::Null, &"SIGABRT".into())
    );
    let sentence = about["fault"].as_str().unwrap();
    assert!(
        last.len() < sentence.len() && sentence.contains("outside every allocation"),
        "{sentence}"
    );
}

/// A kernel with instructions that are not exact, which runs four times, and one that never runs.
const APPROXIMATE: &str = r#"
#include <hip/hip_runtime.h>
__global__ void powers(float *v) {
    for (int n = 0; n < 200; n++) v[threadIdx.x] = __expf(v[threadIdx.x]) * 0.25f;
}
__global__ void sines(float *v) { v[threadIdx.x] = __sinf(v[threadIdx.x]); }
int main(int argc, char **) {
    float *v;
    if (hipMalloc(&v, 256) || hipMemset(v, 0, 256)) return 8;
    for (int n = 0; n < 4; n++) powers<<<1, 64>>>(v);
    if (argc > 9) sines<<<1, 64>>>(v);
    return hipDeviceSynchronize();
}
"#;

/// The sums of compilers and instructions are those of the program, and `--fidelity` names what is not exact.
#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_run_tells_compiler_and_fidelity() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("fidelity_of_runs");
    let compiler = ["hipcc", "-O2", "--offload-arch=gfx900"];
    let program = build(&folder, "powers.hip", APPROXIMATE, &compiler, &[]);
    let words = [
        "--json",
        "run.json",
        "--stats",
        "--fidelity",
        "--engine",
        "jit",
    ];
    let out = run(&folder, &words, &program, &[]);
    assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{out:?}");
    let text = std::fs::read(folder.join("run.json")).expect("it was written");
    let about: serde_json::Value = serde_json::from_slice(&text).expect("it is JSON");
    // HIP has kernels of its own, to fill memory.
    let kernels = about["kernels"].as_array().unwrap();
    let powers = kernels
        .iter()
        .find(|kernel| kernel["name"] == "_Z6powersPf");
    let powers = powers.unwrap();
    assert_eq!((&powers["calls"], &powers["waves"]), (&4.into(), &4.into()));
    let calls: u64 = kernels.iter().map(|k| k["calls"].as_u64().unwrap()).sum();
    assert_eq!(about["calls"], calls);
    // Each launch runs the same code, which is compiled once.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if is_x86_feature_detected!("avx2") {
        let compiled = &powers["compiled"];
        assert_eq!(compiled["share"], 1.0, "{about}");
        assert!(
            (1..16).contains(&compiled["regions"].as_u64().unwrap()),
            "{about}"
        );
        assert!(
            out.stderr.contains("\ncompiled code ran 100.0% of "),
            "{out:?}"
        );
        let launches = format!(" of {calls} launches; ");
        assert!(out.stderr.contains(&launches), "{out:?}");
    }
    let fidelity = &about["fidelity"];
    let inexact = fidelity["not_exact"].as_array().unwrap();
    let places = |name: &str| {
        let of_name = inexact.iter().find(|one| one["name"] == name)?;
        of_name["places"].as_u64()
    };
    assert!(places("v_exp_f32") >= Some(1), "{fidelity}");
    assert_eq!(places("v_sin_f32"), None, "{fidelity}");
    assert!(
        fidelity["classes"]["exact"].as_u64() > Some(2),
        "{fidelity}"
    );
    assert!(out.stderr.contains(" v_exp_f32  within ULP"), "{out:?}");
    // Without the option nothing is said.
    let out = run(&folder, &["--stats"], &program, &[]);
    assert!(!out.stderr.contains("fidelity"), "{out:?}");
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

/// The element of a case of a report whose name begins so, with what it has inside.
fn case<'t>(report: &'t str, name: &str) -> &'t str {
    let start = format!("<testcase name=\"{name}");
    let at = report.find(&start).unwrap_or_else(|| panic!("{report}"));
    let rest = &report[at + 1..];
    &rest[..rest.find("<testcase").unwrap_or(rest.len())]
}

#[test]
#[ignore = "builds the optimized library first"]
fn runs_are_cases_of_a_report() {
    let folder = directory("reports_of_runs");
    let runs = |words: &[&str], program: &str, arguments: &[&str]| {
        let words = [&["--junit", "gpu.xml"], words].concat();
        run(&folder, &words, Path::new(program), arguments)
    };
    assert_eq!(runs(&[], "true", &[]).code, Some(0));
    let says = runs(&[], "sh", &["-c", "echo 'a < b' >&2; echo out; exit 3"]);
    let said = (says.code, says.stdout.as_str(), says.stderr.as_str());
    assert_eq!(said, (Some(3), "out\n", "a < b\n"));
    assert_eq!(
        runs(&["--timeout", "0.3"], "sleep", &["1000"]).code,
        Some(1)
    );
    // The other end of its stderr stays open.
    let signal = runs(
        &["--gpu", "gfx906"],
        "sh",
        &["-c", "sleep 5 >&- & kill -SEGV $$"],
    );
    assert_eq!(signal.code, None);
    assert_eq!(runs(&[], "./absent", &[]).code, Some(2));
    let report = || std::fs::read_to_string(folder.join("gpu.xml")).expect("it was written");
    let text = report();
    // Characters that XML does not have, in octal: U+FFFE, U+FFFF.
    let odd = "printf '\\357\\277\\276 \\357\\277\\277' >&2";
    let path = ["--junit", "odd.xml"];
    assert_eq!(
        run(&folder, &path, Path::new("sh"), &["-c", odd]).code,
        Some(0)
    );
    let written = std::fs::read_to_string(folder.join("odd.xml")).expect("it was written");
    assert!(written.contains("\u{fffd} \u{fffd}"), "{written}");
    let device = run(&folder, &["--junit", "/dev/full"], Path::new("true"), &[]);
    assert_eq!(device.code, Some(2));
    assert!(device.stderr.contains("it is not a file"), "{device:?}");
    let sums =
        "<testsuites name=\"wavetank\" tests=\"5\" skipped=\"0\" failures=\"3\" errors=\"1\"";
    assert!(text.contains(sums), "{text}");
    assert_eq!(
        text.matches("<testsuite name=\"wavetank\" tests=\"5\"")
            .count(),
        1
    );
    let says = |name: &str, parts: &[&str]| {
        for part in parts {
            assert!(case(&text, name).contains(part), "{part}: {text}");
        }
    };
    says("true", &["classname=\"gfx900\"", "time=\""]);
    assert!(!case(&text, "true").contains("<failure"), "{text}");
    says(
        "sh -c echo",
        &[
            "<failure message=\"exit code 3\"",
            "<system-err>a &lt; b</system-err>",
        ],
    );
    says(
        "sleep 1000",
        &[
            "<failure message=\"it was ended after 0.",
            "type=\"timeout\"",
        ],
    );
    says(
        "sh -c sleep",
        &["classname=\"gfx906\"", "message=\"SIGSEGV ended it\""],
    );
    says(
        "./absent",
        &["<error message=\"cannot run ./absent: ", "type=\"usage\""],
    );
    // Side by side none is lost.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(runs(&[], "true", &[]).code, Some(0)));
        }
    });
    assert!(
        report().contains("<testsuites name=\"wavetank\" tests=\"13\""),
        "{}",
        report()
    );
    // What is no report stays as it is, and nothing runs.
    std::fs::write(folder.join("gpu.xml"), "<html/>").unwrap();
    runs(&[], "echo", &["x"]).refused(&["gpu.xml: this is not a JUnit report", "remove it"]);
    assert_eq!(report(), "<html/>");
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_fault_is_the_message_of_a_case() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("faults_in_reports");
    let program = hip(&folder, &["gfx900"]);
    let out = run(&folder, &["--junit", "gpu.xml"], &program, &["x"]);
    assert_eq!(out.code, Some(1), "{out:?}");
    let text = std::fs::read_to_string(folder.join("gpu.xml")).expect("it was written");
    let case = case(&text, "");
    let start = "<failure message=\"kernel `over(int*, int, int)` faulted at ";
    assert!(
        case.contains(start) && case.contains("type=\"fault\""),
        "{text}"
    );
    assert!(
        case.contains("wavetank: kernel `over(int*, int, int)` faulted at "),
        "{text}"
    );
}
