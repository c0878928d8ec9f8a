//! Tests of footprints: the bytes that copies and other launches must not access at the same time.

use std::ops::Range;

use super::script::{Script, *};
use crate::race::{Footprint, Kept};
use crate::watch::Watcher;

/// A dword in the middle of a page.
const A: u64 = 0x5010;

/// Returns the footprint of a launch of one wave.
fn launch(steps: &[(Op, u64)]) -> Footprint {
    launch_with(0..0, steps)
}

/// Returns the footprint of a launch of one wave with scratch.
fn launch_with(scratch: Range<u64>, steps: &[(Op, u64)]) -> Footprint {
    let kept = Kept::default();
    let mut script = Script::new(1);
    script.race = script.race.with_footprint(Some(kept.clone()));
    script.race.scratch_begins(scratch);
    script.end((0, 0), steps);
    script.rules();
    let footprint = kept.lock().unwrap().take();
    footprint.unwrap()
}

/// Returns the access of the launch that conflicts with writes, and with reads.
fn met(of: &Footprint, address: u64, bytes: u64) -> [Option<&'static str>; 2] {
    [true, false].map(|written| Some(of.meets(address..address + bytes, written)?.noun))
}

#[test]
fn copies_meet_what_is_written_and_overwrite_what_is_read() {
    let of = launch(&[(Load, A), (Store, A + 8), (SilentAdd, A + 16)]);
    assert_eq!(met(&of, A, 4), [Some("load"), None]);
    assert_eq!(met(&of, A + 4, 4), [None, None]);
    assert_eq!(met(&of, A + 8, 4), [Some("store"); 2]);
    assert_eq!(met(&of, A + 16, 4), [Some("atomic"); 2]);
    // Bytes of a dword, and ranges that begin before it and are long.
    assert_eq!(met(&of, A + 11, 1), [Some("store"); 2]);
    assert_eq!(met(&of, 0, A), [None, None]);
    assert_eq!(met(&of, 0, A + 1), [Some("load"), None]);
    assert_eq!(met(&of, A + 20, u64::MAX / 2), [None, None]);
}

#[test]
fn a_meeting_has_the_bytes_of_one_instruction() {
    let steps = [
        (Store, A),
        (Store, A + 4),
        (OtherStore, A + 8),
        (Store, A + 16),
    ];
    let of = launch(&steps);
    let bytes = |start, end| of.meets(start..end, false).unwrap().bytes;
    assert_eq!(bytes(A - 100, A + 100), A..A + 8);
    assert_eq!(bytes(A + 2, A + 6), A + 2..A + 6);
    assert_eq!(bytes(A + 8, A + 100), A + 8..A + 12);
    let meeting = of.meets(A..A + 4, false).unwrap();
    assert_eq!(meeting.pc, Store.pc());
    assert_eq!(meeting.actor, "wave 0 of work-group (0, 0, 0), lane 0");
}

#[test]
fn launches_meet_where_one_writes() {
    let nouns = |a: &[(Op, u64)], b: &[(Op, u64)]| {
        let (a, b) = (launch(a), launch(b));
        a.meets_launch(&b).map(|(a, b)| (a.noun, b.noun))
    };
    assert_eq!(nouns(&[(Store, A)], &[(Load, A)]), Some(("store", "load")));
    assert_eq!(nouns(&[(Load, A)], &[(Store, A)]), Some(("load", "store")));
    assert_eq!(nouns(&[(Store, A)], &[(Add, A)]), Some(("store", "atomic")));
    assert_eq!(nouns(&[(Load, A)], &[(Load, A)]), None);
    assert_eq!(nouns(&[(Add, A)], &[(SilentAdd, A)]), None);
    assert_eq!(nouns(&[(Store, A)], &[(Load, A + 4)]), None);
}

#[test]
fn launches_order_themselves_by_atomics_and_coherent_accesses() {
    let [plain, atomic, load, store] =
        [Store, Add, CoherentLoad, CoherentStore].map(|op| launch(&[(op, A)]));
    assert!(atomic.orders_with(&load) && load.orders_with(&store));
    assert!(!plain.orders_with(&atomic) && !atomic.orders_with(&launch(&[(Add, A + 4)])));
    assert!(load.orders(A..A + 4) && load.orders(0..u64::MAX / 2));
    assert!(!load.orders(A + 4..A + 8) && !plain.orders(A..A + 4));
}

#[test]
fn a_launch_communicates_where_it_writes_or_looks() {
    let shared = |address: u64| address / 0x1000 == 5;
    let communicates = |op, address| launch(&[(op, address)]).communicates(shared);
    assert!(communicates(Store, A) && communicates(Add, A) && communicates(CoherentLoad, A));
    assert!(!communicates(Load, A));
    assert!(!communicates(Store, A + 0x1000) && !communicates(CoherentLoad, A + 0x1000));
}

#[test]
fn scratch_is_nobodys_when_the_launch_is_over() {
    let with = |scratch| met(&launch_with(scratch, &[(Store, A)]), A, 4);
    assert_eq!(with(0x5000..0x6000), [None, None]);
    assert_eq!(with(0x6000..0x7000), [Some("store"); 2]);
}
