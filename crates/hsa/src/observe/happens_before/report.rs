//! The findings of races with the host, and between kernels of different queues.

use wavetank::Tool;
use wavetank::check::{Finding, Mark, Meeting, Stack};

use super::jobs::{Found, Other};
use crate::observe::backtrace::Backtrace;
use crate::observe::checks;
use crate::state::runtime;

/// Reports a race to the checks.
pub(super) fn report(found: &Found) {
    let finding = match &found.other {
        Other::Copy {
            call,
            backtrace,
            writes,
        } => with_copy(found, call, backtrace.as_ref(), *writes),
        Other::Kernel(..) => with_kernel(found),
    };
    checks::report(&found.kernel, std::slice::from_ref(&finding));
}

/// The finding for a kernel and a copy or a fill of the host.
fn with_copy(found: &Found, call: &str, backtrace: Option<&Backtrace>, writes: bool) -> Finding {
    let is_fill = call.contains("fill");
    let what = if is_fill { "fill" } else { "copy" };
    let done = if writes { "writes" } else { "reads" };
    let message = format!(
        "data race: {}, unordered with the {what} of the host that {done} them",
        what_is_done(found)
    );
    let host = [
        stack("the kernel was launched here", found.backtrace.as_ref()),
        stack(&format!("the {what} was requested here"), backtrace),
    ];
    Finding {
        notes: vec![
            "neither happens before the other: no queue and no signal orders them, and the host has not waited between them".to_owned(),
        ],
        help: Some(format!(
            "put both on one stream, or let the later one wait: an event, or a synchronization before the {what}"
        )),
        host: host.into_iter().flatten().collect(),
        ..plain(found, "host-copy", message)
    }
}

/// The finding for two kernels of the program.
fn with_kernel(found: &Found) -> Finding {
    let Other::Kernel(kernel, backtrace, other) = &found.other else {
        return plain(found, "kernels", String::new());
    };
    let message = format!(
        "data race: {}, unordered with the {} of another launch",
        what_is_done(found),
        other.noun
    );
    let label = format!("the {} of {}, of the other launch", other.noun, other.actor);
    let same = kernel.module().place(other.pc) == found.kernel.module().place(other.pc);
    let there = kernel.module().place(other.pc);
    let mut notes = vec![
        "the launches are on different queues, and neither happens before the other".to_owned(),
    ];
    let mut related = Vec::new();
    if same {
        related.push(Mark::at(other.pc, label).by(other.items));
    } else {
        notes.push(format!("{label}: {there}"));
    }
    let host = [
        stack("the other kernel was launched here", backtrace.as_ref()),
        stack("the kernel was launched here", found.backtrace.as_ref()),
    ];
    Finding {
        related,
        notes,
        host: host.into_iter().flatten().collect(),
        help: Some(
            "launch both on one stream, or let the later one wait for an event of the earlier"
                .to_owned(),
        ),
        ..plain(found, "kernels", message)
    }
}

fn plain(found: &Found, rule: &'static str, message: String) -> Finding {
    let meeting = &found.meeting;
    Finding {
        tool: Tool::Race,
        rule,
        kernel: found.kernel.name().to_owned(),
        message,
        at: Mark::at(
            meeting.pc,
            format!("the {} of {}", meeting.noun, meeting.actor),
        )
        .by(meeting.items),
        related: Vec::new(),
        host: Vec::new(),
        notes: Vec::new(),
        help: None,
        address: None,
        also: Vec::new(),
        times: 1,
    }
}

fn stack(label: &str, backtrace: Option<&Backtrace>) -> Option<Stack> {
    let frames = backtrace?.symbolize().frames;
    let label = label.to_owned();
    Some(Stack { label, frames })
}

/// The access of the kernel, and the allocation that contains the bytes.
fn what_is_done(found: &Found) -> String {
    let Meeting {
        bytes,
        noun,
        done,
        actor,
        ..
    } = &found.meeting;
    let by = if *noun == "atomic" { "of" } else { "by" };
    let registry = runtime().ok().map(|r| r.registry());
    let there = registry.and_then(|registry| registry.find(bytes.start));
    let which = match there {
        Some(there) => {
            let [start, end] = [bytes.start, bytes.end].map(|at| at - there.address);
            format!("bytes {start:#x}..{end:#x} of {}", there.name)
        }
        None => format!("global memory bytes {:#x}..{:#x}", bytes.start, bytes.end),
    };
    format!("{which} are {done} {by} {actor}")
}
