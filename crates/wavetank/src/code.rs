//! The instructions of a loaded module.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use wavetank_isa::numbers::hwreg;
use wavetank_isa::tables::Sop1;
use wavetank_isa::{Chip, Inst};
use wavetank_memory::{Registry, RegistryError};
use wavetank_object::{CodeObject, Image};
use wavetank_translate::{Code, reads_exceptions};

/// Bytes of code that are watched together.
const LINE: usize = 256;

/// Decodes the code of a module from a copy of its own, and knows which of it has been decoded: a launch looks whether the
/// host has written over that.
pub(crate) struct ModuleCode {
    chip: Chip,
    segments: Vec<Segment>,
}

/// An executable segment.
struct Segment {
    /// Its device address.
    start: u64,
    bytes: Vec<u8>,
    /// A bit for each line of which something has been decoded.
    decoded: Vec<AtomicU64>,
}

impl Segment {
    fn new(start: u64, bytes: Vec<u8>) -> Self {
        let words = bytes.len().div_ceil(LINE).div_ceil(64);
        let decoded = (0..words).map(|_| AtomicU64::new(0)).collect();
        Segment {
            start,
            bytes,
            decoded,
        }
    }

    /// Whether an instruction reads TRAPSTS. Few words look so, and then it counts whether they are instructions.
    fn reads_exceptions(&self, chip: Chip) -> bool {
        let at = |at: usize| {
            let end = (at + 16).min(self.bytes.len());
            wavetank_isa::decode(&self.bytes[at..end], chip).ok()
        };
        // S_GETREG_B32 is opcode 18 of SOPK, 17 from gfx8 on; the register is in the low bits.
        let words = self
            .bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let looks = |word: u32| {
            matches!(word >> 23, 0x171 | 0x172) && word & 63 == u32::from(hwreg::TRAPSTS)
        };
        let Some((last, _)) = words.enumerate().rfind(|(_, word)| looks(*word)) else {
            return false;
        };
        let mut here = 0;
        while here <= 4 * last {
            let inst = at(here);
            if inst.as_ref().is_some_and(reads_exceptions) {
                return true;
            }
            here += inst.map_or(4, |inst| usize::from(inst.len));
        }
        false
    }

    fn mark(&self, at: usize) {
        let line = at / LINE;
        self.decoded[line / 64].fetch_or(1 << (line % 64), Relaxed);
    }

    /// What has been decoded, by offset.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let words = self.decoded.iter().map(|word| word.load(Relaxed));
        words.enumerate().flat_map(move |(n, mut bits)| {
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                let start = (64 * n + bit) * LINE;
                Some(start..(start + LINE).min(self.bytes.len()))
            })
        })
    }
}

impl ModuleCode {
    pub fn new(chip: Chip, object: &CodeObject, image: &Image) -> Self {
        let segments = object.segments().iter().filter(|s| s.executable);
        let segments = segments.map(|s| {
            let start = image.address_of(s.address);
            let at = (start - image.base) as usize;
            // What the file does not have is no code, however much of it there is.
            let there = image.bytes.get(at..).unwrap_or_default();
            let bytes = &there[..there.len().min(s.memory_size as usize)];
            Segment::new(start, bytes.to_vec())
        });
        ModuleCode {
            chip,
            segments: segments.collect(),
        }
    }

    /// Whether what has been decoded is what stands in device memory.
    pub fn is_current(&self, registry: &Registry) -> bool {
        let same = |s: &Segment| registry.equals(s.start, &s.bytes, s.lines());
        // Code that is not there any more will be told where it is fetched.
        self.segments.iter().all(|s| same(s).unwrap_or(true))
    }

    /// The code as it stands in device memory now.
    pub fn read_again(&self, registry: &Registry) -> Result<Self, RegistryError> {
        let read = |s: &Segment| {
            let mut bytes = vec![0; s.bytes.len()];
            registry.read(s.start, &mut bytes)?;
            Ok(Segment::new(s.start, bytes))
        };
        Ok(ModuleCode {
            chip: self.chip,
            segments: self.segments.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// The code from an address on, at most as much as an instruction takes.
    fn bytes(&self, pc: u64) -> Option<&[u8]> {
        let mut found = self.segments.iter().filter_map(|s| {
            let at = usize::try_from(pc.checked_sub(s.start)?).ok()?;
            (at < s.bytes.len()).then_some((s, at))
        });
        let (segment, at) = found.next()?;
        let end = (at + 16).min(segment.bytes.len());
        segment.mark(at);
        segment.mark(end - 1);
        Some(&segment.bytes[at..end])
    }

    /// Whether the instruction before an address is a call: then it may be a return address.
    pub fn follows_call(&self, address: u64) -> bool {
        let before = address.checked_sub(4).filter(|at| at.is_multiple_of(4));
        let before = before.and_then(|at| self.inst(at).ok());
        before.is_some_and(|inst| inst.op == Sop1::S_SWAPPC_B64.into())
    }

    /// Whether it has an address.
    pub fn has(&self, address: u64) -> bool {
        self.bytes(address).is_some()
    }

    /// The instruction at an address in the assembler's words.
    pub fn text(&self, pc: u64) -> Option<String> {
        self.inst(pc).ok().map(|inst| inst.to_string())
    }
}

impl Code for ModuleCode {
    fn inst(&self, pc: u64) -> Result<Inst, String> {
        let Some(bytes) = self.bytes(pc) else {
            return Err(format!("{pc:#x} is outside the code"));
        };
        wavetank_isa::decode(bytes, self.chip).map_err(|error| error.to_string())
    }

    fn shows_exceptions(&self) -> bool {
        self.segments.iter().any(|s| s.reads_exceptions(self.chip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words are LLVM's: `s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)` is 0xb880f803.
    #[test]
    fn only_instructions_read_exceptions() {
        let reads = |words: &[u32]| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            Segment::new(0, bytes.collect()).reads_exceptions(Chip::Gfx900)
        };
        let (nop, end) = (0xbf80_0000, 0xbf81_0000);
        assert!(reads(&[nop, 0xb880_f803, end]));
        // s_mov_b32 s0, 0xb880f803
        assert!(!reads(&[0xbe80_00ff, 0xb880_f803, end]));
        assert!(reads(&[0xbe80_00ff, 0xb880_f803, 0xb880_f803]));
        // hwreg(HW_REG_MODE)
        assert!(!reads(&[0xb880_f801, end]));
        assert!(!reads(&[]));
    }
}
