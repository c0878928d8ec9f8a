//! What the tests share: the built library, compilers, and calls that must succeed.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use wavetank_c::{wavetank_last_error, wavetank_status};

/// The folder of the crate.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A library as cargo built it with these tests: beside them.
pub(crate) fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    test.with_file_name(name)
}

/// Whether a tool is there. Where it is absent, a line says which test is skipped.
pub(crate) fn has(tool: &str, test: &str) -> bool {
    let version = Command::new(tool).arg("--version").output();
    let here = version.is_ok() || Command::new(tool).arg("-v").output().is_ok();
    if !here {
        eprintln!("SKIP {test}: {tool} is absent");
        assert!(
            std::env::var_os("CI").is_none(),
            "{tool} is installed by .ci/run"
        );
    }
    here
}

/// Runs a command, and returns what it prints.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (output.stdout, output.stderr);
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).expect("text"));
    assert!(output.status.success(), "{command:?}:\n{stdout}{stderr}");
    stdout + &stderr
}

/// The sentence about the last error of this thread.
pub(crate) fn sentence() -> String {
    let text = wavetank_last_error();
    // SAFETY: it is a text until the next error of this thread.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().expect("sentences are UTF-8").to_owned()
}

/// Checks that a call succeeded.
#[track_caller]
pub(crate) fn ok(status: wavetank_status) {
    assert_eq!(status, wavetank_status::WAVETANK_OK, "{}", sentence());
}
