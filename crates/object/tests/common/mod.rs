//! Finds the shipped code objects.

pub(crate) mod made;

use std::path::{Path, PathBuf};

/// The shared kernels, or `None` after one visible line where they are absent (an error under `CI=true`).
pub(crate) fn kernels() -> Option<PathBuf> {
    let shared = match std::env::var_os("WAVETANK_SHARED") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let kernels = shared.join("kernels");
    if kernels.is_dir() {
        return Some(kernels);
    }
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!ci, "{} is absent", kernels.display());
    eprintln!("SKIP: {} is absent", kernels.display());
    None
}

/// Every shipped code object, by path.
pub(crate) fn code_objects() -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(&kernels()?.join("co"), &mut found);
    found.sort();
    assert!(found.len() > 150, "only {} code objects", found.len());
    Some(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "hsaco") {
            found.push(path);
        }
    }
}

/// The first of these programs that can be started, or `None` after one visible line (an error under `CI=true`).
pub(crate) fn tool(names: &[&'static str]) -> Option<&'static str> {
    let starts = |name: &&&str| {
        let mut command = std::process::Command::new(name);
        command.arg("--version").output().is_ok()
    };
    let found = names.iter().find(starts).copied();
    if found.is_none() {
        let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(!ci, "{} is absent", names[0]);
        eprintln!("SKIP: {} is absent", names[0]);
    }
    found
}
