//! Sites: sequences of instructions that a wave executes together, with the same EXEC. Each is counted by one operation, so that a
//! program with counts is little slower than without.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wavetank_ir::{Block, Builder, Op, Reg, Span, Terminator};

/// A sequence of instructions with the same EXEC, in a block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    /// The addresses of the instructions, in the order of execution. None if the block ends after the write of EXEC.
    pub instructions: Box<[u64]>,
    /// The instruction before them that wrote EXEC, if it is in the block.
    pub writer: Option<u64>,
}

/// The sites of a module, by number.
#[derive(Default)]
pub struct Sites(Mutex<Known>);

#[derive(Default)]
struct Known {
    numbers: HashMap<Arc<Site>, u32>,
    all: Vec<Arc<Site>>,
}

impl Sites {
    /// Returns the block with an operation for each of its sites that counts them.
    pub fn tally(&self, block: &Block) -> Block {
        let mut sites = sites(block).into_iter().peekable();
        let builder = Builder::new(block.pc);
        let mut values = Vec::with_capacity(block.nodes.len());
        let mut before = None;
        for (n, node) in block.nodes.iter().enumerate() {
            let mut count = || {
                let Some((_, site)) = sites.next_if(|(first, _)| *first == n) else {
                    return;
                };
                let lanes = builder.read(Reg::EXEC);
                builder.tally(self.number(site), lanes, before.unwrap_or(lanes));
                before = Some(lanes);
            };
            let opens = matches!(node.op, Op::Inst { .. });
            if !opens {
                count();
            }
            let mut op = node.op.clone();
            op.for_each_operand_mut(&mut |v| *v = values[v.index()]);
            values.push(builder.node(op, node.ty));
            if opens {
                count();
            }
        }
        builder.finish()
    }

    /// Returns all sites so far, in the order of their numbers.
    pub fn all(&self) -> Vec<Arc<Site>> {
        self.lock().all.clone()
    }

    fn number(&self, site: Site) -> u32 {
        let mut known = self.lock();
        if let Some(number) = known.numbers.get(&site) {
            return *number;
        }
        let (site, number) = (Arc::new(site), known.all.len() as u32);
        known.numbers.insert(site.clone(), number);
        known.all.push(site);
        number
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the sites of a block, each with the node at which it begins: an instruction, or the end of the block.
fn sites(block: &Block) -> Vec<(usize, Site)> {
    let mut all: Vec<(usize, Vec<u64>, Option<u64>)> = Vec::new();
    let (mut is_open, mut writer, mut last) = (false, None, None);
    for (n, node) in block.nodes.iter().enumerate() {
        match &node.op {
            Op::Inst { pc, .. } => {
                if !is_open {
                    all.push((n, Vec::new(), writer.take()));
                    is_open = true;
                }
                all.last_mut().expect("one is open").1.push(*pc);
                last = Some(*pc);
            }
            // The wave goes on in another block, or has ended.
            Op::End(end) if writer.is_some() && !matches!(end, Terminator::EndProgram) => {
                all.push((n, Vec::new(), writer.take()));
            }
            op if op.effects().writes.overlap(Span::EXEC) => (is_open, writer) = (false, last),
            _ => {}
        }
    }
    let site = |(first, instructions, writer): (usize, Vec<u64>, _)| {
        let instructions = instructions.into();
        let site = Site {
            instructions,
            writer,
        };
        (first, site)
    };
    all.into_iter().map(site).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_ir::{Family, verify};

    /// A block of instructions at 0, 4, 8 …, of which some write EXEC.
    fn block(instructions: usize, writers: &[u64]) -> Block {
        let b = Builder::new(0);
        for pc in (0..instructions as u64).map(|n| 4 * n) {
            b.inst(pc, Family::Salu);
            if writers.contains(&pc) {
                let lanes = b.read(Reg::EXEC);
                b.write(Reg::EXEC, lanes, None);
            }
        }
        b.end(Terminator::Branch(0));
        b.finish()
    }

    fn shown(block: &Block) -> Vec<(Vec<u64>, Option<u64>)> {
        let sites = sites(block).into_iter();
        sites
            .map(|(_, s)| (s.instructions.to_vec(), s.writer))
            .collect()
    }

    #[test]
    fn a_site_ends_where_exec_is_written() {
        assert_eq!(shown(&block(3, &[])), [(vec![0, 4, 8], None)]);
        let parted = [(vec![0, 4], None), (vec![8, 12], Some(4))];
        assert_eq!(shown(&block(4, &[4])), parted);
        // A write at the end of the block is seen there.
        let last = [(vec![0, 4], None), (vec![], Some(4))];
        assert_eq!(shown(&block(2, &[4])), last);
    }

    #[test]
    fn sites_of_the_same_instructions_are_one() {
        let sites = Sites::default();
        let counted = sites.tally(&block(4, &[4]));
        verify(&counted).expect("the block is right");
        let tallies = |block: &Block| -> Vec<u32> {
            let nodes = block.nodes.iter();
            let number = |op: &Op| match op {
                Op::Tally { site, .. } => Some(*site),
                _ => None,
            };
            nodes.filter_map(|node| number(&node.op)).collect()
        };
        assert_eq!(tallies(&counted), [0, 1]);
        assert_eq!(tallies(&sites.tally(&block(4, &[4]))), [0, 1]);
        assert_eq!(tallies(&sites.tally(&block(4, &[]))), [2]);
        let all = sites.all();
        assert_eq!((all.len(), all[1].writer), (3, Some(4)));
    }
}
