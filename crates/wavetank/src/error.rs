//! Errors of the library, one sentence each.

use std::fmt;
use std::path::PathBuf;

use wavetank_check::{Finding, Place};
use wavetank_gcn::Chip;
use wavetank_ir::MemKind;
use wavetank_machine::schedule::HungWave;
use wavetank_machine::{Fault, GridError, Group, Schedule, WaveState};
use wavetank_memory::{MemoryFault, MemoryFaultReason};
use wavetank_quote::{plain, readable, some_of};

use crate::stage::Stage;

/// The result of an operation of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason for which a module was not loaded, or a kernel did not run to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a code object that this device can use.
    #[error(transparent)]
    Object(#[from] wavetank_object::Error),
    /// A chip that is assembled and disassembled, but not executed.
    #[error("{0}")]
    Chip(String),
    /// A variable of the environment with a value that it cannot have.
    #[error(transparent)]
    Setting(#[from] WrongSetting),
    /// A check that cannot be done here.
    #[error("the launch cannot be checked: {0}; leave out the tool `init`")]
    Checks(String),
    /// There is no kernel of this name.
    #[error("there is no kernel `{}` here{}", plain(name), suggestion(*similar, kernels))]
    UnknownKernel {
        /// The name requested.
        name: String,
        /// Whether the first kernel is similar to the name, so that it may be meant.
        similar: bool,
        /// The kernels that there are, the most similar ones first.
        kernels: Vec<String>,
    },
    /// There is no code of this name.
    #[error("there is no function `{}` here{}", plain(name), other_functions(*similar, functions))]
    UnknownFunction {
        /// The name requested.
        name: String,
        /// Whether the first function is similar to the name, so that it may be meant.
        similar: bool,
        /// The functions that there are, the most similar ones first.
        functions: Vec<String>,
    },
    /// The waves of a stage cannot start with these settings.
    #[error("`{}` cannot run as {stage}: {problem}", plain(function))]
    Shader {
        /// The function.
        function: String,
        /// The stage.
        stage: Stage,
        /// The impossible setting, and the way out.
        problem: String,
    },
    /// Arguments that do not fit the kernel.
    #[error(
        "kernel `{}` {problem}; its signature is {signature}",
        readable(kernel)
    )]
    Arguments {
        /// The kernel.
        kernel: String,
        /// The mismatch.
        problem: String,
        /// The kernel's signature.
        signature: String,
    },
    /// A grid that cannot be dispatched.
    #[error("kernel `{}` cannot be dispatched: {problem}", readable(kernel))]
    Grid {
        /// The kernel.
        kernel: String,
        /// The error.
        problem: GridError,
    },
    /// A work-group size that the kernel was not compiled for.
    #[error(
        "kernel `{}` was compiled for work-groups of {wanted}, not of {given} work-items",
        readable(kernel)
    )]
    GroupSize {
        /// The kernel.
        kernel: String,
        /// The work-group size that the kernel was compiled for.
        wanted: String,
        /// The requested work-group size.
        given: String,
    },
    /// More LDS than a work-group can have.
    #[error(
        "kernel `{}` would use {bytes} bytes of LDS; a work-group has at most {most}",
        readable(kernel)
    )]
    Lds {
        /// The kernel.
        kernel: String,
        /// The LDS in all, static and dynamic.
        bytes: u64,
        /// The most that a work-group has on the chip.
        most: u32,
    },
    /// A wave alone with more LDS than a work-group can have.
    #[error("a work-group has at most {most} bytes of LDS, not {bytes}")]
    WaveLds {
        /// The LDS requested.
        bytes: u32,
        /// The most that a work-group has on the chip.
        most: u32,
    },
    /// Arguments that are to be in registers, at an address without memory.
    #[error(
        "kernel `{}` preloads {bytes} bytes of arguments from {address:#x}, where no memory of the GPU is; give it an argument block",
        readable(kernel)
    )]
    Preload {
        /// The kernel.
        kernel: String,
        /// The size of the preloaded arguments.
        bytes: usize,
        /// The address of the first one.
        address: u64,
    },
    /// A cooperative launch whose work-groups cannot all be resident at once.
    #[error(
        "kernel `{}` cannot be launched cooperatively with {groups} work-groups: {resident} of them are resident at once",
        readable(kernel)
    )]
    Cooperative {
        /// The kernel.
        kernel: String,
        /// The work-groups of the grid.
        groups: u64,
        /// The waves that the chip holds.
        resident: u32,
    },
    /// The trap handler is not code.
    #[error(
        "kernel `{}` cannot have a trap handler at {address:#x}: no code of its module is there; take the address of one of its symbols",
        readable(kernel)
    )]
    TrapHandler {
        /// The kernel.
        kernel: String,
        /// The address of the handler.
        address: u64,
    },
    /// The host has not enough memory.
    #[error("{bytes} bytes of device memory could not be allocated")]
    OutOfMemory {
        /// Bytes requested.
        bytes: u64,
    },
    /// A read or write beyond the end of a buffer.
    #[error("bytes {start} to {end} are outside the buffer of {len} bytes")]
    BufferRange {
        /// The first byte requested.
        start: u64,
        /// Past the last one.
        end: u64,
        /// The size of the buffer.
        len: u64,
    },
    /// The kernel stopped with a fault.
    #[error(transparent)]
    Fault(Box<KernelFault>),
    /// The kernel did not end in time.
    #[error(transparent)]
    Timeout(Box<Timeout>),
    /// A capture that could not be written or read.
    #[error("the capture {}: {problem}", plain(&path.display().to_string()))]
    Capture {
        /// The file.
        path: PathBuf,
        /// The reason, and the way out.
        problem: String,
    },
    /// A captured launch that cannot be repeated in this process.
    #[error("the launch cannot be repeated here: {0}; run it again in a new process")]
    Replay(String),
    /// A hook ended the launch.
    #[error("kernel `{}` was stopped by a hook", readable(kernel))]
    Stopped {
        /// The kernel, or the function that waves began with.
        kernel: String,
    },
    /// A launch that is traced and has hooks.
    #[error(
        "kernel `{}` cannot be traced and have hooks at once; leave out one of them",
        readable(kernel)
    )]
    TracedHooks {
        /// The kernel, or the function that waves begin with.
        kernel: String,
    },
}

/// An environment variable whose value is not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{variable}: {problem}")]
pub struct WrongSetting {
    /// The name of the variable.
    pub variable: &'static str,
    /// The error in its value, and the valid values.
    pub problem: String,
}

impl Error {
    /// Whether a kernel ran and failed, as opposed to a call or file that was wrong from the start.
    pub fn is_kernel_failure(&self) -> bool {
        matches!(
            self,
            Error::Fault(_) | Error::Timeout(_) | Error::Stopped { .. }
        )
    }

    /// Returns the findings of the checks in a kernel that failed, up to the failure.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Error::Fault(fault) => &fault.findings,
            Error::Timeout(timeout) => &timeout.findings,
            _ => &[],
        }
    }

    /// Returns the error with the findings up to the failure.
    pub(crate) fn with_findings(mut self, findings: Vec<Finding>) -> Error {
        match &mut self {
            Error::Fault(fault) => fault.findings = findings,
            Error::Timeout(timeout) => timeout.findings = findings,
            _ => {}
        }
        self
    }
}

/// The names of chips in a sentence.
pub(crate) fn names(chips: &[Chip]) -> String {
    let names: Vec<_> = chips.iter().map(|chip| chip.name()).collect();
    names.join(", ")
}

fn suggestion(similar: bool, kernels: &[String]) -> String {
    match (similar, kernels) {
        (_, []) => "; the file has no kernels".to_owned(),
        (false, kernels) => format!("; there are {}", some_of(kernels)),
        (true, [meant]) => format!("; did you mean `{}`?", readable(meant)),
        (true, [meant, others @ ..]) => {
            let (meant, others) = (readable(meant), some_of(others));
            format!("; did you mean `{meant}`? There are also {others}")
        }
    }
}

fn other_functions(similar: bool, functions: &[String]) -> String {
    match (similar, functions) {
        (_, []) => "; the file has none".to_owned(),
        (false, functions) => format!("; there are {}", some_of(functions)),
        (true, [meant, ..]) => format!("; did you mean `{}`?", readable(meant)),
    }
}

/// A fault, with its place and wave.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelFault {
    /// The kernel that was dispatched.
    pub kernel: String,
    /// The place of the instruction.
    pub place: Place,
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// The fault.
    pub fault: Fault,
    /// The allocation nearest to a faulting address, in words.
    pub nearest: Option<String>,
    /// For a stack overflow, the calls that led there, the innermost first, as far as they could be unwound.
    pub calls: Vec<Place>,
    /// The suggestion, if there is one.
    pub hint: Option<&'static str>,
    /// The schedule of the waves.
    pub schedule: Schedule,
    /// The findings of the requested checks up to then, with this fault among them.
    pub findings: Vec<Finding>,
}

impl std::error::Error for KernelFault {}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what_happened(f)?;
        f.write_str(&seed(self.schedule))
    }
}

/// Returns the seed that repeats a random schedule, as the end of a sentence.
fn seed(schedule: Schedule) -> String {
    match schedule {
        Schedule::Random(_) => format!("; the schedule was {schedule}"),
        Schedule::Fair | Schedule::Greedy => String::new(),
    }
}

impl KernelFault {
    /// Returns the place and wave of the fault, without the fault itself: the head of a [`finding`](Self::finding).
    pub fn whereabouts(&self) -> String {
        let [x, y, z] = self.group.id;
        let lane = match &self.fault {
            Fault::Memory(fault) => lane(fault),
            Fault::Unsupported { .. } | Fault::Trap { .. } => String::new(),
        };
        format!(
            "kernel `{}` faulted at {}: work-group ({x}, {y}, {z}), wave {}{lane}",
            readable(&self.kernel),
            self.place,
            self.wave
        )
    }

    /// Returns the place of the fault in a few words: the line of source, if it is known.
    pub fn brief(&self) -> String {
        let kernel = readable(&self.kernel);
        match (&self.fault, self.place.source.own()) {
            (Fault::Memory(_), Some(line)) => format!("kernel `{kernel}` faulted at {line}"),
            (Fault::Memory(_), None) => format!("kernel `{kernel}` faulted at {}", self.place),
            _ => self.to_string(),
        }
    }

    fn what_happened(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KernelFault {
            kernel,
            place,
            wave,
            ..
        } = self;
        let kernel = readable(kernel);
        let [x, y, z] = self.group.id;
        let wave = format!("work-group ({x}, {y}, {z}), wave {wave}");
        match &self.fault {
            Fault::Unsupported { what, .. } => {
                write!(f, "kernel `{kernel}` stopped at {place}: {what} ({wave})")
            }
            Fault::Trap { id, .. } => {
                let meaning = match id {
                    2 => " (abort, a failed assertion or a reached `unreachable`)",
                    3 => " (a debugger breakpoint)",
                    _ => "",
                };
                write!(
                    f,
                    "kernel `{kernel}` hit trap {id}{meaning} at {place} ({wave})"
                )
            }
            Fault::Memory(fault) => {
                write!(
                    f,
                    "kernel `{kernel}` faulted at {place}: {wave}{}: {}",
                    lane(fault),
                    attempt(fault)
                )?;
                if let Some(nearest) = &self.nearest {
                    write!(f, "; {nearest}")?;
                }
                if !self.calls.is_empty() {
                    write!(f, "; called by {}", chain(&self.calls))?;
                }
                match self.hint {
                    Some(hint) => write!(f, "; {hint}"),
                    None => Ok(()),
                }
            }
        }
    }
}

fn lane(fault: &MemoryFault) -> String {
    let lane = fault.lane.map(|lane| format!(", lane {lane}"));
    lane.unwrap_or_default()
}

/// Describes a refused access: the attempt, and the reason for its refusal.
pub(crate) fn attempt(fault: &MemoryFault) -> String {
    let size = bytes(fault.bytes.into());
    let what = format!("{} of {size}", access_of(fault.kind));
    let at = |why: &str| format!("{what} at {:#x}, which {why}", fault.address);
    match fault.reason {
        MemoryFaultReason::Unmapped => at("is outside every allocation"),
        MemoryFaultReason::Freed => at("has been freed"),
        MemoryFaultReason::ReadOnly => at("the kernel may only read"),
        MemoryFaultReason::Misaligned { align } => at(&format!("is not a multiple of {align}")),
        MemoryFaultReason::OutsideScratch => at("is outside the scratch of a work-item"),
        MemoryFaultReason::StackOverflow {
            offset,
            stack_bytes,
        } => format!(
            "stack overflow: {what} at offset {offset} of the work-item's stack, which has {stack_bytes} bytes"
        ),
        MemoryFaultReason::OutsideLds { offset, lds_bytes } => {
            format!("{what} at offset {offset} of an LDS of {lds_bytes} bytes")
        }
        MemoryFaultReason::Surface(surface) => format!("{what} at {surface}"),
    }
}

/// Describes the kind of an access.
pub(crate) fn access_of(kind: MemKind) -> &'static str {
    match kind {
        MemKind::Load => "a load",
        MemKind::Store => "a store",
        MemKind::Atomic(_) => "an atomic operation",
    }
}

/// The maximum number of listed functions of a call chain.
const LISTED_CALLERS: usize = 8;

/// The functions that calls are in: `f (1021 times), g, kernel`.
pub(crate) fn chain(calls: &[Place]) -> String {
    let function = |place: &Place| match &place.symbol {
        Some((name, _)) => readable(name),
        None => format!("{:#x}", place.pc),
    };
    let functions: Vec<String> = calls.iter().map(function).collect();
    let same: Vec<_> = functions.chunk_by(|a, b| a == b).collect();
    let shown = |run: &&[String]| match run {
        [name] => name.clone(),
        run => format!("{} ({} times)", run[0], run.len()),
    };
    let mut listed: Vec<_> = same.iter().map(shown).collect();
    if listed.len() > LISTED_CALLERS {
        // The outermost calls explain as much as the innermost.
        let left_out = LISTED_CALLERS - 1..listed.len() - 1;
        let more = format!("{} more", left_out.len());
        listed.splice(left_out, [more]);
    }
    listed.join(", ")
}

/// The position of an address relative to an allocation, in words.
pub(crate) fn nearness(name: &str, start: u64, len: u64, address: u64) -> String {
    let what = allocation(name, start, len);
    let after = start.saturating_sub(address);
    let past = address.saturating_sub(start.saturating_add(len));
    if after.max(past) > FAR.max(len) {
        // A wild pointer is near to nothing.
        return "no allocation is near".to_owned();
    }
    match (after, past) {
        (0, 0) if address < start + len => format!("it is {} into {what}", bytes(address - start)),
        (0, 0) => format!("the nearest allocation is {what}, which ends directly before it"),
        (0, past) => {
            let past = bytes(past);
            format!("the nearest allocation is {what}, which ends {past} before it")
        }
        (after, _) => {
            let after = bytes(after);
            format!("the nearest allocation is {what}, which starts {after} after it")
        }
    }
}

/// An allocation in words: its name, size and address.
pub(crate) fn allocation(name: &str, start: u64, len: u64) -> String {
    format!("{name} ({} at {start:#x})", bytes(len))
}

/// The distance from which an allocation that is smaller has nothing to do with an access, in bytes.
const FAR: u64 = 16 << 20;

fn bytes(count: u64) -> String {
    match count {
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

/// A kernel that did not end in time, with the places where its waves were.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeout {
    /// The kernel.
    pub kernel: String,
    /// Work-groups that had ended.
    pub groups_done: u64,
    /// Work-groups in all.
    pub groups: u64,
    /// The waves that had started, by work-group and wave.
    pub waves: Vec<(HungWave, Place)>,
    /// The schedule of the waves.
    pub schedule: Schedule,
    /// The findings of the requested checks up to then.
    pub findings: Vec<Finding>,
}

impl std::error::Error for Timeout {}

/// The maximum number of listed waves of a report.
const LISTED_WAVES: usize = 32;

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Timeout {
            kernel,
            groups_done,
            groups,
            waves,
            schedule,
            ..
        } = self;
        write!(
            f,
            "kernel `{}` did not end in time: {groups_done} of {groups} work-groups had ended, {} had not{}",
            readable(kernel),
            match waves.len() {
                1 => "1 wave".to_owned(),
                n => format!("{n} waves"),
            },
            seed(*schedule)
        )?;
        for (wave, place) in waves.iter().take(LISTED_WAVES) {
            let [x, y, z] = wave.group.id;
            let state = match wave.state {
                WaveState::Barrier => "waits at the barrier",
                WaveState::GlobalSync(_) => "waits for other work-groups at",
                WaveState::Ready | WaveState::Ended => "runs at",
            };
            write!(
                f,
                "\n  work-group ({x}, {y}, {z}), wave {} {state} {place}",
                wave.wave
            )?;
        }
        match waves.len().checked_sub(LISTED_WAVES) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, "\n  and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_machine::Grid;
    use wavetank_object::Source;

    fn place() -> Place {
        Place {
            pc: 0x1034,
            symbol: Some(("vecadd".to_owned(), 0x34)),
            instruction: Some("s_endpgm".to_owned()),
            source: Source::default(),
        }
    }

    #[test]
    fn faults_are_sentences() {
        let fault = Fault::Memory(Box::new(MemoryFault {
            pc: 0x1034,
            kind: MemKind::Store,
            lane: Some(17),
            lanes: 1 << 17,
            address: 0x5010,
            bytes: 4,
            reason: MemoryFaultReason::Unmapped,
            nearest: None,
            calls: Box::default(),
        }));
        let error = KernelFault {
            kernel: "vecadd".to_owned(),
            place: place(),
            group: Grid::new([256, 1, 1], [64, 1, 1]).unwrap().group(2),
            wave: 1,
            fault,
            nearest: Some(nearness("buffer `c`", 0x4000, 0x1000, 0x5010)),
            calls: Vec::new(),
            hint: None,
            schedule: Schedule::Fair,
            findings: Vec::new(),
        };
        assert_eq!(
            error.to_string(),
            "kernel `vecadd` faulted at `s_endpgm` (vecadd+0x34, pc 0x1034): work-group (2, 0, 0), wave 1, lane 17: a \
             store of 4 bytes at 0x5010, which is outside every allocation; the nearest allocation is buffer `c` (4096 \
             bytes at 0x4000), which ends 16 bytes before it"
        );
        let random = KernelFault {
            schedule: Schedule::Random(7),
            ..error.clone()
        };
        assert_eq!(
            random.to_string(),
            format!("{error}; the schedule was random:7")
        );
    }

    #[test]
    fn a_stack_overflow_names_depth_size_and_calls() {
        let fault = Fault::Memory(Box::new(MemoryFault {
            pc: 0x1034,
            kind: MemKind::Store,
            lane: Some(0),
            lanes: 1,
            address: 0x2_0000_0000_4180,
            bytes: 4,
            reason: MemoryFaultReason::StackOverflow {
                offset: 16768,
                stack_bytes: 16768,
            },
            nearest: None,
            calls: Box::default(),
        }));
        let call = |name: &str| Place {
            symbol: Some((name.to_owned(), 0x34)),
            ..place()
        };
        let error = KernelFault {
            kernel: "two".to_owned(),
            place: call("rec"),
            group: Grid::new([64, 1, 1], [64, 1, 1]).unwrap().group(0),
            wave: 0,
            fault,
            nearest: None,
            calls: [call("rec"), call("rec"), call("two")].into(),
            hint: Some("ask for more"),
            schedule: Schedule::Fair,
            findings: Vec::new(),
        };
        assert_eq!(
            error.to_string(),
            "kernel `two` faulted at `s_endpgm` (rec+0x34, pc 0x1034): work-group (0, 0, 0), wave 0, lane 0: stack overflow: \
             a store of 4 bytes at offset 16768 of the work-item's stack, which has 16768 bytes; called by rec (2 times), \
             two; ask for more"
        );
    }

    #[test]
    fn long_call_chains_are_cut_in_the_middle() {
        let calls: Vec<_> = (0..20)
            .map(|n| Place {
                symbol: (n > 0).then(|| (format!("f{n}"), 0)),
                ..place()
            })
            .collect();
        assert_eq!(
            chain(&calls),
            "0x1034, f1, f2, f3, f4, f5, f6, 12 more, f19"
        );
    }

    #[test]
    fn distances_are_from_the_edge() {
        assert!(nearness("b", 0x100, 0x10, 0xff).ends_with("which starts 1 byte after it"));
        assert!(nearness("b", 0x100, 0x10, 0x110).ends_with("which ends directly before it"));
        assert!(nearness("b", 0x100, 0x10, 0x112).ends_with("which ends 2 bytes before it"));
        assert!(nearness("b", 0x100, 0x10, 0x10f).starts_with("it is 15 bytes into b"));
        assert_eq!(nearness("b", 0x100, 0x10, 1 << 40), "no allocation is near");
        assert!(nearness("b", 0x100, 1 << 41, 3 << 40).contains("the nearest allocation is b"));
    }

    #[test]
    fn a_misspelt_kernel_gets_a_suggestion() {
        let error = Error::UnknownKernel {
            name: "vecad".to_owned(),
            similar: true,
            kernels: vec!["vecadd".to_owned(), "vecsub".to_owned()],
        };
        assert_eq!(
            error.to_string(),
            "there is no kernel `vecad` here; did you mean `vecadd`? There are also vecsub"
        );
    }

    #[test]
    fn a_timeout_names_the_barrier() {
        let grid = Grid::new([128, 1, 1], [128, 1, 1]).unwrap();
        let wave = |wave, state| {
            (
                HungWave {
                    group: grid.group(0),
                    wave,
                    pc: 0x1034,
                    state,
                },
                place(),
            )
        };
        let error = Timeout {
            kernel: "k".to_owned(),
            groups_done: 0,
            groups: 1,
            waves: vec![wave(0, WaveState::Barrier), wave(1, WaveState::Ready)],
            schedule: Schedule::Random(7),
            findings: Vec::new(),
        };
        let text = error.to_string();
        assert!(
            text.contains(
                "0 of 1 work-groups had ended, 2 waves had not; the schedule was random:7\n"
            ),
            "{text}"
        );
        assert!(
            text.contains("wave 0 waits at the barrier `s_endpgm`"),
            "{text}"
        );
        assert!(
            text.contains("wave 1 runs at `s_endpgm` (vecadd+0x34"),
            "{text}"
        );
    }
}
