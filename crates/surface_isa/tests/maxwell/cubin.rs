//! Cubins that are made here, whole and damaged.

use proptest::prelude::*;
use wavetank_surface_isa::maxwell::{Cubin, CubinError, Generation, Listing, is_cubin};

use crate::maxwell::listing::bundles;

/// `EM_CUDA`.
const CUDA: u16 = 190;

/// An ELF file with sections of some names and bytes, as the System V ABI, chapter 4, lays it out.
fn elf(machine: u16, flags: u32, sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = b"\0.shstrtab\0".to_vec();
    let mut bytes = vec![0; 64];
    let mut headers = vec![[0u8; 64]];
    let mut add = |name: u32, kind: u32, data: &[u8], bytes: &mut Vec<u8>| {
        let mut header = [0; 64];
        header[..4].copy_from_slice(&name.to_le_bytes());
        header[4..8].copy_from_slice(&kind.to_le_bytes());
        header[24..32].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(data.len() as u64).to_le_bytes());
        bytes.extend(data);
        headers.push(header);
    };
    for (name, data) in sections {
        let at = names.len() as u32;
        names.extend(name.bytes().chain([0]));
        // `SHT_PROGBITS`.
        add(at, 1, data, &mut bytes);
    }
    let table = names.clone();
    // `SHT_STRTAB`.
    add(1, 3, &table, &mut bytes);
    let (at, count) = (bytes.len() as u64, headers.len() as u16);
    bytes.extend(headers.concat());
    bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
    let mut put =
        |place: usize, value: &[u8]| bytes[place..place + value.len()].copy_from_slice(value);
    put(16, &2u16.to_le_bytes());
    put(18, &machine.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(40, &at.to_le_bytes());
    put(48, &flags.to_le_bytes());
    put(52, &64u16.to_le_bytes());
    put(58, &64u16.to_le_bytes());
    put(60, &count.to_le_bytes());
    put(62, &(count - 1).to_le_bytes());
    bytes
}

fn cubin() -> Vec<u8> {
    let code = bundles();
    // The flags of SM 5.2 with a virtual architecture of the same number.
    elf(
        CUDA,
        0x0034_0534,
        &[
            (".text.first", &code),
            (".nv.info", b"info"),
            (".text.second", &code[..32]),
        ],
    )
}

#[test]
fn sections_with_code_are_found() {
    let bytes = cubin();
    assert!(is_cubin(&bytes));
    let cubin = Cubin::read(&bytes).expect("a cubin");
    assert_eq!(cubin.sm, 52);
    let names: Vec<&str> = cubin.sections.iter().map(|s| s.name).collect();
    assert_eq!(names, [".text.first", ".text.second"]);
    let generation = Generation::from_number(cubin.sm).expect("a generation");
    let code = cubin.sections[0].code;
    assert_eq!(code, bundles());
    let listing = Listing { code, generation }.to_string();
    assert!(
        listing.contains("SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1 &req_6"),
        "{listing}"
    );
    assert_eq!(cubin.sections[1].code.len(), 32);
}

/// The same file with pointers of 32 bits (System V ABI, chapter 4, `Elf32_Ehdr` and `Elf32_Shdr`).
fn narrow(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = b"\0.shstrtab\0".to_vec();
    let mut bytes = vec![0; 52];
    let mut headers = vec![[0u32; 10]];
    for (name, data) in sections {
        let (at, size) = (bytes.len() as u32, data.len() as u32);
        headers.push([names.len() as u32, 1, 0, 0, at, size, 0, 0, 0, 0]);
        names.extend(name.bytes().chain([0]));
        bytes.extend(*data);
    }
    headers.push([
        1,
        3,
        0,
        0,
        bytes.len() as u32,
        names.len() as u32,
        0,
        0,
        0,
        0,
    ]);
    bytes.extend(&names);
    let (at, count) = (bytes.len() as u32, headers.len() as u16);
    bytes.extend(headers.concat().iter().flat_map(|word| word.to_le_bytes()));
    bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 1, 1, 1]);
    let mut put =
        |place: usize, value: &[u8]| bytes[place..place + value.len()].copy_from_slice(value);
    put(16, &2u16.to_le_bytes());
    put(18, &CUDA.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(32, &at.to_le_bytes());
    put(36, &0x0034_0034u32.to_le_bytes());
    put(40, &52u16.to_le_bytes());
    put(46, &40u16.to_le_bytes());
    put(48, &count.to_le_bytes());
    put(50, &(count - 1).to_le_bytes());
    bytes
}

#[test]
fn cubins_of_32_bits_are_read() {
    let code = bundles();
    let bytes = narrow(&[(".nv.info", b"info"), (".text.k", &code)]);
    assert!(is_cubin(&bytes));
    let cubin = Cubin::read(&bytes).expect("a cubin");
    assert_eq!((cubin.sm, cubin.sections.len()), (52, 1));
    assert_eq!(
        (cubin.sections[0].name, cubin.sections[0].code),
        (".text.k", &code[..])
    );
    for length in 0..bytes.len() {
        // Damaged ones are refused, or have less.
        let _ = Cubin::read(&bytes[..length]);
    }
}

#[test]
fn other_files_are_refused() {
    let other = elf(62, 0, &[(".text", &[])]);
    assert!(!is_cubin(&other));
    assert_eq!(Cubin::read(&other), Err(CubinError::Machine(62)));
    for bytes in [&b""[..], b"\x7fELF", &cubin()[..70], &[0; 200]] {
        let error = Cubin::read(bytes).expect_err("no cubin").to_string();
        assert!(
            error.contains("not a cubin") && error.contains("--raw"),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn no_damaged_cubin_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = cubin();
        for (place, value) in changes {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(cubin) = Cubin::read(&bytes) {
            for section in cubin.sections {
                let _ = Listing { code: section.code, generation: Generation::Sm52 }.to_string();
            }
        }
    }
}
