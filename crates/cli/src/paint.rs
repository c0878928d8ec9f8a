//! Colours of text: the lines of listings, and carets under errors.

use std::io::{self, Write};

use crate::terminal;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const MNEMONIC: &str = "\x1b[36m";
const LABEL: &str = "\x1b[33m";
const WRONG: &str = "\x1b[1;31m";
const END: &str = "\x1b[0m";

/// Returns a title, coloured if there are colours.
pub(crate) fn title(text: &str) -> String {
    if terminal::colours() {
        format!("{BOLD}{text}{END}")
    } else {
        text.to_owned()
    }
}

/// Returns lines with their carets coloured, for a stream that drops colours if necessary.
pub(crate) fn carets(text: &str) -> String {
    let paint = |line: &str| match line.trim_matches([' ', '\t']) {
        marks if !marks.is_empty() && marks.bytes().all(|b| b == b'^') => {
            format!("{WRONG}{line}{END}")
        }
        _ => match line.strip_prefix("  help:") {
            Some(help) => format!("  {MNEMONIC}help:{END}{help}"),
            None => line.to_owned(),
        },
    };
    let lines = text.split('\n').map(paint);
    lines.collect::<Vec<_>>().join("\n")
}

/// A writer that colours the lines of listings, if there are colours.
pub(crate) struct Painted<W: Write> {
    out: W,
    /// The current line, which has not ended.
    line: Vec<u8>,
    on: bool,
}

impl<W: Write> Painted<W> {
    pub(crate) fn new(out: W) -> Painted<W> {
        Painted {
            out,
            line: Vec::new(),
            on: terminal::colours(),
        }
    }
}

impl<W: Write> Write for Painted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.on {
            return self.out.write(bytes);
        }
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.line);
                self.out.write_all(painted(&line).as_bytes())?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        self.out.write_all(&rest)?;
        self.out.flush()
    }
}

/// Returns a coloured line of a listing: label, or mnemonic and operands, then a comment.
fn painted(line: &str) -> String {
    let (code, end) = line.split_at(line.trim_end().len());
    let comment = code.find("//").or_else(|| code.find("; encoding:"));
    let (code, comment) = code.split_at(comment.unwrap_or(code.len()));
    let start = code.len() - code.trim_start().len();
    let (indent, code) = code.split_at(start);
    let word = code.split([' ', '\t']).next().unwrap_or_default();
    let colour = if word.ends_with(':') { LABEL } else { MNEMONIC };
    let mut text = indent.to_owned();
    if !word.is_empty() {
        text += &format!("{colour}{word}{END}{}", &code[word.len()..]);
    }
    if !comment.is_empty() {
        text += &format!("{DIM}{comment}{END}");
    }
    text + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_are_marked() {
        let text = "no instruction\n  v_ad v0\n  ^^^^\n  help: write it";
        let shown = carets(text);
        assert!(shown.contains("\n\x1b[1;31m  ^^^^\x1b[0m\n"), "{shown:?}");
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), text);
    }

    #[test]
    fn paint_changes_no_character() {
        for line in [
            "L0:\n",
            "\ts_nop 0      // 000000000000: BF800000\n",
            "_Z1kv: // k()\n",
            "v_mov_b32_e32 v0, v1 ; encoding: [0x01]\n",
            "\n",
        ] {
            let shown = painted(line);
            assert_eq!(anstream::adapter::strip_str(&shown).to_string(), line);
        }
        assert!(painted("\ts_nop 0\n").contains("\x1b[36ms_nop\x1b[0m 0"));
    }
}
