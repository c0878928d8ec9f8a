//! Damaged code objects: whatever they do, they end in a result or a sentence.

use std::time::Duration;

use crate::common::{Numbers, each};
use wavetank::Arg;

/// Every shared file of kernels, whatever it needs.
const FILES: [&str; 27] = [
    "aes",
    "atomics",
    "bench",
    "bitonic",
    "coop",
    "fft",
    "half",
    "histogram",
    "image",
    "int8dot",
    "mandel",
    "math",
    "misc",
    "nbody",
    "prim",
    "printf",
    "reduce",
    "scan",
    "sgemm",
    "sha256",
    "spmv",
    "stencil",
    "subgroup",
    "suite",
    "tex",
    "transpose",
    "vecadd",
];

/// Damaged copies of each build: a few, where `.ci/kernels` brings hundreds of builds.
fn rounds() -> u64 {
    match std::env::var_os("WAVETANK_KERNELS") {
        None => 40,
        Some(_) => 4,
    }
}

#[test]
fn flipped_code_runs_or_fails_in_words() {
    for name in FILES {
        each(name, |b| {
            let mut numbers = Numbers::new(90);
            let original = b.module.object().bytes();
            for round in 0..rounds() {
                let mut bytes = original.to_vec();
                // Every other flip is in the code.
                let code = b
                    .module
                    .object()
                    .segments()
                    .iter()
                    .find(|s| s.executable)
                    .unwrap();
                let bit = match round % 2 {
                    0 => numbers.u64() % (8 * bytes.len() as u64),
                    _ => 8 * code.file_offset + numbers.u64() % (8 * code.file_size),
                } as usize;
                bytes[bit / 8] ^= 1 << (bit % 8);
                let Ok(module) = b.device.load(&bytes) else {
                    continue;
                };
                for kernel in module.kernels() {
                    let buffer = b.device.buffer_zeroed(4096).unwrap();
                    let args = kernel.args().into_iter().map(|param| {
                        match (param.kind.as_str(), param.size) {
                            ("dynamic_shared_pointer", _) => Arg::Lds(1024),
                            ("by_value", n) => Arg::Bytes(vec![3; n as usize]),
                            _ => Arg::from(&buffer),
                        }
                    });
                    let dispatch = kernel.dispatch().grid(100).block(64).args(args);
                    // Only that it comes back matters; most errors are faults.
                    if let Err(error) = dispatch.timeout(Duration::from_millis(20)).run() {
                        assert!(!error.to_string().is_empty());
                    }
                }
            }
        });
    }
}
