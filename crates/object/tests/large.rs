//! Files as large as libraries are, and larger: nothing of them is too much, and nothing takes the square of their size.

use crate::common::made::{Made, kernels};
use wavetank_object::{Bundle, CodeObject, Error, kernel_names, open_all};

/// Parses a file, and checks that every kernel is found by its name, with its argument.
fn read(made: &Made) -> CodeObject {
    let object = CodeObject::parse(&made.file()).expect("a code object");
    assert_eq!(object.kernels().len(), made.kernels.len());
    for (n, name) in made.kernels.iter().enumerate() {
        assert_eq!(object.kernel_index(name), Some(n));
        assert_eq!(object.kernels()[n].args.len(), 1, "{name}");
        let symbol = object.symbol(&format!("{name}.kd")).expect("a descriptor");
        assert_eq!(symbol.address, object.kernels()[n].descriptor_address);
    }
    assert_eq!(object.kernel("absent"), None);
    object
}

#[test]
fn each_kernel_may_have_its_note() {
    let made = Made {
        note_each: true,
        ..kernels(5102)
    };
    read(&made);
}

#[test]
fn a_hundred_thousand_kernels_are_read() {
    read(&kernels(100_000));
}

#[test]
fn code_of_sixty_megabytes_is_read() {
    let made = Made {
        code: 60 << 20,
        ..kernels(300)
    };
    let object = read(&made);
    let image = object.load_image(0x7000_0000_0000).expect("an image");
    assert!(image.bytes.len() > 60 << 20);
}

#[test]
fn variables_without_contents_take_no_memory_before_they_are_loaded() {
    let made = Made {
        zeros: 64 << 30,
        ..kernels(3)
    };
    let object = read(&made);
    assert!(object.image_size() > 64 << 30);
    let image = object.load_image(0x7000_0000_0000).expect("an image");
    assert!(image.bytes.len() < 1 << 20);
    assert_eq!(image.size, object.image_size());
    let last = image.base + image.size - 1;
    assert_eq!(image.virtual_address_of(last), Some(image.size - 1));
}

#[test]
fn names_that_outgrow_the_file_are_refused() {
    let mut made = kernels(2000);
    made.kernels[0] = "a".repeat(1 << 20);
    let mut file = made.file();
    // All symbols get the name of the first, each from its own letter on: st_name is the first word of 24 bytes.
    let header = u64::from_le_bytes(file[40..48].try_into().unwrap()) as usize;
    let symbols = u64::from_le_bytes(file[header + 88..header + 96].try_into().unwrap()) as usize;
    for n in 1..=2000u32 {
        let at = symbols + 24 * n as usize;
        file[at..at + 4].copy_from_slice(&n.to_le_bytes());
    }
    let error = CodeObject::parse(&file).unwrap_err().to_string();
    assert!(
        error.contains("names of its symbols take more than 16 times"),
        "{error}"
    );
}

#[test]
fn notes_that_overlap_are_refused() {
    // A note of 12 bytes without name and contents, which four program headers and the file are full of.
    let mut file = kernels(1).file();
    let size = (file.len() as u64 - 512) / 12 * 12;
    for n in 0..4 {
        let at = 64 + 56 * n;
        file[at..at + 4].copy_from_slice(&4u32.to_le_bytes());
        file[at + 8..at + 16].copy_from_slice(&512u64.to_le_bytes());
        file[at + 32..at + 40].copy_from_slice(&size.to_le_bytes());
        file[at + 48..at + 56].copy_from_slice(&4u64.to_le_bytes());
    }
    file[512..].fill(0);
    // Without section headers.
    file[40..48].fill(0);
    file[60..62].fill(0);
    let error = CodeObject::parse(&file).unwrap_err().to_string();
    assert!(error.contains("notes overlap"), "{error}");
}

#[test]
fn bundles_have_as_many_entries_as_they_like() {
    let code = kernels(1).file();
    let ids: Vec<String> = (0..5000)
        .map(|n| {
            format!(
                "hipv4-amdgcn-amd-amdhsa--gfx{}",
                if n == 4999 { 900 } else { 803 }
            )
        })
        .collect();
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend((ids.len() as u64).to_le_bytes());
    let start = 32 + ids.iter().map(|id| 24 + id.len()).sum::<usize>();
    for id in &ids {
        for number in [start, code.len(), id.len()] {
            bundle.extend((number as u64).to_le_bytes());
        }
        bundle.extend(id.bytes());
    }
    bundle.extend(&code);
    assert_eq!(Bundle::parse(&bundle).unwrap().entries().len(), 5000);
    let objects = open_all(&bundle, Some("gfx900")).unwrap();
    assert_eq!(objects[0].kernels().len(), 1);
}

#[test]
fn damaged_files_still_name_their_kernels() {
    let made = kernels(20);
    let mut file = made.file();
    // The first byte of the metadata becomes one that MessagePack never uses.
    file[512 + 20] = 0xc1;
    let error = CodeObject::parse(&file).unwrap_err();
    assert!(matches!(error, Error::BadMetadata { .. }), "{error}");
    assert_eq!(kernel_names(&file).len(), 20);
    assert!(kernel_names(&file).contains(&made.kernels[7]));
    assert!(kernel_names(b"text").is_empty());
}

#[test]
fn code_that_is_not_there_is_reported_as_absent() {
    let made = Made {
        code: 0,
        ..kernels(1)
    };
    let error = CodeObject::parse(&made.file()).unwrap_err().to_string();
    assert!(error.ends_with("where the file has no code"), "{error}");
}

#[test]
fn names_are_printed_in_plain_characters() {
    let mut made = kernels(1);
    made.kernels[0] = "k\u{1b}[2J\n".to_owned();
    made.code = 0;
    let error = CodeObject::parse(&made.file()).unwrap_err().to_string();
    assert!(
        error.starts_with("kernel `k\\u{1b}[2J\\n` is damaged"),
        "{error}"
    );
}
