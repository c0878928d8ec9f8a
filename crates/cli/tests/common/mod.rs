//! Running the command, and finding files for it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the command left.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Checks that it succeeded without a word on stderr, and gives what it printed.
    pub(crate) fn success(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self.stdout
    }

    /// Checks that it failed with this code, nothing on stdout and one message on stderr with all these parts.
    pub(crate) fn failure(self, code: i32, parts: &[&str]) -> String {
        assert_eq!(
            (self.code, self.stdout.as_str()),
            (Some(code), ""),
            "{self:?}"
        );
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is missing: {self:?}");
        }
        self.stderr
    }

    /// As [`failure`](Self::failure) for wrong input: one line, exit code 2.
    pub(crate) fn refused(self, parts: &[&str]) {
        let text = self.failure(2, parts);
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    }
}

/// Runs the command with words that are separated by blanks.
pub(crate) fn wavetank(words: &str) -> Outcome {
    wavetank_in(Path::new("."), words)
}

/// Runs the command in a directory.
pub(crate) fn wavetank_in(directory: &Path, words: &str) -> Outcome {
    outcome(command(words).current_dir(directory))
}

/// Runs the command with an environment variable.
pub(crate) fn wavetank_with(name: &str, value: &str, words: &str) -> Outcome {
    outcome(command(words).env(name, value))
}

/// Runs the command with a file as its stdin.
pub(crate) fn wavetank_from(file: &str, words: &str) -> Outcome {
    outcome(command(words).stdin(File::open(file).expect("the file is there")))
}

fn command(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    command.args(words.split_whitespace());
    command
}

/// What a command leaves.
pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Outcome {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// An empty directory for a test.
pub(crate) fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    // It may be left from the last run.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

/// `crates/object/tests/data/lines.cl`, compiled with `-g`.
pub(crate) const LINES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../object/tests/data/lines-gfx900.hsaco"
);
/// `kernel void vecadd(global const float *a, global const float *b, global float *c, uint n)`.
pub(crate) const VECADD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../object/tests/data/vecadd-gfx900.hsaco"
);

/// Two kernels; `reduce_sum(global const uint *in, global uint *out, uint n, local uint *tmp)` is the first.
pub(crate) const REDUCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../object/tests/data/reduce-gfx906.hsaco"
);

/// The kernels of `examples/mandelbrot.cl`.
pub(crate) const MANDELBROT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/mandelbrot-gfx900.hsaco"
);

/// A shared kernel's path, or a visible line and `None` where the shared files are absent.
pub(crate) fn shared(path: &str) -> Option<String> {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let shared = std::env::var_os("WAVETANK_SHARED").map_or_else(default, PathBuf::from);
    let path = shared.join("kernels/co").join(path);
    if path.is_file() {
        return Some(path.display().to_string());
    }
    assert!(
        std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "{} is absent",
        path.display()
    );
    eprintln!(
        "SKIP {}: it is absent (set WAVETANK_SHARED)",
        path.display()
    );
    None
}

/// An offload bundle of [`VECADD`] and [`REDUCE`], laid out as the guide "Clang Offload Bundler" says.
pub(crate) fn bundle() -> Vec<u8> {
    let parts = [("gfx900", VECADD), ("gfx906", REDUCE)];
    let parts = parts.map(|(chip, path)| {
        let code = std::fs::read(path).expect("the test data is there");
        (format!("hipv4-amdgcn-amd-amdhsa--{chip}"), code)
    });
    let mut head = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    head.extend((parts.len() as u64).to_le_bytes());
    let mut body = Vec::new();
    for (id, code) in &parts {
        // The code starts at one page.
        let numbers = [4096 + body.len(), code.len(), id.len()];
        head.extend(numbers.iter().flat_map(|n| (*n as u64).to_le_bytes()));
        head.extend(id.bytes());
        body.extend(code);
        body.resize(body.len().next_multiple_of(4096), 0);
    }
    head.resize(4096, 0);
    head.extend(body);
    head
}
