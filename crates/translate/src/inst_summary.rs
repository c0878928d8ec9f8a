//! Summaries of the instructions of a block, for single-stepping.

use wavetank_ir::{Block, Op, Span};

/// The summaries of a block's instructions, in their order.
#[derive(Clone, Debug)]
pub struct Summaries(Vec<InstSummary>);

/// The summary of one instruction.
#[derive(Clone, Debug)]
pub struct InstSummary {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The registers that the instruction may write, beside the PC.
    pub writes: Vec<Span>,
}

impl Summaries {
    /// The summaries of a block that was lifted but not simplified.
    pub fn of(block: &Block) -> Summaries {
        let mut instructions: Vec<InstSummary> = Vec::new();
        for node in &block.nodes {
            if let Op::Inst { pc, .. } = node.op {
                let writes = Vec::new();
                instructions.push(InstSummary { pc, writes });
            } else if let Some(last) = instructions.last_mut() {
                last.writes.extend(node.op.effects().writes.iter());
            }
        }
        Summaries(instructions)
    }

    /// The summaries in the order of the instructions.
    pub fn instructions(&self) -> &[InstSummary] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Modes, Translator};
    use std::sync::Arc;
    use wavetank_gcn::{Chip, decode};
    use wavetank_ir::RegFile;

    #[test]
    fn instructions_write_what_the_manual_says() {
        // s_add_u32 s4, s0, s1; v_mov_b32 v7, s4; s_endpgm, as LLVM's assembler encodes them
        let words = [0x8004_0100u32, 0x7e0e_0204, 0xbf81_0000];
        let code = move |pc: u64| {
            let bytes = words.map(u32::to_le_bytes).concat();
            decode(&bytes[pc as usize..], Chip::Gfx900).map_err(|e| e.to_string())
        };
        let block = Translator::new(Arc::new(code), false).lift(0, Modes::new(0, 0));
        let summaries = Summaries::of(&block);
        let [add, mov, end] = summaries.instructions() else {
            panic!("{summaries:?}")
        };
        assert_eq!([add.pc, mov.pc, end.pc], [0, 4, 8]);
        let writes = |i: &InstSummary, file, first| i.writes.contains(&Span::new(file, first, 1));
        assert!(
            writes(add, RegFile::Uniform, 4) && writes(add, RegFile::Scc, 0),
            "{add:?}"
        );
        assert!(
            writes(mov, RegFile::Vector, 7) && mov.writes.len() == 1,
            "{mov:?}"
        );
        assert!(end.writes.is_empty());
    }
}
