//! What waves start with.

#![forbid(unsafe_code)]

use wavetank::{Chip, Device, EngineChoice};
use wavetank_gcn::{encode, parse};

/// Stores a register that it has not written, for each work-item of groups of 64, and then leaves something in it.
const KERNEL: &[&str] = &[
    "s_load_dwordx2 s[0:1], s[4:5], 0x0",
    "s_waitcnt lgkmcnt(0)",
    "s_lshl_b32 s2, s6, 8",
    "s_add_u32 s0, s0, s2",
    "s_addc_u32 s1, s1, 0",
    "v_lshlrev_b32 v0, 2, v0",
    "v_mov_b32 v1, v3",
    "global_store_dword v0, v1, s[0:1]",
    "v_mov_b32 v1, 1",
    "v_mov_b32 v2, 2",
    "v_mov_b32 v3, 3",
    "s_endpgm",
];

/// Groups of a wave: so many that it is looked at which registers the kernel needs zeroed.
const GROUPS: u32 = 5000;

/// What earlier waves have left in registers is not seen.
#[test]
fn unwritten_registers_are_zero() {
    for engine in [EngineChoice::Auto, EngineChoice::Interpreter] {
        let device = Device::builder(Chip::Gfx900).threads(2).engine(engine);
        let device = device.build().unwrap();
        // The kernel `chain` with other code: a launch sees what has been written over code that one before it has decoded.
        let module = device.load(include_bytes!("data/turns-gfx900.hsaco"));
        let module = module.unwrap();
        let kernel = module.kernel("chain").unwrap();
        let flag = device.buffer_zeroed(4).unwrap();
        let first = kernel.dispatch().grid(64).block(64);
        first.arg(&flag).arg(1i32).run().unwrap();
        let code: Vec<u8> = KERNEL.iter().flat_map(|text| bytes(text)).collect();
        let entry = module.address_of(kernel.info().entry);
        device.registry().write(entry, &code).unwrap();
        // The last group has 40 work-items.
        let items = GROUPS * 64 - 24;
        let stored = device.buffer_from(&vec![u32::MAX; items as usize]).unwrap();
        let dispatch = kernel.dispatch().grid(items).block(64);
        dispatch.arg(&stored).arg(0i32).run().unwrap();
        let stored: Vec<u32> = stored.read().unwrap();
        let wrong = stored.iter().position(|value| *value != 0);
        assert_eq!(wrong, None, "{engine}: {:?}", wrong.map(|n| stored[n]));
    }
}

fn bytes(text: &str) -> Vec<u8> {
    let inst = parse(text, Chip::Gfx900).unwrap_or_else(|e| panic!("{text}: {e}"));
    encode(&inst).unwrap().as_ref().to_vec()
}
