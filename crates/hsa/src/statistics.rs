//! What ran: a line for each dispatch with `WAVETANK_LOG=info`, and a table at the end with `WAVETANK_STATS=1`.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use wavetank::Report;

use crate::abi::DispatchPacket;
use crate::log;
use crate::runtime::lock;

#[derive(Clone, Copy, Default)]
struct Sum {
    calls: u64,
    time: Duration,
    instructions: u64,
}

static SUMS: Mutex<Option<HashMap<String, Sum>>> = Mutex::new(None);

fn table_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os("WAVETANK_STATS").is_some_and(|v| v == "1"))
}

/// Whether instructions are to be counted.
pub fn wanted() -> bool {
    table_wanted() || log::informs()
}

fn instructions(report: &Report) -> u64 {
    report.instructions.as_ref().map_or(0, |i| i.waves())
}

/// Counts a dispatch.
pub fn add(kernel: &str, report: &Report) {
    if !table_wanted() {
        return;
    }
    let mut sums = lock(&SUMS);
    let sums = sums.get_or_insert_with(|| {
        // Programs often end without shutting the library down.
        // SAFETY: the function only reads statics of the library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
        HashMap::new()
    });
    let sum = sums.entry(kernel.to_owned()).or_default();
    sum.calls += 1;
    sum.time += report.wall;
    sum.instructions += instructions(report);
}

/// A dispatch as a line.
pub fn told(kernel: &str, packet: &DispatchPacket, report: &Report) -> String {
    let size = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
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

/// Writes the table, the slowest kernel first, and begins anew.
pub fn report() {
    let Some(sums) = lock(&SUMS).take() else {
        return;
    };
    let mut rows: Vec<(String, Sum)> = sums.into_iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.time));
    let mut text = format!(
        "{:>9} {:>12} {:>16}  kernel\n",
        "calls", "ms", "instructions"
    );
    for (name, sum) in rows {
        let ms = sum.time.as_secs_f64() * 1e3;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:>9} {ms:>12.3} {:>16}  {name}",
            sum.calls, sum.instructions
        );
    }
    // If stderr is closed, nobody is there to be told.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
}
