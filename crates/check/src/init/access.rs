//! Shadows of memory: for each access, one access to the shadows of its bytes.

use wavetank_ir::{
    DataReg, MemKind, MemOp, Op, Rmw, SHADOW_UNIFORM, SHADOW_VECTOR, Space, Ty, Value,
};

use super::block::Follow;
use super::numbers::{Bits, Shadow};
use super::sink::Sink;

impl Follow<'_> {
    /// Appends an access, after the access to its shadows, so that a wave that sees a value of another wave also sees its shadow.
    pub(super) fn access(&mut self, old: &MemOp, op: Op, ty: Option<Ty>) -> Bits {
        let Op::Mem(new) = &op else {
            unreachable!("it is an access");
        };
        for part in address_parts(&old.space) {
            self.probe(Sink::Address, self.shadow(part), new.mask);
        }
        if is_plain(&old.space) {
            let shadow = self.plain(old, new, ty);
            let value = self.b.node(op, ty);
            return Bits { value, shadow };
        }
        let value = self.b.node(op.clone(), ty);
        // Converted bits are defined.
        if old.kind == MemKind::Store {
            self.b.mem(MemOp {
                shadow: true,
                ..(**new).clone()
            });
        }
        self.results(new);
        Bits {
            value,
            shadow: None,
        }
    }

    /// Appends the access to shadows; returns the shadow of the result, if it is a value.
    fn plain(&self, old: &MemOp, new: &MemOp, ty: Option<Ty>) -> Shadow {
        let data = old.data.iter().map(|v| self.shadow(*v)).collect::<Vec<_>>();
        let is_defined = data.iter().all(Option::is_none);
        let shadow_op = |kind, data: Vec<Shadow>| MemOp {
            kind,
            data: data
                .into_iter()
                .map(|s| self.n.or_zero(s, Ty::U32))
                .collect(),
            ret: new.ret.map(|reg| match reg {
                DataReg::V(n) => DataReg::V(n | SHADOW_VECTOR),
                DataReg::S(n) => DataReg::S(n | SHADOW_UNIFORM),
            }),
            shadow: true,
            ..new.clone()
        };
        match old.kind {
            MemKind::Load if ty.is_some() => Some(self.b.load(shadow_op(MemKind::Load, data))),
            MemKind::Load | MemKind::Store => {
                self.b.mem(shadow_op(old.kind, data));
                None
            }
            MemKind::Atomic(Rmw::Swap) => {
                self.b.mem(shadow_op(old.kind, data));
                None
            }
            // Undefined bits stay undefined, and bits combined with undefined operands become undefined.
            MemKind::Atomic(_) => {
                let dwords = (old.access.bytes() / 4) as usize;
                let either = |n: usize| self.n.or(data[n], data.get(n + dwords).copied().flatten());
                let data = (0..dwords.min(data.len())).map(either).collect();
                if new.ret.is_some() {
                    self.b.mem(shadow_op(MemKind::Load, Vec::new()));
                }
                if !is_defined {
                    self.b.mem(MemOp {
                        ret: None,
                        ..shadow_op(MemKind::Atomic(Rmw::Or), data)
                    });
                }
                None
            }
        }
    }

    /// Marks returned registers as defined.
    fn results(&self, new: &MemOp) {
        let effects = new.effects();
        for span in effects.writes.iter() {
            self.define(span, new.mask);
        }
    }
}

/// Whether bits go to memory unconverted.
fn is_plain(space: &Space) -> bool {
    match space {
        Space::Global { .. }
        | Space::Flat { .. }
        | Space::Scratch { .. }
        | Space::Lds { .. }
        | Space::Gds { .. }
        | Space::Scalar { .. }
        | Space::ScalarBuffer { .. } => true,
        Space::Buffer { format, .. } => *format == wavetank_ir::Elements::Plain,
        Space::LdsPair { .. } | Space::Image(_) | Space::Surface(_) => false,
    }
}

/// Returns the values that determine the address of an access.
fn address_parts(space: &Space) -> Vec<Value> {
    match space {
        Space::Global { address, index } | Space::Scalar { address, index } => {
            [Some(*address), *index].into_iter().flatten().collect()
        }
        Space::Flat { address, .. }
        | Space::Scratch { address }
        | Space::Lds { address, .. }
        | Space::Gds { address, .. } => vec![*address],
        Space::LdsPair { address, other, .. } => vec![*address, *other],
        Space::Buffer {
            resource,
            address,
            index,
            offset,
            soffset,
            ..
        } => {
            let parts = [*address, *index, *offset, Some(*soffset)];
            resource
                .iter()
                .copied()
                .chain(parts.into_iter().flatten())
                .collect()
        }
        Space::ScalarBuffer { resource, index } => resource.iter().copied().chain(*index).collect(),
        Space::Image(image) => {
            // The number of coordinates depends on the resource; the first one is always used, if it has a dword to itself.
            let first = image.address.first();
            let first = first.filter(|_| !image.short && !image.offsets);
            image.resource.iter().chain(first).copied().collect()
        }
        Space::Surface(element) => vec![element.number],
    }
}
