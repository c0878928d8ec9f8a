//! Data shared by all tests, found by `WAVETANK_SHARED` or beside the
//! repository.

use std::path::{Path, PathBuf};

/// The files with an extension anywhere under a folder of the shared data, or
/// `None` with a visible line when there is no such data.
///
/// # Panics
/// Without the data when `CI=true`: there they must not be skipped.
pub(crate) fn files(folder: &str, extension: &str) -> Option<Vec<PathBuf>> {
    let root = match std::env::var_os("WAVETANK_SHARED") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let mut found = Vec::new();
    collect(&root.join(folder), extension, &mut found);
    found.sort();
    if !found.is_empty() {
        return Some(found);
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "no {extension} files in {folder}: set WAVETANK_SHARED to the shared data"
    );
    eprintln!("SKIP {folder}: set WAVETANK_SHARED to the shared data");
    None
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}
