//! Gives the library the names and the symbol versions of the one it stands in for.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let map = folder.join("rocr.map");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", map.display());
    println!(
        "cargo:rustc-cdylib-link-arg=-Wl,--version-script={}",
        map.display()
    );
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhsa-runtime64.so.1");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    if let Some(profile) = out.ancestors().nth(3) {
        name_library(&profile.join("hsa"));
    }
}

/// A folder beside the built library where it has the names that programs look for: what `wavetank run` and
/// `LD_LIBRARY_PATH` need. Without it `wavetank run` still finds the library by its soname.
fn name_library(folder: &Path) {
    if fs::create_dir_all(folder).is_err() {
        return;
    }
    for name in ["libhsa-runtime64.so.1", "libhsa-runtime64.so"] {
        // It may be there from the last build.
        let _ = symlink("../libhsa_runtime64.so", folder.join(name));
    }
}
