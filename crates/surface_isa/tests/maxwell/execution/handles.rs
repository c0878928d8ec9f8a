//! The surface, the threads, and the predicate of sparse pages.

use wavetank_ir::Dimensions;
use wavetank_machine::{Fault, Leave};
use wavetank_memory::{Element, MemoryFaultReason, Surface, SurfaceFault};

use super::warp::{After, Before, OLD, SURFACE, THREADS, inst, run};

/// A row of 64 elements, of which each thread has one: R2 is its number, R4 is 100, R1 the handle.
fn row() -> Before {
    let number = std::array::from_fn(|thread| thread as u32);
    Before {
        surface: Surface::new(0, Dimensions::D1, [64, 1, 1], Element::U32),
        elements: (1000..1064).collect(),
        registers: vec![(1, [SURFACE; THREADS]), (2, number), (4, [100; THREADS])],
        predicates: [0; 7],
        running: u32::MAX,
        maximum: None,
        constants: (0..16)
            .map(|n| if n == 5 { 0xfff0_0000 | SURFACE } else { 99 })
            .collect(),
    }
}

/// The threads whose elements changed, and those that got the value before.
fn threads(after: &After) -> (u32, u32) {
    let bits = |of: &dyn Fn(usize) -> bool| (0..THREADS).fold(0, |b, t| b | u32::from(of(t)) << t);
    let changed = bits(&|t| after.elements[t] == 1100 + t as u64);
    let got = bits(&|t| after.wave.vgpr(10)[t] == 1000 + t as u32);
    (changed, got)
}

#[test]
fn guards_and_running_threads() {
    let mut before = row();
    before.running = 0x00ff_ff0f;
    before.predicates[3] = 0x0f0f_0f0f;
    for (guard, taken) in [
        ("", 0x00ff_ff0f),
        ("@P3 ", 0x000f_0f0f),
        ("@!P3 ", 0x00f0_f000),
        ("@!PT ", 0),
    ] {
        let line = format!("{guard}SUATOM.D.1D.ADD R10, [R2], R4, R1;");
        for after in run(&[inst(&line)], &before) {
            assert!(matches!(after.leave, Leave::End(_)));
            assert_eq!(threads(&after), (taken, taken), "{line}");
            // Helper and killed pixels are threads that do not run: nothing happens to them.
            let others = (0..THREADS).filter(|t| taken >> t & 1 == 0);
            assert!(
                others.clone().all(|t| after.wave.vgpr(10)[t] == OLD),
                "{line}"
            );
        }
    }
}

#[test]
fn handles_in_registers_and_in_the_constant_bank() {
    for line in [
        "SUATOM.D.1D.ADD R10, [R2], R4, R1;",
        "SUATOM.D.1D.ADD R10, [R2], R4, 0x5;",
        "SUATOM.P.1D.ADD R10, [R2], R4, 0x5;",
    ] {
        for after in run(&[inst(line)], &row()) {
            assert_eq!(
                threads(&after),
                (u32::MAX, u32::MAX),
                "{line}: {:?}",
                after.leave
            );
        }
    }
    // A word after the bank is an access outside.
    for after in run(&[inst("SUATOM.D.1D.ADD R10, [R2], R4, 0x1fff;")], &row()) {
        assert!(
            matches!(after.leave.fault(), Some(Fault::Memory(_))),
            "{:?}",
            after.leave
        );
    }
}

#[test]
fn invalid_and_disabled_surfaces_drop_what_is_written() {
    let mut beyond = row();
    beyond.maximum = Some(SURFACE - 1);
    let mut disabled = row();
    disabled.surface.enabled = false;
    for before in [beyond, disabled] {
        for after in run(&[inst("SUATOM.D.1D.ADD R10, [R2], R4, R1;")], &before) {
            assert!(matches!(after.leave, Leave::End(_)));
            assert_eq!(after.elements, before.elements);
            assert_eq!(after.wave.vgpr(10)[..THREADS], [0; THREADS]);
        }
    }
    let mut unbound = row();
    unbound.registers[0].1[7] = 9;
    for after in run(&[inst("SUATOM.D.1D.ADD R10, [R2], R4, R1;")], &unbound) {
        let Some(Fault::Memory(fault)) = after.leave.fault() else {
            panic!("{:?}", after.leave);
        };
        let reason = MemoryFaultReason::Surface(SurfaceFault::Unbound { number: 9 });
        assert_eq!((&fault.reason, fault.lane), (&reason, Some(7)));
        assert_eq!(after.elements, unbound.elements);
    }
}

#[test]
fn sparse_pages_are_reported_to_a_predicate() {
    let mut before = row();
    // Elements 4 to 7, and 16.
    before.surface.absent = vec![16..32, 64..68];
    before.running = 0xffff_0fff;
    before.predicates = [0x1234_5678; 7];
    let absent = 0x0001_00f0;
    for line in [
        "SUATOM.D.1D.ADD P2, R10, [R2], R4, R1;",
        "SUATOM.D.1D.CAS P2, R10, [R2], R4, R1;",
        "SUATOM.D.1D.CAS P2, R10, [R2], R4, 0x5;",
    ] {
        for after in run(&[inst(line)], &before) {
            assert!(matches!(after.leave, Leave::End(_)), "{line}");
            let kept = 0x1234_5678 & !before.running;
            assert_eq!(after.wave.s64(4), u64::from(absent | kept), "{line}");
            assert_eq!(after.wave.s64(2), 0x1234_5678, "{line}: another predicate");
            let zero = (0..THREADS).filter(|t| absent >> t & 1 != 0);
            assert!(zero.clone().all(|t| after.wave.vgpr(10)[t] == 0), "{line}");
        }
    }
    // PT drops the status.
    for after in run(&[inst("SUATOM.D.1D.ADD PT, R10, [R2], R4, R1;")], &before) {
        assert_eq!(after.wave.s64(4), 0x1234_5678);
        assert_eq!(
            threads(&after),
            (before.running & !absent, before.running & !absent)
        );
    }
}

#[test]
fn threads_that_meet_go_one_after_another() {
    let mut before = row();
    before.registers[1].1 = [3; THREADS];
    before.running = 0xf0f0_f0f0;
    for after in run(&[inst("SUATOM.D.1D.ADD R10, [R2], R4, R1;")], &before) {
        assert_eq!(after.elements[3], 1003 + 16 * 100);
        let running = (0..THREADS).filter(|t| before.running >> t & 1 != 0);
        for (n, thread) in running.enumerate() {
            assert_eq!(after.wave.vgpr(10)[thread], 1003 + 100 * n as u32);
        }
    }
}

#[test]
fn formatted_data_are_what_the_surface_says() {
    // -1 as a sign, as a large number, and as a NaN.
    for (element, line, new) in [
        (Element::S32, "SUATOM.P.1D.MIN RZ, [R2], R4, R1;", u32::MAX),
        (Element::U32, "SUATOM.P.1D.MIN RZ, [R2], R4, R1;", 100),
        (
            Element::F32,
            "SUATOM.P.1D.ADD RZ, [R2], R4, R1;",
            0x7fff_ffff,
        ),
    ] {
        let mut before = row();
        before.surface.element = element;
        before.elements = vec![u32::MAX.into(); 64];
        for after in run(&[inst(line)], &before) {
            assert!(matches!(after.leave, Leave::End(_)));
            assert_eq!(after.elements[0], u64::from(new), "{element:?}");
            assert_eq!(after.wave.vgpr(10)[0], OLD, "RZ drops the value before");
        }
    }
}

#[test]
fn several_instructions_run_in_order() {
    let code = [
        inst("SUATOM.D.1D.ADD R10, [R2], R4, R1;"),
        inst("SUATOM.D.1D.EXCH R11, [R2], R10, R1;"),
    ];
    for after in run(&code, &row()) {
        assert!(matches!(after.leave, Leave::End(_)));
        assert_eq!(after.elements, row().elements);
        assert_eq!(after.wave.vgpr(11)[5], 1105);
    }
}

#[test]
fn what_breaks_a_rule_stops() {
    let generation = wavetank_surface_isa::maxwell::Generation::Sm52;
    let parsed =
        wavetank_surface_isa::maxwell::parse("SUATOM.D.1D.INC.S32 R10, [R2], R4, R1;", generation);
    let broken = parsed.expect("it can be read").inst;
    let good = inst("SUATOM.D.1D.ADD R10, [R2], R4, R1;");
    for after in run(&[good, broken], &row()) {
        let Some(Fault::Unsupported { pc, what }) = after.leave.fault() else {
            panic!("{:?}", after.leave);
        };
        assert!(what.contains("`.INC` does not take `.S32`"), "{what}");
        // What stands before it is done.
        assert_eq!((*pc, threads(&after)), (8, (u32::MAX, u32::MAX)));
    }
}
