//! Names of addresses in the generated source.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use wavetank_link::{Linked, Place, Relocatable, Symbol, elf};

use crate::source::is_name;

/// The names of addresses.
pub(super) struct Names {
    /// The symbol at each address that has one.
    addresses: BTreeMap<u64, String>,
    /// Loaded sections by index: address, size, and the label at the beginning.
    sections: BTreeMap<usize, (u64, u64, String)>,
    /// The symbol of each entry in the global offset table.
    entries: BTreeMap<u64, String>,
    reserved: HashSet<String>,
    /// Whether the sections have addresses.
    pub linked: bool,
}

/// Whether a symbol is written to the source: it needs a name, and must not be of type section or file.
pub(super) fn stands(symbol: &Symbol) -> bool {
    let kinds = [elf::STT_SECTION, elf::STT_FILE];
    !symbol.name.is_empty() && !kinds.contains(&symbol.kind)
}

/// Gives symbols of the same name names of their own, as a source needs them: `label`, `label.2`, `label.3`. Linkers join objects whose
/// local symbols have the same names, and keep them all.
pub(super) fn make_unique(symbols: &mut [Symbol]) {
    let mut taken: HashSet<String> = HashSet::new();
    let is_local = |symbol: &Symbol| {
        symbol.binding == elf::STB_LOCAL && symbol.place != Place::Undefined && stands(symbol)
    };
    taken.extend(
        symbols
            .iter()
            .filter(|s| !is_local(s))
            .map(|s| s.name.clone()),
    );
    let all: HashSet<String> = symbols.iter().map(|s| s.name.clone()).collect();
    let mut counts: HashMap<String, u64> = HashMap::new();
    for symbol in symbols.iter_mut().filter(|s| is_local(s)) {
        if taken.insert(symbol.name.clone()) {
            continue;
        }
        let count = counts.entry(symbol.name.clone()).or_insert(1);
        loop {
            *count += 1;
            let name = format!("{}.{count}", symbol.name);
            if !all.contains(&name) {
                symbol.name = name;
                break;
            }
        }
    }
}

impl Names {
    pub(super) fn of(linked: &Linked) -> Names {
        let mut names = Names {
            addresses: BTreeMap::new(),
            sections: BTreeMap::new(),
            entries: BTreeMap::new(),
            reserved: linked.symbols.iter().map(|s| s.name.clone()).collect(),
            linked: true,
        };
        for symbol in linked.symbols.iter().filter(|s| stands(s)) {
            if matches!(symbol.place, Place::Section(_)) {
                names
                    .addresses
                    .entry(symbol.value)
                    .or_insert_with(|| symbol.name.clone());
            }
        }
        for (n, section) in linked.sections.iter().enumerate() {
            if section.flags & elf::SHF_ALLOC != 0 {
                let label = names.unused(&format!(".Lsection{n}"));
                names
                    .sections
                    .insert(n, (section.address, section.size, label));
            }
        }
        for address in linked.addresses.iter().filter(|a| a.global_offset) {
            let symbol = match &address.symbol {
                Some(name) => Some(name.clone()),
                None => names.addresses.get(&(address.addend as u64)).cloned(),
            };
            if let Some(symbol) = symbol {
                names.entries.insert(address.at, symbol);
            }
        }
        names
    }

    /// Returns the labels of the sections that relocations of an object file name.
    pub(super) fn of_object(object: &Relocatable) -> Names {
        let mut names = Names {
            addresses: BTreeMap::new(),
            sections: BTreeMap::new(),
            entries: BTreeMap::new(),
            reserved: object.symbols.iter().map(|s| s.name.clone()).collect(),
            linked: false,
        };
        let relocations = object.sections.iter().flat_map(|s| &s.relocations);
        let symbols = relocations.filter_map(|r| object.symbols.get(r.symbol));
        for symbol in symbols.filter(|s| s.kind == elf::STT_SECTION) {
            if let Place::Section(n) = symbol.place {
                let label = names.unused(&format!(".Lsection{n}"));
                names
                    .sections
                    .insert(n, (0, object.sections[n].size, label));
            }
        }
        names
    }

    /// Returns a name that no symbol has.
    pub(super) fn unused(&self, stem: &str) -> String {
        let mut name = stem.to_owned();
        while self.reserved.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Returns the expression for an address: a symbol, or a distance from the beginning of its section.
    pub(super) fn address(&self, address: u64) -> Option<String> {
        if let Some(name) = self.addresses.get(&address) {
            return Some(written(name).into_owned());
        }
        let inside = self
            .sections
            .values()
            .filter(|_| self.linked)
            .find(|(start, size, _)| (*start..=start + size).contains(&address));
        inside.map(|(start, _, label)| match address - start {
            0 => label.clone(),
            distance => format!("{label}+{distance}"),
        })
    }

    /// Returns the symbol whose entry in the global offset table is at an address.
    pub(super) fn entry(&self, address: u64) -> Option<Cow<'_, str>> {
        self.entries.get(&address).map(|name| written(name))
    }

    /// Returns the label at the beginning of a loaded section.
    pub(super) fn section(&self, number: usize) -> Option<&str> {
        self.sections
            .get(&number)
            .map(|(_, _, label)| label.as_str())
    }
}

/// Returns a name as it is written, quoted if necessary.
pub(super) fn written(name: &str) -> Cow<'_, str> {
    let plain = name.bytes().all(|b| is_name(b) && b != b'@')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain {
        name.into()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")).into()
    }
}
