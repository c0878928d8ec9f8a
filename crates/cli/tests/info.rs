//! `wavetank info` and `wavetank agents`.

mod common;

use common::{REDUCE, VECADD, bundle, directory, shared, wavetank, wavetank_in};
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
        text.contains("8 VGPRs (8 allocated), 11 SGPRs (16 allocated), 0 bytes of LDS"),
        "{text}"
    );
    let hidden = text.lines().filter(|line| line.contains("hidden_"));
    assert!(hidden.clone().count() > 5 && hidden.clone().all(|line| line.contains(" hidden ")));
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
}
