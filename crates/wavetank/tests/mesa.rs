//! Kernels as compilers leave them for Mesa's drivers; `data/mesa.cl` says how they were made.

#![forbid(unsafe_code)]

use wavetank::{Arg, Chip, Device, Error, Module};

/// Work-items of a group.
const GROUP: u32 = 64;

macro_rules! objects {
    ($($chip:ident $name:literal,)*) => {
        [$((Chip::$chip, include_bytes!(concat!("data/", $name)) as &[u8]),)*]
    };
}

/// Those with an `amd_kernel_code_t`.
fn mesa3d() -> [(Chip, &'static [u8]); 3] {
    objects! {
        Gfx600 "mesa3d-gfx600.o", Gfx704 "mesa3d-gfx704.o", Gfx803 "mesa3d-gfx803.o",
    }
}

/// Those with registers.
fn clover() -> [(Chip, &'static [u8]); 3] {
    objects! {
        Gfx600 "clover-gfx600.o", Gfx704 "clover-gfx704.o", Gfx803 "clover-gfx803.o",
    }
}

fn load(chip: Chip, object: &[u8]) -> (Device, Module) {
    let device = Device::builder(chip).threads(1).build().unwrap();
    let module = device.load(object).unwrap();
    (device, module)
}

#[test]
fn arguments_follow_each_other() {
    for (chip, object) in mesa3d().into_iter().chain(clover()) {
        let (device, module) = load(chip, object);
        let x: Vec<f32> = (0..200).map(|n| n as f32).collect();
        let [from, to] = [(); 2].map(|()| device.buffer_from(&x).unwrap());
        let kernel = module.kernel("saxpy").unwrap();
        let args: [Arg; 4] = [3.0f32.into(), (&from).into(), (&to).into(), 200u32.into()];
        kernel
            .dispatch()
            .grid(256)
            .block(GROUP)
            .args(args)
            .run()
            .unwrap();
        let want: Vec<f32> = x.iter().map(|x| 4.0 * x).collect();
        assert_eq!(to.read::<f32>().unwrap(), want, "{chip}");
    }
}

/// The table is in a section of its own, and the caller's LDS lies after the kernel's.
#[test]
fn sections_are_laid_out() {
    for (chip, object) in mesa3d().into_iter().chain(clover()) {
        let (device, module) = load(chip, object);
        let x: Vec<i32> = (0..128).map(|n| 7 * n - 300).collect();
        let from = device.buffer_from(&x).unwrap();
        let sums = device.buffer_zeroed(8).unwrap();
        let kernel = module.kernel("sums").unwrap();
        let args: [Arg; 3] = [(&from).into(), Arg::Lds(256), (&sums).into()];
        kernel
            .dispatch()
            .grid(128)
            .block(GROUP)
            .args(args)
            .run()
            .unwrap();
        let square = |n: usize| ((63 - n) % 16 * ((63 - n) % 16)) as i32;
        let sum = |x: &[i32]| {
            x.iter()
                .enumerate()
                .map(|(n, x)| x * square(n))
                .sum::<i32>()
        };
        let want: Vec<i32> = x.chunks(64).map(sum).collect();
        assert_eq!(sums.read::<i32>().unwrap(), want, "{chip}");
    }
}

#[test]
fn kernels_are_given_the_shape_of_the_grid() {
    let run = |chip, object| {
        let (device, module) = load(chip, object);
        let out = device.buffer_zeroed(36).unwrap();
        let kernel = module.kernel("shape").unwrap();
        let dispatch = kernel.dispatch().grid([6, 4]).block([2, 4]);
        dispatch.args([Arg::from(&out)]).run().unwrap();
        out.read::<u32>().unwrap()
    };
    for (chip, object) in mesa3d() {
        assert_eq!(run(chip, object)[..4], [2, 0, 0, 0], "{chip}");
    }
    for (chip, object) in clover() {
        assert_eq!(run(chip, object), [3, 1, 1, 6, 4, 1, 2, 4, 1], "{chip}");
    }
}

/// What Clover keeps has the arguments in a list: type, size, size and alignment for the chip, extension, meaning.
#[test]
fn programs_of_clover_list_arguments() {
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let (value, buffer) = ([0, 4, 4, 4, 0, 0], [2, 8, 8, 8, 0, 0]);
    let args = [
        value,
        buffer,
        buffer,
        value,
        [0, 4, 4, 4, 0, 1],
        [0, 4, 4, 4, 0, 2],
    ];
    for (chip, object) in mesa3d().into_iter().chain(clover()) {
        let size = object.len() as u32;
        let program = [
            words(&[1, 5]),
            b"saxpy".to_vec(),
            words(&[1, 0, 6]),
            words(args.as_flattened()),
            words(&[1, 1, 0, size, size + 4, size]),
            object.to_vec(),
        ];
        let (device, module) = load(chip, &program.concat());
        let kernel = module.kernel("saxpy").unwrap();
        assert_eq!(kernel.args().len(), 4);
        let [x, y] = [2.0f32, 5.0].map(|x| device.buffer_from(&[x; 64]).unwrap());
        let args: [Arg; 4] = [3.0f32.into(), (&x).into(), (&y).into(), 64u32.into()];
        kernel
            .dispatch()
            .grid(64)
            .block(GROUP)
            .args(args)
            .run()
            .unwrap();
        assert_eq!(y.read::<f32>().unwrap(), [11.0; 64], "{chip}");
        let wrong = kernel
            .dispatch()
            .grid(64)
            .block(GROUP)
            .args([Arg::U32(1)])
            .run();
        assert!(wrong.unwrap_err().to_string().contains("takes 4 arguments"));
    }
}

#[test]
fn kernels_have_scratch() {
    for (chip, object) in mesa3d() {
        let (device, module) = load(chip, object);
        let x: Vec<i32> = (0..128).map(|n| 5 * n).collect();
        let from = device.buffer_from(&x).unwrap();
        let to = device.buffer_zeroed(512).unwrap();
        let args = [Arg::from(&from), Arg::from(&to)];
        let kernel = module.kernel("stacked").unwrap();
        kernel
            .dispatch()
            .grid(128)
            .block(GROUP)
            .args(args)
            .run()
            .unwrap();
        let want: Vec<i32> = x.iter().map(|x| x * (x & 15)).collect();
        assert_eq!(to.read::<i32>().unwrap(), want, "{chip}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_reported() {
    let [(chip, object), ..] = mesa3d();
    let (_device, module) = load(chip, object);
    let dispatch = module
        .kernel("saxpy")
        .unwrap()
        .dispatch()
        .grid(64)
        .block(64);
    match dispatch.args([Arg::from(1.0f32)]).run() {
        Err(error @ Error::Arguments { .. }) => {
            let message = error.to_string();
            assert!(message.contains("takes 28 bytes of arguments"), "{message}");
            assert!(message.contains("was given 4"), "{message}");
        }
        other => panic!("{:?}", other.map(|report| report.waves)),
    }
}
