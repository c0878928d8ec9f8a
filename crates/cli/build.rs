//! With the feature `embed`, builds the runtime library, and puts it into the command: `cargo install` installs programs
//! alone, and `wavetank run` needs the library.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let out = variable("OUT_DIR");
    let text = match env::var_os("CARGO_FEATURE_EMBED") {
        None => "None".to_owned(),
        Some(_) => {
            let crates = variable("CARGO_MANIFEST_DIR").join("..");
            println!("cargo:rerun-if-changed={}", crates.display());
            let library = library(&crates.join("hsa"), &out.join("library"));
            let bytes = fs::read(&library).expect("it was built");
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            format!(
                "Some((\"{:016x}\", include_bytes!({library:?})))",
                hasher.finish()
            )
        }
    };
    fs::write(out.join("embedded.rs"), text).expect("cargo made the folder");
}

/// Builds the library in a folder of its own: the one of this build is locked.
fn library(package: &Path, target: &Path) -> PathBuf {
    let profile = env::var("PROFILE").expect("cargo sets it");
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    cargo
        .arg("build")
        .arg("--manifest-path")
        .arg(package.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(target);
    if profile == "release" {
        cargo.arg("--release");
    }
    // It is compiled, whatever is done with the command.
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER");
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "the runtime library is not built");
    target.join(profile).join("libhsa_runtime64.so")
}
