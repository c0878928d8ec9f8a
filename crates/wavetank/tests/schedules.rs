//! The order of waves: kernels that race, and the schedules that hide or show it.

use std::time::Duration;

use wavetank::{Chip, Device, Error, Schedule};

/// `data/races.cl`, compiled for gfx900 by clang 19.
const RACES: &[u8] = include_bytes!("data/races-gfx900.hsaco");

/// `data/turns.cl`, compiled likewise.
const TURNS: &[u8] = include_bytes!("data/turns-gfx900.hsaco");

fn device(schedule: Schedule) -> Device {
    let builder = Device::builder(Chip::Gfx900).threads(1);
    builder.schedule(schedule).build().unwrap()
}

/// Four waves add 1 to the same 64 elements, without atomics; the sums.
fn added(schedule: Schedule) -> Vec<u32> {
    added_by(schedule, |_| false)
}

/// The same, where some of the waves are watched.
fn added_by(schedule: Schedule, watched: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
    let device = device(schedule);
    let sums = device.buffer_zeroed(4 * 64).unwrap();
    let kernel = device.load(RACES).unwrap().kernel("add").unwrap();
    kernel
        .dispatch()
        .grid(256)
        .block(256)
        .arg(&sums)
        .trace(&|_, wave| watched(wave), &|_| ())
        .run()
        .unwrap();
    sums.read().unwrap()
}

/// Time slices end at the same instructions whether waves are watched or not, so that what was seen once can be looked at.
#[test]
fn a_watched_run_is_the_same_run() {
    let seeds = (0..64).map(Schedule::Random);
    for schedule in [Schedule::Fair, Schedule::Greedy].into_iter().chain(seeds) {
        let sums = added(schedule);
        assert_eq!(sums, added_by(schedule, |_| true), "{schedule}");
        assert_eq!(sums, added_by(schedule, |wave| wave == 2), "{schedule}");
    }
}

/// The wave instructions of a chain of groups, where some of the waves are watched.
fn chain(
    kernel: &str,
    groups: u32,
    schedule: Schedule,
    watched: impl Fn(u64) -> bool + Sync,
) -> u64 {
    let device = device(schedule);
    let flags = device.buffer_zeroed(u64::from(4 * groups)).unwrap();
    let kernel = device.load(TURNS).unwrap().kernel(kernel).unwrap();
    let dispatch = kernel.dispatch().grid(64 * groups).block(64);
    let dispatch = dispatch.arg(&flags).arg(groups as i32).count(true);
    let report = dispatch
        .trace(&|group, _| watched(group.index), &|_| ())
        .run();
    // A wave that swaps a flag leaves a 2.
    let flags = flags.read::<u32>().unwrap();
    assert!(flags.iter().all(|flag| [1, 2].contains(flag)), "{flags:?}");
    report.unwrap().instructions.unwrap().waves()
}

/// How often waves look before they see what they wait for depends on every time slice of every wave.
#[test]
fn a_watched_run_takes_the_same_time_slices() {
    for schedule in [Schedule::Fair, Schedule::Greedy, Schedule::Random(5)] {
        for kernel in ["chain", "chain_add", "chain_scalar", "chain_counted"] {
            let instructions = chain(kernel, 9, schedule, |_| false);
            assert_eq!(
                instructions,
                chain(kernel, 9, schedule, |_| true),
                "{kernel}, {schedule}"
            );
            assert_eq!(
                instructions,
                chain(kernel, 9, schedule, |g| g % 2 == 0),
                "{kernel}, {schedule}"
            );
        }
    }
}

/// Each of 320 groups waits for the next: while one gets on, the others look once a time slice.
#[test]
fn groups_that_spin_burn_little() {
    for kernel in [
        "chain",
        "chain_add",
        "chain_swap",
        "chain_scalar",
        "chain_counted",
    ] {
        let instructions = chain(kernel, 320, Schedule::Fair, |_| false);
        assert!(instructions < 2_000_000, "{kernel}: {instructions}");
    }
}

/// Waves of one group that pass a word of LDS on.
#[test]
fn waves_that_spin_let_their_siblings_run() {
    let random = (0..8).map(Schedule::Random);
    for schedule in [Schedule::Fair, Schedule::Greedy].into_iter().chain(random) {
        let device = device(schedule);
        let out = device.buffer_zeroed(4 * 4).unwrap();
        let kernel = device.load(TURNS).unwrap().kernel("relay").unwrap();
        let dispatch = kernel.dispatch().grid(256).block(256);
        let report = dispatch.arg(&out).arg(4i32).count(true).run().unwrap();
        let turn: Vec<u32> = (1..=4).collect();
        assert_eq!(out.read::<u32>().unwrap(), turn, "{schedule}");
        let instructions = report.instructions.unwrap().waves();
        assert!(instructions < 1000, "{schedule}: {instructions}");
    }
}

/// An endless wait is reported, with the place where it spins.
#[test]
fn waves_that_spin_in_vain_are_reported() {
    let device = device(Schedule::Fair);
    let flag = device.buffer_zeroed(4).unwrap();
    let kernel = device.load(TURNS).unwrap().kernel("hang").unwrap();
    let dispatch = kernel.dispatch().grid(256).block(128).arg(&flag);
    let error = dispatch
        .timeout(Duration::from_millis(50))
        .run()
        .unwrap_err();
    let Error::Timeout(timeout) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (timeout.groups_done, timeout.waves.len()),
        (0, 4),
        "{error}"
    );
    assert!(error.to_string().contains("wave 1 runs at"), "{error}");
}

/// On a chip every wave has loaded before the first one stores: siblings wait for memory together.
#[test]
fn waves_wait_for_memory_together() {
    assert_eq!(added(Schedule::Fair), [1; 64]);
    assert_eq!(added(Schedule::Greedy), [4; 64]);
}

#[test]
fn random_schedules_show_races_and_repeat() {
    let sums = |seed| added(Schedule::Random(seed));
    let seen: std::collections::BTreeSet<Vec<u32>> = (0..64).map(sums).collect();
    assert!(seen.len() > 1, "64 seeds gave one result: {seen:?}");
    for seed in 0..8 {
        assert_eq!(sums(seed), sums(seed), "seed {seed}");
    }
}

/// Every wave sums up what is in LDS; the first ones then overwrite it, without a barrier between. On a chip the others
/// have read long before, since two loads from memory and a division come in between.
#[test]
fn no_wave_overwrites_what_siblings_still_read() {
    let device = device(Schedule::Fair);
    let kernel = device.load(RACES).unwrap().kernel("sum").unwrap();
    for n in [1u32, 7, 18, 29, 58, 64, 100, 128, 256] {
        let input: Vec<f32> = (0..3 * n).map(|i| (i % 13 + 1) as f32).collect();
        // Small integers: exact in any order.
        let want: f32 = input[..n as usize].iter().sum();
        let input = device.buffer_from(&input).unwrap();
        let out = device.buffer_zeroed(4 * 256).unwrap();
        let dispatch = kernel.dispatch().grid(256).block(256);
        let dispatch = dispatch.arg(&input).arg(&out);
        let dispatch = dispatch.arg(wavetank::Arg::Lds(4 * n)).arg(n as i32);
        dispatch.run().unwrap();
        assert_eq!(out.read::<f32>().unwrap(), [want; 256], "{n} words");
    }
}

/// A wave that spins until a sibling has stored ends under every schedule.
#[test]
fn spinning_waves_let_their_siblings_run() {
    let random = (0..16).map(Schedule::Random);
    for schedule in [Schedule::Fair, Schedule::Greedy].into_iter().chain(random) {
        let device = device(schedule);
        let flag = device.buffer_zeroed(4).unwrap();
        let seen = device.buffer_zeroed(4).unwrap();
        let kernel = device.load(RACES).unwrap().kernel("wait").unwrap();
        let dispatch = kernel.dispatch().grid(256).block(256);
        let dispatch = dispatch.arg(&flag).arg(&seen).arg(3i32);
        dispatch.run().unwrap();
        assert_eq!(flag.read::<u32>().unwrap(), [1], "{schedule}");
    }
}

/// A fault names the seed that reproduces it.
#[test]
fn faults_name_the_seed() {
    for schedule in [Schedule::Random(7), Schedule::Fair] {
        let device = device(schedule);
        let kernel = device.load(RACES).unwrap().kernel("add").unwrap();
        let dispatch = kernel.dispatch().grid(64).block(64);
        let error = dispatch.arg(wavetank::Arg::Pointer(8)).run().unwrap_err();
        assert!(matches!(error, Error::Fault(_)), "{error}");
        let has_seed = error.to_string().ends_with("; the schedule was random:7");
        assert_eq!(has_seed, schedule == Schedule::Random(7), "{error}");
    }
}
