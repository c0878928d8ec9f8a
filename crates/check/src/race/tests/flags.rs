//! Orders that programs make themselves: flags, locks, look-back.

use super::script::*;

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
        (Store, PollLoad),
        (Store, PollSwap),
    ] {
        let mut script = Script::new(1);
        script.go((0, 0), &[(OtherStore, DATA), (set, FLAG)]);
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
fn an_atomic_that_returns_nothing_tells_its_wave_nothing() {
    let mut script = Script::new(1);
    script.go((0, 0), &[(OtherStore, DATA), (SilentAdd, FLAG)]);
    script.go((1, 0), &[(SilentAdd, FLAG), (Load, DATA)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn a_counter_is_set_by_one_who_counts() {
    let mut script = Script::new(1);
    script.go((0, 0), &[(Store, FLAG), (SilentAdd, FLAG)]);
    script.go((1, 0), &[(SilentAdd, FLAG)]);
    assert_eq!(script.rules(), ["write-write"]);
    // Whoever gets what was there comes behind the first.
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
        script.go((0, 0), &[(OtherStore, DATA), (Store, FLAG)]);
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
    script.go((0, 0), &[(OtherStore, DATA), (Store, FLAG)]);
    script.go((1, 0), &[(CoherentLoad, FLAG), (Store, FLAG + 4)]);
    // What wave 1 learns later is none of that.
    script.go((2, 0), &[(OtherStore, DATA + 4), (Store, FLAG + 8)]);
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

/// A scan in which each group looks at those before it, until one has its whole sum.
fn look_back(groups: u64, coherent: bool) -> Vec<&'static str> {
    let mut script = Script::new(1);
    let state = |group: u64| FLAG + 4 * group;
    let part = |group: u64| 0x100_0000 + 4 * group;
    let see = if coherent { CoherentLoad } else { OtherLoad };
    for group in 0..groups {
        script.go(
            (group, 0),
            &[(OtherStore, part(group)), (Store, state(group))],
        );
        let mut look = vec![];
        for before in (group.saturating_sub(3)..group).rev() {
            look.extend([(see, state(before)), (Load, part(before))]);
        }
        script.go((group, 0), &look);
        // The whole sum, and everything of the first.
        script.end((group, 0), &[(Store, state(group)), (Load, part(0))]);
    }
    script.rules()
}

#[test]
fn look_back_orders_all_before() {
    assert!(look_back(3000, true).is_empty());
    assert!(look_back(5, false).contains(&"write-read"));
}

/// Waves of several groups that change data, one after the other, behind a lock.
fn lock(take: Op, free: Op) -> Vec<&'static str> {
    let mut script = Script::new(1);
    let change = [(Load, DATA), (OtherStore, DATA)];
    for round in 0..3 {
        for group in 0..4 {
            let wave = (group, 0);
            script.go(wave, &[(take, FLAG)]);
            script.go(wave, &change);
            // Somebody tries in vain.
            script.go(((group + 2) % 4, 0), &[(take, FLAG)]);
            script.go(wave, &[(free, FLAG)]);
        }
        if round == 1 {
            script.go((9, 0), &[(take, FLAG), (free, FLAG)]);
        }
    }
    script.rules()
}

#[test]
fn a_lock_orders_what_is_done_behind_it() {
    for take in [Swap, PollSwap] {
        for free in [Store, CoherentStore, Add, SilentAdd] {
            assert!(lock(take, free).is_empty(), "{take:?} {free:?}");
        }
    }
    // Without a result nobody knows whose turn it is.
    assert!(lock(SilentAdd, SilentAdd).contains(&"write-read"));
}

#[test]
fn tickets_order_who_has_them() {
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
            // It sees another's number first.
            script.go((4 - group, 0), &[(see, serving)]);
        }
        for group in 0..5 {
            script.go(
                (group, 0),
                &[(see, serving), (Load, DATA), (OtherStore, DATA)],
            );
            script.go((group, 0), &[(next, serving)]);
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
fn the_last_group_to_arrive_knows_all_others() {
    let arrive = |op: Op| {
        let mut script = Script::new(1);
        for group in 0..40 {
            script.go((group, 0), &[(OtherStore, DATA + 4 * group), (op, FLAG)]);
        }
        let all: Vec<_> = (0..40).map(|group| (Load, DATA + 4 * group)).collect();
        script.go((39, 0), &all).go((39, 0), &[(Store, FLAG)]);
        script.rules()
    };
    assert!(arrive(Add).is_empty());
    assert!(arrive(SilentAdd).contains(&"write-read"));
}

#[test]
fn who_waits_for_all_knows_all() {
    // More than are remembered one by one.
    let mut script = Script::new(1);
    for group in 0..40 {
        script.go(
            (group, 0),
            &[(OtherStore, DATA + 4 * group), (SilentAdd, FLAG)],
        );
    }
    let all: Vec<_> = (0..40).map(|group| (Load, DATA + 4 * group)).collect();
    script.go((0, 0), &[(CoherentLoad, FLAG)]).go((0, 0), &all);
    assert!(script.rules().is_empty());
}
