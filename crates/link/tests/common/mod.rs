//! Other people's tools.

pub(crate) mod compilers;
pub(crate) mod linked;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs a tool with some input, and gives what it writes; `None`, with a line that says so, where it is absent.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Option<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        assert!(
            std::env::var_os("CI").is_none(),
            "{name} is absent, which tests in CI need"
        );
        eprintln!("SKIP what is compared with {name}: it is absent");
        return None;
    };
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(input).expect("it reads");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output.stdout)
}

/// A folder that is removed when it is not needed any more.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wavetank-link-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder is made");
        Folder(path)
    }

    /// Where a file of a name is in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in the folder for temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
