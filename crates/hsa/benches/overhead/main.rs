//! What a HIP program pays for the runtime library, beside what it would pay without: `cargo bench -p wavetank-hsa`.
//!
//! The same vector addition is launched by the library `wavetank` from the same program file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use wavetank::{Chip, Device};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Elements of the vector addition.
const N: usize = 16 << 20;

fn main() {
    if let Err(error) = run() {
        eprintln!("SKIP the overhead of the runtime: {error}");
    }
}

fn run() -> Result<()> {
    let program = compile()?;
    let library = library()?;
    let output = Command::new(&program)
        .env("LD_PRELOAD", &library)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let figures: HashMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let figure = |name: &str| {
        figures
            .get(name)
            .copied()
            .ok_or(format!("{name} is missing"))
    };
    let direct = launch(&program)?.as_secs_f64() * 1e6;
    let (memcpy, vadd) = (figure("memcpy_us")?, figure("vadd_us")?);
    println!(
        "empty kernel, launch to synchronized: {:.1} µs median",
        figure("empty_us")?
    );
    for waves in [1, 4, 16] {
        println!(
            "empty kernel, a work-group of {waves} waves, of 20,000 launches: {:.1} µs of processor time",
            figure(&format!("waves_{waves}_us"))?
        );
    }
    for (name, key) in [
        ("to the device", "to_device_us"),
        ("to the host", "to_host_us"),
    ] {
        let time = figure(key)?;
        println!(
            "hipMemcpy of 256 MB {name}: {:.1} ms, {:.2} of memcpy's speed",
            time / 1e3,
            memcpy / time
        );
    }
    println!(
        "vector addition of 64 MB: {:.1} ms in HIP, {:.1} ms launched directly, ratio {:.2}",
        vadd / 1e3,
        direct / 1e3,
        vadd / direct
    );
    Ok(())
}

fn compile() -> Result<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/overhead/overhead.hip");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overhead");
    let compiler = Command::new("hipcc")
        .args(["--offload-arch=gfx900", "-O2", source, "-o"])
        .arg(&program)
        .output()?;
    if compiler.status.success() {
        Ok(program)
    } else {
        Err(String::from_utf8_lossy(&compiler.stderr).into())
    }
}

/// The library of this build: two folders above the benchmark itself.
fn library() -> Result<PathBuf> {
    let exe = std::env::current_exe()?;
    let folder = exe
        .ancestors()
        .nth(2)
        .ok_or("the benchmark has no folder")?;
    let library = folder.join("libhsa_runtime64.so");
    if library.is_file() {
        Ok(library)
    } else {
        Err(format!("{} is not built: cargo build --release", library.display()).into())
    }
}

/// The median time of the same kernel without a runtime.
fn launch(program: &Path) -> Result<Duration> {
    let device = Device::new(Chip::Gfx900)?;
    let module = device.load(&std::fs::read(program)?)?;
    let kernel = module.kernels().find(|k| k.name().contains("vadd"));
    let kernel = kernel.ok_or("the program has no kernel vadd")?;
    let buffers = [0; 3].map(|_: i32| device.buffer_from(&vec![0f32; N]));
    let [a, b, c] = buffers;
    let (a, b, c) = (a?, b?, c?);
    let mut times = Vec::new();
    for _ in 0..6 {
        let start = Instant::now();
        let dispatch = kernel.dispatch().grid(N as u32).block(256);
        dispatch.arg(&a).arg(&b).arg(&c).run()?;
        times.push(start.elapsed());
    }
    times.remove(0);
    times.sort();
    Ok(times[times.len() / 2])
}
