//! Advice about kernels with known counts, and none about their good twins.

use super::*;
use crate::model::{Class, Kernel, Kind, Memory, Occupancy, Space, Wait};
use crate::sample::{accesses, copy, instruction, kernel, profile, strided};

/// Returns the rules and messages of the advice about a kernel, other than that its launch is small.
fn about(kernel: Kernel) -> Vec<(&'static str, String)> {
    let given = all(&profile(vec![kernel])).into_iter();
    let given = given.filter(|advice| advice.rule.name != "few-groups");
    given
        .map(|advice| (advice.rule.name, advice.message))
        .collect()
}

fn one(kernel: Kernel) -> (&'static str, String) {
    let given = about(kernel);
    assert_eq!(given.len(), 1, "{given:?}");
    given[0].clone()
}

#[test]
fn a_kernel_without_faults_gets_no_advice() {
    assert_eq!(about(copy()), []);
    assert_eq!(about(kernel("empty")), []);
}

#[test]
fn scattered_accesses_are_named_with_their_line() {
    let advice = all(&profile(vec![copy(), strided()]));
    let advice: Vec<&Advice> = advice
        .iter()
        .filter(|a| a.rule.name == "coalescing")
        .collect();
    assert_eq!(advice.len(), 1);
    assert_eq!(
        advice[0].message,
        "each wave touches 64 lines where 4 would do"
    );
    assert_eq!(advice[0].kernel, 1);
    let at = advice[0].at.as_ref().unwrap();
    assert_eq!((at.frames[0].line, at.address), (3, 0x1004));
    assert_eq!(
        advice[0].notes,
        ["lanes asked for 4,096 bytes, and the lines of 64 bytes that they touched have 65,536"]
    );
    // Of 1,088 lines 1,024 are the load's, 960 too many; the kernel has half of the instructions.
    assert!((advice[0].weight - 960.0 / 1088.0 / 2.0).abs() < 1e-9);
}

#[test]
fn loads_and_stores_of_a_line_are_apart() {
    let mut gather = strided();
    gather.instructions[4].frames[0].line = 3;
    assert_eq!(
        one(gather),
        (
            "coalescing",
            "each wave touches 64 lines where 4 would do".into()
        )
    );
}

#[test]
fn one_line_more_is_not_scattered() {
    let mut unaligned = copy();
    unaligned.instructions[1].memory = vec![accesses(Kind::Load, 5)];
    assert_eq!(about(unaligned), []);
}

#[test]
fn loads_of_one_value_could_be_scalar() {
    let mut same = copy();
    let memory = Memory {
        different_bytes: 64,
        lines_64: 16,
        least_lines_64: 16,
        ..accesses(Kind::Load, 1)
    };
    same.instructions[1].memory = vec![memory];
    assert_eq!(
        one(same),
        ("uniform-load", "64 lanes load the same bytes".into())
    );
}

fn lds(cycles: u64) -> Kernel {
    let mut kernel = copy();
    let mut read = instruction(0x1018, "ds_read_b32 v3, v4", Class::Lds, 4);
    read.memory.push(Memory {
        space: Space::Lds,
        lines_64: 0,
        lines_128: 0,
        least_lines_64: 0,
        bank_cycles: 16 * cycles,
        least_bank_cycles: 32,
        ..accesses(Kind::Load, 0)
    });
    kernel.instructions.push(read);
    kernel
}

#[test]
fn conflicts_of_banks_are_counted() {
    assert_eq!(
        one(lds(64)),
        (
            "lds-banks",
            "each access to LDS takes 64 cycles where 2 would do".into()
        )
    );
    assert_eq!(about(lds(2)), []);
}

#[test]
fn parted_waves_with_idle_lanes_are_named() {
    let mut parted = copy();
    for instruction in &mut parted.instructions {
        instruction.lanes = vec![(16, 16)];
    }
    let mut branch = instruction(0x1002, "s_and_saveexec_b64 s[0:1], vcc", Class::Scalar, 2);
    branch.parts = 4;
    parted.instructions.push(branch);
    assert_eq!(
        one(parted.clone()),
        (
            "divergence",
            "75 % of the lanes idle after branches that part waves".into()
        )
    );
    let advice = all(&profile(vec![parted.clone()]))
        .into_iter()
        .find(|a| a.rule.name == "divergence")
        .unwrap();
    assert_eq!(advice.label, "25 % of the executions part the wave");
    assert_eq!(
        advice.notes[0],
        "k.hip:3 has 16 active lanes in the mean, in 32 executions"
    );
    // A branch without a line: that with the most idle lanes is shown.
    let mut without = parted.clone();
    without.instructions.last_mut().unwrap().frames.clear();
    let given = all(&profile(vec![without]));
    let at = given[0].at.as_ref().unwrap();
    assert_eq!((given[0].rule.name, at.frames[0].line), ("divergence", 3));
    // Lanes that idle without a branch are those of work-groups.
    parted.instructions.pop();
    assert_eq!(about(parted), []);
}

#[test]
fn work_groups_fill_their_waves() {
    let mut partial = copy();
    partial.shapes[0].block = [48, 1, 1];
    assert_eq!(
        one(partial.clone()),
        (
            "partial-waves",
            "work-groups of 48 work-items leave 25 % of the lanes empty".into()
        )
    );
    partial.shapes[0].block = [16, 4, 1];
    assert_eq!(about(partial), []);
}

#[test]
fn scratch_is_a_part_of_memory() {
    let mut spills = copy();
    spills.resources.scratch_bytes = 16;
    let mut spill = instruction(
        0x1018,
        "buffer_store_dword v2, off, s[0:3], s32",
        Class::Memory,
        4,
    );
    spill.memory.push(Memory {
        space: Space::Scratch,
        ..accesses(Kind::Store, 4)
    });
    spills.instructions.push(spill);
    let (rule, message) = one(spills);
    // A third of twelve bytes for each work-item.
    assert_eq!(
        (rule, message.as_str()),
        ("scratch", "33 % of the bytes of memory are scratch")
    );
}

#[test]
fn atomics_of_a_wave_collide() {
    let with = |collisions| {
        let mut kernel = copy();
        let mut atomic = instruction(
            0x1018,
            "global_atomic_add v[0:1], v2, off",
            Class::Memory,
            4,
        );
        atomic.memory.push(Memory {
            collisions,
            ..accesses(Kind::Atomic, 4)
        });
        kernel.instructions.push(atomic);
        about(kernel)
    };
    let expected = "63 of 64 lanes of an atomic change a place that another lane changes";
    assert_eq!(with(16 * 63), [("atomics", expected.to_owned())]);
    assert_eq!(with(16 * 3), []);
}

#[test]
fn waits_need_something_before_them() {
    let mut near = copy();
    near.instructions[2].wait = Some(Wait {
        needed: 16,
        ahead: 24,
        least_ahead: 1,
    });
    assert_eq!(about(near.clone()), []);
    near.occupancy.waves_per_simd = 5;
    let (rule, message) = one(near.clone());
    assert_eq!(
        (rule, message.as_str()),
        (
            "waits",
            "waves wait 1.5 instructions after they issue a load"
        )
    );
    near.instructions[2].wait = Some(Wait {
        needed: 16,
        ahead: 64,
        least_ahead: 1,
    });
    assert_eq!(about(near), []);
}

#[test]
fn low_occupancy_names_its_limit() {
    let mut low = copy();
    low.resources.vgprs = 84;
    low.occupancy = Occupancy {
        waves_per_simd: 3,
        most_waves_per_simd: 10,
        groups_per_unit: 3,
        limit: "vgprs".into(),
    };
    let given = all(&profile(vec![low.clone()]));
    let advice = given.iter().find(|a| a.rule.name == "occupancy").unwrap();
    assert_eq!(
        advice.message,
        "a SIMD holds 3 of 10 waves, limited by its 84 VGPRs"
    );
    // Of 256 VGPRs a quarter.
    assert!(
        advice.help.starts_with("with 64 VGPRs a SIMD would hold 4"),
        "{}",
        advice.help
    );
    low.occupancy.limit = "lds".into();
    low.resources.lds_bytes = 20_000;
    let given = all(&profile(vec![low.clone()]));
    let advice = given.iter().find(|a| a.rule.name == "occupancy").unwrap();
    assert_eq!(
        advice.message,
        "a SIMD holds 3 of 10 waves, limited by 20,000 bytes of LDS of a work-group"
    );
    assert_eq!(
        advice.help,
        "with 16,384 bytes a compute unit would hold 4 work-groups"
    );
    low.occupancy.waves_per_simd = 8;
    assert_eq!(about(low), []);
}

#[test]
fn launches_should_fill_the_chip() {
    let mut few = copy();
    let advice = all(&profile(vec![few.clone()]));
    assert_eq!(
        advice[0].message,
        "a launch has 4 work-groups, and Radeon RX Vega 64 has 64 compute units"
    );
    few.groups = 64;
    assert!(all(&profile(vec![few])).is_empty());
}

#[test]
fn slow_arithmetic_is_named() {
    let mut slow = copy();
    slow.instructions[3].class = Class::SlowVector;
    let (rule, message) = one(slow);
    // One of six instructions.
    assert_eq!(
        (rule, message.as_str()),
        (
            "slow-math",
            "17 % of the instructions are slow vector arithmetic"
        )
    );
}

/// The page has a table of rules, whose rows begin with the names.
#[test]
fn the_page_on_profiles_has_the_same_rules() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/profile.md"
    );
    let page = std::fs::read_to_string(page).expect("a page");
    let (_, section) = page.split_once("\n## Advice\n").expect("a section");
    let section = section.split("\n## ").next().expect("it ends");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let names: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let rules: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name).collect();
    assert_eq!(names, rules);
}

#[test]
fn each_rule_has_a_page() {
    for rule in Rule::ALL {
        assert!(std::ptr::eq(Rule::of(rule.name).unwrap(), rule));
        let page = rule.page();
        for part in [
            "## Why it costs\n",
            "## Threshold\n",
            "## Help\n",
            "## Limits\n",
        ] {
            assert!(page.contains(part), "{page}");
        }
    }
    assert!(Rule::of("nothing").is_none());
}
