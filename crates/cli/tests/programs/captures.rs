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

/// Kernels that print, whose work-groups meet, that use a variable of the device, and that run in several streams beside copies.
const MEETINGS: &str = r#"
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
__device__ float sum;
__global__ void say(const float *v) {
    int i = threadIdx.x;
    if (i % 16 == 0) printf("item %d has %.1f\n", i, v[i]);
}
__global__ void ring(float *v, int n) {
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 3; round++) {
        float x = v[(i + 1) % n];
        grid.sync();
        v[i] = x + 0.1f;
        grid.sync();
    }
}
__global__ void add(const float *v, int n) {
    extern __shared__ float row[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    row[threadIdx.x] = v[i % n] * 1.1f;
    __syncthreads();
    atomicAdd(&sum, row[blockDim.x - 1 - threadIdx.x]);
}
int main() {
    int n = 512;
    float *v[3], *pinned;
    hipStream_t streams[3];
    if (hipHostMalloc(&pinned, n * sizeof(float))) return 9;
    for (int i = 0; i < n; i++) pinned[i] = i * 0.5f;
    for (int k = 0; k < 3; k++) {
        if (hipStreamCreate(&streams[k]) || hipMalloc(&v[k], n * sizeof(float))) return 8;
        if (hipMemcpy(v[k], pinned, n * sizeof(float), hipMemcpyHostToDevice)) return 7;
    }
    void *arguments[] = {&v[0], &n};
    if (hipLaunchCooperativeKernel((void *)ring, dim3(4), dim3(128), arguments, 0, 0)) return 6;
    say<<<1, 64>>>(v[1]);
    if (hipDeviceSynchronize()) return 5;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 3; k++) {
            add<<<8, 128, 128 * sizeof(float), streams[k]>>>(v[k], n);
            if (hipMemcpyAsync(pinned, v[k], n * sizeof(float), hipMemcpyDeviceToHost, streams[k])) return 4;
        }
    return hipDeviceSynchronize() ? 3 : 0;
}
"#;

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn launches_that_meet_others_are_repeated() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("program-captures-meetings");
    let compiler = ["hipcc", "--offload-arch=gfx900", "-O2"];
    let program = build(&folder, "meetings.hip", MEETINGS, &compiler, &[]);
    let options = ["--gpu", "gfx900", "--capture", "caps"];
    let out = run(&folder, &options, &program, &[]);
    assert_eq!(out.code, Some(0), "{out:?}");
    let texts = [0, 16, 32, 48].map(|n| format!("item {n} has {:.1}\n", 0.5 * f64::from(n)));
    assert_eq!(out.stdout, texts.concat());
    let files = files(&folder.join("caps"));
    let of = |kernel: &str| {
        files
            .iter()
            .filter(|file| file.ends_with(&format!("-{kernel}.wtc")))
            .count()
    };
    assert_eq!((of("ring"), of("say"), of("add")), (1, 1, 6));
    for file in &files {
        for options in [
            "",
            "--engine interpreter",
            "--check=memory,race",
            "--minimize small.wtc",
        ] {
            let out = wavetank_in(&folder, &format!("launch caps/{file} {options}"));
            assert_eq!(out.code, Some(0), "{file} {options}: {out:?}");
            assert!(out.stderr.contains("all memory is as it was"), "{out:?}");
            let text = if file.ends_with("-say.wtc") {
                texts.concat()
            } else {
                String::new()
            };
            assert_eq!(out.stdout, text, "{file}");
        }
        let out = wavetank_in(&folder, "launch small.wtc");
        assert_eq!(out.code, Some(0), "{file}: {out:?}");
    }
    let file = files
        .iter()
        .find(|file| file.ends_with("-ring.wtc"))
        .expect("it is there");
    let out = wavetank_in(&folder, &format!("launch caps/{file} --export ring"));
    assert_eq!(out.code, Some(2), "{out:?}");
    assert!(
        out.stderr.contains("its work-groups wait for one another"),
        "{out:?}"
    );
    // The variable of the device is not an argument.
    let file = files
        .iter()
        .find(|file| file.ends_with("-add.wtc"))
        .expect("it is there");
    let out = wavetank_in(&folder, &format!("launch caps/{file} --export add"));
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stderr.contains("the global variables at 0x"), "{out:?}");
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn a_run_that_captures_nothing_says_so() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("program-captures-nothing");
    let compiler = ["hipcc", "--offload-arch=gfx900"];
    let program = build(&folder, "twice.hip", PROGRAM, &compiler, &[]);
    let nothing = "nothing is captured: none of the 3 launches of the program is one of";
    for (options, words) in [
        (
            ["--kernel", "thrice"],
            "--kernel thrice; its kernels are read, twice",
        ),
        (
            ["--launch", "4.."],
            "--launch 4..; its kernels are read, twice",
        ),
    ] {
        let options = [&["--gpu", "gfx900", "--capture", "caps"][..], &options].concat();
        let out = run(&folder, &options, &program, &[]);
        assert_eq!(out.code, Some(2), "{out:?}");
        assert!(
            out.stderr.contains(&format!("error: {nothing} {words}\n")),
            "{out:?}"
        );
        assert!(!folder.join("caps").exists());
    }
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
