use super::*;

const ALL: [Dimensions; 6] = [
    Dimensions::D1,
    Dimensions::Buffer,
    Dimensions::D1Array,
    Dimensions::D2,
    Dimensions::D2Array,
    Dimensions::D3,
];

fn blocks(height: u32, depth: u32) -> Layout {
    Layout::Blocks { height, depth }
}

/// Every element of every level and layer has bytes of its own, inside the surface.
#[test]
fn elements_do_not_overlap() {
    let layouts = [
        Layout::Pitch(0),
        Layout::Pitch(128),
        blocks(1, 1),
        blocks(2, 1),
        blocks(4, 2),
        blocks(1, 4),
    ];
    for dimensions in ALL {
        for layout in layouts {
            for (element, levels) in [(Element::U16, 1), (Element::U32, 4), (Element::U64, 3)] {
                let surface = Surface {
                    levels,
                    layout,
                    ..Surface::new(0, dimensions, [13, 19, 5], element)
                };
                surface.check().unwrap();
                let bytes = u64::from(element.bytes());
                let mut seen = std::collections::HashSet::new();
                for level in 0..levels {
                    let [width, height, depth] = surface.size_of(level);
                    for layer in 0..surface.layers() {
                        for n in 0..width * height * depth {
                            let (x, y, z) = (n % width, n / width % height, n / width / height);
                            let at = [u64::from(x) * bytes, y.into(), z.into()];
                            let offset = surface.offset(at, layer, level);
                            assert!(offset.is_multiple_of(bytes));
                            assert!(offset + bytes <= surface.bytes(), "{surface:?}: {at:?}");
                            assert!(seen.insert(offset), "{surface:?}: {at:?} of level {level}");
                        }
                    }
                }
            }
        }
    }
}

/// Worked by hand after the figure of a block: 16 bytes, then the row below, then the 16 beside, …
#[test]
fn blocks_are_walked_as_the_manual_says() {
    let surface = Surface {
        layout: blocks(2, 2),
        ..Surface::new(0, Dimensions::D3, [64, 64, 4], Element::U32)
    };
    let at = |x, y, z| surface.offset([x, y, z], 0, 0);
    assert_eq!([at(4, 0, 0), at(0, 1, 0), at(16, 0, 0)], [4, 16, 32]);
    assert_eq!([at(0, 2, 0), at(32, 0, 0), at(0, 8, 0)], [64, 256, 512]);
    // Two above each other, then two behind each other, then the next of the row: of 4 in a row of 256 bytes.
    assert_eq!([at(0, 0, 1), at(64, 0, 0)], [1024, 2048]);
    assert_eq!([at(0, 16, 0), at(0, 0, 2)], [4 * 2048, 4 * 4 * 2048]);
    assert_eq!(at(63, 15, 1), 2047);
}

#[test]
fn what_cannot_be_is_refused() {
    let plane = Surface::new(0, Dimensions::D2, [8, 4, 9], Element::U32);
    assert_eq!((plane.bytes(), plane.shape().as_str()), (128, "2d 8x4"));
    let error = |surface: Surface| surface.check().unwrap_err();
    let size = [8, 0, 1];
    assert!(
        error(Surface {
            size,
            ..plane.clone()
        })
        .contains("not 0")
    );
    let size = [1 << 17, 1, 1];
    assert!(
        error(Surface {
            size,
            ..plane.clone()
        })
        .contains("1 to 65536")
    );
    assert!(
        error(Surface {
            levels: 5,
            ..plane.clone()
        })
        .contains("1 to 4 levels")
    );
    let layout = Layout::Pitch(30);
    assert!(
        error(Surface {
            layout,
            ..plane.clone()
        })
        .contains("a pitch of 30")
    );
    let layout = Layout::Pitch(34);
    assert!(
        error(Surface {
            layout,
            ..plane.clone()
        })
        .contains("not a multiple of a u32")
    );
    let layout = blocks(3, 1);
    assert!(
        error(Surface {
            layout,
            ..plane.clone()
        })
        .contains("not 3 and 1")
    );
    let (layout, address) = (blocks(1, 1), 256);
    assert!(
        error(Surface {
            layout,
            address,
            ..plane
        })
        .contains("multiple of 512")
    );
}

#[test]
fn elements_have_their_names() {
    for (n, (element, name)) in Element::NAMES.into_iter().enumerate() {
        assert_eq!(element as usize, n);
        assert_eq!(
            (Element::from_name(name), element.name()),
            (Some(element), name)
        );
    }
    assert_eq!(Element::from_name("u8"), None);
}
