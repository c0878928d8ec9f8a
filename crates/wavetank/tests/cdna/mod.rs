//! Kernels compiled for CDNA (gfx908, gfx90a, gfx942): every code object, on both engines at every level of processor features,
//! against Rust.
//!
//! The sources are beside the code objects, `shared/kernels/cdna`.

mod atomics;
mod hostile;
mod layout;
mod plain_kernels;
mod products;
mod reference;
mod sparse;
mod start;
mod tools;

use std::path::PathBuf;

use wavetank::{Chip, Device, EngineChoice, Simd};

use crate::common::{Build, shared};

const CHIPS: &[Chip] = &[Chip::Gfx908, Chip::Gfx90a, Chip::Gfx942];

/// The kernels, and the chips for which each is compiled.
const KERNELS: [(&str, &[Chip]); 14] = [
    ("agpr_spill", CHIPS),
    ("dots", CHIPS),
    ("f64_atomics", CHIPS),
    ("ids_and_lds", CHIPS),
    ("mfma_bf16", CHIPS),
    ("mfma_broadcast", CHIPS),
    ("mfma_f16_gemm", CHIPS),
    ("mfma_f32_blocks", CHIPS),
    ("mfma_f32_gemm", CHIPS),
    ("mfma_f64", &[Chip::Gfx90a, Chip::Gfx942]),
    ("mfma_gfx942", &[Chip::Gfx942]),
    ("mfma_i8", CHIPS),
    ("pk_f32", CHIPS),
    ("scratch_stack", CHIPS),
];

/// The code objects, with their names; a visible line where there is none.
fn objects() -> Vec<(String, PathBuf)> {
    let folder = shared().map(|shared| shared.join("kernels/cdna/co"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        eprintln!("SKIP: the kernels of CDNA are absent (set WAVETANK_SHARED)");
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).expect("a folder of code objects");
    let path = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").path();
    let named = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), path)
    };
    let mut objects: Vec<_> = entries.map(path).map(named).collect();
    objects.sort();
    objects
}

/// Kernel and chip of `dots.gfx908.clang19.co`.
fn kernel_and_chip(file: &str) -> (&str, Chip) {
    let parts: Vec<&str> = file.split('.').collect();
    let [kernel, chip, _, "co"] = parts[..] else {
        panic!("{file} is not KERNEL.CHIP.COMPILER.co")
    };
    let known = Chip::EXECUTED.iter().find(|known| known.name() == chip);
    (
        kernel,
        *known.unwrap_or_else(|| panic!("{file} names no chip")),
    )
}

/// Hands every build of a kernel to a test: of each compiler, for each chip, on each engine and level.
fn each(kernel: &str, test: impl Fn(&Build)) {
    let objects = objects();
    let (_, chips) = KERNELS
        .iter()
        .find(|(name, _)| *name == kernel)
        .expect("a row");
    for chip in *chips {
        let of_chip = |file: &str| kernel_and_chip(file) == (kernel, *chip);
        let builds: Vec<_> = objects.iter().filter(|(file, _)| of_chip(file)).collect();
        assert!(
            objects.is_empty() || !builds.is_empty(),
            "there is no build of {kernel} for {chip}"
        );
        for (file, path) in builds {
            let bytes = std::fs::read(path).expect("a listed file can be read");
            for (engine, simd) in engines() {
                let label = format!("{file} ({engine}, {simd:?})");
                let builder = Device::builder(*chip)
                    .threads(2)
                    .engine(engine)
                    .simd(simd)
                    .strict(true);
                let device = builder.build().unwrap();
                let module = device
                    .load(&bytes)
                    .unwrap_or_else(|e| panic!("{label}: {e}"));
                test(&Build {
                    label,
                    device,
                    module,
                    bytes: bytes.clone(),
                });
            }
        }
    }
}

/// Both engines, at every level that this processor has.
fn engines() -> impl Iterator<Item = (EngineChoice, Simd)> {
    let levels = [Simd::Avx512, Simd::Avx2, Simd::Baseline];
    let present = levels.into_iter().filter(|simd| simd.or_best() == *simd);
    present.flat_map(|simd| {
        [EngineChoice::Interpreter, EngineChoice::Jit].map(|engine| (engine, simd))
    })
}

#[test]
fn every_code_object_has_a_row() {
    let objects = objects();
    for (file, _) in &objects {
        let (kernel, chip) = kernel_and_chip(file);
        let has_row = |(name, chips): &(&str, &[Chip])| *name == kernel && chips.contains(&chip);
        assert!(
            KERNELS.iter().any(has_row),
            "no test runs {kernel} on {chip}"
        );
    }
}

/// Compares results bit by bit; every NaN is as good as another.
#[track_caller]
fn same_floats(b: &Build, what: &str, got: &[f32], wanted: &[f32]) {
    assert_eq!(got.len(), wanted.len(), "{}: {what}", b.label);
    for (n, (g, w)) in got.iter().zip(wanted).enumerate() {
        let is_same = g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan();
        assert!(
            is_same,
            "{}: {what}: element {n} is {g:e} ({:08x}), not {w:e} ({:08x})",
            b.label,
            g.to_bits(),
            w.to_bits()
        );
    }
}
