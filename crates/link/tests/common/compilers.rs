//! What compilers make of kernels.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Folder, run};

/// Where Debian has the libraries that kernels are linked with.
const BITCODE: &str = "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

/// A kernel as a compiler prints it, with lines, if it can. In comments it shows bytes of data as they are.
pub(crate) fn printed(version: u32, chip: &str, level: &str, source: &Path) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let out = folder.path("out.s");
    let mut clang = Command::new(format!("clang-{version}"));
    if source.extension().is_some_and(|e| e == "hip") {
        clang.args([
            "-x",
            "hip",
            "--cuda-device-only",
            "--no-gpu-bundle-output",
            "-std=c++17",
        ]);
        clang
            .args(["--rocm-path=/usr", BITCODE, "-S"])
            .arg(format!("--offload-arch={chip}"));
    } else {
        clang.args([
            "-x",
            "cl",
            "-cl-std=CL2.0",
            "-target",
            "amdgcn-amd-amdhsa",
            BITCODE,
        ]);
        clang
            .args(["-Xclang", "-finclude-default-header", "-S"])
            .arg(format!("-mcpu={chip}"));
    };
    clang.args([level, "-g", "-o"]).arg(&out).arg(source);
    // Compilers crash on some kernels of some chips.
    if !clang.output().is_ok_and(|output| output.status.success()) {
        return None;
    }
    Some(fs::read(out).expect("the compiler writes"))
}

/// The object file that a compiler's own assembler makes of what it has printed.
pub(crate) fn assembled_by_clang(version: u32, chip: &str, text: &[u8]) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let (source, out) = (folder.path("out.s"), folder.path("out.o"));
    fs::write(&source, text).expect("a file is written");
    let mut clang = Command::new(format!("clang-{version}"));
    clang
        .args(["-target", "amdgcn-amd-amdhsa", "-c", "-o"])
        .arg(&out);
    run(clang.arg(format!("-mcpu={chip}")).arg(source), b"")?;
    Some(fs::read(out).expect("the compiler writes"))
}

/// The kernels of the shared data, or none, with a line that says so.
pub(crate) fn kernels() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("WAVETANK_SHARED").map_or(beside, PathBuf::from);
    let folders = ["kernels/cl", "kernels/hip"].map(|folder| shared.join(folder));
    let mut files = Vec::new();
    for folder in folders {
        match fs::read_dir(&folder) {
            Ok(entries) => files.extend(entries.map(|entry| entry.expect("an entry").path())),
            Err(_) => {
                assert!(
                    std::env::var_os("CI").is_none(),
                    "{} is absent",
                    folder.display()
                );
                eprintln!("SKIP {}: it is absent", folder.display());
            }
        }
    }
    files.sort();
    files
}
