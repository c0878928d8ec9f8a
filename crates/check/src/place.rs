//! Locations in code: symbol, source line, instruction.

use std::collections::VecDeque;
use std::fmt;

use wavetank_gcn::{Chip, decode};
use wavetank_object::{CodeObject, Lines, Source};
use wavetank_quote::readable;

use crate::code::{Bytes, Root, Successors, chip_of};

/// The length of the shortest instruction in bytes.
const DWORD: u64 = 4;

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The guest address of the place.
    pub pc: u64,
    /// The function or kernel around the address, and the distance from its start, if known.
    pub symbol: Option<(String, u64)>,
    /// The instruction at the address, if there is one.
    pub instruction: Option<String>,
    /// The source line of the instruction, if the code object has it (compiled with `-g`).
    pub source: Source,
}

impl Place {
    /// Returns a place of which only the address is known.
    pub fn at(pc: u64) -> Place {
        Place {
            pc,
            symbol: None,
            instruction: None,
            source: Source::default(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(instruction) = &self.instruction {
            write!(f, "`{instruction}` ")?;
        }
        f.write_str("(")?;
        if let Some((name, offset)) = &self.symbol {
            write!(f, "{}+{offset:#x}, ", readable(name))?;
        }
        write!(f, "pc {:#x}", self.pc)?;
        if !self.source.is_empty() {
            write!(f, ", {}", self.source)?;
        }
        f.write_str(")")
    }
}

/// An instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The virtual address of the instruction.
    pub pc: u64,
    /// The length of the instruction in bytes.
    pub len: u64,
    /// The text of the instruction, or a dword as a number.
    pub text: String,
    /// The address of a possible jump.
    pub target: Option<u64>,
}

/// A look-up of places in a code object, by virtual addresses.
pub struct Places<'o> {
    object: &'o CodeObject,
    chip: Chip,
    code: Bytes<'o>,
    lines: Option<Lines>,
    /// The starts of kernels and functions, in order.
    starts: Vec<u64>,
}

impl<'o> Places<'o> {
    /// Returns the look-up for a code object; `None` if its chip is not GCN.
    pub fn of(object: &'o CodeObject) -> Option<Self> {
        let mut starts: Vec<u64> = Root::all(object).iter().map(|root| root.entry).collect();
        starts.sort_unstable();
        Some(Places {
            object,
            chip: chip_of(object)?,
            code: Bytes::of(object),
            lines: Lines::of(object),
            starts,
        })
    }

    /// Returns the place at an address.
    pub fn place(&self, pc: u64) -> Place {
        let symbol = self.object.symbol_at(pc);
        let inst = self
            .code
            .at(pc)
            .and_then(|code| decode(code, self.chip).ok());
        let source = self.lines.as_ref().map(|lines| lines.at(pc));
        Place {
            pc,
            symbol: symbol.map(|(symbol, offset)| (symbol.name.clone(), offset)),
            instruction: inst.map(|inst| inst.to_string()),
            source: source.unwrap_or_default(),
        }
    }

    /// Returns the instruction at an address with up to `n` before and after it, within the same kernel or function. Instructions
    /// are decoded from the start of the function. If none of them begins at the address, nothing before it is returned.
    pub fn around(&self, pc: u64, n: usize) -> Vec<Line> {
        let next = self.starts.partition_point(|start| *start <= pc);
        let start = self.starts[..next].last().copied().unwrap_or(pc);
        let end = self.starts.get(next).copied().unwrap_or(u64::MAX);
        let mut before = VecDeque::new();
        let mut at = start;
        while at < pc {
            let Some(len) = self.len_at(at) else { break };
            before.push_back(at);
            if before.len() > n {
                before.pop_front();
            }
            at += len;
        }
        if at != pc {
            before.clear();
        }
        let mut lines: Vec<Line> = before.iter().filter_map(|at| self.line(*at)).collect();
        let mut at = pc;
        while let Some(line) = self.line(at).filter(|_| at < end) {
            at += line.len;
            lines.push(line);
            if lines.len() > before.len() + n {
                break;
            }
        }
        lines
    }

    /// Returns the length of the instruction or dword at an address. `None` if there is no code.
    fn len_at(&self, pc: u64) -> Option<u64> {
        let code = self.code.at(pc)?;
        Some(decode(code, self.chip).map_or(DWORD, |inst| inst.len.into()))
    }

    /// Returns the instruction or dword at an address as a line. `None` if there is no code.
    fn line(&self, pc: u64) -> Option<Line> {
        let code = self.code.at(pc)?;
        let line = match decode(code, self.chip) {
            Ok(inst) => Line {
                pc,
                len: inst.len.into(),
                text: inst.to_string(),
                target: Successors::of(&inst, pc).target,
            },
            Err(_) => Line {
                pc,
                len: DWORD,
                text: format!(".long {:#010x}", u32::from_le_bytes(*code.first_chunk()?)),
                target: None,
            },
        };
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places and words as in the listing of `llvm-objdump-14 -d`.
    #[test]
    fn lines_stand_around_an_address() {
        let bytes = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco");
        let object = wavetank_object::open(bytes, None).unwrap();
        let entry = object.kernels()[0].entry;
        let places = Places::of(&object).unwrap();
        let at = |pc, n| -> Vec<(u64, String)> {
            let lines = places.around(pc, n).into_iter();
            lines.map(|line| (line.pc - entry, line.text)).collect()
        };
        let named = |lines: &[(u64, &str)]| -> Vec<(u64, String)> {
            lines
                .iter()
                .map(|(pc, text)| (*pc, text.to_string()))
                .collect()
        };
        let first = (0, "s_load_dword s2, s[4:5], 0x2c");
        let second = (8, "s_load_dwordx2 s[0:1], s[4:5], 0x48");
        assert_eq!(at(entry, 1), named(&[first, second]));
        let middle = [
            (0x3c, "s_and_saveexec_b64 s[0:1], vcc"),
            (0x40, "s_cbranch_execz 25"),
            (0x44, "s_load_dwordx4 s[0:3], s[4:5], 0x0"),
        ];
        assert_eq!(at(entry + 0x40, 1), named(&middle));
        let branch = &places.around(entry + 0x40, 0)[0];
        assert_eq!((branch.len, branch.target), (4, Some(entry + 0xa8)));
        // Within an instruction there is nothing before, and outside of code there are no lines.
        assert_eq!(at(entry + 4, 2)[0].0, 4);
        assert_eq!(at(0, 2), []);
        // Functions end where the next one begins.
        let bytes = include_bytes!("../../object/tests/data/lines-gfx900.hsaco");
        let object = wavetank_object::open(bytes, None).unwrap();
        let second = object.kernel("checked").unwrap().entry;
        let lines = Places::of(&object).unwrap().around(second - 4, 3);
        let places: Vec<u64> = lines.iter().map(|line| second - line.pc).collect();
        assert_eq!(places, [16, 12, 8, 4]);
    }
}
