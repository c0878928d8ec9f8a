//! What is made of a value once, and serves whoever asks for it again in the stage.

use iced_x86::Register;
use wavetank_ir::Value;
use wavetank_lower::TooMany;

use super::Tile;

/// What can be made of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// Single precision without denormals.
    WithoutDenormals,
    /// The lower half of each dword in single precision.
    LowHalf,
    /// The higher half.
    HighHalf,
}

impl Made {
    /// How many there are.
    pub(super) const COUNT: usize = 3;
}

impl Tile<'_, '_> {
    /// The register of what is made of an operand. `make` makes it in a register, from another, unless it is there.
    pub fn made_once(
        &mut self,
        v: Value,
        what: Made,
        make: impl FnOnce(&mut Self, Register, Register),
    ) -> Result<Register, TooMany> {
        let var = self.var(v, 0);
        if let Some(known) = self.vars[var].made[what as usize]
            && self.is_there(known)
        {
            return self.register(known);
        }
        let from = self.register(var)?;
        let to = self.free_register(false)?;
        make(self, to, from);
        let known = self.new_var(None, false);
        self.vars[known].values = self.vars[var].values.clone();
        self.vars[var].made[what as usize] = Some(known);
        self.put(known, to);
        Ok(to)
    }
}
