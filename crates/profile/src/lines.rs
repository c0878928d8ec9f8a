//! The counts of a kernel by source line: instructions of one line together, those of unrolled loops too.

use std::collections::BTreeMap;

use wavetank_object::Source;

use crate::figures::Figures;
use crate::model::{Frame, Instruction, Kernel};

/// The instructions of a source line.
#[derive(Clone, Debug)]
pub struct Line<'k> {
    /// The place of the first instruction; `None` for a single instruction whose line is not known.
    pub frame: Option<&'k Frame>,
    /// The instructions, by address.
    pub instructions: Vec<&'k Instruction>,
    /// Their counts in sum.
    pub figures: Figures,
}

/// Returns the lines of a kernel by file and number. Instructions without a line come first, each alone.
///
/// The line of an instruction is that of the program itself: the innermost one outside the headers of HIP and the compiler.
pub fn lines_of(kernel: &Kernel) -> Vec<Line<'_>> {
    let mut lines: BTreeMap<(&str, u32, u64), Line<'_>> = BTreeMap::new();
    for instruction in &kernel.instructions {
        let frame = own(&instruction.frames);
        let key = match frame {
            Some(frame) => (frame.file.as_str(), frame.line, 0),
            None => ("", 0, instruction.address),
        };
        let line = lines.entry(key).or_insert_with(|| Line {
            frame,
            instructions: Vec::new(),
            figures: Figures::default(),
        });
        line.instructions.push(instruction);
        line.figures.add(instruction);
    }
    lines.into_values().collect()
}

/// Returns the innermost frame outside headers of the system that has a line.
pub fn own(frames: &[Frame]) -> Option<&Frame> {
    let skipped = frames.len() - source(frames).own_frames().len();
    let frame = frames.get(skipped)?;
    (frame.line > 0).then_some(frame)
}

/// Returns frames as the crate of code objects has them.
pub fn source(frames: &[Frame]) -> Source {
    let known = |number: u32| Some(number).filter(|number| *number > 0);
    let frames = frames.iter().map(|frame| wavetank_object::Frame {
        function: Some(frame.function.clone()).filter(|name| !name.is_empty()),
        file: frame.file.clone(),
        line: known(frame.line),
        column: known(frame.column),
    });
    Source {
        frames: frames.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::copy;

    #[test]
    fn instructions_of_a_line_are_together() {
        let kernel = copy();
        let lines = lines_of(&kernel);
        let numbers: Vec<u32> = lines.iter().map(|line| line.frame.unwrap().line).collect();
        assert_eq!(numbers, [2, 3, 4, 5]);
        assert_eq!(lines[1].instructions.len(), 3);
        assert_eq!(lines[1].figures.executions, 48);
    }

    #[test]
    fn the_line_is_the_programs_own() {
        let mut kernel = copy();
        let header = Frame {
            function: "fma".into(),
            file: "/opt/rocm/include/hip/math.h".into(),
            line: 7,
            column: 1,
        };
        for instruction in &mut kernel.instructions[..2] {
            instruction.frames.insert(0, header.clone());
        }
        kernel.instructions[2].frames.clear();
        kernel.instructions[3].frames[0].line = 0;
        let lines = lines_of(&kernel);
        let numbers = lines
            .iter()
            .map(|line| line.frame.map_or(0, |frame| frame.line));
        assert_eq!(numbers.collect::<Vec<u32>>(), [0, 0, 2, 3, 4, 5]);
        assert_eq!(lines[0].instructions[0].address, 0x100c);
    }
}
