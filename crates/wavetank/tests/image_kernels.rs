//! Kernels that read, filter and write images. Every build, against Rust.
//!
//! An image is passed as the address of its descriptor: eight words that the hardware reads, and after them words for the
//! device library, of which word 10 is the width; HIP puts the sampler in words 12 to 15.

use crate::common::{Build, Numbers, close, each};
use wavetank::Buffer;
use wavetank::ir::Dialect;
use wavetank::{Clamp, ImageResource, ImageSampler, ImageType, buffer_dialect, image_tiling};

const WIDTH: usize = 16;
const HEIGHT: usize = 8;

/// 32_32_32_32 and 32, and the numbers uint and float.
const FOUR: u8 = 14;
const ONE: u8 = 4;
const UINT: u8 = 4;
const FLOAT: u8 = 7;

/// A descriptor for texels in rows of `WIDTH`, which is their pitch too.
fn descriptor(
    b: &Build,
    texels: &Buffer,
    kind: ImageType,
    format: [u8; 2],
    depth: u32,
    sampler: ImageSampler,
) -> Buffer {
    let size = [WIDTH as u32, HEIGHT as u32, depth];
    let resource = ImageResource::plain(kind, texels.address(), format, size, WIDTH as u32)
        .read_by(image_tiling(b.device.chip()));
    let mut words = [0u32; 16];
    words[..8].copy_from_slice(&resource.to_words());
    words[10] = WIDTH as u32;
    words[12..].copy_from_slice(&sampler.to_words());
    b.device.buffer_from(&words).unwrap()
}

fn image(b: &Build, texels: &Buffer, kind: ImageType, number: u8, depth: u32) -> Buffer {
    descriptor(
        b,
        texels,
        kind,
        [FOUR, number],
        depth,
        ImageSampler::default(),
    )
}

/// Whole numbers, of which sums and quarters are exact.
fn texels<T: From<u8>>(seed: u64, depth: usize) -> Vec<[T; 4]> {
    let number = |r: &mut Numbers| T::from((r.u32() % 64 * 4) as u8);
    Numbers::new(seed).many(WIDTH * HEIGHT * depth, |r| [(); 4].map(|()| number(r)))
}

/// The texel at a place, the nearest one outside.
fn at<T: Copy>(image: &[T], x: i64, y: i64) -> T {
    let x = x.clamp(0, WIDTH as i64 - 1) as usize;
    let y = y.clamp(0, HEIGHT as i64 - 1) as usize;
    image[y * WIDTH + x]
}

/// The weighted sum of texels.
fn mix(parts: &[(f32, [f32; 4])]) -> [f32; 4] {
    std::array::from_fn(|n| parts.iter().map(|(w, texel)| w * texel[n]).sum())
}

fn places() -> impl Iterator<Item = (i64, i64)> {
    (0..HEIGHT as i64).flat_map(|y| (0..WIDTH as i64).map(move |x| (x, y)))
}

const GRID: [u32; 2] = [WIDTH as u32, HEIGHT as u32];

#[test]
fn reads_by_integers_linear_and_normalized() {
    each("image", |b| {
        let input = texels::<f32>(60, 1);
        let buffer = b.device.buffer_from(&input).unwrap();
        let im = image(b, &buffer, ImageType::D2, FLOAT, 1);
        let out = b
            .device
            .buffer_zeroed((WIDTH * HEIGHT * 16) as u64)
            .unwrap();
        let (w, h) = (WIDTH as i32, HEIGHT as i32);
        b.run("img_read", GRID, [8, 8], args![&im, &out, w, h]);
        // The sample is a quarter right of x and three quarters below y; centers are at one half.
        let wanted: Vec<[f32; 4]> = places()
            .map(|(x, y)| {
                let there = at(&input, x, y);
                mix(&[
                    (2.0, there),
                    (0.1875, at(&input, x - 1, y)),
                    (0.5625, there),
                    (0.0625, at(&input, x - 1, y + 1)),
                    (0.1875, at(&input, x, y + 1)),
                ])
            })
            .collect();
        assert_eq!(out.read::<[f32; 4]>().unwrap(), wanted, "{}", b.label);
    });
}

#[test]
fn blurs_into_another_image() {
    each("image", |b| {
        let input = texels::<f32>(61, 1);
        let buffer = b.device.buffer_from(&input).unwrap();
        let out = b
            .device
            .buffer_zeroed((WIDTH * HEIGHT * 16) as u64)
            .unwrap();
        let from = image(b, &buffer, ImageType::D2, FLOAT, 1);
        let to = image(b, &out, ImageType::D2, FLOAT, 1);
        let nearest = ImageSampler {
            clamp: [Clamp::LastTexel; 3],
            unnormalized: true,
            lod: [0.0, 15.0],
            ..ImageSampler::default()
        };
        let sampler = b.device.buffer_from(&nearest.to_words()).unwrap();
        b.run("img_blur", GRID, [8, 8], args![&from, &to, &sampler]);
        let around: Vec<(i64, i64)> = (-1..2).flat_map(|j| (-1..2).map(move |i| (i, j))).collect();
        let wanted: Vec<f64> = places()
            .flat_map(|(x, y)| {
                let parts: Vec<_> = around
                    .iter()
                    .map(|(i, j)| (1.0, at(&input, x + i, y + j)))
                    .collect();
                mix(&parts).map(|sum| f64::from(sum) / 9.0)
            })
            .collect();
        let got: Vec<f64> = out
            .read::<f32>()
            .unwrap()
            .into_iter()
            .map(f64::from)
            .collect();
        close(&b.label, &got, &wanted, 1e-6, 0.0);
    });
}

#[test]
fn mixes_a_plane_a_volume_a_buffer_and_an_array() {
    each("image", |b| {
        let plane = texels::<u32>(62, 1);
        let volume = texels::<f32>(63, 2);
        let line = texels::<u32>(64, 1);
        let array = texels::<f32>(65, 3);
        let buffers = [
            b.device.buffer_from(&plane).unwrap(),
            b.device.buffer_from(&volume).unwrap(),
            b.device.buffer_from(&line).unwrap(),
            b.device.buffer_from(&array).unwrap(),
        ];
        let out = b
            .device
            .buffer_zeroed((WIDTH * HEIGHT * 16) as u64)
            .unwrap();
        // A buffer of texels: stride 16, as many records (gfx8 counts bytes), 32_32_32_32 uint, x y z w.
        let record = match buffer_dialect(b.device.chip()) {
            Dialect::Swizzled => 16,
            Dialect::Strided | Dialect::Indexed | Dialect::Summed => 1,
        };
        let base = buffers[2].address();
        let line_words = [
            base as u32,
            (base >> 32) as u32 | 16 << 16,
            (WIDTH * HEIGHT) as u32 * record,
            0xfac | u32::from(UINT) << 12 | u32::from(FOUR) << 15,
        ];
        let descriptors = [
            image(b, &buffers[0], ImageType::D2, UINT, 1),
            image(b, &out, ImageType::D2, UINT, 1),
            image(b, &buffers[1], ImageType::D3, FLOAT, 2),
            b.device.buffer_from(&line_words).unwrap(),
            image(b, &buffers[3], ImageType::D2Array, FLOAT, 3),
        ];
        let [im, om, v, l, ar] = &descriptors;
        b.run("img_u", GRID, [8, 8], args![im, om, v, l, ar]);
        let wanted: Vec<[u32; 4]> = places()
            .map(|(x, y)| {
                // Samples between four texels: of the first plane of the volume, and of slice 1.
                let corner = |image: &[[f32; 4]]| {
                    mix(&[(x, y), (x - 1, y), (x, y - 1), (x - 1, y - 1)]
                        .map(|(x, y)| (0.25, at(image, x, y))))
                };
                let slice = WIDTH * HEIGHT;
                let f = mix(&[
                    (1.0, corner(&volume[..slice])),
                    (1.0, corner(&array[slice..2 * slice])),
                ]);
                let size = [WIDTH as u32, HEIGHT as u32, 0, 0];
                let (there, more) = (at(&plane, x, y), line[x as usize]);
                std::array::from_fn(|n| there[n] + more[n] + f[n] as u32 + size[n])
            })
            .collect();
        assert_eq!(out.read::<[u32; 4]>().unwrap(), wanted, "{}", b.label);
    });
}

/// The kernel also reads its texture as a buffer, which the descriptor of an image is not: as one it is unbound.
#[test]
fn hip_texture() {
    each("tex", |b| {
        let input: Vec<f32> = Numbers::new(66).many(WIDTH * HEIGHT, |r| (r.u32() % 256) as f32);
        let buffer = b.device.buffer_from(&input).unwrap();
        let sampler = ImageSampler {
            clamp: [Clamp::LastTexel; 3],
            unnormalized: true,
            linear_mag: true,
            linear_min: true,
            lod: [0.0, 15.0],
            ..ImageSampler::default()
        };
        let texture = descriptor(b, &buffer, ImageType::D2, [ONE, FLOAT], 1, sampler);
        let out = b.device.buffer_zeroed((WIDTH * HEIGHT * 4) as u64).unwrap();
        let items = (WIDTH * HEIGHT) as u32;
        let w = WIDTH as i32;
        b.run(
            "_Z5k_texP13__hip_texturePfi",
            items,
            WIDTH as u32,
            args![&texture, &out, w],
        );
        assert_eq!(out.read::<f32>().unwrap(), input, "{}", b.label);
    });
}
