//! Tests of lanes of one store that leave different values at one place, and of rows of lanes.

use wavetank_memory::{AccessRun, Over};

use super::script::*;
use crate::watch::SliceEnd;

const A: u64 = 0x1000;

/// Returns stores of lanes 0 and 1 to one dword; the second one overwrites another value.
fn both(op: Op, address: u64) -> [AccessRun; 2] {
    let lane = |lane| AccessRun::of(op.record(lane, address, 4));
    let over = Some(Over { lane: 0, byte: 2 });
    [lane(0), AccessRun { over, ..lane(1) }]
}

fn script(op: Op) -> Script {
    let mut script = Script::new(1);
    script.runs((0, 0), &both(op, A), SliceEnd::GoesOn);
    script
}

#[test]
fn lanes_that_store_different_values_are_reported_once() {
    let mut script = script(Store);
    script.runs((0, 0), &both(Store, A + 4), SliceEnd::GoesOn);
    let findings = script.findings();
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].rule, findings[0].times), ("lanes", 2));
    assert_eq!(
        findings[0].message,
        "data race: global memory bytes 0x1000..0x1004 are written by lanes 0 and 1 of wave 0 of work-group (0, 0, 0) \
         at once, with different values"
    );
}

#[test]
fn equal_values_are_none() {
    let mut script = Script::new(1);
    let records = [0, 1].map(|lane| Store.record(lane, A, 4));
    script.time_slice((0, 0), &records, SliceEnd::Ended);
    assert_eq!(script.rules(), [""; 0]);
}

/// All lanes store their number, and read the winner.
#[test]
fn a_wave_that_looks_has_chosen_a_lane() {
    for (op, rules) in [(Load, vec![]), (OtherStore, vec![]), (CoherentLoad, vec![])] {
        let mut script = script(Store);
        script.go((0, 0), &[(op, A)]);
        assert_eq!(script.rules(), rules as Vec<&str>, "{op:?}");
    }
    // The wave reads elsewhere, or another wave reads.
    let mut elsewhere = script(Store);
    elsewhere.go((0, 0), &[(Load, A + 4)]);
    assert_eq!(elsewhere.rules(), ["lanes"]);
    let mut other = script(Store);
    other.go((1, 0), &[(CoherentLoad, A)]);
    assert_eq!(other.rules(), ["lanes"]);
}

#[test]
fn stores_that_may_be_atomic_are_none() {
    assert_eq!(script(CoherentStore).rules(), [""; 0]);
    // A dword that atomics use.
    let mut lock = Script::new(1);
    lock.go((0, 0), &[(Swap, A)]);
    lock.runs((0, 0), &both(Store, A), SliceEnd::GoesOn);
    assert_eq!(lock.rules(), [""; 0]);
}

/// A wave stores to a part of a row that another wave accesses, across two pages.
#[test]
fn a_conflict_in_a_row_is_reported_at_its_place() {
    let row = |op: Op, first: u64, lanes: u8| {
        let records = (0..lanes).map(|lane| op.record(lane, first + 4 * u64::from(lane), 4));
        records.collect::<Vec<_>>()
    };
    let mut script = Script::new(1);
    script.time_slice((0, 0), &row(Store, 0x1420, 4), SliceEnd::GoesOn);
    script.time_slice((1, 0), &row(Load, 0x13f0, 64), SliceEnd::GoesOn);
    let findings = script.findings();
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].rule, findings[0].times), ("write-read", 4));
    let message = &findings[0].message;
    assert!(
        message
            .contains("bytes 0x1420..0x1424 are read by wave 0 of work-group (1, 0, 0), lane 12"),
        "{message}"
    );
}
