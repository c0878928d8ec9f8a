//! `--trace`: the selection of instructions, and their text.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Stderr, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use wavetank::{Change, Chip, Group, Step};
use wavetank_quote::function;

use super::accesses;
use super::element::integer;
use crate::exit::{Failure, Result};

/// The number of lanes in a row of a vector register.
const ROW: usize = 8;

/// The selection of waves and of their instructions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filter {
    group: Groups,
    wave: RangeInclusive<u64>,
    pc: RangeInclusive<u64>,
    op: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Groups {
    Numbers(RangeInclusive<u64>),
    Id([u32; 3]),
}

impl Filter {
    /// Parses a filter. The empty one selects wave 0 of work-group 0.
    pub(super) fn parse(text: &str) -> Result<Filter, String> {
        let mut filter = Filter {
            group: Groups::Numbers(0..=0),
            wave: 0..=0,
            pc: 0..=u64::MAX,
            op: String::new(),
        };
        for condition in text.split(',').filter(|condition| !condition.is_empty()) {
            let wrong = || format!("`{condition}` is none of group=…, wave=…, pc=…, op=…");
            let (key, value) = condition.split_once('=').ok_or_else(wrong)?;
            match key {
                "group" => filter.group = groups(value)?,
                "wave" => filter.wave = range(value)?,
                "pc" => filter.pc = range(value)?,
                "op" => filter.op = value.to_owned(),
                _ => return Err(wrong()),
            }
        }
        Ok(filter)
    }

    fn watches(&self, group: &Group, wave: u32) -> bool {
        let group = match &self.group {
            Groups::Numbers(numbers) => numbers.contains(&group.index),
            Groups::Id(id) => group.id == *id,
        };
        group && self.wave.contains(&wave.into())
    }

    fn shows(&self, step: &Step) -> bool {
        let place = &step.place;
        let offset = place
            .symbol
            .as_ref()
            .map_or(place.pc, |(_, offset)| *offset);
        let instruction = place.instruction.as_deref().unwrap_or("");
        self.pc.contains(&offset) && instruction.starts_with(&self.op)
    }
}

fn groups(text: &str) -> Result<Groups, String> {
    match text.split(':').collect::<Vec<_>>().as_slice() {
        [numbers] => Ok(Groups::Numbers(range(numbers)?)),
        [x, y, z] => {
            let id = |text| {
                number(text)?
                    .try_into()
                    .map_err(|_| format!("{text} is too large"))
            };
            Ok(Groups::Id([id(x)?, id(y)?, id(z)?]))
        }
        _ => Err(format!(
            "`{text}` is not a work-group; write 3, 3..5, 1:0:0 or all"
        )),
    }
}

/// Parses `N`, `A..B` (both ends included) or `all`.
fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    if text == "all" {
        return Ok(0..=u64::MAX);
    }
    match text.split_once("..") {
        Some((first, last)) => {
            let range = number(first)?..=number(last)?;
            if range.is_empty() {
                Err(format!(
                    "`{text}` ends before it begins; write A..B with A up to B"
                ))
            } else {
                Ok(range)
            }
        }
        None => {
            let only = number(text)?;
            Ok(only..=only)
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    let value = integer(text)?;
    value.try_into().map_err(|_| format!("{text} is negative"))
}

/// A printer of instructions while they are executed, on any thread.
pub(super) struct Tracer {
    filter: Filter,
    chip: Chip,
    out: Mutex<Sink>,
    /// Whether an instruction was printed.
    has_printed: AtomicBool,
}

/// The output of the trace.
struct Sink {
    stderr: BufWriter<Stderr>,
    /// The error of the last write, after which nothing more is written.
    problem: Option<io::Error>,
}

impl Sink {
    fn then(&mut self, act: impl FnOnce(&mut BufWriter<Stderr>) -> io::Result<()>) {
        if self.problem.is_none() {
            self.problem = act(&mut self.stderr).err();
        }
    }
}

impl Tracer {
    pub(super) fn new(filter: Filter, chip: Chip) -> Self {
        Tracer {
            filter,
            chip,
            out: Mutex::new(Sink {
                stderr: BufWriter::new(io::stderr()),
                problem: None,
            }),
            has_printed: AtomicBool::new(false),
        }
    }

    /// Whether a wave has to be watched.
    pub(super) fn watches(&self, group: &Group, wave: u32) -> bool {
        self.filter.watches(group, wave)
    }

    /// Prints an instruction, if it is selected.
    pub(super) fn trace(&self, step: &Step) {
        if self.filter.shows(step) {
            self.has_printed.store(true, Ordering::Relaxed);
            self.write(&text(step, self.chip));
        }
    }

    /// Writes the rest, and prints a note if no instruction was selected.
    ///
    /// # Errors
    /// An incomplete trace, unless its reader has closed it.
    pub(super) fn end(self) -> Result {
        if !self.has_printed.load(Ordering::Relaxed) {
            self.write("wavetank: no instruction that was executed is one of --trace's\n");
        }
        let out = self.out.into_inner();
        let mut out = out.unwrap_or_else(PoisonError::into_inner);
        out.then(Write::flush);
        match out.problem {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let problem = format!("{error}; the trace is not whole");
                Err(Failure::file("write to", Path::new("stderr"), problem))
            }
            _ => Ok(()),
        }
    }

    fn write(&self, text: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.then(|stderr| stderr.write_all(text.as_bytes()));
    }
}

/// Returns an instruction, its source line, its memory accesses and the changes:
///
/// ```text
/// [0:0:0 0] vecadd+0x10  global_load_dword v1, v[2:3], off // vecadd.cl:3:12
///     loads 4 bytes of global memory [0..63]: 0x7f0000001000 + 4 a lane
///     v1[0..63] = 0x00000007
/// ```
fn text(step: &Step, chip: Chip) -> String {
    let [x, y, z] = step.group.id;
    let place = &step.place;
    let mut text = format!("[{x}:{y}:{z} {}] ", step.wave);
    // Writing to a string does not fail.
    let _ = match &place.symbol {
        Some((name, offset)) => write!(text, "{}+{offset:#x}", function(name)),
        None => write!(text, "{:#x}", place.pc),
    };
    let _ = write!(text, "  {}", place.instruction.as_deref().unwrap_or("?"));
    if !place.source.is_empty() {
        let _ = write!(text, " // {}", place.source);
    }
    text.push('\n');
    accesses::write(&mut text, &step.accesses);
    for change in &step.changes {
        let name = change.register_name(chip);
        let _ = match change {
            Change::Scalar { value, .. } | Change::Hardware { value, .. } => {
                writeln!(text, "    {name} = {value:#010x}")
            }
            Change::Scc(value) => writeln!(text, "    {name} = {}", u8::from(*value)),
            Change::Vector { lanes, values, .. } => vector(&mut text, &name, *lanes, &values[..]),
            // A kind of register that this command does not support yet is at least named.
            _ => writeln!(text, "    {name}"),
        };
    }
    text
}

/// Writes the changed lanes of a vector register: one line if all have the same value, or else rows of eight lanes, in which `.`
/// stands for unchanged lanes.
fn vector(text: &mut String, name: &str, lanes: u64, values: &[u32]) -> std::fmt::Result {
    let changed = |lane: &usize| lanes >> lane & 1 != 0;
    let mut numbers = (0..values.len()).filter(changed);
    let Some(first) = numbers.next() else {
        return Ok(());
    };
    let last = numbers.clone().next_back().unwrap_or(first);
    let gapless = lanes.count_ones() as usize == last - first + 1;
    if gapless && numbers.all(|lane| values[lane] == values[first]) {
        return if first == last {
            writeln!(text, "    {name}[{first}] = {:#010x}", values[first])
        } else {
            writeln!(
                text,
                "    {name}[{first}..{last}] = {:#010x}",
                values[first]
            )
        };
    }
    for row in (0..values.len()).step_by(ROW) {
        let row = row..row + ROW;
        if !row.clone().any(|lane| changed(&lane)) {
            continue;
        }
        write!(text, "    {name}[{}..{}] =", row.start, row.end - 1)?;
        for lane in row {
            if changed(&lane) {
                write!(text, " {:#010x}", values[lane])?;
            } else {
                write!(text, " {:>10}", ".")?;
            }
        }
        writeln!(text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn filters_are_read() {
        let filter = Filter::parse("").unwrap();
        assert_eq!(filter.group, Groups::Numbers(0..=0));
        assert_eq!(filter.wave, 0..=0);
        let filter = Filter::parse("group=1:2:3,wave=all,pc=0x10..0x20,op=v_add").unwrap();
        assert_eq!(filter.group, Groups::Id([1, 2, 3]));
        assert_eq!(filter.wave, 0..=u64::MAX);
        assert_eq!(filter.pc, 0x10..=0x20);
        assert_eq!(filter.op, "v_add");
        for bad in [
            "x",
            "lane=3",
            "group=1:2",
            "wave=a",
            "pc=5..",
            "wave=-1",
            "wave=9..1",
            "group=4294967296:0:0",
        ] {
            assert!(Filter::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lanes_with_one_value_are_one_line() {
        let mut text = String::new();
        vector(&mut text, "v3", !0, &[7; 64]).unwrap();
        vector(&mut text, "v4", 1 << 9, &[7; 64]).unwrap();
        assert_eq!(text, "    v3[0..63] = 0x00000007\n    v4[9] = 0x00000007\n");
    }

    #[test]
    fn only_changed_lanes_are_shown() {
        let values: Vec<u32> = (0..64).collect();
        let mut text = String::new();
        vector(&mut text, "v1", 0b101 << 8, &values).unwrap();
        let dots = "          .".repeat(5);
        assert_eq!(
            text,
            format!("    v1[8..15] = 0x00000008          . 0x0000000a{dots}\n")
        );
    }

    proptest! {
        #[test]
        fn texts_never_panic(text in "((group|wave|pc|op|lane)=?[a-z0-9.:-]{0,12},?){0,4}") {
            let _ = Filter::parse(&text);
        }
    }
}
