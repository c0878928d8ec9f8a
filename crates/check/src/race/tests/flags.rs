//! Tests of synchronization written by programs: flags, locks, look-back.

use super::script::*;
use crate::finding::Finding;

const FLAG: u64 = 0x1000;
const DATA: u64 = 0x2000;

#[test]
fn a_flag_hands_over_what_was_stored_before() {
    for (set, see) in [
        (Store, CoherentLoad),
        (CoherentStore, CoherentLoad),
        (Add, CoherentLoad),
        (SilentAdd, CoherentLoad),
        (SilentAdd, Add),
        (Store, SpinLoad),
        (Store, SpinSwap),
    ] {
        let mut script = Script::new(1);
        script.go((0, 0), &[(OtherStore, DATA), (Wait, 0), (set, FLAG)]);
        script.go((1, 0), &[(see, FLAG), (Load, DATA)]);
        assert!(script.rules().is_empty(), "{set:?} {see:?}");
        // In the wrong order: the flag is set too early.
        let mut script = Script::new(1);
        script.go((0, 0), &[(set, FLAG), (OtherStore, DATA)]);
        script.go((1, 0), &[(see, FLAG), (Load, DATA)]);
        assert_eq!(script.rules(), ["write-read"], "{set:?} {see:?}");
    }
}

#[test]
fn a_flag_that_is_set_while_data_are_in_flight_hands_over_nothing() {
    for (set, see) in [
        (Store, CoherentLoad),
        (CoherentStore, CoherentLoad),
        (Add, CoherentLoad),
        (SilentAdd, CoherentLoad),
        (SilentAdd, Add),
        (Add, Add),
        (Store, SpinLoad),
        (Store, SpinSwap),
    ] {
        // A later wait does not change this.
        for later in [&[][..], &[(Wait, 0)]] {
            let mut script = Script::new(2);
            script.go((0, 0), &[(OtherStore, DATA), (set, FLAG)]);
            script.go((0, 0), later);
            script.go((1, 0), &[(see, FLAG), (Load, DATA)]);
            let findings = script.findings();
            let places = |finding: &Finding| {
                let places = finding.related.iter().map(|mark| mark.place.pc);
                (finding.at.place.pc, places.collect::<Vec<_>>())
            };
            let found: Vec<_> = findings.iter().map(places).collect();
            let wanted = (Load.pc(), vec![OtherStore.pc(), set.pc()]);
            assert_eq!(found, [wanted], "{set:?} {see:?}");
        }
        // Within a work-group accesses are in order; and a later flag is set in time.
        let mut script = Script::new(2);
        script.go((0, 0), &[(OtherStore, DATA), (set, FLAG)]);
        script.go((0, 1), &[(see, FLAG), (Load, DATA)]);
        script.go((0, 0), &[(Wait, 0), (set, FLAG + 4)]);
        script.go((1, 0), &[(see, FLAG), (see, FLAG + 4), (Load, DATA)]);
        assert!(script.rules().is_empty(), "{set:?} {see:?}");
    }
}

#[test]
fn the_finding_about_a_flag_that_is_set_too_early() {
    let mut script = Script::new(1);
    script.go((0, 0), &[(OtherStore, DATA), (Store, FLAG)]);
    script.go((1, 0), &[(CoherentLoad, FLAG), (Load, DATA)]);
    let findings = script.findings();
    assert_eq!(
        findings[0].message,
        "data race: global memory bytes 0x2000..0x2004 are read by wave 0 of work-group (1, 0, 0), lane 0 after a release by \
         wave 0 of work-group (0, 0, 0), lane 0, whose store to these bytes was in flight"
    );
    assert_eq!(
        findings[0].related[1].label,
        "wave 0 of work-group (0, 0, 0) releases others here"
    );
    let help = findings[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("`__threadfence()`"), "{help}");
    assert!(help.ends_with("`s_waitcnt vmcnt(0)`"), "{help}");
}

#[test]
fn what_the_reader_of_data_did_before_is_no_matter_of_waits() {
    // A load is done when its result is used; LDS and GDS have their own counters.
    for (op, group) in [(Load, 1), (LdsStore, 0), (GdsStore, 1)] {
        let mut script = Script::new(2);
        script.go((0, 0), &[(op, DATA), (Store, FLAG)]);
        let other = match op {
            Load => OtherStore,
            LdsStore => LdsLoad,
            _ => GdsLoad,
        };
        script.go((group, 1), &[(CoherentLoad, FLAG), (other, DATA)]);
        assert!(script.rules().is_empty(), "{op:?}");
    }
}

#[test]
fn waves_that_meet_at_a_barrier_have_waited() {
    // A missing wait before a barrier is reported by the static tool.
    let mut script = Script::new(2);
    script.barrier((0, 1), &[(OtherStore, DATA)]);
    script.barrier((0, 0), &[]).go((0, 0), &[(Store, FLAG)]);
    script.go((1, 0), &[(CoherentLoad, FLAG), (Load, DATA)]);
    assert!(script.rules().is_empty());
}

#[test]
fn a_group_hands_on_what_one_of_its_waves_wrote() {
    let mut script = Script::new(2);
    script.go((0, 0), &[(OtherStore, DATA), (LdsAdd, 0)]);
    script.go((0, 1), &[(LdsAdd, 0), (Wait, 0), (Store, FLAG)]);
    script.go((1, 0), &[(CoherentLoad, FLAG), (Load, DATA)]);
    assert!(script.rules().is_empty());
}

#[test]
fn an_atomic_that_returns_nothing_gives_its_wave_no_order() {
    let mut script = Script::new(1);
    script.go((0, 0), &[(OtherStore, DATA), (SilentAdd, FLAG)]);
    script.go((1, 0), &[(SilentAdd, FLAG), (Load, DATA)]);
    assert_eq!(script.rules(), ["write-read"]);
}

/// Runs a guess: a wave tests whether an atomic is worth it, a second one has done its own, and a third one skips it.
fn guess(atomic: Op) -> Vec<&'static str> {
    let mut script = Script::new(1);
    script.go((0, 0), &[(Load, DATA), (atomic, DATA)]);
    script.go((1, 0), &[(Load, DATA)]);
    script.go((2, 0), &[(Load, DATA), (atomic, DATA)]);
    script.rules()
}

#[test]
fn an_atomic_looks_at_what_was_guessed() {
    assert!(guess(SilentMin).is_empty());
    assert!(guess(Add).is_empty());
    // A wave that counts without reading the count depends on the loaded value.
    assert_eq!(guess(SilentAdd), ["write-read"]);
    // A store reads nothing.
    assert!(guess(OtherStore).contains(&"write-read"));
}

#[test]
fn a_load_after_an_atomic_or_before_a_barrier_is_not_a_guess() {
    let mut script = Script::new(1);
    script.go(
        (0, 0),
        &[(SilentMin, DATA), (Load, DATA), (SilentMin, DATA)],
    );
    script.go((1, 0), &[(Load, DATA)]);
    assert_eq!(script.rules(), ["write-read"]);
    let mut script = Script::new(2);
    script.barrier((0, 0), &[(Load, DATA)]).barrier((0, 1), &[]);
    script.go((0, 0), &[(SilentMin, DATA)]);
    script.go((1, 0), &[(Load, DATA)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn a_counter_is_set_by_a_wave_that_counts() {
    let mut script = Script::new(1);
    script.go((0, 0), &[(Store, FLAG), (SilentAdd, FLAG)]);
    script.go((1, 0), &[(SilentAdd, FLAG)]);
    assert_eq!(script.rules(), ["write-write"]);
    // A wave that gets the old value is ordered after the first one.
    let mut script = Script::new(1);
    script.go((0, 0), &[(Store, FLAG), (SilentAdd, FLAG)]);
    script.go((1, 0), &[(Add, FLAG), (SilentAdd, FLAG)]);
    assert!(script.rules().is_empty());
}

#[test]
fn a_flag_is_reset_for_the_next_round() {
    let mut script = Script::new(1);
    for _ in 0..3 {
        script.go((0, 0), &[(CoherentLoad, FLAG + 4)]);
        script.go((0, 0), &[(OtherStore, DATA), (Wait, 0), (Store, FLAG)]);
        script.go(
            (1, 0),
            &[(CoherentLoad, FLAG), (Load, DATA), (Store, FLAG + 4)],
        );
    }
    assert!(script.rules().is_empty());
}

#[test]
fn what_another_knew_is_handed_on() {
    let mut script = Script::new(1);
    script.go((0, 0), &[(OtherStore, DATA), (Wait, 0), (Store, FLAG)]);
    script.go((1, 0), &[(CoherentLoad, FLAG), (Store, FLAG + 4)]);
    // Knowledge that wave 1 acquires later is not passed on.
    script.go(
        (2, 0),
        &[(OtherStore, DATA + 4), (Wait, 0), (Store, FLAG + 8)],
    );
    script.go((1, 0), &[(CoherentLoad, FLAG + 8)]);
    script.go((3, 0), &[(CoherentLoad, FLAG + 4), (Load, DATA)]);
    assert!(script.rules().is_empty());
    script.go((3, 0), &[(Load, DATA + 4)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn a_barrier_hands_on_to_the_wave_that_sets_the_flag() {
    let mut script = Script::new(2);
    script
        .barrier((0, 1), &[(OtherStore, DATA)])
        .barrier((0, 0), &[]);
    script.end((0, 0), &[(Store, FLAG)]).end((0, 1), &[]);
    script
        .barrier((1, 0), &[(CoherentLoad, FLAG)])
        .barrier((1, 1), &[]);
    script.go((1, 1), &[(Load, DATA)]);
    assert!(script.rules().is_empty());
}

/// Runs a scan in which each group reads the groups before it, until one has its whole sum.
fn look_back(groups: u64, coherent: bool) -> Vec<&'static str> {
    let mut script = Script::new(1);
    let state = |group: u64| FLAG + 4 * group;
    let part = |group: u64| 0x100_0000 + 4 * group;
    let see = if coherent { CoherentLoad } else { OtherLoad };
    for group in 0..groups {
        script.go(
            (group, 0),
            &[(OtherStore, part(group)), (Wait, 0), (Store, state(group))],
        );
        let mut look = vec![];
        for before in (group.saturating_sub(3)..group).rev() {
            look.extend([(see, state(before)), (Load, part(before))]);
        }
        script.go((group, 0), &look);
        // The whole sum, and all results of the first group.
        script.end((group, 0), &[(Store, state(group)), (Load, part(0))]);
    }
    script.rules()
}

#[test]
fn look_back_orders_all_before() {
    assert!(look_back(3000, true).is_empty());
    assert!(look_back(5, false).contains(&"write-read"));
}

/// Runs waves of several groups that change data one after another under a lock.
fn lock(take: Op, free: Op) -> Vec<&'static str> {
    let mut script = Script::new(1);
    let change = [(Load, DATA), (OtherStore, DATA)];
    for round in 0..3 {
        for group in 0..4 {
            let wave = (group, 0);
            script.go(wave, &[(take, FLAG)]);
            script.go(wave, &change);
            // Another wave tries in vain.
            script.go(((group + 2) % 4, 0), &[(take, FLAG)]);
            script.go(wave, &[(Wait, 0), (free, FLAG)]);
        }
        if round == 1 {
            script.go((9, 0), &[(take, FLAG), (free, FLAG)]);
        }
    }
    script.rules()
}

#[test]
fn a_lock_orders_the_accesses_under_it() {
    for take in [Swap, SpinSwap] {
        for free in [Store, CoherentStore, Add, SilentAdd] {
            assert!(lock(take, free).is_empty(), "{take:?} {free:?}");
        }
    }
    // Without a result, it is unknown which wave may continue.
    assert!(lock(SilentAdd, SilentAdd).contains(&"write-read"));
}

#[test]
fn tickets_order_their_waves() {
    for (see, next) in [
        (CoherentLoad, Store),
        (CoherentLoad, Add),
        (Add, Add),
        (CoherentLoad, SilentAdd),
    ] {
        let mut script = Script::new(1);
        let (ticket, serving) = (FLAG, FLAG + 4);
        for group in 0..5 {
            script.go((group, 0), &[(Add, ticket)]);
            // The wave sees the number of another one first.
            script.go((4 - group, 0), &[(see, serving)]);
        }
        for group in 0..5 {
            script.go(
                (group, 0),
                &[(see, serving), (Load, DATA), (OtherStore, DATA)],
            );
            script.go((group, 0), &[(Wait, 0), (next, serving)]);
        }
        assert!(script.rules().is_empty(), "{see:?} {next:?}");
    }
    let mut script = Script::new(1);
    for group in 0..2 {
        script.go(
            (group, 0),
            &[(Add, FLAG + 4 * group), (OtherStore, DATA), (Load, DATA)],
        );
    }
    assert!(!script.rules().is_empty(), "each has its own ticket");
}

#[test]
fn the_last_group_to_arrive_is_ordered_after_all_others() {
    let arrive = |op: Op| {
        let mut script = Script::new(1);
        for group in 0..40 {
            script.go(
                (group, 0),
                &[(OtherStore, DATA + 4 * group), (Wait, 0), (op, FLAG)],
            );
        }
        let all: Vec<_> = (0..40).map(|group| (Load, DATA + 4 * group)).collect();
        script.go((39, 0), &all).go((39, 0), &[(Store, FLAG)]);
        script.rules()
    };
    assert!(arrive(Add).is_empty());
    assert!(arrive(SilentAdd).contains(&"write-read"));
}

#[test]
fn a_wave_that_waits_for_all_is_ordered_after_all() {
    // More atomics than are recorded one by one.
    let mut script = Script::new(1);
    for group in 0..40 {
        script.go(
            (group, 0),
            &[(OtherStore, DATA + 4 * group), (Wait, 0), (SilentAdd, FLAG)],
        );
    }
    let all: Vec<_> = (0..40).map(|group| (Load, DATA + 4 * group)).collect();
    script.go((0, 0), &[(CoherentLoad, FLAG)]).go((0, 0), &all);
    assert!(script.rules().is_empty());
}

/// A load in a loop of unoptimized code may or may not wait for others; its execution shows which.
#[test]
fn loads_that_are_repeated_wait() {
    let set = |script: &mut Script| {
        script.go((0, 1), &[(LdsOtherStore, 64), (LdsStore, 0)]);
    };
    let see = [(LdsLoopLoad, 0)];
    let data = [(LdsLoad, 64)];
    let mut waits = Script::new(2);
    waits.go((0, 0), &see).go((0, 0), &see);
    set(&mut waits);
    waits.go((0, 0), &see).go((0, 0), &data);
    assert!(waits.rules().is_empty());
    // The flag was set already: there is no evidence.
    let mut once = Script::new(2);
    set(&mut once);
    once.go((0, 0), &see).go((0, 0), &data);
    assert!(once.rules().is_empty());
    // The loop walks through memory, or writes, too.
    for between in [(LdsLoopLoad, 4), (LdsStore, 128)] {
        let mut works = Script::new(2);
        works.go((0, 0), &see).go((0, 0), &[between]);
        set(&mut works);
        works.go((0, 0), &see).go((0, 0), &data);
        assert_eq!(works.rules(), ["read-write"], "{between:?}");
    }
}
