//! Bundles: a control word, then three instruction words, 32 bytes together.

use crate::maxwell::control::Control;

/// An instruction of a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// The instruction word.
    pub word: u64,
    /// The part of the control word that controls its issue.
    pub control: Control,
}

/// Three instructions with their control word.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Bundle, Control};
/// let mut bytes = [0; 32];
/// bytes[0] = 0x42; // The first slot stalls two cycles, and raises barrier 2 until it has written.
/// let bundle = Bundle::of_bytes(&bytes);
/// assert_eq!((bundle.controls()[0].stall, bundle.controls()[0].write), (2, Some(2)));
/// assert_eq!(bundle.to_bytes(), bytes);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bundle {
    /// The control word: 21 bits for each slot, from bit 0 upward. Bit 63 has no meaning.
    pub control: u64,
    /// The instruction words.
    pub words: [u64; 3],
}

impl Bundle {
    /// Bytes of a bundle.
    pub const SIZE: usize = 32;

    /// The word of `NOP`, which has no effect; it fills a bundle.
    pub const NOP: u64 = 0x50b0_0000_0007_0f00;

    /// Returns the bundle of bytes in the order of memory (little endian).
    pub fn of_bytes(bytes: &[u8; Bundle::SIZE]) -> Bundle {
        let word = |n: usize| {
            let bytes = bytes[8 * n..8 * n + 8].iter().rev();
            bytes.fold(0u64, |word, byte| word << 8 | u64::from(*byte))
        };
        Bundle {
            control: word(0),
            words: [word(1), word(2), word(3)],
        }
    }

    /// Returns the bytes in the order of memory.
    pub fn to_bytes(&self) -> [u8; Bundle::SIZE] {
        let mut bytes = [0; Bundle::SIZE];
        let words = std::iter::once(self.control).chain(self.words);
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Returns the part of the control word for each instruction.
    pub fn controls(&self) -> [Control; 3] {
        Control::of_word(self.control)
    }

    /// Returns the bytes of bundles with these instructions, the last one filled with [`NOP`](Bundle::NOP)s.
    pub fn pack(instructions: &[Slot]) -> Vec<u8> {
        const NOP: Slot = Slot {
            word: Bundle::NOP,
            control: Control::NONE,
        };
        let bundles = instructions.chunks(3).flat_map(|slots| {
            let slots = [0, 1, 2].map(|n| slots.get(n).copied().unwrap_or(NOP));
            let bundle = Bundle {
                control: Control::word(slots.map(|slot| slot.control)),
                words: slots.map(|slot| slot.word),
            };
            bundle.to_bytes()
        });
        bundles.collect()
    }

    /// Returns the offset of an instruction, by its number, from the start of the first bundle in bytes.
    pub fn offset(number: usize) -> usize {
        number / 3 * Bundle::SIZE + 8 * (1 + number % 3)
    }
}
