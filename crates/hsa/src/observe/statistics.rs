//! Statistics of dispatches: a line for each with `WAVETANK_LOG=info`, and with `WAVETANK_STATS=1` a table at the end.
//!
//! `wavetank run` prints the table itself after the program has ended, and names in `WAVETANK_STATS_TO` the ledger that keeps
//! the sums: a program that is killed cannot print. Without it the library prints at shut-down or at exit.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use wavetank::Report;
use wavetank::statistics::{Ledger, Row, Sum, table};
use wavetank_quote::readable;

use crate::c_types::DispatchPacket;
use crate::log;
use crate::state::{lock, settings};

/// The sums of kernels, each with its place in the ledger.
type Sums = HashMap<String, (Sum, Option<Row<'static>>)>;

static SUMS: Mutex<Option<Sums>> = Mutex::new(None);

fn table_wanted() -> bool {
    settings().as_ref().is_ok_and(|settings| settings.stats)
}

/// The ledger of `wavetank run`. `None` if it cannot be opened, in a sandbox for instance.
fn ledger() -> Option<&'static Ledger> {
    static LEDGER: OnceLock<Option<Ledger>> = OnceLock::new();
    let open = || Ledger::open(Path::new(&std::env::var_os("WAVETANK_STATS_TO")?)).ok();
    LEDGER.get_or_init(open).as_ref()
}

/// Whether instructions are counted.
pub(crate) fn enabled() -> bool {
    table_wanted() || log::informs()
}

fn instructions(report: &Report) -> u64 {
    report
        .instructions
        .as_ref()
        .map_or(0, wavetank::InstructionCounts::waves)
}

/// Counts a dispatch that begins: one that never ends, or fails, is in the table too.
pub(crate) fn begin(kernel: &str) {
    add(
        kernel,
        Sum {
            calls: 1,
            ..Sum::default()
        },
    );
}

/// Adds the results of a dispatch that ended, or failed after some time: then its instructions are unknown.
pub(crate) fn end(kernel: &str, time: Duration, report: Option<&Report>) {
    let of_report = report.map(Sum::of).unwrap_or_default();
    add(
        kernel,
        Sum {
            calls: 0,
            time,
            ..of_report
        },
    );
}

fn add(kernel: &str, part: Sum) {
    if !table_wanted() {
        return;
    }
    let mut sums = lock(&SUMS);
    let sums = sums.get_or_insert_with(|| {
        if ledger().is_none() {
            // Programs often end without shutting the library down.
            // SAFETY: the function only reads statics of the library, which is never unloaded.
            unsafe { libc::atexit(at_exit) };
        }
        Sums::new()
    });
    let new = || (Sum::default(), ledger().and_then(|l| l.row(kernel)));
    let (sum, row) = sums.entry(kernel.to_owned()).or_insert_with(new);
    sum.add(&part);
    if let Some(row) = row {
        row.set(sum);
    }
}

/// The line of a dispatch.
pub(crate) fn line(kernel: &str, packet: &DispatchPacket, report: &Report) -> String {
    let size = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
    let kernel = readable(kernel);
    format!(
        "{kernel} grid {} group {} in {:.3} ms, {} wave instructions",
        size(packet.grid),
        size(packet.workgroup.map(u32::from)),
        report.wall.as_secs_f64() * 1e3,
        instructions(report)
    )
}

extern "C" fn at_exit() {
    report();
}

/// Prints the table, the slowest kernel first, and clears it. With a ledger, `wavetank run` prints it instead.
pub(crate) fn report() {
    let sums = lock(&SUMS).take();
    let Some(sums) = sums.filter(|_| ledger().is_none()) else {
        return;
    };
    log::lines(&table(sums.into_iter().map(|(name, (sum, _))| (name, sum))));
}
