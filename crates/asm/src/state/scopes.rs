//! CLRX's scopes: names within names ("CLRX Assembler Syntax", "Scopes").
//!
//! A scope is identified by its path with `::` at the end, the global scope by the empty text. The name of a symbol begins with
//! the path of its scope.

use std::collections::{HashMap, HashSet};

/// Limits of nested scopes, of the bytes of a path, and of the scopes searched for a name. Every symbol holds the path of its
/// scope.
const DEEPEST: usize = 64;
const LONGEST: usize = 500;
const MOST_USED: usize = 1000;

/// The mark of scopes without a name, which no source can write.
const LOCAL: char = '\u{1}';

/// The scopes of a source.
#[derive(Debug)]
pub(crate) struct Scopes {
    /// The open scopes, innermost last.
    open: Vec<String>,
    known: HashSet<String>,
    /// The scopes that each scope uses, most recent first.
    uses: HashMap<String, Vec<String>>,
    locals: u32,
}

impl Scopes {
    pub(crate) fn new() -> Self {
        Scopes {
            open: vec![String::new()],
            known: HashSet::from([String::new()]),
            uses: HashMap::new(),
            locals: 0,
        }
    }

    /// Returns the path of the innermost scope.
    pub(crate) fn current(&self) -> &str {
        self.open.last().map_or("", String::as_str)
    }

    /// Opens a scope, an unnamed one for `None`; returns `false` if scopes are nested too deeply.
    #[must_use]
    pub(crate) fn enter(&mut self, path: Option<&str>) -> bool {
        let length = self.current().len() + path.map_or(0, str::len);
        if self.open.len() >= DEEPEST || length >= LONGEST {
            return false;
        }
        let scope = match path {
            Some(path) => self.scope(&format!("{path}::")),
            None => {
                self.locals += 1;
                format!("{}{LOCAL}{}::", self.current(), self.locals)
            }
        };
        self.known.insert(scope.clone());
        self.open.push(scope);
        true
    }

    /// Closes the innermost scope; `false` if there is none.
    #[must_use]
    pub(crate) fn leave(&mut self) -> bool {
        self.open.len() > 1 && self.open.pop().is_some()
    }

    /// Makes the symbols of another scope visible in the innermost one.
    pub(crate) fn start_using(&mut self, path: &str) {
        let scope = self.scope(&format!("{path}::"));
        self.known.insert(scope.clone());
        let uses = self.uses.entry(self.current().to_owned()).or_default();
        uses.retain(|used| *used != scope);
        uses.insert(0, scope);
    }

    /// Ends the use of one scope, or of all for `None`.
    pub(crate) fn stop_using(&mut self, path: Option<&str>) {
        let scope = path.map(|path| self.scope(&format!("{path}::")));
        let here = self.current().to_owned();
        if let Some(uses) = self.uses.get_mut(&here) {
            uses.retain(|used| scope.as_ref().is_some_and(|scope| used != scope));
        }
    }

    /// Returns the scope that a path ending with `::` names, searched from the innermost scope outwards, or a new one in the
    /// innermost.
    fn scope(&self, path: &str) -> String {
        if let Some(global) = path.strip_prefix("::") {
            return global.to_owned();
        }
        let first = &path[..path.find("::").map_or(path.len(), |end| end + 2)];
        let here = self.current();
        let at = outwards(here).find(|scope| self.known.contains(&format!("{scope}{first}")));
        format!("{}{path}", at.unwrap_or(here))
    }

    /// Returns the full name of a symbol that is defined here.
    pub(crate) fn own(&self, name: &str) -> String {
        match name.rfind("::") {
            Some(end) => format!("{}{}", self.scope(&name[..end + 2]), &name[end + 2..]),
            None => format!("{}{name}", self.current()),
        }
    }

    /// Returns the full name of the symbol that a name refers to here. If there is none, the name is one of the innermost scope.
    pub(crate) fn meant(&self, name: &str, is_there: impl Fn(&str) -> bool) -> String {
        let own = self.own(name);
        if name.contains("::") {
            return own;
        }
        let mut passed = HashSet::new();
        let mut outer = outwards(self.current());
        let found = outer.find_map(|scope| self.seen(scope, name, &is_there, &mut passed));
        found.unwrap_or(own)
    }

    /// Returns the full name of a symbol of a scope, or of a scope that it uses.
    fn seen<'s>(
        &'s self,
        scope: &'s str,
        name: &str,
        is_there: &impl Fn(&str) -> bool,
        passed: &mut HashSet<&'s str>,
    ) -> Option<String> {
        let full = format!("{scope}{name}");
        if is_there(&full) {
            return Some(full);
        }
        // Scopes may use each other in a cycle, and chains of them may be long.
        if passed.len() >= MOST_USED || !passed.insert(scope) {
            return None;
        }
        let uses = self.uses.get(scope)?.iter();
        let mut left = uses.take(MOST_USED);
        left.find_map(|used| self.seen(used, name, is_there, passed))
    }
}

/// Returns a scope and the scopes around it, innermost first.
fn outwards(scope: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(scope), |scope| {
        let inner = scope.strip_suffix("::")?;
        Some(&scope[..inner.rfind("::").map_or(0, |end| end + 2)])
    })
}

/// Returns the names that an undefined symbol may refer to, in the enclosing scopes.
pub(crate) fn names_around(name: &str) -> impl Iterator<Item = String> + '_ {
    let end = name.rfind("::").map_or(0, |end| end + 2);
    let (scope, simple) = name.split_at(end);
    outwards(scope)
        .skip(1)
        .map(move |scope| format!("{scope}{simple}"))
}
