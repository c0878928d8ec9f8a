//! The tool `memory` beyond the LDS, and instructions that are done again.

use wavetank::check::Finding;
use wavetank::{Chip, EngineChoice, Error};

use crate::common::bench::*;

/// What stands in the last lines runs with the tool as it does without: beyond the LDS a chip gives 0 and drops stores. Of
/// the group 256 bytes are LDS.
fn lds(chip: Chip, offsets: &[u32], lines: &[&str]) -> Vec<Finding> {
    let load = match chip {
        Chip::Gfx803 => vec![
            "s_mov_b32 m0, -1",
            "v_add_u32 v4, vcc, s6, v1",
            "v_mov_b32 v5, s7",
            "v_addc_u32 v5, vcc, 0, v5, vcc",
            "flat_load_dword v3, v[4:5]",
            "s_waitcnt vmcnt(0) lgkmcnt(0)",
            "ds_write_b32 v1, v0",
        ],
        _ => code(&[&OFFSETS, &["ds_write_b32 v1, v0"]]),
    };
    let store = match chip {
        Chip::Gfx803 => vec![
            "v_add_u32 v4, vcc, s4, v1",
            "v_mov_b32 v5, s5",
            "v_addc_u32 v5, vcc, 0, v5, vcc",
            "s_waitcnt lgkmcnt(0)",
            "flat_store_dword v[4:5], v2",
        ],
        _ => vec!["s_waitcnt lgkmcnt(0)", STORE],
    };
    let lines = code(&[&load, lines, &store]);
    let found = ENGINES.map(|engine| {
        let b = Bench::new(chip, engine);
        let offsets = b.buffer(offsets);
        b.load(&[offsets.address()], &lines);
        let plain = b.dispatch().run().unwrap();
        let wanted = b.result();
        b.out.write_at(0, &[UNTOUCHED; 64]).unwrap();
        let report = b.dispatch().check(MEMORY).run().unwrap();
        assert_eq!(b.result(), wanted, "{engine}");
        assert_eq!(report.lds_overruns, None);
        assert_eq!(plain.lds_overruns.is_none(), report.findings.is_empty());
        let mut findings = report.findings;
        // Where modules are loaded is not the point.
        for finding in &mut findings {
            finding.at.place.pc = 0;
        }
        findings
    });
    let [first, others @ ..] = found;
    for other in others {
        assert_eq!(first, other);
    }
    first
}

#[test]
fn accesses_beyond_the_lds_are_found_lane_by_lane() {
    let chips = [Chip::Gfx900, Chip::Gfx803];
    for chip in chips {
        let read = ["v_mov_b32 v2, 9", "ds_read_b32 v2, v3"];
        assert_eq!(lds(chip, &offsets(&[]), &read), []);
        let findings = lds(chip, &offsets(&[(7, 256), (8, 300)]), &read);
        let found = one(&findings);
        assert_eq!((found.rule, found.times), ("lds", 1));
        assert_eq!(
            found.message,
            "a load of 4 bytes at offset 256 of an LDS of 256 bytes"
        );
        assert_eq!(found.notes, ["work-group (0, 0, 0), wave 0, lanes 7 and 8"]);
        assert!(found.help.is_some());
    }
}

/// On gfx6 an address in LDS is looked at before an offset is added. It is computed in the block of the access, and nobody
/// reads it after that, so that code which is compiled to run on need not keep it.
#[test]
fn registers_are_there_when_an_access_is_done_again() {
    on_each(Chip::Gfx600, |b| {
        let lines = [
            "v_cmp_eq_u32 vcc, 7, v0",
            "v_mov_b32 v4, 0x400",
            "v_cndmask_b32 v3, v1, v4, vcc",
            "v_mov_b32 v10, v1",
            "v_mov_b32 v11, 0",
            "s_mov_b32 m0, -1",
            "ds_write_b32 v1, v0",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v7, 4, v3",
            "ds_read_b32 v2, v7 offset:4",
            "s_waitcnt lgkmcnt(0)",
            "buffer_store_dword v2, v[10:11], s[4:7], 0 addr64",
        ];
        // The other half of the descriptor of `out`.
        b.load(&[0xf000 << 32], &lines);
        let findings = b.checked();
        // Lane 62 comes to offset 256.
        let notes = ["work-group (0, 0, 0), wave 0, lanes 7 and 62"];
        assert_eq!(
            (one(&findings).rule, &one(&findings).notes[..]),
            ("lds", &notes.map(str::to_owned)[..])
        );
        let read = |lane: u32| {
            if [7, 62].contains(&lane) {
                0
            } else {
                (lane ^ 1) + 1
            }
        };
        assert_eq!(b.result(), (0..64).map(read).collect::<Vec<_>>());
    });
}

/// Both places of an instruction are one access; a result may go where the address was.
#[test]
fn pairs_of_places_are_done_again_as_a_whole() {
    let beyond = offsets(&[(3, 252), (4, 252), (5, 4000)]);
    for lines in [
        &[
            "ds_read2_b32 v[3:4], v3 offset1:1",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v2, v3, v4",
        ][..],
        &[
            "v_mov_b32 v4, v3",
            "ds_read2_b32 v[3:4], v4 offset1:1",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v2, v3, v4",
        ],
        &[
            "v_mov_b32 v5, 77",
            "ds_write2_b32 v3, v5, v0 offset1:1",
            "ds_read_b32 v2, v1",
        ],
        &["v_mov_b32 v2, 1", "ds_add_rtn_u32 v2, v3, v0"],
        &[
            "ds_read_b128 v[4:7], v3",
            "s_waitcnt lgkmcnt(0)",
            "v_xor_b32 v2, v4, v5",
        ],
    ] {
        let findings = lds(Chip::Gfx900, &beyond, lines);
        assert_eq!(one(&findings).rule, "lds", "{lines:?}");
    }
}

/// The first of its operations has been done when the second fails.
#[test]
fn two_atomics_at_once_are_not_done_again() {
    let b = Bench::new(Chip::Gfx900, EngineChoice::Interpreter);
    let lines = [
        "v_mov_b32 v3, 252",
        "ds_wrxchg2_rtn_b32 v[4:5], v3, v0, v0 offset1:1",
    ];
    b.load(&[], &lines);
    let error = b.dispatch().check(MEMORY).run().unwrap_err();
    assert!(matches!(error, Error::Fault(_)), "{error}");
    assert_eq!(one(error.findings()).rule, "lds");
}
