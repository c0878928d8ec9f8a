//! `wavetank exec`: the execution of single instructions on a given state, and of files of such cases.

mod check;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use wavetank::environment::Settings;
use wavetank::{Tool, Tools};
use wavetank_cases::{Case, Changed, Engine, ExecError, Grid, Run, parse_file, parse_words};
use wavetank_gcn::Operand;
use wavetank_gcn::tables::Ty;
use wavetank_quote::{plain, plain_lines};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};
use crate::target::Target;
use check::Found;

const EXAMPLES: &str = "\
Values are written 12, 0x1f, -3, 1.5, 1.5h (half precision), inf, nan; for lanes
as one value, 1,2,3, 0..63 or 1.0*32. Registers are v0, v[0:1] (64 bits a lane),
s0, s[0:1], vcc, exec, m0, scc, mode, lds[0]; `mem NAME` is a buffer, &NAME its
address. `vgprs`, `sgprs`, `lds bytes`, `scratch bytes` say how much there is.
SUATOM has R0, R[4:5], P0, c[0x400], TYPED_ATOMIC V32 and P1, and both `surface
NUMBER DIMENSIONS SIZE ELEMENTS VALUES`: docs/reference/exec-format.md.

Examples:
  wavetank exec 'v_lshl_add_u32 v0, v1, 4, v2' v1=0..63 v2=100
  wavetank exec 's_bfe_u32 s0, s1, 0x80004' s1=0xabcd
  wavetank exec 'v_rcp_f32 v0, v1' v1=2.0,0.0,-0.0,inf,nan exec=0x1f
  wavetank exec 'global_load_dword v2, v[0:1], off' 'v[0:1]=&a' 'mem a=7,8'
  wavetank exec --isa maxwell:52 'SUATOM.D.2D.ADD R10, [R2], R4, R1' \\
      R2=0..31 R4=1 R1=6 surface T6 2d 32x4 u32 iota
  wavetank exec --isa visa \\
  'typed_atomic.inc (M1, 8) T6 V32.0 V33.0 V34.0 V35.0 %null.0 %null.0 V38.0' \\
      V32=0..7 surface T6 3d 8x2x2 u32
  wavetank exec --check 's_load_dword s0, s[2:3], 0x0; s_waitcnt 0' \\
      's[2:3]=&a' 'mem a=7'
  wavetank exec tests/isa/sop/sop1.wt        cases of the project's own tests";

/// Runs one instruction, or a file of cases, and shows what changed
///
/// A file's cases are a state, instructions after `>`, and what is expected; docs/reference/exec-format.md describes it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Exec {
    #[command(flatten)]
    target: Target,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Look for mistakes in the instructions and while they run, with these tools, as `wavetank check` does; otherwise with all
    /// but float, and in files of cases but init
    #[arg(long, value_name = "TOOLS", num_args = 0..=1, require_equals = true)]
    check: Option<Option<Tools>>,
    /// Instructions, parted by `;`, or a file of cases; words without `=` that follow are part of the instruction
    #[arg(value_name = "INSTRUCTION|FILE")]
    what: OsString,
    /// The state before, e.g. v1=0..63 s0=5 exec=0xff
    #[arg(value_name = "REG=VALUES", allow_negative_numbers = true)]
    state: Vec<String>,
}

/// The result of a case.
#[derive(Serialize)]
struct Outcome {
    name: String,
    line: usize,
    changes: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elements: Vec<Cell>,
    failures: Vec<String>,
    /// The fault that stopped the instructions before their end.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    /// The findings, if the case was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Value>>,
}

/// A register or place whose value has changed.
#[derive(Serialize)]
struct Row {
    name: String,
    bits: u32,
    lanes: Vec<usize>,
    values: Vec<u64>,
}

/// An element of a surface whose value has changed.
#[derive(Serialize)]
struct Cell {
    surface: u32,
    level: u32,
    at: [u32; 3],
    value: u64,
}

impl Exec {
    pub(crate) fn run(self) -> Result {
        // A wrong environment is not a failure of a case.
        let settings = Settings::from_env().map_err(wavetank::Error::from)?;
        let engine = Engine::of_environment(settings.kernels.engine);
        let cases = self.cases()?;
        let checks = self.check.map(|tools| tools.unwrap_or(self.all_tools()));
        let (mut outcomes, mut found) = (Vec::new(), Found::default());
        let mut text = String::new();
        for case in &cases {
            let run = case.run(engine).map_err(|error| wrong_case(case, &error))?;
            let failures = run.failures();
            if !self.json {
                describe(&mut text, case, &run, &failures, cases.len() > 1);
            }
            let findings = checks.map(|tools| {
                let name = case_name(case);
                found.add(&name, case, tools, &run, self.file())
            });
            let findings = findings.transpose();
            let changes = run.changes().into_iter().map(Row::from).collect();
            outcomes.push(Outcome {
                name: case.name.clone(),
                line: case.line,
                changes,
                elements: run.grids().iter().flat_map(cells).collect(),
                failures,
                fault: run.stopped().map(ToString::to_string),
                findings: findings.map_err(|error| wrong_case(case, &error))?,
            });
        }
        if self.json {
            print_json(&outcomes)?;
        } else {
            print(&plain_lines(&text))?;
        }
        found.print()?;
        let failed = outcomes.iter().filter(|o| !o.failures.is_empty()).count();
        match (failed, &outcomes[..]) {
            (0, _) => Ok(()),
            // A case on the command line has no further output.
            (_, [alone]) if !cases[0].expects() => {
                let name = case_name(&cases[0]);
                Err(Failure::Kernel(format!(
                    "{name}{}",
                    alone.failures.join("\n")
                )))
            }
            (n, _) => Err(Failure::Kernel(format!(
                "{n} of {} cases failed",
                cases.len()
            ))),
        }
    }

    /// Returns the default tools. Cases in files may rely on unset registers being 0.
    fn all_tools(&self) -> Tools {
        match self.file() {
            Some(_) => Tools::DEFAULT.without(Tools::of(&[Tool::Init])),
            None => Tools::DEFAULT,
        }
    }

    /// Returns the file of cases, if the argument is one.
    fn file(&self) -> Option<&Path> {
        let path = Path::new(&self.what);
        let is_file = path.is_file() || path.extension().is_some_and(|e| e == "wt");
        is_file.then_some(path)
    }

    fn cases(&self) -> Result<Vec<Case>> {
        let wrong = |error: ExecError| Failure::usage(error.to_string());
        let Some(path) = self.file() else {
            let path = Path::new(&self.what);
            let isa = self.target.set_name()?;
            let text = self.what.to_str().ok_or_else(|| {
                Failure::usage("there is no such file, and the argument is not UTF-8").of(path)
            })?;
            let words = self.state.iter().take_while(|word| !begins_state(word));
            let words: Vec<&str> = std::iter::once(text)
                .chain(words.map(String::as_str))
                .collect();
            let state = &self.state[words.len() - 1..];
            let case = parse_words(&isa, &words.join(" "), state).map_err(wrong)?;
            for note in notes(&case, state) {
                // A closed stderr is not an error.
                let _ = writeln!(anstream::stderr(), "{note}");
            }
            return Ok(vec![case]);
        };
        if let Some(word) = self.state.first() {
            return Err(Failure::usage(format!(
                "`{word}`: the state of cases stands in their file"
            )));
        }
        let text = crate::input::read_text(path)?;
        parse_file(&text).map_err(|e| wrong(e).of(path))
    }
}

/// Whether a word is part of the state, and not of the instruction.
fn begins_state(word: &str) -> bool {
    word.contains('=') || word == "surface" || word.starts_with("surface ")
}

/// Returns notes on likely mistakes: an integer gives the bits of a register, even if the instruction reads it as a float.
fn notes(case: &Case, state: &[String]) -> Vec<String> {
    let read = |register: u8| {
        case.instructions().find_map(|inst| {
            let operands = inst.op.row().operands.iter().zip(inst.operands);
            let mut floats = operands.filter(|(spec, operand)| {
                spec.access.reads() && *operand == Operand::Vgpr(register)
            });
            floats.find_map(|(spec, _)| match spec.ty {
                Ty::F32 => Some("f32"),
                Ty::F64 => Some("f64"),
                _ => None,
            })
        })
    };
    let note = |word: &String| {
        let (name, value) = word.split_once('=')?;
        let digits = name.trim().strip_prefix('v')?;
        let first = digits.strip_prefix('[').and_then(|d| d.split(':').next());
        let float = read(first.unwrap_or(digits).parse().ok()?)?;
        // All bits zero are also 0.0, and large or hexadecimal numbers are intended as bits.
        let integer = value.split(',').find(|value| {
            let digits = value.trim().trim_start_matches('-');
            digits.len() <= 6 && digits.parse::<u32>().is_ok_and(|n| n != 0)
        })?;
        let (name, integer) = (plain(name.trim()), integer.trim());
        Some(format!(
            "note: {name} is read as {float}, and {integer} is its bits; write {integer}.0 for the number"
        ))
    };
    state.iter().filter_map(note).collect()
}

/// Returns the failure of a state that cannot be set up.
fn wrong_case(case: &Case, error: &ExecError) -> Failure {
    Failure::usage(format!("{}{error}", case_name(case)))
}

/// Returns the beginning of messages about a case.
fn case_name(case: &Case) -> String {
    match case.name.as_str() {
        "" => String::new(),
        name => format!("case {name}: "),
    }
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

/// Writes the result of a case: failures for a case with expectations, changes for others.
fn describe(text: &mut String, case: &Case, run: &Run, failures: &[String], many: bool) {
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
        for failure in failures {
            let _ = writeln!(text, "       {failure}");
        }
    }
    let (changes, grids) = (run.changes(), run.grids());
    // If the case was stopped before anything changed, only the reason is printed.
    if run.stopped().is_some() && changes.is_empty() && grids.is_empty() {
        return;
    }
    if grids.is_empty() || !changes.is_empty() {
        text.push_str(&table(&changes));
    }
    for grid in grids {
        let _ = write!(text, "{grid}");
    }
}

fn cells(grid: &Grid) -> Vec<Cell> {
    let (surface, level) = (grid.number, grid.level);
    let cell = |&(at, value): &([u32; 3], u64)| Cell {
        surface,
        level,
        at,
        value,
    };
    grid.changed.iter().map(cell).collect()
}

/// Returns a table of changes, in which lanes with the same value share a row.
fn table(changes: &[Changed]) -> String {
    if changes.is_empty() {
        return "nothing changed\n".into();
    }
    let header = ["where", "lanes", "hex", "integer", "float"];
    let mut table = Columns::new(&header, &[1, 2, 3, 4], &[3, 4]);
    for change in changes {
        let mut name = change.name.as_str();
        for (lanes, value) in folded(&change.values) {
            table.add(row(name, ranges(&lanes), value, change).into());
            name = "";
        }
    }
    table.text()
}

/// Returns the values, each with its lanes, in the order of the first lane. A value without a lane is on its own.
fn folded(values: &[(Option<usize>, u64)]) -> Vec<(Vec<usize>, u64)> {
    let mut rows: Vec<(Vec<usize>, u64)> = Vec::new();
    for (lane, value) in values {
        let same = rows
            .iter_mut()
            .find(|(lanes, v)| v == value && !lanes.is_empty());
        match (same, lane) {
            (Some((lanes, _)), Some(lane)) => lanes.push(*lane),
            (_, lane) => rows.push((lane.iter().copied().collect(), *value)),
        }
    }
    rows
}

/// Returns lanes in rising order as ranges, `0–3, 8`, or their number if there are more than a few ranges.
fn ranges(lanes: &[usize]) -> String {
    const MOST: usize = 3;
    let runs = lanes.chunk_by(|a, b| a + 1 == *b);
    let runs: Vec<String> = runs
        .map(|run| match (run[0], run[run.len() - 1]) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}–{last}"),
        })
        .collect();
    match runs.get(..MOST) {
        Some(first) if runs.len() > MOST => {
            format!("{}, … ({} lanes)", first.join(", "), lanes.len())
        }
        _ => runs.join(", "),
    }
}

fn row(name: &str, lanes: String, value: u64, change: &Changed) -> [String; 5] {
    let (hex, integer, float) = match change.bits {
        // The upper half comes first, as in grids.
        _ if change.halves => {
            let half = |at: u32| half::f16::from_bits((value >> at) as u16);
            (
                format!("0x{value:08x}"),
                String::new(),
                format!("{}|{}", half(16), half(0)),
            )
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lanes_are_one_row() {
        let values: Vec<_> = (0..8).map(|lane| (Some(lane), lane as u64 % 2)).collect();
        let rows = folded(&values);
        assert_eq!(rows, [(vec![0, 2, 4, 6], 0), (vec![1, 3, 5, 7], 1)]);
        assert_eq!(ranges(&rows[0].0), "0, 2, 4, … (4 lanes)");
        assert_eq!(ranges(&[0, 1, 2, 5, 7]), "0–2, 5, 7");
        assert_eq!(folded(&[(None, 5), (None, 5)]).len(), 2);
        assert_eq!(ranges(&[]), "");
    }
}
