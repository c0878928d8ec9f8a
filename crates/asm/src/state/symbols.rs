//! The symbols of a source.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};
use std::rc::Rc;

use super::Spot;
use crate::expression::Expr;

/// A symbol's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SymbolId(u32);

/// What a symbol stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Definition {
    /// Nothing in this source, so far.
    Undefined,
    /// A place.
    Label(Spot),
    /// A value that has been set.
    Variable(Expr),
    /// Room that the linker makes: size and alignment in bytes.
    Common(u64, u64),
}

/// A symbol. `binding`, `visibility` and `kind` are ELF's `STB_*`, `STV_*`, `STT_*`.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub name: Rc<str>,
    pub definition: Definition,
    /// `None`: nobody has said; local if it is defined here.
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
    /// How often each number of local labels has been defined.
    local: HashMap<u64, u32>,
}

impl Symbols {
    /// The symbol of a name; a new one, if there was none.
    pub fn id(&mut self, name: &str) -> SymbolId {
        match self.by_name.get(name) {
            Some(id) => *id,
            None => self.add(name.into()),
        }
    }

    /// The symbol of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.by_name.get(name).copied()
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
        self.by_name.insert(name, id);
        id
    }

    /// The local label of a number: the last before, or the next. `None` if there is none before.
    pub fn local(&mut self, number: u64, before: bool) -> Option<SymbolId> {
        let count = self.local.get(&number).copied().unwrap_or(0);
        let which = if before { count.checked_sub(1)? } else { count };
        Some(self.id(&local_name(number, which)))
    }

    /// Defines the next local label of a number.
    pub fn next_local(&mut self, number: u64) -> SymbolId {
        let count = self.local.entry(number).or_default();
        let which = *count;
        *count += 1;
        self.id(&local_name(number, which))
    }

    /// All symbols in the order in which they were named.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        let ids = (0..).map(SymbolId);
        ids.zip(&self.all)
    }
}

impl SymbolId {
    /// Its place in the order of all.
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
    /// Whether only this source knows it: names that begin with `.L`, as compilers write them, and numbers.
    pub fn is_temporary(&self) -> bool {
        self.name.starts_with(".L")
    }

    /// Whether it stands for something.
    pub fn is_defined(&self) -> bool {
        self.definition != Definition::Undefined
    }

    /// The name as it was written.
    pub fn written(&self) -> &str {
        let number = self.name.strip_prefix(LOCAL);
        number.map_or(&self.name, |n| n.split('\u{1}').next().unwrap_or(n))
    }
}

const LOCAL: &str = ".L\u{1}";

/// A name that no source can write.
fn local_name(number: u64, which: u32) -> String {
    format!("{LOCAL}{number}\u{1}{which}")
}
