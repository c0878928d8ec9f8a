//! Instrumentation of a block: operations that examine its floats.

use std::collections::BTreeMap;

use wavetank_ir::{Block, Builder, MAX_SHOWN, Op, Value};

use super::event::Event;
use super::nan_sources::{NanSources, operation};
use super::selects::{Fate, Kind, Selects};

/// The block with what watches its floats.
pub fn watch(block: &Block) -> Block {
    let builder = Builder::new(block.pc);
    let mut watch = Watch {
        b: NanSources(&builder),
        selects: Selects::of(block),
        pc: block.pc,
        values: Vec::with_capacity(block.nodes.len()),
        born: Vec::new(),
        held: BTreeMap::new(),
    };
    for (n, node) in block.nodes.iter().enumerate() {
        let mut op = node.op.clone();
        op.for_each_operand_mut(&mut |v| *v = watch.values[v.index()]);
        if let Op::Write { mask, .. } = &op {
            mask.iter().for_each(|lanes| watch.probe(*lanes));
        }
        if let Op::WriteIndexed { mask, .. } = &op {
            watch.probe(*mask);
        }
        if let Op::Inst { pc, .. } = op {
            watch.begin(pc);
        }
        let value = builder.node(op.clone(), node.ty);
        watch.values.push(value);
        if let Some(ty) = node.ty {
            watch.choose(Value(n as u32), value);
            if let Some(operation) = operation(&op) {
                let events = watch.b.of(&op, ty, &operation, value);
                let shows = match operation.from.half() {
                    Some(_) => Vec::new(),
                    None => operation.operands,
                };
                debug_assert!(shows.len() <= MAX_SHOWN);
                for (event, lanes) in events {
                    let source = NanSource {
                        pc: watch.pc,
                        event,
                        about: event.about(operation.from),
                        lanes,
                        shows: shows.clone(),
                    };
                    watch.add(Value(n as u32), source);
                }
            }
        }
    }
    builder.finish()
}

/// Lanes in which something happens to a number.
#[derive(Clone)]
struct NanSource {
    /// The instruction.
    pc: u64,
    event: Event,
    about: u8,
    lanes: Value,
    /// The operands.
    shows: Vec<Value>,
}

/// On the way down.
struct Watch<'b> {
    b: NanSources<'b>,
    selects: Selects,
    /// The instruction.
    pc: u64,
    /// By the value of the block that is watched: the same here.
    values: Vec<Value>,
    /// What is told when the instruction writes its result.
    born: Vec<NanSource>,
    /// What is told where a value of the block that is watched has chosen it.
    held: BTreeMap<Value, Vec<NanSource>>,
}

impl Watch<'_> {
    /// Another instruction.
    fn begin(&mut self, pc: u64) {
        self.pc = pc;
        self.born.clear();
    }

    /// Adds what happens in the operation of a value of the block that is watched.
    fn add(&mut self, old: Value, source: NanSource) {
        match (self.selects.fate(old), source.event) {
            (Fate::Stays | Fate::Stored, _) => self.born.push(source),
            (Fate::Chosen(last), Event::Nan | Event::Infinity) => {
                for choice in last {
                    self.held.entry(*choice).or_default().push(source.clone());
                }
            }
            // What of it was chosen nobody can see.
            (Fate::Chosen(_), Event::Flushed | Event::Conversion) | (Fate::Divides, _) => {}
        }
    }

    /// A value of the block that is watched may be a choice, here that value.
    fn choose(&mut self, old: Value, value: Value) {
        let (Some(held), Some(kind)) = (self.held.remove(&old), self.selects.kind(old)) else {
            return;
        };
        for source in held {
            let chosen = match kind {
                Kind::Whole(elem) => self.b.is(source.event, elem, value),
                Kind::Upper => self.b.is_in_upper_half(source.event, value),
            };
            let lanes = self.b.and(source.lanes, chosen);
            self.born.push(NanSource { lanes, ..source });
        }
    }

    /// Tells what happened in the lanes that are written.
    fn probe(&mut self, written: Value) {
        for source in self.born.drain(..) {
            let NanSource {
                pc,
                about,
                lanes,
                shows,
                ..
            } = source;
            self.b.0.probe(pc, about, lanes, written, shows);
        }
    }
}
