//! What `docs/explanation/architecture.md` says of the crates, held against what they are.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/explanation/architecture.md"))
        .expect("the page is there")
}

/// The crates in the order of the page's table.
fn listed() -> Vec<String> {
    let page = page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| row.split_once("` | "));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Each crate of the workspace, with those of the workspace that it uses when it is built.
fn edges() -> Vec<(String, Vec<String>)> {
    let out = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().map(edges_of).collect()
}

fn edges_of(package: &Value) -> (String, Vec<String>) {
    let short = |name: &Value| {
        let name = name.as_str().expect("a name");
        // In the table they are listed by their folders.
        let name = name.strip_prefix("wavetank-").unwrap_or(name);
        name.replace('-', "_")
    };
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    let ours = dependencies.iter().filter(|d| {
        // A development dependency has the kind "dev".
        d["kind"].is_null()
            && d["name"]
                .as_str()
                .is_some_and(|n| n.starts_with("wavetank"))
    });
    (
        short(&package["name"]),
        ours.map(|d| short(&d["name"])).collect(),
    )
}

#[test]
fn crates_use_only_those_above_them() {
    let listed = listed();
    let edges = edges();
    assert_eq!(
        edges.len(),
        listed.len(),
        "the table lists other crates than there are"
    );
    let place = |name: &str| {
        let place = listed.iter().position(|l| l == name);
        place.unwrap_or_else(|| {
            panic!("`{name}` is not in the table of docs/explanation/architecture.md")
        })
    };
    for (name, uses) in &edges {
        for used in uses {
            assert!(
                place(used) < place(name),
                "{name} uses {used}, which is not above it"
            );
        }
    }
}

#[test]
fn only_translate_knows_how_instructions_are_lifted() {
    let knows = |(_, uses): &(String, Vec<String>)| uses.iter().any(|used| used == "lift");
    let edges = edges();
    let who: Vec<&str> = edges
        .iter()
        .filter(|e| knows(e))
        .map(|e| e.0.as_str())
        .collect();
    assert_eq!(who, ["translate"]);
}

#[test]
fn engines_are_siblings() {
    let engines = ["interp", "jit"];
    let listed = listed();
    let last = listed
        .iter()
        .rposition(|name| engines.contains(&name.as_str()));
    let below = &listed[..=last.expect("the engines are in the table")];
    for (name, uses) in edges().iter().filter(|(name, _)| below.contains(name)) {
        assert!(
            !uses.iter().any(|used| engines.contains(&used.as_str())),
            "{name} uses an engine"
        );
    }
}

#[test]
fn lane_operations_do_not_know_translation() {
    for (name, uses) in edges() {
        let low = ["lane_ops", "lower"].contains(&name.as_str());
        assert!(
            !low || !uses
                .iter()
                .any(|used| used == "lift" || used == "translate"),
            "{name} uses translation"
        );
    }
}

/// Sources of tests, all in one text.
fn sources(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push_str(&std::fs::read_to_string(&path).expect("a source is text"));
        }
    }
}

#[test]
fn every_invariant_names_a_test_that_is_there() {
    let page = page().replace('\n', " ");
    let mut code = String::new();
    sources(&root().join("crates"), &mut code);
    let invariants: Vec<&str> = page.split("Invariant:").skip(1).collect();
    assert!(invariants.len() > 5, "only {}", invariants.len());
    for invariant in invariants {
        let (sentence, rest) = invariant.split_once("Held by").unwrap_or_else(|| {
            panic!(
                "nothing holds the invariant:{}",
                &invariant[..invariant.len().min(80)]
            )
        });
        assert!(sentence.len() < 1200, "what holds this?{sentence}");
        let held = rest.split(". ").next().unwrap_or_default();
        let names: Vec<&str> = held.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{sentence}");
        for name in names {
            let is_file = name.contains('/') && root().join(name).exists();
            let is_test = code.contains(&format!("fn {name}("));
            assert!(
                is_file || is_test,
                "`{name}` holds{sentence}, and is not there"
            );
        }
    }
}
