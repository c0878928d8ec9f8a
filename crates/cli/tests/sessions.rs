//! Sessions of the pages: blocks of `sh` are typed word for word, and what stands in the `text` block after one comes out.
//!
//! A block runs in Bash, which stops at the first command that fails; all blocks of a page run in one folder, which has the examples and
//! tests of the repository in it. ```` ```sh exit=1 ```` expects another exit code than 0. In a block of output `…` stands for any
//! text of its line, and alone in a line for any lines. README.md belongs to the pages.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::directory;
use crate::documents::{pages, read, root};
use crate::programs::{build_library, hip_is_here};

/// Commands, and what they print.
struct Block {
    script: String,
    exit: i32,
    output: Option<String>,
}

/// The sessions of a page.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = page.lines();
    // Whether nothing but empty lines stands after a block of commands.
    let mut follows = false;
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            follows &= line.is_empty();
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        let body = body.join("\n") + "\n";
        let words: Vec<&str> = info.split_whitespace().collect();
        match words[..] {
            ["sh", ref options @ ..] => {
                let exit = options.iter().find_map(|o| o.strip_prefix("exit="));
                blocks.push(Block {
                    script: body,
                    exit: exit.map_or(0, |code| code.parse().expect("an exit code")),
                    output: None,
                });
            }
            ["text"] if follows => {
                blocks.last_mut().expect("commands").output = Some(body);
            }
            _ => {}
        }
        follows = words.first() == Some(&"sh");
    }
    blocks
}

/// Whether the text is what the pattern says: line by line, with `…` for any text, and for any lines.
fn fits(pattern: &[&str], text: &[&str]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=text.len()).any(|n| fits(rest, &text[n..])),
        ([first, rest @ ..], [line, lines @ ..]) => fits_line(first, line) && fits(rest, lines),
        _ => false,
    }
}

fn fits_line(pattern: &str, line: &str) -> bool {
    let line = line.trim_end();
    let mut parts = pattern.trim_end().split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// A folder in which the paths of the pages are right.
pub(crate) fn workplace(page: &str) -> PathBuf {
    let folder = directory(&format!("session-{}", page.replace(['/', '.'], "-")));
    for name in ["examples", "tests"] {
        let there = root().join(name).canonicalize().expect("it is there");
        symlink(there, folder.join(name)).expect("the folder is empty");
    }
    folder
}

/// Types the sessions of a page.
fn type_page(page: &str) {
    let folder = workplace(page);
    let own = Path::new(env!("CARGO_BIN_EXE_wavetank"));
    let own = own.parent().expect("the command is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", own.display());
    let home = folder.join(".home");
    fs::create_dir(&home).expect("the folder is empty");
    for block in blocks(&read(page)) {
        // Errors and output come by one pipe, in the order of a terminal.
        let script = format!("exec 2>&1\n{}", block.script);
        let out = Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &script])
            .current_dir(&folder)
            .env("PATH", &path)
            .env("HOME", &home)
            .stdin(Stdio::null())
            .output()
            .expect("Bash starts");
        let said = String::from_utf8_lossy(&out.stdout);
        let typed = &block.script;
        assert_eq!(
            out.status.code(),
            Some(block.exit),
            "{page}:\n{typed}\n{said}"
        );
        let Some(wanted) = &block.output else {
            continue;
        };
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (wanted, got) = (lines(wanted), lines(&said));
        let slices = |lines: &[String]| {
            lines
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (wanted_text, got_text) = (slices(&wanted), slices(&got));
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let got: Vec<&str> = got.iter().map(String::as_str).collect();
        assert!(
            fits(&wanted, &got),
            "{page}:\n{typed}\nthe page says\n{wanted_text}\nbut it is\n{got_text}"
        );
    }
}

/// Whether a session builds HIP programs.
fn needs_hip(page: &str) -> bool {
    blocks(&read(page))
        .iter()
        .any(|b| b.script.contains("hipcc"))
}

#[test]
fn sessions_do_what_the_pages_say() {
    let typed = pages().into_iter().filter(|page| !needs_hip(page));
    let typed: Vec<String> = typed
        .filter(|page| !blocks(&read(page)).is_empty())
        .collect();
    assert!(typed.len() >= 2, "{typed:?}");
    typed.iter().for_each(|page| type_page(page));
}

#[test]
#[ignore = "builds and runs programs, with compilers that must be installed"]
fn sessions_with_hip_do_what_the_pages_say() {
    if !hip_is_here() {
        return;
    }
    build_library();
    let typed: Vec<String> = pages().into_iter().filter(|page| needs_hip(page)).collect();
    assert!(typed.len() >= 4, "{typed:?}");
    typed.iter().for_each(|page| type_page(page));
}

#[test]
fn elisions_stand_for_any_text() {
    let fit = |pattern: &str, text: &str| {
        let [pattern, text] = [pattern, text].map(|t| t.lines().collect::<Vec<_>>());
        fits(&pattern, &text)
    };
    assert!(fit("a\n…\nd", "a\nb\nc\nd") && fit("a\n…", "a") && fit("x = …, y", "x = 5, y"));
    assert!(!fit("a\n…\nd", "a\nb") && !fit("a", "a\nb") && !fit("x = …, y", "x = 5, z"));
    assert!(!fit("x", "xy") && fit("in …/sum (…)", "in /a/b/sum (gfx900)"));
}
