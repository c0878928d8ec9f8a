//! Profiles for tests, made by hand of kernels whose counts are known.

use crate::model::*;

/// Returns a profile of kernels, with a launch of each and a copy in the timeline.
pub(crate) fn profile(kernels: Vec<Kernel>) -> Profile {
    let mut events = Vec::new();
    for (n, kernel) in kernels.iter().enumerate() {
        let begin = 1000 * n as u64 + 100;
        events.push(Event {
            track: "queue 1".into(),
            name: kernel.name.clone(),
            kind: EventKind::Kernel,
            begin,
            end: begin + 500,
            kernel: Some(n),
            bytes: None,
        });
    }
    events.push(Event {
        track: "copies".into(),
        name: "host to device".into(),
        kind: EventKind::Copy,
        begin: 5000,
        end: 5400,
        kernel: None,
        bytes: Some(4096),
    });
    Profile {
        version: VERSION,
        made_by: "wavetank 0.1.0".into(),
        program: vec!["./a.out".into()],
        kernels,
        timeline: Timeline {
            events,
            left_out: 0,
        },
    }
}

/// Returns a kernel of 16 waves in 4 work-groups, without instructions.
pub(crate) fn kernel(name: &str) -> Kernel {
    Kernel {
        symbol: name.into(),
        name: name.into(),
        chip: "gfx900".into(),
        launches: 1,
        failed: 0,
        groups: 4,
        waves: 16,
        work_items: 1024,
        host_seconds: 0.002,
        shapes: vec![Shape {
            grid: [1024, 1, 1],
            block: [256, 1, 1],
            lds_bytes: 0,
            launches: 1,
        }],
        resources: Resources {
            vgprs: 24,
            sgprs: 16,
            lds_bytes: 0,
            scratch_bytes: 0,
        },
        occupancy: Occupancy {
            waves_per_simd: 10,
            most_waves_per_simd: 10,
            groups_per_unit: 10,
            limit: "waves".into(),
        },
        instructions: Vec::new(),
    }
}

/// Returns an instruction that 16 waves executed with all lanes, in a line of `k.hip`.
pub(crate) fn instruction(address: u64, text: &str, class: Class, line: u32) -> Instruction {
    Instruction {
        address,
        function: "k".into(),
        text: text.into(),
        class,
        frames: vec![Frame {
            function: "k".into(),
            file: "k.hip".into(),
            line,
            column: 5,
        }],
        executions: 16,
        lanes: vec![(64, 16)],
        parts: 0,
        operations: 0,
        operands: String::new(),
        memory: Vec::new(),
        wait: None,
    }
}

/// Returns 16 accesses to global memory by all lanes, each of 4 bytes, that touch so many lines each.
pub(crate) fn accesses(kind: Kind, lines: u64) -> Memory {
    Memory {
        space: Space::Global,
        kind,
        accesses: 16,
        lanes: 16 * 64,
        bytes: 16 * 256,
        different_bytes: 16 * 256,
        lines_64: 16 * lines,
        lines_128: 16 * lines.div_ceil(2),
        least_lines_64: 16 * 4,
        bank_cycles: 0,
        least_bank_cycles: 0,
        collisions: 0,
    }
}

/// Returns a kernel that copies a float for each work-item and adds to it, with all accesses side by side.
pub(crate) fn copy() -> Kernel {
    let mut load = instruction(
        0x1004,
        "global_load_dword v2, v[0:1], off",
        Class::Memory,
        3,
    );
    load.memory.push(accesses(Kind::Load, 4));
    let mut wait = instruction(0x100c, "s_waitcnt vmcnt(0)", Class::Wait, 3);
    wait.wait = Some(Wait {
        needed: 16,
        ahead: 16 * 9,
        least_ahead: 9,
    });
    let mut add = instruction(0x1010, "v_add_f32_e32 v2, 1.0, v2", Class::Vector, 3);
    add.operations = 1024;
    add.operands = "f32".into();
    let mut store = instruction(
        0x1014,
        "global_store_dword v[0:1], v2, off",
        Class::Memory,
        4,
    );
    store.memory.push(accesses(Kind::Store, 4));
    Kernel {
        instructions: vec![
            instruction(0x1000, "v_lshlrev_b32_e32 v0, 2, v0", Class::Vector, 2),
            load,
            wait,
            add,
            store,
            instruction(0x101c, "s_endpgm", Class::Other, 5),
        ],
        ..kernel("copy")
    }
}

/// Returns a kernel whose loads touch a line for each lane.
pub(crate) fn strided() -> Kernel {
    let mut kernel = copy();
    kernel.name = "strided(float*)".into();
    kernel.symbol = "_Z7stridedPf".into();
    kernel.instructions[1].memory = vec![accesses(Kind::Load, 64)];
    kernel
}
