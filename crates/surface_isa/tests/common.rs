//! Finds the shared reference data, or says visibly that a test is skipped.

use std::path::PathBuf;

/// The text of a file of the shared data, by its path there.
///
/// `None`, after one visible line, when the data is absent; a failure when `CI=true`, where it must be present.
pub(crate) fn shared(path: &str) -> Option<String> {
    let root = std::env::var_os("WAVETANK_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    match std::fs::read_to_string(root.join(path)) {
        Ok(text) => Some(text),
        Err(error) => {
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "CI needs the shared data: {path}: {error}"
            );
            eprintln!("SKIP {path}: {error}; set WAVETANK_SHARED to the shared data");
            None
        }
    }
}
