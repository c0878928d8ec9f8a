//! Documents name commands and options as they are. What README.md says is also run, by `.ci/readme`.

use std::collections::HashMap;
use std::path::Path;

use crate::common::wavetank;

const DOCUMENTS: [&str; 9] = [
    "README.md",
    "docs/ci.md",
    "docs/running.md",
    "docs/assembling.md",
    "docs/checkers.md",
    "docs/exec-format.md",
    "docs/launching.md",
    "docs/stages.md",
    "docs/performance.md",
];

fn read(name: &str) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    std::fs::read_to_string(root.join(name)).expect("a document of the repository")
}

/// Pieces of code: what stands between backquotes, and lines of blocks, joined where a line goes on.
fn code(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut fenced = false;
    for line in text.replace("\\\n", " ").lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            pieces.push(line.to_owned());
        } else {
            pieces.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    pieces
}

/// The subcommand that a piece of code calls, and the options that it gives it.
fn call(piece: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = piece.split_whitespace();
    words.find(|word| *word == "wavetank" || word.ends_with("/wavetank"))?;
    let command = words.next()?;
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_lowercase());
    let own = words.take_while(|word| !["|", "||", "&&", ">", "--"].contains(word));
    let options = own.filter(|word| word.starts_with("--"));
    let names = options.map(|word| word.split(['=', ',', ';']).next().unwrap_or(word));
    is_name(command).then(|| (command, names.collect()))
}

#[test]
fn documents_name_commands_and_options_that_exist() {
    let mut helps: HashMap<String, String> = HashMap::new();
    let mut calls = 0;
    for document in DOCUMENTS {
        let text = read(document);
        for piece in code(&text) {
            let Some((command, options)) = call(&piece) else {
                continue;
            };
            let help = helps.entry(command.to_owned());
            let help = help.or_insert_with(|| wavetank(&format!("{command} --help")).stdout);
            assert!(!help.is_empty(), "{document}: {piece}");
            for option in options {
                let known = help.split([' ', ',', '\n', '[']).any(|word| word == option);
                assert!(known, "{document}: {piece}: {option}");
            }
            calls += 1;
        }
    }
    assert!(calls > 30, "{calls}");
}

#[test]
fn the_readme_lists_every_command() {
    let readme = read("README.md");
    let section = readme
        .split("\n## The commands\n")
        .nth(1)
        .expect("its heading");
    let help = wavetank("--help").success();
    let list = help.split("Commands:\n").nth(1).expect("they are listed");
    // Lines that go on are further in.
    let rows = list.lines().take_while(|line| !line.is_empty());
    let rows = rows
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|row| !row.starts_with(' '));
    for name in rows.filter_map(|row| row.split_whitespace().next()) {
        let listed = section.contains(&format!("`wavetank {name}"));
        assert!(listed || name == "help", "{name}");
    }
}

/// The part of the example that the page on checkers shows.
#[test]
fn the_page_on_checkers_shows_the_example() {
    let page = read("docs/checkers.md");
    let example = read("crates/wavetank/examples/checker.rs");
    let (_, shown) = page.split_once("```rust\n").expect("a piece of Rust");
    let (shown, _) = shown.split_once("```").expect("it ends");
    assert!(example.contains(shown), "{shown}");
}
