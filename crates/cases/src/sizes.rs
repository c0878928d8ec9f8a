//! How much a wave of a case has: registers, LDS, scratch, and how many waves there are.

use wavetank_gcn::numbers::LDS_BYTES;

use crate::number::integer;

/// Bytes of scratch that a lane of a case may have.
pub(crate) const MAX_SCRATCH: u32 = 1 << 16;

/// How much a wave has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
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
    /// Which of these lines have set, a bit each.
    given: u8,
}

impl Sizes {
    /// What a wave has of which nothing is said, where it may have so many scalar registers, and a work-group this much LDS.
    pub(crate) fn new(sgprs: u32, lds_bytes: u32) -> Self {
        Sizes {
            vgprs: 256,
            sgprs,
            lds_bytes,
            scratch_bytes: 0,
            waves: 1,
            given: 0,
        }
    }

    /// Reads `vgprs = 8` and its likes; `None` if the line is something else.
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
