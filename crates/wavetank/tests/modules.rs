//! Code objects in memory: what kernels and the host may do with them, and when they go.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use wavetank::{Arg, Buffer, Chip, Device, Error, Module, Report, Result};
use wavetank_machine::Fault;
use wavetank_memory::MemoryFaultReason;

/// `s_endpgm` (Vega ISA, 12.5 SOPP).
const S_ENDPGM: u32 = 0xbf81_0000;

struct Setup {
    device: Device,
    module: Module,
    ones: Buffer,
}

fn load(device: &Device) -> Module {
    let bytes = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco");
    device.load(bytes).unwrap()
}

impl Setup {
    fn new() -> Setup {
        let device = Device::builder(Chip::Gfx900).threads(1).build().unwrap();
        Setup {
            module: load(&device),
            ones: device.buffer_from(&[1u32; 16]).unwrap(),
            device,
        }
    }

    /// Writes sixteen 2.0, as 1.0 + 1.0 of the buffer's bits, to an address.
    fn add_to(&self, address: u64) -> Result<Report> {
        let kernel = self.module.kernel("vecadd").unwrap();
        let args = [Arg::from(&self.ones), Arg::from(&self.ones)];
        let dispatch = kernel.dispatch().grid(16).block(16).args(args);
        dispatch
            .args([Arg::Pointer(address), Arg::from(16u32)])
            .run()
    }

    fn dwords(&self, address: u64) -> [u32; 16] {
        let mut bytes = [0; 64];
        self.device.registry().read(address, &mut bytes).unwrap();
        std::array::from_fn(|n| u32::from_le_bytes(bytes[4 * n..][..4].try_into().unwrap()))
    }
}

/// The sum of the smallest denormal with itself.
const SUM: [u32; 16] = [2; 16];

#[test]
fn kernels_may_store_to_constants() {
    let s = Setup::new();
    let other = load(&s.device);
    // The descriptor lies in a read-only segment.
    let constant = other.kernel("vecadd").unwrap().descriptor_address();
    assert_ne!(s.dwords(constant), SUM);
    s.add_to(constant).unwrap();
    assert_eq!(s.dwords(constant), SUM);
}

#[test]
fn kernels_may_not_store_to_code() {
    let s = Setup::new();
    let kernel = s.module.kernel("vecadd").unwrap();
    let code = s.module.address_of(kernel.info().entry);
    let Err(Error::Fault(fault)) = s.add_to(code) else {
        panic!("it wrote over the code");
    };
    let Fault::Memory(memory) = &fault.fault else {
        panic!("{fault:?}");
    };
    assert_eq!(memory.reason, MemoryFaultReason::ReadOnly);
}

/// Variables that a file has no contents for (`.bss`) are zero, and there for kernels.
#[test]
fn what_the_file_does_not_have_is_zero() {
    const MORE: u64 = 4 << 20;
    let s = Setup::new();
    let mut bytes = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco").to_vec();
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..][..8].try_into().unwrap());
    // The program headers have 56 bytes each and begin at 64; a type of 1 and flags of 6 are a segment of variables, its
    // sizes in the file and in memory stand at 32 and 40 (ELF-64 Object File Format, 1.5).
    let count = usize::from(bytes[56]);
    let mut headers = (0..count).map(|n| 64 + 56 * n);
    let variables = |at: &usize| word(&bytes, *at) == 6 << 32 | 1;
    let at = headers.rfind(variables).expect("one segment of variables");
    let end = word(&bytes, at + 16) + word(&bytes, at + 32);
    let size = word(&bytes, at + 40) + MORE;
    bytes[at + 40..at + 48].copy_from_slice(&size.to_le_bytes());

    let module = s.device.load(&bytes).unwrap();
    let variable = module.address_of((end + MORE / 2).next_multiple_of(64));
    assert_eq!(s.dwords(variable), [0; 16]);
    s.add_to(variable).unwrap();
    assert_eq!(s.dwords(variable), SUM);
}

#[test]
fn what_the_host_writes_over_code_is_seen_by_the_next_launch() {
    let s = Setup::new();
    let kernel = s.module.kernel("vecadd").unwrap();
    let code = s.module.address_of(kernel.info().entry);
    let out = s.device.buffer_zeroed(64).unwrap();
    let registry = s.device.registry();
    let mut original = [0; 4];
    registry.read(code, &mut original).unwrap();

    s.add_to(out.address()).unwrap();
    assert_eq!(out.read::<u32>().unwrap(), SUM);
    out.write_at(0, &[0u32; 16]).unwrap();
    registry.write(code, &S_ENDPGM.to_le_bytes()).unwrap();
    let first = || s.module.place(code).instruction;
    assert_eq!(first().as_deref(), Some("s_load_dword s2, s[4:5], 0x2c"));
    s.add_to(out.address()).unwrap();
    assert_eq!(
        out.read::<u32>().unwrap(),
        [0; 16],
        "the kernel ends at once"
    );
    assert_eq!(first().as_deref(), Some("s_endpgm"));
    registry.write(code, &original).unwrap();
    s.add_to(out.address()).unwrap();
    assert_eq!(out.read::<u32>().unwrap(), SUM);
}

#[test]
fn what_the_host_writes_before_the_first_launch_is_what_runs() {
    let s = Setup::new();
    let kernel = s.module.kernel("vecadd").unwrap();
    let code = s.module.address_of(kernel.info().entry);
    let out = s.device.buffer_zeroed(64).unwrap();
    let registry = s.device.registry();
    let mut original = [0; 4];
    registry.read(code, &mut original).unwrap();

    registry.write(code, &S_ENDPGM.to_le_bytes()).unwrap();
    s.add_to(out.address()).unwrap();
    assert_eq!(out.read::<u32>().unwrap(), [0; 16], "it ends at once");
    registry.write(code, &original).unwrap();
    s.add_to(out.address()).unwrap();
    assert_eq!(out.read::<u32>().unwrap(), SUM);
}

#[test]
fn a_module_may_go_while_kernels_of_another_write_to_it() {
    let s = Setup::new();
    let stop = AtomicBool::new(false);
    for _ in 0..50 {
        let other = load(&s.device);
        let target = other.kernel("vecadd").unwrap().descriptor_address();
        stop.store(false, Relaxed);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                while !stop.load(Relaxed) {
                    match s.add_to(target) {
                        Ok(_) => {}
                        Err(Error::Fault(fault)) => {
                            let Fault::Memory(memory) = fault.fault else {
                                panic!("{:?}", fault.fault);
                            };
                            assert_eq!(memory.reason, MemoryFaultReason::Freed);
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            });
            std::thread::yield_now();
            drop(other);
            stop.store(true, Relaxed);
            writer.join().unwrap();
        });
    }
}
