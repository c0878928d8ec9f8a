//! Calls of the host program that belong to a finding.

use std::path::{Path, PathBuf};

use wavetank_object::{Frame, Source};
use wavetank_quote::{plain, readable};

/// A call stack of the host program that led to a finding: memory was allocated or freed there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// The event in a few words: `freed here`.
    pub label: String,
    /// The functions, innermost first. If the line is unknown, the frame has the library or program as its file.
    pub frames: Vec<Frame>,
}

/// The number of the program's own functions that a short text names.
const SHORT: usize = 3;

impl Stack {
    /// Returns the stack in a line: the event, and the lines of the program itself from the innermost on. The functions of libraries, of
    /// which no line is known, and of their headers are left out.
    pub fn short(&self) -> String {
        let lined = self.frames.iter().filter(|frame| frame.line.is_some());
        let lined = Source {
            frames: lined.cloned().collect(),
        };
        let mut own = lined.own_frames().to_vec();
        if own.is_empty() {
            own.extend(self.frames.last().cloned());
        }
        let folder = std::env::current_dir().ok();
        let mut places: Vec<String> = own
            .iter()
            .take(SHORT)
            .map(|frame| place(frame, folder.as_deref()))
            .collect();
        if own.len() > SHORT {
            places.push("...".to_owned());
        }
        format!("{}: {}", plain(&self.label), places.join(", "))
    }

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

/// Returns a line and its function: `` a.hip:7 in `main` ``. Files in a folder are named relative to it.
fn place(frame: &Frame, folder: Option<&Path>) -> String {
    let file: PathBuf = Path::new(&frame.file).components().collect();
    let below = folder.and_then(|folder| file.strip_prefix(folder).ok());
    let frame = Frame {
        file: below.unwrap_or(&file).display().to_string(),
        ..frame.clone()
    };
    match frame.function.as_deref() {
        Some(function) => format!("{frame} in `{}`", readable(function)),
        None => frame.to_string(),
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

    #[test]
    fn a_short_stack_has_the_lines_of_the_program() {
        let folder = std::env::current_dir().expect("a folder");
        let frame = |function: &str, file: &str, line: u32| Frame {
            function: Some(function.to_owned()),
            file: file.to_owned(),
            line: (line > 0).then_some(line),
            column: None,
        };
        let of = |frames: &[Frame]| Stack {
            label: "allocated here".to_owned(),
            frames: frames.to_vec(),
        };
        let inside = folder.join("./sub/a.hpp").display().to_string();
        let library = frame("hipMalloc", "libamdhip64.so.5", 0);
        let header = frame("hipMalloc<int>", "/usr/include/hip/hip_runtime_api.h", 9);
        let own = [
            library.clone(),
            header,
            frame("_Z5zerosIiEPT_m", &inside, 22),
            frame("main", "/elsewhere/a.hip", 7),
        ];
        assert_eq!(
            of(&own).short(),
            "allocated here: sub/a.hpp:22 in `zeros<int>(unsigned long)`, /elsewhere/a.hip:7 in `main`"
        );
        let deep = vec![frame("main", "a.hip", 7); 4];
        assert!(of(&deep).short().ends_with("`main`, ..."));
        // A program without debug information is named.
        let bare = [library, frame("main", "a.out", 0)];
        assert_eq!(of(&bare).short(), "allocated here: a.out in `main`");
    }
}
