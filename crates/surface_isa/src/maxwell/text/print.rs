//! The text of an instruction, as nvdisasm prints it.

use std::fmt;

use crate::maxwell::control::Control;
use crate::maxwell::inst::{Clamp, Guard, Handle, Inst, Mode, Size};

/// Returns the text of an instruction with the marks of its control before the `;`.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Generation, assemble, print};
/// let (inst, control) = assemble("suatom.d.1d.add r0, [r1], r2, 7 ?stall2 &wr0", Generation::Sm50)?;
/// assert_eq!(print(&inst, control), "SUATOM.D.1D.ADD R0, [R1], R2, 0x7 &wr0 ?stall2;");
/// # Ok::<(), wavetank_surface_isa::TextError>(())
/// ```
pub fn print(inst: &Inst, control: Control) -> String {
    let text = inst.to_string();
    let body = text.strip_suffix(';').unwrap_or(&text);
    format!("{body}{control};")
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.guard != Guard::ALL {
            let not = if self.guard.negated { "!" } else { "" };
            write!(f, "@{not}{} ", self.guard.pred)?;
        }
        let mode = match self.mode {
            Mode::Raw { bytes: false } => "D",
            Mode::Raw { bytes: true } => "D.BA",
            Mode::Formatted => "P",
        };
        write!(f, "SUATOM.{mode}.{}.{}", self.dim.name(), self.op.name())?;
        if self.size != Size::U32 {
            write!(f, ".{}", self.size.printed(self.generation))?;
        }
        if self.clamp != Clamp::Near {
            write!(f, ".{}", self.clamp.name())?;
        }
        f.write_str(" ")?;
        if let Some(sparse) = self.sparse {
            write!(f, "{sparse}, ")?;
        }
        write!(f, "{}, [{}], {}, ", self.rd, self.ra, self.rb)?;
        match self.handle {
            Handle::Register(rc) => write!(f, "{rc};"),
            Handle::Immediate(index) => write!(f, "{index:#x};"),
        }
    }
}
