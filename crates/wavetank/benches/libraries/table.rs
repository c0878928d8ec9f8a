//! The table that is printed: times, speeds, what they are of the peer's, and whether results are right.

use crate::cases::{Case, Work};
use crate::ours::Instructions;
use crate::turns::Row;

/// Operations that are printed of those that have no template.
const REASONS: usize = 3;

/// The rows of a case.
pub(crate) struct Table<'a> {
    pub case: &'a Case,
    pub expected: Vec<u32>,
    pub ours: Vec<Row>,
    /// For each of ours.
    pub work: Vec<Instructions>,
    pub peer: Option<Row>,
}

pub(crate) fn print_head() {
    println!(
        "{:10} {:26} {:>9} {:>9} {:8} {:>7} {:>9} {:>9}  {:12} interpreter's steps, places",
        "case", "engine", "ms", "speed", "", "of peer", "M instr/s", "compiled", "results"
    );
}

impl Table<'_> {
    /// Whether all results are right.
    pub(crate) fn print(&self) -> bool {
        let mut right = true;
        for (row, work) in self.ours.iter().zip(&self.work) {
            right &= self.print_row(row, Some(work));
        }
        if let Some(peer) = &self.peer {
            right &= self.print_row(peer, None);
        }
        right
    }

    fn print_row(&self, row: &Row, work: Option<&Instructions>) -> bool {
        let time = row.time.as_secs_f64();
        let (speed, unit) = match self.case.work {
            Work::Flops(count) => (count / time / 1e9, "GFLOP/s"),
            Work::Elements(count) => (count / time / 1e6, "M el/s"),
        };
        let peer = self.peer.as_ref();
        let of_peer = peer.map(|peer| format!("{:.3}", peer.time.as_secs_f64() / time));
        let agreement = self.case.agreement.check(&row.result, &self.expected);
        println!(
            "{:10} {:26} {:9.2} {speed:9.2} {unit:8} {:>7} {:>9} {:>9}  {agreement:12} {}",
            self.case.name,
            format!("{}, {} thr", row.label, row.threads),
            time * 1e3,
            of_peer.as_deref().unwrap_or("-"),
            work.map_or(String::new(), |w| format!(
                "{:.1}",
                w.waves as f64 / time / 1e6
            )),
            work.map_or(String::new(), Instructions::share),
            work.map_or(String::new(), Instructions::reasons),
        );
        !agreement.starts_with("WRONG")
    }
}

impl Instructions {
    fn share(&self) -> String {
        let share = self.compiled as f64 / self.waves.max(1) as f64;
        format!("{:.1} %", 100.0 * share)
    }

    fn reasons(&self) -> String {
        let most = self.code.slow_paths().into_iter().take(REASONS);
        let most = most.map(|(name, places)| format!("{name} {places}"));
        most.collect::<Vec<_>>().join(", ")
    }
}
