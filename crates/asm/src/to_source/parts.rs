//! The sections of a linked object, with the items at each of their offsets.

use std::collections::{BTreeMap, BTreeSet};

use wavetank_gcn::tables::{Field, Kind};
use wavetank_gcn::{Chip, Operand, decode};
use wavetank_link::{Linked, Symbol, elf};
use wavetank_object::{DESCRIPTOR_SIZE, KERNEL_CODE_SIZE};

use super::names::{Names, stands};

/// All sections, in the order of the file.
pub(super) struct Parts<'l> {
    pub all: Vec<Part<'l>>,
}

/// A section with its symbols, labels, addresses and kernels.
pub(super) struct Part<'l> {
    pub name: &'l str,
    pub kind: u32,
    pub flags: u64,
    pub align: u64,
    pub address: u64,
    pub bytes: &'l [u8],
    pub size: u64,
    symbols: BTreeMap<u64, Vec<&'l Symbol>>,
    /// Labels that the source needs in addition to the symbols.
    labels: BTreeMap<u64, Vec<String>>,
    /// Addresses that a loader or a linker fills in, as they are written in the source.
    pub addresses: BTreeMap<u64, Place>,
    /// Operands of instructions that wait for addresses, in an object file.
    pub references: BTreeMap<u64, Reference>,
    pub kernels: BTreeMap<u64, KernelAt>,
    /// Whether a linker merges the section's entries once more, and their size.
    pub merges: bool,
    pub entry_size: u64,
    /// The group of the section, and its number among those of the same name.
    pub group: Option<&'l str>,
    pub unique: Option<u64>,
}

/// A place in data that waits for an address: its size in bytes, and the directive that makes it.
pub(super) struct Place {
    pub size: u64,
    pub text: String,
}

/// The descriptor of a kernel in its section.
#[derive(Clone, Debug)]
pub(super) struct KernelAt {
    pub at: u64,
    pub size: u64,
    /// The symbol of the kernel's code; `None` for version 2, whose descriptor stands before the code.
    pub code: Option<String>,
    /// The distance of the code from the descriptor, in bytes.
    pub distance: i64,
}

/// An operand of an instruction that waits for an address.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// The kind of the relocation.
    pub kind: u32,
    /// The symbol as it is written, and the number after it with its sign.
    pub symbol: String,
    pub addend: String,
}

impl<'l> Parts<'l> {
    pub(super) fn of(linked: &'l Linked, names: &Names) -> Parts<'l> {
        let mut all: Vec<Part<'l>> = Vec::new();
        for (n, section) in linked.sections.iter().enumerate() {
            let mut symbols: BTreeMap<u64, Vec<&Symbol>> = BTreeMap::new();
            for symbol in linked
                .symbols
                .iter()
                .filter(|s| stands(s) && s.place == wavetank_link::Place::Section(n))
            {
                let offset = symbol.value.wrapping_sub(section.address);
                if offset <= section.size {
                    symbols.entry(offset).or_default().push(symbol);
                }
            }
            let mut labels: BTreeMap<u64, Vec<String>> = BTreeMap::new();
            if let Some(label) = names.section(n) {
                labels.entry(0).or_default().push(label.to_owned());
            }
            let mut part = Part {
                name: &section.name,
                kind: section.kind,
                flags: section.flags,
                align: section.align,
                address: section.address,
                bytes: &section.bytes,
                size: section.size,
                symbols,
                labels,
                addresses: BTreeMap::new(),
                references: BTreeMap::new(),
                kernels: BTreeMap::new(),
                merges: false,
                entry_size: section.entry_size,
                group: None,
                unique: None,
            };
            part.find_kernels(linked);
            all.push(part);
        }
        let mut parts = Parts { all };
        parts.find_addresses(linked, names);
        parts
    }

    /// Gives each branch target a label, unless it has a symbol.
    pub(super) fn find_targets(&mut self, names: &Names, chip: Chip) {
        for (n, part) in self.all.iter_mut().enumerate() {
            part.find_targets(names, chip, n);
        }
    }

    /// Records the addresses that a loader fills in, at their places.
    fn find_addresses(&mut self, linked: &Linked, names: &Names) {
        for address in linked.addresses.iter().filter(|a| !a.global_offset) {
            let text = match (&address.symbol, address.addend) {
                (Some(name), 0) => Some(super::names::written(name).into_owned()),
                (Some(name), addend) => Some(format!("{}+{addend}", super::names::written(name))),
                (None, addend) => names.address(addend as u64),
            };
            let part = self.all.iter_mut().find(|part| {
                let end = part.address + part.bytes.len() as u64;
                part.flags & elf::SHF_ALLOC != 0 && (part.address..end).contains(&address.at)
            });
            if let (Some(text), Some(part)) = (text, part) {
                let text = format!(".quad {text}");
                let place = Place { size: 8, text };
                part.addresses.insert(address.at - part.address, place);
            }
        }
    }
}

impl<'l> Part<'l> {
    /// Finds descriptors of kernels: the 64 bytes of `NAME.kd`, or the 256 bytes at a kernel's symbol in version 2.
    fn find_kernels(&mut self, linked: &Linked) {
        for (at, symbols) in &self.symbols {
            for symbol in symbols {
                let code = symbol.name.strip_suffix(".kd");
                let code = code.and_then(|name| linked.symbols.iter().find(|s| s.name == name));
                let kernel = match code {
                    Some(code)
                        if symbol.kind == elf::STT_OBJECT
                            && symbol.size == DESCRIPTOR_SIZE as u64 =>
                    {
                        KernelAt {
                            at: *at,
                            size: DESCRIPTOR_SIZE as u64,
                            code: Some(code.name.clone()),
                            distance: code.value.wrapping_sub(symbol.value) as i64,
                        }
                    }
                    _ if symbol.kind == elf::STT_AMDGPU_HSA_KERNEL => KernelAt {
                        at: *at,
                        size: KERNEL_CODE_SIZE as u64,
                        code: None,
                        distance: 0,
                    },
                    _ => continue,
                };
                if at + kernel.size <= self.bytes.len() as u64 {
                    self.kernels.insert(*at, kernel);
                }
            }
        }
    }

    /// Gives each branch target a label, unless it has a symbol.
    fn find_targets(&mut self, names: &Names, chip: Chip, number: usize) {
        if self.flags & elf::SHF_EXECINSTR == 0 {
            return;
        }
        let (mut begins, mut targets) = (BTreeSet::new(), BTreeSet::new());
        let mut at = 0;
        while (at as usize) < self.bytes.len() {
            if let Some(kernel) = self.kernels.get(&at).filter(|kernel| kernel.code.is_none()) {
                at += kernel.size;
                continue;
            }
            let inst = decode(&self.bytes[at as usize..], chip).ok();
            begins.insert(at);
            if !self.references.contains_key(&at) {
                targets.extend(inst.as_ref().and_then(|inst| target(inst, at)));
            }
            at += inst.map_or(4, |inst| u64::from(inst.len));
        }
        let inside = targets
            .into_iter()
            .filter(|to| begins.contains(to) && !self.symbols.contains_key(to));
        for (n, to) in inside.collect::<Vec<_>>().into_iter().enumerate() {
            let label = names.unused(&format!(".L{number}_{n}"));
            self.labels.entry(to).or_default().push(label);
        }
    }

    /// Returns the symbols at an offset.
    pub(super) fn symbols_at(&self, at: u64) -> &[&'l Symbol] {
        self.symbols.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Returns the labels at an offset.
    pub(super) fn labels_at(&self, at: u64) -> &[String] {
        self.labels.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Returns the name of a branch target.
    pub(super) fn target_name(&self, at: u64) -> Option<String> {
        let symbol = self
            .symbols_at(at)
            .first()
            .map(|s| super::names::written(&s.name).into_owned());
        symbol
            .filter(|name| !name.starts_with('"'))
            .or_else(|| self.labels_at(at).first().cloned())
    }

    /// Returns the descriptor at an offset.
    pub(super) fn kernel_at(&self, at: u64) -> Option<&KernelAt> {
        self.kernels.get(&at)
    }

    /// Whether a symbol is that of a descriptor defined by `.amdhsa_kernel`.
    pub(super) fn is_kernel_descriptor(&self, symbol: &Symbol) -> bool {
        let at = symbol.value.wrapping_sub(self.address);
        let kernel = self
            .kernels
            .get(&at)
            .and_then(|kernel| kernel.code.as_ref());
        kernel.is_some_and(|code| symbol.name.strip_suffix(".kd") == Some(code))
    }

    /// Returns the next offset at which another item begins.
    pub(super) fn next_stop(&self, at: u64) -> u64 {
        let next = |found: Option<u64>| found.unwrap_or(self.size);
        let after = at + 1..;
        let stops = [
            next(self.symbols.range(after.clone()).next().map(|(at, _)| *at)),
            next(self.labels.range(after.clone()).next().map(|(at, _)| *at)),
            next(self.kernels.range(after).next().map(|(at, _)| *at)),
        ];
        stops.into_iter().min().unwrap_or(self.size).min(self.size)
    }
}

/// Returns the target of a branch, as an offset in its section.
pub(super) fn target(inst: &wavetank_gcn::Inst, at: u64) -> Option<u64> {
    let last = inst.row().operands.last()?;
    if last.kind != Kind::Target {
        return None;
    }
    match inst.operand(Field::Simm16) {
        Operand::Imm(words) => at
            .checked_add(4)?
            .checked_add_signed(4 * i64::from(words as i16)),
        _ => None,
    }
}
