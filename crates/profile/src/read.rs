//! Profiles as JSON, written and read. A file may come from anywhere: it is checked before a report counts with it.

use std::io::{self, Write};

use thiserror::Error;

use crate::model::{Event, Instruction, Kernel, Memory, Profile, VERSION};

/// Limit of the size of a file in bytes.
pub const LARGEST: usize = 1 << 30;
/// Limit of all counts together. Below it no sum of counts overflows, with every lane of a wave counted.
const MOST: u128 = 1 << 60;
/// Lanes of a wave.
const LANES: u8 = 64;

/// The reason why a text is not a profile.
#[derive(Debug, Error)]
pub enum NotAProfile {
    /// The text is too large to be read.
    #[error(
        "the file has {0} bytes, and profiles of more than {LARGEST} are not read: profile fewer kernels (`--kernel`)"
    )]
    Large(usize),
    /// The text is not JSON, or has other fields.
    #[error("the file is not a profile: {0}")]
    Form(#[from] serde_json::Error),
    /// The version is of another program.
    #[error(
        "the profile has version {0}, and this program reads version {VERSION}: write it anew with `wavetank profile`"
    )]
    Version(u32),
    /// The numbers of a kernel contradict each other.
    #[error("the profile contradicts itself at {place}: {what}")]
    Contradiction {
        /// The kernel or event, by its number from 0 on, and the address of the instruction.
        place: String,
        /// The contradiction.
        what: String,
    },
    /// The counts are too large.
    #[error(
        "the counts of the profile together exceed 2^60, which no program reaches: the file is damaged"
    )]
    Counts,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// A text that is not a profile of this version, or whose numbers contradict each other.
    pub fn read(text: &[u8]) -> Result<Profile, NotAProfile> {
        if text.len() > LARGEST {
            return Err(NotAProfile::Large(text.len()));
        }
        // Another version may have other fields, so that is asked first.
        let version: Versioned = serde_json::from_slice(text)?;
        if version.version != VERSION {
            return Err(NotAProfile::Version(version.version));
        }
        let profile: Profile = serde_json::from_slice(text)?;
        profile.check()?;
        Ok(profile)
    }

    /// Writes the profile as JSON in one line, with a line end.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")
    }

    /// Checks that reports can count with the numbers.
    fn check(&self) -> Result<(), NotAProfile> {
        let wrong = |place: String, what: &str| {
            let what = what.to_owned();
            Err(NotAProfile::Contradiction { place, what })
        };
        let mut all: u128 = 0;
        for (n, kernel) in self.kernels.iter().enumerate() {
            all += sum_of_kernel(kernel);
            if !(kernel.host_seconds.is_finite() && kernel.host_seconds >= 0.0) {
                return wrong(format!("kernel {n}"), "its time is not a number");
            }
            for instruction in &kernel.instructions {
                all += sum_of_instruction(instruction);
                if let Some(what) = contradiction(instruction) {
                    let place = format!("kernel {n}, address {:#x}", instruction.address);
                    return wrong(place, what);
                }
            }
        }
        if all > MOST {
            return Err(NotAProfile::Counts);
        }
        for (n, event) in self.timeline.events.iter().enumerate() {
            if event.end < event.begin || u128::from(event.end) > MOST {
                return wrong(format!("event {n}"), "it ends before it begins");
            }
            if event.kernel.is_some_and(|k| k >= self.kernels.len()) {
                return wrong(format!("event {n}"), "there is no such kernel");
            }
        }
        Ok(())
    }
}

/// The field that all versions have.
#[derive(serde::Deserialize)]
struct Versioned {
    version: u32,
}

/// Returns the sentence about an instruction whose counts cannot be.
fn contradiction(instruction: &Instruction) -> Option<&'static str> {
    let lanes = &instruction.lanes;
    if lanes.iter().any(|(lanes, _)| *lanes > LANES) {
        return Some("a wave has 64 lanes");
    }
    let times = lanes.iter().map(|(_, times)| u128::from(*times));
    if times.sum::<u128>() > instruction.executions.into() {
        return Some("more executions have lanes than there are");
    }
    None
}

/// Returns the counts of a kernel, without those of its instructions.
fn sum_of_kernel(kernel: &Kernel) -> u128 {
    let Kernel {
        launches,
        failed,
        groups,
        waves,
        work_items,
        ..
    } = kernel;
    let shapes = kernel.shapes.iter().map(|shape| &shape.launches);
    sum([launches, failed, groups, waves, work_items]
        .into_iter()
        .chain(shapes))
}

/// Returns the counts of an instruction, the executions once for each lane.
fn sum_of_instruction(instruction: &Instruction) -> u128 {
    let Instruction {
        executions,
        parts,
        operations,
        ..
    } = instruction;
    let wait = instruction.wait.iter();
    let wait = wait.flat_map(|wait| [&wait.needed, &wait.ahead, &wait.least_ahead]);
    let memory = instruction.memory.iter().map(sum_of_memory);
    u128::from(*executions) * u128::from(LANES)
        + sum([parts, operations].into_iter().chain(wait))
        + memory.sum::<u128>()
}

fn sum_of_memory(memory: &Memory) -> u128 {
    let Memory {
        space: _,
        kind: _,
        accesses,
        lanes,
        bytes,
        different_bytes,
        lines_64,
        lines_128,
        least_lines_64,
        bank_cycles,
        least_bank_cycles,
        collisions,
    } = memory;
    // Reports multiply lines by their bytes.
    128 * sum([
        accesses,
        lanes,
        bytes,
        different_bytes,
        lines_64,
        lines_128,
        least_lines_64,
        bank_cycles,
        least_bank_cycles,
        collisions,
    ])
}

fn sum<'n>(numbers: impl IntoIterator<Item = &'n u64>) -> u128 {
    numbers.into_iter().map(|n| u128::from(*n)).sum()
}

impl Event {
    /// Returns the nanoseconds that the event took.
    pub fn duration(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{copy, profile};

    fn refused(change: impl Fn(&mut serde_json::Value)) -> String {
        let mut text = Vec::new();
        profile(vec![copy()]).write(&mut text).unwrap();
        let mut value = serde_json::from_slice(&text).unwrap();
        change(&mut value);
        Profile::read(value.to_string().as_bytes())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let profile = profile(vec![copy()]);
        let mut text = Vec::new();
        profile.write(&mut text).unwrap();
        assert_eq!(Profile::read(&text).unwrap(), profile);
        assert!(text.ends_with(b"}\n"));
    }

    #[test]
    fn other_files_are_refused_with_a_sentence() {
        for text in [
            "",
            "{}",
            "[1]",
            "\x7fELF",
            "{\"version\": 1}",
            &"[".repeat(100_000),
        ] {
            let problem = Profile::read(text.as_bytes()).unwrap_err().to_string();
            assert!(
                problem.starts_with("the file is not a profile: "),
                "{problem}"
            );
        }
        let problem = refused(|json| json["version"] = 2.into());
        assert!(problem.contains("version 2"), "{problem}");
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        let instruction = |json: &mut serde_json::Value, field: &str, value: serde_json::Value| {
            json["kernels"][0]["instructions"][0][field] = value;
        };
        let problem = refused(|json| instruction(json, "lanes", serde_json::json!([[65, 1]])));
        assert!(
            problem.contains("kernel 0, address 0x1000: a wave has 64 lanes"),
            "{problem}"
        );
        let problem =
            refused(|json| instruction(json, "lanes", serde_json::json!([[64, u64::MAX]])));
        assert!(problem.contains("more executions have lanes"), "{problem}");
        let problem = refused(|json| instruction(json, "executions", u64::MAX.into()));
        assert!(problem.contains("exceed 2^60"), "{problem}");
        let problem = refused(|json| {
            json["kernels"][0]["instructions"][1]["memory"][0]["bytes"] = u64::MAX.into();
        });
        assert!(problem.contains("exceed 2^60"), "{problem}");
        let problem = refused(|json| json["kernels"][0]["host_seconds"] = (-1).into());
        assert!(problem.contains("its time"), "{problem}");
        let problem = refused(|json| json["timeline"]["events"][0]["kernel"] = 9.into());
        assert!(
            problem.contains("event 0: there is no such kernel"),
            "{problem}"
        );
        let problem = refused(|json| json["timeline"]["events"][0]["end"] = 0.into());
        assert!(problem.contains("event 0: it ends before"), "{problem}");
    }
}
