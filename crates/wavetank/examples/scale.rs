//! Runs a kernel on a buffer: the program of `docs/tutorials/rust-library.md`.
//!
//! `cargo run --package wavetank --example scale scale.co`

use wavetank::{Chip, Device};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).unwrap_or("scale.co".to_owned());
    let device = Device::new(Chip::Gfx900)?;
    let module = device.load(&std::fs::read(file)?)?;
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0].repeat(64))?;
    let kernel = module.kernel("scale")?;
    kernel
        .dispatch()
        .grid(256)
        .block(64)
        .arg(&x)
        .arg(0.5f32)
        .run()?;
    println!("{:?}", &x.read::<f32>()?[..4]);
    Ok(())
}
