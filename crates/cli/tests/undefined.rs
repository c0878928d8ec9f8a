//! `launch --check=init`: registers, LDS and lanes that nobody has written, in kernels that are written by hand.

use serde_json::Value;

use crate::common::{directory, outcome, wavetank_in};

/// What stands around the instructions of a kernel with a buffer of 64 dwords, all 0, whose address s[2:3] holds.
const BEFORE: &str = "
    .amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"
    .text
    .globl k
    .p2align 8
    .type k,@function
k:
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
";
const AFTER: &str = "
end:
    s_endpgm
    .size k, .-k
    .rodata
    .p2align 6
    .amdhsa_kernel k
        .amdhsa_group_segment_fixed_size 512
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 8
        .amdhsa_next_free_sgpr 32
    .end_amdhsa_kernel
    .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
    .end_amdgpu_metadata
";

/// Kernels with a mistake, in the form of `crates/check/tests/planted`: lines with `//-` stand in them alone, those with `//+`
/// in their twins alone, and `//~` names the rule of what is found at an instruction, `//^` what else is shown.
const KERNELS: [(&str, &str); 14] = [
    (
        "a vector register decides which lanes go on",
        "v_cmp_lt_u32_e32 vcc, 5, v3 //-
         v_cmp_lt_u32_e32 vcc, 5, v0 //+
         s_and_saveexec_b64 s[4:5], vcc //~ exec
         s_cbranch_execz end
         v_mov_b32_e32 v1, 0",
    ),
    (
        "a scalar register decides a branch",
        "s_cmp_eq_u32 s9, 0 //-
         s_cmp_eq_u32 s2, 0 //+
         s_cbranch_scc1 end //~ branch",
    ),
    (
        "a scalar register is an offset",
        "s_mov_b32 s6, 0 //+
         s_load_dword s4, s[2:3], s6 //~ address",
    ),
    (
        "a scalar register is the number of a lane",
        "s_mov_b32 s7, 0 //+
         s_nop 4
         v_readlane_b32 s4, v0, s7 //~ index",
    ),
    (
        "M0 is the number of a register",
        "s_mov_b32 m0, 0 //+
         s_nop 0
         s_movrels_b32 s4, s0 //~ index",
    ),
    (
        "a scalar register is part of where the code goes on",
        "s_mov_b32 s9, 0 //+
         s_getpc_b64 s[4:5]
         s_add_u32 s4, s4, s9
         s_addc_u32 s5, s5, 0
         s_add_u32 s4, s4, 20
         s_addc_u32 s5, s5, 0
         s_setpc_b64 s[4:5] //~ jump",
    ),
    (
        "lanes that were off have no address",
        "s_mov_b64 exec, 0xff //-
         v_mov_b32_e32 v1, 0
         s_mov_b64 exec, -1
         global_load_dword v3, v1, s[2:3] //~ address",
    ),
    (
        "LDS that nobody has written decides a branch",
        "v_mov_b32_e32 v1, 0
         ds_write_b32 v1, v1 offset:8 //-
         ds_write_b32 v1, v1 offset:4 //+
         s_waitcnt lgkmcnt(0)
         ds_read_b32 v2, v1 offset:4 //^
         s_waitcnt lgkmcnt(0)
         v_readfirstlane_b32 s4, v2
         s_cmp_eq_u32 s4, 0
         s_cbranch_scc1 end //~ branch",
    ),
    (
        "a register comes back from a lane that it was not spilled to",
        "v_writelane_b32 v4, s2, 0
         v_writelane_b32 v4, s3, 1
         s_nop 4
         v_readlane_b32 s4, v4, 0
         v_readlane_b32 s5, v4, 2 //-
         v_readlane_b32 s5, v4, 1 //+
         s_cmp_eq_u32 s5, 0
         s_cbranch_scc1 end //~ branch",
    ),
    (
        "the first lanes of rows have no neighbour, and keep what they had",
        "v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf //-
         v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0 //+
         v_cmp_eq_u32_e32 vcc, 0, v1
         s_and_saveexec_b64 s[4:5], vcc //~ exec",
    ),
    (
        "a load of 16 bits leaves the others as they are",
        "v_mov_b32_e32 v2, 0
         v_mov_b32_e32 v1, 0 //+
         global_load_short_d16 v1, v2, s[2:3]
         s_waitcnt vmcnt(0)
         v_cmp_eq_u32_e32 vcc, 0, v1
         s_and_saveexec_b64 s[4:5], vcc //~ exec",
    ),
    (
        "a lane that is asked by another has nothing",
        "v_mov_b32_e32 v1, 0
         v_cmp_gt_u32_e32 vcc, 32, v0
         s_and_saveexec_b64 s[4:5], vcc
         v_mov_b32_e32 v3, 0
         s_mov_b64 exec, s[4:5]
         v_xor_b32_e32 v2, 32, v0 //-
         v_and_b32_e32 v2, 31, v0 //+
         v_lshlrev_b32_e32 v2, 2, v2
         ds_bpermute_b32 v5, v2, v3
         s_waitcnt lgkmcnt(0)
         global_load_dword v6, v5, s[2:3] //~ address",
    ),
    (
        "the carry of what has no value",
        "v_mov_b32_e32 v1, 0
         v_mov_b32_e32 v3, 0 //+
         v_add_co_u32_e32 v2, vcc, v0, v3
         v_addc_co_u32_e32 v2, vcc, 0, v1, vcc
         global_load_ubyte v6, v2, s[2:3] //~ address",
    ),
    (
        "the host gets what nobody has written",
        "v_lshlrev_b32_e32 v1, 2, v0
         v_mov_b32_e32 v3, 0 //+
         global_store_dword v1, v3, s[2:3] //~ store",
    ),
];

/// One of the two kernels of a row.
struct Kernel {
    source: String,
    /// The rule and the first word of the instruction at which it has to be found.
    wanted: Vec<(String, String)>,
    /// The first words of the other instructions that have to be shown.
    related: Vec<String>,
}

impl Kernel {
    fn of(text: &str, twin: bool) -> Kernel {
        let dropped = if twin { "//-" } else { "//+" };
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.contains(dropped))
            .collect();
        let name = |line: &str| {
            let name = line.split_whitespace().next().expect("an instruction");
            name.to_owned()
        };
        let wanted = lines.iter().filter_map(|line| {
            let (inst, rule) = line.split_once("//~ ")?;
            Some((rule.to_owned(), name(inst)))
        });
        let related = lines.iter().filter(|line| line.contains("//^"));
        Kernel {
            source: format!("{BEFORE}{}{AFTER}", lines.join("\n")),
            wanted: wanted.filter(|_| !twin).collect(),
            related: related.map(|line| name(line)).filter(|_| !twin).collect(),
        }
    }
}

/// How a launch ended; the tool, rule and first word of each finding, and the first words of what is shown with them.
type Outcome = (Option<i32>, Vec<(String, String)>, Vec<String>);

/// What is found, whichever engine runs it.
fn findings(folder: &str, kernel: &Kernel) -> Outcome {
    let [interpreted, compiled] =
        ["interpreter", "jit"].map(|engine| findings_with(engine, folder, kernel));
    assert_eq!(compiled, interpreted, "{}", kernel.source);
    compiled
}

fn findings_with(engine: &str, folder: &str, kernel: &Kernel) -> Outcome {
    let folder = directory(folder);
    std::fs::write(folder.join("k.s"), &kernel.source).expect("a file");
    wavetank_in(&folder, "asm --gpu gfx900 -o k.hsaco k.s").success();
    let words = "launch k.hsaco k --grid 64 --block 64 --arg zero:256 --check=init --stats";
    let outcome = wavetank_in(&folder, &format!("{words} --engine {engine}"));
    let stats = outcome.stdout.lines().last().unwrap_or_default();
    let stats: Value = serde_json::from_str(stats)
        .unwrap_or_else(|error| panic!("{error}: {outcome:?}\n{}", kernel.source));
    let name = |place: &Value| {
        let text = place["instruction"].as_str().unwrap_or_default();
        text.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let (mut found, mut related) = (Vec::new(), Vec::new());
    for finding in stats["findings"].as_array().into_iter().flatten() {
        assert_eq!(finding["tool"], "init", "{finding}");
        let rule = finding["rule"].as_str().unwrap_or_default();
        found.push((rule.to_owned(), name(&finding["at"])));
        related.extend(
            finding["related"]
                .as_array()
                .into_iter()
                .flatten()
                .map(name),
        );
    }
    (outcome.code, found, related)
}

#[test]
fn what_nobody_has_written_is_found_where_it_decides() {
    for (number, (what, text)) in KERNELS.iter().enumerate() {
        let folder = |which: &str| format!("undefined-{number}-{which}");
        let kernel = Kernel::of(text, false);
        assert!(!kernel.wanted.is_empty(), "{what} has no marks");
        let (code, found, related) = findings(&folder("mistake"), &kernel);
        assert_eq!((code, &found), (Some(1), &kernel.wanted), "{what}");
        for name in &kernel.related {
            assert!(related.contains(name), "{what}: {name} is not shown");
        }
        let (code, found, _) = findings(&folder("twin"), &Kernel::of(text, true));
        assert_eq!((code, found), (Some(0), vec![]), "the twin of: {what}");
    }
}

/// A load that comes before the store of another wave reads nothing: that is the race's doing, and a note says so. The load of
/// what no wave stores has no such note.
#[test]
fn an_echo_of_a_race_is_noted() {
    let folder = directory("echo_of_a_race");
    let findings = |other: &str| -> Vec<Value> {
        let source = format!(
            "k:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v3, {other}, v1
    ds_read_b32 v2, v3
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm
"
        );
        std::fs::write(folder.join("k.s"), source).expect("the folder can be written");
        let mut asm = std::process::Command::new(env!("CARGO_BIN_EXE_wavetank"));
        asm.args(["asm", "--kernel", "k(global u32* out)", "-o", "k.co", "k.s"]);
        outcome(asm.current_dir(&folder)).success();
        let words = "launch k.co --grid 128 --block 128 --arg zero:512 --arg lds:1024 --check=race,init --stats";
        let out = wavetank_in(&folder, words);
        let stats: Value =
            serde_json::from_str(&out.stdout).unwrap_or_else(|e| panic!("{e}: {out:?}"));
        stats["findings"].as_array().expect("a list").clone()
    };
    let is_noted = |finding: &Value| {
        let notes = finding["notes"].as_array().expect("a list").iter();
        let mut notes = notes.map(|note| note.as_str().expect("text"));
        notes.any(|note| note.contains("the load is one end of a data race (race/"))
    };
    let raced = findings("0x100");
    let tools: Vec<&str> = raced.iter().filter_map(|f| f["tool"].as_str()).collect();
    assert_eq!(tools, ["race", "init"], "{raced:?}");
    assert!(!is_noted(&raced[0]) && is_noted(&raced[1]), "{raced:?}");
    let alone = findings("0x200");
    assert_eq!(
        (alone.len(), &alone[0]["tool"]),
        (1, &"init".into()),
        "{alone:?}"
    );
    assert!(!is_noted(&alone[0]), "{alone:?}");
}
