//! Cases under tools.

use wavetank::Tool;
use wavetank::check::Tools;
use wavetank_cases::{Checked, Engine, parse_file};

/// What tools find in a case.
fn checked(tools: &[Tool], text: &str) -> Checked {
    let cases = parse_file(text).unwrap();
    let run = cases[0].run(Engine::Interpreter).unwrap();
    let checked = cases[0].check(Tools::of(tools), &run).unwrap();
    checked.expect("it is of GCN")
}

fn rules(tools: &[Tool], text: &str) -> Vec<String> {
    let checked = checked(tools, text);
    let rule = |finding: &wavetank::Finding| format!("{}/{}", finding.tool, finding.rule);
    checked.findings.iter().map(rule).collect()
}

#[test]
fn accesses_beyond_a_buffer_are_found() {
    let case = |offset: u32| {
        format!(
            "mem a = 1, 2, 3, 4\nv[2:3] = &a\n> global_load_dword v0, v[2:3], off offset:{offset}\n"
        )
    };
    assert_eq!(rules(&[Tool::Memory], &case(12)), [""; 0]);
    let checked = checked(&[Tool::Memory], &case(16));
    let [finding] = &checked.findings[..] else {
        panic!("{:?}", checked.findings);
    };
    assert_eq!(finding.rule, "out-of-bounds");
    assert!(finding.notes[1].contains("a (16 bytes"), "{finding:?}");
    let place = |file| {
        checked.show(finding, file, |finding, _| {
            let frames = finding.at.place.source.frames.iter();
            frames.map(|f| (f.line, f.column)).collect::<Vec<_>>()
        })
    };
    assert_eq!(place(Some("a.wt".as_ref())), [(Some(3), Some(3))]);
    assert_eq!(place(None), []);
}

#[test]
fn what_a_case_expects_is_no_mistake() {
    let case = |expected: &str| {
        format!(
            "mem a read only = 5\nv[2:3] = &a\n> global_store_dword v[2:3], v1, off\n{expected}"
        )
    };
    let memory = &[Tool::Memory];
    assert_eq!(rules(memory, &case("")), ["memory/read-only"]);
    assert_eq!(rules(memory, &case("fault = memory")), [""; 0]);
    assert_eq!(
        rules(memory, &case("fault = \"not a multiple\"")),
        ["memory/read-only"],
        "it is something else that is expected"
    );
    let left = "> s_branch 100\n";
    let both = &[Tool::Memory, Tool::Limits];
    let expected = ["memory/code", "limits/no-instruction"];
    assert_eq!(rules(both, left), expected);
    assert_eq!(rules(both, &format!("{left}fault = instruction")), [""; 0]);
}

/// A stream that names an address of its own code has no findings about that address: the code is elsewhere then.
#[test]
fn addresses_of_code_are_no_mistake() {
    let case = "s[2:3] = 0x1008\n> s_setpc_b64 s[2:3]\n> s_mov_b32 s0, 1\n> s_mov_b32 s1, 1\ns0 = 0\ns1 = 1\n";
    assert_eq!(rules(&[Tool::Memory], case), [""; 0]);
}

/// Registers, SCC and LDS that the case sets are defined, as are those that a wave has anyhow.
#[test]
fn what_a_case_does_not_set_is_undefined() {
    let init = &[Tool::Init];
    let branch = "> s_cbranch_scc1 1\n> s_mov_b32 s0, 1\n";
    assert_eq!(rules(init, branch), ["init/branch"]);
    assert_eq!(rules(init, &format!("scc = 1\n{branch}")), [""; 0]);
    let load = "mem a = 1\n{}> global_load_dword v0, v[2:3], off\n";
    let with = |state: &str| rules(init, &load.replace("{}", state));
    assert_eq!(with("v[2:3] = &a\n"), [""; 0]);
    assert_eq!(with("v2 = 5\n"), ["init/address"]);
    let lds = "v1 = 4\n{}> ds_read_b32 v0, v1\n> s_waitcnt lgkmcnt(0)\n> v_readfirstlane_b32 s0, v0\n\
               > s_cmp_eq_u32 s0, 7\n> s_cbranch_scc1 0\n";
    let with = |state: &str| rules(init, &lds.replace("{}", state));
    assert_eq!(with("lds[0] = 6, 7\n"), [""; 0]);
    assert_eq!(with("lds[0] = 6\n"), ["init/branch"]);
    let scratch = "scratch bytes = 8\n{}> scratch_load_dword v0, off, s0\n> s_waitcnt vmcnt(0)\n\
                   > v_readfirstlane_b32 s1, v0\n> s_cmp_eq_u32 s1, 7\n> s_cbranch_scc1 0\n";
    let with = |state: &str| rules(init, &scratch.replace("{}", state));
    assert_eq!(with("s0 = 0\nscratch[0] = 7\n"), [""; 0]);
    assert_eq!(with("s0 = 0\n"), ["init/branch"]);
}

/// Bytes of a lane may lie apart: those that are defined are so for every instruction that reaches them.
#[test]
fn undefined_bytes_of_scratch_are_followed_one_by_one() {
    let text = |store: &str, load: &str, at: u32, value: u32| {
        format!(
            "scratch bytes = 16\nv1 = 7\nv2 = 2\nv3 = {at}\nv5 = 0x20000\nv7 = 0x20000\nv6 = 2\nv4 = {at}\n\
             > s_mov_b64 s[0:1], flat_scratch\n> s_or_b32 s1, s1, 0x80000000\n> s_mov_b32 s2, 0\n\
             > s_mov_b32 s3, 0xe00000\n> {store}\n> s_waitcnt vmcnt(0)\n> {load}\n> s_waitcnt vmcnt(0) lgkmcnt(0)\n\
             > v_readfirstlane_b32 s4, v8\n> s_cmp_eq_u32 s4, {value}\n> s_cbranch_scc1 0\n"
        )
    };
    let stores = [
        "buffer_store_dword v1, v2, s[0:3], 0 offen",
        "scratch_store_dword v2, v1, off",
        "flat_store_dword v[6:7], v1",
    ];
    let loads = [
        "buffer_load_SIZE v8, v3, s[0:3], 0 offen",
        "scratch_load_SIZE v8, v3, off",
        "flat_load_SIZE v8, v[4:5]",
    ];
    // Bytes 2 to 5 are stored. Loads give what they are compared with, so that it matters if a bit of it is undefined.
    let cases = [
        ("dword", 2, 7, true),
        ("dword", 1, 0x700, false),
        ("dword", 3, 0, false),
        ("dword", 0, 0x70000, false),
        ("ushort", 3, 0, true),
        ("ushort", 5, 0, false),
    ];
    for store in stores {
        for load in loads {
            for (size, at, value, is_defined) in cases {
                let text = text(store, &load.replace("SIZE", size), at, value);
                let found = rules(&[Tool::Init], &text);
                let expected: &[&str] = if is_defined { &[] } else { &["init/branch"] };
                assert_eq!(found, expected, "{text}");
            }
        }
    }
}

#[test]
fn unset_registers_are_named() {
    let case = "mem a = 1\nv2 = 5\n> global_load_dword v0, v[2:3], off\n";
    let checked = checked(&[Tool::Init], case);
    let notes = &checked.findings[0].notes;
    assert!(notes[1].starts_with("v3 is uninitialized"), "{notes:?}");
}

#[test]
fn waves_of_a_case_race() {
    let case = |between: &str| {
        format!(
            "waves = 2\nwave 0 v1 = 5\nwave 1 v1 = 7\nwave 1 v0 = 4\nwave 0 v2 = 4\n> ds_write_b32 v0, v1\n\
             > s_waitcnt lgkmcnt(0)\n{between}> ds_read_b32 v3, v2\n"
        )
    };
    assert_eq!(rules(&[Tool::Race], &case("> s_barrier\n")), [""; 0]);
    assert_eq!(rules(&[Tool::Race], &case("")), ["race/read-write"]);
}

/// Code is read, too, and it ends before the trap handler.
#[test]
fn code_ends_before_the_handler() {
    let case = "v[2:3] = 0\n> global_load_dword v0, v[2:3], off\n> s_nop 0\nhandler > v_mov_b32 v1, v0\n\
                handler > s_rfe_b64 ttmp[0:1]\nfault = memory\n";
    assert_eq!(rules(&[Tool::Wait], case), [""; 0]);
    let case =
        "v[2:3] = 0\n> global_load_dword v0, v[2:3], off\n> v_mov_b32 v1, v0\nfault = memory\n";
    assert_eq!(rules(&[Tool::Wait], case), ["wait/read-before-load"]);
}

/// What a case does is the same with and without a handler elsewhere: it returns after the trap, and no tool sees a mistake.
#[test]
fn handlers_are_found_where_they_are() {
    let case = "> s_trap 7\n> s_mov_b32 s0, 1\nhandler > s_add_u32 ttmp0, ttmp0, 4\n\
                handler > s_addc_u32 ttmp1, ttmp1, 0\nhandler > s_rfe_b64 ttmp[0:1]\ns0 = 1\n";
    assert_eq!(rules(&[Tool::Memory, Tool::Sync], case), [""; 0]);
}

/// It would go round for ever under tools, too: only its code is read.
#[test]
fn endless_cases_end() {
    let case = "> s_branch 65535\nfault = endless\n";
    assert_eq!(
        rules(&[Tool::Memory, Tool::Race, Tool::Wait], case),
        [""; 0]
    );
}

#[test]
fn other_instruction_sets_are_not_checked() {
    let text = "isa maxwell:52\nsurface T6 2d 8x4 u32\n> SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;\n";
    let case = &parse_file(text).unwrap()[0];
    let run = case.run(Engine::Interpreter).unwrap();
    assert!(case.check(Tools::DEFAULT, &run).unwrap().is_none());
}
