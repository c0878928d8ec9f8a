//! The wait states that a hazard needs, by chip.

use std::fmt;

use wavetank_gcn::{Chip, Generation};

/// The chips that share a column of the table of hazards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Column {
    Gfx6,
    Gfx7,
    Gfx8,
    Vega,
    Gfx908,
    Gfx90a,
    Gfx942,
    Gfx950,
}

/// The number of columns.
pub(crate) const COLUMNS: usize = Column::Gfx950 as usize + 1;

impl Column {
    /// Returns the column of a chip.
    pub(crate) fn of(chip: Chip) -> Column {
        match (chip, chip.generation()) {
            (Chip::Gfx908, _) => Column::Gfx908,
            (Chip::Gfx90a, _) => Column::Gfx90a,
            (Chip::Gfx942, _) => Column::Gfx942,
            (Chip::Gfx950, _) => Column::Gfx950,
            (_, Generation::Gfx6) => Column::Gfx6,
            (_, Generation::Gfx7) => Column::Gfx7,
            (_, Generation::Gfx8) => Column::Gfx8,
            (_, Generation::Gfx9) => Column::Vega,
        }
    }
}

/// The number of wait states. After a matrix instruction it can depend on its passes, which take four cycles each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// There is no hazard.
    Never,
    /// A fixed number.
    States(u8),
    /// The passes and so many more.
    Passes(i8),
    /// The same, and one less if there are two passes.
    PassesButTwo(i8),
    /// A fixed number if there are two passes, else none.
    AfterTwo(u8),
}

/// The passes of the longest matrix instructions.
const MAX_PASSES: u8 = 16;

impl Need {
    /// Returns the wait states after an instruction of so many passes.
    pub(crate) fn states(self, passes: u8) -> u8 {
        match self {
            Need::Never => 0,
            Need::States(states) => states,
            Need::Passes(more) => passes.saturating_add_signed(more),
            Need::PassesButTwo(more) => passes.saturating_add_signed(more) - u8::from(passes == 2),
            Need::AfterTwo(states) if passes == 2 => states,
            Need::AfterTwo(_) => 0,
        }
    }

    /// Returns the wait states that are enough after every instruction.
    pub(crate) fn most(self) -> u8 {
        self.states(MAX_PASSES).max(self.states(2))
    }
}

impl fmt::Display for Need {
    /// Prints the number for a table, with P for the passes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |f: &mut fmt::Formatter<'_>, more: i8| match more {
            0 => write!(f, "P"),
            1.. => write!(f, "P + {more}"),
            _ => write!(f, "P − {}", more.unsigned_abs()),
        };
        match *self {
            Need::Never => write!(f, "–"),
            Need::States(states) => write!(f, "{states}"),
            Need::Passes(more) => sum(f, more),
            Need::PassesButTwo(more) => {
                sum(f, more)?;
                write!(f, "; {} if P is 2", self.states(2))
            }
            Need::AfterTwo(states) => write!(f, "{states} if P is 2"),
        }
    }
}
