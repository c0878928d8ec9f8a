//! Control words: the fields for each of the three instructions of a bundle.

use std::fmt;

/// Bits of a slot in the control word.
const WIDTH: u32 = 21;

/// The control of an instruction's issue: 21 bits of the control word.
///
/// Printed in the notation of the reference text, which omits defaults: `&req_6 &rd0 &wr1 ?stall4.yield`. Reuse flags, for which
/// the text has no notation, are `&reuse_N`.
///
/// ```
/// use wavetank_surface_isa::maxwell::Control;
/// let control = Control { wait: 0b110, write: Some(1), stall: 4, ..Control::NONE };
/// assert_eq!(control.to_string(), " &req_6 &wr1 ?stall4");
/// assert_eq!(Control::of_bits(control.bits()), control);
/// assert_eq!(Control::NONE.bits(), 0x7e0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Control {
    /// Cycles until the next instruction is issued: 4 bits.
    pub stall: u8,
    /// The yield bit, as encoded.
    pub yields: bool,
    /// The barrier that is raised until the result has been written: 0 to 6.
    pub write: Option<u8>,
    /// The barrier that is raised until the sources have been read: 0 to 6.
    pub read: Option<u8>,
    /// The mask of the barriers that the instruction waits for: 6 bits.
    pub wait: u8,
    /// The mask of the sources whose registers are kept for the next instruction: 4 bits.
    pub reuse: u8,
}

impl Control {
    /// The control of an instruction without marks: no stall, no yield bit, no barriers, no reuse.
    pub const NONE: Control = Control {
        stall: 0,
        yields: false,
        write: None,
        read: None,
        wait: 0,
        reuse: 0,
    };

    /// Decodes the control from 21 bits; higher bits are ignored.
    pub fn of_bits(bits: u64) -> Control {
        let field = |low: u32, width: u32| (bits >> low & ((1 << width) - 1)) as u8;
        let barrier = |low| Some(field(low, 3)).filter(|barrier| *barrier != 7);
        Control {
            stall: field(0, 4),
            yields: field(4, 1) != 0,
            write: barrier(5),
            read: barrier(8),
            wait: field(11, 6),
            reuse: field(17, 4),
        }
    }

    /// Returns the 21 bits. Of a field that is too large, the lowest bits are used.
    pub fn bits(self) -> u64 {
        let put = |value: u8, low: u32, width: u32| (u64::from(value) & ((1 << width) - 1)) << low;
        let barrier = |barrier: Option<u8>, low| put(barrier.unwrap_or(7), low, 3);
        put(self.stall, 0, 4)
            | put(u8::from(self.yields), 4, 1)
            | barrier(self.write, 5)
            | barrier(self.read, 8)
            | put(self.wait, 11, 6)
            | put(self.reuse, 17, 4)
    }

    /// Returns the controls of the three slots of a control word.
    pub fn of_word(word: u64) -> [Control; 3] {
        [0, 1, 2].map(|slot| Control::of_bits(word >> (WIDTH * slot)))
    }

    /// Returns the control word of three slots; bit 63 is 0.
    pub fn word(slots: [Control; 3]) -> u64 {
        let put = |word, control: &Control| word << WIDTH | control.bits();
        slots.iter().rev().fold(0, put)
    }
}

/// Prints each mark after a blank, and nothing for [`Control::NONE`].
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.wait != 0 {
            write!(f, " &req_{}", self.wait)?;
        }
        if let Some(barrier) = self.read {
            write!(f, " &rd{barrier}")?;
        }
        if let Some(barrier) = self.write {
            write!(f, " &wr{barrier}")?;
        }
        if self.reuse != 0 {
            write!(f, " &reuse_{}", self.reuse)?;
        }
        match (self.stall, self.yields) {
            (0, false) => Ok(()),
            (0, true) => f.write_str(" ?yield"),
            (stall, false) => write!(f, " ?stall{stall}"),
            (stall, true) => write!(f, " ?stall{stall}.yield"),
        }
    }
}
