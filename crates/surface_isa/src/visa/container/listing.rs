//! The listing of a container.

use std::fmt;

use wavetank_quote::plain;

use super::{Container, Content, Item, Kind, Routine};

/// The number of bytes in a line of undecoded code.
const BYTES: usize = 16;

/// Prints the instructions of a container. TYPED_ATOMICs are lines that can be assembled, followed by their place and bytes;
/// everything else is in comments.
impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for routine in &self.routines {
            let kind = match routine.kind {
                Kind::Kernel => "kernel",
                Kind::Function => "function",
            };
            writeln!(f, "\n// {kind} {}", plain(&routine.name))?;
            self.list(routine, f)?;
        }
        Ok(())
    }
}

impl Container {
    fn list(&self, routine: &Routine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in self.items(routine) {
            let bytes = &self.bytes()[item.offset..][..item.length];
            write_item(&item, bytes, f)?;
        }
        Ok(())
    }
}

/// A listing of plain instructions, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'b> {
    /// The bytes, which begin with an instruction.
    pub code: &'b [u8],
    /// The width of variable numbers in the bytes.
    pub ids: crate::visa::Ids,
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items = super::Items::new(self.code, 0, self.ids);
        items.try_for_each(|item| {
            let bytes = &self.code[item.offset..][..item.length];
            write_item(&item, bytes, f)
        })
    }
}

fn write_item(item: &Item, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Item {
        offset,
        length,
        content,
    } = item;
    match content {
        Content::Atomic(inst) => {
            write!(f, "\t{inst} // {offset:08x}:")?;
            write_bytes(bytes, f)?;
            writeln!(f)
        }
        Content::Other(opcode, name) => {
            writeln!(
                f,
                "\t// {offset:08x}: {name} (opcode {opcode:#04x}), {length} bytes"
            )
        }
        Content::Wrong(error) => {
            writeln!(
                f,
                "\t// {offset:08x}: no TYPED_ATOMIC, {length} bytes: {error}"
            )?;
            write_rest(*offset, bytes, f)
        }
        Content::Rest(error) => {
            writeln!(f, "\t// {offset:08x}: the rest, {length} bytes: {error}")?;
            write_rest(*offset, bytes, f)
        }
    }
}

fn write_rest(offset: usize, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (n, bytes) in bytes.chunks(BYTES).enumerate() {
        write!(f, "\t// {:08x}:", offset + n * BYTES)?;
        write_bytes(bytes, f)?;
        writeln!(f)?;
    }
    Ok(())
}

fn write_bytes(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
}
