//! The program as a child of this command: it gets the signals that the command gets, and the command ends as it does.
//!
//! Both stay in one process group, so that the terminal is the program's as much as the command's: what is typed there
//! (Ctrl-C, Ctrl-Z) reaches the program by itself, and only what somebody sends to the command has to be handed on. The
//! command takes signals from a descriptor: none of them interrupts it, and the program finds no handler of ours.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, raise, sigaction};
use nix::sys::signalfd::SignalFd;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Code(i32),
    Signal(Signal),
}

/// Signals that a process gets for what it does itself; nobody hands them on.
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

/// Runs a program to its end.
///
/// # Errors
/// Those of starting it.
pub fn run(command: &mut Command) -> io::Result<End> {
    let taken: SigSet = Signal::iterator().filter(|s| !OWN.contains(s)).collect();
    let before = taken.thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_BLOCK)?;
    let signals = SignalFd::new(&taken)?;
    let parent = Pid::this();
    // SAFETY: the calls are safe between fork and exec: each is one call of the system, and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            // Who kills the command outright wants the program to go, too.
            set_pdeathsig(Signal::SIGKILL)?;
            if getppid() != parent {
                return Err(Errno::ESRCH.into());
            }
            before.thread_set_mask().map_err(io::Error::from)
        })
    };
    let child = Pid::from_raw(command.spawn()?.id().cast_signed());
    loop {
        let Some(signal) = signals.read_signal()? else {
            continue;
        };
        match Signal::try_from(signal.ssi_signo.cast_signed())? {
            Signal::SIGCHLD => {
                if let Some(end) = ended(child)? {
                    return Ok(end);
                }
            }
            // The terminal sends its signals to the whole group.
            _ if signal.ssi_code == libc::SI_KERNEL => {}
            // It may have gone just now.
            signal => drop(kill(child, signal)),
        }
    }
}

/// How the child ended, if it has. When it stopped for the sake of the terminal, so does this process, and the shell goes
/// on; `fg` continues both.
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
    /// Ends this process in the same way.
    pub fn repeat(self) -> ExitCode {
        match self {
            End::Code(code) => ExitCode::from(code as u8),
            End::Signal(signal) => {
                // It comes back only if the signal did not end the process; then its number does, as in shells.
                let _ = die(signal);
                ExitCode::from(128 + signal as u8)
            }
        }
    }
}

/// Ends this process by a signal.
fn die(signal: Signal) -> nix::Result<()> {
    // The program's core is the one to look at.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    if signal != Signal::SIGKILL {
        // SAFETY: the default action has no handler that could be wrong.
        unsafe { sigaction(signal, &default)? };
    }
    raise(signal)?;
    SigSet::from(signal).thread_unblock()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_told() {
        let end = |script: &str| run(Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!(end("exit 7"), End::Code(7));
        assert_eq!(end("kill -TERM $$"), End::Signal(Signal::SIGTERM));
        assert_eq!(end("kill -KILL $$"), End::Signal(Signal::SIGKILL));
        assert!(run(&mut Command::new("/nowhere/at/all")).is_err());
    }
}
