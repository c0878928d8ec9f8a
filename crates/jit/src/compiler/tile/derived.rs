//! Values derived from another one: computed once in a segment, and reused by later nodes of it.

use iced_x86::Register;
use wavetank_ir::Value;
use wavetank_lower::TooMany;

use super::Tile;
use super::vars::Derived;

impl Tile<'_, '_> {
    /// The register of a value derived from an operand. `make` computes it into a register from another, unless it exists
    /// already.
    pub(crate) fn derived_once(
        &mut self,
        v: Value,
        what: Derived,
        make: impl FnOnce(&mut Self, Register, Register),
    ) -> Result<Register, TooMany> {
        let var = self.var(v, 0);
        if let Some(known) = self.vars[var].derived[what as usize]
            && self.is_there(known)
        {
            return self.register(known);
        }
        let from = self.register(var)?;
        let to = self.free_register(false)?;
        make(self, to, from);
        let known = self.new_var(None, false);
        self.vars[known].values = self.vars[var].values.clone();
        self.vars[var].derived[what as usize] = Some(known);
        self.put(known, to);
        Ok(to)
    }
}
