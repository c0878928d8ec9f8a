//! Trap handlers of dispatches. What a handler sees, and what makes waves enter it, the cases of tests/isa/programs/traps.wt say.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use wavetank::{Buffer, Chip, Device, Dispatch, Error, Kernel, Module};
use wavetank_gcn::{encode, parse};
use wavetank_machine::Fault;

/// A kernel that traps, and then loads from where nothing is, with EXCP_EN of memory violations, MODE[20].
const KERNEL: &[&str] = &[
    "s_trap 3",
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 20, 1), 1",
    "v_mov_b32 v0, 0",
    "v_mov_b32 v1, 0",
    "global_load_dword v0, v[0:1], off",
    "s_endpgm",
];

/// A handler that adds the number of the trap to memory, or for a violation, TRAPSTS[8], 256.
const HANDLER: &[&str] = &[
    "s_getreg_b32 ttmp4, hwreg(HW_REG_TMA_LO)",
    "s_getreg_b32 ttmp5, hwreg(HW_REG_TMA_HI)",
    "s_bfe_u32 ttmp6, ttmp1, 0x80010",
    "s_cmp_eq_u32 ttmp6, 0",
    "s_cbranch_scc1 3",
    "s_add_u32 ttmp0, ttmp0, 4",
    "s_addc_u32 ttmp1, ttmp1, 0",
    "s_branch 2",
    "s_getreg_b32 ttmp6, hwreg(HW_REG_TRAPSTS, 8, 1)",
    "s_lshl_b32 ttmp6, ttmp6, 8",
    "s_atomic_add ttmp6, ttmp[4:5], 0x0",
    "s_rfe_b64 ttmp[0:1]",
];

/// Where the handler is put: the padding after the kernel `empty` is 256 bytes long.
const DISTANCE: u64 = 64;

struct Setup {
    module: Module,
    sum: Buffer,
    handler: u64,
}

impl Setup {
    /// The kernel `empty` with other code, and a handler after it.
    fn new() -> Setup {
        let device = Device::builder(Chip::Gfx900).threads(2).build().unwrap();
        let module = device.load(include_bytes!("data/turns-gfx900.hsaco"));
        let module = module.unwrap();
        let kernel = module.kernel("empty").unwrap();
        let entry = module.address_of(kernel.info().entry);
        for (at, code) in [(entry, KERNEL), (entry + DISTANCE, HANDLER)] {
            let bytes: Vec<u8> = code.iter().flat_map(|text| bytes(text)).collect();
            device.registry().write(at, &bytes).unwrap();
        }
        Setup {
            sum: device.buffer_zeroed(4).unwrap(),
            module,
            handler: entry + DISTANCE,
        }
    }

    fn kernel(&self) -> Kernel {
        self.module.kernel("empty").unwrap()
    }

    /// Eight work-groups of two waves.
    fn dispatch(&self) -> Dispatch<'static> {
        self.kernel().dispatch().grid(8 * 128).block(128)
    }

    /// What the handler has added.
    fn added(&self) -> u32 {
        self.sum.read::<u32>().unwrap()[0]
    }
}

fn bytes(text: &str) -> Vec<u8> {
    let inst = parse(text, Chip::Gfx900).unwrap();
    encode(&inst).unwrap().as_ref().to_vec()
}

#[test]
fn every_wave_enters_the_handler_of_its_dispatch() {
    let s = Setup::new();
    let dispatch = || s.dispatch().trap_handler(s.handler, s.sum.address());
    dispatch().run().unwrap();
    assert_eq!(s.added(), 16 * (3 + 256));
    // Waves that are watched run otherwise, an instruction at a time.
    let steps = AtomicUsize::new(0);
    let count = |_| {
        steps.fetch_add(1, Relaxed);
    };
    dispatch().trace(&|_, _| true, &count).run().unwrap();
    assert_eq!(s.added(), 2 * 16 * (3 + 256));
    // The handler takes 10 instructions for the trap, and 9 for the violation.
    assert!(steps.into_inner() >= 16 * (KERNEL.len() + 19));
}

#[test]
fn without_a_handler_a_trap_stops_the_kernel() {
    let s = Setup::new();
    match s.dispatch().run() {
        Err(Error::Fault(fault)) => {
            assert!(matches!(fault.fault, Fault::Trap { id: 3, .. }), "{fault}");
        }
        other => panic!("{:?}", other.map(|report| report.waves)),
    }
    assert_eq!(s.added(), 0);
}

#[test]
fn a_handler_outside_the_code_is_refused() {
    let s = Setup::new();
    let elsewhere = s.sum.address();
    match s.dispatch().trap_handler(elsewhere, 0).run() {
        Err(Error::TrapHandler { kernel, address }) => {
            assert_eq!((kernel.as_str(), address), ("empty", elsewhere));
        }
        other => panic!("{:?}", other.map(|report| report.waves)),
    }
}
