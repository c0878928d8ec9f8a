//! The cost of a launch of one wave, beside that from Python (`python/benches/launches.py`).
//!
//! `cargo run --release --package wavetank --example launches`

use std::time::Instant;

use wavetank::{Chip, Device};

fn main() -> Result<(), wavetank::Error> {
    let device = Device::builder(Chip::Gfx900).threads(1).build()?;
    let module = device.load(include_bytes!("../tests/data/blank-gfx900.hsaco"))?;
    let kernel = module.kernel("blank")?;
    for count in [false, true] {
        let mut times = Vec::new();
        for _ in 0..20_000 {
            let start = Instant::now();
            kernel.dispatch().grid(64).block(64).count(count).run()?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let median = times[times.len() / 2].as_secs_f64() * 1e6;
        println!("a launch of one wave, count={count}: {median:.1} us (median)");
    }
    Ok(())
}
