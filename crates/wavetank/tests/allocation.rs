//! What a kernel gets is what its descriptor requests.

use wavetank::{Chip, Device};

/// `data/registers.s`, assembled for a chip of each generation that has flat stores.
const KERNELS: [(Chip, &[u8]); 3] = [
    (Chip::Gfx701, include_bytes!("data/registers-gfx701.hsaco")),
    (Chip::Gfx803, include_bytes!("data/registers-gfx803.hsaco")),
    (Chip::Gfx900, include_bytes!("data/registers-gfx900.hsaco")),
];

/// The kernel has 8 VGPRs, and 8 or 16 SGPRs. It writes v8 and s20, and stores what v9 and s20 hold: what v0 and s0 do (Vega
/// ISA, 3.6 "Out-of-Range behavior").
#[test]
fn registers_that_a_kernel_does_not_request_are_the_first_ones() {
    for (chip, object) in KERNELS {
        let device = Device::builder(chip).threads(1).build().unwrap();
        let out = device.buffer_zeroed(8).unwrap();
        let kernel = device.load(object).unwrap().kernel("beyond").unwrap();
        let dispatch = kernel.dispatch().grid(64).block(64);
        dispatch.args(args![&out]).run().unwrap();
        assert_eq!(out.read::<u32>().unwrap(), [42, 77], "{chip}");
    }
}
