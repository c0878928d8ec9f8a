//! `wavetank info` and `wavetank agents`.

use crate::common::{
    REDUCE, VECADD, bundle, directory, shared, wavetank, wavetank_from, wavetank_in,
};
use serde_json::Value;

fn json(words: &str) -> Value {
    serde_json::from_str(&wavetank(words).success()).unwrap()
}

/// What `llvm-readelf --notes` says about the file.
#[test]
fn kernels_and_arguments_are_told() {
    let info = json(&format!("info --json {VECADD}"));
    let object = &info["code_objects"][0];
    assert_eq!(object["target"], "gfx900");
    assert_eq!(object["version"], 5);
    let kernel = &object["kernels"][0];
    assert_eq!(kernel["name"], "vecadd");
    assert_eq!(
        (&kernel["vgprs"], &kernel["sgprs"]),
        (&8.into(), &11.into())
    );
    assert_eq!((&kernel["lds"], &kernel["scratch"]), (&0.into(), &0.into()));
    let arguments = kernel["arguments"].as_array().unwrap();
    let explicit: Vec<_> = arguments
        .iter()
        .filter(|arg| arg["hidden"] == false)
        .collect();
    let shape = |arg: &Value| {
        (
            arg["offset"].as_u64().unwrap(),
            arg["size"].as_u64().unwrap(),
        )
    };
    let shapes: Vec<_> = explicit.iter().map(|arg| shape(arg)).collect();
    assert_eq!(shapes, [(0, 8), (8, 8), (16, 8), (24, 4)]);
    assert_eq!(explicit[3]["type"], "uint");
    let hidden = arguments
        .iter()
        .find(|arg| arg["kind"] == "hidden_group_size_x")
        .unwrap();
    assert_eq!((shape(hidden), &hidden["hidden"]), ((44, 2), &true.into()));
}

#[test]
fn the_table_has_every_argument() {
    let text = wavetank(&format!("info {VECADD}")).success();
    assert!(
        text.starts_with("gfx900, code object version 5, 1 kernel\n"),
        "{text}"
    );
    assert!(
        text.contains("8 VGPRs (8 allocated), 11 SGPRs (16 allocated)\n  0 bytes of LDS"),
        "{text}"
    );
    let hidden = text.split_once("  hidden, from 32 on: ").unwrap().1;
    for name in ["block_count_x", "group_size_z", "grid_dims"] {
        assert!(hidden.contains(name), "{text}");
    }
    assert!(
        !text.contains("none") && text.lines().all(|line| line.len() <= 80),
        "{text}"
    );
    for ty in ["float*", "uint"] {
        assert!(text.contains(ty), "{text}");
    }
    // Colours are for terminals.
    assert!(!text.contains('\x1b'));
    let text = wavetank(&format!("info {REDUCE}")).success();
    assert!(
        text.contains("2 kernels") && text.contains("kernel reduce_minmax64"),
        "{text}"
    );
}

#[test]
fn every_version_is_read() {
    // The first kernel of vecadd.cl, and of bench.cl: their arguments stand in the sources.
    let vecadd = ("vecadd", 4);
    for (file, version, (name, count)) in [
        ("clang15-cov2/gfx900/vecadd", 2, vecadd),
        ("clang15-cov3/gfx900/vecadd", 3, vecadd),
        ("clang15-cov4/gfx900/vecadd", 4, vecadd),
        ("clang19-cov5/gfx900/vecadd", 5, vecadd),
        ("clang19-cov6/gfx900/bench", 6, ("vadd", 3)),
    ] {
        let Some(file) = shared(&format!("{file}.hsaco")) else {
            return;
        };
        let info = json(&format!("info --json {file}"));
        let object = &info["code_objects"][0];
        assert_eq!(object["version"], version);
        let kernel = &object["kernels"][0];
        assert_eq!(kernel["name"], name);
        let arguments = kernel["arguments"].as_array().unwrap().iter();
        assert_eq!(
            arguments.filter(|arg| arg["hidden"] == false).count(),
            count
        );
    }
}

#[test]
fn names_are_shown_in_plain_characters() {
    let dir = directory("info_controls");
    let mut object = crate::made::kernels(2);
    object.kernels[0] = "k\x1b]0;title\x07\nfake".to_owned();
    std::fs::write(dir.join("k.co"), object.file()).unwrap();
    let shown = "k\\u{1b}]0;title\\u{7}\\nfake";
    let text = wavetank_in(&dir, "info k.co").success();
    assert!(text.contains(&format!("kernel {shown}\n")), "{text}");
    let kernel = json(&format!("info --json {}", dir.join("k.co").display()));
    assert_eq!(
        kernel["code_objects"][0]["kernels"][0]["name"],
        object.kernels[0]
    );
    let text = wavetank_in(&dir, "dis k.co").success();
    assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    let launch = "launch k.co --grid 1 --block 1";
    wavetank_in(&dir, launch).refused(&["several kernels", shown]);
    wavetank_in(&dir, &format!("{launch} fake")).refused(&["`fake`", shown]);
}

#[test]
fn ten_of_many_kernels_are_named() {
    let dir = directory("many_kernels");
    let object = crate::made::kernels(3000);
    std::fs::write(dir.join("k.co"), object.file()).unwrap();
    let launch = "launch k.co --grid 1 --block 1";
    wavetank_in(&dir, launch).refused(&["name one of", " and 2990 more"]);
    let near = object.kernels[2345].replace("5EE", "5FE");
    let meant = format!("did you mean `{}`?", object.kernels[2345]);
    let parts = [meant.as_str(), " and 2989 more"];
    wavetank_in(&dir, &format!("{launch} {near}")).refused(&parts);
}

#[test]
fn files_come_from_stdin_too() {
    let named = wavetank(&format!("info {VECADD}")).success();
    assert_eq!(wavetank_from(VECADD, "info -").success(), named);
    let launch =
        "--grid 4 --block 4 --arg iota:f32:4 --arg iota:f32:4 --arg print:f32:4 --arg u32:4";
    let text = wavetank_from(VECADD, &format!("launch - {launch}")).success();
    assert!(text.contains("0.0 2.0 4.0 6.0"), "{text}");
    wavetank_from("/dev/null", "info -").refused(&["stdin: the file is empty"]);
}

#[test]
fn memory_of_gpus_is_as_asked() {
    let memory = |words: &str| {
        let agents = json(words);
        let gpus = agents.as_array().unwrap()[1..].iter();
        let each = gpus.map(|gpu| gpu["memory_bytes"].as_u64().unwrap());
        each.collect::<Vec<_>>()
    };
    let asked = memory("agents --json --gpu gfx906:sramecc-:8G,gfx900:512M");
    assert_eq!(asked, [8 << 30, 512 << 20]);
    let all = memory("agents --json");
    assert!(all.len() > 4 && all.iter().all(|bytes| *bytes >= 1 << 20));
    wavetank("agents --gpu gfx900:8").refused(&["--gpu: `8` is not a size of memory"]);
}

#[test]
fn bundles_show_every_target() {
    let dir = directory("info_bundle");
    std::fs::write(dir.join("bundle"), bundle()).unwrap();
    let text = wavetank_in(&dir, "info bundle").success();
    assert!(text.contains("gfx900, code object version 5"), "{text}");
    assert!(text.contains("gfx906, code object version 5"), "{text}");
    let text = wavetank_in(&dir, "info bundle --gpu gfx906").success();
    assert!(
        text.contains("reduce_sum") && !text.contains("vecadd"),
        "{text}"
    );
    wavetank_in(&dir, "info bundle --gpu gfx90c").refused(&["bundle: ", "gfx900, gfx906"]);
}

#[test]
fn agents_are_listed() {
    let text = wavetank("agents").success();
    let agents = json("agents --json");
    let agents = agents.as_array().unwrap();
    for agent in agents {
        assert!(text.contains(agent["name"].as_str().unwrap()), "{text}");
    }
    // Vega 10, Vega 12 and Vega 20 have 64, 20 and 60 compute units.
    for (name, units) in [("gfx900", 64), ("gfx904", 20), ("gfx906", 60)] {
        let agent = agents.iter().find(|agent| agent["name"] == name).unwrap();
        assert_eq!(agent["compute_units"], units);
    }
    assert_eq!(agents[0]["kind"], "cpu");
    // A line for each GPU, and four about them.
    assert_eq!(text.lines().count(), agents.len() - 1 + 5, "{text}");
    let named = text
        .lines()
        .find(|line| line.starts_with("gfx803 "))
        .unwrap();
    for name in ["Radeon RX 580 Series", "36", "fiji", "RX 480"] {
        assert!(named.contains(name), "{named}");
    }
    let one = wavetank("agents --gpu radeon-vii").success();
    assert!(one.contains("Name:") && one.contains("gfx906"), "{one}");
    let product = wavetank("agents --gpu mi300a").success();
    for text in [
        "AMD Instinct MI300A",
        "0x74a0",
        "228",
        "32 KiB, 4096 KiB, 262144 KiB",
    ] {
        assert!(product.contains(text), "{product}");
    }
    let same = |words: &str| wavetank(&format!("{words} --gpu gfx906:1G")).success();
    assert_eq!(same("rocminfo"), same("agents --rocminfo"));
}
