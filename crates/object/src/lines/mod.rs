//! Source lines of a code object's code, from its DWARF, with the inlined functions.
//!
//! `gimli` reads the sections and `addr2line` joins them. Neither has limits for damaged or malicious files, so the sections are
//! checked once ([`survey`]), and are read through a meter ([`metered`]).

mod metered;
mod survey;

use std::fmt;
use std::sync::{Mutex, PoisonError};

use addr2line::{Context, Location};
use wavetank_quote::{plain, readable};

use crate::code_object::CodeObject;
use crate::elf::Elf;
use metered::{LONGEST, Metered};

/// The source lines of a code object's code, read on first use, unit by unit.
pub struct Lines {
    /// The reader in a mutex, because it caches data without synchronization.
    context: Mutex<Context<Metered>>,
}

/// The source of an instruction: the line in the innermost function first, then the lines at which the inlined functions are
/// called.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Source {
    /// The lines; at least one, if anything is known.
    pub frames: Vec<Frame>,
}

/// A line of a source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Frame {
    /// The function's symbol, which may be mangled.
    pub function: Option<String>,
    /// The file, by the path that the compiler was given.
    pub file: String,
    /// The line, from 1; `None` for an instruction that was merged from several lines.
    pub line: Option<u32>,
    /// The column in the line, from 1.
    pub column: Option<u32>,
}

impl Lines {
    /// Returns the lines of a code object. `None` if it has no DWARF, or none that is valid.
    ///
    /// ```
    /// use wavetank_object::{Lines, open};
    ///
    /// let bytes = include_bytes!("../../tests/data/lines-gfx900.hsaco");
    /// let object = open(bytes, Some("gfx900"))?;
    /// let lines = Lines::of(&object).expect("it is compiled with -g");
    /// let kernel = object.kernel("lines").expect("its kernel");
    /// assert_eq!(lines.at(kernel.entry).to_string(), "lines.cl:6:18");
    /// # Ok::<(), wavetank_object::Error>(())
    /// ```
    pub fn of(object: &CodeObject) -> Option<Lines> {
        let elf = Elf::parse(object.bytes()).ok()?;
        Lines::of_sections(|name| elf.contents(name).ok().flatten().unwrap_or_default())
    }

    /// Reads the lines from sections, which `contents` returns by name.
    fn of_sections(contents: impl Fn(&str) -> Vec<u8>) -> Option<Lines> {
        let dwarf = metered::dwarf(contents);
        let there = dwarf.units().next().is_ok_and(|first| first.is_some());
        let sane = there && survey::is_sane(&dwarf).unwrap_or(false);
        let context = sane.then(|| Context::from_dwarf(dwarf).ok()).flatten()?;
        Some(Lines {
            context: Mutex::new(context),
        })
    }

    /// Returns the source lines of the instruction at a virtual address; none if they are unknown.
    pub fn at(&self, address: u64) -> Source {
        // The readers of DWARF add one to the address.
        if address == u64::MAX {
            return Source::default();
        }
        // A thread that panicked had only read.
        let context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        Source {
            frames: frames(&context, address).unwrap_or_default(),
        }
    }
}

/// Returns the frames at an address, the innermost first.
fn frames(context: &Context<Metered>, address: u64) -> gimli::Result<Vec<Frame>> {
    let unit = context.find_dwarf_and_unit(address).skip_all_loads();
    let folder = unit.and_then(|unit| Some(unit.comp_dir.as_ref()?.text()));
    let folder = folder.unwrap_or_default();
    let mut found = context.find_frames(address).skip_all_loads()?;
    let mut frames = Vec::new();
    while let Some(frame) = found.next()? {
        let Some(Location { file, line, column }) = frame.location else {
            continue;
        };
        let Some(file) = file else { continue };
        frames.push(Frame {
            function: frame.function.map(|function| function.name.text()),
            file: short(file, &folder).chars().take(LONGEST).collect(),
            line,
            column: column.filter(|column| line.is_some() && *column > 0),
        });
    }
    Ok(frames)
}

/// Returns a path relative to the folder in which the compiler was started.
fn short<'p>(path: &'p str, folder: &str) -> &'p str {
    let inside = path.strip_prefix(folder).filter(|_| !folder.is_empty());
    let inside = inside.and_then(|rest| {
        if folder.ends_with('/') {
            Some(rest)
        } else {
            rest.strip_prefix('/')
        }
    });
    let mut path = inside.unwrap_or(path);
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path
}

impl Source {
    /// Returns whether no line is known.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns the line that concerns an author: the innermost one outside of the headers of a compiler and its libraries, if there
    /// is one. `atomicAdd` of HIP and the operators of `float4` are functions of headers.
    ///
    /// ```
    /// use wavetank_object::{Frame, Source};
    ///
    /// let frame = |file: &str| Frame { function: None, file: file.into(), line: Some(1), column: None };
    /// let header = frame("/usr/include/hip/amd_detail/amd_hip_atomic.h");
    /// let source = Source { frames: vec![header.clone(), frame("k.hip"), frame("main.hip")] };
    /// assert_eq!(source.own(), Some(&frame("k.hip")));
    /// let source = Source { frames: vec![header.clone()] };
    /// assert_eq!(source.own(), Some(&header));
    /// ```
    pub fn own(&self) -> Option<&Frame> {
        self.own_frames().first()
    }

    /// Returns the line of [`own`](Self::own), and the lines at which its function is called, the innermost first.
    pub fn own_frames(&self) -> &[Frame] {
        let first = self.frames.iter().position(|frame| !frame.is_of_system());
        &self.frames[first.unwrap_or(0)..]
    }
}

/// Folders with the headers of compilers and their libraries, and with Triton's language.
const SYSTEM: [&str; 5] = [
    "/usr/include/",
    "/usr/lib/",
    "/opt/rocm",
    "/include/hip/",
    "/triton/language/",
];

impl Frame {
    /// Whether the file belongs to a compiler or its libraries.
    fn is_of_system(&self) -> bool {
        let [at_start @ .., hip, triton] = SYSTEM;
        let starts = at_start.iter().any(|folder| self.file.starts_with(folder));
        starts
            || [hip, triton]
                .iter()
                .any(|folder| self.file.contains(folder))
    }
}

impl fmt::Display for Source {
    /// Writes ``lines.h:6:9 in `store`, inlined at lines.cl:10:5``. The outermost function, which has a symbol, is not named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, frame) in self.frames.iter().enumerate() {
            if n > 0 {
                f.write_str(", inlined at ")?;
            }
            write!(f, "{frame}")?;
            if let (Some(function), true) = (&frame.function, n + 1 < self.frames.len()) {
                write!(f, " in `{}`", readable(function))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Frame {
    /// Writes file, line and column: `lines.cl:10:5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", plain(&self.file))?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_call() {
        assert_eq!(short("/home/a/k.cl", "/home/a"), "k.cl");
        assert_eq!(short("/home/a/./b/k.cl", "/home/a"), "b/k.cl");
        assert_eq!(short("./././k.h", "."), "k.h");
        assert_eq!(short("/home/ab/k.cl", "/home/a"), "/home/ab/k.cl");
        assert_eq!(short("/k.cl", "/"), "k.cl");
        assert_eq!(short("k.cl", ""), "k.cl");
    }

    #[test]
    fn inlined_functions_are_named() {
        let frame = |function: &str, line, column| Frame {
            function: Some(function.to_owned()),
            file: "a\u{1b}.cl".to_owned(),
            line,
            column,
        };
        let mut source = Source::default();
        assert_eq!(source.to_string(), "");
        source.frames.push(frame("_Z3addii", Some(3), Some(9)));
        source.frames.push(frame("k", Some(7), None));
        assert_eq!(
            source.to_string(),
            "a\\u{1b}.cl:3:9 in `add(int, int)`, inlined at a\\u{1b}.cl:7"
        );
        source.frames.remove(0);
        source.frames[0].line = None;
        assert_eq!(source.to_string(), "a\\u{1b}.cl");
    }

    /// Makes a unit of DWARF 4 with one function, at 0 to 0x10000, and inner entries: their abbreviation, with code 3, their
    /// bytes, and lists of ranges.
    fn with_inner(abbreviation: &[u8], inner: &[u8], ranges: &[u8]) -> Option<Lines> {
        // Tag, children, then pairs of attribute and form: low_pc (0x11) is an address, high_pc (0x12) is a size in four bytes.
        let outer = [1, 0, 0x11, 1, 0x12, 6, 0, 0];
        let mut abbreviations = Vec::new();
        for (code, tag) in [(1, 0x11), (2, 0x2e)] {
            abbreviations.extend([code, tag]);
            abbreviations.extend(&outer[..1]);
            abbreviations.extend(&outer[2..]);
        }
        abbreviations.extend([&[3], abbreviation, &[0]].concat());
        let range = [&[0; 8][..], &0x1_0000u32.to_le_bytes()].concat();
        let entries = [&[1], &range[..], &[2], &range, inner].concat();
        // Version, offset of the abbreviations, size of an address.
        let unit = [&[4, 0, 0, 0, 0, 0, 8], &entries[..]].concat();
        let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
        Lines::of_sections(|name| match name {
            ".debug_abbrev" => abbreviations.clone(),
            ".debug_info" => info.clone(),
            ".debug_ranges" => ranges.to_vec(),
            _ => Vec::new(),
        })
    }

    #[test]
    fn entries_that_never_end_are_refused() {
        // An inlined function (tag 0x1d) with children and without attributes.
        let deep = |depth| with_inner(&[0x1d, 1, 0, 0], &[3].repeat(depth), &[]);
        assert!(deep(250).is_some_and(|lines| lines.at(0x10).is_empty()));
        assert!(deep(1_000_000).is_none());
    }

    #[test]
    fn lists_that_are_read_again_and_again_are_not() {
        let many = 30_000;
        let mut ranges = Vec::new();
        for start in 1..=many as u64 {
            ranges.extend([start.to_le_bytes(), (start + 1).to_le_bytes()].concat());
        }
        ranges.extend([0; 16]);
        // Inlined functions without children, each with all of the ranges (0x55, a section offset).
        let entries = |count| {
            let entry = [3, 0, 0, 0, 0];
            with_inner(&[0x1d, 0, 0x55, 0x17, 0, 0], &entry.repeat(count), &ranges)
        };
        let left = |lines: &Lines| lines.at(0x10).is_empty();
        assert!(entries(many).as_ref().is_some_and(left));
    }
}
