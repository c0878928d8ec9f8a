//! Names of compiled code for Linux' `perf`: a line for each guest instruction in the file that perf reads, `perf-PID.map` in
//! `/tmp` (perf's "jit-interface.txt": start and size in hexadecimal digits, then the name).

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};

use wavetank_ir::Block;

use crate::compiler::block::BlockCode;
use crate::options::Names;

/// The path of the file with the names of a process's code.
fn map_of(process: u32) -> String {
    format!("/tmp/perf-{process}.map")
}

/// Writes the names of a block's code at an address.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn append(
    names: &Names,
    block: &Block,
    made: &BlockCode,
    address: u64,
) -> io::Result<()> {
    let text = lines(names, block, made, address);
    // A forked child has a file of its own.
    let path = map_of(std::process::id());
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// The lines for a block: each run of code with its guest instruction. Code before the first instruction belongs to it.
fn lines(names: &Names, block: &Block, made: &BlockCode, address: u64) -> String {
    let mut text = String::new();
    let marks = &made.assembled.marks;
    let mut start = 0;
    for (n, (_, node)) in marks.iter().enumerate() {
        let pc = block.instruction_of(*node);
        let next = marks.get(n + 1);
        if next.is_some_and(|(_, node)| block.instruction_of(*node) == pc) {
            continue;
        }
        let end = next.map_or(made.assembled.bytes.len(), |(at, _)| *at);
        if end > start {
            let (at, size) = (address + start as u64, end - start);
            writeln!(text, "{at:x} {size:x} {}", names(pc)).expect("text takes all");
            start = end;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use wavetank_ir::{Family, Node, Op, Terminator};
    use wavetank_lane_ops::Simd;
    use wavetank_machine::BlockCost;
    use wavetank_translate::RegisterSet;

    use super::*;
    use crate::compiler::block::{Task, make};
    use crate::options::CompileOptions;

    #[test]
    fn all_of_the_code_has_the_name_of_an_instruction() {
        let node = |op| Node { op, ty: None };
        let (pc, family) = (0x100, Family::Salu);
        let block = Block {
            pc,
            nodes: vec![
                node(Op::Inst { pc, family }),
                node(Op::End(Terminator::EndProgram)),
            ],
        };
        let options = CompileOptions {
            registers_observable: true,
            instrumented: false,
            count: true,
            simd: Simd::Avx512,
        };
        let task = Task {
            block: &block,
            block_cost: BlockCost::new(&block, None),
            may_link: true,
            options,
            dead: RegisterSet::default(),
            exact_at_faults: true,
            targets: None,
        };
        let made = make(task).unwrap();
        let names: Names = Arc::new(|pc| format!("kernel+{:#x}", pc - 0xf0));
        let text = lines(&names, &block, &made, 0x7000);
        let size = made.assembled.bytes.len();
        assert_eq!(text, format!("7000 {size:x} kernel+0x10\n"));
    }
}
