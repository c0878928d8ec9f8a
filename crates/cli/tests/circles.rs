//! No circle between the files of a crate, but for those that are named here.
//!
//! A file uses another one if it names something that stands there: by a path
//! from `crate`, `self`, `super` or one of its own modules, in a `use` or in the
//! middle of code. What is re-exported, or brought into scope by a parent, counts
//! where it is defined. Declaring a module is no use of it, nor is re-exporting
//! from it: a `mod.rs` with nothing else is nobody's user. Tests do not count.
//!
//! Files are found by the `mod` lines that declare them, with their `path` attributes. A file that no line declares, as
//! where a macro writes it, would be left out unseen: each `.rs` below `src` has to be declared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that know each other: the crate, the modules, and why they do.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "ir",
        "effects export form form_memory functions image mem names op operands operations print surface_atomic table verify",
        "a row of the table names the form, the rule and the effects of an operation, which are made of its fields",
    ),
    (
        "lift",
        "value::cond value::float value::int",
        "values of each kind are made of those of the others: comparisons of numbers, numbers chosen by conditions",
    ),
    (
        "machine",
        "schedule workgroup",
        "a work-group asks the scheduler's worker to run its waves",
    ),
    (
        "memory",
        "lane_moves lane_moves::host",
        "the host's moves are those of a level of processor features, and the moves of all levels are made of them",
    ),
    (
        "wavetank",
        "arg buffer device kernel module",
        "handles know what they were made from and make the next one: device, module, kernel; buffers their device",
    ),
];

/// A path of names.
type Names = Vec<String>;

/// A module: its path from the root of the crate.
type Module = Names;

#[test]
fn no_circle_between_files_but_those_named() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(crates).expect("the folder of crates") {
        let path = entry.expect("an entry").path();
        if path.join("src").is_dir() {
            let name = path.file_name().expect("a name").to_string_lossy();
            let sources = Sources::read(&path.join("src"));
            let undeclared = sources.undeclared(&path.join("src"));
            assert!(
                undeclared.is_empty(),
                "no `mod` declares these files: {undeclared:#?}"
            );
            let circles = sources.circles();
            found.extend(circles.into_iter().map(|c| (name.to_string(), c)));
        }
    }
    let known = KNOWN.iter().map(|(name, modules, _)| {
        let modules = modules.split_whitespace().map(str::to_owned);
        ((*name).to_owned(), modules.collect())
    });
    let known: BTreeSet<(String, Vec<String>)> = known.collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "new circles: {new:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no circles any more: {gone:#?}");
    assert!(KNOWN.iter().all(|(_, _, why)| !why.is_empty()));
}

#[test]
fn circles_are_found() {
    let circles = |files: &[(&str, &str)]| {
        let modules = files
            .iter()
            .map(|(name, text)| (names(name), File::of(text)));
        Sources {
            files: modules.collect(),
            declared: BTreeSet::new(),
        }
        .circles()
    };
    let pair = vec![vec!["a".to_owned(), "b".to_owned()]];
    let (uses_a, uses_b) = ("use crate::a::A;", "struct A; fn f() { super::b::g() }");
    assert_eq!(circles(&[("", ""), ("a", uses_b), ("b", uses_a)]), pair);
    // By what the root re-exports, with other names, and by way of a parent's scope.
    let root = "mod a; mod b; pub use a::{A as First, self}; pub use b::*; use a::A as Hidden;";
    for use_a in [
        "use crate::First;",
        "use super::{Hidden};",
        "type T = crate::a::A;",
    ] {
        assert_eq!(
            circles(&[
                ("", root),
                ("a", "struct A; use crate::B;"),
                ("b", &format!("pub struct B; {use_a}"))
            ]),
            pair,
            "{use_a}"
        );
    }
    // A parent that only declares and re-exports is in no circle; one that calls is.
    let child = ("p::c", "use super::P;");
    assert!(circles(&[("p", "mod c; pub use c::C; struct P;"), child]).is_empty());
    assert_eq!(
        circles(&[("p", "mod c; struct P; fn f() { c::g() }"), child]).len(),
        1
    );
    // Neither comments, nor text, nor tests count.
    for text in [
        "// crate::a::A\n/* crate::a /* */ crate::a */",
        r##"const Q: char = '"'; const T: &str = "\" crate::a::A"; const R: &str = r#"" crate::a"#;"##,
        "#[cfg(test)]\nmod tests { use crate::a::A; fn f() { {} } }",
        "#[test]\nfn f<'a>() { crate::a::A }",
    ] {
        assert!(circles(&[("a", uses_b), ("b", text)]).is_empty(), "{text}");
    }
}

/// A path in words: `p::c`.
fn names(path: &str) -> Names {
    let names = path.split("::").filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[test]
fn attributes_name_the_files_of_modules() {
    let text = r##"
        mod plain;
        #[path = "other.rs"]
        #[rustfmt::skip]
        mod moved;
        #[cfg_attr(unix, path = "a.rs")]
        #[cfg_attr(windows, path = "b.rs")]
        mod host;
        const PATH: &str = "path = c.rs";
        mod inside {}
        #[cfg(test)]
        #[path = "tests/of_this.rs"]
        mod tests;
    "##;
    let declared = declared(&tokens(text));
    let files = |name: &str| declared[name].join(" ");
    assert_eq!(declared.len(), 5);
    assert_eq!(files("plain"), "");
    assert_eq!(files("moved"), "other.rs");
    assert_eq!(files("host"), "a.rs b.rs");
    assert_eq!(files("inside"), "");
    assert_eq!(files("tests"), "tests/of_this.rs");
    let file = File::of(text);
    assert!(file.children.contains("host") && !file.children.contains("tests"));
}

/// What a file says of modules.
#[derive(Default)]
struct File {
    /// The modules that it declares, but for those of tests.
    children: BTreeSet<String>,
    /// All modules that it declares, each with the files that its attributes name.
    declared: BTreeMap<String, Vec<String>>,
    /// Paths that it names, as they are written.
    paths: Vec<Names>,
    /// What `use` gives names to, with `*` where it is everything.
    scope: Vec<(String, Names)>,
    /// What it defines.
    defined: BTreeSet<String>,
}

impl File {
    fn of(text: &str) -> File {
        let all = tokens(text);
        let tokens = without_tests(&all);
        let mut file = File {
            declared: declared(&all),
            ..File::default()
        };
        for pair in tokens.windows(2) {
            match pair[0].as_str() {
                "mod" => file.children.insert(pair[1].clone()),
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" => {
                    file.defined.insert(pair[1].clone())
                }
                _ => false,
            };
        }
        let mut at = 0;
        while at < tokens.len() {
            let public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
            if tokens[at] == "use" {
                at += 1;
                let mut tree = Vec::new();
                use_tree(&tokens, &mut at, &[], &mut tree);
                tree.retain(|(_, path)| file.is_ours(path));
                for (name, path) in tree {
                    if !public {
                        file.paths.push(path.clone());
                    }
                    file.scope.push((name, path));
                }
            } else {
                let starts = at == 0 || tokens[at - 1] != "::";
                let path = path_at(&tokens, at);
                at += (2 * path.len()).max(2) - 1;
                if starts && path.len() > 1 && file.is_ours(&path) {
                    file.paths.push(path);
                }
            }
        }
        file
    }

    /// Adds another file of the same module.
    fn join(&mut self, other: File) {
        self.children.extend(other.children);
        self.declared.extend(other.declared);
        self.paths.extend(other.paths);
        self.scope.extend(other.scope);
        self.defined.extend(other.defined);
    }

    /// Whether a path begins in this crate.
    fn is_ours(&self, path: &[String]) -> bool {
        let first = path.first().map_or("", String::as_str);
        ["crate", "self", "super"].contains(&first) || self.children.contains(first)
    }
}

/// The modules that are declared, each with the files that its attributes name.
fn declared(tokens: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut modules: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut files = Vec::new();
    for at in 0..tokens.len() {
        match &tokens[at..] {
            [path, is, file, ..] if path == "path" && is == "=" && file.starts_with('"') => {
                files.push(file.trim_matches('"').to_owned());
            }
            [word, name, ..] if word == "mod" && is_name(name) => {
                modules.entry(name.clone()).or_default().append(&mut files);
            }
            [end, ..] if end == ";" || end == "}" => files.clear(),
            _ => {}
        }
    }
    modules
}

/// The path that begins with a token; empty if none does.
fn path_at(tokens: &[String], mut at: usize) -> Names {
    let mut path = Names::new();
    while tokens.get(at).is_some_and(|token| is_name(token)) {
        path.push(tokens[at].clone());
        if tokens.get(at + 1).is_none_or(|token| token != "::") {
            break;
        }
        at += 2;
    }
    path
}

/// The names and paths of the tree of a `use`, which begins at a token and ends before another one.
fn use_tree(tokens: &[String], at: &mut usize, before: &[String], out: &mut Vec<(String, Names)>) {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(*at) {
        *at += 1;
        match token.as_str() {
            "::" => {}
            "{" => {
                while tokens.get(*at).is_some_and(|token| token != "}") {
                    use_tree(tokens, at, &path, out);
                    *at += usize::from(tokens.get(*at).is_some_and(|token| token == ","));
                }
                *at += 1;
                return;
            }
            "*" => return out.push(("*".to_owned(), path)),
            "as" => {
                let name = tokens.get(*at).cloned().unwrap_or_default();
                *at += 1;
                return out.push((name, path));
            }
            name if is_name(name) => {
                // `self` at the end of a path is the path.
                if name != "self" || path.is_empty() {
                    path.push(name.to_owned());
                }
                let goes_on = |next: &String| next == "::" || next == "as";
                if !tokens.get(*at).is_some_and(goes_on) {
                    let name = path.last().cloned().unwrap_or_default();
                    return out.push((name, path));
                }
            }
            _ => {
                *at -= 1;
                return;
            }
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The names, marks and plain literals of text of a source, without its comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '"' => quoted(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw(rest),
            '\'' => quote(rest),
            c if is_name(&c.to_string()) => {
                let inside = |c: char| c.is_alphanumeric() || c == '_';
                rest.find(|c| !inside(c)).unwrap_or(rest.len())
            }
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let told = is_name(token) && !token.contains(['"', '#']) || token.starts_with('"');
        if told || token == "::" || token.chars().count() == 1 && !c.is_whitespace() {
            tokens.push(token.to_owned());
        }
        rest = after;
    }
    tokens
}

/// The length of a comment with those inside it.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < text.len() {
        let rest = &text.as_bytes()[at..];
        let (step, change) = match rest {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += step;
        depth += change;
    }
    at
}

/// The length of a text in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The length of `r"…"` or `r#"…"#`, or of the sign before a raw name.
fn raw(text: &str) -> usize {
    let marks = text[1..].chars().take_while(|c| *c == '#').count();
    if !text[1 + marks..].starts_with('"') {
        return 1 + marks;
    }
    let end = format!("\"{}", "#".repeat(marks));
    let start = 2 + marks;
    let found = text[start..].find(&end);
    found.map_or(text.len(), |at| start + at + end.len())
}

/// The length of a character in quotes; of the mark alone, if it begins a lifetime.
fn quote(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((after, _))) => {
            let end = text[after + 1..].find('\'');
            end.map_or(text.len(), |at| after + 1 + at + 1)
        }
        (_, Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// What is left without the items that only tests have.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let begins = |at: usize, marks: &[&str]| {
        let rest = &tokens[at..];
        rest.len() >= marks.len() && rest.iter().zip(marks).all(|(token, mark)| token == mark)
    };
    let (mut out, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if begins(at, &TEST) || begins(at, &["#", "[", "test", "]"]) {
            at = item_end(tokens, at);
        } else {
            out.push(tokens[at].clone());
            at += 1;
        }
    }
    out
}

/// Behind the item that begins at a token with its attributes: behind its `;`, or behind its braces.
fn item_end(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && (token == ";" || token == "}") {
            break;
        }
    }
    at
}

/// The modules of a crate.
struct Sources {
    /// All but those of tests.
    files: BTreeMap<Module, File>,
    /// The files of all modules.
    declared: BTreeSet<PathBuf>,
}

impl Sources {
    /// The modules that the root declares, and those that they declare.
    fn read(folder: &Path) -> Sources {
        let root = ["lib.rs", "main.rs"].map(|name| folder.join(name));
        let root = root.into_iter().find(|path| path.exists());
        let mut sources = Sources {
            files: BTreeMap::new(),
            declared: BTreeSet::new(),
        };
        sources.add(&[root.expect("a root")], folder, &Module::new(), true);
        sources
    }

    /// A module in one of some files, one a host, and the modules that they declare, which stand in a folder. It counts unless
    /// it is for tests.
    fn add(&mut self, paths: &[PathBuf], folder: &Path, module: &Module, counts: bool) {
        for path in paths {
            let file = File::of(&fs::read_to_string(path).expect("a source is text"));
            self.declared.insert(path.clone());
            for (child, named) in &file.declared {
                let inside = folder.join(child);
                let module = [&module[..], std::slice::from_ref(child)].concat();
                let counts = counts && file.children.contains(child);
                if named.is_empty() {
                    let paths = [folder.join(format!("{child}.rs")), inside.join("mod.rs")];
                    // A module without a file stands in this one.
                    if let Some(path) = paths.into_iter().find(|path| path.exists()) {
                        self.add(&[path], &inside, &module, counts);
                    }
                } else {
                    let beside = path.parent().expect("a file is in a folder");
                    let paths: Vec<_> = named.iter().map(|file| beside.join(file)).collect();
                    self.add(&paths, beside, &module, counts);
                }
            }
            if counts {
                self.files.entry(module.clone()).or_default().join(file);
            }
        }
    }

    /// The sources below a folder that are the file of no module.
    fn undeclared(&self, folder: &Path) -> Vec<PathBuf> {
        let mut undeclared = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                undeclared.append(&mut self.undeclared(&path));
            } else if path.extension().is_some_and(|e| e == "rs") && !self.declared.contains(&path)
            {
                undeclared.push(path);
            }
        }
        undeclared
    }

    /// The modules that know each other, in their order.
    fn circles(&self) -> Vec<Vec<String>> {
        let reached: BTreeMap<&Module, BTreeSet<Module>> = self
            .files
            .keys()
            .map(|module| (module, self.reach(module)))
            .collect();
        let mut circles = BTreeSet::new();
        for (module, reach) in &reached {
            let back = |other: &&Module| reached[*other].contains(*module);
            let circle: Vec<String> = reach.iter().filter(back).map(|m| m.join("::")).collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    /// The modules that a module uses, and those that they use.
    fn reach(&self, module: &Module) -> BTreeSet<Module> {
        let (mut reached, mut left) = (BTreeSet::new(), vec![module.clone()]);
        while let Some(module) = left.pop() {
            for used in self.used(&module) {
                if reached.insert(used.clone()) {
                    left.push(used);
                }
            }
        }
        reached
    }

    /// The other modules that a module names something of.
    fn used(&self, module: &Module) -> BTreeSet<Module> {
        let paths = self.files[module].paths.iter();
        let used = paths.map(|path| self.defining(module, path, 0));
        used.filter(|used| used != module).collect()
    }

    /// The module that defines what a path in a module names.
    fn defining(&self, module: &Module, path: &[String], depth: usize) -> Module {
        let mut at = module.clone();
        for (n, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at = Module::new(),
                "self" => {}
                "super" => drop(at.pop()),
                _ => {
                    let inside = [&at[..], std::slice::from_ref(name)].concat();
                    if self.files.contains_key(&inside) {
                        at = inside;
                    } else {
                        return self.defining_name(at, name, &path[n + 1..], depth);
                    }
                }
            }
        }
        at
    }

    /// The module that defines a name which another one has, and what follows in its path.
    fn defining_name(&self, module: Module, name: &str, rest: &[String], depth: usize) -> Module {
        let Some(file) = self.files.get(&module) else {
            return module;
        };
        if file.defined.contains(name) || depth > 8 {
            return module;
        }
        let scope = |wanted: &'static str| file.scope.iter().filter(move |(n, _)| n == wanted);
        let named = file.scope.iter().find(|(n, _)| n == name);
        if let Some((_, path)) = named {
            return self.defining(&module, &[path, rest].concat(), depth + 1);
        }
        for (_, path) in scope("*") {
            let from = self.defining(&module, path, depth + 1);
            if self
                .files
                .get(&from)
                .is_some_and(|f| f.defined.contains(name))
            {
                return from;
            }
        }
        module
    }
}
