//! Instrumentation of a block with operations that examine its floats.

use std::collections::BTreeMap;

use wavetank_ir::{Block, Builder, MAX_SHOWN, Op, Value};

use super::event::Event;
use super::nan_sources::{NanSources, operation};
use super::selects::{Fate, Kind, Selects};

/// Returns the block with probes for the events of its floats.
pub(super) fn watch(block: &Block) -> Block {
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

/// An event in some lanes of a number.
#[derive(Clone)]
struct NanSource {
    /// The address of the instruction.
    pc: u64,
    event: Event,
    about: u8,
    lanes: Value,
    /// The operands, to be shown in the finding.
    shows: Vec<Value>,
}

/// The state of the pass over a block.
struct Watch<'b> {
    b: NanSources<'b>,
    selects: Selects,
    /// The address of the current instruction.
    pc: u64,
    /// For each value of the original block, the value in the new one.
    values: Vec<Value>,
    /// Events that are probed when the instruction writes its result.
    born: Vec<NanSource>,
    /// Events that are probed when a value of the original block has selected the number.
    held: BTreeMap<Value, Vec<NanSource>>,
}

impl Watch<'_> {
    /// Begins the next instruction of the block.
    fn begin(&mut self, pc: u64) {
        self.pc = pc;
        self.born.clear();
    }

    /// Adds an event in the operation of an original value.
    fn add(&mut self, old: Value, source: NanSource) {
        match (self.selects.fate(old), source.event) {
            (Fate::Stays | Fate::Stored, _) => self.born.push(source),
            (Fate::Chosen(last), Event::Nan | Event::Infinity) => {
                for choice in last {
                    self.held.entry(*choice).or_default().push(source.clone());
                }
            }
            // It cannot be determined whether such a number was selected.
            (Fate::Chosen(_), Event::Flushed | Event::Conversion) | (Fate::Divides, _) => {}
        }
    }

    /// Moves the events that wait for the select `old`, whose new value is `value`.
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

    /// Adds probes for the pending events, in the lanes that are written.
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
