//! The symbols of a source.

use std::collections::HashMap;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::rc::Rc;

use super::scopes::{Scopes, names_around};
use super::{FirstCharFilter, Location, SymbolId};
use crate::expression::{Expr, Variant};

/// What a symbol stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Definition {
    /// Nothing in this source, so far.
    Undefined,
    /// A location in a section.
    Label(Location),
    /// A value that has been set.
    Variable(Expr),
    /// Space that the linker reserves: size and alignment in bytes.
    Common(u64, u64),
    /// CLRX's registers by another name.
    Registers(Registers),
}

/// Registers side by side, such as `v[4:7]`, or one by its name, such as `vcc`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Registers {
    /// `v`, `s`, `ttmp`, or the name.
    pub file: Rc<str>,
    pub first: u32,
    /// 0: a register that has no number.
    pub count: u32,
}

impl Registers {
    /// Some of them, by their places.
    pub fn part(&self, first: i64, last: i64) -> Option<Registers> {
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
    /// `None`: no directive has set it, and it is local if the symbol is defined here.
    pub binding: Option<u8>,
    pub visibility: u8,
    pub kind: u8,
    pub size: Option<Expr>,
    /// Whether its value may be set anew, as those of `.set`.
    pub variable: bool,
    /// Whether something of the object names it, so that it has to stand in its table.
    pub used: bool,
}

/// All of them, by number and by name.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    all: Vec<Symbol>,
    by_name: HashMap<Rc<str>, SymbolId>,
    first_chars: FirstCharFilter,
    /// How often each number of local labels has been defined.
    local: HashMap<u64, u32>,
    /// The scopes of CLRX, from the first use on.
    scopes: Option<Scopes>,
    /// Whether calculations ask for halves of addresses, as CLRX's do.
    pub has_halves: bool,
}

impl Symbols {
    /// The symbol of a name; a new one, if there was none.
    pub fn id(&mut self, name: &str) -> SymbolId {
        if self.scopes.is_some() || name.contains("::") {
            let scopes = self.scopes.take().unwrap_or_else(Scopes::new);
            let name = self.meant(&scopes, name);
            self.scopes = Some(scopes);
            return self.exactly(&name);
        }
        self.exactly(name)
    }

    /// The symbol of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        match &self.scopes {
            Some(scopes) => self.by_name.get(self.meant(scopes, name).as_str()).copied(),
            None => self.by_name.get(name).copied(),
        }
    }

    /// Whether a name stands for something, or the source has said where it is bound: what only was named does not count.
    pub fn is_known(&self, name: &str) -> bool {
        let symbol = self.find(name).map(|id| &self[id]);
        symbol.is_some_and(|symbol| symbol.is_defined() || symbol.binding.is_some())
    }

    /// How many there are: what is named from here on can be forgotten.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Forgets what has been named since there were so many, of which nothing may be left.
    pub fn forget(&mut self, count: usize) {
        for symbol in self.all.drain(count..) {
            self.by_name.remove(&symbol.name);
        }
    }

    /// The first characters of all names.
    pub fn first_chars(&self) -> FirstCharFilter {
        self.first_chars
    }

    /// The symbol of a name that is defined where the source is read; a new one, if there was none.
    pub fn own(&mut self, name: &str) -> SymbolId {
        match &self.scopes {
            Some(scopes) => {
                let name = scopes.own(name);
                self.exactly(&name)
            }
            None => self.id(name),
        }
    }

    /// The full name of the symbol that a name means.
    fn meant(&self, scopes: &Scopes, name: &str) -> String {
        scopes.meant(name, |full| {
            let id = self.by_name.get(full);
            id.is_some_and(|id| self[*id].is_defined())
        })
    }

    /// The scopes of the source.
    pub fn scopes(&mut self) -> &mut Scopes {
        self.scopes.get_or_insert_with(Scopes::new)
    }

    /// At the end of a source, an undefined symbol of a scope becomes that of an enclosing scope.
    pub fn look_around(&mut self) {
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

    /// The local label of a number: the last before, or the next. `None` if there is none before.
    pub fn local(&mut self, number: u64, before: bool) -> Option<SymbolId> {
        let count = self.local.get(&number).copied().unwrap_or(0);
        let which = if before { count.checked_sub(1)? } else { count };
        Some(self.exactly(&local_name(number, which)))
    }

    /// Defines the next local label of a number.
    pub fn next_local(&mut self, number: u64) -> SymbolId {
        let count = self.local.entry(number).or_default();
        let which = *count;
        *count += 1;
        self.exactly(&local_name(number, which))
    }

    /// All symbols in the order in which they were named.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        let ids = (0..).map(SymbolId);
        ids.zip(&self.all)
    }
}

impl SymbolId {
    /// The index of the symbol in the order of first mention.
    pub fn index(self) -> usize {
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
    /// Whether only this source knows it: names that begin with `.L`, as compilers write them, numbers, registers, and what
    /// stands in scopes without a name.
    pub fn is_temporary(&self) -> bool {
        let registers = matches!(self.definition, Definition::Registers(_));
        self.name.starts_with(".L") || registers || self.name.contains('\u{1}')
    }

    /// Whether it stands for something.
    pub fn is_defined(&self) -> bool {
        self.definition != Definition::Undefined
    }

    /// The name as it was written.
    pub fn written(&self) -> &str {
        let number = self.name.strip_prefix(LOCAL);
        let simple = || match self.name.contains('\u{1}') {
            true => self.name.rsplit("::").next().unwrap_or(&self.name),
            false => &self.name,
        };
        number.map_or_else(simple, |n| n.split('\u{1}').next().unwrap_or(n))
    }
}

const LOCAL: &str = ".L\u{1}";

/// A name that no source can write.
fn local_name(number: u64, which: u32) -> String {
    format!("{LOCAL}{number}\u{1}{which}")
}
