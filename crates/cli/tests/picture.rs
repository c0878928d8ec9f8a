//! The picture of a finding, `docs/check.svg`: a terminal in which README.md's first program is built and checked.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::documents::root;
use crate::programs::{build_library, hip_is_here};
use crate::sessions::workplace;

const PICTURE: &str = "docs/check.svg";

/// The commands in the picture.
const SESSION: [&str; 2] = [
    "hipcc --offload-arch=gfx900 -g -O2 examples/sum.hip -o sum",
    "wavetank check -- ./sum",
];

/// What a terminal with colours shows after the command.
fn typed(command: &str, folder: &Path) -> String {
    let own = Path::new(env!("CARGO_BIN_EXE_wavetank"));
    let own = own.parent().expect("the command is in a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let out = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", format!("{own}:{path}"))
        .env("HOME", folder)
        .env("CLICOLOR_FORCE", "1")
        .stdin(Stdio::null())
        .output()
        .expect("Bash starts");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    let text = text.replace(&format!("{}/", folder.display()), "");
    format!("\x1b[32m$\x1b[0m {command}\n{text}")
}

#[test]
#[ignore = "builds and runs programs, with compilers that must be installed"]
fn the_picture_is_the_terminal() {
    if !hip_is_here() {
        return;
    }
    build_library();
    let folder = workplace("picture").canonicalize().expect("it is there");
    let screen: String = SESSION.iter().map(|line| typed(line, &folder)).collect();
    assert!(
        screen.contains("data race") && screen.contains("1 finding"),
        "{screen}"
    );
    let picture = anstyle_svg::Term::new().render_svg(&screen);
    if fs::read_to_string(root().join(PICTURE)).ok().as_deref() != Some(&picture) {
        let new = folder.join("check.svg");
        fs::write(&new, picture).expect("the folder is there");
        panic!(
            "{PICTURE} is not the terminal of today: look at {} and copy it there",
            new.display()
        );
    }
}
