//! The program as a child of this command: signals are forwarded to it, and the command ends as the program does.
//!
//! Both stay in one process group, so that the terminal belongs to the program as much as to the command. Keys (Ctrl-C, Ctrl-Z)
//! reach the program directly; only signals sent to the command alone are forwarded. The command reads signals from a descriptor:
//! none of them interrupts it, and the program inherits no signal handlers.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, kill, raise, sigaction,
};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{Pid, getppid};

use super::tee::Tee;

/// The end of a program: its exit code, or the signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Code(i32),
    Signal(Signal),
}

/// A program that has ended.
pub(super) struct Ended {
    pub end: End,
    pub process: u32,
    pub timed_out: bool,
    pub time: Duration,
}

/// Signals that a process causes itself, which are not forwarded.
const OWN: [Signal; 8] = [
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGFPE,
    Signal::SIGILL,
    Signal::SIGTRAP,
    Signal::SIGABRT,
    Signal::SIGSYS,
    Signal::SIGPIPE,
];

/// The time for a program to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

/// Runs a program to its end, or until a time limit. At the limit it gets SIGTERM, and SIGKILL if it does not end within five
/// seconds. Its stderr is forwarded if it is a pipe of this command.
///
/// # Errors
/// Errors of starting the program.
pub(super) fn run(
    command: &mut Command,
    limit: Option<Duration>,
    mut tee: Option<&mut Tee>,
) -> io::Result<Ended> {
    let taken: SigSet = Signal::iterator().filter(|s| !OWN.contains(s)).collect();
    let mask = taken.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let signals = SignalFd::with_flags(&taken, SfdFlags::SFD_CLOEXEC)?;
    // With SIGCHLD ignored, the end of a child would be lost.
    // SAFETY: the default action has no handler that could be wrong.
    let action = unsafe { sigaction(Signal::SIGCHLD, &default_action())? };
    let parent = Pid::this();
    // SAFETY: between fork and exec each is one call of the system, and allocates nothing; the action was one of this
    // process before it had handlers.
    unsafe {
        command.pre_exec(move || {
            // SIGKILL to the command ends the program, too.
            set_pdeathsig(Signal::SIGKILL)?;
            if getppid() != parent {
                return Err(Errno::ESRCH.into());
            }
            sigaction(Signal::SIGCHLD, &action)?;
            mask.thread_set_mask().map_err(io::Error::from)
        })
    };
    let start = Instant::now();
    let child = Pid::from_raw(command.spawn()?.id().cast_signed());
    let mut due = limit.and_then(|limit| Instant::now().checked_add(limit));
    let mut asked = false;
    loop {
        if !wait(&signals, tee.as_deref_mut(), due)? {
            // The program may have ended just now.
            let _ = kill(
                child,
                if asked {
                    Signal::SIGKILL
                } else {
                    Signal::SIGTERM
                },
            );
            due = (!asked).then(|| Instant::now() + GRACE);
            asked = true;
            continue;
        }
        let Some(signal) = signals.read_signal()? else {
            continue;
        };
        match Signal::try_from(signal.ssi_signo.cast_signed())? {
            Signal::SIGCHLD => {
                if let Some(end) = ended(child)? {
                    if let Some(tee) = tee {
                        tee.hand_on();
                    }
                    return Ok(Ended {
                        end,
                        process: child.as_raw().cast_unsigned(),
                        timed_out: asked,
                        time: start.elapsed(),
                    });
                }
            }
            // The terminal sends its signals to the whole group.
            _ if signal.ssi_code == libc::SI_KERNEL => {}
            // The program may have ended just now.
            signal => drop(kill(child, signal)),
        }
    }
}

/// Waits for a signal or a point of time, and forwards the program's stderr meanwhile; returns whether there is a signal.
fn wait(signals: &SignalFd, mut tee: Option<&mut Tee>, due: Option<Instant>) -> io::Result<bool> {
    loop {
        let mut events = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        events.extend(
            tee.as_deref()
                .map(|tee| PollFd::new(tee.as_fd(), PollFlags::POLLIN)),
        );
        let ready = poll(&mut events, left(due));
        let is_ready = |event: &PollFd| event.any().unwrap_or(false);
        let (signal, said) = (is_ready(&events[0]), events.get(1).is_some_and(is_ready));
        match ready {
            Err(Errno::EINTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        if let Some(tee) = tee.as_deref_mut().filter(|_| said) {
            tee.hand_on();
        }
        if signal {
            return Ok(true);
        }
        if due.is_some_and(|due| due <= Instant::now()) {
            return Ok(false);
        }
    }
}

/// Returns the time until a point of time, rounded up, so that the point has passed after waiting.
fn left(due: Option<Instant>) -> PollTimeout {
    let Some(due) = due else {
        return PollTimeout::NONE;
    };
    let left = due.saturating_duration_since(Instant::now());
    PollTimeout::try_from(left.as_micros().div_ceil(1000)).unwrap_or(PollTimeout::MAX)
}

/// Returns how the child ended, if it has. If it was stopped for the terminal, this process stops, too, so that the shell
/// continues; `fg` continues both.
fn ended(child: Pid) -> io::Result<Option<End>> {
    let how = WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED;
    match waitpid(child, Some(how))? {
        WaitStatus::Exited(_, code) => Ok(Some(End::Code(code))),
        WaitStatus::Signaled(_, signal, _) => Ok(Some(End::Signal(signal))),
        WaitStatus::Stopped(_, Signal::SIGTSTP | Signal::SIGTTIN | Signal::SIGTTOU) => {
            raise(Signal::SIGSTOP)?;
            Ok(None)
        }
        _ => Ok(None),
    }
}

impl End {
    /// Returns the exit code, if the program had one.
    pub(super) fn code(self) -> Option<i32> {
        match self {
            End::Code(code) => Some(code),
            End::Signal(_) => None,
        }
    }

    /// Returns the name of the signal that ended the program, if one did.
    pub(super) fn signal(self) -> Option<&'static str> {
        match self {
            End::Code(_) => None,
            End::Signal(signal) => Some(signal.as_str()),
        }
    }

    /// Whether the program ended as one that is asked to.
    pub(super) fn is_termination(self) -> bool {
        self == End::Signal(Signal::SIGTERM)
    }

    /// Whether the program ended by a signal that it caused itself, such as a failed assertion.
    pub(crate) fn is_crash(self) -> bool {
        matches!(self, End::Signal(signal) if signal != Signal::SIGPIPE && OWN.contains(&signal))
    }

    /// Ends this process in the same way.
    pub(crate) fn repeat(self) -> ExitCode {
        match self {
            End::Code(code) => ExitCode::from(code as u8),
            End::Signal(signal) => {
                // Reached only if the signal did not end the process; then its number is used, as in shells.
                let _ = die(signal);
                ExitCode::from(128 + signal as u8)
            }
        }
    }
}

/// Returns the time at this distance from now, in nanoseconds of the clock that the library reads.
pub(crate) fn deadline(time: Duration) -> Option<u128> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).ok()?;
    let at = Duration::from(now).checked_add(time)?;
    Some(at.as_nanos())
}

/// Ends this process by a signal.
fn die(signal: Signal) -> nix::Result<()> {
    // The program's core dump is the relevant one.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    if signal != Signal::SIGKILL {
        // SAFETY: the default action has no handler that could be wrong.
        unsafe { sigaction(signal, &default_action())? };
    }
    raise(signal)?;
    SigSet::from(signal).thread_unblock()
}

fn default_action() -> SigAction {
    SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty())
}
