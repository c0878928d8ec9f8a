//! Containers: what is read, listed, refused and replaced.

use proptest::prelude::*;
use wavetank_surface_isa::visa::container::{Content, Item, Kind};
use wavetank_surface_isa::visa::{Container, Ids, Version, encode, parse};

use crate::visa::build::Build;

const VERSIONS: [Version; 6] = [
    Version::new(3, 0),
    Version::new(3, 3),
    Version::new(3, 4),
    Version::new(3, 6),
    Version::new(3, 7),
    Version::new(4, 1),
];

const ADD: &str =
    "(P1) typed_atomic.add (M1, 8) T6 V32.0 V33.0 %null.0 %null.0 V34.0 %null.0 V35.0";

fn code(text: &str, ids: Ids) -> Vec<u8> {
    encode(&parse(text).expect(text), ids).expect(text)
}

/// `mov (M1, 8) V32(0,0)<1> 1:ud`, by vISA's "Operands".
fn mov(ids: Ids) -> Vec<u8> {
    let id: &[u8] = if ids == Ids::Wide {
        &[32, 0, 0, 0]
    } else {
        &[32, 0]
    };
    let general = [&[0], id, &[0, 0, 0, 2]].concat();
    [&[0x29, 3, 0, 0][..], &general, &[5, 0, 1, 0, 0, 0]].concat()
}

const RET: [u8; 4] = [0x34, 0, 0, 0];

/// A mov, an add and a ret.
fn sample(version: Version) -> Build {
    let ids = version.ids();
    Build::new(version, [mov(ids), code(ADD, ids), RET.to_vec()].concat())
}

fn read(bytes: &[u8]) -> Container {
    Container::read(bytes.to_vec()).expect("a container")
}

/// vISA, "The Virtual ISA Object Format": linkage, name, type and alignment in a byte, elements, attributes.
#[test]
fn variables_of_the_file_are_read() {
    for version in VERSIONS {
        let build = Build {
            file_variables: vec![("table", 7, 64), ("b", 1, 1)],
            ..sample(version)
        };
        let container = read(&build.file(true).0);
        let variables = container.variables.iter();
        let listed: Vec<_> = variables
            .map(|v| (v.name.as_str(), v.linkage, v.ty.name(), v.align, v.elements))
            .collect();
        assert_eq!(
            listed,
            [("table", 1, "f", 3, 64), ("b", 1, "d", 3, 1)],
            "{version}"
        );
        assert_eq!(container.routines.len(), 2);
    }
}

#[test]
fn every_version_is_read_and_listed() {
    for version in VERSIONS {
        for function in [false, true] {
            let (bytes, start) = sample(version).file(function);
            let container = read(&bytes);
            assert_eq!(
                (container.version, container.bytes()),
                (version, &bytes[..])
            );
            assert_eq!(container.routines.len(), 1 + usize::from(function));
            let kernel = &container.routines[0];
            assert_eq!((kernel.name.as_str(), kernel.kind), ("k", Kind::Kernel));
            let names = |names: &[u32]| -> Vec<String> {
                names
                    .iter()
                    .map(|name| container.string(kernel, *name).into_owned())
                    .collect()
            };
            let declared = &kernel.declarations;
            let surfaces: Vec<u32> = declared.surfaces.iter().map(|s| s.name).collect();
            assert_eq!(names(&surfaces), ["T6", "T7"]);
            let variables: Vec<u32> = declared.variables.iter().map(|v| v.name).collect();
            assert_eq!(names(&variables)[..2], ["V32", "V33"]);
            assert_eq!(
                declared.variable(38).map(|v| (v.ty.name(), v.bytes())),
                Some(("d", 64))
            );
            assert_eq!(declared.variable(31), None);
            let [input] = kernel.inputs[..] else {
                panic!("one input")
            };
            assert_eq!(
                (input.class, input.number, input.offset, input.size),
                ('T', 6, 32, 4)
            );
            let items: Vec<Item> = container.items(kernel).collect();
            assert_eq!(items.len(), 3, "{items:?}");
            assert_eq!(
                (items[0].offset, &items[0].content),
                (start, &Content::Other(0x29, "mov"))
            );
            assert_eq!(items[1].content, Content::Atomic(parse(ADD).expect("text")));
            assert_eq!(items[1].length, version.ids().instruction());
            assert_eq!(items[2].content, Content::Other(0x34, "ret"));
            if function {
                let called = &container.routines[1];
                assert_eq!((called.name.as_str(), called.kind), ("fn", Kind::Function));
                assert_eq!(container.items(called).count(), 3);
            }
        }
    }
}

#[test]
fn an_instruction_is_replaced_and_nothing_else() {
    for version in VERSIONS {
        let (bytes, start) = sample(version).file(true);
        let mut container = read(&bytes);
        let at = start + mov(version.ids()).len();
        let max =
            "typed_atomic.maxsint (M3, 4) T7 V32.16 %null.0 %null.0 V33.0 V38.0 %null.0 V39.32";
        container
            .replace(at, &parse(max).expect(max))
            .expect("a place");
        let ids = version.ids();
        let expected = [
            &bytes[..at],
            &code(max, ids),
            &bytes[at + ids.instruction()..],
        ]
        .concat();
        assert_eq!(container.bytes(), expected);
        let items: Vec<Item> = container.items(&container.routines[0]).collect();
        assert_eq!(items[1].content, Content::Atomic(parse(max).expect(max)));
        // And back.
        container
            .replace(at, &parse(ADD).expect(ADD))
            .expect("a place");
        assert_eq!(container.bytes(), bytes);
    }
}

#[test]
fn what_may_not_be_replaced() {
    let (bytes, start) = sample(Version::new(4, 1)).file(false);
    let mut container = read(&bytes);
    let at = start + mov(Ids::Wide).len();
    let mut refused = |at: usize, text: &str| {
        let inst = parse(text).expect(text);
        container.replace(at, &inst).expect_err(text).to_string()
    };
    let places = format!("no TYPED_ATOMIC begins at byte {start:#x}: the file has them at {at:#x}");
    assert_eq!(refused(start, ADD), places);
    let declared = [
        (
            "typed_atomic.inc (8) T8 V32 V0 V0 V0 V0 V0 V35",
            "T8 is not declared: the kernel declares T6 to T7",
        ),
        (
            "typed_atomic.inc (8) T6 V40 V0 V0 V0 V0 V0 V35",
            "V40 is not declared: the kernel declares V32 to V39",
        ),
        (
            "(P3) typed_atomic.inc (8) T6 V32 V0 V0 V0 V0 V0 V35",
            "P3 is not declared: the kernel declares P1 to P2",
        ),
        (
            "(P2) typed_atomic.inc (M4, 8) T6 V32 V0 V0 V0 V0 V0 V35",
            "P2 has 16 elements, and channels up to 19 are decided by it",
        ),
        (
            "typed_atomic.inc (16) T6 V32.4 V0 V0 V0 V0 V0 V35",
            "U takes bytes 4 to 67 for 16 channels, and the variable has 64",
        ),
        (
            "typed_atomic.inc (8) T6 V38 V0 V0 V0 V0 V0 V35",
            "U of inc must have type ud, and this variable has d",
        ),
        (
            "typed_atomic.add (8) T6 V32 V0 V0 V0 V38 V0 V35",
            "Src0 of add must have type ud, and this variable has d",
        ),
        (
            "typed_atomic.imin (8) T6 V32 V0 V0 V0 V33 V0 V35",
            "Src0 of minsint must have type d, and this variable has ud",
        ),
        (
            "typed_atomic.imax (8) T6 V32 V0 V0 V0 V38 V0 V35",
            "Dst of maxsint must have type d, and this variable has ud",
        ),
    ];
    for (text, sentence) in declared {
        assert_eq!(refused(at, text), sentence);
    }
    assert_eq!(container.bytes(), bytes);
}

#[test]
fn what_is_not_known_is_the_rest() {
    let ids = Ids::Wide;
    // 0x83 is an opcode whose length is not known; the next one begins at an unknown place.
    let unknown = [mov(ids), vec![0x83, 1, 2], code(ADD, ids)].concat();
    let (bytes, start) = Build::new(Version::new(4, 1), unknown).file(false);
    let container = read(&bytes);
    let items: Vec<Item> = container.items(&container.routines[0]).collect();
    assert_eq!(items.len(), 2);
    let Content::Rest(error) = &items[1].content else {
        panic!("{items:?}")
    };
    let place = start + mov(ids).len();
    assert_eq!(
        error.to_string(),
        format!("byte {place:#x}: the length of opcode 0x83 is not known")
    );
    assert_eq!((items[1].offset, items[1].length), (place, 3 + 48));

    // An operation that is none has a length all the same.
    let mut wrong = code(ADD, ids);
    wrong[1] = 14;
    let (bytes, _) = Build::new(Version::new(4, 1), [wrong, RET.to_vec()].concat()).file(false);
    let container = read(&bytes);
    let items: Vec<Item> = container.items(&container.routines[0]).collect();
    assert!(
        matches!(&items[0].content, Content::Wrong(error) if error.offset == 1),
        "{items:?}"
    );
    assert_eq!(items[1].content, Content::Other(0x34, "ret"));

    let cut = code(ADD, ids)[..47].to_vec();
    let (bytes, _) = Build::new(Version::new(4, 1), cut).file(false);
    let container = read(&bytes);
    let items: Vec<Item> = container.items(&container.routines[0]).collect();
    assert!(matches!(&items[0].content, Content::Rest(_)), "{items:?}");
}

#[test]
fn what_is_no_container_is_refused_with_the_place() {
    let (bytes, start) = sample(Version::new(4, 1)).file(false);
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        Container::read(bytes)
            .expect_err("no container")
            .to_string()
    };
    assert_eq!(
        with(0, b"ELF"),
        "byte 0x0: this is not a vISA container, which begins with `CISA`"
    );
    assert_eq!(
        with(4, &[2]),
        "byte 0x4: version 2.1 is not read: containers are known from 3.0 on"
    );
    assert_eq!(
        with(6, &[1, 2]),
        "byte 0x6: there are 513 kernels, and a container has 512 at most"
    );
    let beyond = with(11, &[0xff; 4]);
    assert!(
        beyond.starts_with("byte 0xb: bytes 0xffffffff to ") && beyond.contains("the file has 0x"),
        "{beyond}"
    );
    let size = u32::to_le_bytes(bytes.len() as u32);
    // The attribute is u32, u8, u8, after the number of attributes; before that the place and the size of the code.
    let code_size = start - 6 - 2 - 8;
    let longer = with(code_size, &size);
    assert!(
        longer.starts_with(&format!("byte {code_size:#x}: the code is bytes")),
        "{longer}"
    );
    for length in 0..bytes.len() - 1 {
        let error = Container::read(bytes[..length].to_vec()).expect_err("it is cut");
        assert!(
            error.offset <= length && !error.message.is_empty(),
            "{error}"
        );
    }
}

/// Kernels that name the same bytes would need more memory than the file has.
#[test]
fn overlapping_routines_are_refused() {
    let (bytes, _) = sample(Version::new(4, 1)).file(false);
    // The head of a kernel `k` has 20 bytes after the 8 of the file; its places move by another head.
    let (begin, rest) = bytes.split_at(8);
    let (head, rest) = rest.split_at(20);
    let mut head = head.to_vec();
    for at in [3, 11] {
        let place = u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        head[at..at + 4].copy_from_slice(&(place + 20).to_le_bytes());
    }
    let mut twice = [begin, &head, &head, rest].concat();
    twice[6] = 2;
    let error = Container::read(twice).map(drop).expect_err("they overlap");
    assert_eq!(
        error.message,
        "the routines have more bytes than the file, so some overlap"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn changed_containers_are_read_or_refused(
        version in prop::sample::select(VERSIONS.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (mut bytes, _) = sample(version).file(true);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        listed(bytes)?;
    }

    #[test]
    fn random_code_is_listed(code in prop::collection::vec(prop_oneof![0u8..0x80, any::<u8>()], 0..200), wide: bool) {
        let version = if wide { Version::new(4, 1) } else { Version::new(3, 1) };
        let (bytes, _) = Build::new(version, code).file(false);
        listed(bytes)?;
    }

    #[test]
    fn random_bytes_are_no_container_or_listed(mut bytes in prop::collection::vec(any::<u8>(), 0..300), begin: bool) {
        if begin {
            bytes.splice(0..bytes.len().min(8), *b"CISA\x04\x01\x01\x00");
        }
        listed(bytes)?;
    }
}

/// Reads and lists: together the items are the code, and each says where it is.
fn listed(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let length = bytes.len();
    let container = match Container::read(bytes) {
        Ok(container) => container,
        Err(error) => {
            prop_assert!(error.offset <= length && !error.message.is_empty());
            return Ok(());
        }
    };
    for routine in &container.routines {
        prop_assert!(routine.code.end <= length);
        let mut at = routine.code.start;
        for item in container.items(routine) {
            prop_assert_eq!(item.offset, at);
            prop_assert!(item.length > 0);
            at += item.length;
        }
        prop_assert_eq!(at, routine.code.end);
        routine
            .declarations
            .variables
            .iter()
            .for_each(|v| drop(container.string(routine, v.name)));
    }
    Ok(())
}
