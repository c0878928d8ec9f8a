//! Files to check, and what decides about them.

pub(crate) mod random;
pub(crate) mod slow;

use std::path::{Path, PathBuf};

/// The shared code objects. Without them, one line says so and there are none; in CI they must be there.
pub(crate) fn shared_objects() -> Vec<PathBuf> {
    objects_in("kernels/co")
}

/// The shared code objects of a folder.
pub(crate) fn objects_in(folder: &str) -> Vec<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("WAVETANK_SHARED").map_or_else(default, PathBuf::from);
    let mut found = Vec::new();
    collect(&shared.join(folder), &mut found);
    if found.is_empty() {
        assert!(
            std::env::var_os("CI").is_none(),
            "the shared kernels are absent"
        );
        eprintln!("SKIP shared kernels: they are absent (set WAVETANK_SHARED)");
    }
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|e| e == "co" || e == "hsaco") {
            found.push(path);
        }
    }
}
