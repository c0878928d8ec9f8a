//! Tests of lanes of one wave that are compared on request.

use wavetank_memory::{AccessRun, Over};

use super::script::*;
use crate::finding::Finding;
use crate::watch::SliceEnd;

const A: u64 = 0x1000;
const B: u64 = 0x2000;

/// An access of a lane.
type By = (Op, u8, u64);

fn runs(accesses: &[By]) -> Vec<AccessRun> {
    let run = |&(op, lane, address): &By| AccessRun {
        failed: op.has_failed(),
        ..AccessRun::of(op.record(lane, address, 4))
    };
    accesses.iter().map(run).collect()
}

/// Starts a launch of one wave in whose threads are so many lanes.
fn script(lanes: Option<u8>) -> Script {
    let mut script = Script::new(1);
    script.race = script.race.with_subgroup(lanes);
    script
}

fn findings(lanes: Option<u8>, accesses: &[By]) -> Vec<Finding> {
    let mut script = script(lanes);
    script.runs((0, 0), &runs(accesses), SliceEnd::Ended);
    script.findings()
}

/// Returns the rules of the findings with threads of one lane.
fn rules(accesses: &[By]) -> Vec<&'static str> {
    let findings = findings(Some(1), accesses);
    findings.iter().map(|finding| finding.rule).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn lanes_are_compared_on_request() {
    let accesses = [(LdsStore, 3, A), (LdsLoad, 5, A)];
    assert!(findings(None, &accesses).is_empty());
    assert!(findings(Some(32), &accesses).is_empty());
    let found = findings(Some(1), &accesses);
    assert_eq!(
        found[0].message,
        "data race: LDS bytes 0x1000..0x1004 are read by wave 0 of work-group (0, 0, 0), lane 5, unordered with the store of \
         lane 3 of the same wave"
    );
    assert_eq!((found.len(), found[0].rule), (1, "write-read"));
    let halves = findings(Some(32), &[(LdsStore, 31, A), (LdsLoad, 32, A)]);
    assert_eq!(halves.len(), 1);
}

#[test]
fn one_of_two_lanes_must_write() {
    assert_eq!(rules(&[(Store, 0, A), (Load, 1, A)]), ["write-read"]);
    assert_eq!(rules(&[(Load, 0, A), (Store, 1, A)]), ["read-write"]);
    assert_eq!(rules(&[(Store, 0, A), (OtherStore, 1, A)]), ["write-write"]);
    assert_eq!(rules(&[(Load, 0, A), (Load, 1, A)]), NONE);
    assert_eq!(rules(&[(Store, 0, A), (Load, 0, A), (Load, 1, B)]), NONE);
    // A lane's own accesses do not hide those of others.
    let own_last = [
        (Store, 0, A),
        (Load, 1, A),
        (Load, 0, A),
        (OtherStore, 0, A),
    ];
    assert_eq!(rules(&own_last), ["write-read", "read-write"]);
}

#[test]
fn one_execution_is_not_compared_with_itself() {
    // Lanes of one instruction, and a second execution of it.
    assert_eq!(rules(&[(Load, 0, A), (Load, 1, A), (Store, 2, B)]), NONE);
    let swapped = [(Add, 0, A), (Add, 1, B), (Add, 0, B), (Load, 1, A)];
    assert_eq!(rules(&swapped), ["write-read"]);
}

#[test]
fn a_barrier_orders_lanes() {
    let mut script = script(Some(1));
    script.runs((0, 0), &runs(&[(LdsStore, 0, A)]), SliceEnd::Barrier(0));
    script.runs((0, 0), &runs(&[(LdsLoad, 1, A)]), SliceEnd::Ended);
    assert_eq!(script.rules(), NONE);
}

#[test]
fn atomics_of_lanes_need_no_order() {
    assert_eq!(rules(&[(Add, 0, A), (SilentAdd, 1, A)]), NONE);
    assert_eq!(rules(&[(Add, 0, A), (CoherentLoad, 1, A)]), NONE);
    assert_eq!(rules(&[(FailedSwap, 0, A), (Load, 1, A)]), NONE);
    assert_eq!(rules(&[(SilentAdd, 0, A), (Load, 1, A)]), ["write-read"]);
    assert_eq!(rules(&[(Store, 0, A), (Add, 1, A)]), ["write-write"]);
}

#[test]
fn an_atomic_hides_no_access_of_its_own_lane() {
    // One lane stores, then both have an atomic.
    let store = (Store, 0, A);
    assert_eq!(
        rules(&[store, (SilentAdd, 0, A), (SilentAdd, 1, A)]),
        ["write-write"]
    );
    // Three lanes have an atomic, then the last or the first one loads.
    let atomics = [0, 1, 2].map(|lane| (SilentAdd, lane, A));
    for lane in [0, 2] {
        let loads = [&atomics[..], &[(Load, lane, A)]].concat();
        assert_eq!(rules(&loads), ["write-read"], "{lane}");
    }
    // A lane alone is in order with itself.
    assert_eq!(rules(&[store, (SilentAdd, 0, A), (Load, 0, A)]), NONE);
}

#[test]
fn locks_and_flags_order_lanes() {
    let lock = |free: Op| {
        let first = [(WinningSwap, 0, B), (Store, 0, A), (free, 0, B)];
        let second = [(WinningSwap, 1, B), (Load, 1, A), (OtherStore, 1, A)];
        rules(&[first, second].concat())
    };
    assert_eq!(lock(OtherStore), NONE);
    assert_eq!(lock(Swap), NONE);
    let flag = [
        (Store, 0, A),
        (OtherStore, 0, B),
        (CoherentLoad, 1, B),
        (Load, 1, A),
    ];
    assert_eq!(rules(&flag), NONE);
    let mut early = flag;
    early.swap(2, 3);
    assert_eq!(rules(&early), ["write-read"]);
    // An atomic that returns nothing acquires nothing.
    let silent = [(Store, 0, A), (Add, 0, B), (SilentAdd, 1, B), (Load, 1, A)];
    assert_eq!(rules(&silent), ["write-read"]);
}

/// A load by which a lane guesses whether its atomic is worth it.
#[test]
fn a_guess_of_a_lane_is_none() {
    let guesses = [
        (Load, 0, A),
        (Load, 1, A),
        (SilentMin, 0, A),
        (SilentMin, 1, A),
    ];
    assert_eq!(rules(&guesses), NONE);
}

#[test]
fn lanes_that_store_to_lds_at_once_are_compared() {
    let over = |op: Op, lane: u8| {
        let over = Some(Over { lane: 0, byte: 0 });
        let both = [0, lane].map(|lane| AccessRun::of(op.record(lane, A, 4)));
        [both[0], AccessRun { over, ..both[1] }]
    };
    let rules = |lanes, runs: &[AccessRun]| {
        let mut script = script(lanes);
        script.runs((0, 0), runs, SliceEnd::Barrier(0));
        // The value is read later, by all.
        script.end((0, 0), &[(LdsLoad, A)]).rules()
    };
    assert_eq!(rules(None, &over(LdsStore, 1)), NONE);
    assert_eq!(rules(Some(1), &over(LdsStore, 1)), ["lanes"]);
    assert_eq!(rules(Some(32), &over(LdsStore, 1)), NONE);
    assert_eq!(rules(Some(32), &over(LdsStore, 32)), ["lanes"]);
}

#[test]
fn bytes_of_a_dword_are_apart() {
    let store = |op: Op, lane: u8| AccessRun::of(op.record(lane, A + u64::from(lane), 1));
    let mut script = script(Some(1));
    let all = [0, 1, 2, 3].map(|lane| store(LdsStore, lane));
    script.runs((0, 0), &all, SliceEnd::GoesOn);
    let own = [0, 1, 2, 3].map(|lane| store(LdsOtherStore, lane));
    script.runs((0, 0), &own, SliceEnd::GoesOn);
    assert_eq!(script.rules(), NONE);
    script.runs((0, 0), &runs(&[(LdsLoad, 0, A)]), SliceEnd::Ended);
    assert_eq!(script.rules(), ["write-read"]);
}
