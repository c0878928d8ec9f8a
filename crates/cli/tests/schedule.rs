//! `--schedule`, `--threads`, and what the environment says about how kernels run.

use crate::common::{VECADD, wavetank, wavetank_with};

const LAUNCH: &str =
    "--grid 64 --block 64 --arg zero:256 --arg zero:256 --arg print:f32:4 --arg u32:4";

#[test]
fn the_seed_of_a_random_schedule_is_told_at_the_end() {
    let launch = |schedule| wavetank(&format!("launch {VECADD} {LAUNCH} --schedule {schedule}"));
    let told = launch("random:7");
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(told.stderr, "the schedule was random:7\n");
    // A chosen seed is told too, or nobody could repeat the run.
    let told = launch("random").stderr;
    let seed = told.trim_end().rsplit(':').next().unwrap();
    assert!(seed.parse::<u64>().is_ok(), "{told}");
    for schedule in ["fair", "greedy"] {
        launch(schedule).success();
    }
    // Nothing ran: there is no schedule to tell.
    let refused = wavetank(&format!(
        "launch {VECADD} --grid 1 --block 1 --schedule random"
    ));
    assert!(!refused.stderr.contains("the schedule was"), "{refused:?}");
    refused.refused(&["its signature is"]);
}

#[test]
fn a_schedule_that_is_none_is_refused() {
    for command in [
        format!("launch {VECADD} {LAUNCH}"),
        "demo --size 8x8 --output /dev/null".to_owned(),
    ] {
        let outcome = wavetank(&format!("{command} --schedule fast"));
        outcome.failure(2, &["`fast` is not a schedule; there are fair, greedy"]);
    }
    wavetank("run --schedule fast -- true").failure(2, &["`fast` is not a schedule"]);
    wavetank("run --threads 0 -- true").failure(2, &["a number from 1 to 1024"]);
}

#[test]
fn wrong_variables_are_refused() {
    let launch = format!("launch {VECADD} {LAUNCH}");
    let commands = [launch.as_str(), "exec s_nop", "run -- true", "agents"];
    for (variable, value, problem) in [
        ("WAVETANK_SCHEDULE", "fast", "`fast` is not a schedule"),
        (
            "WAVETANK_SCHEDULE",
            "random:x",
            "`random:x` is not a schedule",
        ),
        (
            "WAVETANK_THREADS",
            "many",
            "`many` is not a number of threads",
        ),
        ("WAVETANK_SIMD", "bogus", "`bogus` is not a level of vector"),
        ("WAVETANK_LOG", "zz", "\"zz\" is not a level of the log"),
        ("WAVETANK_GPU", "gfx900,", "names no GPU"),
    ] {
        for command in commands {
            let outcome = wavetank_with(variable, value, command);
            outcome.refused(&[&format!("{variable}: "), problem]);
        }
    }
}

#[test]
fn variables_rule_where_no_option_does() {
    let launch = format!("launch {VECADD} {LAUNCH}");
    let with = |options: &str| {
        let words = format!("{launch} {options}");
        wavetank_with("WAVETANK_SCHEDULE", "random:3", &words)
    };
    assert_eq!(with("").stderr, "the schedule was random:3\n");
    with("--schedule fair").success();
}
