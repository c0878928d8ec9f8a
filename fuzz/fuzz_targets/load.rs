//! Any bytes as a file of kernels: refused in a sentence, or loaded, and then every kernel is launched. Lines of source are
//! told where it has some.

#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use wavetank::object::Lines;
use wavetank::{Arg, Chip, Device};

static DEVICE: LazyLock<Device> = LazyLock::new(|| {
    let device = Device::builder(Chip::Gfx900).threads(1).build();
    device.expect("an emulated chip")
});

/// Images above this are loaded in other tests: they would only cost time here.
const MOST: u64 = 16 << 20;

fuzz_target!(|data: &[u8]| {
    let _ = wavetank::object::targets(data);
    if let Ok(object) = wavetank::object::open(data, Some("gfx900")) {
        if object.image_size() > MOST {
            return;
        }
        if let Some(lines) = Lines::of(&object) {
            for kernel in object.kernels().iter().take(4) {
                let _ = lines.at(kernel.entry).to_string();
            }
        }
    }
    let module = match DEVICE.load(data) {
        Ok(module) => module,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for kernel in module.kernels().take(4) {
        let Ok(buffer) = DEVICE.buffer_zeroed(4096) else {
            return;
        };
        let args = kernel
            .args()
            .into_iter()
            .map(|param| match (param.kind.as_str(), param.size) {
                ("dynamic_shared_pointer", _) => Arg::Lds(1024),
                ("by_value", n) => Arg::Bytes(vec![3; n as usize]),
                _ => Arg::from(&buffer),
            });
        let dispatch = kernel.dispatch().grid(100).block(64).args(args);
        if let Err(error) = dispatch.timeout(Duration::from_millis(10)).run() {
            assert!(!error.to_string().is_empty());
        }
    }
});
