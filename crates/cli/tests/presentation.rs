//! How text looks: on terminals it fits, has colours and pages; elsewhere it is plain. And what shells and manuals get.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use nix::pty::{Winsize, openpty};
use nix::sys::termios::{OutputFlags, SetArg, tcgetattr, tcsetattr};

use crate::common::{VECADD, directory, outcome, wavetank, wavetank_in};

const COLUMNS: u16 = 80;

/// What the command writes to a terminal of 80 columns, with a pager.
fn on_terminal(words: &str, pager: &str, variables: &[(&str, &str)]) -> String {
    let size = Winsize {
        ws_row: 24,
        ws_col: COLUMNS,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let ends = openpty(&size, None).expect("there are terminals");
    // Line ends stay as they are.
    let mut settings = tcgetattr(&ends.slave).unwrap();
    settings.output_flags.remove(OutputFlags::OPOST);
    tcsetattr(&ends.slave, SetArg::TCSANOW, &settings).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.args(words.split_whitespace()).stdin(Stdio::null());
    command
        .stdout(ends.slave)
        .env("TERM", "xterm")
        .env("PAGER", pager);
    command
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied());
    let mut child = command.spawn().expect("the command starts");
    // It has the other end open.
    drop(command);
    let mut text = Vec::new();
    // A terminal that nobody has open any more is an error to read.
    let _ = File::from(ends.master).read_to_end(&mut text);
    assert!(child.wait().unwrap().success());
    String::from_utf8(text).expect("output is UTF-8")
}

#[test]
fn tables_fit_the_terminal() {
    for words in ["isa", "isa --coverage", &format!("info {VECADD}")] {
        let text = on_terminal(words, "cat", &[("NO_COLOR", "1")]);
        // A terminal breaks sentences by itself.
        let mut lines = text.lines().filter(|line| !line.ends_with('.'));
        let long = lines.find(|line| line.chars().count() > COLUMNS.into());
        assert_eq!(long, None, "{words}");
        assert!(!text.contains('\x1b'), "{words}");
    }
    let text = on_terminal("isa --coverage", "cat", &[]);
    assert!(text.contains("left out, since they do not fit: reason"));
    let plain = wavetank("isa --coverage").success();
    assert!(plain.lines().next().unwrap().ends_with("reason"));
    assert!(!plain.contains("left out, since"));
}

#[test]
fn pages_are_for_terminals() {
    let marked = |words: &str| on_terminal(words, "sed s/^/page:/", &[]);
    for words in ["isa s_nop", "agents", "explain s_nop"] {
        let text = marked(words);
        assert!(text.lines().all(|line| line.starts_with("page:")), "{text}");
    }
    assert!(!marked("isa s_nop --no-pager").contains("page:"));
    assert!(!marked("completions bash").contains("page:"));
    // One that is not there is none.
    assert!(on_terminal("isa s_nop", "no-such-pager", &[]).contains("s_nop"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command
        .args(["isa", "s_nop"])
        .env("PAGER", "sed s/^/page:/");
    assert!(!outcome(&mut command).success().contains("page:"));
}

#[test]
fn listings_have_colours_on_terminals() {
    let words = format!("dis {VECADD}");
    let text = on_terminal(&words, "", &[]);
    assert!(text.contains("\x1b[36ms_load_dword"), "{text}");
    let plain = wavetank(&words).success();
    assert_eq!(anstream::adapter::strip_str(&text).to_string(), plain);
    assert!(!plain.contains('\x1b'));
}

#[test]
fn completions_name_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = wavetank(&format!("completions {shell}")).success();
        for word in ["wavetank", "launch", "stats", "no-pager"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

/// What each shell makes of its script, from a folder as installations have it.
#[test]
fn shells_complete_commands() {
    let folder = directory("completions");
    let asks = [
        (
            "bash",
            "bash",
            "source ./bash; COMP_WORDS=(wavetank la); COMP_CWORD=1; _wavetank wavetank la wavetank; echo \"${COMPREPLY[@]}\"",
            "launch\n",
        ),
        (
            "zsh",
            "_wavetank",
            "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; autoload +X _wavetank; echo $_comps[wavetank]",
            "_wavetank\n",
        ),
        (
            "fish",
            "wavetank.fish",
            "source wavetank.fish; complete -C 'wavetank la' | string split -f 1 \\t",
            "launch\n",
        ),
    ];
    for (shell, file, question, answer) in asks {
        let script = wavetank(&format!("completions {shell}")).success();
        std::fs::write(folder.join(file), script).expect("the folder can be written");
        let mut command = Command::new(shell);
        command.current_dir(&folder).env("HOME", &folder);
        // The user's own settings are none of the test's.
        match shell {
            "zsh" => command.arg("-f"),
            "fish" => command.arg("--no-config"),
            _ => command.arg("--norc"),
        };
        command.args(["-c", question]).stdin(Stdio::null());
        match command.output() {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                assert_eq!(said, answer, "{shell}: {output:?}");
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("SKIP the completions of {shell}: it is absent");
            }
            Err(error) => panic!("{shell}: {error}"),
        }
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let dir = directory("manual");
    wavetank_in(&dir, "man pages").success();
    let page = |name: &str| std::fs::read_to_string(dir.join("pages").join(name)).unwrap();
    assert!(page("wavetank.1").contains(".TH wavetank 1"));
    let run = page("wavetank-run.1");
    assert!(
        run.contains(".TH wavetank-run 1") && run.contains("\\-\\-timeout"),
        "{run}"
    );
    assert!(run.contains("\n\\&  wavetank run \\-\\-gpu gfx906:8G \\-\\-stats ./sgemm 512\n"));
    for command in [
        "demo",
        "info",
        "launch",
        "exec",
        "asm",
        "dis",
        "explain",
        "isa",
        "completions",
    ] {
        assert!(page(&format!("wavetank-{command}.1")).contains(".SH OPTIONS"));
    }
}
