//! Loads past the end of an allocation in blocks, at each level.

use super::*;

/// The lane after the last that is inside.
const INSIDE: usize = 20;

/// An allocation of a page of sevens.
fn block(registry: &Registry) -> u64 {
    let block = registry.allocate_block("a block", 4096, 256).unwrap();
    registry.write(block.address, &[7; 4096]).unwrap();
    block.address
}

/// Loads of every width: all lanes in a row, apart, and in several allocations.
#[test]
fn loads_past_the_end_give_zero() {
    let registry = Registry::new();
    let base = block(&registry);
    let (other, bytes) = filled(&registry);
    for n in 1..=4usize {
        let op = load(global(), Access::Dwords(n as u8), DataReg::V(4));
        let width = 4 * n as u64;
        let first = base + 4096 - width * INSIDE as u64;
        // Lane 0 is somewhere else in the last.
        let patterns: [&dyn Fn(usize) -> u64; 3] = [
            &|lane| first + width * lane as u64,
            &|lane| first + width * (lane as u64 ^ 1),
            &|lane| {
                if lane == 0 {
                    other
                } else {
                    first + width * lane as u64
                }
            },
        ];
        for (k, at) in patterns.into_iter().enumerate() {
            for f in levels(&op) {
                for mask in [!0, 0xffff_0000_00ff_fff1u64] {
                    let (mut wave, mut unit) = (Wave::new(0), MemoryUnit::new(&registry));
                    wave.set_s64(126, mask);
                    set_addresses(&mut wave, 0, at);
                    (4..8).for_each(|r| *wave.vgpr_mut(r) = [9; 64]);
                    run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
                    let elsewhere = |lane: usize| k == 2 && lane == 0;
                    let beyond = |lane: usize| !elsewhere(lane) && at(lane) >= base + 4096;
                    for lane in 0..64 {
                        for r in 0..n {
                            let want = match mask >> lane & 1 != 0 {
                                false => 9,
                                _ if elsewhere(lane) => dword(&bytes, 4 * r),
                                _ if beyond(lane) => 0,
                                _ => 0x0707_0707,
                            };
                            assert_eq!(wave.vgpr(4 + r)[lane], want, "lane {lane} register {r}");
                        }
                    }
                    let read_on = unit.take_read_on().unwrap();
                    let on = (0..64).filter(|lane| mask >> lane & 1 != 0);
                    let past: Vec<usize> = on.filter(|lane| beyond(*lane)).collect();
                    assert_eq!(read_on.count, past.len() as u64);
                    assert_eq!(read_on.lane.map(usize::from), past.first().copied());
                    assert_eq!((read_on.pc, read_on.bytes), (0x1234, width as u32));
                    assert_eq!(read_on.address, at(past[0]));
                    assert_eq!(read_on.allocation.address, base);
                    assert_eq!(unit.take_read_on(), None);
                }
            }
        }
    }
}

/// A load that begins inside has what is there.
#[test]
fn a_load_across_the_end_has_both() {
    let registry = Registry::new();
    let end = block(&registry) + 4096;
    let op = load(global(), Access::Dwords(2), DataReg::V(4));
    for f in levels(&op) {
        let (mut wave, mut unit) = (Wave::new(0), MemoryUnit::new(&registry));
        set_addresses(&mut wave, 0, |_| end - 6);
        run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap();
        assert_eq!(*wave.vgpr(4), [0x0707_0707; 64]);
        assert_eq!(*wave.vgpr(5), [0x0707; 64]);
        assert_eq!(unit.take_read_on().unwrap().count, 64);
    }
}

/// Stores, atomics, and loads that do not end with the block are faults at the first lane, and nothing is recorded.
#[test]
fn what_else_goes_there_faults() {
    let registry = Registry::new();
    let base = block(&registry);
    let end = (base + 4096).next_multiple_of(2 << 20);
    let read = load(global(), Access::Dwords(2), DataReg::V(4));
    let cases = [
        (
            store(global(), Access::Dwords(1), DataReg::V(4)),
            base + 4096,
        ),
        (store(global(), Access::U8, DataReg::V(4)), base + 4096),
        (atomic(global(), Rmw::Add, 1, 4, 6), base + 4096),
        (read.clone(), end - 4),
        (read.clone(), end),
        (read, base - 4),
    ];
    for (op, at) in cases {
        for f in levels(&op) {
            let (mut wave, mut unit) = (Wave::new(0), MemoryUnit::new(&registry));
            set_addresses(&mut wave, 0, |lane| if lane < 3 { base } else { at });
            let fault = run_step(&mut wave, &mut unit, &op, &[v(0)], f).unwrap_err();
            assert_eq!((fault.lane, fault.address), (Some(3), at));
            assert_eq!(fault.reason, MemoryFaultReason::Unmapped);
            assert_eq!(unit.take_read_on(), None);
        }
    }
    // What they did not do left zeros.
    let op = load(global(), Access::Dwords(1), DataReg::V(4));
    let (mut wave, mut unit) = (Wave::new(0), MemoryUnit::new(&registry));
    set_addresses(&mut wave, 0, |lane| base + 4096 + 4 * lane as u64);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap();
    assert_eq!(*wave.vgpr(4), [0; 64]);
}

/// An allocation without blocks ends with its last byte.
#[test]
fn others_end_where_they_end() {
    let registry = Registry::new();
    let (base, _) = filled(&registry);
    let op = load(global(), Access::Dwords(1), DataReg::V(4));
    let (mut wave, mut unit) = (Wave::new(0), MemoryUnit::new(&registry));
    set_addresses(&mut wave, 0, |_| base + 4096);
    run(&mut wave, &mut unit, &op, &[v(0)]).unwrap_err();
}
