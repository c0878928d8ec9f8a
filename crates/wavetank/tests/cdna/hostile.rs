//! Damaged code with accumulation registers and matrix instructions: whatever it does, it ends in a result or a sentence.

use std::time::Duration;

use wavetank::Arg;

use super::{KERNELS, each};
use crate::common::Numbers;

#[test]
fn flipped_code_runs_or_fails_in_words() {
    for (name, _) in KERNELS {
        each(name, |b| {
            let original = b.module.object().bytes();
            let segments = b.module.object().segments();
            let code = segments.iter().find(|s| s.executable).unwrap();
            // All engines and levels get the same.
            let mut numbers = Numbers::new(140);
            for _ in 0..12 {
                let mut bytes = original.to_vec();
                for _ in 0..1 + numbers.u32() % 3 {
                    let bit = 8 * code.file_offset + numbers.u64() % (8 * code.file_size);
                    bytes[bit as usize / 8] ^= 1 << (bit % 8);
                }
                let Ok(module) = b.device.load(&bytes) else {
                    continue;
                };
                let kernel = module.kernel(name).unwrap();
                let buffer = b.device.buffer_zeroed(1 << 17).unwrap();
                let args = kernel.args().into_iter().map(|param| {
                    match (param.kind.as_str(), param.size) {
                        ("dynamic_shared_pointer", _) => Arg::Lds(1024),
                        ("by_value", n) => Arg::Bytes(vec![3; n as usize]),
                        _ => Arg::from(&buffer),
                    }
                });
                let dispatch = kernel.dispatch().grid(64).block(64).args(args);
                if let Err(error) = dispatch.timeout(Duration::from_millis(20)).run() {
                    assert!(!error.to_string().is_empty());
                }
            }
        });
    }
}
