//! Damaged bytes give errors: never a panic, a hang, or memory beyond reason.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wavetank_object::{Bundle, CodeObject, Error, open_all, targets};

use crate::containers::{COMPRESSED, host_elf};

const SMALL: &[u8] = include_bytes!("data/vecadd-gfx900.hsaco");

/// Does all that a caller can do with bytes.
fn use_up(bytes: &[u8]) -> Result<(), Error> {
    let _ = targets(bytes);
    for object in open_all(bytes, None)? {
        for kernel in object.kernels() {
            for arg in &kernel.args {
                assert!(arg.offset + arg.size <= kernel.kernarg_segment_size);
            }
            let _ = object.symbol_at(kernel.entry);
        }
        assert!(object.image_size() <= wavetank_object::MAX_IMAGE_SIZE);
        // A gigabyte between segments is allowed, but not worth a test's time.
        if object.image_size() < 16 << 20 {
            let _ = object.load_image(0x7000_0000_0000);
        }
    }
    Ok(())
}

/// One or two files of each folder: all versions, chips and languages.
fn samples() -> Option<Vec<PathBuf>> {
    let all = crate::common::code_objects()?;
    let wanted = |path: &PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy();
        ["vecadd", "reduce", "suite", "bench"]
            .iter()
            .any(|name| stem.starts_with(name))
    };
    Some(all.into_iter().filter(wanted).collect())
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a readable file")
}

/// A fixed sequence of numbers (xorshift64), so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn a_file_cut_at_any_length_is_an_error() {
    // The section headers stand last in the file, so that every cut takes something that is needed.
    for length in 0..SMALL.len() {
        let error = use_up(&SMALL[..length]).expect_err("a cut file");
        let is_reported = match length {
            0 => matches!(error, Error::Empty),
            1..4 => matches!(error, Error::NotElf { .. }),
            _ => matches!(error, Error::Truncated { .. }),
        };
        assert!(is_reported, "{length}: {error}");
    }
}

#[test]
fn shipped_files_cut_anywhere_are_errors() {
    let Some(paths) = samples() else { return };
    for path in paths {
        let bytes = read(&path);
        for length in (0..bytes.len()).step_by(97) {
            let result = use_up(&bytes[..length]);
            assert!(result.is_err(), "{}, {length} bytes", path.display());
        }
    }
}

#[test]
fn flipped_bits_never_panic() {
    let Some(paths) = crate::common::code_objects() else {
        return;
    };
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut survived = 0;
    for path in paths {
        let good = read(&path);
        for case in 0..60 {
            let mut bytes = good.clone();
            for _ in 0..=case % 4 {
                // Half of the flips hit the headers and notes at the start, where most can go wrong.
                let reach = if case % 2 == 0 {
                    bytes.len()
                } else {
                    bytes.len().min(0x800)
                };
                let at = numbers.below(reach);
                bytes[at] ^= 1 << numbers.below(8);
            }
            survived += u32::from(use_up(&bytes).is_ok());
        }
    }
    assert!(survived > 100, "flips in code must not matter: {survived}");
}

#[test]
fn every_bit_of_the_headers_may_flip() {
    for at in 0..0x238 {
        for bit in 0..8 {
            let mut bytes = SMALL.to_vec();
            bytes[at] ^= 1 << bit;
            let _ = use_up(&bytes);
        }
    }
}

#[test]
fn every_header_word_may_be_extreme() {
    for at in (0..SMALL.len() - 8).step_by(4) {
        for word in [
            0,
            u64::MAX,
            i64::MAX as u64,
            u64::from(u32::MAX),
            0x7fff_ffff,
        ] {
            let mut bytes = SMALL.to_vec();
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            let _ = use_up(&bytes);
        }
    }
}

#[test]
fn memory_beyond_the_limit_is_refused() {
    // The last PT_LOAD program header, with p_memsz (at 40) set to 2 TiB.
    let last = (64..0x238)
        .step_by(56)
        .rfind(|at| SMALL[*at..at + 4] == [1, 0, 0, 0])
        .unwrap();
    let mut bytes = SMALL.to_vec();
    bytes[last + 40..last + 48].copy_from_slice(&(2u64 << 40).to_le_bytes());
    let error = CodeObject::parse(&bytes).unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { size } if size > 2 << 40),
        "{error}"
    );
}

proptest! {
    #[test]
    fn random_bytes_are_errors(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        prop_assert!(use_up(&bytes).is_err());
    }

    #[test]
    fn random_bytes_after_a_good_beginning_never_panic(
        keep in 0usize..SMALL.len(),
        tail in proptest::collection::vec(any::<u8>(), 0..2048),
    ) {
        let mut bytes = SMALL[..keep].to_vec();
        bytes.extend(tail);
        bytes.resize(bytes.len().max(SMALL.len()), 0);
        let _ = use_up(&bytes);
    }

    #[test]
    fn random_bundles_never_panic(
        count in prop_oneof![0u64..4, any::<u64>()],
        table in proptest::collection::vec(prop_oneof![0u64..600, any::<u64>()], 0..40),
    ) {
        let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        for word in std::iter::once(count).chain(table) {
            bytes.extend(word.to_le_bytes());
        }
        if let Ok(bundle) = Bundle::parse(&bytes) {
            prop_assert_eq!(bundle.entries().len() as u64, count);
        }
        let _ = use_up(&bytes);
    }

    #[test]
    fn damaged_streams_never_panic(
        at in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        keep in any::<prop::sample::Index>(),
        zlib in any::<bool>(),
    ) {
        let mut bytes = COMPRESSED.to_vec();
        if zlib {
            bytes[6] = 0;
        }
        for (at, byte) in at {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(keep.index(2 * bytes.len()));
        let _ = use_up(&bytes);
    }

    #[test]
    fn damaged_images_in_programs_never_panic(
        at in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        copies in 1usize..4,
        cut in any::<prop::sample::Index>(),
    ) {
        let mut section = SMALL.repeat(copies);
        for (at, byte) in at {
            let at = at.index(section.len());
            section[at] = byte;
        }
        section.truncate(cut.index(section.len() + 1));
        let file = host_elf(".llvm.offloading", &section);
        let _ = use_up(&file);
    }
}
