//! The sizes of a case: registers, LDS and scratch of a wave, and the number of waves.

use wavetank_gcn::numbers::LDS_BYTES;

use crate::number::integer;

/// The maximum size of a lane's scratch in bytes.
pub(crate) const MAX_SCRATCH: u32 = 1 << 16;

/// The sizes of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    /// The number of vector registers.
    pub vgprs: u32,
    /// The number of accumulation registers.
    pub agprs: u32,
    /// The number of SGPRs, without the special registers.
    pub sgprs: u32,
    /// The LDS of the work-group in bytes.
    pub lds_bytes: u32,
    /// The scratch of a lane in bytes.
    pub scratch_bytes: u32,
    /// The number of waves in the work-group.
    pub waves: u32,
    /// A bit for each size that a line has set.
    given: u8,
}

impl Sizes {
    /// Returns the default sizes of an instruction set whose waves have at most `sgprs` SGPRs and whose work-groups have
    /// `lds_bytes` of LDS.
    pub(crate) fn new(sgprs: u32, lds_bytes: u32) -> Self {
        Sizes {
            vgprs: 256,
            agprs: 256,
            sgprs,
            lds_bytes,
            scratch_bytes: 0,
            waves: 1,
            given: 0,
        }
    }

    /// Reads a line such as `vgprs = 8`; `None` if the line is something else.
    pub(crate) fn set(&mut self, line: &str, most_sgprs: u32) -> Result<Option<()>, String> {
        let Some((name, value)) = line.split_once('=') else {
            return Ok(None);
        };
        let words: Vec<&str> = name.split_whitespace().collect();
        let (place, bit, least, most) = match words[..] {
            ["vgprs"] => (&mut self.vgprs, 1, 1, 256),
            ["sgprs"] => (&mut self.sgprs, 2, 1, most_sgprs),
            ["lds", "bytes"] => (&mut self.lds_bytes, 4, 0, LDS_BYTES),
            ["scratch", "bytes"] => (&mut self.scratch_bytes, 8, 0, MAX_SCRATCH),
            ["waves"] => (&mut self.waves, 16, 1, 16),
            ["agprs"] => (&mut self.agprs, 32, 0, 256),
            _ => return Ok(None),
        };
        if self.given & bit != 0 {
            return Err(format!("`{}` stands twice in the case", words.join(" ")));
        }
        self.given |= bit;
        let read = integer(value).and_then(|n| u32::try_from(n).ok());
        let read = read.filter(|n| (least..=most).contains(n));
        *place = read.ok_or_else(|| {
            let name = words.join(" ");
            format!("`{name}=`: write a number from {least} to {most}")
        })?;
        Ok(Some(()))
    }
}
