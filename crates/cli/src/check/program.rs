//! Checks of programs while they run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use wavetank::found_file::FoundFile;
use wavetank::statistics::table;
use wavetank_check::report::{Record, kernel_of};
use wavetank_check::{Launches, Pattern, Tool, Tools, Uncompared, fold};
use wavetank_quote::{readable, some_of};

use super::Check;
use super::end::End;
use super::report::Report;
use crate::exit::{Failure, Result, print};
use crate::run::{Run, deadline};

/// Time for the library to report kernels that did not end.
const REPORT_TIME: Duration = Duration::from_secs(2);

impl Check {
    /// Runs the program, and reports the findings in its kernels after it has ended. Without findings, the command ends as the
    /// program does.
    pub(super) fn run_program(&self) -> Result<End> {
        let tools = self.lanes.add_to(self.tools.unwrap_or(Tools::DEFAULT));
        let known = self.known()?;
        self.wanted.can_be_written()?;
        let file = FoundFile::create();
        let file =
            file.map_err(|error| Failure::usage(format!("no memory for findings: {error}")))?;
        let variables = self.variables(tools, &file);
        let mut run = Run::quiet(self.program.clone(), self.running.clone(), variables);
        let gpus = self.gpu.iter().flat_map(|gpus| gpus.split(','));
        run.gpu.extend(gpus.map(str::to_owned));
        run.timeout = self.timeout;
        run.stats = self.stats;
        // The library reports kernels that did not end, and ends the program.
        run.grace = REPORT_TIME;
        // Stdout is read by another program.
        run.aside = !self.wanted.is_read();
        let (ended, sums) = match run.run_counted() {
            // The program did not start.
            (Err(failure @ Failure::Usage(_)), _) => return Err(failure),
            ended => ended,
        };
        let records = file.read();
        let records = records
            .map_err(|error| Failure::usage(format!("the findings cannot be read: {error}")))?;
        let name = self.program.join(&OsString::from(" "));
        let mut report = Report::new(&self.wanted, name.as_ref(), tools);
        let ran: BTreeSet<String> = records.iter().filter_map(|line| kernel_of(line)).collect();
        let mut is_shown = |record: &Record| {
            self.wants_kernel(&record.finding.kernel)
                && report.is_shown(&known, &record.finding, &record.file)
        };
        let shown: Vec<Record> = joined(&records).into_iter().filter(&mut is_shown).collect();
        for text in report.add_program(&shown) {
            if self.wanted.is_read() {
                // Stdout belongs to the program. Colours are dropped if stderr is not a terminal.
                drop(write!(anstream::stderr(), "{text}"));
            } else {
                print(&text)?;
            }
        }
        let notes = self.one_is_wanted(&ran).map(|()| uncompared(&records));
        for sentence in notes.unwrap_or_default() {
            let text = report.note(&sentence);
            if self.wanted.is_read() {
                drop(write!(anstream::stderr(), "{text}"));
            } else {
                print(&text)?;
            }
        }
        report.write()?;
        if !sums.is_empty() {
            drop(write!(
                anstream::stderr(),
                "{}{}",
                table(sums),
                about_code(tools)
            ));
        }
        let end = report.end_of_program(&name.to_string_lossy(), &ran);
        match (end.found(), ended) {
            (true, Ok(_)) => Ok(end),
            (true, Err(failure)) => {
                end.print();
                Err(failure)
            }
            (false, ended) => {
                let ended = ended?;
                self.one_is_wanted(&ran)?;
                Ok(end.with_end_of(ended))
            }
        }
    }

    /// Rejects names of which no kernel has run, and numbers that no launch had.
    fn one_is_wanted(&self, ran: &BTreeSet<String>) -> Result {
        if let Some(launches) = self.launches.as_ref().filter(|_| ran.is_empty()) {
            let of_them = if self.patterns.is_empty() {
                ""
            } else {
                " of kernels as --kernel says"
            };
            return Err(Failure::usage(format!(
                "the program had no launch {launches}{of_them} (--launch); they are counted from 1"
            )));
        }
        if self.patterns.is_empty() || ran.iter().any(|name| self.wants_kernel(name)) {
            return Ok(());
        }
        let names: Vec<String> = ran.iter().map(|name| readable(name)).collect();
        let there = match names.as_slice() {
            [] => "it ran none".to_owned(),
            names => format!("there are {}", some_of(names)),
        };
        let sentence = "no kernel that the program ran is as --kernel says";
        Err(Failure::usage(format!("{sentence}; {there}")))
    }

    /// Returns the variables for the library in the program.
    fn variables(&self, tools: Tools, file: &FoundFile) -> Vec<(&'static str, OsString)> {
        let until = self.timeout.and_then(deadline).map(|at| at.to_string());
        let stop = if self.stop_at_first { "1" } else { "0" };
        // The library counts the launches of these kernels. Without numbers the command hides the findings of others.
        let launches = self.launches.as_ref().map(Launches::to_string);
        let kernels = launches
            .as_ref()
            .map(|_| self.patterns.iter().map(Pattern::to_string));
        let kernels: Vec<String> = kernels.into_iter().flatten().collect();
        vec![
            ("WAVETANK_CHECK_LAUNCH", launches.unwrap_or_default().into()),
            ("WAVETANK_CHECK_KERNEL", kernels.join(";").into()),
            ("WAVETANK_CHECK", tools.to_string().into()),
            ("WAVETANK_CHECK_STOP", stop.into()),
            (
                "WAVETANK_CHECK_ASM",
                if self.wanted.asm { "1" } else { "0" }.into(),
            ),
            (
                "WAVETANK_CHECK_STACKS",
                if self.wanted.stacks { "1" } else { "0" }.into(),
            ),
            (
                "WAVETANK_CHECK_LEAKS",
                if self.leaks { "1" } else { "0" }.into(),
            ),
            ("WAVETANK_CHECK_TO", file.path().into()),
            ("WAVETANK_CHECK_UNTIL", until.unwrap_or_default().into()),
        ]
    }
}

/// Returns a line about the tools whose time is spent in the code of kernels.
fn about_code(tools: Tools) -> String {
    let within = [Tool::Memory, Tool::Init, Tool::Float];
    let within: Vec<&str> = within
        .iter()
        .filter(|tool| tools.has(**tool))
        .map(|tool| tool.name())
        .collect();
    let names = match within.as_slice() {
        [] => return String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    format!(
        "the time of {names} is within that of the kernels; `wavetank run --stats` shows it without tools\n"
    )
}

/// Returns sentences about the accesses that no launch has compared.
fn uncompared(records: &[String]) -> Vec<String> {
    let all = records.iter().filter_map(|line| Uncompared::read(line));
    let all = all.reduce(|mut all, next| {
        all.join(next);
        all
    });
    all.map_or_else(Vec::new, |all| all.sentences())
}

/// Whether two records are about the same mistake in the same code.
fn is_same(one: &Record, other: &Record) -> bool {
    (&one.file, &one.target) == (&other.file, &other.target) && one.finding.is_same(&other.finding)
}

/// Returns the findings of all launches, with equal ones counted.
fn joined(records: &[String]) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    for record in records.iter().filter_map(|line| Record::read(line)) {
        let same = all.iter_mut().find(|known| is_same(known, &record));
        match same {
            Some(known) => known.finding.times += record.finding.times,
            None => all.push(record),
        }
    }
    // Each launch has folded its own findings.
    fold(
        &mut all,
        |record| &record.finding,
        |known, other| known.finding.take(&other.finding),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_address_in_other_code_is_another_mistake() {
        let line = |file: &str, target: &str| {
            let finding = json!({
                "tool": "memory", "rule": "out-of-bounds", "file": file, "target": target, "kernel": "k",
                "message": "", "at": {"pc": 8, "frames": [], "label": ""}, "related": [], "host": [],
                "notes": [], "times": 1,
            });
            json!({"finding": finding, "text": ""}).to_string()
        };
        let lines = [
            line("a", "gfx900"),
            line("a", "gfx906"),
            line("b", "gfx900"),
            line("a", "gfx900"),
        ];
        let times: Vec<u64> = joined(&lines).iter().map(|r| r.finding.times).collect();
        assert_eq!(times, [2, 1, 1]);
    }
}
