//! Definitions: values of symbols, the variables with the chip's numbers, and the variables that count registers.

use std::ops::Range;

use wavetank_gcn::{Chip, Dialect, Inst};

use super::{Assembler, Counts};
use crate::expression::Expr;
use crate::isa_version;
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{Definition, FixupKind};

impl Assembler<'_> {
    /// Reads `NAME = VALUE`, with the cursor at the sign.
    pub(crate) fn assignment(
        &mut self,
        mut cursor: Cursor<'_>,
        name: &str,
    ) -> Result<(), SyntaxError> {
        let twice = cursor.rest().starts_with("==");
        cursor.skip(if twice { 2 } else { 1 });
        self.set(cursor, name, 0..name.len(), !twice)
    }

    /// Sets a symbol to the expression at the cursor. With `again`, the symbol may be set several times.
    pub(crate) fn set(
        &mut self,
        mut cursor: Cursor<'_>,
        name: &str,
        place: Range<usize>,
        again: bool,
    ) -> Result<(), SyntaxError> {
        if name == "." && self.dialect == Dialect::Clrx {
            return self.org(cursor);
        }
        if name == "." {
            return Err(syntax_error(
                place,
                "the place in a section is set by `.org`",
            ));
        }
        let definition = if self.dialect == Dialect::Clrx && cursor.eat(b'%') {
            Definition::Registers(self.registers(&mut cursor)?)
        } else {
            Definition::Variable(self.reduced_expr(&mut cursor)?)
        };
        cursor.end()?;
        self.define(name, place, definition, again)
    }

    /// Reads the value of a variable, and reduces it with the values that are known by now. One with symbols that come later keeps
    /// its expression, as in LLVM's assembler.
    fn reduced_expr(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, SyntaxError> {
        let start = cursor.at();
        let expr = self.expr(cursor)?;
        match self.values().reduce(&expr) {
            // The reduced value is kept, not the written expression, so that variables of variables stay small.
            Ok(value) => Ok(value.into()),
            Err(_) if self.values().may_become_known(&expr) => {
                let place = start..cursor.text()[..cursor.at()].trim_end().len();
                let here = self.sections.location();
                self.wait(here, FixupKind::Value, expr.clone(), place);
                Ok(expr)
            }
            Err(why) => Err(syntax_error(start..cursor.text().len(), why)),
        }
    }

    /// Defines a symbol, with the current statement as its place.
    pub(crate) fn define(
        &mut self,
        name: &str,
        place: Range<usize>,
        definition: Definition,
        again: bool,
    ) -> Result<(), SyntaxError> {
        let id = self.symbols.own(name);
        if matches!(&definition, Definition::Variable(expr) if expr.names(id)) {
            return Err(syntax_error(
                place,
                format_args!("`{name}` depends on itself"),
            ));
        }
        let symbol = &mut self.symbols[id];
        let free = !symbol.is_defined() || (symbol.variable && again);
        if !free {
            return Err(syntax_error(
                place,
                format_args!("`{name}` is defined already"),
            ));
        }
        symbol.definition = definition;
        symbol.variable = again;
        // The assembler's own symbols are not part of the object, except those that the source sets.
        symbol.used |= name.starts_with(".amdgcn.");
        Ok(())
    }

    /// Switches to another chip for the instructions that follow.
    pub(crate) fn set_chip(&mut self, chip: Chip) {
        if chip != self.chip {
            self.chip = chip;
            self.templates.clear();
        }
        self.define_chip();
    }

    /// Defines the variables that hold the chip's version numbers.
    pub(super) fn define_chip(&mut self) {
        let (major, minor, stepping) = isa_version(self.chip);
        for (name, number) in [
            (".amdgcn.gfx_generation_number", major),
            (".amdgcn.gfx_generation_minor", minor),
            (".amdgcn.gfx_generation_stepping", stepping),
        ] {
            self.set_number(name, number.into());
        }
        if self.has_version_2 {
            for (name, number) in [
                (".option.machine_version_major", major),
                (".option.machine_version_minor", minor),
                (".option.machine_version_stepping", stepping),
            ] {
                self.set_number(name, number.into());
            }
        }
    }

    /// Defines the names that the chip's version has in code object version 2 alone: sources ask for them to tell the versions
    /// apart.
    pub(crate) fn define_version_2(&mut self) {
        self.has_version_2 = true;
        self.define_chip();
    }

    /// Sets a variable to a number.
    pub(crate) fn set_number(&mut self, name: &str, number: i64) {
        let id = self.symbols.id(name);
        let symbol = &mut self.symbols[id];
        symbol.definition = Definition::Variable(Expr::Number(number));
        symbol.variable = true;
    }

    /// Starts to count the registers of instructions: their highest numbers become variables.
    pub(crate) fn count_all(&mut self) {
        self.counts.source = Some(Counts::default());
        self.set_number(".amdgcn.next_free_vgpr", 0);
        self.set_number(".amdgcn.next_free_sgpr", 0);
    }

    /// Adds the registers of an instruction to the counts.
    pub(super) fn count_registers(&mut self, inst: &Inst) {
        for owner in &self.counts.owners {
            self.counts.kernels[*owner].add(inst);
        }
        if let Some(counts) = &mut self.counts.source {
            let own = Counts::of(inst);
            counts.join(own);
            self.at_least(".amdgcn.next_free_vgpr", own.vgprs);
            self.at_least(".amdgcn.next_free_sgpr", own.sgprs);
        }
    }

    /// Raises a variable to at least this count. Sources set it to zero where a kernel begins.
    fn at_least(&mut self, name: &str, count: u32) {
        let id = self.symbols.id(name);
        let old = match self.symbols[id].definition {
            Definition::Variable(Expr::Number(number)) => number,
            _ => 0,
        };
        if old < count.into() {
            self.set_number(name, count.into());
        }
    }
}
