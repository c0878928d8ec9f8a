//! Resolution of fixups: places that wait for values are filled in, or left to a linker.

use wavetank_link::reloc;

use super::branch::words_of;
use super::{Assembler, Known, KnownValue};
use crate::expression::{Base, Reduced, Values, Variant, fits};
use crate::state::{Definition, Fixup, FixupKind, Layout, Location, SymbolId};

/// The outcome of resolving a fixup.
pub(crate) enum Resolution {
    /// The value is known, and its bytes are written.
    Done,
    /// The value is left to the linker as this relocation.
    Relocation { kind: u32, base: Base, addend: i64 },
}

impl Assembler<'_> {
    /// Computes the layout of the sections' parts.
    pub(crate) fn layout(&self) -> Layout {
        Layout::of(&self.sections, |expr, layout| {
            let values = Values {
                symbols: &self.symbols,
                layout: Some(layout),
            };
            values.number(expr).unwrap_or(0)
        })
    }

    /// Returns the values of all symbols that have one.
    pub(crate) fn known(&self) -> Known {
        let layout = self.layout();
        let values = Values {
            symbols: &self.symbols,
            layout: Some(&layout),
        };
        let value = |definition: &Definition| match definition {
            Definition::Label(location) => Some(KnownValue::Place(
                location.section,
                layout.offset(*location),
            )),
            Definition::Variable(expr) => {
                let value = values.reduce(expr).ok()?;
                match (
                    value.as_number(),
                    value.plus.and_then(|base| values.location(&base)),
                ) {
                    (Some(number), _) => Some(KnownValue::Number(number)),
                    (None, Some(location)) if value.minus.is_none() => {
                        let offset = layout.offset(location).wrapping_add_signed(value.constant);
                        Some(KnownValue::Place(location.section, offset))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let known = self
            .symbols
            .iter()
            .filter_map(|(_, s)| Some((s.name.clone(), value(&s.definition)?)));
        known.collect()
    }

    /// Resolves one fixup: writes its bytes, or returns the relocation for them.
    pub(crate) fn resolve(&mut self, fixup: &Fixup, layout: &Layout) -> Result<Resolution, String> {
        let values = Values {
            symbols: &self.symbols,
            layout: Some(layout),
        };
        let value = values.reduce(&fixup.expr).map_err(|why| why.into_owned())?;
        let from = layout.offset(fixup.location);
        match (fixup.kind, value.as_number()) {
            (FixupKind::Leb, Some(_)) | (FixupKind::Value, _) => Ok(Resolution::Done),
            (FixupKind::Leb, None) => {
                Err("this is not a number: `.uleb128` takes what is known here".to_owned())
            }
            (FixupKind::Count, Some(number)) => match layout.copies(&self.sections, fixup.location)
            {
                _ if number < 0 => Err(format!("{number} is negative")),
                Some(count) if count != number as u64 => {
                    Err("how much room this takes depends on itself".to_owned())
                }
                _ => Ok(Resolution::Done),
            },
            (FixupKind::Count, None) => Err(self.unknown(&value)),
            (FixupKind::Half, Some(number)) => {
                if (-0x8000..0x1_0000).contains(&number) {
                    self.write(fixup.location, &number.to_le_bytes()[..2])
                } else {
                    Err(format!("{number} has more than 16 bits"))
                }
            }
            (FixupKind::Half, None) => Err(self.unknown(&value)),
            (FixupKind::Literal, Some(number)) => {
                if fits(number, 4) {
                    self.write(fixup.location, &number.to_le_bytes()[..4])
                } else {
                    Err(format!("{number} has more than 32 bits"))
                }
            }
            (FixupKind::Data(size), Some(number)) => {
                if fits(number, size) {
                    self.write(fixup.location, &number.to_le_bytes()[..size.into()])
                } else {
                    Err(format!("{number} has more than {size} bytes"))
                }
            }
            (FixupKind::Branch, _) => self.branch_to(fixup, &value, layout, from),
            (FixupKind::Literal, None) => self.literal(fixup, &value, layout, from),
            (FixupKind::Data(size), None) => self.data(fixup, &value, layout, from, size),
        }
    }

    fn write(&mut self, location: Location, bytes: &[u8]) -> Result<Resolution, String> {
        if let Some(place) = self.sections.bytes_at(location, bytes.len()) {
            place.copy_from_slice(bytes);
        }
        Ok(Resolution::Done)
    }

    /// Returns the message for an expression without a value.
    fn unknown(&self, value: &Reduced) -> String {
        match value.plus.or(value.minus) {
            Some(Base::Symbol(id, _)) => {
                if self.symbols[id].is_defined() {
                    format!(
                        "`{}` is an address: a number is needed here",
                        self.symbols[id].written()
                    )
                } else {
                    self.no_symbol(id)
                }
            }
            _ => "this is an address: a number is needed here".to_owned(),
        }
    }

    fn no_symbol(&self, id: SymbolId) -> String {
        let name = self.symbols[id].written();
        let names = self.symbols.iter().filter(|(_, s)| s.is_defined());
        let names = names.map(|(_, symbol)| symbol.written());
        let (near, meant) = wavetank_quote::similar(name, names);
        match near.first().filter(|_| meant) {
            Some(near) => format!("there is no symbol `{name}`; did you mean `{near}`?"),
            None => {
                format!("there is no symbol `{name}`; if another file has it, say `.globl {name}`")
            }
        }
    }

    /// Returns the offset of a base that lies in the same section as a location.
    fn beside(&self, base: &Base, location: Location, layout: &Layout) -> Option<u64> {
        let values = Values {
            symbols: &self.symbols,
            layout: Some(layout),
        };
        let to = values.location(base)?;
        (layout.home(to) == layout.home(location)).then(|| layout.offset(to))
    }

    fn branch_to(
        &mut self,
        fixup: &Fixup,
        value: &Reduced,
        layout: &Layout,
        from: u64,
    ) -> Result<Resolution, String> {
        let (Some(base), None) = (value.plus, value.minus) else {
            return Err("a branch leads to an address".to_owned());
        };
        if let Some(to) = self.beside(&base, fixup.location, layout) {
            let bytes = (to as i64)
                .wrapping_add(value.constant)
                .wrapping_sub(from as i64 + 4);
            return self.write(fixup.location, &words_of(bytes)?.to_le_bytes());
        }
        let Base::Symbol(id, Variant::None) = base else {
            return Err("a branch leads to a label".to_owned());
        };
        let symbol = &self.symbols[id];
        if !symbol.is_defined() && symbol.binding.is_none() {
            let name = symbol.written();
            return Err(format!("there is no label `{name}`"));
        }
        // The field has the distance to its own instruction until a linker fills it in, as LLVM's assembler leaves it.
        self.write(fixup.location, &(-1i16).to_le_bytes())?;
        Ok(Resolution::Relocation {
            kind: reloc::REL16,
            base,
            addend: value.constant,
        })
    }

    /// Resolves the literal dword after an instruction: relative to its own place, except for differences and `@abs32`.
    fn literal(
        &mut self,
        fixup: &Fixup,
        value: &Reduced,
        layout: &Layout,
        from: u64,
    ) -> Result<Resolution, String> {
        let Some(base) = value.plus else {
            return Err(self.unknown(value));
        };
        if value.minus.is_some() {
            return self.data(fixup, value, layout, from, 4);
        }
        if let Some(to) = self.beside(&base, fixup.location, layout) {
            let distance = (to as i64)
                .wrapping_add(value.constant)
                .wrapping_sub(from as i64);
            return if fits(distance, 4) {
                self.write(fixup.location, &distance.to_le_bytes()[..4])
            } else {
                Err(format!("{distance} has more than 32 bits"))
            };
        }
        let kind = match base {
            Base::Symbol(id, variant) => {
                let symbol = &self.symbols[id];
                if variant == Variant::None && !symbol.is_defined() && symbol.binding.is_none() {
                    return Err(self.no_symbol(id));
                }
                kind_of(variant).unwrap_or(reloc::REL32)
            }
            Base::Place(_) => reloc::REL32,
        };
        Ok(Resolution::Relocation {
            kind,
            base,
            addend: value.constant,
        })
    }

    fn data(
        &mut self,
        fixup: &Fixup,
        value: &Reduced,
        layout: &Layout,
        from: u64,
        size: u8,
    ) -> Result<Resolution, String> {
        let Some(base) = value.plus else {
            return Err("an address cannot be negative".to_owned());
        };
        let variant = match base {
            Base::Symbol(_, variant) => kind_of(variant),
            Base::Place(_) => None,
        };
        let Some(minus) = value.minus else {
            let plain = match size {
                8 => Some(reloc::ABS64),
                4 => Some(reloc::ABS32),
                _ => None,
            };
            let kind = variant.or(plain);
            let kind = kind.ok_or_else(|| format!("an address has 4 or 8 bytes, not {size}"))?;
            return Ok(Resolution::Relocation {
                kind,
                base,
                addend: value.constant,
            });
        };
        let Some(start) = self.beside(&minus, fixup.location, layout) else {
            return Err(
                "the distance of places in two other sections is unknown until the linker places them".to_owned(),
            );
        };
        let kind = match size {
            8 => reloc::REL64,
            4 => reloc::REL32,
            _ => {
                return Err(format!(
                    "a distance between sections has 4 or 8 bytes, not {size}"
                ));
            }
        };
        let addend = value
            .constant
            .wrapping_add(from as i64)
            .wrapping_sub(start as i64);
        Ok(Resolution::Relocation {
            kind: variant.unwrap_or(kind),
            base,
            addend,
        })
    }
}

/// Returns the relocation type of a variant.
fn kind_of(variant: Variant) -> Option<u32> {
    Some(match variant {
        Variant::None => return None,
        Variant::GotPcRel => reloc::GOTPCREL,
        Variant::GotPcRel32Lo => reloc::GOTPCREL32_LO,
        Variant::GotPcRel32Hi => reloc::GOTPCREL32_HI,
        Variant::Rel32Lo => reloc::REL32_LO,
        Variant::Rel32Hi => reloc::REL32_HI,
        Variant::Rel64 => reloc::REL64,
        Variant::Abs32Lo => reloc::ABS32_LO,
        Variant::Abs32Hi => reloc::ABS32_HI,
    })
}
