//! With the feature `embed`, builds the runtime library, and puts it into the command: `cargo install` installs programs
//! alone, and `wavetank run` needs the library. Who has built it already names the file in `WAVETANK_EMBED`.

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
    // Other hosts have no such library.
    let is_for_linux = env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "linux");
    let text = match env::var_os("CARGO_FEATURE_EMBED") {
        Some(_) if is_for_linux => {
            println!("cargo:rerun-if-env-changed=WAVETANK_EMBED");
            let library = match env::var_os("WAVETANK_EMBED") {
                Some(built) => built.into(),
                None => {
                    let crates = variable("CARGO_MANIFEST_DIR").join("..");
                    println!("cargo:rerun-if-changed={}", crates.display());
                    library(&crates.join("hsa"), &out.join("library"))
                }
            };
            println!("cargo:rerun-if-changed={}", library.display());
            let bytes = fs::read(&library)
                .unwrap_or_else(|error| panic!("cannot read {}: {error}", library.display()));
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            format!(
                "Some((\"{:016x}\", include_bytes!({library:?})))",
                hasher.finish()
            )
        }
        _ => "None".to_owned(),
    };
    fs::write(out.join("embedded.rs"), text).expect("cargo made the folder");
}

/// Builds the library in a folder of its own: the one of this build is locked.
fn library(package: &Path, target: &Path) -> PathBuf {
    assert!(
        package.is_dir(),
        "the feature `embed` needs the library's sources beside this crate, as the repository has them; or name a built \
         libhsa_runtime64.so in WAVETANK_EMBED"
    );
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
