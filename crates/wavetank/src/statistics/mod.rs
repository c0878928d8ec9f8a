//! Statistics of kernels over all of their dispatches: sums, a table of them, and a ledger that outlives the program that keeps it.

mod ledger;

use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

use wavetank_jit::Compiled;
use wavetank_quote::readable;

use crate::checks::CheckTimes;
use crate::report::{InstructionCounts, Report};

pub use ledger::{Ledger, Row};

/// The number of operations on the slow path that the table names.
const MAX_SLOW: usize = 8;

/// The dispatches of a kernel, summed up.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// How many.
    pub calls: u64,
    /// Waves that ran.
    pub waves: u64,
    /// The time from start to end of each.
    pub time: Duration,
    /// Instructions that ran.
    pub instructions: InstructionCounts,
    /// What was compiled for them.
    pub compiled: Compiled,
    /// The time that tools took for themselves.
    pub checks: CheckTimes,
}

impl Sum {
    /// One dispatch that has ended.
    pub fn of(report: &Report) -> Sum {
        Sum {
            calls: 1,
            waves: report.waves,
            time: report.wall,
            instructions: report.instructions.unwrap_or_default(),
            compiled: report.compiled.clone().unwrap_or_default(),
            checks: report.check_times,
        }
    }

    /// Adds dispatches.
    pub fn add(&mut self, other: &Sum) {
        self.calls += other.calls;
        self.waves += other.waves;
        self.time += other.time;
        self.instructions.add(&other.instructions);
        self.compiled.add(&other.compiled);
        self.checks.add(&other.checks);
    }

    /// The share of wave instructions that compiled code executed.
    pub fn compiled_share(&self) -> f64 {
        self.instructions.compiled as f64 / self.instructions.waves().max(1) as f64
    }
}

/// A table of kernels, the slowest first; those of one name are one row. Sentences about compiled code follow, if there is any.
///
/// ```
/// use wavetank::statistics::{Sum, table};
/// let sum = Sum { calls: 2, ..Sum::default() };
/// let text = table([("vecadd".to_owned(), sum.clone()), ("vecadd".to_owned(), sum)]);
/// assert!(text.ends_with("        4                 0       0%        0.000  vecadd\n"));
/// ```
pub fn table(rows: impl IntoIterator<Item = (String, Sum)>) -> String {
    let mut sums: HashMap<String, Sum> = HashMap::new();
    let mut all = Sum::default();
    for (name, sum) in rows {
        all.add(&sum);
        sums.entry(name).or_default().add(&sum);
    }
    let mut rows: Vec<(String, Sum)> = sums.into_iter().collect();
    rows.sort_by(|(a, x), (b, y)| y.time.cmp(&x.time).then_with(|| a.cmp(b)));
    let mut text = format!(
        "{:>9} {:>17} {:>8} {:>12}  kernel (times are this computer's, not a GPU's)\n",
        "calls", "wave instructions", "compiled", "host ms"
    );
    for (name, sum) in rows {
        let ms = sum.time.as_secs_f64() * 1e3;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:>9} {:>17} {:>7.0}% {ms:>12.3}  {}",
            sum.calls,
            sum.instructions.waves(),
            sum.compiled_share() * 100.0,
            readable(&name)
        );
    }
    text + &about_compiled(&all) + &about_checks(&all)
}

/// A line with the time of each tool that took any.
fn about_checks(all: &Sum) -> String {
    let CheckTimes { race, sync, code } = all.checks;
    let shown = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
    let times = [
        ("race", race),
        ("sync", sync),
        ("reading code (wait, hazard, limits)", code),
    ];
    let times = times.iter().filter(|(_, time)| !time.is_zero());
    let times: Vec<String> = times
        .map(|(t, time)| format!("{t} {}", shown(*time)))
        .collect();
    if times.is_empty() {
        return String::new();
    }
    let how = if race.is_zero() && sync.is_zero() {
        ""
    } else {
        ", on one thread for race and sync"
    };
    format!(
        "of {}, tools took {}; kernels ran in the other {}{how}\n",
        shown(all.time),
        times.join(", "),
        shown(all.time.saturating_sub(all.checks.sum()))
    )
}

/// Lines about the compiler: its share, its work, and the operations that compiled code leaves to the slow path.
fn about_compiled(all: &Sum) -> String {
    let Compiled {
        blocks,
        loops,
        refused,
        time,
        ..
    } = all.compiled;
    if blocks + refused == 0 {
        return String::new();
    }
    let counted =
        |n: u64, one: &str, plural: &str| format!("{n} {one}{}", if n == 1 { "" } else { plural });
    let mut text = format!(
        "compiled code ran {:.1}% of {} of {}; {} ({}, {refused} refused) took {:.3} ms to compile\n",
        all.compiled_share() * 100.0,
        counted(all.instructions.waves(), "wave instruction", "s"),
        counted(all.calls, "launch", "es"),
        counted(blocks, "block", "s"),
        counted(loops, "unrolled loop", "s"),
        time.as_secs_f64() * 1e3,
    );
    let slow = all.compiled.slow_paths();
    if !slow.is_empty() {
        let named = slow.iter().take(MAX_SLOW);
        let mut named: Vec<String> = named.map(|(name, n)| format!("{name} {n}")).collect();
        if slow.len() > MAX_SLOW {
            named.push(format!("and {} more", slow.len() - MAX_SLOW));
        }
        let _ = writeln!(
            text,
            "operations on the slow path, with the number of places in compiled code: {}",
            named.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some dispatches with that many instructions: half of them compiled, in blocks of which one has an operation on the slow path.
    pub(super) fn sum(calls: u64, ms: u64) -> Sum {
        let compiled = Compiled {
            blocks: calls,
            bytes: 64 * calls,
            time: Duration::from_millis(ms),
            by_helpers: [("shuffle".to_owned(), calls)].into(),
            ..Compiled::default()
        };
        Sum {
            checks: CheckTimes::default(),
            calls,
            waves: 2 * calls,
            time: Duration::from_millis(ms),
            instructions: InstructionCounts::of_words([calls; 8], 64 * calls, 4 * calls),
            compiled,
        }
    }

    #[test]
    fn the_slowest_stands_first() {
        let text = table([
            ("b".to_owned(), sum(1, 1)),
            ("a".to_owned(), sum(1, 5)),
            ("b".to_owned(), sum(1, 8)),
        ]);
        let rows = text.lines().skip(1).take(2);
        let names: Vec<_> = rows.map(|l| l.split_whitespace().last()).collect();
        assert_eq!(names, [Some("b"), Some("a")]);
        assert!(text.contains("        2                16      50%        9.000  b\n"));
        assert!(text.starts_with(
            "    calls wave instructions compiled      host ms  kernel (times are this"
        ));
    }

    #[test]
    fn the_compiler_is_told_last() {
        let text = table([("b".to_owned(), sum(1, 1)), ("a".to_owned(), sum(1, 5))]);
        let lines: Vec<_> = text.lines().skip(3).collect();
        assert_eq!(
            lines,
            [
                "compiled code ran 50.0% of 16 wave instructions of 2 launches; 2 blocks (0 unrolled loops, 0 refused) took \
                 6.000 ms to compile",
                "operations on the slow path, with the number of places in compiled code: shuffle 2",
            ]
        );
        let one = table([("a".to_owned(), sum(1, 1))]);
        assert!(
            one.contains("of 1 launch; 1 block (0 unrolled loops"),
            "{one}"
        );
    }

    #[test]
    fn tools_tell_their_time() {
        let with = |checks| {
            let text = table([(
                "a".to_owned(),
                Sum {
                    checks,
                    ..sum(1, 9)
                },
            )]);
            text.lines().last().unwrap().to_owned()
        };
        let ms = Duration::from_millis;
        let code = CheckTimes {
            code: ms(2),
            ..CheckTimes::default()
        };
        assert_eq!(
            with(code),
            "of 9.000 ms, tools took reading code (wait, hazard, limits) 2.000 ms; kernels ran in the other 7.000 ms"
        );
        let (race, sync) = (ms(3), ms(1));
        assert_eq!(
            with(CheckTimes { race, sync, ..code }),
            "of 9.000 ms, tools took race 3.000 ms, sync 1.000 ms, reading code (wait, hazard, limits) 2.000 ms; kernels ran \
             in the other 3.000 ms, on one thread for race and sync"
        );
        assert!(with(CheckTimes::default()).starts_with("operations on"));
    }

    #[test]
    fn many_operations_are_cut() {
        let mut many = sum(1, 1);
        let names = (0..10u64).map(|n| (format!("op{n}"), n + 1));
        many.compiled.by_helpers = names.collect();
        let text = table([("a".to_owned(), many)]);
        assert!(
            text.ends_with(
                "code: op9 10, op8 9, op7 8, op6 7, op5 6, op4 5, op3 4, op2 3, and 2 more\n"
            ),
            "{text}"
        );
    }
}
