//! Addresses of symbols, and the relocations that are applied at link time.

use crate::elf::{SHF_ALLOC, STT_SECTION};
use crate::error::{Error, Problem, Result};
use crate::reloc;
use crate::relocatable::{Place, Relocation};

use super::files::Files;
use super::scan::{ENTRY_SIZE, Scan};
use super::sections::{Home, Outputs};
use super::symbols::{Definition, Symbols, Target};

/// The tables from which addresses are computed.
#[derive(Clone, Copy)]
pub(super) struct Addresses<'a> {
    pub files: &'a Files<'a>,
    pub symbols: &'a Symbols<'a>,
    pub scan: &'a Scan,
    pub outputs: &'a Outputs,
}

impl Addresses<'_> {
    /// Returns the address of an offset in an output section.
    pub(super) fn at(&self, output: usize, at: u64) -> u64 {
        self.outputs.list[output].address.wrapping_add(at)
    }

    /// Returns the address of a symbol, and the remaining addend. In merged sections, a section's own symbol with an addend
    /// stands for the entry at that offset. `None` if the symbol is not in the result.
    pub(super) fn symbol(&self, target: Target, addend: i64) -> Option<(u64, i64)> {
        let (definition, whole) = match target {
            Target::Global(number) => (self.symbols.globals[number].definition, false),
            Target::Local { input, symbol } => {
                let value = self.files.inputs[input].object.symbols[symbol].value;
                let kind = self.files.inputs[input].object.symbols[symbol].kind;
                let definition = match self.files.place(input, symbol) {
                    Place::Section(section) => Definition::Section {
                        input,
                        section,
                        value,
                    },
                    Place::Absolute => Definition::Absolute(value),
                    Place::Undefined | Place::Common => Definition::Undefined,
                };
                (definition, kind == STT_SECTION)
            }
        };
        match definition {
            Definition::Undefined | Definition::Common { .. } => None,
            Definition::Absolute(value) => Some((value, addend)),
            Definition::Output { output, at } => Some((self.at(output, at), addend)),
            Definition::Section {
                input,
                section,
                value,
            } => {
                let merged = matches!(self.outputs.homes[input][section], Home::Merged { .. });
                let (value, addend) = if whole && merged {
                    (value.wrapping_add_signed(addend), 0)
                } else {
                    (value, addend)
                };
                let (output, at) = self.outputs.place(input, section, value)?;
                Some((self.at(output, at), addend))
            }
        }
    }

    /// Returns the sum of a symbol's address and an addend.
    pub(super) fn sum(&self, target: Target, addend: i64) -> u64 {
        match self.symbol(target, addend) {
            Some((address, addend)) => address.wrapping_add_signed(addend),
            None => addend as u64,
        }
    }

    /// Returns the address of a symbol's entry in the global offset table.
    fn entry(&self, target: Target) -> u64 {
        let (Some(got), Some(entry)) = (
            self.outputs.dynamic.got,
            self.scan.entry_of.get(&target).copied(),
        ) else {
            // Only relocations of sections in memory have been scanned, and only those use entries.
            return 0;
        };
        self.at(got, entry as u64 * ENTRY_SIZE)
    }

    /// Applies the relocations of an input section, whose contents are at an address.
    ///
    /// # Errors
    /// [`Error::Unlinkable`] for places outside of the section, and for values that do not fit.
    pub(super) fn apply(
        &self,
        input: usize,
        section: usize,
        address: u64,
        out: &mut [u8],
    ) -> Result<()> {
        let from = &self.files.inputs[input].object.sections[section];
        for relocation in &from.relocations {
            let target = self.symbols.target(input, relocation.symbol);
            let place = address.wrapping_add(relocation.offset);
            let value = match from.flags & SHF_ALLOC {
                0 => Some(self.kept_value(&from.name, target, relocation, place)),
                // The loader writes the value, and ignores the old one.
                _ if is_of_an_address(relocation.kind) && self.is_left_to_the_loader(target) => {
                    None
                }
                _ => Some(self.value(target, relocation, place)),
            };
            let refused = |problem: &str| {
                Error::Unlinkable(vec![Problem::Relocation {
                    place: self.files.describe(input, section, relocation),
                    symbol: self.files.inputs[input].object.symbols[relocation.symbol]
                        .name
                        .clone(),
                    kind: reloc::name(relocation.kind),
                    problem: problem.to_owned(),
                }])
            };
            write(relocation, value, out).map_err(refused)?;
        }
        Ok(())
    }

    /// Computes the value of a relocation ("Relocation Records").
    fn value(&self, target: Target, relocation: &Relocation, place: u64) -> u64 {
        let Relocation { kind, addend, .. } = *relocation;
        match kind {
            reloc::GOTPCREL | reloc::GOTPCREL32_LO | reloc::GOTPCREL32_HI => {
                let entry = self.entry(target).wrapping_add_signed(addend);
                entry.wrapping_sub(place)
            }
            reloc::REL32 | reloc::REL32_LO | reloc::REL32_HI | reloc::REL64 | reloc::REL16 => {
                self.sum(target, addend).wrapping_sub(place)
            }
            _ => self.sum(target, addend),
        }
    }

    /// Whether the address of a symbol becomes known only when the object is loaded.
    pub(super) fn is_left_to_the_loader(&self, target: Target) -> bool {
        match target {
            Target::Global(number) => {
                let global = &self.symbols.globals[number];
                let number = matches!(
                    global.definition,
                    Definition::Absolute(_) | Definition::Undefined
                );
                global.is_preemptible() || !number
            }
            Target::Local { input, symbol } => {
                matches!(self.files.place(input, symbol), Place::Section(_))
            }
        }
    }

    /// Computes a value as [`value`](Self::value) does, for sections that no loader relocates, such as debug information. A
    /// symbol that is not in the result has the address 0 there, or 1 in lists of ranges, which 0 would end.
    fn kept_value(&self, name: &str, target: Target, relocation: &Relocation, place: u64) -> u64 {
        let ranges = [".debug_loc", ".debug_ranges"].contains(&name);
        match self.symbol(target, relocation.addend) {
            None if name.starts_with(".debug_") => u64::from(ranges),
            _ => match relocation.kind {
                reloc::REL32 | reloc::REL64 => {
                    self.sum(target, relocation.addend).wrapping_sub(place)
                }
                _ => self.sum(target, relocation.addend),
            },
        }
    }
}

/// Whether a relocation is for an address or half of one.
fn is_of_an_address(kind: u32) -> bool {
    matches!(
        kind,
        reloc::ABS64 | reloc::ABS32 | reloc::ABS32_LO | reloc::ABS32_HI
    )
}

/// Writes a value at a relocation's place, if there is one; the error is the reason why it cannot be written.
fn write(relocation: &Relocation, known: Option<u64>, out: &mut [u8]) -> Result<(), &'static str> {
    let value = known.unwrap_or_default();
    let signed = value as i64;
    let (bytes, size, fits) = match relocation.kind {
        reloc::NONE => return Ok(()),
        reloc::ABS64 | reloc::REL64 => (value, 8, true),
        reloc::ABS32_LO | reloc::REL32_LO | reloc::GOTPCREL32_LO => (value, 4, true),
        reloc::ABS32_HI | reloc::REL32_HI | reloc::GOTPCREL32_HI => (value >> 32, 4, true),
        reloc::ABS32 => {
            let fits = u32::try_from(value).is_ok() || i32::try_from(signed).is_ok();
            (value, 4, fits)
        }
        reloc::REL32 | reloc::GOTPCREL => (value, 4, i32::try_from(signed).is_ok()),
        reloc::REL16 => {
            let distance = signed.wrapping_sub(4) / 4;
            (distance as u64, 2, i16::try_from(distance).is_ok())
        }
        _ => return Err("linkers for AMD GPUs do not support it"),
    };
    if !fits {
        return Err("the distance or the address does not fit into its bits");
    }
    let place = usize::try_from(relocation.offset).ok();
    let place = place.and_then(|at| out.get_mut(at..at.checked_add(size)?));
    let place = place.ok_or("it lies outside of its section")?;
    if known.is_some() {
        place.copy_from_slice(&bytes.to_le_bytes()[..size]);
    }
    Ok(())
}
