//! Loads that go on past the end of an allocation in blocks, on all engines.

use wavetank::{Chip, Error, MachineFault};

use crate::common::bench::{Bench, MEMORY, STORE, on_each, one};

/// Bytes of the allocation: whole pages, or not.
const SIZES: [u64; 2] = [4096, 1000];

/// The lane after the last that is inside, where a lane has a dword and lane 0 is at s[6:7].
const INSIDE: usize = 10;

/// Ways to load v2: from the lane's offset in v1 and s[6:7], which is in v[4:5] too, as a descriptor in s[12:15] with a scalar
/// offset that its range does not count.
const LOADS: [&str; 4] = [
    "global_load_dword v2, v1, s[6:7]",
    "global_load_dword v2, v[4:5], off",
    "flat_load_dword v2, v[4:5]",
    "buffer_load_dword v2, v1, s[12:15], s16 offen",
];

const ADDRESSES: [&str; 9] = [
    "v_mov_b32 v5, s7",
    "v_add_co_u32 v4, vcc, s6, v1",
    "v_addc_co_u32 v5, vcc, 0, v5, vcc",
    "s_mov_b32 s12, s8",
    "s_and_b32 s13, s9, 0xffff",
    "s_sub_u32 s16, s6, s8",
    "s_mov_b32 s14, 0x100",
    "s_mov_b32 s15, 0x27000",
    "v_mov_b32 v2, -1",
];

const WAIT: &str = "s_waitcnt vmcnt(0) lgkmcnt(0)";

/// An allocation of which all dwords are 7, and the address from which on some lanes are inside.
fn block(b: &Bench, bytes: u64) -> (u64, u64) {
    let registry = b.device.registry();
    let block = registry.allocate_block("a block", bytes, 256).unwrap();
    registry
        .write(
            block.address,
            &7u32.to_le_bytes().repeat(bytes as usize / 4),
        )
        .unwrap();
    (block.address, block.end() - 4 * INSIDE as u64)
}

fn load(b: &Bench, at: u64, base: u64, access: &[&str]) {
    b.load(&[at, base], &[&ADDRESSES, access].concat());
}

#[test]
fn loads_go_on_to_zeros_and_are_reported() {
    on_each(Chip::Gfx900, |b| {
        for bytes in SIZES {
            let (base, at) = block(&b, bytes);
            for access in LOADS {
                load(&b, at, base, &[access, WAIT, STORE]);
                // The second wave finds what the first has looked up.
                let dispatch = || b.kernel.dispatch().grid(128).block(64);
                let report = dispatch().run().unwrap();
                let want: Vec<u32> = (0..64).map(|n| if n < INSIDE { 7 } else { 0 }).collect();
                assert_eq!(b.result(), want, "{access}");
                let read_on = report.read_on.expect(access);
                assert_eq!(read_on.load.count, 2 * (64 - INSIDE as u64), "{access}");
                assert_eq!((read_on.wave, read_on.group.index), (0, 0));
                assert_eq!(read_on.load.lane, Some(INSIDE as u8), "{access}");
                assert_eq!(read_on.load.address, at + 4 * INSIDE as u64, "{access}");
                assert_eq!(read_on.load.allocation.bytes, bytes);
                let text = read_on.to_string();
                let end = format!("a load past the end of a block ({bytes} bytes at {base:#x})");
                assert!(text.contains(&end), "{text}");
                assert!(text.contains(&format!("at `{access}")), "{text}");
            }
            // All inside: nothing is reported.
            load(&b, at - 300, base, &[LOADS[0], WAIT, STORE]);
            assert_eq!(b.dispatch().run().unwrap().read_on, None);
        }
    });
}

#[test]
fn scalar_loads_go_on_too() {
    on_each(Chip::Gfx900, |b| {
        let (base, at) = block(&b, 4096);
        let code = [
            "s_load_dwordx2 s[20:21], s[6:7], 0x24",
            "s_load_dwordx4 s[24:27], s[6:7], 0x40",
            "s_waitcnt lgkmcnt(0)",
            "s_or_b32 s24, s24, s27",
            "s_lshl_b32 s24, s24, 8",
            "s_lshl_b32 s21, s21, 4",
            "s_or_b32 s24, s24, s21",
            "s_or_b32 s24, s24, s20",
            "v_mov_b32 v2, s24",
            STORE,
        ];
        load(&b, at, base, &code);
        let report = b.dispatch().run().unwrap();
        assert_eq!(b.result(), [7; 64]);
        let read_on = report.read_on.unwrap();
        assert_eq!((read_on.load.count, read_on.load.lane), (2, None));
        assert_eq!((read_on.load.address, read_on.load.bytes), (at + 0x24, 8));
    });
}

/// The tool `memory` has the last byte.
#[test]
fn a_checked_launch_is_exact() {
    on_each(Chip::Gfx900, |b| {
        let (base, at) = block(&b, 1000);
        for access in LOADS {
            load(&b, at, base, &[access, WAIT, STORE]);
            let report = b.dispatch().check(MEMORY).run().unwrap();
            assert_eq!(report.read_on, None, "{access}");
            assert_eq!(one(&report.findings).rule, "out-of-bounds", "{access}");
        }
    });
}

/// Stores and atomics fault as before, and so do loads at the end of the block, and after the memory is freed.
#[test]
fn nothing_else_goes_on() {
    on_each(Chip::Gfx900, |b| {
        let (base, at) = block(&b, 4096);
        let refused = |at: u64, access: &str, address: u64| {
            load(&b, at, base, &[access, WAIT]);
            let error = b.dispatch().run().unwrap_err();
            let Error::Fault(fault) = &error else {
                panic!("{error}");
            };
            let MachineFault::Memory(fault) = &fault.fault else {
                panic!("{error}");
            };
            assert_eq!(fault.address, address, "{access}: {error}");
        };
        let end = at + 4 * INSIDE as u64;
        for access in [
            "global_store_dword v1, v2, s[6:7]",
            "flat_store_dword v[4:5], v2",
            "buffer_store_dword v2, v1, s[12:15], s16 offen",
            "global_atomic_add v3, v1, v2, s[6:7] glc",
        ] {
            refused(at, access, end);
        }
        // What the stores left out is zero still.
        load(&b, end, base, &[LOADS[0], WAIT, STORE]);
        b.dispatch().run().unwrap();
        assert_eq!(b.result(), [0; 64]);
        let block_end = end.next_multiple_of(2 << 20);
        for access in LOADS {
            refused(block_end - 4, access, block_end);
        }
        b.device.registry().free(base).unwrap();
        refused(end, LOADS[0], end);
    });
}
