//! `wavetank exec`: single instructions on a given state, and files of such cases.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use wavetank::environment::Settings;
use wavetank::exec::{Case, Changed, Engine, ExecError, Run, parse_file, parse_words};
use wavetank_quote::plain_lines;

use crate::exit::{Failure, Result, print, print_json};
use crate::target::Target;

const EXAMPLES: &str = "\
Values are written 12, 0x1f, -3, 1.5, 1.5h (half precision), inf, nan; for lanes
as one value, 1,2,3, 0..63 or 1.0*32. Registers are v0, v[0:1] (64 bits a lane),
s0, s[0:1], vcc, exec, m0, scc, mode, lds[0]; `mem NAME` is a buffer, &NAME its
address.

Examples:
  wavetank exec 'v_lshl_add_u32 v0, v1, 4, v2' v1=0..63 v2=100
  wavetank exec 's_bfe_u32 s0, s1, 0x80004' s1=0xabcd
  wavetank exec 'v_rcp_f32 v0, v1' v1=2.0,0.0,-0.0,inf,nan exec=0x1f
  wavetank exec 'global_load_dword v2, v[0:1], off' 'v[0:1]=&a' 'mem a=7,8'
  wavetank exec tests/isa/vector.wt       cases of the project's own tests";

/// Runs one instruction, or a file of cases, and shows what changed
///
/// A file's cases are a state, instructions after `>`, and what is expected; docs/exec-format.md describes it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Exec {
    #[command(flatten)]
    target: Target,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Instructions, parted by `;`, or a file of cases
    #[arg(value_name = "INSTRUCTION|FILE")]
    what: OsString,
    /// The state before, e.g. v1=0..63 s0=5 exec=0xff
    #[arg(value_name = "REG=VALUES")]
    state: Vec<String>,
}

/// What a case came to.
#[derive(Serialize)]
struct Outcome {
    name: String,
    line: usize,
    changes: Vec<Row>,
    failures: Vec<String>,
}

/// A register or place with another value.
#[derive(Serialize)]
struct Row {
    name: String,
    bits: u32,
    lanes: Vec<usize>,
    values: Vec<u64>,
}

impl Exec {
    pub fn run(self) -> Result {
        // A wrong environment is not the fault of a case.
        Settings::from_env().map_err(wavetank::Error::from)?;
        let cases = self.cases()?;
        let mut outcomes = Vec::new();
        let mut text = String::new();
        for case in &cases {
            let run = case
                .run(Engine::Interpreter)
                .map_err(|e| kernel_failure(case, &e))?;
            let failures = run.failures();
            if !self.json {
                tell(&mut text, case, &run, &failures, cases.len() > 1);
            }
            let changes = run.changes().into_iter().map(Row::from).collect();
            outcomes.push(Outcome {
                name: case.name.clone(),
                line: case.line,
                changes,
                failures,
            });
        }
        match self.json {
            true => print_json(&outcomes)?,
            false => print(&plain_lines(&text))?,
        }
        let failed = outcomes.iter().filter(|o| !o.failures.is_empty()).count();
        match failed {
            0 => Ok(()),
            n => Err(Failure::Kernel(format!(
                "{n} of {} cases failed",
                cases.len()
            ))),
        }
    }

    fn cases(&self) -> Result<Vec<Case>> {
        let path = Path::new(&self.what);
        let is_file = path.is_file() || path.extension().is_some_and(|e| e == "wt");
        let wrong = |error: ExecError| Failure::usage(error.to_string());
        if !is_file {
            let chip = self.target.chip_or_default()?;
            let text = self.what.to_str().ok_or_else(|| {
                Failure::usage("there is no such file, and no UTF-8 text").of(path)
            })?;
            let case = parse_words(chip.name(), text, &self.state);
            return case.map(|c| vec![c]).map_err(wrong);
        }
        if let Some(word) = self.state.first() {
            return Err(Failure::usage(format!(
                "`{word}`: the state of cases stands in their file"
            )));
        }
        let text = crate::input::read_text(path)?;
        parse_file(&text).map_err(|e| wrong(e).of(path))
    }
}

/// An instruction that failed fails the program.
fn kernel_failure(case: &Case, error: &ExecError) -> Failure {
    let name = if case.name.is_empty() {
        String::new()
    } else {
        format!("case {}: ", case.name)
    };
    Failure::Kernel(format!("{name}{error}"))
}

impl From<Changed> for Row {
    fn from(c: Changed) -> Row {
        let (lanes, values) = c.values.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        Row {
            name: c.name,
            bits: c.bits,
            lanes: lanes.into_iter().flatten().collect(),
            values,
        }
    }
}

/// Writes what a case did: the failures of one that expects something, the changes of others.
fn tell(text: &mut String, case: &Case, run: &Run, failures: &[String], many: bool) {
    let name = match case.name.as_str() {
        "" => format!("case at line {}", case.line),
        name => name.to_owned(),
    };
    if case.expects() {
        let word = if failures.is_empty() { "ok" } else { "FAILED" };
        let _ = writeln!(text, "{word:6} {name}");
        for failure in failures {
            let _ = writeln!(text, "       {failure}");
        }
        if failures.is_empty() {
            return;
        }
    } else if many {
        let _ = writeln!(text, "{name}");
    }
    let _ = writeln!(text, "{}", table(&run.changes()));
}

/// A table of changes: neighbouring lanes with the same value share a row.
fn table(changes: &[Changed]) -> String {
    if changes.is_empty() {
        return "nothing changed".into();
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["where", "lanes", "hex", "integer", "float"]);
    for change in changes {
        let mut name = change.name.as_str();
        let mut rest = change.values.as_slice();
        while let Some((first, value)) = rest.first().copied() {
            let run = rest.iter().zip(first.unwrap_or(0)..);
            let same = run
                .take_while(|((l, v), n)| *v == value && l.is_none_or(|l| l == *n))
                .count();
            let last = rest[same - 1].0;
            let lanes = match (first, last) {
                (Some(a), Some(b)) if a != b => format!("{a}–{b}"),
                (Some(a), _) => a.to_string(),
                _ => String::new(),
            };
            table.add_row(row(name, lanes, value, change.bits));
            (name, rest) = ("", &rest[same..]);
        }
    }
    for column in 1..4 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

fn row(name: &str, lanes: String, value: u64, bits: u32) -> [String; 5] {
    let (hex, integer, float) = match bits {
        64 => (
            format!("0x{value:016x}"),
            (value as i64).to_string(),
            format!("{:?}", f64::from_bits(value)),
        ),
        _ => {
            let value = value as u32;
            (
                format!("0x{value:08x}"),
                (value as i32).to_string(),
                format!("{:?}", f32::from_bits(value)),
            )
        }
    };
    [name.to_owned(), lanes, hex, integer, float]
}
