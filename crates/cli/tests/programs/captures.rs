//! Launches of HIP programs, captured by `run --capture` and repeated by `launch`.

use std::path::Path;
use std::process::Command;

use super::build::Toolchain;
use super::execution::build_library;
use super::run::build;
use crate::common::{Outcome, directory, outcome, wavetank_in};

/// Adds to a vector and to a variable of the device twice; the third launch reads a null pointer if there is an argument.
const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__device__ int launches;
__global__ void twice(int *v, int n) {
    __shared__ int row[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    row[threadIdx.x] = i < n ? v[i] : 0;
    __syncthreads();
    if (i < n) v[i] += row[threadIdx.x];
    if (i == 0) atomicAdd(&launches, 1);
}
__global__ void read(const int *v, int *to) { *to = *v; }
int main(int argc, char **) {
    const int n = 5000;
    static int h[n];
    int *v, seen = 0;
    for (int i = 0; i < n; i++) h[i] = i;
    if (hipMalloc(&v, sizeof h) || hipMemcpy(v, h, sizeof h, hipMemcpyHostToDevice)) return 9;
    for (int round = 0; round < 2; round++) {
        twice<<<(n + 255) / 256, 256>>>(v, n);
        if (hipDeviceSynchronize()) return 8;
    }
    read<<<1, 1>>>(argc > 1 ? nullptr : v + 1, v);
    if (hipMemcpy(h, v, sizeof h, hipMemcpyDeviceToHost)) return 7;
    if (hipMemcpyFromSymbol(&seen, HIP_SYMBOL(launches), sizeof seen)) return 6;
    printf("%d %d %d\n", h[0], h[n - 1], seen);
    return 0;
}
"#;

fn run(folder: &Path, options: &[&str], program: &Path, arguments: &[&str]) -> Outcome {
    build_library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command
        .arg("run")
        .args(options)
        .arg("--")
        .arg(program)
        .args(arguments);
    outcome(command.current_dir(folder))
}

/// The names of the files of a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
    let mut names: Vec<String> = entries
        .map(|entry| name(entry.expect("an entry")))
        .collect();
    names.sort();
    names
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn launches_are_repeated_without_their_program() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("program-captures");
    let compiler = ["hipcc", "--offload-arch=gfx900", "--offload-arch=gfx90a"];
    let program = build(&folder, "twice.hip", PROGRAM, &compiler, &[]);
    for gpu in ["gfx900", "gfx90a"] {
        let to = folder.join(gpu);
        let options = ["--gpu", gpu, "--capture", gpu];
        let out = run(&folder, &options, &program, &[]);
        assert_eq!(
            (out.code, out.stdout.as_str()),
            (Some(0), "4 19996 2\n"),
            "{out:?}"
        );
        assert_eq!(
            files(&to),
            ["0001-twice.wtc", "0002-twice.wtc", "0003-read.wtc"]
        );
        for file in files(&to) {
            for engine in ["jit", "interpreter"] {
                let out = wavetank_in(&to, &format!("launch {file} --engine {engine}"));
                assert_eq!(out.code, Some(0), "{out:?}");
                assert!(out.stderr.contains("all memory is as it was"), "{out:?}");
            }
        }
    }
    let options = [
        "--gpu",
        "gfx900",
        "--capture",
        "some",
        "--kernel",
        "twice",
        "--launch",
        "2..",
    ];
    let out = run(&folder, &options, &program, &[]);
    assert_eq!(out.code, Some(0), "{out:?}");
    assert_eq!(files(&folder.join("some")), ["0002-twice.wtc"]);
    let options = ["--gpu", "gfx900", "--capture", "one.wtc"];
    let out = run(&folder, &options, &program, &[]);
    assert!(
        out.stderr
            .contains("one.wtc has the first of several launches"),
        "{out:?}"
    );
    let json = wavetank_in(&folder, "info --json one.wtc").success();
    assert!(json.contains("\"number\": 1,"), "{json}");
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_fault_is_repeated() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("program-captures-fault");
    let compiler = ["hipcc", "--offload-arch=gfx900"];
    let program = build(&folder, "fault.hip", PROGRAM, &compiler, &[]);
    let options = ["--gpu", "gfx900", "--capture", "caps", "--launch", "3"];
    let out = run(&folder, &options, &program, &["null"]);
    assert_eq!(out.code, Some(1), "{out:?}");
    let text = wavetank_in(&folder, "info caps/0003-read.wtc").success();
    assert!(text.contains("the launch failed: "), "{text}");
    let out = wavetank_in(&folder, "launch caps/0003-read.wtc");
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(
        out.stderr.contains("`read(int const*, int*)` faulted"),
        "{out:?}"
    );
}
