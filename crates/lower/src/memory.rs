//! Lowering of memory operations: each becomes a step with a request, which is stored with the block.

use wavetank_ir::{DataReg, Image, MemOp, Reg, Space, Value};

use super::emit_steps::Operand;
use super::temps::TooMany;
use super::{ALL, Lower, Place, register};
use wavetank_lane_ops::{Special, is_in_file, memory_step};
use wavetank_memory::{Request, Source};

impl Lower<'_> {
    /// Emits the step of memory access `v`.
    pub(super) fn access(&mut self, v: Value, op: &MemOp) -> Result<(), TooMany> {
        let mut mem = Request {
            op: op.clone(),
            pc: self.pc,
            cache: (self.pc >> 2) as u32,
            sources: addresses(&op.space).map(|v| self.mem_source(v)),
            descriptor: descriptor(&op.space).map(|v| self.mem_source(v)),
            address: [0; Image::MAX_ADDRESS],
            data: [0; MemOp::MAX_DATA],
            ret: returns(op),
            mask: ALL,
        };
        match &op.space {
            // The apertures are tested lane by lane.
            Space::Flat { address, .. } => mem.sources[0] = Source::Vector(self.lanes(*address)?),
            Space::Image(image) => {
                for (at, v) in mem.address.iter_mut().zip(&image.address) {
                    *at = self.lanes(*v)?;
                }
            }
            Space::Surface(element) => {
                for (at, v) in mem.address.iter_mut().zip(&element.at) {
                    *at = self.lanes(*v)?;
                }
            }
            _ => {}
        }
        for (at, v) in mem.data.iter_mut().zip(&op.data) {
            *at = match op.mask {
                Some(_) => self.lanes(*v)?,
                None => self.word(*v)?,
            };
        }
        if let Some(mask) = op.mask {
            mem.mask = self.mask(mask, Value(self.node))?;
        }
        if self.block.node(v).ty.is_some() {
            mem.ret = self.result_of_access(v)?;
        }
        let mut step = self.step(memory_step(self.simd, op, self.extras.instrumented), &[]);
        step.imm[0] = self.kept.keep(mem);
        self.steps.push(step);
        Ok(())
    }

    /// The offset for the result of an access: a temporary, which is 0 in inactive lanes.
    fn result_of_access(&mut self, v: Value) -> Result<u32, TooMany> {
        let zero = Operand {
            place: Place::Const(0),
            wide: false,
            neg: false,
            abs: false,
        };
        let mut step = self.step(self.run_of(Special::Splat { wide: false }), &[zero]);
        step.dst = self.temps.vector(32, self.last(v))?;
        self.places[v.index()] = Place::Vector(step.dst);
        let at = step.dst;
        self.steps.push(step);
        Ok(at)
    }

    /// The offset of a value as a lane vector: in place, or copied to a temporary for this node.
    pub(super) fn lanes(&mut self, v: Value) -> Result<u32, TooMany> {
        let mut lanes = [self.operand(v)];
        self.spread(&mut lanes)?;
        match lanes[0].place {
            Place::Vector(at) => Ok(at),
            _ => unreachable!("what is spread is a lane vector"),
        }
    }

    /// The offset of a uniform value.
    fn word(&mut self, v: Value) -> Result<u32, TooMany> {
        let from = self.operand(v);
        if let Place::Uniform(at) = from.place {
            return Ok(at);
        }
        let at = self.temps.uniform(self.now)?;
        self.move_uniform(from, at);
        Ok(at)
    }
}

/// The offset of the result registers. If these are not in the file, the access has no effect.
pub fn returns(op: &MemOp) -> u32 {
    match op.ret {
        Some(DataReg::V(n)) if is_in_file(n.into(), 1) => match register(Reg::V(n)) {
            Place::Vector(at) => at,
            _ => unreachable!("vector registers are lane vectors"),
        },
        _ => 0,
    }
}

/// The parts of the descriptors of a space, in the order of
/// [`Request::descriptor`].
pub fn descriptor(space: &Space) -> [Option<Value>; 6] {
    let mut parts = [None; 6];
    let mut put = |at: usize, values: &[Value]| {
        for (part, v) in parts[at..].iter_mut().zip(values) {
            *part = Some(*v);
        }
    };
    match space {
        Space::Buffer { resource, .. } | Space::ScalarBuffer { resource, .. } => put(0, resource),
        Space::Image(image) => {
            put(0, &image.resource);
            put(Request::SAMPLER, image.sampler.as_ref().map_or(&[], |s| s));
        }
        Space::Global { .. }
        | Space::Flat { .. }
        | Space::Scratch { .. }
        | Space::Lds { .. }
        | Space::Gds { .. }
        | Space::LdsPair { .. }
        | Space::Surface(_)
        | Space::Scalar { .. } => {}
    }
    parts
}

/// The values of an address, in the order of [`Request::sources`].
pub fn addresses(space: &Space) -> [Option<Value>; 4] {
    match *space {
        Space::Global { address, index } | Space::Scalar { address, index } => {
            [Some(address), index, None, None]
        }
        Space::Flat { address, limit } | Space::Lds { address, limit } => {
            [Some(address), limit, None, None]
        }
        Space::Scratch { address } => [Some(address), None, None, None],
        Space::Buffer {
            address,
            index,
            offset,
            soffset,
            ..
        } => [address, index, offset, Some(soffset)],
        Space::Image(_) => [None; 4],
        Space::Surface(ref element) => [Some(element.number), element.level, None, None],
        Space::Gds { address, window } => [Some(address), Some(window), None, None],
        Space::LdsPair {
            address,
            other,
            limit,
        } => [Some(address), Some(other), limit, None],
        Space::ScalarBuffer { index, .. } => [None, index, None, None],
    }
}
