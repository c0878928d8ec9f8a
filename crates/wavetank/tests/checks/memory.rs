//! The tool `memory`: what is found of accesses to global memory and scratch, and how a kernel goes on.

use wavetank::Chip;
use wavetank::check::Tool;

use crate::common::bench::*;

#[test]
fn loads_give_zero_in_the_lanes_that_are_out_of_bounds() {
    on_each(Chip::Gfx900, |b| {
        let given: Vec<u32> = (100..164).collect();
        let input = b.buffer(&given);
        let run = |others: &[(usize, u32)]| {
            let offsets = b.buffer(&offsets(others));
            let load = [
                "v_mov_b32 v2, 7",
                "global_load_dword v2, v3, s[8:9]",
                "s_waitcnt vmcnt(0)",
                STORE,
            ];
            b.load(
                &[offsets.address(), input.address()],
                &code(&[&OFFSETS, &load]),
            );
            b.checked()
        };
        assert_eq!(run(&[]), []);
        assert_eq!(b.result(), given);
        let findings = run(&[(5, 256), (9, 300)]);
        let mut wanted = given.clone();
        (wanted[5], wanted[9]) = (0, 0);
        assert_eq!(b.result(), wanted);
        let found = one(&findings);
        assert_eq!(
            (found.tool, found.rule, found.times),
            (Tool::Memory, "out-of-bounds", 1)
        );
        assert_eq!(found.kernel, "blank");
        let end = input.address() + 256;
        let message = format!("a load of 4 bytes at {end:#x}, which is outside every allocation");
        assert_eq!(found.message, message);
        let place = &found.at.place;
        assert_eq!(
            place.instruction.as_deref(),
            Some("global_load_dword v2, v3, s[8:9]")
        );
        assert_eq!(place.symbol.as_ref().unwrap().0, "blank");
        assert_eq!(
            found.notes[0],
            "work-group (0, 0, 0), wave 0, lanes 5 and 9"
        );
        let nearest = &found.notes[1];
        assert!(
            nearest.starts_with("the nearest allocation is "),
            "{nearest}"
        );
        assert!(nearest.contains("(256 bytes at 0x"), "{nearest}");
        assert!(
            nearest.ends_with("which ends directly before it"),
            "{nearest}"
        );
    });
}

#[test]
fn stores_out_of_bounds_do_not_happen() {
    on_each(Chip::Gfx900, |b| {
        let far = 0x1000_0000;
        let offsets = b.buffer(&offsets(&[(0, far), (63, far)]));
        let store = ["v_add_u32 v2, 1, v0", "global_store_dword v3, v2, s[4:5]"];
        b.load(&[offsets.address()], &code(&[&OFFSETS, &store]));
        let findings = b.checked();
        let mut wanted: Vec<u32> = (1..=64).collect();
        (wanted[0], wanted[63]) = (UNTOUCHED, UNTOUCHED);
        assert_eq!(b.result(), wanted);
        let found = one(&findings);
        assert_eq!(found.rule, "out-of-bounds");
        assert!(
            found.message.starts_with("a store of 4 bytes at 0x"),
            "{found:?}"
        );
        assert!(found.notes[0].ends_with("lanes 0 and 63"), "{found:?}");
    });
}

/// Of a place of 16 bytes that ends beyond a buffer nothing is stored.
#[test]
fn wide_accesses_are_done_or_not() {
    on_each(Chip::Gfx900, |b| {
        let offsets = b.buffer(&offsets(&[(1, 248)]));
        let two = ["v_cmp_gt_u32 vcc, 2, v0", "s_and_b64 exec, exec, vcc"];
        let data = [
            "v_mov_b32 v4, 1",
            "v_mov_b32 v5, 2",
            "v_mov_b32 v6, 3",
            "v_mov_b32 v7, 4",
        ];
        let wide = [
            "global_store_dwordx4 v3, v[4:7], s[4:5]",
            "global_load_dwordx4 v[8:11], v3, s[4:5]",
            "s_waitcnt vmcnt(0)",
            "v_lshlrev_b32 v12, 4, v0",
            "global_store_dwordx4 v12, v[8:11], s[8:9]",
        ];
        let seen = b.buffer(&[9; 8]);
        b.load(
            &[offsets.address(), seen.address()],
            &code(&[&OFFSETS, &two, &data, &wide]),
        );
        let findings = b.checked();
        let rules: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.notes[0].as_str()))
            .collect();
        let lane = "work-group (0, 0, 0), wave 0, lane 1";
        assert_eq!(rules, [("out-of-bounds", lane), ("out-of-bounds", lane)]);
        assert_eq!(seen.read::<u32>().unwrap(), [1, 2, 3, 4, 0, 0, 0, 0]);
        let mut wanted = [UNTOUCHED; 64];
        wanted[..4].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(b.result(), wanted);
    });
}

#[test]
fn halves_that_are_not_loaded_stay() {
    on_each(Chip::Gfx900, |b| {
        let offsets = b.buffer(&offsets(&[(4, 256)]));
        let load = [
            "v_mov_b32 v2, 0x77778888",
            "global_load_short_d16_hi v2, v3, s[8:9]",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        let input = b.buffer(&[0x5555_1234; 64]);
        b.load(
            &[offsets.address(), input.address()],
            &code(&[&OFFSETS, &load]),
        );
        let findings = b.checked();
        assert_eq!(one(&findings).rule, "out-of-bounds");
        let mut wanted = [0x1234_8888; 64];
        wanted[4] = 0x8888;
        assert_eq!(b.result(), wanted);
    });
}

/// What is there of the dwords is loaded; a store of which one is not there does not happen.
#[test]
fn scalar_accesses_give_what_is_there() {
    on_each(Chip::Gfx900, |b| {
        let two = b.buffer(&[11, 22]);
        let numbers =
            |first: u32| [0, 1, 2, 3].map(|n| format!("v_writelane_b32 v2, s{}, {n}", first + n));
        let reported = numbers(12);
        let mut lines = vec![
            "v_mov_b32 v2, 5",
            "s_mov_b32 s14, 7",
            "s_mov_b32 s15, 7",
            "s_load_dwordx4 s[12:15], s[6:7], 0x0",
            "s_waitcnt lgkmcnt(0)",
        ];
        lines.extend(reported.iter().map(String::as_str));
        lines.extend([STORE, "s_store_dwordx4 s[12:15], s[6:7], 0x0"]);
        b.load(&[two.address()], &lines);
        let findings = b.checked();
        assert_eq!(b.result()[..5], [11, 22, 0, 0, 5]);
        let [load, store] = &findings[..] else {
            panic!("{findings:?}")
        };
        assert!(
            load.message.starts_with("a load of 16 bytes at 0x"),
            "{load:?}"
        );
        assert!(
            store.message.starts_with("a store of 16 bytes at 0x"),
            "{store:?}"
        );
        assert_eq!(load.notes[0], "work-group (0, 0, 0), wave 0");
        assert_eq!(two.read::<u32>().unwrap(), [11, 22]);
    });
}

#[test]
fn atomics_return_zero_where_they_are_not_done() {
    on_each(Chip::Gfx900, |b| {
        let cells = b.buffer(&[40; 64]);
        let offsets = b.buffer(&offsets(&[(2, 256), (3, 4 * 3 + 2)]));
        let add = [
            "v_mov_b32 v4, 2",
            "v_mov_b32 v2, 9",
            "global_atomic_add v2, v3, v4, s[8:9] glc",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        b.load(
            &[offsets.address(), cells.address()],
            &code(&[&OFFSETS, &add]),
        );
        let findings = b.checked();
        let reported: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.notes[0].as_str()))
            .collect();
        let wave = "work-group (0, 0, 0), wave 0, lane";
        let [out, crooked] = [2, 3].map(|lane| format!("{wave} {lane}"));
        assert_eq!(
            reported,
            [
                ("out-of-bounds", out.as_str()),
                ("misaligned", crooked.as_str())
            ]
        );
        let with = |value: u32, others: u32| {
            let mut all = vec![others; 64];
            (all[2], all[3]) = (value, value);
            all
        };
        assert_eq!(b.result(), with(0, 40));
        // Nobody does it to what those two would.
        assert_eq!(cells.read::<u32>().unwrap(), with(40, 42));
    });
}

#[test]
fn what_was_freed_is_named() {
    on_each(Chip::Gfx900, |b| {
        let gone = b.buffer(&[5; 64]);
        let address = gone.address();
        let lines = [
            "global_load_dword v2, v1, s[6:7]",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        b.load(&[address], &lines);
        assert_eq!(b.checked(), []);
        drop(gone);
        let findings = b.checked();
        let found = one(&findings);
        assert_eq!(found.rule, "after-free");
        assert!(
            found.message.contains(&format!("at {address:#x},")),
            "{found:?}"
        );
        let was = format!("it is 0 bytes into a buffer (256 bytes at {address:#x})");
        assert_eq!(found.notes[1], was);
        assert!(found.notes[0].ends_with("lanes 0 to 63"), "{found:?}");
        assert_eq!(b.result(), [0; 64]);
    });
}

#[test]
fn code_stays_as_it_is() {
    on_each(Chip::Gfx900, |b| {
        let code = b.entry() + 1024;
        b.load(
            &[code],
            &[
                "global_store_dword v1, v0, s[6:7]",
                "v_mov_b32 v2, 3",
                STORE,
            ],
        );
        let mut before = [0; 256];
        let registry = b.device.registry();
        registry.read(code, &mut before).unwrap();
        let findings = b.checked();
        let found = one(&findings);
        assert_eq!(found.rule, "read-only");
        assert!(
            found.message.ends_with("which the kernel may only read"),
            "{found:?}"
        );
        let mut after = [0; 256];
        registry.read(code, &mut after).unwrap();
        assert_eq!(before, after);
        assert_eq!(b.result(), [3; 64]);
    });
}

/// A lane has 16 bytes of scratch.
#[test]
fn scratch_ends_at_both_sides() {
    on_each(Chip::Gfx900, |b| {
        let offsets = b.buffer(&offsets(&[(0, 16), (1, 0xffff_fffc)]));
        let lines = [
            "v_and_b32 v4, 12, v3",
            "v_cmp_gt_u32 vcc, 2, v0",
            "v_cndmask_b32 v3, v4, v3, vcc",
            "v_mov_b32 v5, 6",
            "scratch_store_dword v3, v5, off",
            "v_mov_b32 v2, 8",
            "scratch_load_dword v2, v3, off",
            "s_waitcnt vmcnt(0)",
            STORE,
        ];
        b.load(&[offsets.address()], &code(&[&OFFSETS, &lines]));
        let findings = b.checked();
        let reported: Vec<_> = findings
            .iter()
            .map(|f| (f.rule, f.notes[0].rsplit(", ").next().unwrap()))
            .collect();
        let both = [("stack-overflow", "lane 0"), ("scratch", "lane 1")];
        assert_eq!(reported, [both, both].concat());
        let mut wanted = [6; 64];
        (wanted[0], wanted[1]) = (0, 0);
        assert_eq!(b.result(), wanted);
    });
}

/// A descriptor of a buffer at an address with so many bytes, in s[8:11], and a load by it in all lanes.
fn by_descriptor(b: &Bench, base: u64, bytes: u32) -> Vec<wavetank::Finding> {
    let words = [base as u32, (base >> 32) as u32, bytes, 0x2_7fac];
    let set = (8..)
        .zip(words)
        .map(|(n, word)| format!("s_mov_b32 s{n}, {word:#x}"));
    let set: Vec<String> = set.collect();
    let load = [
        "buffer_load_dword v2, v1, s[8:11], 0 offen",
        "s_waitcnt vmcnt(0)",
    ];
    let lines: Vec<&str> = set.iter().map(String::as_str).chain(load).collect();
    b.load(&[], &lines);
    b.checked()
}

/// What is beyond the bytes of a descriptor gives 0, as on a chip; what it promises has to be there.
#[test]
fn descriptors_of_buffers_are_reported() {
    on_each(Chip::Gfx900, |b| {
        let buffer = b.buffer(&[7; 32]);
        let at = buffer.address();
        assert_eq!(by_descriptor(&b, at, 128), []);
        let findings = by_descriptor(&b, at, 160);
        let found = one(&findings);
        assert_eq!(found.rule, "out-of-bounds");
        let said = found.notes.last().unwrap();
        let wanted = format!(
            "the buffer of s[8:11] begins at {at:#x}, and has 160 bytes: it ends 32 bytes after"
        );
        assert!(said.starts_with(&wanted), "{said}");
        let findings = by_descriptor(&b, 0x1000, 256);
        let found = one(&findings);
        assert_eq!(found.rule, "descriptor");
        assert_eq!(
            found.notes.last().unwrap(),
            "the buffer of s[8:11] begins at 0x1000, which is outside every allocation, and has 256 bytes"
        );
    });
}
