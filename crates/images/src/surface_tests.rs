use super::*;
use wavetank_ir::Dimensions;
use wavetank_memory::{Element, Layout};

fn surface(resource: ImageResource) -> Surface {
    let surface = Surface::new(resource.to_words(), resource.tiling, false);
    surface.unwrap().unwrap()
}

/// Returns the address of a texel in a level.
fn place(surface: &Surface, level: u32, at: [i64; 3]) -> Option<u64> {
    let samples = surface.resource.samples();
    surface
        .level(level)
        .texel(at, samples)
        .map(|(place, _)| place)
}

#[test]
fn texels_follow_rows_and_slices() {
    let r = ImageResource::plain(ImageType::D2Array, 0x1000, [10, 0], [5, 3, 4], 64);
    let s = surface(r);
    assert_eq!(place(&s, 0, [0, 0, 0]), Some(0x1000));
    assert_eq!(
        place(&s, 0, [4, 2, 3]),
        Some(0x1000 + 4 * (64 * (3 * 3 + 2) + 4))
    );
    for outside in [[5, 0, 0], [0, 3, 0], [0, 0, 4], [-1, 0, 0]] {
        assert_eq!(place(&s, 0, outside), None);
    }
    let first = ImageResource {
        first_slice: 2,
        size: [5, 3, 2],
        ..r
    };
    let s = surface(first);
    assert_eq!(place(&s, 0, [0, 0, 1]), Some(0x1000 + 4 * 64 * 3 * 3));
    assert_eq!(place(&s, 0, [0, 0, 2]), None);
}

/// Levels of gfx9 stand one under the other: 5 rows, 3, 2, 1 and again 1, each of 256 bytes, 12 a slice.
#[test]
fn levels_of_a_slice_share_their_rows() {
    let r = ImageResource {
        levels: [0, 3],
        last_in_memory: 4,
        ..ImageResource::plain(ImageType::D2Array, 0x1000, [10, 0], [20, 5, 3], 12)
    };
    let s = surface(r);
    let row = |n: u64| Some(0x1000 + 256 * n);
    for (level, first, size) in [
        (0, 0, [20, 5, 3]),
        (1, 5, [10, 2, 3]),
        (2, 8, [5, 1, 3]),
        (3, 10, [2, 1, 3]),
    ] {
        assert_eq!(s.level(level).size, size);
        assert_eq!(place(&s, level, [0, 0, 0]), row(first));
        assert_eq!(place(&s, level, [0, 0, 2]), row(24 + first));
    }
    assert_eq!(place(&s, 1, [9, 1, 0]), Some(0x1000 + 256 * 6 + 36));
    // A view that begins with the second level.
    let view = surface(ImageResource {
        levels: [1, 3],
        ..r
    });
    assert_eq!(place(&view, 0, [0, 0, 1]), row(12 + 5));
    assert_eq!(view.level(1).size, [5, 1, 3]);
}

/// A volume has fewer slices in deeper levels.
#[test]
fn levels_of_volumes_are_less_deep() {
    let s = surface(ImageResource {
        levels: [0, 2],
        ..ImageResource::plain(ImageType::D3, 0, [4, 7], [8, 8, 5], 14)
    });
    assert_eq!(s.level(1).size, [4, 4, 2]);
    assert_eq!(s.level(2).size, [2, 2, 1]);
    assert_eq!(place(&s, 1, [0, 0, 1]), Some(256 * (14 + 8)));
    assert_eq!(place(&s, 1, [0, 0, 2]), None);
}

/// Levels of gfx6 to gfx8: 20 by 5 texels of 4 bytes are of 32 by 8 when they are halved, in rows of 64.
#[test]
fn levels_with_rows_of_their_own() {
    let s = surface(ImageResource {
        tiling: Tiling::Indexed,
        swizzle: 8,
        levels: [0, 2],
        ..ImageResource::plain(ImageType::D2Array, 0x1000, [10, 0], [20, 5, 3], 128)
    });
    let first = 0x1000;
    assert_eq!(place(&s, 0, [1, 1, 1]), Some(first + 512 * 6 + 4));
    let second = first + 512 * 5 * 3;
    assert_eq!(place(&s, 1, [1, 1, 1]), Some(second + 256 * (4 + 1) + 4));
    let third = second + 256 * 4 * 3;
    assert_eq!(place(&s, 2, [1, 0, 1]), Some(third + 256 * 2 + 4));
    assert_eq!(s.level(2).size, [5, 1, 3]);
}

/// Tiles of gfx9 have 256 bytes. Their elements are in rows, and so are the tiles.
#[test]
fn tiles_of_swizzle_modes() {
    for (format, bytes, [width, height]) in [
        ([1, 0], 1, [16, 16]),
        ([2, 0], 2, [16, 8]),
        ([4, 4], 4, [8, 8]),
        ([11, 4], 8, [8, 4]),
        ([14, 4], 16, [4, 4]),
        // BC1 and BC7: blocks of 4 by 4 texels.
        ([35, 0], 8, [32, 16]),
        ([41, 0], 16, [16, 16]),
    ] {
        let (swizzle, first) = (9, 0x1000);
        let plane = ImageResource::plain(ImageType::D2, first, format, [72, 40, 1], 72);
        let s = surface(ImageResource { swizzle, ..plane });
        let texels = if format[0] < 35 { 1 } else { 4 };
        let across = 72u64.div_ceil(width as u64);
        assert_eq!(place(&s, 0, [texels, 0, 0]), Some(first + bytes));
        let second_row = width as u64 / texels as u64 * bytes;
        assert_eq!(place(&s, 0, [0, texels, 0]), Some(first + second_row));
        assert_eq!(place(&s, 0, [width, 0, 0]), Some(first + 256));
        assert_eq!(place(&s, 0, [0, height, 0]), Some(first + 256 * across));
        let last = [2 * width - 1, height - 1, 0];
        assert_eq!(place(&s, 0, last), Some(first + 512 - bytes));
    }
}

/// Each slice has all levels: of 20 by 9 texels of 4 bytes those have 3 by 2 tiles, 2 by 1, and 1.
#[test]
fn levels_in_tiles_of_swizzle_modes() {
    let s = surface(ImageResource {
        swizzle: 1,
        levels: [0, 2],
        last_in_memory: 3,
        ..ImageResource::plain(ImageType::D2Array, 0x1000, [10, 0], [20, 9, 3], 1)
    });
    let tile = |n: u64| 0x1000 + 256 * n;
    for (level, first) in [(0, 0), (1, 6), (2, 8)] {
        for slice in 0..3 {
            let want = tile(10 * slice + first) + 4 * (8 + 1);
            assert_eq!(place(&s, level, [1, 1, slice as i64]), Some(want));
        }
    }
    assert_eq!(place(&s, 1, [9, 0, 0]), Some(tile(7) + 4));
    // The lines of an array have no tiles, and their levels none either.
    let lines = surface(ImageResource {
        kind: ImageType::D1Array,
        ..s.resource
    });
    assert_eq!(
        place(&lines, 1, [9, 0, 1]),
        Some(0x1000 + 4 * (37 + 20 + 9))
    );
}

/// Tiles of gfx6 to gfx8 are 8 by 8 elements: 20 by 5 texels of 4 bytes in rows of 24, levels of 16 by 4 and 8 by 2.
#[test]
fn tiles_of_tiling_indices() {
    let s = surface(ImageResource {
        tiling: Tiling::Indexed,
        swizzle: 14,
        levels: [0, 2],
        ..ImageResource::plain(ImageType::D2Array, 0x1000, [10, 0], [20, 5, 3], 24)
    });
    let tile = |n: u64, within: u64| Some(0x1000 + 256 * n + 4 * within);
    assert_eq!(place(&s, 0, [19, 4, 2]), tile(3 * 2 + 2, 4 * 8 + 3));
    assert_eq!(place(&s, 1, [9, 1, 1]), tile(9 + 2 + 1, 8 + 1));
    assert_eq!(place(&s, 2, [4, 0, 2]), tile(9 + 6 + 2, 4));
    let bytes = surface(ImageResource {
        tiling: Tiling::Indexed,
        swizzle: 2,
        levels: [0, 2],
        ..ImageResource::plain(ImageType::D2Msaa, 0x1000, [1, 0], [5, 5, 1], 8)
    });
    assert_eq!(place(&bytes, 0, [3, 2, 3]), Some(0x1000 + 64 * 3 + 19));
}

/// No two texels of an image are in one place, whatever its tiles.
#[test]
fn texels_are_apart() {
    for tiling in [Tiling::Indexed, Tiling::Swizzled] {
        for swizzle in [0, 8, 9, 27] {
            for kind in [ImageType::D2Array, ImageType::D3, ImageType::D1Array] {
                let s = surface(ImageResource {
                    tiling,
                    swizzle,
                    levels: [0, 3],
                    last_in_memory: 3,
                    ..ImageResource::plain(kind, 0, [1, 0], [19, 13, 3], 64)
                });
                let mut seen = std::collections::HashSet::new();
                for level in 0..4 {
                    let [width, height, slices] = s.level(level).size;
                    for n in 0..width * height * slices {
                        let at = [n % width, n / width % height, n / width / height];
                        let there = place(&s, level, at.map(i64::from)).unwrap();
                        assert!(seen.insert(there), "{kind:?} {swizzle} {level} {at:?}");
                    }
                }
            }
        }
    }
}

/// Four samples: four slices for each.
#[test]
fn samples_have_slices() {
    let s = surface(ImageResource {
        levels: [0, 2],
        ..ImageResource::plain(ImageType::D2Msaa, 0, [10, 0], [5, 3, 1], 64)
    });
    assert_eq!((s.resource.samples(), s.resource.level_count()), (4, 1));
    assert_eq!(place(&s, 0, [4, 2, 3]), Some(256 * (3 * 3 + 2) + 16));
    assert_eq!(place(&s, 0, [0, 0, 4]), None);
}

/// Two texels an element of four bytes.
#[test]
fn elements_of_several_texels() {
    let s = surface(ImageResource::plain(
        ImageType::D2,
        0,
        [32, 0],
        [5, 3, 1],
        128,
    ));
    assert_eq!(s.level(0).texel([4, 2, 0], 1), Some((256 * 2 + 8, 0)));
    assert_eq!(s.level(0).texel([3, 0, 0], 1), Some((4, 1)));
    assert_eq!(s.level(0).texel([5, 0, 0], 1), None);
}

/// The texels of all lanes at once are those of each lane.
#[test]
fn texels_of_lanes() {
    let volume = ImageResource::plain(ImageType::D3, 0x1000, [11, 0], [16384, 16384, 8191], 65536);
    let pairs = ImageResource::plain(ImageType::D2, 0x1000, [33, 0], [16384, 16384, 1], 65536);
    let tiled = ImageResource {
        swizzle: 27,
        ..volume
    };
    for s in [volume, pairs, tiled].map(surface) {
        let at = |step: u32| std::array::from_fn(|lane| step.wrapping_mul(lane as u32));
        for steps in [
            [1, 1, 1],
            [261, 3, 131],
            [0, 1 << 27, 1],
            [5, 262, 200],
            [3, 1, 0],
        ] {
            let at = steps.map(at);
            let (address, inside) = s.level(0).texels(&at, 1);
            let within = s.level(0).within(&at);
            for lane in 0..64 {
                let want = s.level(0).texel(at.map(|x| x[lane].into()), 1);
                let got = (inside >> lane & 1 != 0).then_some((address[lane], within[lane]));
                assert_eq!(got, want, "{steps:?} {lane}");
            }
        }
    }
}

/// A resource of 128 bits has no pitch: rows are those of LINEAR_ALIGNED.
#[test]
fn narrow_resources() {
    let r = ImageResource {
        tiling: Tiling::Indexed,
        swizzle: 8,
        ..ImageResource::plain(ImageType::D2, 0x1000, [1, 0], [300, 3, 1], 1)
    };
    let mut words = r.to_words();
    words[4..].fill(0);
    let s = Surface::new(words, Tiling::Indexed, true).unwrap().unwrap();
    assert_eq!(place(&s, 0, [299, 1, 0]), Some(0x1000 + 512 + 299));
    words[3] |= 13 << 28;
    let error = Surface::new(words, Tiling::Indexed, true).unwrap_err();
    assert!(error.contains("type 13"), "{error}");
}

#[test]
fn what_is_not_known_is_refused() {
    let r = ImageResource::plain(ImageType::D2, 0x1000, [10, 0], [5, 3, 1], 64);
    let error = |r: ImageResource| Surface::new(r.to_words(), r.tiling, false).unwrap_err();
    let format = ImageResource {
        format: [43, 0],
        ..r
    };
    assert!(error(format).contains("data format 43"));
    let compressed = ImageResource {
        compressed: true,
        ..r
    };
    assert!(error(compressed).contains("compressed"));
    let words = [0, 0, 0, 0, 0, 0, 0, 1];
    let none = Surface::new(words, Tiling::Swizzled, false);
    assert!(none.unwrap_err().contains("type 0"));
    assert!(
        Surface::new([0; 8], Tiling::Swizzled, false)
            .unwrap()
            .is_none()
    );
}

/// Images and surfaces with the same rows have their elements at the same addresses.
#[test]
fn linear_surfaces_are_as_images_are() {
    let image = ImageResource::plain(ImageType::D2Array, 0x1000, [4, 4], [5, 3, 4], 64);
    let image = surface(image);
    let surface = wavetank_memory::Surface {
        layout: Layout::Pitch(256),
        ..wavetank_memory::Surface::new(0x1000, Dimensions::D2Array, [5, 3, 4], Element::U32)
    };
    for n in 0..5 * 3 * 4 {
        let at = [n % 5, n / 5 % 3, n / 15];
        let texel = place(&image, 0, at.map(i64::from)).unwrap();
        assert_eq!(
            texel,
            surface.address + surface.element_offset(at),
            "{at:?}"
        );
    }
}
