//! Calls of the host program that belong to a finding.

use wavetank_object::Frame;
use wavetank_quote::{plain, readable};

/// A call stack of the host program that led to a finding: memory was allocated or freed there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// The event in a few words: `freed here`.
    pub label: String,
    /// The functions, innermost first. If the line is unknown, the frame has the library or program as its file.
    pub frames: Vec<Frame>,
}

impl Stack {
    /// Returns the stack as text: the event, and a line for each function.
    pub fn text(&self) -> String {
        let mut text = plain(&self.label).to_string();
        for frame in &self.frames {
            let function = frame.function.as_deref().map_or("?".to_owned(), readable);
            let word = if frame.line.is_some() { "at" } else { "in" };
            text += &format!("\n  {} {word} {frame}", plain(&function));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_lines() {
        let frame = |function: Option<&str>, file: &str, line| Frame {
            function: function.map(str::to_owned),
            file: file.to_owned(),
            line,
            column: None,
        };
        let stack = Stack {
            label: "freed here".to_owned(),
            frames: vec![
                frame(Some("hipFree"), "libamdhip64.so.5", None),
                frame(Some("_Z4axpyPf"), "a.hip", Some(7)),
                frame(None, "a\x1b.out", None),
            ],
        };
        assert_eq!(
            stack.text(),
            "freed here\n  hipFree in libamdhip64.so.5\n  axpy(float*) at a.hip:7\n  ? in a\\u{1b}.out"
        );
    }
}
