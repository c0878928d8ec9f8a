//! Gives the shared library its name: with the version of its interface, so that a program gets the one it was linked with.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Other systems have other linkers and no versions in names: there the library is linked by its file.
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        let major = env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libwavetank.so.{major}");
    }
}
