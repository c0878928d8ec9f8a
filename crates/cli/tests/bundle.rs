//! `wavetank bundle` and `wavetank unbundle`.

use std::path::Path;

use crate::common::{REDUCE, VECADD, directory, wavetank, wavetank_in};

fn same(folder: &Path, file: &str, expected: &str) {
    let read =
        |path: &Path| std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(
        read(&folder.join(file)) == read(Path::new(expected)),
        "{file}"
    );
}

#[test]
fn what_is_bundled_is_taken_apart() {
    for (n, options) in [
        "",
        "--compress zstd",
        "--compress zlib --format 1",
        "--compress zstd --format 3 --align 1",
    ]
    .iter()
    .enumerate()
    {
        let folder = directory(&format!("what_is_bundled_is_taken_apart_{n}"));
        wavetank_in(
            &folder,
            &format!("bundle {options} -o k.hipfb {VECADD} {REDUCE}"),
        )
        .success();
        let list = wavetank_in(&folder, "unbundle --list k.hipfb").success();
        let names: Vec<_> = list.lines().map(|line| &line[11..]).collect();
        assert_eq!(
            names,
            [
                "host-x86_64-unknown-linux--",
                "hipv4-amdgcn-amd-amdhsa--gfx900",
                "hipv4-amdgcn-amd-amdhsa--gfx906"
            ]
        );
        assert_eq!(
            wavetank_in(&folder, "unbundle k.hipfb -o parts").success(),
            ""
        );
        same(&folder, "parts/k-gfx900.hsaco", VECADD);
        same(&folder, "parts/k-gfx906.hsaco", REDUCE);
        assert_eq!(
            std::fs::read_dir(folder.join("parts"))
                .expect("a folder")
                .count(),
            2
        );
        wavetank_in(&folder, "unbundle k.hipfb --gpu vega20:xnack- -o one").success();
        same(&folder, "one", REDUCE);
        // Every command reads it.
        let info = wavetank_in(&folder, "info k.hipfb").success();
        assert!(
            info.contains("vecadd") && info.contains("reduce_sum"),
            "{info}"
        );
    }
}

#[test]
fn entries_have_names_of_their_own() {
    let folder = directory("entries_have_names_of_their_own");
    let words = format!(
        "bundle --no-host --kind hip -o k {VECADD} openmp-x--gfx906={REDUCE} data={VECADD}"
    );
    wavetank_in(&folder, &words).success();
    let list = wavetank_in(&folder, "unbundle --list k").success();
    let names: Vec<_> = list.lines().map(|line| &line[11..]).collect();
    assert_eq!(
        names,
        ["hip-amdgcn-amd-amdhsa--gfx900", "openmp-x--gfx906", "data"]
    );
    wavetank_in(&folder, "unbundle k").success();
    same(&folder, "k-data", VECADD);
    same(&folder, "k-openmp-x--gfx906", REDUCE);
    // A code object by itself is one entry.
    let list = wavetank(&format!("unbundle --list {VECADD}")).success();
    assert!(list.ends_with("  gfx900\n"), "{list}");
}

#[test]
fn what_cannot_be_bundled_is_told() {
    let folder = directory("what_cannot_be_bundled_is_told");
    let run = |words: &str| wavetank_in(&folder, words);
    run(&format!("bundle -o k {VECADD} {VECADD}")).refused(&[
        "k: the offload bundle is damaged: it would have hipv4-amdgcn-amd-amdhsa--gfx900 twice",
    ]);
    run(&format!("bundle -o k --align 3 {VECADD}")).refused(&["3 is not an alignment"]);
    run("bundle -o k absent.hsaco").refused(&["cannot read absent.hsaco"]);
    run(&format!("bundle -o no/k {VECADD}")).refused(&["cannot write no/k"]);
    run(&format!("bundle -o k {}", file!())).refused(&["cannot read"]);
    run(&format!("bundle -o k {VECADD}")).success();
    run("unbundle k --gpu gfx803 -o one")
        .refused(&["k: the file holds no code for gfx803; it has gfx900"]);
    run("unbundle k --gpu x -o one").refused(&["`x` is not a target"]);
    std::fs::write(folder.join("text"), "text").expect("a file");
    run("unbundle text").refused(&["text: this is neither an ELF file nor an offload bundle"]);
    let two = [
        std::fs::read(folder.join("k")),
        std::fs::read(folder.join("k")),
    ];
    let two = two.map(|bytes| bytes.expect("it was written")).concat();
    std::fs::write(folder.join("two"), two).expect("a file");
    run("unbundle two --gpu gfx900 -o one").refused(&["there are 2 code objects for gfx900"]);
    run("unbundle two").success();
    same(&folder, "two-gfx900-2.hsaco", VECADD);
}
