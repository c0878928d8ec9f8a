//! Bundles, fat binaries in host programs, and the messages for files that are neither.

use object::write::{Object, StandardSegment};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use wavetank_object::clover::{Argument, Listed, program};
use wavetank_object::{
    Bundle, CodeObject, Error, each_piece, is_host_program, open, open_all, targets,
};

const GFX900: &[u8] = include_bytes!("data/vecadd-gfx900.hsaco");
const GFX906: &[u8] = include_bytes!("data/reduce-gfx906.hsaco");

/// `clang-offload-bundler-19 -compress` (version 2, Zstandard) of the two, after an empty one for the host.
pub(crate) const COMPRESSED: &[u8] = include_bytes!("data/vecadd-gfx900-reduce-gfx906.ccob");

/// A bundle in Clang's layout: table, then code on 4096-byte boundaries.
fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    out.extend((entries.len() as u64).to_le_bytes());
    let mut offset = 4096;
    for (id, code) in entries {
        for number in [offset, code.len(), id.len()] {
            out.extend((number as u64).to_le_bytes());
        }
        out.extend(id.bytes());
        offset = (offset + code.len()).next_multiple_of(4096);
    }
    for (_, code) in entries {
        out.resize(out.len().next_multiple_of(4096), 0);
        out.extend(*code);
    }
    out
}

fn hip_bundle() -> Vec<u8> {
    bundle(&[
        ("host-x86_64-unknown-linux--", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx900", GFX900),
        ("hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", GFX906),
    ])
}

/// A host object file with `contents` in a section called `name`.
pub(crate) fn host_elf(name: &str, contents: &[u8]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let segment = file.segment_name(StandardSegment::Data).to_vec();
    let section = file.add_section(segment, name.into(), SectionKind::ReadOnlyData);
    file.append_section_data(section, contents, 4096);
    file.write().expect("a host object file")
}

#[test]
fn a_bundle_gives_the_wanted_target() {
    let file = hip_bundle();
    let names: Vec<String> = targets(&file)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["gfx900", "gfx906:sramecc+:xnack-"]);
    let object = open(&file, Some("gfx900")).unwrap();
    assert!(object.kernel("vecadd").is_some());
    for wanted in ["gfx906", "gfx906:xnack-", "gfx906:sramecc+"] {
        let object = open(&file, Some(wanted)).unwrap();
        assert!(object.kernel("reduce_sum").is_some(), "{wanted}");
    }
    assert_eq!(Bundle::parse(&file).unwrap().entries().len(), 3);
}

#[test]
fn a_target_that_is_absent_is_answered_with_those_present() {
    let file = hip_bundle();
    let error = open(&file, Some("gfx803")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the file holds no code for gfx803; it has gfx900, gfx906:sramecc+:xnack-"
    );
    let error = open(&file, Some("gfx906:xnack+")).unwrap_err();
    assert!(matches!(error, Error::TargetMissing { .. }), "{error}");
    let error = open(&file, None).unwrap_err();
    assert!(
        matches!(&error, Error::TargetNeeded { present } if present.len() == 2),
        "{error}"
    );
    let error = open(&file, Some("vega")).unwrap_err();
    assert!(matches!(error, Error::BadTarget { .. }), "{error}");
}

#[test]
fn exact_features_go_before_open_ones() {
    let file = bundle(&[
        ("hip-amdgcn-amd-amdhsa-gfx906", b"any"),
        ("hip-amdgcn-amd-amdhsa--gfx906:xnack+", b"on"),
        ("hip-amdgcn-amd-amdhsa--gfx9-generic", b"generic"),
    ]);
    let bundle = Bundle::parse(&file).unwrap();
    assert_eq!(bundle.select("gfx906").unwrap(), b"any");
    assert_eq!(bundle.select("gfx906:xnack+").unwrap(), b"on");
    assert_eq!(bundle.select("gfx906:xnack-").unwrap(), b"any");
    assert_eq!(bundle.select("gfx900").unwrap(), b"generic");
    assert!(bundle.select("gfx803").is_err());
}

#[test]
fn a_host_program_gives_the_code_of_every_translation_unit() {
    let mut section = hip_bundle();
    section.resize(section.len().next_multiple_of(4096), 0);
    section.extend(bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx900", GFX900)]));
    let file = host_elf(".hip_fatbin", &section);
    assert_eq!(open_all(&file, Some("gfx900")).unwrap().len(), 2);
    assert_eq!(open_all(&file, Some("gfx906")).unwrap().len(), 1);
    assert_eq!(targets(&file).unwrap().len(), 2);
}

#[test]
fn what_is_no_code_object_is_named() {
    let host = host_elf(".rodata", b"nothing");
    let message = |bytes: &[u8]| open(bytes, None).unwrap_err().to_string();
    assert!(message(&host).contains("x86-64"), "{}", message(&host));
    assert!(message(&host).contains(".hip_fatbin"));
    let error = CodeObject::parse(&host).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this ELF file is for x86-64, not for an AMD GPU"
    );
    assert!(message(b"#!/bin/sh").contains("23 21 2f 62"));
    assert!(message(b"").contains("empty"));
    assert!(message(b"CCOB\x02\0\0\0").contains("the header of the compressed bundle"));
    assert!(message(b"__CLANG_OFFLOAD_BUNDLE__").contains("truncated"));

    let with = |at: usize, byte: u8| {
        let mut bytes = GFX900.to_vec();
        bytes[at] = byte;
        message(&bytes)
    };
    // Offsets in the ELF header: class 4, byte order 5, OS ABI 7, ABI version 8, type 16, e_flags 48.
    assert!(with(4, 1).contains("32-bit little-endian"));
    assert!(with(5, 2).contains("big-endian"));
    assert!(with(7, 66).contains("Mesa3D"));
    assert!(with(8, 9).contains("versions 2 to 6"));
    assert!(with(16, 1).contains("relocatable"));
    assert!(with(48, 0xfe).contains("0xfe"));
}

/// What Mesa and Catalyst make of the same chips is named, with the way out.
#[test]
fn programs_of_other_drivers_are_named() {
    let message = |bytes: &[u8]| open(bytes, None).unwrap_err().to_string();
    let patched = |bytes: &[u8], at: usize, new: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    // e_machine stands at 18: EM_AMDGPU is 224. LLVM makes such objects of shaders for `amdgcn--`: 0xb028 is
    // SPI_SHADER_PGM_RSRC1_PS.
    let registers = host_elf(".AMDGPU.config", &[0x28, 0xb0, 0, 0, 1, 0, 0, 0]);
    let mesa = message(&patched(&registers, 18, &[224, 0]));
    assert!(
        mesa.starts_with(
            "this code object was made for Mesa's graphics (its registers stand in .AMDGPU.config);"
        ),
        "{mesa}"
    );
    let mesa3d = message(&patched(GFX900, 7, &[66]));
    for message in [&mesa, &mesa3d] {
        assert!(
            message.contains("-target amdgcn-amd-amdhsa") && message.contains("dis --raw"),
            "{message}"
        );
    }

    // CLRX wiki, "About binary formats"; chips before GCN are below Tahiti, 0x3fd of OpenCL 1.2.
    let catalyst = |machine: u16| message(&patched(GFX900, 18, &machine.to_le_bytes()));
    assert!(
        catalyst(0xaf5b).starts_with("this is a program as AMD's Catalyst (OpenCL 2.0) keeps it")
    );
    assert!(catalyst(0x3f5).contains("Catalyst (OpenCL 1.2)"));
    // With 32 bits, class 1, too.
    let old = patched(&patched(GFX900, 18, &0xaf5au16.to_le_bytes()), 4, &[1]);
    assert!(message(&old).contains("Catalyst (OpenCL 2.0)"));
}

/// A program of Clover with the kernel `sum`: its arguments, by type, size, size and alignment for the chip, extension and
/// meaning, and an ELF file.
fn clover(args: &[[u32; 6]], elf: &[u8]) -> Vec<u8> {
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let size = elf.len() as u32;
    [
        words(&[1, 3]),
        b"sum".to_vec(),
        words(&[0, 0, args.len() as u32]),
        args.iter().flat_map(|arg| words(arg)).collect(),
        // Number, type (0, code), and its size three times.
        words(&[1, 0, 0, size, size + 4, size]),
        elf.to_vec(),
    ]
    .concat()
}

#[test]
fn programs_of_clover_are_recognized() {
    let message = |bytes: &[u8]| open(bytes, Some("gfx600")).unwrap_err().to_string();
    let argument = [2, 8, 8, 8, 0, 0];
    let file = clover(&[argument], GFX900);
    for end in 0..file.len() - GFX900.len() {
        assert!(!message(&file[..end]).is_empty());
    }
    assert!(message(&file[..40]).contains("neither an ELF file"));
    assert!(message(&file[..200]).contains("a section of the program"));
    let huge = clover(&[[0, 8, !0, 8, 0, 0], argument], GFX900);
    assert!(message(&clover(&[], &huge)).contains("none of the program's sections"));
    // What it lists has to be there.
    assert!(
        message(&file).contains("does not have it"),
        "{}",
        message(&file)
    );
}

#[test]
fn programs_of_clover_are_written() {
    let fields = [[0, 2, 4, 4, 1, 0], [2, 8, 8, 16, 0, 0], [0, 4, 4, 4, 0, 2]];
    let args = fields.map(
        |[kind, size, target_size, align, extension, meaning]| Argument {
            kind,
            size,
            target_size,
            align,
            signed: extension == 1,
            meaning,
        },
    );
    let kernel = Listed {
        name: "sum".to_owned(),
        offset: 0,
        args: args.to_vec(),
    };
    let written = |mesa| program(std::slice::from_ref(&kernel), GFX900, mesa).unwrap();
    let expected = clover(&fields, GFX900);
    assert_eq!(written(160_000), expected);
    // From Mesa 17.0 on code that can be run is the third type of sections.
    let at = expected.len() - GFX900.len() - 16;
    let mut newer = expected;
    newer[at] = 2;
    assert_eq!(written(170_000), newer);
}

fn names(file: &[u8]) -> Vec<String> {
    let targets = targets(file).unwrap_or_else(|error| panic!("{error}"));
    targets.iter().map(ToString::to_string).collect()
}

/// A stream with the header of a version: magic, version, method, size (not in version 1), size unpacked, hash.
fn compressed(version: u16, method: u16, unpacked: usize, stream: &[u8]) -> Vec<u8> {
    let (header, wide) = match version {
        1 => (20, 4),
        2 => (24, 4),
        _ => (32, 8),
    };
    let mut out = b"CCOB".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(method.to_le_bytes());
    if version > 1 {
        out.extend(&(header + stream.len()).to_le_bytes()[..wide]);
    }
    out.extend(&unpacked.to_le_bytes()[..wide]);
    out.extend([0; 8]);
    out.extend(stream);
    out
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_compressed_bundle_is_as_the_bundle() {
    assert_eq!(names(COMPRESSED), ["gfx900", "gfx906"]);
    let object = open(COMPRESSED, Some("gfx906")).unwrap();
    assert_eq!(object, CodeObject::parse(GFX906).unwrap());
    let error = Bundle::parse(COMPRESSED).unwrap_err();
    assert_eq!(error, Error::CompressedBundle);
}

#[test]
fn compressed_bundles_of_all_versions_follow_each_other() {
    let plain = hip_bundle();
    let unpacked = u32::from_le_bytes(COMPRESSED[12..16].try_into().unwrap()) as usize;
    let zstd = &COMPRESSED[24..];
    assert_eq!(compressed(2, 1, unpacked, zstd)[..16], COMPRESSED[..16]);
    let mut section = Vec::new();
    let mut count = 0;
    for version in 1..=3 {
        let zlib = compressed(version, 0, plain.len(), &zlib(&plain));
        for bundle in [&compressed(version, 1, unpacked, zstd), &plain, &zlib] {
            section.extend(bundle);
            section.resize(section.len().next_multiple_of(512), 0);
            count += 1;
        }
    }
    for file in [section.clone(), host_elf(".hip_fatbin", &section)] {
        assert_eq!(names(&file), ["gfx900", "gfx906", "gfx906:sramecc+:xnack-"]);
        let objects = open_all(&file, Some("gfx900")).unwrap();
        let expected = CodeObject::parse(GFX900).unwrap();
        assert_eq!(objects, vec![expected; count]);
    }
}

#[test]
fn pieces_of_all_bundles_are_visited() {
    let file = [COMPRESSED, &hip_bundle()].concat();
    let visited = |requested: Option<&str>| {
        let mut targets = Vec::new();
        let all = each_piece(&file, requested, |piece| {
            let named = piece.target().to_string();
            let object = piece.read()?;
            targets.push((named, object.kernels()[0].name.clone()));
            Ok::<(), Error>(())
        });
        all.map(|()| targets)
    };
    let names = |requested| {
        let all = visited(requested).expect("the bundles are right");
        all.into_iter()
            .map(|(_, kernel)| kernel)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(None),
        ["vecadd", "reduce_sum", "vecadd", "reduce_sum"]
    );
    assert_eq!(names(Some("gfx900")), ["vecadd", "vecadd"]);
    let missing = visited(Some("gfx803")).unwrap_err().to_string();
    assert!(missing.contains("gfx803; it has gfx900"), "{missing}");
    // The first error ends the visits.
    let mut visits = 0;
    let stopped = each_piece(&file, None, |_| {
        visits += 1;
        Err(Error::CompressedBundle)
    });
    assert_eq!((visits, stopped), (1, Err(Error::CompressedBundle)));
}

#[test]
fn host_programs_are_told_from_code() {
    assert!(!is_host_program(GFX900) && !is_host_program(COMPRESSED));
    assert!(!is_host_program(b"text"));
    assert!(is_host_program(&host_elf(".hip_fatbin", &hip_bundle())));
}

#[test]
fn damaged_compressed_bundles_are_reported() {
    let plain = hip_bundle();
    let stream = zlib(&plain);
    let message = |file: &[u8]| open(file, Some("gfx900")).unwrap_err().to_string();
    let says = |file: &[u8], part: &str| assert!(message(file).contains(part), "{}", message(file));
    says(
        &compressed(4, 0, plain.len(), &stream),
        "in version 4, not 1 to 3",
    );
    says(&compressed(2, 7, plain.len(), &stream), "by method 7");
    says(&compressed(2, 0, plain.len() - 1, &stream), "it unpacks to");
    says(&compressed(2, 0, plain.len() + 1, &stream), "it unpacks to");
    says(
        &compressed(2, 0, plain.len(), &stream[..99]),
        "its compressed stream",
    );
    says(
        &compressed(2, 1, plain.len(), &stream),
        "its compressed stream",
    );
    says(
        &compressed(3, 0, 1 << 40, &stream),
        "are to become 1099511627776",
    );
    says(&compressed(1, 0, 1 << 31, &stream), "at most 268435456 are");
    let whole = compressed(2, 0, plain.len(), &stream);
    says(&whole[..whole.len() - 1], "truncated");
    // Each could be believed, but not both.
    let large = compressed(2, 0, (1 << 28) - 1, &stream);
    says(&[whole, large].concat(), "are to become");
    // A table that never ends is the end of what there is.
    let mut endless = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    endless.extend(u64::MAX.to_le_bytes());
    endless.resize(100_000, 0);
    let file = compressed(3, 0, endless.len(), &zlib(&endless));
    assert!(matches!(targets(&file), Err(Error::Truncated { .. })));
}

#[test]
fn images_for_openmp_are_found_in_host_programs() {
    // LLVM's containers begin with a header, of which nothing is needed.
    let mut section = vec![0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0];
    section.resize(144, 7);
    section.extend(GFX906);
    section.extend([0; 56]);
    section.extend(GFX900);
    let file = host_elf(".llvm.offloading", &section);
    assert_eq!(names(&file), ["gfx906", "gfx900"]);
    assert_eq!(
        open(&file, Some("gfx900")).unwrap().kernels()[0].name,
        "vecadd"
    );
    assert!(matches!(
        open(&file, Some("gfx803")),
        Err(Error::TargetMissing { .. })
    ));
    let none = host_elf(".llvm.offloading", &section[..200]);
    assert!(matches!(targets(&none), Err(Error::WrongMachine { .. })));
    assert!(matches!(open(&none, None), Err(Error::NoDeviceCode { .. })));
}
