//! Bundles, as Clang's bundler writes and reads them.

use std::path::{Path, PathBuf};
use std::process::Command;

use wavetank_object::{CompressionMethod, bundle, compress, unbundle};

use crate::common::tool;
use crate::containers::COMPRESSED;

const GFX900: &[u8] = include_bytes!("data/vecadd-gfx900.hsaco");
const GFX906: &[u8] = include_bytes!("data/reduce-gfx906.hsaco");

const ENTRIES: [(&str, &[u8]); 3] = [
    ("host-x86_64-unknown-linux--", b""),
    ("hipv4-amdgcn-amd-amdhsa--gfx900", GFX900),
    ("hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", GFX906),
];

/// A folder for a test's files, with the entries in it.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (n, (_, code)) in ENTRIES.iter().enumerate() {
        std::fs::write(folder.join(n.to_string()), code).expect("a file");
    }
    folder
}

/// The names of the entries, as a bundler expects them: from LLVM 18 on it ends the host's itself.
fn targets(bundler: &str) -> String {
    let names = ENTRIES.map(|(id, _)| {
        if bundler.ends_with("-15") {
            id
        } else {
            id.trim_end_matches("--")
        }
    });
    format!("-targets={}", names.join(","))
}

#[test]
fn bundles_are_as_clang_writes_them() {
    for name in ["clang-offload-bundler-15", "clang-offload-bundler-19"] {
        let Some(bundler) = tool(&[name]) else {
            continue;
        };
        let folder = folder("bundles_are_as_clang_writes_them");
        for align in [1, 8, 4096] {
            let mut command = Command::new(bundler);
            command
                .current_dir(&folder)
                .args(["-type=o", &targets(bundler), "-output=out"]);
            command.args((0..3).map(|n| format!("-input={n}")));
            command.arg(format!("-bundle-align={align}"));
            assert!(command.status().expect("it starts").success());
            let theirs = std::fs::read(folder.join("out")).expect("it writes");
            assert_eq!(
                bundle(&ENTRIES, align).expect("a bundle"),
                theirs,
                "{name} {align}"
            );
        }
    }
}

#[test]
fn clang_reads_what_is_compressed() {
    let Some(bundler) = tool(&["clang-offload-bundler-19"]) else {
        return;
    };
    let folder = folder("clang_reads_what_is_compressed");
    let open = bundle(&ENTRIES, 4096).expect("a bundle");
    for (method, version) in [
        (CompressionMethod::Zlib, 1),
        (CompressionMethod::Zlib, 2),
        (CompressionMethod::Zstd, 1),
        (CompressionMethod::Zstd, 2),
    ] {
        let packed = compress(&open, method, version).expect("it is compressed");
        std::fs::write(folder.join("packed"), packed).expect("a file");
        let mut command = Command::new(bundler);
        command.current_dir(&folder).args([
            "-unbundle",
            "-type=o",
            "-input=packed",
            &targets(bundler),
        ]);
        command.args((0..3).map(|n| format!("-output=out{n}")));
        assert!(command.status().expect("it starts").success());
        for (n, (id, code)) in ENTRIES.iter().enumerate() {
            let theirs = std::fs::read(folder.join(format!("out{n}"))).expect("it writes");
            assert!(theirs == *code, "{id} {method:?} {version}");
        }
    }
}

#[test]
fn what_is_compressed_is_unpacked() {
    let open = bundle(&ENTRIES, 4096).expect("a bundle");
    for method in [CompressionMethod::Zlib, CompressionMethod::Zstd] {
        for version in 1..=3 {
            let packed = compress(&open, method, version).expect("it is compressed");
            // They may follow each other with padding between.
            let two = [&packed[..], &[0; 5], &packed].concat();
            let entries = unbundle(&two).expect("it is unpacked");
            assert_eq!(entries.len(), 6);
            for (entry, (id, code)) in entries.iter().zip(ENTRIES.iter().cycle()) {
                assert!(entry.id == *id && entry.bytes == *code, "{id}");
            }
        }
    }
    let error = compress(&open, CompressionMethod::Zlib, 4).expect_err("no version");
    assert!(
        error.to_string().ends_with("in version 4, not 1 to 3"),
        "{error}"
    );
}

/// The shipped one is `clang-offload-bundler-19 -compress`.
#[test]
fn the_header_is_that_of_clang() {
    let entries = unbundle(COMPRESSED).expect("it is unpacked");
    let entries: Vec<(&str, &[u8])> = entries.iter().map(|e| (&e.id[..], &e.bytes[..])).collect();
    let open = bundle(&entries, 1).expect("a bundle");
    let ours = compress(&open, CompressionMethod::Zstd, 2).expect("it is compressed");
    assert_eq!(
        ours[..8],
        COMPRESSED[..8],
        "magic string, version and method"
    );
    assert_eq!(
        ours[12..24],
        COMPRESSED[12..24],
        "size and hash of what is compressed"
    );
}

#[test]
fn what_is_not_a_bundle_is_refused() {
    let twice = [("a", &b"1"[..]), ("a", b"2")];
    let error = bundle(&twice, 8).expect_err("a stands twice");
    assert_eq!(
        error.to_string(),
        "the offload bundle is damaged: it would have a twice"
    );
    let error = bundle(&ENTRIES, 12).expect_err("12 is not a power of two");
    assert!(
        error.to_string().contains("12 is not an alignment"),
        "{error}"
    );
    let plain = unbundle(GFX900).expect("a code object");
    assert_eq!((plain.len(), &plain[0].id[..]), (1, "gfx900"));
}
