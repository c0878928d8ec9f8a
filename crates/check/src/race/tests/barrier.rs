//! Tests of the barrier of a work-group.

use std::ops::Range;

use super::script::*;
use crate::watch::{SliceEnd, Watcher};

const A: u64 = 0x100;

#[test]
fn a_barrier_orders_waves() {
    let mut script = Script::new(2);
    script
        .barrier((0, 0), &[(LdsStore, A)])
        .barrier((0, 1), &[]);
    script.go((0, 1), &[(LdsLoad, A)]);
    assert!(script.rules().is_empty());
    let mut script = Script::new(2);
    script
        .barrier((0, 0), &[])
        .barrier((0, 1), &[(LdsStore, A)]);
    script.go((0, 0), &[(LdsLoad, A)]);
    assert!(script.rules().is_empty());
    // Accesses after the barrier are not ordered by it.
    let mut script = Script::new(2);
    script.barrier((0, 0), &[]).barrier((0, 1), &[]);
    script
        .go((0, 0), &[(LdsStore, A)])
        .go((0, 1), &[(LdsLoad, A)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn a_barrier_waits_for_all() {
    let mut script = Script::new(3);
    script
        .barrier((0, 0), &[(LdsStore, A)])
        .barrier((0, 1), &[]);
    // Wave 2 arrives later: it reads at the same time.
    script.barrier((0, 2), &[(LdsLoad, A)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn a_fast_wave_may_come_to_the_next_barrier_first() {
    let mut script = Script::new(2);
    script
        .barrier((0, 0), &[(LdsStore, A)])
        .barrier((0, 1), &[]);
    // Wave 0 goes through the second generation before wave 1 has left the first.
    script.barrier((0, 0), &[(LdsStore, A + 4)]);
    script.barrier((0, 1), &[(LdsLoad, A)]);
    script.go((0, 1), &[(LdsLoad, A + 4)]);
    assert!(script.rules().is_empty());
    let mut script = Script::new(2);
    script.barrier((0, 0), &[]).barrier((0, 1), &[]);
    script.barrier((0, 0), &[(LdsStore, A)]);
    script.barrier((0, 1), &[(LdsLoad, A)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn waves_that_have_ended_do_not_hold_up() {
    let mut script = Script::new(3);
    script.end((0, 0), &[(LdsStore, A)]);
    script
        .barrier((0, 1), &[(LdsStore, A + 4)])
        .barrier((0, 2), &[]);
    script.end((0, 2), &[(LdsLoad, A), (LdsLoad, A + 4)]);
    assert!(script.rules().is_empty());
    // The last wave ends while others wait.
    let mut script = Script::new(3);
    script
        .barrier((0, 1), &[(LdsStore, A)])
        .barrier((0, 2), &[]);
    script.end((0, 0), &[]);
    script.end((0, 2), &[(LdsLoad, A)]);
    assert!(script.rules().is_empty());
    // The end of a wave alone orders nothing.
    let mut script = Script::new(2);
    script
        .end((0, 0), &[(LdsStore, A)])
        .end((0, 1), &[(LdsLoad, A)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn a_barrier_orders_no_other_group() {
    let mut script = Script::new(2);
    for group in [0, 1] {
        let op = if group == 0 { Store } else { Load };
        script
            .barrier((group, 0), &[(op, A)])
            .barrier((group, 1), &[]);
    }
    script.go((1, 1), &[(OtherLoad, A)]);
    assert_eq!(script.rules(), ["write-read", "write-read"]);
}

/// Runs a sum over the LDS of four waves, by halves, with or without the barrier between the steps; returns the rules found.
fn reduction(barriers: bool) -> Vec<&'static str> {
    let mut script = Script::new(4);
    let place = |wave: u32| A + 4 * u64::from(wave);
    for wave in 0..4 {
        script.barrier((0, wave), &[(LdsStore, place(wave))]);
    }
    for half in [2, 1] {
        for wave in 0..4 {
            let sum = [
                (LdsLoad, place(wave)),
                (LdsLoad, place(wave + half)),
                (LdsOtherStore, place(wave)),
            ];
            let sum = if wave < half { &sum[..] } else { &[] };
            if barriers {
                script.barrier((0, wave), sum)
            } else {
                script.go((0, wave), sum)
            };
        }
    }
    script.end((0, 0), &[(LdsLoad, place(0)), (Store, 0)]);
    script.rules()
}

#[test]
fn a_reduction_needs_its_barriers() {
    assert!(reduction(true).is_empty());
    // Wave 0 reads a value that wave 1 has just summed.
    assert_eq!(reduction(false), ["write-read"]);
}

#[test]
fn the_sum_of_a_silent_atomic_is_there_after_the_barrier_only() {
    for last in 0..3 {
        // The reader is the last wave that adds.
        let mut script = Script::new(3);
        for wave in (0..3).filter(|wave| *wave != last) {
            script.go((0, wave), &[(LdsSilentAdd, A)]);
        }
        script.go((0, last), &[(LdsSilentAdd, A), (LdsLoad, A)]);
        assert_eq!(script.rules(), ["write-read"], "{last}");
        let mut script = Script::new(3);
        for wave in 0..3 {
            script.barrier((0, wave), &[(LdsSilentAdd, A)]);
        }
        script.go((0, last), &[(LdsLoad, A)]);
        assert!(script.rules().is_empty());
    }
}

/// Lets waves of two groups exchange data between two rounds. `first` and `second` are the ends of the time slices before the
/// exchange.
fn exchange(first: SliceEnd, second: SliceEnd) -> Vec<&'static str> {
    let mut script = Script::new(1);
    script.until((0, 0), &[(Store, A)], first);
    script.until((1, 0), &[(Store, A + 4)], second);
    script.end((1, 0), &[(Load, A)]);
    script.end((0, 0), &[(Load, A + 4)]);
    script.rules()
}

#[test]
fn waves_meet_at_a_resource() {
    use SliceEnd::{GoesOn, Resource};
    assert!(exchange(Resource(5), Resource(5)).is_empty());
    for (first, second) in [
        (GoesOn, GoesOn),
        (GoesOn, Resource(5)),
        (Resource(5), GoesOn),
        (Resource(5), Resource(6)),
    ] {
        let both = ["write-read", "write-read"];
        assert_eq!(exchange(first, second)[..], both[..1], "{first:?}");
    }
    // After it, nothing is ordered.
    let mut script = Script::new(1);
    for group in [0, 1] {
        script.until((group, 0), &[], Resource(5));
    }
    script.go((0, 0), &[(Store, A)]).go((1, 0), &[(Load, A)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn scratch_is_used_again() {
    let again = |scratch: Option<Range<u64>>| {
        let mut script = Script::new(1);
        script.end((0, 0), &[(Store, 0x2000), (Load, 0x2004), (Add, 0x2008)]);
        if let Some(scratch) = scratch {
            script.race.scratch_begins(scratch);
        }
        let stores = [(OtherStore, 0x2000), (OtherStore, 0x2004)];
        script.go((1, 0), &[stores[0], stores[1], (OtherStore, 0x2008)]);
        script.rules()
    };
    assert!(again(Some(0x1000..0x3000)).is_empty());
    let all = ["write-write", "read-write", "write-write"];
    assert_eq!(again(None), all);
    assert_eq!(again(Some(0x3000..0x4000)), all);
}
