//! The instructions of a loaded module.

use wavetank_isa::{Chip, Inst};
use wavetank_lift::Code;
use wavetank_object::{CodeObject, Image};

/// Decodes the code of a module where it was loaded.
pub(crate) struct ModuleCode {
    chip: Chip,
    image: Image,
    /// Device addresses of the executable segments: first byte, past the last one.
    executable: Vec<(u64, u64)>,
}

impl ModuleCode {
    pub fn new(chip: Chip, object: &CodeObject, image: Image) -> Self {
        let segments = object.segments().iter().filter(|s| s.executable);
        let executable = segments
            .map(|s| {
                let start = image.address_of(s.address);
                (start, start + s.memory_size)
            })
            .collect();
        ModuleCode {
            chip,
            image,
            executable,
        }
    }

    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The code from an address on, at most as much as an instruction takes.
    fn bytes(&self, pc: u64) -> Option<&[u8]> {
        let (_, end) = self
            .executable
            .iter()
            .find(|(start, end)| (*start..*end).contains(&pc))?;
        let at = (pc - self.image.base) as usize;
        let end = (*end).min(pc + 16) - self.image.base;
        self.image.bytes.get(at..end as usize)
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
}
