use super::*;

fn surface(resource: ImageResource) -> Surface {
    let surface = Surface::new(resource.to_words(), resource.tiling, false);
    surface.unwrap().unwrap()
}

/// The address of a texel in a level.
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

/// Those of all lanes are those of each.
#[test]
fn texels_of_lanes() {
    let volume = ImageResource::plain(ImageType::D3, 0x1000, [11, 0], [16384, 16384, 8191], 65536);
    let pairs = ImageResource::plain(ImageType::D2, 0x1000, [33, 0], [16384, 16384, 1], 65536);
    for s in [volume, pairs].map(surface) {
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
    assert!(error(ImageResource { swizzle: 9, ..r }).contains("swizzle mode 9"));
    let indexed = ImageResource {
        tiling: Tiling::Indexed,
        ..r
    };
    assert!(error(indexed).contains("tiling index 0"));
    let format = ImageResource {
        format: [44, 0],
        ..r
    };
    assert!(error(format).contains("data format 44"));
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
