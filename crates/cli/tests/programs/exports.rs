//! The functions that the runtime library has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::execution;

/// The library that ours stands in for, as the system has it.
const MODEL: &str = "/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1";

/// The functions of the interface that a library exports.
fn exports(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library)
        .output();
    let output = output.expect("binutils are here, as with every compiler");
    assert!(output.status.success(), "{}", library.display());
    let text = String::from_utf8(output.stdout).expect("names are ASCII");
    let names = text.lines().filter_map(|line| line.split(' ').next_back());
    let names = names.map(|name| name.split('@').next().unwrap_or(name).to_owned());
    names.filter(|name| name.starts_with("hsa_")).collect()
}

/// A program that is linked with the system's library finds each of its functions in ours.
#[test]
#[ignore = "needs the system's runtime library"]
fn the_library_has_every_function_of_its_model() {
    if !Path::new(MODEL).exists() {
        eprintln!("SKIP the functions of the runtime library: {MODEL} is absent");
        return;
    }
    execution::build_library();
    let beside = Path::new(env!("CARGO_BIN_EXE_wavetank")).parent();
    let ours: PathBuf = beside
        .expect("a file has a folder")
        .join("libhsa_runtime64.so");
    let (model, ours) = (exports(Path::new(MODEL)), exports(&ours));
    assert!(model.len() > 200, "{MODEL} has {} functions", model.len());
    let missing: Vec<_> = model.difference(&ours).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
}
