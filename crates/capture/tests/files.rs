use proptest::prelude::*;
use wavetank_capture::{
    Allocation, Capture, Launch, MASK, Mask, Outcome, PAGE, Page, Problem, Writer, digest_written,
};

const FIRST: u64 = 0x7f00_0000_0000;

fn launch(pages: u64) -> Launch {
    Launch {
        chip: "gfx900".into(),
        kernel: "k".into(),
        grid: [64, 1, 1],
        block: [64, 1, 1],
        allocations: vec![Allocation {
            name: "a buffer".into(),
            address: FIRST,
            bytes: pages * PAGE as u64,
            read_only: false,
            load_end: 0,
        }],
        ..Launch::default()
    }
}

/// The mask of one byte.
fn mask_of(byte: usize) -> Mask {
    let mut mask = [0; MASK];
    mask[byte / 8] = 1 << (byte % 8);
    mask
}

/// A file with these pages, in order from the first address, in each of which the launch wrote the byte with this number.
fn file(pages: &[Page], object: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &launch(pages.len() as u64), object).unwrap();
    for (address, page) in (FIRST..).step_by(PAGE).zip(pages) {
        writer.page(address, page).unwrap();
    }
    let mut launched = writer.launched().unwrap();
    for (n, page) in pages.iter().enumerate() {
        launched.written(FIRST + (n * PAGE) as u64, &mask_of(n), page);
    }
    launched.finish().unwrap()
}

fn page_of(byte: u8) -> Page {
    [byte; PAGE]
}

#[test]
fn equal_pages_are_kept_once_and_zeros_not_at_all() {
    let mut noise: Page = [0; PAGE];
    let mut state = 1u32;
    for byte in &mut noise {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (state >> 24) as u8;
    }
    let one = file(&[noise], b"");
    let many = file(&vec![noise; 100], b"");
    let zeros = file(&vec![[0; PAGE]; 100], b"");
    // 99 pages more are 99 records of 16 and 32 bytes, and masks of which almost all is 0.
    assert!(one.len() > PAGE && many.len() < one.len() + 99 * 80 + 100);
    assert!(zeros.len() < PAGE);
    let capture = Capture::read(&many).unwrap();
    assert_eq!(capture.pages().count(), 100);
    assert!(capture.pages().all(|(_, page)| *page == noise));
    assert_eq!(Capture::read(&zeros).unwrap().pages().count(), 0);
}

#[test]
fn a_file_without_an_end_says_so() {
    let whole = file(&[page_of(7), page_of(9)], b"code");
    let problem = |bytes: &[u8]| Capture::read(bytes).unwrap_err();
    assert_eq!(problem(b""), Problem::NotACapture);
    assert_eq!(problem(b"\x7fELF"), Problem::NotACapture);
    let ended = Capture::read(&whole).unwrap();
    assert!(matches!(ended.outcome(), Outcome::Ended(pages) if pages.len() == 2));
    let mut unknown = 0;
    for end in 12..whole.len() {
        match Capture::read(&whole[..end]) {
            Err(cut) => assert_eq!((cut, unknown), (Problem::Unfinished, 0), "{end}"),
            Ok(capture) => {
                assert_eq!(*capture.outcome(), Outcome::Unknown, "{end}");
                assert_eq!(capture.pages().count(), 2);
                unknown += 1;
            }
        }
    }
    // From the end of the mark of the launch to the last byte but one: a header of 20 bytes, masks and records.
    assert!((20 + 2 * 32..20 + 400).contains(&unknown), "{unknown}");
    let mut more = whole.clone();
    more.push(0);
    assert!(matches!(problem(&more), Problem::Damaged(_)));
    for (version, wanted) in [(1, Problem::OldVersion(1)), (3, Problem::Version(3))] {
        let mut other = whole.clone();
        other[8] = version;
        assert_eq!(problem(&other), wanted);
    }
}

/// The bytes of each section, with its header.
fn sections(file: &[u8]) -> Vec<&[u8]> {
    let mut rest = &file[12..];
    let mut out = Vec::new();
    while !rest.is_empty() {
        let stored = u32::from_le_bytes(rest[8..12].try_into().unwrap());
        let (section, others) = rest.split_at(20 + stored as usize);
        out.push(section);
        rest = others;
    }
    out
}

#[test]
fn a_changed_file_is_refused() {
    let whole = file(&[page_of(7), page_of(9)], b"some code");
    for at in 12..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        let read = Capture::read(&changed);
        // A length that is too long cuts the file off; that may be after the launch.
        let is_cut = matches!(&read, Ok(capture) if *capture.outcome() == Outcome::Unknown)
            || read == Err(Problem::Unfinished);
        assert!(is_cut || matches!(read, Err(Problem::Damaged(_))), "{at}");
    }
    // Sections that are whole, but not in their places.
    let parts = sections(&whole);
    let joined = |order: &[usize]| {
        let parts = order.iter().flat_map(|n| parts[*n].iter().copied());
        whole[..12]
            .iter()
            .copied()
            .chain(parts)
            .collect::<Vec<u8>>()
    };
    let all: Vec<usize> = (0..parts.len()).collect();
    assert_eq!(joined(&all), whole);
    for n in 0..all.len() - 1 {
        let mut without = all.clone();
        without.remove(n);
        let mut swapped = all.clone();
        swapped.swap(n, n + 1);
        for order in [without, swapped] {
            let read = Capture::read(&joined(&order));
            assert!(matches!(read, Err(Problem::Damaged(_))), "{order:?}");
        }
    }
}

#[test]
fn memory_is_read_across_pages() {
    let capture = Capture::read(&file(&[page_of(7), page_of(0), page_of(9)], b"")).unwrap();
    let size = PAGE as u64;
    assert_eq!(capture.before(FIRST - 2, 4), [0, 0, 7, 7]);
    assert_eq!(capture.before(FIRST + size - 1, 3), [7, 0, 0]);
    assert_eq!(capture.before(FIRST + 2 * size - 1, PAGE + 2)[..2], [0, 9]);
    assert_eq!(capture.before(u64::MAX - 1, 2), [0, 0]);
    assert!(capture.before(FIRST, 0).is_empty());
}

#[test]
fn a_launch_that_failed_says_why() {
    let writer = Writer::new(Vec::new(), &launch(1), b"").unwrap();
    let bytes = writer
        .launched()
        .unwrap()
        .fail("a fault at s_endpgm")
        .unwrap();
    let capture = Capture::read(&bytes).unwrap();
    assert_eq!(
        *capture.outcome(),
        Outcome::Failed("a fault at s_endpgm".into())
    );
}

#[test]
fn places_outside_of_allocations_are_refused() {
    let write = |address, launch: &Launch| {
        let mut writer = Writer::new(Vec::new(), launch, b"").unwrap();
        writer.page(address, &page_of(1)).unwrap();
        Capture::read(&writer.launched().unwrap().finish().unwrap())
    };
    assert!(write(FIRST + PAGE as u64, &launch(2)).is_ok());
    for (address, pages) in [(FIRST + 2 * PAGE as u64, 2), (FIRST + 8, 2), (0, 2)] {
        let refused = write(address, &launch(pages));
        assert!(matches!(refused, Err(Problem::Damaged(_))), "{address:#x}");
    }
    for (address, bytes) in [(0, 64), (FIRST, 0), (u64::MAX, 64), (FIRST, u64::MAX)] {
        let mut launch = launch(1);
        launch.allocations[0].address = address;
        launch.allocations[0].bytes = bytes;
        let refused = write(FIRST, &launch);
        assert!(matches!(refused, Err(Problem::Damaged(_))), "{address:#x}");
    }
}

#[test]
fn pages_may_be_covered_by_an_allocation_that_starts_before_another() {
    let mut launch = launch(4);
    let mut inner = launch.allocations[0].clone();
    inner.address += PAGE as u64;
    inner.bytes = 16;
    launch.allocations.push(inner);
    let mut writer = Writer::new(Vec::new(), &launch, b"").unwrap();
    writer.page(FIRST + 3 * PAGE as u64, &page_of(1)).unwrap();
    assert!(Capture::read(&writer.launched().unwrap().finish().unwrap()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(
        pages in prop::collection::vec((any::<u8>(), any::<u8>(), 0..PAGE), 1..20),
        object in prop::collection::vec(any::<u8>(), 0..3000),
    ) {
        let pages: Vec<Page> = pages.iter().map(|(all, one, at)| {
            let mut page = page_of(*all & 1);
            page[*at] = *one;
            page
        }).collect();
        let capture = Capture::read(&file(&pages, &object)).unwrap();
        prop_assert_eq!(capture.launch(), &launch(pages.len() as u64));
        prop_assert_eq!(capture.object(), &object[..]);
        for (address, page) in (FIRST..).step_by(PAGE).zip(&pages) {
            let read = capture.page(address).copied().unwrap_or([0; PAGE]);
            prop_assert_eq!(&read[..], &page[..]);
            let Outcome::Ended(written) = capture.outcome() else {
                panic!("the file has an end");
            };
            let written = &written[&address];
            let mask = mask_of(((address - FIRST) as usize) / PAGE);
            prop_assert_eq!(&written.mask[..], &mask[..]);
            prop_assert_eq!(written.digest, digest_written(page, &mask));
        }
    }

    /// Damage is an error or leaves a capture that is consistent; it does not panic.
    #[test]
    fn damage_does_not_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = file(&[page_of(1), page_of(2), page_of(1)], b"some code");
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(capture) = Capture::read(&bytes) {
            prop_assert!(capture.pages().count() <= 3);
        }
        let _ = Capture::read(&bytes[..cut.index(bytes.len())]);
    }
}
