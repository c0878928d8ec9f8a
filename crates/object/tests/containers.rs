//! Bundles, fat binaries in host programs, and the messages for files that are neither.

use object::write::{Object, StandardSegment};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use wavetank_object::{Bundle, CodeObject, Error, open, open_all, targets};

const GFX900: &[u8] = include_bytes!("data/vecadd-gfx900.hsaco");
const GFX906: &[u8] = include_bytes!("data/reduce-gfx906.hsaco");

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
fn host_elf(name: &str, contents: &[u8]) -> Vec<u8> {
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
    let told = |bytes: &[u8]| open(bytes, None).unwrap_err().to_string();
    assert!(told(&host).contains("x86-64"), "{}", told(&host));
    assert!(told(&host).contains(".hip_fatbin"));
    let error = CodeObject::parse(&host).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this ELF file is for x86-64, not for an AMD GPU"
    );
    assert!(told(b"#!/bin/sh").contains("23 21 2f 62"));
    assert!(told(b"").contains("empty"));
    assert!(told(b"CCOB\x02\0\0\0").contains("compressed"));
    assert!(told(b"__CLANG_OFFLOAD_BUNDLE__").contains("truncated"));

    let with = |at: usize, byte: u8| {
        let mut bytes = GFX900.to_vec();
        bytes[at] = byte;
        told(&bytes)
    };
    // Offsets in the ELF header: class 4, byte order 5, OS ABI 7, ABI version 8, type 16, e_flags 48.
    assert!(with(4, 1).contains("32-bit little-endian"));
    assert!(with(5, 2).contains("big-endian"));
    assert!(with(7, 66).contains("Mesa3D"));
    assert!(with(8, 9).contains("versions 2 to 6"));
    assert!(with(16, 1).contains("relocatable"));
    assert!(with(48, 0xfe).contains("0xfe"));
}
