//! The table that is printed: times, what they are of other engines', and whether results agree.

use std::ptr;

use crate::cases::Case;
use crate::turns::Row;

/// The rows of a kernel.
pub(crate) struct Table<'a> {
    pub case: &'a Case,
    /// Wave instructions of a run.
    pub count: u64,
    /// Its first row is compiled code on one thread.
    pub ours: Vec<Row>,
    pub pocl: Option<Row>,
    pub natives: Vec<Row>,
}

pub(crate) fn print_head() {
    println!(
        "{:13} {:24} {:>10} {:>8} {:>10} {:>8} {:>8} {:>9}  results",
        "kernel", "engine", "ms", "M instr", "M instr/s", "of 1 thr", "of PoCL", "of native"
    );
}

impl Table<'_> {
    pub(crate) fn print(&self) {
        for row in &self.ours {
            let levels_agree = row.result == self.ours[0].result;
            let agreement = if levels_agree {
                self.agreement(row)
            } else {
                "WRONG: differs from the first row".to_owned()
            };
            self.print_row(row, &agreement);
        }
        for row in self.pocl.iter().chain(&self.natives) {
            self.print_row(row, &self.agreement(row));
        }
    }

    /// How the results compare with PoCL's or, where there is none, with those of native code; empty for these themselves.
    fn agreement(&self, row: &Row) -> String {
        match self.pocl.as_ref().or(self.natives.first()) {
            Some(reference) if !ptr::eq(reference, row) => {
                self.case.agreement.check(&row.result, &reference.result)
            }
            _ => String::new(),
        }
    }

    fn print_row(&self, row: &Row, agreement: &str) {
        let time = row.time.as_secs_f64();
        let speed_of = |other: &Row| format!("{:.2}", other.time.as_secs_f64() / time);
        let native = self.natives.iter().find(|n| n.threads == row.threads);
        println!(
            "{:13} {:24} {:10.2} {:8.1} {:10.1} {:>8} {:>8} {:>9}  {agreement}",
            self.case.name,
            row.label,
            time * 1e3,
            self.count as f64 / 1e6,
            self.count as f64 / 1e6 / time,
            speed_of(&self.ours[0]),
            self.pocl.as_ref().map_or("-".to_owned(), speed_of),
            native.map_or(String::new(), speed_of),
        );
    }
}
