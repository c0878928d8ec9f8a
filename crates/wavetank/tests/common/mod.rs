//! Finding the shared code objects, and making inputs.

use std::path::PathBuf;

use wavetank::{Arg, Chip, Device, Dims, Module, Report};

/// Where the shared kernels are: `WAVETANK_SHARED`, or `../shared` from the repository's root.
fn shared() -> Option<PathBuf> {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let shared = std::env::var_os("WAVETANK_SHARED").map_or_else(default, PathBuf::from);
    let found = shared.join("kernels/co").is_dir();
    assert!(
        found || std::env::var_os("CI").is_none_or(|v| v != "true"),
        "shared kernels are absent"
    );
    found.then_some(shared)
}

/// A loaded module of one of the compilers.
pub struct Build {
    pub label: String,
    pub device: Device,
    pub module: Module,
}

/// Loads every gfx900 and gfx906 build of a file of kernels and hands it to a test; a visible line where there is none.
pub fn each(name: &str, test: impl Fn(&Build)) {
    let Some(shared) = shared() else {
        eprintln!("SKIP {name}: the shared kernels are absent (set WAVETANK_SHARED)");
        return;
    };
    let mut found = 0;
    for directory in [
        "bench",
        "clang15-cov2/gfx900",
        "clang15-cov3/gfx900",
        "clang15-cov4/gfx900",
        "clang15-cov4/gfx906",
        "clang19-cov5/gfx900",
        "clang19-cov5/gfx906",
        "clang19-cov6/gfx900",
        "hip/gfx900",
        "hip/gfx906",
    ] {
        for file in [
            format!("{name}.hsaco"),
            format!("{name}_gfx900.hsaco"),
            format!("{name}_gfx906.hsaco"),
        ] {
            let path = shared.join("kernels/co").join(directory).join(&file);
            let Ok(bytes) = std::fs::read(&path) else {
                continue;
            };
            let label = format!("{directory}/{file}");
            let chip = if label.contains("gfx906") {
                Chip::Gfx906
            } else {
                Chip::Gfx900
            };
            let device = Device::builder(chip).threads(2).build().unwrap();
            let module = device
                .load(&bytes)
                .unwrap_or_else(|e| panic!("{label}: {e}"));
            test(&Build {
                label,
                device,
                module,
            });
            found += 1;
        }
    }
    assert!(found > 0, "there is no build of {name}");
}

impl Build {
    /// Runs a kernel to its end.
    pub fn run(
        &self,
        kernel: &str,
        grid: impl Into<Dims>,
        block: impl Into<Dims>,
        args: Vec<Arg>,
    ) -> Report {
        let kernel = self.module.kernel(kernel).unwrap();
        let limit = std::time::Duration::from_secs(60);
        let dispatch = kernel
            .dispatch()
            .grid(grid)
            .block(block)
            .args(args)
            .timeout(limit);
        dispatch
            .run()
            .unwrap_or_else(|e| panic!("{}: {e}", self.label))
    }
}

/// Arguments of different types in one list.
#[macro_export]
macro_rules! args {
    ($($arg:expr),* $(,)?) => { vec![$(wavetank::Arg::from($arg)),*] };
}

/// A small generator of repeatable numbers (xorshift, Marsaglia 2003).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// From `low` up to `high`.
    pub fn f64(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn f32(&mut self, low: f32, high: f32) -> f32 {
        self.f64(low.into(), high.into()) as f32
    }

    pub fn many<T>(&mut self, n: usize, f: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..n).map(|_| f(self)).collect()
    }
}

/// Whether values agree within a relative and an absolute difference.
#[track_caller]
pub fn close(label: &str, got: &[f64], wanted: &[f64], relative: f64, absolute: f64) {
    assert_eq!(got.len(), wanted.len());
    for (n, (g, w)) in got.iter().zip(wanted).enumerate() {
        let fits = (g - w).abs() <= absolute + relative * w.abs() || (g.is_nan() && w.is_nan());
        assert!(fits, "{label}: element {n} is {g}, not {w}");
    }
}

pub fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}
