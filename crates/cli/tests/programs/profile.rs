//! Profiles of HIP programs whose counts follow from their sources.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::build::Toolchain;
use super::execution::build_library;
use super::run::build;
use crate::common::{Outcome, directory, outcome};

/// One wave a kernel, each known by what it does to memory or to its lanes. The end is chosen by the argument.
const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
__global__ void strided(const int *x, int *y) { y[threadIdx.x] = x[threadIdx.x * 32]; }
__global__ void banks(int *y, int k) {
    __shared__ int row[64 * 32];
    row[threadIdx.x * k] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = row[threadIdx.x * k];
}
__global__ void parted(int *y) { if (threadIdx.x < 8) y[threadIdx.x] = 1; }
__global__ void sums(int *y) { atomicAdd(&y[threadIdx.x & 3], (int)threadIdx.x); }
__global__ void read(const int *v, int *to) { *to = *v; }
int main(int argc, char **argv) {
    int end = atoi(argv[1]), status;
    if (end == 3 && fork() == 0) end = 4;
    int *x, *y;
    if (hipMalloc(&x, 1 << 14) || hipMalloc(&y, 1 << 10)) return 9;
    strided<<<1, 64>>>(x, y);
    banks<<<1, 64>>>(y, 32);
    parted<<<1, 64>>>(y);
    sums<<<1, 64>>>(y);
    if (hipDeviceSynchronize()) return 8;
    if (end == 1) { usleep(100000); strided<<<1, 64>>>(x, y); if (hipDeviceSynchronize()) return 7; _exit(0); }
    if (end == 2) { read<<<1, 1>>>(nullptr, y); return hipDeviceSynchronize() ? 6 : 5; }
    if (end == 3) wait(&status);
    return 0;
}
"#;

const COMPILER: [&str; 3] = ["hipcc", "--offload-arch=gfx900", "-O2"];

fn profile(folder: &Path, program: &Path, end: &str) -> (Outcome, Value) {
    build_library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.args(["profile", "-o", "report", "--"]);
    let outcome = outcome(command.arg(program).arg(end).current_dir(folder));
    let text = std::fs::read_to_string(folder.join("report/profile.json"));
    let profile = text.expect("there is a profile");
    (outcome, serde_json::from_str(&profile).expect("JSON"))
}

/// The kernels of a name.
fn kernels<'p>(profile: &'p Value, name: &str) -> Vec<&'p Value> {
    let kernels = profile["kernels"].as_array().expect("kernels");
    let named = |kernel: &&Value| kernel["name"].as_str().expect("a name").starts_with(name);
    kernels.iter().filter(named).collect()
}

/// A count of the accesses of a kernel to a memory of a kind.
fn count(kernel: &Value, space: &str, kind: &str, what: &str) -> u64 {
    let instructions = kernel["instructions"]
        .as_array()
        .expect("instructions")
        .iter();
    let memory = instructions.filter_map(|instruction| instruction["memory"].as_array());
    let of_it = memory
        .flatten()
        .filter(|m| m["space"] == space && m["kind"] == kind);
    of_it.map(|m| m[what].as_u64().expect("a count")).sum()
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn counts_are_those_of_the_source() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("program-profile");
    let program = build(&folder, "profiled.hip", PROGRAM, &COMPILER, &[]);
    let (outcome, profile) = profile(&folder, &program, "0");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let one = |name: &str| match kernels(&profile, name)[..] {
        [kernel] => kernel,
        _ => panic!("one kernel {name}"),
    };
    // 64 dwords, each in another line of 128 bytes; they are stored side by side.
    let strided = one("strided");
    let of = |kind, what| count(strided, "global", kind, what);
    assert_eq!((of("load", "lines_64"), of("load", "lines_128")), (64, 64));
    assert_eq!(
        (of("load", "least_lines_64"), of("load", "bytes")),
        (4, 256)
    );
    assert_eq!((of("store", "lines_64"), of("store", "lines_128")), (4, 2));
    // All lanes in one bank, 32 at a time.
    let of = |kind, what| count(one("banks"), "lds", kind, what);
    for kind in ["load", "store"] {
        assert_eq!(
            (of(kind, "bank_cycles"), of(kind, "least_bank_cycles")),
            (64, 2)
        );
    }
    // Eight lanes take the branch.
    let parted = one("parted")["instructions"]
        .as_array()
        .expect("instructions");
    let parts = parted.iter().filter_map(|i| i["parts"].as_u64());
    assert_eq!(parts.sum::<u64>(), 1);
    assert_eq!(count(one("parted"), "global", "store", "lanes"), 8);
    // Four places for 64 lanes.
    assert_eq!(count(one("sums"), "global", "atomic", "collisions"), 60);
    for kernel in ["strided", "banks", "parted", "sums"].map(one) {
        assert_eq!(
            (&kernel["launches"], &kernel["waves"]),
            (&1.into(), &1.into())
        );
    }
}

#[test]
#[ignore = "builds programs with compilers that must be installed"]
fn programs_that_end_early_have_a_profile() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("program-profile-ends");
    let program = build(&folder, "profiled.hip", PROGRAM, &COMPILER, &[]);
    // By `_exit`, after a pause.
    let (_, exited) = profile(&folder, &program, "1");
    assert_eq!(kernels(&exited, "strided")[0]["launches"], 2);
    // By a fault of the last kernel.
    let (_, failed) = profile(&folder, &program, "2");
    let [kernel] = kernels(&failed, "read")[..] else {
        panic!("one kernel");
    };
    assert_eq!(
        (&kernel["failed"], &kernel["waves"]),
        (&1.into(), &1.into())
    );
    // Two processes.
    let (_, both) = profile(&folder, &program, "3");
    assert_eq!(kernels(&both, "strided").len(), 2);
}
