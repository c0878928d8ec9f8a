//! Finding the shared code objects, and making inputs.

pub(crate) mod bench;

use std::path::{Path, PathBuf};

use wavetank::{Arg, Chip, Device, Dims, Module, Report};

/// Where the shared kernels are: `WAVETANK_SHARED`, or `../shared` from the repository's root.
pub(crate) fn shared() -> Option<PathBuf> {
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
pub(crate) struct Build {
    pub label: String,
    pub device: Device,
    pub module: Module,
    /// The code object.
    pub bytes: Vec<u8>,
}

/// Loads every build of a file of kernels, of each compiler and for each chip, and hands it to a test; a visible line where
/// there is none.
pub(crate) fn each(name: &str, test: impl Fn(&Build)) {
    let Some(shared) = shared() else {
        eprintln!("SKIP {name}: the shared kernels are absent (set WAVETANK_SHARED)");
        return;
    };
    // More builds, as `.ci/kernels` makes them.
    let more = std::env::var_os("WAVETANK_KERNELS").map(PathBuf::from);
    let roots: Vec<PathBuf> = [shared.join("kernels/co")]
        .into_iter()
        .chain(more)
        .collect();
    let all = roots
        .iter()
        .flat_map(|root| files(root).map(move |path| (root, path)));
    let builds: Vec<_> = all.filter(|(_, path)| is_build(path, name)).collect();
    for (root, path) in &builds {
        let below = path.strip_prefix(root).expect("it is below");
        let label = below.display().to_string();
        let named = |chip: &&Chip| label.contains(chip.name());
        let chip = Chip::EXECUTED.iter().find(named);
        let chip = chip.unwrap_or_else(|| panic!("{label} names no chip"));
        let bytes = std::fs::read(path).expect("a listed file can be read");
        let device = Device::builder(*chip).threads(2).build().unwrap();
        let module = device
            .load(&bytes)
            .unwrap_or_else(|e| panic!("{label}: {e}"));
        test(&Build {
            label,
            device,
            module,
            bytes,
        });
    }
    assert!(!builds.is_empty(), "there is no build of {name}");
}

/// The files of a folder and of those in it, in order.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of kernels");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.into_iter().flat_map(|path| {
        if path.is_dir() {
            files(&path).collect::<Vec<_>>()
        } else {
            vec![path]
        }
    })
}

/// Whether a file is a build of `name`: `name.hsaco`, or `name_gfx900.hsaco`.
fn is_build(path: &Path, name: &str) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let rest = stem.and_then(|stem| stem.strip_prefix(name));
    path.extension().is_some_and(|end| end == "hsaco")
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("_gfx"))
}

impl Build {
    /// Runs a kernel to its end.
    pub(crate) fn run(
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
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// From `low` up to `high`.
    pub(crate) fn f64(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn f32(&mut self, low: f32, high: f32) -> f32 {
        self.f64(low.into(), high.into()) as f32
    }

    pub(crate) fn many<T>(&mut self, n: usize, f: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..n).map(|_| f(self)).collect()
    }
}

/// Whether values agree within a relative and an absolute difference.
#[track_caller]
pub(crate) fn close(label: &str, got: &[f64], wanted: &[f64], relative: f64, absolute: f64) {
    assert_eq!(got.len(), wanted.len());
    for (n, (g, w)) in got.iter().zip(wanted).enumerate() {
        let fits = (g - w).abs() <= absolute + relative * w.abs() || (g.is_nan() && w.is_nan());
        assert!(fits, "{label}: element {n} is {g}, not {w}");
    }
}

pub(crate) fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}
