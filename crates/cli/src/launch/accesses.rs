//! The memory accesses of an instruction as text, in as few lines as their pattern allows.

use std::fmt::Write as _;

use wavetank::{AccessRecord, MemKind, MemoryKind};

/// The number of runs that get a line each; more scattered accesses are listed in rows.
const RUNS: usize = 4;

/// The number of addresses in a row of scattered accesses.
const ROW: usize = 4;

/// Writes lines for the accesses of an instruction:
///
/// ```text
///     loads 4 bytes of global memory [0..63]: 0x7f0000001000 + 4 a lane
/// ```
pub(super) fn write(text: &mut String, records: &[AccessRecord]) {
    let alike = |a: &AccessRecord, b: &AccessRecord| {
        (a.kind, a.memory, a.bytes) == (b.kind, b.memory, b.bytes)
    };
    for alike in records.chunk_by(alike) {
        let what = what(&alike[0]);
        let runs: Vec<Run> = runs(alike);
        match runs.len() {
            ..=RUNS => runs.iter().for_each(|run| run.write(text, &what)),
            _ => alike
                .chunks(ROW)
                .for_each(|row| scattered(text, &what, row)),
        }
    }
}

fn what(record: &AccessRecord) -> String {
    let verb = match record.kind {
        MemKind::Load => "loads",
        MemKind::Store => "stores",
        MemKind::Atomic(_) => "changes",
    };
    let memory = match record.memory {
        MemoryKind::Global => "global memory",
        MemoryKind::Lds => "LDS",
        MemoryKind::Gds => "GDS",
        MemoryKind::Scratch => "scratch",
    };
    let plural = if record.bytes == 1 { "" } else { "s" };
    format!("    {verb} {} byte{plural} of {memory}", record.bytes)
}

/// Successive lanes whose addresses have a constant distance.
struct Run {
    first: AccessRecord,
    count: u64,
    /// The distance from lane to lane; addition wraps.
    stride: u64,
}

fn runs(records: &[AccessRecord]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for record in records {
        match runs
            .last_mut()
            .and_then(|run| Some((run.with(record)?, run)))
        {
            Some((longer, run)) => *run = longer,
            None => runs.push(Run {
                first: *record,
                count: 1,
                stride: 0,
            }),
        }
    }
    runs
}

impl Run {
    /// Returns the run extended by this access, if it fits. The second access determines the stride.
    fn with(&self, next: &AccessRecord) -> Option<Run> {
        let (first, lane) = (self.first.lane?, next.lane?);
        let distance = next.address.wrapping_sub(self.first.address);
        let stride = if self.count == 1 {
            distance
        } else {
            self.stride
        };
        let goes_on = u64::from(lane) == u64::from(first) + self.count
            && distance == stride.wrapping_mul(self.count);
        goes_on.then_some(Run {
            first: self.first,
            count: self.count + 1,
            stride,
        })
    }

    fn write(&self, text: &mut String, what: &str) {
        let address = self.first.address;
        // Writing to a string does not fail.
        let _ = match (self.first.lane, self.count) {
            (None, _) => writeln!(text, "{what}: {address:#x}"),
            (Some(lane), 1) => writeln!(text, "{what} [{lane}]: {address:#x}"),
            (Some(lane), count) => {
                let last = u64::from(lane) + count - 1;
                let _ = write!(text, "{what} [{lane}..{last}]: {address:#x}");
                match self.stride as i64 {
                    0 => writeln!(text),
                    down @ ..0 => writeln!(text, " - {} a lane", down.unsigned_abs()),
                    up => writeln!(text, " + {up} a lane"),
                }
            }
        };
    }
}

/// Writes a row of lanes and their addresses.
fn scattered(text: &mut String, what: &str, row: &[AccessRecord]) {
    let lanes = row.iter().filter_map(|record| record.lane);
    let lanes: Vec<String> = lanes.map(|lane| lane.to_string()).collect();
    let places: Vec<String> = row
        .iter()
        .map(|record| format!("{:#x}", record.address))
        .collect();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{what} [{}]: {}", lanes.join(" "), places.join(" "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(addresses: &[(u8, u64)]) -> String {
        let record = |&(lane, address): &(u8, u64)| AccessRecord {
            pc: 0,
            kind: MemKind::Load,
            lane: Some(lane),
            memory: MemoryKind::Lds,
            address,
            bytes: 4,
        };
        let records: Vec<AccessRecord> = addresses.iter().map(record).collect();
        let mut text = String::new();
        write(&mut text, &records);
        text
    }

    #[test]
    fn patterns_are_one_line() {
        let row: Vec<_> = (0..64)
            .map(|lane| (lane, 0x100 + 8 * u64::from(lane)))
            .collect();
        assert_eq!(
            text(&row),
            "    loads 4 bytes of LDS [0..63]: 0x100 + 8 a lane\n"
        );
        let down: Vec<_> = (2..5)
            .map(|lane| (lane, 0x100 - 4 * u64::from(lane)))
            .collect();
        assert_eq!(
            text(&down),
            "    loads 4 bytes of LDS [2..4]: 0xf8 - 4 a lane\n"
        );
        let same: Vec<_> = (0..64).map(|lane| (lane, 0x40)).collect();
        assert_eq!(text(&same), "    loads 4 bytes of LDS [0..63]: 0x40\n");
        assert_eq!(text(&[(9, 0x40)]), "    loads 4 bytes of LDS [9]: 0x40\n");
    }

    #[test]
    fn gaps_and_jumps_begin_anew() {
        let wanted =
            "    loads 4 bytes of LDS [0..1]: 0x0 + 4 a lane\n    loads 4 bytes of LDS [3]: 0xc\n";
        assert_eq!(text(&[(0, 0), (1, 4), (3, 12)]), wanted);
    }

    #[test]
    fn what_is_scattered_is_listed() {
        let records = [(0, 8), (2, 0), (4, 64), (6, 12), (8, 4)];
        let wanted = "    loads 4 bytes of LDS [0 2 4 6]: 0x8 0x0 0x40 0xc\n    loads 4 bytes of LDS [8]: 0x4\n";
        assert_eq!(text(&records), wanted);
    }
}
