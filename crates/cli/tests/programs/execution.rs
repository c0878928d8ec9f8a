//! Running a program with `wavetank run`.

use std::fmt;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A program that takes longer hangs; the slowest takes seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// How a program ended.
pub(super) struct Run {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => writeln!(f, "exit code {code}")?,
            (None, Some(signal)) => writeln!(f, "signal {signal}")?,
            (None, None) => writeln!(f, "it hung, and was killed after {LIMIT:?}")?,
        }
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            writeln!(f, "{name}:")?;
            // The end tells most.
            let lines: Vec<_> = text.lines().collect();
            for line in &lines[lines.len().saturating_sub(20)..] {
                writeln!(f, "    {line}")?;
            }
        }
        Ok(())
    }
}

/// The runtime library has no Rust interface for tests to depend on, so cargo builds it; with the command, because both then have
/// the same features of their dependencies. `WAVETANK_BUILD` has other words for cargo: those with which all tests were built, so
/// that nothing is built a second time with other features.
pub(crate) fn build_library() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.args(["build", "--quiet"]);
        let words = std::env::var("WAVETANK_BUILD");
        let words = words
            .as_deref()
            .unwrap_or("--package wavetank-hsa --package wavetank-cli");
        cargo.args(words.split_whitespace());
        let command = Path::new(env!("CARGO_BIN_EXE_wavetank"));
        if command
            .parent()
            .is_some_and(|folder| folder.ends_with("release"))
        {
            cargo.arg("--release");
        }
        let status = cargo.status().expect("cargo starts");
        assert!(status.success(), "the runtime library is not built");
    });
}

/// Runs a command's words on a GPU, with options of `wavetank run`.
pub(super) fn run(words: &[PathBuf], gpu: &str, options: &[String]) -> Result<Run, String> {
    run_by("run", words, gpu, options)
}

/// Runs a command's words on a GPU by a subcommand, with options of that. OpenMP must not fall back to the host.
pub(super) fn run_by(
    by: &str,
    words: &[PathBuf],
    gpu: &str,
    options: &[String],
) -> Result<Run, String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Files, because a full pipe would stop the program.
    let file = |kind: &str| {
        let name = format!("run-{}-{count}.{kind}", std::process::id());
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
    };
    let (out, err) = (file("out"), file("err"));
    let create = |path| File::create(path).map_err(|error| error.to_string());
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavetank"))
        .args([by, "--gpu", gpu])
        .args(options)
        .arg("--")
        .args(words)
        .env("OMP_TARGET_OFFLOAD", "MANDATORY")
        .stdin(Stdio::null())
        .stdout(create(&out)?)
        .stderr(create(&err)?)
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break Some(status);
        }
        if start.elapsed() > LIMIT {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        sleep(Duration::from_millis(10));
    };
    let text = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        // Of no more use.
        let _ = std::fs::remove_file(path);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Run {
        code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        stdout: text(&out),
        stderr: text(&err),
    })
}
