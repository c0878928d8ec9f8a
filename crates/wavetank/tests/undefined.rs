//! The tool `init`: bits that mean nothing, followed one by one to what they decide.

use wavetank::check::{Finding, Tool, Tools};
use wavetank::{Chip, EngineChoice};

use crate::common::bench::Bench;
use crate::common::each;

const INIT: Tools = Tools::of(&[Tool::Init]);

/// Lanes of `v2` that are not defined become a finding here.
const DECIDE: [&str; 2] = [
    "v_cmp_ne_u32 vcc, 0, v2",
    "s_and_saveexec_b64 s[40:41], vcc",
];

const ENGINES: [EngineChoice; 2] = [EngineChoice::Interpreter, EngineChoice::Jit];

/// What each engine finds, which is the same.
fn found(lines: &[&str], host_reads: bool) -> Vec<Finding> {
    let [interpreted, compiled] = ENGINES.map(|engine| {
        let b = Bench::new(Chip::Gfx900, engine);
        b.load(&[], lines);
        let dispatch = b.dispatch().check(INIT).host_reads(host_reads);
        dispatch.run().unwrap().findings
    });
    // But for where the code lies.
    let summary = |findings: &[Finding]| -> Vec<_> {
        let summary = findings.iter().map(|f| {
            let places: Vec<_> = [&f.at].into_iter().chain(&f.related).cloned().collect();
            let symbols = places.into_iter().map(|mark| mark.place.symbol);
            (
                f.rule,
                symbols.collect::<Vec<_>>(),
                f.notes.clone(),
                f.times,
            )
        });
        summary.collect()
    };
    assert_eq!(summary(&compiled), summary(&interpreted), "{lines:?}");
    compiled
}

/// What is found of v2 after some instructions: which lanes are not defined.
fn lanes(lines: &[&str]) -> Option<String> {
    let findings = found(&[lines, &DECIDE].concat(), false);
    assert!(findings.len() < 2, "{lines:?}: {findings:#?}");
    findings.first().map(|finding| {
        assert_eq!(
            (finding.tool, finding.rule),
            (Tool::Init, "exec"),
            "{lines:?}"
        );
        finding.notes[0].clone()
    })
}

/// Of each bit is known whether it means something. v5, v6 and s30 hold nothing, v0 and v1 something.
#[test]
fn bits_are_followed_one_by_one() {
    let defined: &[&[&str]] = &[
        &["v_mov_b32 v2, v1"],
        // A product with 0, a bit that is cut off or shifted away.
        &["v_and_b32 v2, 0, v5"],
        &["v_or_b32 v2, -1, v5"],
        &["v_lshlrev_b32 v2, 8, v5", "v_and_b32 v2, 0xff, v2"],
        &["v_lshrrev_b32 v2, 24, v5", "v_and_b32 v2, 0xffffff00, v2"],
        &["v_bfe_u32 v2, v5, 8, 8", "v_lshrrev_b32 v2, 8, v2"],
        &["v_bfi_b32 v2, 0, v5, v1"],
        // Carries go up only.
        &[
            "v_lshlrev_b32 v5, 16, v5",
            "v_add_u32 v2, v5, v1",
            "v_and_b32 v2, 0xffff, v2",
        ],
        &[
            "v_lshlrev_b32 v5, 16, v5",
            "v_mul_lo_u32 v2, v5, v1",
            "v_and_b32 v2, 0xffff, v2",
        ],
        &["v_lshlrev_b32 v5, 24, v5", "v_mul_u32_u24 v2, v5, v1"],
        &[
            "v_mov_b32 v6, v1",
            "v_mad_u64_u32 v[2:3], vcc, v1, v1, v[6:7]",
        ],
        // What decides is defined.
        &[
            "v_mov_b32 v3, -1",
            "v_lshlrev_b32 v5, 1, v5",
            "v_or_b32 v5, 1, v5",
            "v_cmp_eq_u32 vcc, 0, v5",
            "v_cndmask_b32 v2, 0, v3, vcc",
        ],
        &[
            "v_and_b32 v5, 7, v5",
            "v_cmp_gt_u32 vcc, 8, v5",
            "v_cndmask_b32 v2, 0, v1, vcc",
        ],
        &[
            "v_and_b32 v5, 7, v5",
            "v_cmp_gt_i32 vcc, 8, v5",
            "v_cndmask_b32 v2, 0, v1, vcc",
        ],
        // The same on both sides.
        &["v_cndmask_b32 v2, v1, v1, vcc"],
        // Halves, bytes and pairs on their own.
        &[
            "v_mov_b32 v2, v1",
            "v_mov_b32_sdwa v2, v5 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0",
            "v_and_b32 v2, 0xffff, v2",
        ],
        &[
            "v_lshlrev_b32 v5, 16, v5",
            "v_pk_add_u16 v2, v5, v1",
            "v_and_b32 v2, 0xffff, v2",
        ],
        &[
            "v_perm_b32 v2, v5, v1, v0",
            "s_mov_b32 s20, 0x0c0c0100",
            "v_perm_b32 v2, v5, v1, s20",
        ],
        &["v_lshlrev_b32 v5, 16, v5", "v_add_u16 v2, v5, v1"],
        // One lane of a register.
        &[
            "s_mov_b32 s20, 3",
            "v_writelane_b32 v5, s20, 7",
            "v_readlane_b32 s21, v5, 7",
            "v_mov_b32 v2, s21",
        ],
        // Through memory and LDS, byte by byte.
        &[
            "global_store_byte v1, v0, s[4:5]",
            "s_waitcnt vmcnt(0)",
            "global_load_ubyte v2, v1, s[4:5]",
            "s_waitcnt vmcnt(0)",
        ],
        &[
            "ds_write_b32 v1, v0",
            "s_waitcnt lgkmcnt(0)",
            "ds_read_b32 v2, v1",
            "s_waitcnt lgkmcnt(0)",
        ],
        &[
            "ds_write_b8 v1, v0",
            "s_waitcnt lgkmcnt(0)",
            "ds_read_u8 v2, v1",
            "s_waitcnt lgkmcnt(0)",
        ],
        &[
            "global_store_dword v1, v5, s[4:5]",
            "global_store_dword v1, v0, s[4:5]",
            "s_waitcnt vmcnt(0)",
            "global_load_dword v2, v1, s[4:5]",
            "s_waitcnt vmcnt(0)",
        ],
    ];
    for lines in defined {
        assert_eq!(lanes(lines), None, "{lines:?}");
    }
    let all = "work-group (0, 0, 0), wave 0";
    let undefined: &[(&[&str], &str)] = &[
        (&["v_mov_b32 v2, v5"], all),
        (&["v_mov_b32 v2, s30"], all),
        (&["v_and_b32 v2, 1, v5"], all),
        (&["v_lshlrev_b32 v2, 31, v5"], all),
        (&["v_lshlrev_b32 v2, v5, 1"], all),
        (&["v_add_u32 v2, v5, v1"], all),
        (
            &[
                "v_lshrrev_b32 v5, 31, v5",
                "v_add_u32 v2, v5, v1",
                "v_and_b32 v2, 0x80000000, v2",
            ],
            all,
        ),
        // What is 0 makes a product 0.
        (
            &["v_mul_lo_u32 v2, v5, v1"],
            "work-group (0, 0, 0), wave 0, lanes 1 to 63",
        ),
        (&["v_cvt_f32_u32 v2, v5"], all),
        (&["v_add_f32 v2, v5, v1"], all),
        (&["v_rcp_f32 v2, v5"], all),
        (
            &[
                "v_and_b32 v5, 8, v5",
                "v_cmp_gt_u32 vcc, 8, v5",
                "v_cndmask_b32 v2, 0, 1, vcc",
            ],
            all,
        ),
        (&["v_addc_co_u32 v2, vcc, 0, 0, s[30:31]"], all),
        // Where 0 is added there is no carry.
        (
            &[
                "v_add_co_u32 v5, vcc, v5, v1",
                "v_addc_co_u32 v2, vcc, 0, 0, vcc",
            ],
            "work-group (0, 0, 0), wave 0, lanes 1 to 63",
        ),
        // Some lanes.
        (
            &[
                "s_mov_b32 exec_hi, 0",
                "v_mov_b32 v2, 1",
                "s_mov_b32 exec_hi, -1",
            ],
            "work-group (0, 0, 0), wave 0, lanes 32 to 63",
        ),
        (
            &["v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf"],
            "work-group (0, 0, 0), wave 0, lanes 0, 16, 32 and 48",
        ),
        (
            &[
                "v_mov_b32 v2, 1",
                "s_mov_b32 m0, 3",
                "v_writelane_b32 v2, s30, 9",
            ],
            "work-group (0, 0, 0), wave 0, lane 9",
        ),
        // Through memory.
        (
            &[
                "global_store_byte v1, v5, s[4:5]",
                "s_waitcnt vmcnt(0)",
                "global_load_dword v2, v1, s[4:5]",
                "s_waitcnt vmcnt(0)",
                "v_and_b32 v2, 0xff, v2",
            ],
            all,
        ),
        // Elsewhere a bit decides that is defined and set.
        (
            &[
                "ds_write_b16 v1, v0",
                "s_waitcnt lgkmcnt(0)",
                "ds_read_b32 v2, v1",
                "s_waitcnt lgkmcnt(0)",
            ],
            "work-group (0, 0, 0), wave 0, lane 0",
        ),
    ];
    for (lines, expected) in undefined {
        assert_eq!(lanes(lines).as_deref(), Some(*expected), "{lines:?}");
    }
}

/// Each kind of decision has its rule.
#[test]
fn sinks_are_reported() {
    let cases: &[(&[&str], &str)] = &[
        (&["s_cmp_eq_u32 s30, 0", "s_cbranch_scc1 0"], "branch"),
        (
            &["v_cmp_ne_u32 vcc, 0, v5", "s_and_b64 exec, exec, vcc"],
            "exec",
        ),
        (
            &["v_and_b32 v5, 4, v5", "global_load_dword v2, v5, s[4:5]"],
            "address",
        ),
        (
            &[
                "s_and_b32 s20, s30, 4",
                "s_add_u32 s20, s20, s4",
                "s_mov_b32 s21, s5",
                "s_load_dword s22, s[20:21], 0x0",
            ],
            "address",
        ),
        (&["v_readlane_b32 s20, v0, s30"], "index"),
        (&["global_store_dword v1, v5, s[4:5]"], "store"),
    ];
    for (lines, rule) in cases {
        let findings = found(lines, true);
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [*rule], "{lines:?}");
    }
}

/// Tracking bits changes none, and correct kernels have no findings.
#[test]
fn what_is_followed_does_what_it_did() {
    each("vecadd", |b| {
        let kernel = b.module.kernel("vecadd").unwrap();
        let x: Vec<f32> = (0..300).map(|i| i as f32 / 7.0).collect();
        let run = |tools: Tools| {
            let input = b.device.buffer_from(&x).unwrap();
            let out = b.device.buffer_zeroed(1200).unwrap();
            let dispatch = kernel.dispatch().grid(300).block(128).check(tools);
            let report = dispatch
                .args(args![&input, &input, &out, 300u32])
                .run()
                .unwrap();
            assert_eq!(report.findings, [], "{}", b.label);
            out.read::<u32>().unwrap()
        };
        assert_eq!(run(Tools::default()), run(INIT), "{}", b.label);
        assert_eq!(run(Tools::default()), run(Tools::DEFAULT), "{}", b.label);
    });
    each("suite", |b| {
        let list: Vec<f32> = (1..=200).map(|i| i as f32).collect();
        let kernel = b.module.kernel("_Z8k_dynldsPf").unwrap();
        let buffer = b.device.buffer_from(&list).unwrap();
        let dispatch = kernel.dispatch().grid(200).block(200).arg(&buffer);
        let report = dispatch.dynamic_lds(800).check(INIT).run().unwrap();
        assert_eq!(report.findings, [], "{}", b.label);
        let turned: Vec<f32> = list.into_iter().rev().collect();
        assert_eq!(buffer.read::<f32>().unwrap(), turned, "{}", b.label);
    });
}

/// After an access that was denied its shadows are as if it had been done for the other lanes, and gave 0 to these.
#[test]
fn denied_accesses_leave_nothing_undefined() {
    for engine in ENGINES {
        denied_accesses(&Bench::new(Chip::Gfx900, engine));
    }
}

fn denied_accesses(b: &Bench) {
    let wild: Vec<u32> = (0..64)
        .map(|lane| if lane == 5 { 1 << 30 } else { 4 * lane })
        .collect();
    let offsets = b.buffer(&wild);
    b.load(
        &[offsets.address()],
        &[
            "global_load_dword v3, v1, s[6:7]",
            "s_waitcnt vmcnt(0)",
            "global_store_dword v3, v0, s[4:5]",
            "global_load_dword v2, v3, s[4:5]",
            "s_waitcnt vmcnt(0)",
            DECIDE[0],
            DECIDE[1],
        ],
    );
    let tools = Tools::of(&[Tool::Init, Tool::Memory]);
    let report = b.dispatch().check(tools).run().unwrap();
    let found = report
        .findings
        .iter()
        .map(|finding| (finding.tool, finding.rule));
    let beyond = (Tool::Memory, "out-of-bounds");
    assert_eq!(found.collect::<Vec<_>>(), [beyond, beyond]);
}
