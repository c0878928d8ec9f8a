//! The generations of chips, and the features that each lacks.

use std::fmt;

/// A version of the instruction set, with the chip names of `nvdisasm -b`: SM 5.0 is Maxwell's first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Generation {
    /// SPA 5.0: no sparse status, no packed halves.
    Sm50,
    /// SPA 5.2, the one that the reference text describes.
    Sm52,
    /// SPA 5.3.
    Sm53,
    /// SPA 6.0 (Pascal): packed halves are printed without `.FTZ`.
    Sm60,
    /// SPA 6.1.
    Sm61,
    /// SPA 6.2.
    Sm62,
}

/// The start of the names of this family's instruction sets.
const FAMILY: &str = "maxwell:";

impl Generation {
    /// All generations, oldest first.
    pub const ALL: [Generation; 6] = [
        Generation::Sm50,
        Generation::Sm52,
        Generation::Sm53,
        Generation::Sm60,
        Generation::Sm61,
        Generation::Sm62,
    ];

    /// Returns the number in the generation's name: 50 for SPA 5.0.
    pub fn number(self) -> u8 {
        match self {
            Generation::Sm50 => 50,
            Generation::Sm52 => 52,
            Generation::Sm53 => 53,
            Generation::Sm60 => 60,
            Generation::Sm61 => 61,
            Generation::Sm62 => 62,
        }
    }

    /// Returns the generation of a number: 52 for SPA 5.2.
    pub fn from_number(number: u8) -> Option<Generation> {
        Generation::ALL.into_iter().find(|g| g.number() == number)
    }

    /// Returns the generation of a name: `maxwell:52`.
    ///
    /// ```
    /// use wavetank_surface_isa::maxwell::Generation;
    /// assert_eq!(Generation::from_name("maxwell:52"), Some(Generation::Sm52));
    /// assert_eq!(Generation::from_name("maxwell:51"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Generation> {
        let number = name.to_ascii_lowercase();
        let number = number.strip_prefix(FAMILY)?;
        Generation::ALL
            .into_iter()
            .find(|g| g.number().to_string() == number)
    }

    /// Returns whether packed halves are printed as `.F16x2.FTZ.RN`, as before SPA 6.0.
    pub(crate) fn prints_ftz_of_halves(self) -> bool {
        self < Generation::Sm60
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FAMILY}{}", self.number())
    }
}
