//! Any bytes as a captured launch: refused in a sentence, or repeated for a moment.

#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use wavetank::capture::{Capture, Replay};

fuzz_target!(|data: &[u8]| {
    let capture = match Capture::read(data) {
        Ok(capture) => capture,
        Err(problem) => return assert!(!problem.to_string().is_empty()),
    };
    let Ok(device) = Replay::device(&capture) else {
        return;
    };
    match Replay::load(&capture, device) {
        Ok(replay) => {
            let _ = replay.dispatch().timeout(Duration::from_millis(10)).run();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
