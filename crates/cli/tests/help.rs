//! What the command says of itself.

use std::path::Path;

use crate::common::wavetank;
use crate::documents::LONGEST;

const COMMANDS: [&str; 17] = [
    "demo",
    "run",
    "info",
    "launch",
    "check",
    "profile",
    "agents",
    "exec",
    "asm",
    "dis",
    "cc",
    "bundle",
    "unbundle",
    "explain",
    "isa",
    "completions",
    "man",
];

#[test]
fn the_version_has_the_name_of_the_command() {
    let text = wavetank("--version").success();
    assert_eq!(text, format!("wavetank {}\n", env!("CARGO_PKG_VERSION")));
}

/// Lines are broken at 80 columns by hand, or by what prints the help; those that both break are ragged.
#[test]
fn help_is_broken_once() {
    for command in COMMANDS {
        let text = wavetank(&format!("{command} --help")).success();
        let options = text.find("Print help").expect("there are options");
        for line in text[options..].lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
}

/// As in the pages that newcomers read ([`crate::documents`]). An indented line stands alone, unless it goes on with an option's.
#[test]
fn sentences_of_the_help_are_short() {
    let mut long = Vec::new();
    for command in COMMANDS {
        let text = wavetank(&format!("{command} --help")).success();
        let mut paragraphs = vec![String::new()];
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            if line.is_empty() || (1..10).contains(&indent) {
                paragraphs.push(String::new());
            }
            let paragraph = paragraphs.last_mut().expect("there is one");
            paragraph.push_str(line.trim());
            paragraph.push(' ');
        }
        let sentences = paragraphs.iter().flat_map(|p| p.split(". "));
        let longer = sentences.filter(|sentence| sentence.split_whitespace().count() > LONGEST);
        long.extend(longer.map(|sentence| format!("{command}: {sentence}")));
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// LLVM's word for a chip is CPU, and that of code objects target; here it is one word.
#[test]
fn a_gpu_is_a_chip() {
    let mut chips = 0;
    for command in COMMANDS {
        let text = wavetank(&format!("{command} --help")).success();
        assert!(
            !text.contains("<CPU") && !text.contains("<TARGET"),
            "{command}"
        );
        let gpu = text
            .lines()
            .find(|line| line.trim_start().starts_with("--gpu"));
        if let Some(line) = gpu {
            assert!(line.contains("--gpu <CHIP"), "{command}: {line}");
            chips += 1;
        }
    }
    assert!(chips >= 9, "{chips}");
}

#[test]
fn files_of_the_help_exist() {
    let text = wavetank("exec --help").success();
    let file = text.split_whitespace().find(|word| word.ends_with(".wt"));
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    assert!(root.join(file.expect("the help names a file")).is_file());
}
