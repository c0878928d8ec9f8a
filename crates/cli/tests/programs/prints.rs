//! What kernels print, under `wavetank launch`: `printf` and `assert` of HIP, which ask the host.

use super::build::Toolchain;
use super::run::build;
use crate::common::{directory, wavetank_in};

const PRINTS: &str = r#"
#include <hip/hip_runtime.h>
#include <cassert>
__global__ void say(int *out, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    const char *where = item < 64 ? "first" : "second";
    if (item < n) printf("%3d of the %s group: %.2f %c%%\n", item, where, item * 0.5, 'a' + item % 26);
    out[item] = printf("") + item;
}
__global__ void claim(int *out) {
    assert(out[threadIdx.x] == 0 || threadIdx.x != 5);
    out[threadIdx.x] = 1;
}
"#;

#[test]
#[ignore = "builds a kernel with a compiler that must be installed"]
fn kernels_print() {
    if !Toolchain::HIP.is_here() {
        return;
    }
    let folder = directory("prints");
    let compiler = ["hipcc", "--genco", "-O2", "--offload-arch=gfx906"];
    let code = build(&folder, "prints.hip", PRINTS, &compiler, &[]);
    let launch = |words: &str| wavetank_in(&folder, &format!("launch {} {words}", code.display()));
    let line = |n: u8| {
        let group = if n < 64 { "first" } else { "second" };
        let (half, letter) = (f64::from(n) * 0.5, char::from(b'a' + n % 26));
        format!("{n:3} of the {group} group: {half:.2} {letter}%\n")
    };
    let expected: String = (0..70).map(line).collect();
    for engine in ["auto", "interpreter", "jit"] {
        let say = format!(
            "say --gpu gfx906 --engine {engine} --threads 1 --grid 128 --block 64 --arg out:o.npy:i32:128 --arg i32:70"
        );
        for words in [say.clone(), format!("{say} --check")] {
            let out = launch(&words);
            assert_eq!((out.code, &out.stdout), (Some(0), &expected), "{out:?}");
        }
    }
    // Lane 5 has a 5 there.
    let out = launch("claim --gpu gfx906 --grid 64 --block 64 --arg iota:i32:64");
    assert_eq!((out.code, out.stdout.as_str()), (Some(1), ""), "{out:?}");
    let said = "prints.hip:11: void claim(int *): Device-side assertion `out[threadIdx.x] == 0 || threadIdx.x != 5' failed.\n";
    assert_eq!(out.stderr.matches(said).count(), 1, "{out:?}");
    assert!(
        out.stderr.contains("hit trap 2 (abort, a failed assertion"),
        "{out:?}"
    );
}
