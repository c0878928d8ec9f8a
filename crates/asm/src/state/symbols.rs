//! The symbols of a source, with their definitions and ELF attributes.

use std::collections::HashMap;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::rc::Rc;

use super::scopes::{Scopes, names_around};
use super::{FirstCharFilter, Location, SymbolId};
use crate::expression::{Expr, Variant};

/// The definition of a symbol.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Definition {
    /// Not defined in this source so far.
    Undefined,
    /// A location in a section.
    Label(Location),
    /// A value that `.set` or `=` has assigned.
    Variable(Expr),
    /// Space that the linker reserves: size and alignment in bytes.
    Common(u64, u64),
    /// Registers that CLRX's sources give a name.
    Registers(Registers),
}

/// Adjacent registers, such as `v[4:7]`, or a single register by name, such as `vcc`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Registers {
    /// The register file, `v`, `s` or `ttmp`, or the name of the register.
    pub file: Rc<str>,
    pub first: u32,
    /// The number of registers; 0 for a register without a number.
    pub count: u32,
}

impl Registers {
    /// Returns a part of the registers, by their positions.
    pub(crate) fn part(&self, first: i64, last: i64) -> Option<Registers> {
        let inside = 0 <= first && first <= last && last < i64::from(self.count);
        inside.then(|| Registers {
            file: self.file.clone(),
            first: self.first + first as u32,
            count: (last - first) as u32 + 1,
        })
    }
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Registers { file, first, count } = self;
        match count {
            0 => write!(f, "{file}"),
            1 => write!(f, "{file}{first}"),
            _ => write!(f, "{file}[{first}:{}]", first + (count - 1)),
        }
    }
}

/// A symbol. `binding`, `visibility` and `kind` are ELF's `STB_*`, `STV_*`, `STT_*`.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub name: Rc<str>,
    pub definition: Definition,
    /// `None` if no directive has set it: the symbol is then local if it is defined here.
    pub binding: Option<u8>,
    pub visibility: u8,
    pub kind: u8,
    pub size: Option<Expr>,
    /// Whether the value may be set again, as with `.set`.
    pub variable: bool,
    /// Whether the object refers to the symbol, so that it must be in the symbol table.
    pub used: bool,
}

/// All symbols, by number and by name.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    all: Vec<Symbol>,
    by_name: HashMap<Rc<str>, SymbolId>,
    first_chars: FirstCharFilter,
    /// The number of definitions of each local label.
    local: HashMap<u64, u32>,
    /// The scopes of CLRX, created at their first use.
    scopes: Option<Scopes>,
    /// Whether expressions use halves of addresses, as CLRX's do.
    pub has_halves: bool,
}

impl Symbols {
    /// Returns the symbol of a name, and creates it if there is none.
    pub(crate) fn id(&mut self, name: &str) -> SymbolId {
        if self.scopes.is_some() || name.contains("::") {
            let scopes = self.scopes.take().unwrap_or_else(Scopes::new);
            let name = self.meant(&scopes, name);
            self.scopes = Some(scopes);
            return self.exactly(&name);
        }
        self.exactly(name)
    }

    /// Returns the symbol of a name, if there is one.
    pub(crate) fn find(&self, name: &str) -> Option<SymbolId> {
        match &self.scopes {
            Some(scopes) => self.by_name.get(self.meant(scopes, name).as_str()).copied(),
            None => self.by_name.get(name).copied(),
        }
    }

    /// Whether a name is defined, or a directive has set its binding; a mere reference does not count.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        let symbol = self.find(name).map(|id| &self[id]);
        symbol.is_some_and(|symbol| symbol.is_defined() || symbol.binding.is_some())
    }

    /// Returns the number of symbols. Symbols created after this can be removed by [`forget`](Self::forget).
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Removes the symbols created after `count`, to which nothing may refer any more.
    pub(crate) fn forget(&mut self, count: usize) {
        for symbol in self.all.drain(count..) {
            self.by_name.remove(&symbol.name);
        }
    }

    /// Returns the first characters of all names.
    pub(crate) fn first_chars(&self) -> FirstCharFilter {
        self.first_chars
    }

    /// Returns the symbol of a name in the current scope, and creates it if there is none.
    pub(crate) fn own(&mut self, name: &str) -> SymbolId {
        match &self.scopes {
            Some(scopes) => {
                let name = scopes.own(name);
                self.exactly(&name)
            }
            None => self.id(name),
        }
    }

    /// Returns the full name of the symbol that a name refers to.
    fn meant(&self, scopes: &Scopes, name: &str) -> String {
        scopes.meant(name, |full| {
            let id = self.by_name.get(full);
            id.is_some_and(|id| self[*id].is_defined())
        })
    }

    /// Returns the scopes of the source, created at their first use.
    pub(crate) fn scopes(&mut self) -> &mut Scopes {
        self.scopes.get_or_insert_with(Scopes::new)
    }

    /// At the end of a source, resolves each undefined symbol of a scope to that of an enclosing scope.
    pub(crate) fn look_around(&mut self) {
        if self.scopes.is_none() {
            return;
        }
        let is_inner = |s: &&Symbol| !s.is_defined() && s.name.contains("::");
        let inner: Vec<Rc<str>> = self
            .all
            .iter()
            .filter(is_inner)
            .map(|s| s.name.clone())
            .collect();
        for name in inner {
            let around = names_around(&name).find_map(|name| self.by_name.get(name.as_str()));
            let around = around.copied().filter(|id| self[*id].is_defined());
            if let (Some(outer), Some(id)) = (around, self.by_name.get(&name).copied()) {
                self[id].definition = Definition::Variable(Expr::Symbol(outer, Variant::None));
            }
        }
    }

    fn exactly(&mut self, name: &str) -> SymbolId {
        match self.by_name.get(name) {
            Some(id) => *id,
            None => self.add(name.into()),
        }
    }

    fn add(&mut self, name: Rc<str>) -> SymbolId {
        let id = SymbolId(self.all.len() as u32);
        self.all.push(Symbol {
            name: name.clone(),
            definition: Definition::Undefined,
            binding: None,
            visibility: 0,
            kind: 0,
            size: None,
            variable: false,
            used: false,
        });
        self.first_chars.insert(&name);
        self.by_name.insert(name, id);
        id
    }

    /// Returns the local label of a number: the last one before, or the next one. `None` if there is none before.
    pub(crate) fn local(&mut self, number: u64, before: bool) -> Option<SymbolId> {
        let count = self.local.get(&number).copied().unwrap_or(0);
        let which = if before { count.checked_sub(1)? } else { count };
        Some(self.exactly(&local_name(number, which)))
    }

    /// Creates the next local label of a number.
    pub(crate) fn next_local(&mut self, number: u64) -> SymbolId {
        let count = self.local.entry(number).or_default();
        let which = *count;
        *count += 1;
        self.exactly(&local_name(number, which))
    }

    /// Returns all symbols in the order in which they were first named.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        let ids = (0..).map(SymbolId);
        ids.zip(&self.all)
    }
}

impl SymbolId {
    /// Returns the index of the symbol in the order of first mention.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Index<SymbolId> for Symbols {
    type Output = Symbol;

    fn index(&self, id: SymbolId) -> &Symbol {
        &self.all[id.index()]
    }
}

impl IndexMut<SymbolId> for Symbols {
    fn index_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.all[id.index()]
    }
}

impl Symbol {
    /// Whether the symbol is private to this source: names that begin with `.L`, as compilers write them, local labels,
    /// registers, and symbols of unnamed scopes.
    pub(crate) fn is_temporary(&self) -> bool {
        let registers = matches!(self.definition, Definition::Registers(_));
        self.name.starts_with(".L") || registers || self.name.contains('\u{1}')
    }

    /// Whether the symbol is defined.
    pub(crate) fn is_defined(&self) -> bool {
        self.definition != Definition::Undefined
    }

    /// Returns the name as it was written.
    pub(crate) fn written(&self) -> &str {
        let number = self.name.strip_prefix(LOCAL);
        let simple = || {
            if self.name.contains('\u{1}') {
                self.name.rsplit("::").next().unwrap_or(&self.name)
            } else {
                &self.name
            }
        };
        number.map_or_else(simple, |n| n.split('\u{1}').next().unwrap_or(n))
    }
}

const LOCAL: &str = ".L\u{1}";

/// Returns an internal name that no source can write.
fn local_name(number: u64, which: u32) -> String {
    format!("{LOCAL}{number}\u{1}{which}")
}
