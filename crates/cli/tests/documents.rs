//! The pages of the documentation, and README.md: commands, options and files that they name are there, links lead somewhere, and
//! sentences that newcomers read are short. Their commands are typed in [`crate::sessions`].

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::common::wavetank;

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a page.
pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// README.md and all pages below `docs`, as paths from the root.
pub(crate) fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder of pages") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a name is UTF-8");
            let path = format!("{folder}/{name}");
            if entry.path().is_dir() {
                folders.push(path);
            } else if name.ends_with(".md") {
                pages.push(path);
            }
        }
    }
    pages.sort_unstable();
    pages
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

/// The lines of a page outside of blocks of code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence && !line.starts_with("    ")
    })
}

/// The subcommand that a piece of code calls, and the options that it gives it.
fn call(piece: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = piece.split_whitespace();
    words.find(|word| *word == "wavetank" || word.ends_with("/wavetank"))?;
    let command = words.next()?;
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_lowercase());
    let own = words.take_while(|word| !["|", "||", "&&", ">", "--", "#"].contains(word));
    let options = own.filter(|word| word.starts_with("--"));
    let names = options.map(|word| word.split(['=', ',', ';']).next().unwrap_or(word));
    is_name(command).then(|| (command, names.collect()))
}

#[test]
fn documents_name_commands_and_options_that_exist() {
    let mut helps: HashMap<String, String> = HashMap::new();
    let commands = commands();
    let mut calls = 0;
    for document in pages() {
        let text = read(&document);
        for piece in code(&text) {
            let Some((command, options)) = call(&piece) else {
                continue;
            };
            // Code of Rust names the crate: `use wavetank::Device`.
            if !commands.contains(command) {
                assert!(options.is_empty(), "{document}: {piece}");
                continue;
            }
            let help = helps.entry(command.to_owned());
            let help = help.or_insert_with(|| wavetank(&format!("{command} --help")).stdout);
            for option in options {
                let known = help.split([' ', ',', '\n', '[']).any(|word| word == option);
                assert!(known, "{document}: {piece}: {option}");
            }
            calls += 1;
        }
    }
    assert!(calls > 60, "{calls}");
}

/// The commands that `wavetank --help` lists.
fn commands() -> BTreeSet<String> {
    let help = wavetank("--help").success();
    let list = help.split("Commands:\n").nth(1).expect("they are listed");
    // Lines that go on are further in.
    let rows = list.lines().take_while(|line| !line.is_empty());
    let rows = rows.filter_map(|line| line.strip_prefix("  "));
    let rows = rows.filter(|row| !row.starts_with(' '));
    let names = rows.filter_map(|row| row.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_readme_lists_every_command() {
    let readme = read("README.md");
    let section = readme
        .split("\n## The commands\n")
        .nth(1)
        .expect("its heading");
    for name in commands() {
        let listed = section.contains(&format!("`wavetank {name}"));
        assert!(listed || name == "help", "{name}");
    }
}

/// The part of the example that the page on checkers shows.
#[test]
fn pages_show_the_examples() {
    let page = read("docs/how-to/add-a-checker.md");
    let example = read("crates/wavetank/examples/checker.rs");
    let (_, shown) = page.split_once("```rust\n").expect("a piece of Rust");
    let (shown, _) = shown.split_once("```").expect("it ends");
    assert!(example.contains(shown), "{shown}");

    let example = read("crates/wavetank/examples/scale.rs");
    for page in ["docs/tutorials/rust-library.md", "README.md"] {
        let page = read(page);
        let (_, shown) = page.split_once("```rust\n").expect("a piece of Rust");
        let (shown, _) = shown.split_once("```").expect("it ends");
        let at_margin = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        assert!(at_margin(&example).contains(&at_margin(shown)), "{shown}");
    }
}

/// The targets of links in a page's prose, without images.
fn links(text: &str) -> Vec<(usize, String)> {
    // A link may go over the end of a line.
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        for at in line.split("](").skip(1) {
            if let Some((target, _)) = at.split_once(')') {
                found.push((number + 1, target.to_owned()));
            }
        }
    }
    found
}

/// The anchors that a page has: those of its headings, as forges and mdBook make them, and those that it names.
fn anchors(text: &str) -> HashSet<String> {
    let mut all = HashSet::new();
    for (_, line) in prose(text) {
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            });
            all.insert(kept.collect());
        }
        let named = line.split("<a id=\"").skip(1);
        all.extend(named.filter_map(|at| Some(at.split_once('"')?.0.to_owned())));
    }
    all
}

/// Pages of the site link to each other only: it has no other files.
#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    let mut wrong = Vec::new();
    let more = ["CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    for page in pages().into_iter().chain(more) {
        let text = read(&page);
        for (line, target) in links(&text) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let folder = Path::new(&page).parent().expect("a page is in a folder");
            let file = if path.is_empty() {
                PathBuf::from(&page)
            } else {
                folder.join(path)
            };
            let there = root().join(&file);
            let inside = |file: &Path| {
                let whole = root().join(file).canonicalize();
                let docs = root().join("docs").canonicalize().expect("docs is there");
                whole.is_ok_and(|whole| whole.starts_with(docs))
            };
            if !there.exists() || page.starts_with("docs/") && !inside(&file) {
                wrong.push(format!("{page}:{line}: {target}"));
            } else if !anchor.is_empty() {
                let text = std::fs::read_to_string(&there).expect("a page");
                if !anchors(&text).contains(anchor) {
                    wrong.push(format!("{page}:{line}: {target}: there is no such anchor"));
                }
            }
        }
    }
    assert!(count > 150, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_summary_has_every_page() {
    let listed: BTreeSet<String> = links(&read("docs/SUMMARY.md"))
        .into_iter()
        .map(|(_, target)| format!("docs/{target}"))
        .collect();
    let pages = pages().into_iter().filter(|page| page.starts_with("docs/"));
    let pages: BTreeSet<String> = pages.filter(|page| page != "docs/SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

/// Files and folders of the repository that pages name in backquotes: `crates/lift`, `tests/hip/vecadd.hip`.
#[test]
fn files_that_pages_name_are_there() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for page in pages().into_iter().chain(["CONTRIBUTING.md".to_owned()]) {
        // The log names files of its time.
        if page.starts_with("docs/records/") {
            continue;
        }
        for piece in code(&read(&page)) {
            let piece = piece.trim();
            let folders = [
                "crates/",
                "tests/",
                "docs/",
                "examples/",
                ".ci/",
                "packaging/",
            ];
            let is_path = folders.iter().any(|folder| piece.starts_with(folder))
                && piece
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            // Capitals stand for any name: `tests/isa/ENCODING`.
            let is_pattern = piece
                .split('/')
                .any(|part| part.chars().all(|c| c.is_ascii_uppercase()));
            if is_path && !is_pattern {
                count += 1;
                if !root().join(piece).exists() {
                    wrong.push(format!("{page}: {piece}"));
                }
            }
        }
    }
    assert!(count > 50, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The most words of a sentence that newcomers read.
pub(crate) const LONGEST: usize = 35;

/// The sentences of a page with more than so many words. Rows of tables and items of lists end one.
fn long_sentences(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut numbers = prose(text);
    let mut last = 0;
    for (number, line) in numbers.by_ref() {
        let trimmed = line.trim();
        let begins = trimmed.starts_with(['|', '#', '*', '-', '[']) || number != last + 1;
        last = number;
        if begins || trimmed.is_empty() {
            paragraphs.push(String::new());
        }
        let paragraph = paragraphs.last_mut().expect("there is one");
        paragraph.push_str(trimmed);
        paragraph.push(' ');
    }
    let cells = paragraphs.iter().flat_map(|p| p.split('|'));
    let sentences = cells.flat_map(|cell| {
        let cell = cell.replace(['!', '?'], ".");
        let all: Vec<String> = cell.split(". ").map(str::to_owned).collect();
        all
    });
    sentences
        .filter(|sentence| sentence.split_whitespace().count() > LONGEST)
        .collect()
}

#[test]
fn newcomers_read_short_sentences() {
    let folders = ["docs/tutorials/", "docs/how-to/"];
    let alone = ["README.md", "docs/README.md", "docs/faq.md"];
    let read_first = |page: &String| {
        alone.contains(&page.as_str()) || folders.iter().any(|folder| page.starts_with(folder))
    };
    let mut long = Vec::new();
    for page in pages().into_iter().filter(read_first) {
        let text = read(&page);
        // Names of chips in a row are a list, which a test holds.
        let text: String = text
            .lines()
            .filter(|line| !line.starts_with("* Executed: "))
            .flat_map(|line| [line, "\n"])
            .collect();
        long.extend(
            long_sentences(&text)
                .into_iter()
                .map(|s| format!("{page}: {s}")),
        );
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
    let words = "word ".repeat(LONGEST + 1);
    assert_eq!(
        long_sentences(&format!("A few. {words}. A few.\n")).len(),
        1
    );
}

#[test]
fn the_readme_has_at_most_200_lines() {
    assert!(read("README.md").lines().count() <= 200);
}

/// The README says how many instructions are exact; a test holds the page of coverage.
#[test]
fn figures_of_the_readme_are_those_of_the_coverage() {
    let coverage = read("docs/reference/coverage.md");
    let (_, section) = coverage.split_once("\n## gfx900\n").expect("a section");
    let row = section
        .lines()
        .find_map(|line| line.strip_prefix("| all | "));
    let cells: Vec<String> = row
        .expect("a row")
        .split(" | ")
        .map(|cell| grouped(cell.trim_end_matches(" |")))
        .collect();
    let [all, exact, within, approximate, none, _, unsupported, cases] = &cells[..] else {
        panic!("{cells:?}");
    };
    let images = section
        .lines()
        .find_map(|line| line.strip_prefix("| MIMG | "));
    let images = images.expect("a row").split(" | ").nth(3).expect("a cell");
    let readme = read("README.md").replace('\n', " ");
    for part in [
        format!("Of the {all} instructions of gfx900, {exact} are exact"),
        format!("{cases} cases"),
        format!("{within} are within the ULP"),
        format!("{approximate} are approximate ({images} of them images)"),
        format!("{none} have no effect"),
        format!("{unsupported} stop the kernel"),
    ] {
        assert!(readme.contains(&part), "{part}");
    }
}

/// A number as prose has it: `8,785`.
fn grouped(number: &str) -> String {
    match number.len() {
        0..=3 => number.to_owned(),
        n => format!("{},{}", &number[..n - 3], &number[n - 3..]),
    }
}

/// Every variable that the code reads has a row on the page, and the page has no other.
#[test]
fn variables_are_those_of_the_page() {
    let names = |text: &str| -> BTreeSet<String> {
        let at = text.split("WAVETANK_").skip(1);
        let name = |at: &str| {
            at.chars()
                .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                .collect()
        };
        at.map(name)
            .filter(|name: &String| !name.is_empty())
            .collect()
    };
    let mut used = BTreeSet::new();
    for crate_ in ["cli", "wavetank", "hsa"] {
        let mut folders = vec![root().join("crates").join(crate_).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder of sources") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs")
                    // The list of names has those of tests, too.
                    && !path.ends_with("environment/names.rs")
                {
                    let text = std::fs::read_to_string(&path).expect("a source");
                    let quoted = text.split('"').skip(1).step_by(2);
                    let whole = quoted.filter(|word| word.starts_with("WAVETANK_"));
                    used.extend(whole.flat_map(names));
                }
            }
        }
    }
    assert!(used.len() > 15, "{used:?}");
    assert_eq!(names(&read("docs/reference/environment.md")), used);
}
