//! How `wavetank run` stands between a program and whoever started it.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::execution::build_library;

/// A shell script that runs as the program.
fn script(text: &str) -> Command {
    build_library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.args(["run", "--", "sh", "-c", text]);
    command.stdout(Stdio::piped());
    // Whoever runs the tests in the background ignores these, and a shell cannot trap what is ignored from the start.
    // SAFETY: each is one call of the system, and the default action has no handler that could be wrong.
    unsafe {
        command.pre_exec(|| {
            signal(Signal::SIGINT, SigHandler::SigDfl)?;
            signal(Signal::SIGHUP, SigHandler::SigDfl)?;
            Ok(())
        })
    };
    command
}

/// Starts it, and waits for its first line.
fn begun(text: &str) -> (Child, impl Read) {
    let mut child = script(text).spawn().expect("the command starts");
    let mut out = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("the program writes a line");
    assert_eq!(line, "begun\n");
    (child, out)
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

/// A program that a signal ends cannot tell the seed itself.
#[test]
#[ignore = "builds the optimized library first"]
fn the_seed_is_told_whatever_ends_the_program() {
    let told = |value: &str| {
        let mut command = script("kill -SEGV $$");
        command.env("WAVETANK_SCHEDULE", value);
        let out = command.output().expect("the command starts");
        String::from_utf8(out.stderr).expect("it writes text")
    };
    assert!(told("random:5").ends_with("the schedule was random:5\n"));
    assert!(told("random").contains("the schedule was random:"));
    assert!(!told("fair").contains("the schedule was"));
}

#[test]
#[ignore = "builds the optimized library first"]
fn the_command_ends_as_the_program_does() {
    let status = |text: &str| script(text).status().expect("the command starts");
    assert_eq!(status("exit 0").code(), Some(0));
    assert_eq!(status("exit 137").code(), Some(137));
    for end in [
        Signal::SIGTERM,
        Signal::SIGKILL,
        Signal::SIGSEGV,
        Signal::SIGPIPE,
    ] {
        let ended = status(&format!("kill -{} $$", end as i32));
        assert_eq!(ended.signal(), Some(end as i32), "{end}");
    }
}

#[test]
#[ignore = "builds the optimized library first"]
fn signals_reach_the_program() {
    for sent in [
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
        Signal::SIGUSR1,
    ] {
        let name = &sent.as_str()[3..];
        let text = format!("trap 'exit 5' {name}; echo begun; while :; do sleep 0.01; done");
        let (mut child, _out) = begun(&text);
        kill(pid(&child), sent).expect("the command runs");
        assert_eq!(child.wait().expect("it ends").code(), Some(5), "{sent}");
    }
}

#[test]
#[ignore = "builds the optimized library first"]
fn the_program_goes_with_the_command() {
    let (mut child, mut out) = begun("echo begun; exec sleep 1000");
    child.kill().expect("the command runs");
    child.wait().expect("it ends");
    // The pipe ends when nobody has it open.
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).expect("a pipe can be read");
}

#[test]
#[ignore = "builds the optimized library first"]
fn a_program_that_stops_hands_the_terminal_back() {
    // In a group of its own, as shells start it.
    let child = script("kill -TSTP $$; exit 3").process_group(0).spawn();
    let child = pid(&child.expect("the command starts"));
    let stopped = waitpid(child, Some(WaitPidFlag::WUNTRACED));
    assert_eq!(stopped, Ok(WaitStatus::Stopped(child, Signal::SIGSTOP)));
    kill(child, Signal::SIGCONT).expect("the command is there");
    assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 3)));
}
