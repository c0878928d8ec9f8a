//! Launches with findings: how often they are reported, and how launches end.

use wavetank::check::Tools;
use wavetank::{Chip, Device};

use crate::common::bench::*;
use crate::common::each;

#[test]
fn equal_findings_are_counted() {
    on_each(Chip::Gfx900, |b| {
        let lines = [
            "s_mov_b32 s12, 5",
            "global_load_dword v2, v1, s[6:7]",
            "s_waitcnt vmcnt(0)",
            "s_sub_u32 s12, s12, 1",
            "s_cmp_lg_u32 s12, 0",
            "s_cbranch_scc1 65530",
        ];
        b.load(&[0x10], &lines);
        let dispatch = b.kernel.dispatch().grid(4 * 128).block(128).check(MEMORY);
        let report = dispatch.run().unwrap();
        let found = one(&report.findings);
        // Eight waves, five times each; the earliest is reported.
        assert_eq!(found.times, 40);
        assert_eq!(
            found.notes[0],
            "work-group (0, 0, 0), wave 0, lanes 0 to 63"
        );
        assert_eq!((report.groups, report.waves), (4, 8));
    });
}

#[test]
fn a_kernel_can_stop_at_the_first() {
    on_each(Chip::Gfx900, |b| {
        let lines = [
            "global_load_dword v2, v1, s[6:7]",
            "global_load_dword v2, v1, s[8:9]",
        ];
        b.load(&[0x10, 0x1000], &lines);
        assert_eq!(b.checked().len(), 2);
        let plain = b.dispatch().run().unwrap_err();
        let error = b
            .dispatch()
            .check(MEMORY)
            .keep_going(false)
            .run()
            .unwrap_err();
        assert_eq!(error.to_string(), plain.to_string());
        assert_eq!(plain.findings(), []);
        let found = one(error.findings());
        assert_eq!(found.rule, "out-of-bounds");
        assert!(found.notes[0].ends_with("lane 0"), "{found:?}");
    });
}

#[test]
fn code_that_is_not_there_ends_the_launch() {
    on_each(Chip::Gfx900, |b| {
        b.load(
            &[0x10, 0x1000],
            &["global_load_dword v2, v1, s[6:7]", "s_setpc_b64 s[8:9]"],
        );
        let error = b.dispatch().check(MEMORY).run().unwrap_err();
        let [load, code] = error.findings() else {
            panic!("{:?}", error.findings())
        };
        assert_eq!((load.rule, code.rule), ("out-of-bounds", "code"));
        assert!(code.message.contains("0x1000"), "{code:?}");
        // What is merely not supported is none.
        b.load(&[], &["s_trap 3"]);
        let error = b.dispatch().check(MEMORY).run().unwrap_err();
        assert_eq!(error.findings(), []);
    });
}

/// `data/recursion.cl`, compiled for gfx900 by clang 19 without optimisation.
const RECURSION: &[u8] = include_bytes!("../data/recursion-gfx900.hsaco");

#[test]
fn a_stack_that_overflows_names_the_callers() {
    let device = Device::builder(Chip::Gfx900).build().unwrap();
    let out = device.buffer_zeroed(4 * 64).unwrap();
    let kernel = device.load(RECURSION).unwrap().kernel("beyond").unwrap();
    let dispatch = kernel.dispatch().grid(64).block(64);
    let report = dispatch.args(args![&out, 1000i32]).check(MEMORY).run();
    let findings = report.unwrap().findings;
    assert!(
        findings.iter().all(|f| f.rule == "stack-overflow"),
        "{findings:?}"
    );
    assert!(
        findings[0].message.starts_with("stack overflow: "),
        "{findings:?}"
    );
    let help = findings[0].help.as_deref().unwrap();
    assert!(
        help.ends_with("an index into a private array is out of range"),
        "{help}"
    );
}

/// A correct kernel gives the same, and nothing is found.
#[test]
fn correct_kernels_are_left_alone() {
    each("vecadd", |b| {
        for engine in ENGINES {
            let device = Device::builder(b.device.chip())
                .engine(engine)
                .build()
                .unwrap();
            let kernel = device
                .load(b.module.object().bytes())
                .unwrap()
                .kernel("vecadd")
                .unwrap();
            let x: Vec<f32> = (0..300).map(|i| i as f32 / 7.0).collect();
            let run = |tools: Tools| {
                let input = device.buffer_from(&x).unwrap();
                let out = device.buffer_zeroed(1200).unwrap();
                let dispatch = kernel.dispatch().grid(300).block(128).check(tools);
                let report = dispatch
                    .args(args![&input, &input, &out, 300u32])
                    .run()
                    .unwrap();
                assert_eq!(report.findings, [], "{}", b.label);
                out.read::<u32>().unwrap()
            };
            assert_eq!(run(Tools::default()), run(MEMORY), "{}", b.label);
        }
    });
    each("suite", |b| {
        let list: Vec<f32> = (1..=200).map(|i| i as f32).collect();
        let kernel = b.module.kernel("_Z8k_dynldsPf").unwrap();
        let buffer = b.device.buffer_from(&list).unwrap();
        let dispatch = kernel.dispatch().grid(200).block(200).arg(&buffer);
        let report = dispatch.dynamic_lds(800).check(MEMORY).run().unwrap();
        assert_eq!(report.findings, [], "{}", b.label);
        let turned: Vec<f32> = list.into_iter().rev().collect();
        assert_eq!(buffer.read::<f32>().unwrap(), turned, "{}", b.label);
    });
}
