//! `--trace`: the printer of executed instructions.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Stderr, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use wavetank::{Change, Chip, Group, Step};
use wavetank_quote::function;

use super::trace_filter::Filter;
use super::{accesses, trace_json};
use crate::exit::{Failure, Result};

/// The number of lanes in a row of a vector register.
const ROW: usize = 8;

/// A printer of instructions while they are executed, on any thread.
pub(super) struct Tracer {
    filter: Filter,
    chip: Chip,
    /// Whether each instruction is a line of JSON.
    json: bool,
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
    pub(super) fn new(filter: Filter, chip: Chip, json: bool) -> Self {
        Tracer {
            filter,
            chip,
            json,
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
    pub(super) fn trace(&self, mut step: Step) {
        if self.filter.shows(&step) {
            self.has_printed.store(true, Ordering::Relaxed);
            self.filter.cut(&mut step);
            self.write(&if self.json {
                trace_json::line(&step, self.chip)
            } else {
                text(&step, self.chip)
            });
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
}
