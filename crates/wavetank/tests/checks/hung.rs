//! The tool `sync`, where time is up.

use std::time::Duration;

use wavetank::check::{Tool, Tools};
use wavetank::{Chip, EngineChoice, Error};

use crate::common::bench::*;

/// A work-group takes most LDS of its unit, of which Vega 10 has 64, and each waits for one group more.
#[test]
fn a_grid_that_the_chip_does_not_hold_is_reported() {
    let bench = Bench::new(Chip::Gfx900, EngineChoice::Interpreter);
    let with = |inst: &str| {
        let code = [
            "s_mov_b32 m0, 0",
            "v_mov_b32 v2, 64",
            inst,
            "s_waitcnt lgkmcnt(0)",
        ];
        bench.load(&[], &code);
    };
    with("ds_gws_init v2 offset:3 gds");
    bench.dispatch().run().unwrap();
    with("ds_gws_barrier v2 offset:3 gds");
    let dispatch = bench.kernel.dispatch().grid(64 * 65).block(64);
    let dispatch = dispatch.dynamic_lds(40_000);
    let dispatch = dispatch.timeout(Duration::from_millis(500));
    let run = dispatch.check(Tools::of(&[Tool::Sync])).run();
    let error = run.unwrap_err();
    assert!(matches!(error, Error::Timeout(_)), "{error}");
    let finding = one(error.findings());
    assert_eq!(
        (finding.tool, finding.rule),
        (Tool::Sync, "cooperative-grid")
    );
    assert_eq!(
        finding.notes[1],
        "of 65 work-groups 1 have not begun: the chip holds 64 of this kernel at once"
    );
}

/// Wave 0 waits at a barrier, and wave 1 never comes there.
#[test]
fn waits_are_reported_when_time_is_up() {
    let bench = Bench::new(Chip::Gfx900, EngineChoice::Interpreter);
    let code = [
        "v_readfirstlane_b32 s0, v0",
        "s_cmp_eq_u32 s0, 0",
        "s_cbranch_scc0 1",
        "s_barrier",
        "s_branch 65535",
    ];
    bench.load(&[], &code);
    let dispatch = bench.kernel.dispatch().grid(128).block(128);
    let dispatch = dispatch.timeout(Duration::from_millis(300));
    let error = dispatch.check(Tools::of(&[Tool::Sync])).run().unwrap_err();
    let finding = one(error.findings());
    assert_eq!((finding.tool, finding.rule), (Tool::Sync, "no-end"));
    let at = |text: &Option<String>| text.clone().unwrap_or_default();
    assert!(
        at(&finding.at.place.instruction).starts_with("s_branch"),
        "{finding:?}"
    );
    let [other] = &finding.related[..] else {
        panic!("{finding:?}")
    };
    assert_eq!(at(&other.place.instruction), "s_barrier");
    assert_eq!(other.label, "a wave waits here");
    let without = bench.kernel.dispatch().grid(128).block(128);
    let without = without
        .timeout(Duration::from_millis(300))
        .run()
        .unwrap_err();
    assert!(without.findings().is_empty());
}
