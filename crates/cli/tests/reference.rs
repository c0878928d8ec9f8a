//! `wavetank isa --html`: the pages, their links, and the folder that they go to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::common::{directory, outcome, wavetank, wavetank_in};

/// The files of a folder by path, with their text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(folder.join(&below)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = below.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                open.push(path);
            } else {
                let text = fs::read_to_string(entry.path()).expect("a file of text");
                found.insert(path.to_str().expect("a name").to_owned(), text);
            }
        }
    }
    found
}

/// The reference, written once for all tests.
fn reference() -> &'static BTreeMap<String, String> {
    static FILES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = directory("reference");
        let said = wavetank_in(&folder, "isa --html pages").success();
        let files = files(&folder.join("pages"));
        let pages = files.keys().filter(|path| path.ends_with(".html")).count();
        assert_eq!(said, format!("{pages} pages: open pages/index.html\n"));
        files
    })
}

fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = reference().iter();
    let pages = all.filter(|(path, _)| path.ends_with(".html"));
    pages.map(|(path, text)| (path.as_str(), text.as_str()))
}

pub(crate) fn page(path: &str) -> &'static str {
    reference().get(path).unwrap_or_else(|| panic!("no {path}"))
}

/// The texts of a page without tags, with blanks in their place.
fn plain(page: &str) -> String {
    let mut text = String::new();
    for piece in page.split('<') {
        text += piece.split_once('>').map_or("", |(_, text)| text);
        text.push(' ');
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn list(words: &str) -> Value {
    serde_json::from_str(&wavetank(words).success()).expect("JSON")
}

#[test]
fn every_instruction_has_a_page() {
    let names = |words: &str| -> Vec<String> {
        let list = list(words);
        let rows = list.as_array().or(list["instructions"].as_array());
        let name = |row: &Value| row["name"].as_str().expect("a name").to_owned();
        rows.expect("a list").iter().map(name).collect()
    };
    let (own, segments) = (names("isa --json"), ["GLOBAL", "SCRATCH"]);
    let others = segments.into_iter().flat_map(|segment| {
        let listed = names(&format!("isa --format {segment} --json"));
        let prefix = format!("{}_", segment.to_lowercase());
        assert!(listed.iter().all(|name| name.starts_with(&prefix)));
        listed
    });
    let gcn: BTreeSet<String> = own.iter().cloned().chain(others).collect();
    assert!(gcn.len() > own.len() && own.len() > 1200);
    let written: BTreeSet<String> = pages()
        .filter_map(|(path, _)| path.strip_prefix("gcn/")?.strip_suffix(".html"))
        // An instruction with the name of one of another encoding has the encoding after it.
        .filter_map(|page| page.split('-').next())
        .map(str::to_owned)
        .collect();
    assert_eq!(written, gcn);
    for name in names("isa --isa maxwell:62 --json") {
        let operation = name.split('.').nth(2).expect("an operation").to_lowercase();
        assert!(
            page(&format!("suatom/{operation}.html")).contains(&name),
            "{name}"
        );
    }
    for name in names("isa --isa visa --json") {
        let operation = name.rsplit('.').next().expect("an operation");
        assert!(
            page(&format!("typed_atomic/{operation}.html")).contains(&name),
            "{name}"
        );
    }
}

/// What `explain` says of an instruction is on its page.
#[test]
fn pages_say_what_explain_says() {
    for (name, gpu) in [
        ("v_add_f32", "gfx900"),
        ("v_div_scale_f32", "gfx900"),
        ("global_atomic_add", "gfx900"),
        ("s_load_dword", "gfx900"),
        ("image_sample_c_l_o", "gfx900"),
        ("v_dot4_i32_i8", "gfx906"),
    ] {
        let facts = &list(&format!("explain --json --gpu {gpu} {name}"))[0];
        let text = plain(page(&format!("gcn/{name}.html"))).replace("&amp;", "&");
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        let mut parts: Vec<&str> = vec![facts["sentence"].as_str().expect("a sentence")];
        parts.push(facts["unit"].as_str().expect("a unit"));
        for (list, key) in [
            ("modifiers", "meaning"),
            ("operands", "type"),
            ("hazards", "rule"),
        ] {
            let rows = facts[list].as_array().expect("a list").iter();
            parts.extend(rows.map(|row| row[key].as_str().expect("a text")));
        }
        let lines = facts["pseudo_code"]["lines"].as_array().expect("lines");
        parts.extend(
            lines
                .iter()
                .map(|line| line.as_str().expect("a line").trim()),
        );
        let fields = facts["fields"].as_array().expect("fields");
        parts.extend(
            fields
                .iter()
                .map(|field| field["name"].as_str().expect("a name")),
        );
        for part in parts {
            let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(&part), "{name}: {part}: {text}");
        }
    }
}

/// The values of an attribute in a page.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let start = format!(" {name}=\"");
    let pieces = page.split(start.as_str()).skip(1);
    pieces.filter_map(|piece| piece.split('"').next()).collect()
}

/// The path from the folder that a link of a page leads to.
fn target(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => assert!(
                parts.pop().is_some(),
                "{link} of {from} leads out of the folder"
            ),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn links_are_relative_and_lead_to_places() {
    let files = reference();
    let ids: BTreeMap<&str, BTreeSet<&str>> = pages()
        .map(|(path, text)| (path, attributes(text, "id").into_iter().collect()))
        .collect();
    let mut count = 0;
    for (path, text) in pages() {
        for link in [attributes(text, "href"), attributes(text, "src")].concat() {
            assert!(
                !link.contains(':') && !link.starts_with('/'),
                "{path}: {link}"
            );
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() {
                path.to_owned()
            } else {
                target(path, file)
            };
            assert!(files.contains_key(&file), "{path}: {link}");
            assert!(id.is_empty() || ids[&*file].contains(id), "{path}: {link}");
            count += 1;
        }
    }
    assert!(count > 10_000, "{count} links");
    let style = page("style.css");
    assert!(!style.contains("url(") && !style.contains("@import"));
    assert!(!page("search.js").contains("//www") && !page("search.js").contains("http"));
}

/// Elements without an end tag (HTML, "Void elements").
const VOID: [&str; 3] = ["meta", "link", "input"];

/// Every element is closed in its order, attributes are quoted, and no id is there twice: text that is not escaped would break it.
#[test]
fn pages_are_well_formed() {
    for (path, text) in pages() {
        assert!(
            text.starts_with("<!DOCTYPE html><html lang=\"en\">"),
            "{path}"
        );
        assert_eq!(text.matches("<h1>").count(), 1, "{path}");
        let mut open: Vec<&str> = Vec::new();
        for piece in text.split('<').skip(2) {
            let (tag, rest) = piece
                .split_once('>')
                .unwrap_or_else(|| panic!("{path}: <{piece}"));
            assert!(!rest.contains('>'), "{path}: {piece}");
            assert_eq!(tag.matches('"').count() % 2, 0, "{path}: <{tag}>");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{path}: </{name}>"),
                None => {
                    let name = tag.split(' ').next().unwrap_or_default();
                    if !VOID.contains(&name) {
                        open.push(name);
                    }
                }
            }
        }
        assert!(open.is_empty(), "{path}: {open:?} are open");
        let ids = attributes(text, "id");
        let different: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), different.len(), "{path}: {ids:?}");
    }
    assert!(page("gcn/v_cmp_lt_f32.html").contains("S0.f32 &lt; S1.f32"));
    assert!(page("gcn/v_and_b32.html").contains("D = S0 &amp; S1"));
}

/// The counters of a page, as text.
fn counters(name: &str) -> String {
    let page = page(&format!("gcn/{name}.html"));
    let counters = page.split("<dd id=\"counters\">").nth(1).expect("counters");
    plain(&format!(
        "<>{}",
        counters.split("</dd>").next().unwrap_or_default()
    ))
}

/// Vega ISA, 4.4 and 9; the AMDGPU guide's memory model for stores of gfx6.
#[test]
fn counters_are_those_of_the_segment() {
    assert_eq!(counters("global_load_dword"), "VM_CNT");
    assert_eq!(counters("scratch_store_dword"), "VM_CNT");
    assert_eq!(counters("flat_load_dword"), "VM_CNT · LGKM_CNT");
    assert_eq!(counters("ds_read_b32"), "LGKM_CNT · EXP_CNT with gds");
    assert_eq!(counters("s_load_dword"), "LGKM_CNT");
    assert_eq!(counters("v_add_f32"), "none");
    assert_eq!(
        counters("buffer_store_dword"),
        "VM_CNT on gfx7 to gfx9 VM_CNT · EXP_CNT on gfx6"
    );
}

/// A segment has the evidence of its own cases.
#[test]
fn segments_have_their_own_evidence() {
    let fidelity = |name: &str| {
        let page = plain(page(&format!("gcn/{name}.html")));
        let fidelity = page.split("Fidelity and cases ").nth(1);
        fidelity.expect("a section").to_owned()
    };
    for (name, file) in [
        ("flat_load_dword", "tests/isa/flat/flat.wt"),
        ("global_load_dword", "tests/isa/flat/global.wt"),
        ("scratch_load_dword", "tests/isa/flat/scratch.wt"),
    ] {
        let told = fidelity(name);
        assert!(
            told.starts_with(&format!("exact: shown by {file}")),
            "{told}"
        );
    }
}

#[test]
fn the_search_finds_every_page() {
    let script = page("search-index.js");
    let list = script.strip_prefix("globalThis.instructionIndex = ");
    let list = list
        .and_then(|list| list.strip_suffix(";\n"))
        .expect("an array");
    let entries: Vec<[String; 5]> = serde_json::from_str(list).expect("JSON");
    let found: BTreeSet<&str> = entries.iter().map(|entry| entry[1].as_str()).collect();
    let own = |path: &str| !path.ends_with("index.html") && path.contains('/');
    for (path, _) in pages() {
        let list = path.starts_with("encoding/") || path.starts_with("generation/");
        assert_eq!(found.contains(path), own(path) && !list, "{path}");
    }
    // Its name before gfx9, by which it is found too (Vega ISA, 12.7 V_ADD_CO_U32).
    let add = entries.iter().find(|entry| entry[0] == "v_add_co_u32");
    assert!(
        add.expect("an entry")[4]
            .split(' ')
            .any(|word| word == "v_add_i32")
    );
}

#[test]
fn the_same_call_writes_the_same_bytes() {
    let folder = directory("reference-again");
    wavetank_in(&folder, "isa --html again").success();
    assert!(files(&folder.join("again")) == *reference());
}

#[test]
fn a_folder_with_something_else_is_refused() {
    let folder = directory("reference-folder");
    fs::create_dir(folder.join("own")).expect("it can be made");
    fs::write(folder.join("own/thesis.txt"), "work").expect("it can be written");
    wavetank_in(&folder, "isa --html own").refused(&["own is not empty", "name a new or an empty"]);
    assert_eq!(
        fs::read_dir(folder.join("own")).expect("a folder").count(),
        1
    );
    wavetank_in(&folder, "isa --html own/thesis.txt").refused(&["own/thesis.txt"]);
    // A former reference is replaced, with what it alone has.
    fs::create_dir(folder.join("old")).expect("it can be made");
    fs::write(folder.join("old/.wavetank-reference"), "gone.html\n").expect("it can be written");
    fs::write(folder.join("old/gone.html"), "").expect("it can be written");
    wavetank_in(&folder, "isa --html old").success();
    assert!(files(&folder.join("old")) == *reference());
    for words in [
        "isa --html x --json",
        "isa --html x v_add",
        "isa --html x --gpu gfx900",
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wavetank"));
        let outcome = outcome(command.args(words.split(' ')).current_dir(&folder));
        assert_eq!(outcome.code, Some(2), "{words}");
        assert!(
            outcome.stderr.contains("cannot be used with"),
            "{words}: {outcome:?}"
        );
    }
    assert!(!folder.join("x").exists());
}
