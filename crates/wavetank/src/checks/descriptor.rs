//! Buffer descriptors (Vega ISA, 8.1.4 "Buffer Resource") of denied accesses.

use wavetank_check::Finding;
use wavetank_gcn::{Field, Flags, Form, Inst, Operand};
use wavetank_memory::{BufferDescriptor, Registry, Wave};
use wavetank_translate::buffer_dialect;

/// A descriptor that an instruction has used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Used {
    /// The first register of the descriptor.
    register: u8,
    descriptor: BufferDescriptor,
    /// Whether its size counts records, and not bytes.
    counts_records: bool,
}

impl Used {
    /// Returns the descriptor of the instruction at which a wave is. With ADDR64 the descriptor does not determine the address,
    /// and `None` is returned.
    pub(crate) fn at(wave: &Wave, inst: &Inst) -> Option<Used> {
        let field = match inst.form {
            Form::Mubuf | Form::Mtbuf if !inst.has(Flags::ADDR64) => Field::Srsrc,
            _ => return None,
        };
        let Operand::Sgpr(register) = inst.operand(field) else {
            return None;
        };
        let s = &wave.uniform().s;
        let words = s.get(usize::from(register)..)?.first_chunk()?;
        let dialect = buffer_dialect(inst.chip);
        let descriptor = BufferDescriptor::new(*words, dialect, inst.form == Form::Mtbuf);
        let indexed = inst.has(Flags::IDXEN);
        Some(Used {
            register,
            counts_records: descriptor.counts_records(dialect, indexed),
            descriptor,
        })
    }

    /// Adds the contents of the descriptor to a finding. If no allocation is at its base address, the descriptor itself is the
    /// mistake.
    pub(crate) fn describe(&self, finding: &mut Finding, registry: &Registry) {
        let base = self.descriptor.base;
        let (first, last) = (self.register, self.register + 3);
        let what = format!("the buffer of s[{first}:{last}] begins at {base:#x}");
        let there = registry.find(base);
        let note = match &there {
            Some(there) => match self.end().checked_sub(there.end()) {
                None | Some(0) => format!("{what}, and has {}", self.size()),
                Some(beyond) => format!(
                    "{what}, and has {}: it ends {beyond} bytes after {}",
                    self.size(),
                    there.name
                ),
            },
            None => format!(
                "{what}, which is outside every allocation, and has {}",
                self.size()
            ),
        };
        if there.is_none() && finding.rule == "out-of-bounds" {
            finding.rule = "descriptor";
        }
        finding.notes.push(note);
    }

    /// The address after the buffer.
    fn end(&self) -> u64 {
        let bytes = if self.counts_records {
            self.descriptor.stride
        } else {
            1
        };
        let bytes = bytes * u64::from(self.descriptor.num_records);
        self.descriptor.base + bytes
    }

    /// Describes the size of the buffer and its layout.
    fn size(&self) -> String {
        let BufferDescriptor {
            stride,
            num_records,
            swizzle,
            element,
            index_stride,
            ..
        } = self.descriptor;
        let size = if self.counts_records {
            format!("{num_records} records of {stride} bytes")
        } else {
            format!("{num_records} bytes")
        };
        if swizzle {
            format!("{size}, swizzled by elements of {element} bytes of {index_stride} indices")
        } else {
            size
        }
    }
}
