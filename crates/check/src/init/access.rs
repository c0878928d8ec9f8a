//! Shadows of memory: for each access, one to the shadows of its bytes.

use wavetank_ir::{
    DataReg, MemKind, MemOp, Op, Rmw, SHADOW_UNIFORM, SHADOW_VECTOR, Space, Ty, Value,
};

use super::block::Follow;
use super::numbers::{Bits, Shadow};
use super::sink::Sink;

impl Follow<'_> {
    /// Appends an access, after the access to its shadows: a wave that sees a value of another wave also sees its shadow.
    pub fn access(&mut self, old: &MemOp, op: Op, ty: Option<Ty>) -> Bits {
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
        // What has been converted is defined.
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

    /// The access to shadows. Gives the shadow of a result that is a value.
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
            // What was undefined stays so, and what is done to it with undefined bits becomes so.
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

    /// What comes back is defined.
    fn results(&self, new: &MemOp) {
        let effects = new.effects();
        for span in effects.writes.iter() {
            self.define(span, new.mask);
        }
    }
}

/// Whether bits go to memory as they are.
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

/// What decides where an access goes.
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
            // How many coordinates there are only the resource says; the first is one that is always there, alone in its dword.
            let first = image.address.first();
            let first = first.filter(|_| !image.short && !image.offsets);
            image.resource.iter().chain(first).copied().collect()
        }
        Space::Surface(element) => vec![element.number],
    }
}
