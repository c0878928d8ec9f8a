//! Waves of stages under tools.

use wavetank::check::{Finding, Tool, Tools};
use wavetank::stage::{Shader, Stage};
use wavetank::{Chip, Device};
use wavetank_gcn::{encode, parse};

/// What tools find in waves of compute, which `with` gives registers and LDS.
fn found(
    tools: &[Tool],
    code: &[&str],
    with: impl FnOnce(Shader<'static>, &Device) -> Shader<'static>,
) -> Vec<Finding> {
    let device = Device::builder(Chip::Gfx900).threads(1).build().unwrap();
    let bytes = code.iter().flat_map(|text| {
        let inst = parse(text, device.chip()).unwrap();
        encode(&inst).unwrap().as_ref().to_vec()
    });
    let module = device.load_code(&bytes.collect::<Vec<_>>()).unwrap();
    let shader = Shader::new(&module, Stage::Compute, "main").unwrap();
    let shader = with(shader.check(Tools::of(tools)), &device);
    shader.run().unwrap().report.findings
}

fn rules(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn accesses_that_are_denied_are_found_and_waves_go_on() {
    let code = [
        "v_lshlrev_b32 v0, 2, v0",
        "global_load_dword v1, v0, s[0:1]",
        "s_waitcnt vmcnt(0)",
        "exp mrt0 v1, off, off, off done vm",
        "s_endpgm",
    ];
    let items: Vec<u32> = (0..64).collect();
    let with = |length: usize| {
        found(&[Tool::Memory], &code, |shader, device| {
            let buffer = device.buffer_from(&vec![7u32; length]).unwrap();
            shader.arg(&buffer).input(&items)
        })
    };
    assert_eq!(with(64), []);
    let findings = with(60);
    assert_eq!(rules(&findings), ["out-of-bounds"]);
    assert_eq!(
        findings[0].notes[0],
        "work-group (0, 0, 0), wave 0, lanes 60 to 63"
    );
    assert_eq!(findings[0].kernel, "main");
}

/// Defined are the registers that the caller gives, M0, and the LDS that work-groups begin with.
#[test]
fn inputs_that_are_not_given_are_undefined() {
    let code = [
        "v_add_u32 v2, v0, v1",
        "v_add_u32 v2, s1, v2",
        "s_mov_b32 s2, m0",
        "v_add_u32 v2, s2, v2",
        "ds_read_b32 v3, v2",
        "s_waitcnt lgkmcnt(0)",
        "v_readfirstlane_b32 s4, v3",
        "s_cmp_eq_u32 s4, 7",
        "s_cbranch_scc1 0",
        "s_endpgm",
    ];
    let with = |inputs: usize, data: &[u32], lds: &[u32]| {
        let found = found(&[Tool::Init], &code, |shader, _| {
            let shader = (0..inputs).fold(shader, |shader, _| shader.input(&[0]));
            shader.user_data(data).lds(lds).lds_bytes(64)
        });
        rules(&found)
    };
    assert_eq!(with(2, &[0, 0], &[7]), [""; 0]);
    assert_eq!(with(1, &[0, 0], &[7]), ["address"]);
    assert_eq!(with(2, &[0], &[7]), ["address"]);
    assert_eq!(with(2, &[0, 4], &[7]), ["branch"]);
}

#[test]
fn code_of_a_stage_is_read() {
    let code = [
        "s_load_dword s4, s[0:1], 0x0",
        "s_mov_b32 s5, s4",
        "s_endpgm",
    ];
    let findings = found(&[Tool::Wait], &code, |shader, device| {
        shader.arg(device.buffer_from(&[0u32]).unwrap())
    });
    assert_eq!(rules(&findings), ["read-before-load"]);
}

/// Two waves of a group, of which each reads what the other stores.
#[test]
fn waves_of_a_stage_race() {
    let code = |between: &'static str| {
        [
            "v_lshlrev_b32 v1, 2, v0",
            "ds_write_b32 v1, v0",
            "s_waitcnt lgkmcnt(0)",
            between,
            "v_xor_b32 v1, 0x100, v1",
            "ds_read_b32 v2, v1",
            "s_endpgm",
        ]
    };
    let items: Vec<u32> = (0..128).collect();
    let with = |between| {
        let found = found(&[Tool::Race], &code(between), |shader, _| {
            shader.items(128).group(128).input(&items).lds_bytes(512)
        });
        rules(&found).len()
    };
    assert_eq!(with("s_barrier"), 0);
    assert!(with("s_nop 0") > 0);
}
