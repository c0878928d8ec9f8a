//! Memory operations: a step, and its operands beside the block.

use wavetank_ir::{MemOp, Space, Value};

use super::temps::TooMany;
use super::{ALL, Lower};
use crate::drive::Level;
use crate::memory::mem_step;
use wavetank_memory::{Request, Source};

impl<L: Level> Lower<'_, L> {
    pub(super) fn access(&mut self, op: &MemOp) -> Result<(), TooMany> {
        let mut sources = [Source::None; 4];
        for (source, value) in sources.iter_mut().zip(values(&op.space)) {
            *source = self.mem_source(value);
        }
        if let Space::Flat { address } = op.space {
            // The apertures are looked for lane by lane.
            let mut lanes = [self.operand(address)];
            self.spread(&mut lanes)?;
            if let super::Place::Vector(at) = lanes[0].place {
                sources[0] = Source::Vector(at);
            }
        }
        let mask = match op.mask {
            Some(mask) => self.mask(mask, Value(self.node))?,
            None => ALL,
        };
        let mem = Request {
            op: op.clone(),
            pc: self.pc,
            cache: (self.pc >> 2) as u32,
            sources,
            mask,
        };
        let mut step = self.step(mem_step::<L>(op), &[]);
        step.imm[0] = self.kept.keep(mem);
        self.steps.push(step);
        Ok(())
    }
}

/// The values of a space, in the order of [`Request::sources`].
pub(crate) fn values(space: &Space) -> [Option<Value>; 4] {
    match *space {
        Space::Global { address, index } | Space::Scalar { address, index } => {
            [Some(address), index, None, None]
        }
        Space::Flat { address } | Space::Scratch { address } | Space::Lds { address } => {
            [Some(address), None, None, None]
        }
        Space::Buffer {
            index,
            offset,
            soffset,
            ..
        } => [None, index, offset, Some(soffset)],
        Space::Image(_) => [None; 4],
        Space::Gds { address, window } => [Some(address), Some(window), None, None],
        Space::LdsPair { address, other } => [Some(address), Some(other), None, None],
        Space::ScalarBuffer { index, .. } => [None, index, None, None],
    }
}
