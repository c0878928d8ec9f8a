//! Object files as input: their relocations become references by name.

use std::collections::BTreeMap;

use wavetank_gcn::text::print_at;
use wavetank_gcn::{Chip, Inst};
use wavetank_link::{Linked, LinkedSection, Relocatable, Relocation, elf, reloc};

use super::names::{self, Names, written};
use super::parts::{Part, Parts, Place, Reference};
use super::{DIALECT, ToSourceError, Writer};
use crate::line::LITERAL;

/// Returns the sections and symbols of an object file; no section has an address.
fn placed_at_zero(object: &Relocatable) -> Linked {
    let section = |section: &wavetank_link::Section| LinkedSection {
        name: section.name.clone(),
        kind: section.kind,
        flags: section.flags,
        entry_size: section.entry_size,
        align: section.align,
        address: 0,
        bytes: section.bytes.clone(),
        size: section.size,
    };
    Linked {
        identity: object.identity,
        sections: object.sections.iter().map(section).collect(),
        symbols: object.symbols.clone(),
        addresses: Vec::new(),
    }
}

/// Numbers the sections of one name and group from the second on.
fn number_same_names(parts: &mut Parts<'_>) {
    let mut counts: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
    for part in &mut parts.all {
        let count = counts.entry((part.name, part.group)).or_default();
        part.unique = (*count > 0).then_some(*count);
        *count += 1;
    }
}

impl Part<'_> {
    /// Adds a relocation: as a directive of data, and as the operand of an instruction.
    fn refer(&mut self, object: &Relocatable, names: &Names, relocation: &Relocation) {
        let Some(symbol) = object.symbols.get(relocation.symbol) else {
            return;
        };
        let section = match symbol.place {
            wavetank_link::Place::Section(n) => names.section(n),
            _ => None,
        };
        let name = match (symbol.kind, section) {
            (elf::STT_SECTION, Some(label)) => label.to_owned(),
            _ => written(&symbol.name).into_owned(),
        };
        let addend = match relocation.addend {
            0 => String::new(),
            number => format!("{number:+}"),
        };
        let sum = format!(
            "{name}{}{addend}",
            variant(relocation.kind).unwrap_or_default()
        );
        let directive = match relocation.kind {
            reloc::ABS64 => Some((8, format!(".quad {sum}"))),
            reloc::REL64 => Some((8, format!(".quad {name}{addend}-."))),
            reloc::ABS32 => Some((4, format!(".long {sum}"))),
            reloc::REL32 => Some((4, format!(".long {name}{addend}-."))),
            kind => variant(kind).map(|_| (4, format!(".long {sum}"))),
        };
        if let Some((size, text)) = directive {
            let place = Place { size, text };
            self.addresses.insert(relocation.offset, place);
        }
        let reference = Reference {
            kind: relocation.kind,
            symbol: name,
            addend,
        };
        self.references.insert(relocation.offset, reference);
    }

    /// Takes the distance of a kernel's code, which a relocation fills in, for the 0 that is in the file.
    fn place_kernels(&mut self) {
        for kernel in self.kernels.values_mut() {
            let reference = self.references.get(&(kernel.at + ENTRY));
            let Some(code) = &kernel.code else { continue };
            let fits = |r: &&Reference| {
                r.kind == reloc::REL64
                    && r.symbol == *written(code)
                    && r.addend == format!("+{ENTRY}")
            };
            if reference.filter(fits).is_some() {
                kernel.distance = 0;
            }
        }
    }
}

/// The offset of the field in a kernel's descriptor that has the distance of its code (the guide, "Kernel Descriptor").
const ENTRY: u64 = 16;

impl Writer<'_> {
    /// Returns the source of an object file.
    pub(super) fn source_of_object(object: Relocatable) -> Result<String, ToSourceError> {
        let mut object = object;
        names::make_unique(&mut object.symbols);
        let target = object.identity.target()?;
        let chip = Chip::from_name(target.instructions());
        let chip = chip.ok_or_else(|| ToSourceError::Chip(target.chip.clone()))?;
        let linked = placed_at_zero(&object);
        let names = Names::of_object(&object);
        let mut parts = Parts::of(&linked, &names);
        for (part, section) in parts.all.iter_mut().zip(&object.sections) {
            part.merges = true;
            part.entry_size = section.entry_size;
            let group = section.group.and_then(|symbol| object.symbols.get(symbol));
            part.group = group.map(|symbol| symbol.name.as_str());
            for relocation in &section.relocations {
                part.refer(&object, &names, relocation);
            }
            part.place_kernels();
        }
        parts.find_targets(&names, chip);
        number_same_names(&mut parts);
        let mut writer = Writer {
            text: String::new(),
            chip,
            target,
            version: object.identity.version(),
            os: object.identity.os(),
            names: &names,
        };
        writer.whole(&linked, &parts);
        Ok(writer.text)
    }

    /// Returns the text of an instruction with a place that waits for an address: its literal, or the distance of a branch.
    pub(super) fn with_symbol(&self, part: &Part<'_>, inst: &Inst, at: u64) -> Option<String> {
        let (place, reference) = part.references.range(at..at + u64::from(inst.len)).next()?;
        let Reference {
            kind,
            symbol,
            addend,
        } = reference;
        let mut text = String::new();
        if *kind == reloc::REL16 && *place == at {
            print_at(inst, DIALECT, at, &mut text).ok()?;
            let blank = text.rfind(' ')?;
            return Some(format!("{} {symbol}{addend}", &text[..blank]));
        }
        let variant = match *kind {
            reloc::REL32 => "",
            kind => variant(kind)?,
        };
        if *place + 4 != at + u64::from(inst.len) {
            return None;
        }
        let inst = inst.with_literal(LITERAL);
        print_at(&inst, DIALECT, at, &mut text).ok()?;
        let number = format!("{LITERAL:#x}");
        text.contains(&number)
            .then(|| text.replacen(&number, &format!("{symbol}{variant}{addend}"), 1))
    }
}

/// Returns the suffix of a symbol for the kind of a relocation.
fn variant(kind: u32) -> Option<&'static str> {
    Some(match kind {
        reloc::GOTPCREL => "@gotpcrel",
        reloc::GOTPCREL32_LO => "@gotpcrel32@lo",
        reloc::GOTPCREL32_HI => "@gotpcrel32@hi",
        reloc::REL32_LO => "@rel32@lo",
        reloc::REL32_HI => "@rel32@hi",
        reloc::ABS32_LO => "@abs32@lo",
        reloc::ABS32_HI => "@abs32@hi",
        _ => return None,
    })
}
