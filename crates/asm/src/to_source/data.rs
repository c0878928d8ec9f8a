//! Output of data: texts, numbers, addresses.

use wavetank_link::elf;

use super::Writer;
use super::parts::Part;

/// Limit of data bytes in a line.
const LINE: usize = 32;
/// Number of zero bytes from which on they are written as space.
const ROOM: usize = 16;

impl Writer<'_> {
    /// Writes the data between two offsets; returns the offset where they end.
    pub(super) fn data(&mut self, part: &Part<'_>, start: u64, end: u64) -> u64 {
        let mut at = start;
        while at < end {
            if let Some(place) = part.addresses.get(&at)
                && end - at >= place.size
            {
                self.line(&place.text);
                at += place.size;
                continue;
            }
            let next = part
                .addresses
                .range(at + 1..end)
                .next()
                .map_or(end, |(at, _)| *at);
            let bytes = &part.bytes[at as usize..next as usize];
            at += self.run(bytes, part.flags & elf::SHF_STRINGS != 0) as u64;
        }
        end
    }

    /// Writes the first item; returns its length in bytes.
    fn run(&mut self, bytes: &[u8], texts: bool) -> usize {
        let zeros = bytes.iter().take_while(|b| **b == 0).count();
        if zeros >= ROOM {
            self.line(format_args!(".zero {zeros}"));
            return zeros;
        }
        let text = bytes
            .iter()
            .take_while(|b| b.is_ascii_graphic() || **b == b' ')
            .count();
        if (texts || text >= 8) && text < bytes.len() && bytes[text] == 0 && text > 0 {
            self.line(format_args!(".asciz \"{}\"", escaped(&bytes[..text])));
            return text + 1;
        }
        let whole = bytes.len().min(LINE);
        let count = match whole {
            0..4 => whole,
            _ => whole / 4 * 4,
        };
        // A text begins on a line of its own.
        let count = if texts {
            bytes[..count]
                .iter()
                .position(|b| *b == 0)
                .map_or(count, |at| at + 1)
        } else {
            count
        };
        self.words(&bytes[..count]);
        count
    }
}

fn escaped(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
