//! How much a wave of a case has: registers, LDS, scratch, and how many waves there are.

use wavetank_isa::numbers::LDS_BYTES;

use super::number::integer;

/// Bytes of scratch that a lane of a case may have.
pub(super) const MOST_SCRATCH: u32 = 1 << 16;
/// SGPRs that instructions can name.
const MOST_SGPRS: u32 = 102;

/// How much a wave has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    /// Vector registers.
    pub vgprs: u32,
    /// Scalar registers, beside those that have names.
    pub sgprs: u32,
    /// LDS of the work-group.
    pub lds_bytes: u32,
    /// Scratch of a lane.
    pub scratch_bytes: u32,
    /// Waves of the work-group.
    pub waves: u32,
}

impl Sizes {
    /// What a wave has of which nothing is said, where a work-group may have this much LDS.
    pub fn with_lds(lds_bytes: u32) -> Self {
        Sizes {
            vgprs: 256,
            sgprs: MOST_SGPRS,
            lds_bytes,
            scratch_bytes: 0,
            waves: 1,
        }
    }

    /// Reads `vgprs = 8` and its likes; `None` if the line is something else.
    pub fn set(&mut self, line: &str) -> Result<Option<()>, String> {
        let Some((name, value)) = line.split_once('=') else {
            return Ok(None);
        };
        let words: Vec<&str> = name.split_whitespace().collect();
        let (place, least, most) = match words[..] {
            ["vgprs"] => (&mut self.vgprs, 1, 256),
            ["sgprs"] => (&mut self.sgprs, 1, MOST_SGPRS),
            ["lds", "bytes"] => (&mut self.lds_bytes, 0, LDS_BYTES),
            ["scratch", "bytes"] => (&mut self.scratch_bytes, 0, MOST_SCRATCH),
            ["waves"] => (&mut self.waves, 1, 16),
            _ => return Ok(None),
        };
        let read = integer(value).and_then(|n| u32::try_from(n).ok());
        let read = read.filter(|n| (least..=most).contains(n));
        *place = read.ok_or_else(|| {
            let name = words.join(" ");
            format!("`{name}=`: write a number from {least} to {most}")
        })?;
        Ok(Some(()))
    }
}
