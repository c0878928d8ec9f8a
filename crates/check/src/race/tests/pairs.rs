//! Tests of pairs of unordered accesses, and their findings.

use wavetank_memory::{AccessRecord, Lds, MemoryKind};

use super::script::*;
use crate::race::Race;
use crate::watch::SliceEnd;

const A: u64 = 0x40;

/// Returns the findings if waves 0 and 1 of a group do one access each.
fn two(first: Op, second: Op) -> Vec<&'static str> {
    let mut script = Script::new(2);
    script.go((0, 0), &[(first, A)]).go((0, 1), &[(second, A)]);
    script.rules()
}

#[test]
fn one_of_two_must_write() {
    assert_eq!(two(LdsStore, LdsLoad), ["write-read"]);
    assert_eq!(two(LdsLoad, LdsStore), ["read-write"]);
    assert_eq!(two(LdsStore, LdsOtherStore), ["write-write"]);
    assert!(two(LdsLoad, LdsLoad).is_empty());
    assert_eq!(two(Store, Load), ["write-read"]);
    assert_eq!(two(OtherLoad, Store), ["read-write"]);
    assert!(two(Load, OtherLoad).is_empty());
    assert_eq!(two(GdsStore, GdsLoad), ["write-read"]);
}

#[test]
fn atomics_need_an_order_to_plain_accesses_only() {
    assert!(two(LdsAdd, LdsSilentAdd).is_empty());
    assert!(two(SilentAdd, Swap).is_empty());
    assert!(two(GdsAdd, GdsAdd).is_empty());
    assert_eq!(two(LdsSilentAdd, LdsLoad), ["write-read"]);
    assert_eq!(two(LdsAdd, LdsStore), ["write-write"]);
    assert_eq!(two(LdsLoad, LdsAdd), ["read-write"]);
    assert_eq!(two(Store, Add), ["write-write"]);
    assert_eq!(two(Load, SilentAdd), ["read-write"]);
}

#[test]
fn coherent_accesses_need_an_order_to_plain_ones_of_which_one_writes() {
    assert!(two(Store, CoherentLoad).is_empty());
    assert!(two(CoherentLoad, Store).is_empty());
    assert!(two(Add, CoherentLoad).is_empty());
    assert!(two(CoherentLoad, Add).is_empty());
    assert!(two(CoherentStore, CoherentLoad).is_empty());
    assert!(two(CoherentStore, Add).is_empty());
    assert!(two(Add, CoherentStore).is_empty());
    assert_eq!(two(CoherentStore, Load), ["write-read"]);
    assert_eq!(two(Load, CoherentStore), ["read-write"]);
    assert_eq!(two(Store, CoherentStore), ["write-write"]);
}

#[test]
fn spinning_is_coherent_without_a_bit() {
    assert!(two(LdsStore, LdsSpin).is_empty());
    assert!(two(LdsSpin, LdsStore).is_empty());
    assert!(two(SpinLoad, Store).is_empty());
    assert!(two(SpinSwap, Store).is_empty());
    assert!(two(Store, SpinSwap).is_empty());
    assert_eq!(two(Swap, Store), ["write-write"]);
    assert_eq!(two(Store, Swap), ["write-write"]);
}

#[test]
fn a_compare_and_swap_that_fails_is_a_load() {
    for failed in [FailedSwap, SilentFailedSwap, SpinFailedSwap] {
        for load in [Load, OtherLoad, CoherentLoad, Swap, FailedSwap] {
            assert!(two(failed, load).is_empty(), "{failed:?}, {load:?}");
            assert!(two(load, failed).is_empty(), "{load:?}, {failed:?}");
        }
    }
    assert!(two(LdsFailedSwap, LdsLoad).is_empty());
    assert!(two(LdsLoad, LdsFailedSwap).is_empty());
    assert_eq!(two(WinningSwap, Load), ["write-read"]);
    assert_eq!(two(Load, WinningSwap), ["read-write"]);
    // A plain store clashes with it, unless it waits for the store.
    assert_eq!(two(LdsStore, LdsFailedSwap), ["write-read"]);
    assert_eq!(two(LdsFailedSwap, LdsStore), ["read-write"]);
    assert_eq!(two(Store, SilentFailedSwap), ["write-read"]);
    assert_eq!(two(SilentFailedSwap, Store), ["read-write"]);
    assert!(two(SpinFailedSwap, Store).is_empty());
    assert!(two(Store, SpinFailedSwap).is_empty());
}

#[test]
fn reads_before_a_compare_and_swap_that_fails_are_kept() {
    let mut script = Script::new(3);
    script.go((0, 0), &[(Load, A)]).go((0, 1), &[(Load, A)]);
    script.go((0, 2), &[(FailedSwap, A)]);
    script.go((0, 1), &[(Store, A)]);
    assert_eq!(script.findings()[0].related[0].place.pc, Load.pc());
}

/// A plain store frees a lock if its wave has taken it.
#[test]
fn only_a_wave_that_has_taken_a_lock_frees_it() {
    let lock = |first: Op| {
        let mut script = Script::new(2);
        script.go((0, 0), &[(first, A), (Store, A)]);
        script.go((0, 1), &[(FailedSwap, A), (WinningSwap, A)]);
        script.rules()
    };
    assert!(lock(WinningSwap).is_empty());
    assert!(lock(Swap).is_empty());
    assert_eq!(lock(FailedSwap), ["write-read"]);
}

/// A wave that has failed orders no other after itself.
#[test]
fn a_compare_and_swap_that_fails_acquires_and_does_not_release() {
    let then = |first: Op, second: Op| {
        let mut script = Script::new(2);
        script.go((0, 0), &[(LdsStore, A), (first, A)]);
        script.go((0, 1), &[(second, A), (LdsLoad, A)]);
        script.rules()
    };
    assert!(then(WinningSwap, FailedSwap).is_empty());
    assert_eq!(then(FailedSwap, WinningSwap), ["write-read"]);
}

#[test]
fn of_an_unknown_instruction_nothing_is_said() {
    assert!(two(Unknown, CoherentLoad).is_empty());
    assert!(two(Add, Unknown).is_empty());
}

#[test]
fn a_wave_has_no_race_with_itself() {
    let mut script = Script::new(2);
    script.go((0, 1), &[(LdsStore, A), (LdsLoad, A), (LdsOtherStore, A)]);
    script.go((0, 1), &[(LdsLoad, A)]);
    assert!(script.rules().is_empty());
}

#[test]
fn groups_have_their_own_lds() {
    let mut script = Script::new(1);
    script
        .go((0, 0), &[(LdsStore, A)])
        .go((1, 0), &[(LdsLoad, A)]);
    assert!(script.rules().is_empty());
    let mut script = Script::new(1);
    script.go((0, 0), &[(Store, A)]).go((1, 0), &[(Load, A)]);
    assert_eq!(script.rules(), ["write-read"]);
}

#[test]
fn scratch_is_private() {
    let mut script = Script::new(2);
    for (wave, op) in [(0, Store), (1, Load)] {
        let record = AccessRecord {
            memory: MemoryKind::Scratch,
            ..op.record(0, A, 4)
        };
        script.time_slice((0, wave), &[record], SliceEnd::GoesOn);
    }
    assert!(script.rules().is_empty());
}

#[test]
fn accesses_must_share_bytes() {
    let find = |first: (u64, u32), second: (u64, u32)| {
        let mut script = Script::new(2);
        let store = LdsStore.record(0, first.0, first.1);
        let load = LdsLoad.record(0, second.0, second.1);
        script.time_slice((0, 0), &[store], SliceEnd::GoesOn);
        script.time_slice((0, 1), &[load], SliceEnd::GoesOn);
        !script.rules().is_empty()
    };
    assert!(!find((A, 1), (A + 1, 1)));
    assert!(!find((A, 2), (A + 2, 2)));
    assert!(!find((A + 4, 16), (A, 4)));
    assert!(find((A + 1, 2), (A + 2, 1)));
    assert!(find((A, 16), (A + 12, 4)));
    // Unaligned accesses.
    assert!(find((A + 3, 4), (A + 6, 1)));
    assert!(!find((A + 3, 4), (A + 7, 1)));
}

#[test]
fn halves_of_a_dword_are_followed_apart() {
    let mut script = Script::new(3);
    let store = |at| [LdsStore.record(0, at, 2)];
    script.time_slice((0, 0), &store(A), SliceEnd::GoesOn);
    script.time_slice((0, 1), &store(A + 2), SliceEnd::GoesOn);
    assert!(script.rules().is_empty());
    script.time_slice((0, 2), &[LdsLoad.record(7, A, 2)], SliceEnd::GoesOn);
    let [finding] = &script.findings()[..] else {
        panic!("one of the halves is read")
    };
    assert!(
        finding.message.ends_with("the store of wave 0, lane 0"),
        "{}",
        finding.message
    );
}

#[test]
fn each_of_two_readers_is_remembered() {
    for writer in 0..3 {
        let mut script = Script::new(3);
        for reader in 0..3 {
            script.go((0, reader), &[(LdsLoad, A)]);
        }
        script.go((0, writer), &[(LdsStore, A)]);
        assert!(script.rules().contains(&"read-write"), "{writer}");
    }
}

#[test]
fn the_last_reader_is_remembered_too() {
    let mut script = Script::new(1);
    for reader in 1..4 {
        script.go((reader, 0), &[(Load, A), (CoherentStore, 0x100 * reader)]);
    }
    // The wave waits for the first two of three.
    let writer = [(CoherentLoad, 0x100), (CoherentLoad, 0x200), (Store, A)];
    script.go((0, 0), &writer);
    let [finding] = &script.findings()[..] else {
        panic!("one reader is left")
    };
    assert!(
        finding.message.contains("work-group (3, 0, 0)"),
        "{}",
        finding.message
    );
}

#[test]
fn the_message_names_both_sides() {
    let mut script = Script::new(2);
    let lanes = |op: Op| [3, 4].map(|lane: u8| op.record(lane, 0x34 + 4 * u64::from(lane), 4));
    script.time_slice((0, 0), &lanes(LdsStore), SliceEnd::GoesOn);
    script.time_slice((0, 1), &lanes(LdsLoad), SliceEnd::GoesOn);
    let [finding] = &script.findings()[..] else {
        panic!("one pair of instructions")
    };
    assert_eq!(
        finding.message,
        "data race: LDS bytes 0x40..0x44 are read by wave 1 of work-group (0, 0, 0), lane 3, \
         unordered with the store of wave 0, lane 3"
    );
    assert_eq!(finding.at.place.pc, LdsLoad.pc());
    assert_eq!(finding.related[0].place.pc, LdsStore.pc());
    let words = [&finding.at, &finding.related[0]].map(|mark| mark.words(false));
    assert_eq!(
        words,
        [
            "the load of wave 1, lane 3: block (0,0,0) thread (67,0,0)",
            "the store of wave 0, lane 3, which came first: block (0,0,0) thread (3,0,0)"
        ]
    );
    assert_eq!((finding.kernel.as_str(), finding.times), ("k", 2));
    assert!(finding.help.as_ref().unwrap().contains("s_barrier"));
}

#[test]
fn another_group_is_named_and_no_barrier_recommended() {
    let mut script = Script::new(1);
    script.go((5, 0), &[(OtherLoad, 0x1000)]);
    script.time_slice((2, 0), &[Store.record(63, 0x1002, 1)], SliceEnd::GoesOn);
    let [finding] = &script.findings()[..] else {
        panic!("one pair of instructions")
    };
    assert_eq!(
        finding.message,
        "data race: global memory bytes 0x1002..0x1003 are written by wave 0 of work-group (2, 0, 0), lane 63, \
         unordered with the load of wave 0 of work-group (5, 0, 0)"
    );
    let help = finding.help.as_ref().unwrap();
    assert!(
        help.contains("divide the kernel into two launches"),
        "{help}"
    );
}

#[test]
fn equal_races_are_counted_not_kept() {
    let mut script = Script::new(1);
    for group in 0..100 {
        let lanes = (0..64).map(|lane| Load.record(lane, 4 * u64::from(lane), 4));
        let lanes: Vec<AccessRecord> = lanes.collect();
        script.time_slice((1 + group, 0), &lanes, SliceEnd::GoesOn);
    }
    let stores: Vec<AccessRecord> = (0..64)
        .map(|lane| Store.record(lane, 4 * u64::from(lane), 4))
        .collect();
    script.time_slice((0, 0), &stores, SliceEnd::Ended);
    let [finding] = &script.findings()[..] else {
        panic!("one pair of instructions")
    };
    // Two readers of each dword are recorded.
    assert_eq!((finding.rule, finding.times), ("read-write", 128));
    assert!(script.rules().is_empty(), "they are reported once");
}

#[test]
fn the_lds_of_a_group_is_forgotten_with_it() {
    let mut script = Script::new(2);
    script.end((0, 0), &[(LdsStore, A)]);
    assert!(script.race.waves.group(0).lds.is_some());
    script.end((0, 1), &[]);
    assert!(script.race.waves.group(0).lds.is_none());
}

/// Returns the findings of time slices of groups that access a place, after which memory has the value given for each.
fn with_values(slices: &[(u64, &[AccessRecord], u32)]) -> Vec<&'static str> {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    static VALUE: AtomicU32 = AtomicU32::new(0);
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let mut script = Script::new(1);
    script.race = Race::new("k", inst_at()).with_reader(Box::new(|address, bytes| {
        let from = (address % 4) as usize;
        let value = VALUE.load(Relaxed).to_le_bytes();
        bytes.copy_from_slice(&value[from..from + bytes.len()]);
        address / 4 == A / 4
    }));
    for (group, records, value) in slices {
        VALUE.store(*value, Relaxed);
        script.time_slice((*group, 0), records, SliceEnd::GoesOn);
    }
    script.rules()
}

/// Returns the findings if two waves store by the same instruction, after which memory has the value `first` and then `second`.
fn same_store(first: u32, second: u32) -> Vec<&'static str> {
    let store = [Store.record(0, A, 2)];
    with_values(&[(0, &store, first), (1, &store, second)])
}

#[test]
fn a_wave_that_has_read_does_not_see_a_store_of_the_same() {
    let set_up = |bytes, value| {
        let whole = [Store.record(0, A, bytes), Load.record(0, A, 4)];
        with_values(&[(0, &whole, 1), (1, &[Store.record(0, A, 4)], value)])
    };
    assert!(set_up(4, 1).is_empty());
    assert_eq!(set_up(4, 2), ["same-store", "read-write"]);
    // The other bytes of the dword are unknown.
    assert_eq!(set_up(2, 1), ["read-write"]);
    let unknown: [&[AccessRecord]; 2] = [&[Load.record(0, A, 4)], &[Store.record(0, A, 4)]];
    let rules = with_values(&[(0, unknown[0], 0), (1, unknown[1], 0)]);
    assert_eq!(rules, ["read-write"]);
    // An atomic has changed the value since.
    let changed = [Add.record(0, A, 4), Load.record(0, A, 4)];
    let store: &[AccessRecord] = &[Store.record(0, A, 4)];
    let rules = with_values(&[(0, store, 1), (0, &changed, 2), (1, store, 1)]);
    assert!(rules.contains(&"read-write"), "{rules:?}");
}

#[test]
fn one_instruction_may_store_the_same_in_many_waves() {
    assert!(two(Store, Store).is_empty(), "the values are unknown");
    assert!(same_store(1, 1).is_empty());
    assert_eq!(same_store(1, 2), ["same-store"]);
    // Only the stored bytes count.
    assert!(same_store(0x10001, 0x20001).is_empty());
}

/// An unrolled loop has several such instructions for one line.
#[test]
fn other_instructions_may_store_the_same_too() {
    let both = |second: u32, address| {
        let (first, then) = ([Store.record(0, A, 4)], [OtherStore.record(0, address, 4)]);
        with_values(&[(0, &first, 1), (1, &then, second)])
    };
    assert!(both(1, A).is_empty());
    assert_eq!(both(2, A), ["write-write"]);
    // If the values are unknown, the race is reported.
    assert_eq!(two(Store, OtherStore), ["write-write"]);
    assert_eq!(two(LdsStore, LdsOtherStore), ["write-write"]);
}

/// Returns the findings if two waves of a group store to LDS, which then holds `first` and `second`.
fn in_lds(ops: [Op; 2], first: u32, second: u32) -> Vec<&'static str> {
    let mut script = Script::new(2);
    for (wave, (op, value)) in (0..).zip(ops.into_iter().zip([first, second])) {
        script.lds = Lds::from_dwords(&[0, value]);
        script.time_slice((0, wave), &[op.record(0, 4, 2)], SliceEnd::GoesOn);
    }
    script.rules()
}

#[test]
fn one_instruction_may_store_the_same_to_lds_too() {
    assert!(in_lds([LdsStore, LdsStore], 1, 1).is_empty());
    assert_eq!(in_lds([LdsStore, LdsStore], 1, 2), ["same-store"]);
    // Only the stored bytes count.
    assert!(in_lds([LdsStore, LdsStore], 0x10001, 0x20001).is_empty());
    // Other instructions are reported whatever they store, and stores that others have read.
    assert_eq!(in_lds([LdsStore, LdsOtherStore], 1, 1), ["write-write"]);
    assert_eq!(in_lds([LdsLoad, LdsStore], 1, 1), ["read-write"]);
}

/// A wave reads a counter, counts without a result, and so do others. Who was first is luck.
#[test]
fn a_read_is_remembered_when_its_wave_has_counted() {
    let counted = |read: Op, first: Op, then: Op| {
        let mut script = Script::new(2);
        script.go((0, 0), &[(read, A), (first, A)]);
        script.go((0, 1), &[(then, A)]);
        script.rules()
    };
    assert_eq!(counted(Load, SilentAdd, SilentAdd), ["read-write"]);
    assert_eq!(counted(LdsLoad, LdsSilentAdd, LdsSilentAdd), ["read-write"]);
    // An atomic with a result is in order with the atomic, and so with the read before it.
    assert!(counted(Load, SilentAdd, Add).is_empty());
    assert!(counted(Load, Add, Add).is_empty());
    assert!(counted(CoherentLoad, SilentAdd, SilentAdd).is_empty());
    // A store is reported because of the atomic, and not a second time.
    assert_eq!(counted(Load, SilentAdd, Store), ["write-write"]);
}

/// Two readers are remembered. One before the last atomics makes room for those after them.
#[test]
fn reads_before_atomics_make_room_for_later_ones() {
    let mut script = Script::new(4);
    script
        .go((0, 0), &[(Load, A)])
        .go((0, 2), &[(SilentAdd, A)]);
    assert_eq!(script.rules(), ["read-write"]);
    // Wave 1 stores what wave 3 has read.
    script.go((0, 3), &[(Load, A)]).go((0, 1), &[(Load, A)]);
    script.go((0, 1), &[(Store, A)]);
    assert!(script.rules().contains(&"read-write"));
}
