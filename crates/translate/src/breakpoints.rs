//! Breakpoints: instructions before which waves leave their engine, for an observer.
//!
//! A block is divided before its first such instruction: it ends there with [`Terminator::Breakpoint`], and is not charged. The
//! observer executes the instruction alone, and the engine goes on after it. Code without breakpoints is translated as ever.

use wavetank_ir::{Block, Node, Op, Terminator};

/// The instructions before which waves leave their engine.
pub trait Breakpoints: Send + Sync {
    /// Whether a wave leaves before the instruction at an address, which was lifted to these nodes.
    fn stops(&self, pc: u64, nodes: &[Node]) -> bool;
}

/// The instructions of a lifted block: address, and nodes.
pub fn instructions(block: &Block) -> impl Iterator<Item = (u64, &[Node])> {
    let mut groups = block.nodes.chunk_by(|_, next| !opens(next));
    std::iter::from_fn(move || {
        let nodes = groups.next()?;
        match nodes.first()?.op {
            Op::Inst { pc, .. } => Some((pc, nodes)),
            _ => None,
        }
    })
}

fn opens(node: &Node) -> bool {
    matches!(node.op, Op::Inst { .. })
}

/// Divides a lifted block before its first instruction with a breakpoint.
pub(crate) fn divide(mut block: Block, breakpoints: &dyn Breakpoints) -> Block {
    let mut first = 0;
    let stop = instructions(&block).find_map(|(pc, nodes)| {
        let at = first;
        first += nodes.len();
        breakpoints.stops(pc, nodes).then_some((at, pc))
    });
    if let Some((at, pc)) = stop {
        block.nodes.truncate(at);
        let end = Terminator::Breakpoint {
            pc,
            block: block.pc,
        };
        let op = Op::End(end);
        block.nodes.push(Node { op, ty: None });
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Modes, Translator};
    use std::sync::Arc;
    use wavetank_gcn::{Chip, decode};

    /// s_add_u32 s4, s0, s1; v_mov_b32 v7, s4; s_endpgm
    const WORDS: [u32; 3] = [0x8004_0100, 0x7e0e_0204, 0xbf81_0000];

    struct At(u64);

    impl Breakpoints for At {
        fn stops(&self, pc: u64, nodes: &[Node]) -> bool {
            assert!(opens(&nodes[0]) && !nodes[1..].iter().any(opens));
            pc == self.0
        }
    }

    fn translator(at: u64) -> Translator {
        let code = |pc: u64| {
            let bytes = WORDS.map(u32::to_le_bytes).concat();
            decode(&bytes[pc as usize..], Chip::Gfx900).map_err(|e| e.to_string())
        };
        Translator::new(Arc::new(code), false).with_breakpoints(Some(Arc::new(At(at))))
    }

    #[test]
    fn blocks_end_before_a_breakpoint() {
        for at in [0, 4, 8] {
            let translated = translator(at).block(0, Modes::new(0, 0));
            let whole = &translated.whole;
            wavetank_ir::verify(whole).unwrap();
            wavetank_ir::verify(&translated.simple).unwrap();
            let pcs: Vec<u64> = instructions(whole).map(|(pc, _)| pc).collect();
            let before: Vec<u64> = [0, 4, 8].into_iter().filter(|pc| *pc < at).collect();
            assert_eq!(pcs, before);
            let Some(Op::End(end)) = whole.nodes.last().map(|node| &node.op) else {
                panic!("{whole}")
            };
            assert_eq!(*end, Terminator::Breakpoint { pc: at, block: 0 });
        }
    }

    #[test]
    fn all_registers_are_live_at_a_breakpoint() {
        let modes = Modes::new(0, 0);
        let dead = |at| translator(at).dead_registers(0, modes)[&0];
        assert!(dead(0x100).has(7));
        assert!(!dead(8).has(7));
    }
}
