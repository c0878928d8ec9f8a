//! The instructions of a loaded module.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wavetank_gcn::numbers::hwreg;
use wavetank_gcn::tables::Sop1;
use wavetank_gcn::{Chip, Inst};
use wavetank_memory::Registry;
use wavetank_object::{CodeObject, Image};
use wavetank_translate::{Code, reads_exceptions};

/// The bytes of a line: code that is read and compared together.
const LINE: u64 = 256;

/// The number of bytes that is passed to the decoder, more than the longest instruction has.
const WINDOW: usize = 16;

/// Decodes the code of a module from device memory. As by an instruction cache, a line is read when an instruction in it is
/// decoded for the first time, so that earlier writes of the host are seen. Later ones are found at a launch, by comparing the
/// lines that have been read.
pub(crate) struct ModuleCode {
    chip: Chip,
    registry: Arc<Registry>,
    segments: Vec<Segment>,
    /// The code read so far, by device address.
    lines: Mutex<BTreeMap<u64, Box<[u8]>>>,
}

/// An executable segment.
#[derive(Clone, Copy)]
struct Segment {
    /// The device address of the code.
    start: u64,
    /// The address after it.
    end: u64,
}

impl Segment {
    fn has(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

impl ModuleCode {
    pub(crate) fn new(
        chip: Chip,
        object: &CodeObject,
        image: &Image,
        registry: Arc<Registry>,
    ) -> Self {
        let segments = object.segments().iter().filter(|s| s.executable);
        let segments = segments.map(|s| {
            let start = image.address_of(s.address);
            // Memory that the file does not initialize is not code, whatever its size.
            let there = (image.bytes.len() as u64).saturating_sub(start - image.base);
            let end = start + there.min(s.memory_size);
            Segment { start, end }
        });
        ModuleCode {
            chip,
            registry,
            segments: segments.collect(),
            lines: Mutex::default(),
        }
    }

    /// The code with an empty cache of decoded lines.
    pub(crate) fn anew(&self) -> Self {
        ModuleCode {
            chip: self.chip,
            registry: self.registry.clone(),
            segments: self.segments.clone(),
            lines: Mutex::default(),
        }
    }

    /// Returns whether the lines that have been read are unchanged in device memory.
    pub(crate) fn is_current(&self) -> bool {
        let lines = self.lines();
        self.segments.iter().all(|s| {
            let read = lines.range(s.start..s.end);
            let read = read.map(|(at, line)| (*at, &**line));
            let same = self.registry.equals(s.start, s.end - s.start, read);
            // Code that is not there any more will be reported where it is fetched.
            same.unwrap_or(true)
        })
    }

    /// Returns the code from an address on, at most as much as an instruction may have.
    fn bytes(&self, pc: u64) -> Result<Vec<u8>, String> {
        let outside = || format!("{pc:#x} is outside the code");
        let segment = self.segments.iter().find(|s| s.has(pc));
        let segment = segment.ok_or_else(outside)?;
        let end = segment.end.min(pc + WINDOW as u64);
        let (mut at, mut bytes) = (pc, Vec::with_capacity(WINDOW));
        let mut lines = self.lines();
        while at < end {
            let first = at - (at - segment.start) % LINE;
            let last = segment.end.min(first + LINE);
            let line = match lines.entry(first) {
                Entry::Occupied(read) => read.into_mut(),
                Entry::Vacant(new) => new.insert(self.read(first..last)?),
            };
            let line = &line[(at - first) as usize..];
            bytes.extend_from_slice(&line[..line.len().min((end - at) as usize)]);
            at = last;
        }
        Ok(bytes)
    }

    /// Reads the contents of device memory.
    fn read(&self, at: Range<u64>) -> Result<Box<[u8]>, String> {
        let mut bytes = vec![0; (at.end - at.start) as usize];
        match self.registry.read(at.start, &mut bytes) {
            Ok(()) => Ok(bytes.into()),
            Err(_) => Err(format!("the code at {:#x} is not there any more", at.start)),
        }
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<u64, Box<[u8]>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the instruction before an address is a call, so that it may be a return address.
    pub(crate) fn follows_call(&self, address: u64) -> bool {
        let before = address.checked_sub(4).filter(|at| at.is_multiple_of(4));
        let before = before.and_then(|at| self.inst(at).ok());
        before.is_some_and(|inst| inst.op == Sop1::S_SWAPPC_B64.into())
    }

    /// Returns whether an address is in a segment of the code.
    pub(crate) fn has(&self, address: u64) -> bool {
        self.segments.iter().any(|s| s.has(address))
    }

    /// Returns the text of the instruction at an address.
    pub(crate) fn text(&self, pc: u64) -> Option<String> {
        self.inst(pc).ok().map(|inst| inst.to_string())
    }
}

impl Code for ModuleCode {
    fn inst(&self, pc: u64) -> Result<Inst, String> {
        wavetank_gcn::decode(&self.bytes(pc)?, self.chip).map_err(|error| error.to_string())
    }

    fn illegal(&self, pc: u64) -> Option<Chip> {
        let code = self.bytes(pc).ok()?;
        wavetank_gcn::decode(&code, self.chip)
            .is_err()
            .then_some(self.chip)
    }

    /// The code as it was when its first block was translated.
    fn shows_exceptions(&self) -> bool {
        let code = self.segments.iter().map(|s| self.read(s.start..s.end));
        code.flatten()
            .any(|code| shows_exceptions(&code, self.chip))
    }
}

/// Returns whether an instruction of the code reads TRAPSTS. Only words that look like S_GETREG_B32 are decoded.
fn shows_exceptions(code: &[u8], chip: Chip) -> bool {
    let at = |at: usize| {
        let end = (at + WINDOW).min(code.len());
        wavetank_gcn::decode(&code[at..end], chip).ok()
    };
    // S_GETREG_B32 is opcode 18 of SOPK, 17 from gfx8 on; the register is in the low bits.
    let words = code
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let looks =
        |word: u32| matches!(word >> 23, 0x171 | 0x172) && word & 63 == u32::from(hwreg::TRAPSTS);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The words are LLVM's: `s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)` is 0xb880f803.
    #[test]
    fn only_instructions_read_exceptions() {
        let reads = |words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            shows_exceptions(&bytes, Chip::Gfx900)
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
