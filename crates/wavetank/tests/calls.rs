//! Calls that are wrong: each gets one clear sentence before anything runs.

use wavetank::{Arg, Chip, Device, Dispatch, Error, Kernel};

fn vecadd() -> (Device, Kernel) {
    let device = Device::builder(Chip::Gfx900).threads(1).build().unwrap();
    let bytes = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco");
    let kernel = device.load(bytes).unwrap().kernel("vecadd").unwrap();
    (device, kernel)
}

fn refusal(change: impl FnOnce(Dispatch<'static>) -> Dispatch<'static>) -> String {
    let (device, kernel) = vecadd();
    let buffer = device.buffer_zeroed(256).unwrap();
    let args = [
        Arg::from(&buffer),
        Arg::from(&buffer),
        Arg::from(&buffer),
        Arg::from(64u32),
    ];
    let dispatch = kernel.dispatch().grid(64).block(64).args(args);
    let error = change(dispatch).run().unwrap_err();
    assert!(!error.is_kernel_failure());
    error.to_string()
}

#[test]
fn grids() {
    assert_eq!(
        refusal(|d| d.grid([64, 0])),
        "kernel `vecadd` cannot be dispatched: the grid 64x0x1 has no work-items; every dimension must be at least 1"
    );
    assert_eq!(
        refusal(|d| d.block([64, 17])),
        "kernel `vecadd` cannot be dispatched: a work-group of 64x17x1 has 1088 work-items; the most is 1024"
    );
    assert_eq!(
        refusal(|d| d.block(1024)),
        "kernel `vecadd` was compiled for work-groups of at most 256, not of 1024 work-items"
    );
}

#[test]
fn lds() {
    assert_eq!(
        refusal(|d| d.dynamic_lds(65537)),
        "kernel `vecadd` would use 65537 bytes of LDS; a work-group has at most 65536"
    );
}

#[test]
fn arguments() {
    let text = refusal(|d| d.arg(1u32));
    assert!(
        text.starts_with(
            "kernel `vecadd` takes 4 arguments and was given 5; its signature is vecadd("
        ),
        "{text}"
    );
    let (_, kernel) = vecadd();
    let error = kernel
        .dispatch()
        .args([1u32, 2, 3, 4].map(Arg::from))
        .run()
        .unwrap_err();
    let Error::Arguments {
        problem, signature, ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(problem.starts_with("has argument 0 "), "{problem}");
    assert_eq!(signature.matches(',').count(), 3, "{signature}");
}

#[test]
fn names() {
    let (device, kernel) = vecadd();
    let bytes = kernel_bytes();
    let module = device.load(&bytes).unwrap();
    let error = module.kernel("vec_add").err().unwrap();
    assert_eq!(
        error.to_string(),
        "there is no kernel `vec_add` here; did you mean `vecadd`?"
    );
    let error = module.kernel("fft").err().unwrap();
    assert_eq!(
        error.to_string(),
        "there is no kernel `fft` here; there are vecadd"
    );
    assert_eq!(kernel.name(), "vecadd");
}

fn kernel_bytes() -> Vec<u8> {
    include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco").to_vec()
}

#[test]
fn chips() {
    let device = Device::new(Chip::Gfx906).unwrap();
    let error = device.load(&kernel_bytes()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the file holds no code for gfx906; it has gfx900"
    );
}

#[test]
fn buffers() {
    let (device, _) = vecadd();
    let buffer = device.buffer_from(&[1u16, 2, 3]).unwrap();
    assert_eq!(buffer.read::<u32>().unwrap(), [0x0002_0001]);
    let error = buffer.write_at(u64::MAX, &[0u8]).unwrap_err();
    assert!(matches!(error, Error::BufferRange { .. }), "{error}");
    assert!(matches!(
        device.buffer_zeroed(u64::MAX),
        Err(Error::OutOfMemory { .. })
    ));
    let empty = device.buffer_from::<u32>(&[]).unwrap();
    assert!(empty.is_empty() && empty.read::<u32>().unwrap().is_empty());
}
