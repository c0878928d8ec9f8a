//! Aliases: symbols that `.set` puts at the place of another one. In the object they are labels of their own.

use wavetank_link::elf::{STT_FUNC, STT_NOTYPE, STT_OBJECT, STT_SECTION, STT_TLS};

use crate::expression::{Base, Expr, Values, Variant};
use crate::session::Session;
use crate::state::{Definition, Layout, Location, SymbolId};

/// The place that an alias stands for, and the symbol there whose type and size it takes.
struct Alias {
    id: SymbolId,
    location: Location,
    original: Option<SymbolId>,
}

impl Session<'_> {
    /// Makes a label of each variable that is a place of this source. It has the type and the size of the symbol that it names, if
    /// nothing else is said (LLVM's `ELFObjectWriter.cpp`, `writeSymbol`).
    pub(super) fn define_aliases(&mut self, layout: &Layout) {
        for alias in self.aliases(layout) {
            let original = alias.original.map(|id| &self.asm.symbols[id]);
            let (kind, size) = original.map_or((STT_NOTYPE, None), |s| (s.kind, s.size.clone()));
            let symbol = &mut self.asm.symbols[alias.id];
            symbol.kind = joined(symbol.kind, kind);
            symbol.size = symbol.size.take().or(size);
            symbol.definition = Definition::Label(alias.location);
        }
    }

    fn aliases(&self, layout: &Layout) -> Vec<Alias> {
        let values = Values {
            symbols: &self.asm.symbols,
            layout: Some(layout),
        };
        let alias = |id: SymbolId, expr: &Expr| {
            let value = values
                .reduce(expr)
                .ok()
                .filter(|value| value.minus.is_none())?;
            let base = value.plus?;
            let location = values.location(&base)?;
            let offset = location.offset.checked_add_signed(value.constant)?;
            let original = match base {
                Base::Symbol(original, Variant::None) => Some(original),
                _ => None,
            };
            let is_section = |id: SymbolId| self.asm.symbols[id].kind == STT_SECTION;
            (!original.is_some_and(is_section)).then_some(Alias {
                id,
                location: Location { offset, ..location },
                original,
            })
        };
        let variables = self.asm.symbols.iter();
        variables
            .filter_map(|(id, symbol)| match &symbol.definition {
                Definition::Variable(expr) => alias(id, expr),
                _ => None,
            })
            .collect()
    }
}

/// Returns the type of an alias from its own and that of the original: the more special one.
fn joined(own: u8, original: u8) -> u8 {
    match (own, original) {
        (STT_FUNC, STT_OBJECT | STT_NOTYPE | STT_TLS)
        | (STT_OBJECT, STT_NOTYPE)
        | (STT_TLS, STT_OBJECT | STT_NOTYPE | STT_FUNC) => own,
        _ => original,
    }
}
