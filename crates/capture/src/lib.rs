//! Captures: files with one launch of a kernel, to be run again elsewhere. `docs/reference/captures.md` describes the format.
//!
//! A capture has the code object, the size of the launch, the addresses that waves start with, all memory of the device before the
//! launch, and digests of the bytes that the launch wrote. [`Writer`] writes it page by page, so that the memory of a large program
//! need not be held twice. [`Capture::read`] reads it; a damaged or malicious file is an error.
//!
//! ```
//! use wavetank_capture::{Allocation, Capture, Launch, MASK, PAGE, Packet, Page, Writer};
//!
//! let launch = Launch {
//!     chip: "gfx900".into(),
//!     kernel: "fill".into(),
//!     grid: [64, 1, 1],
//!     block: [64, 1, 1],
//!     allocations: vec![Allocation { name: "a buffer".into(), address: 0x10000, bytes: 256, read_only: false, load_end: 0 }],
//!     ..Launch::default()
//! };
//! let mut writer = Writer::new(Vec::new(), &launch, b"the code object")?;
//! let mut page = [0; PAGE];
//! page[..4].copy_from_slice(&[1, 2, 3, 4]);
//! writer.page(0x10000, &page)?;
//! // The launch writes the first byte of the page.
//! let mut launched = writer.launched()?;
//! page[0] = 9;
//! let mut mask = [0; MASK];
//! mask[0] = 1;
//! launched.written(0x10000, &mask, &page);
//! let file = launched.finish()?;
//!
//! let capture = Capture::read(&file)?;
//! assert_eq!(capture.launch(), &launch);
//! assert_eq!(capture.object(), b"the code object");
//! let pages: Vec<(u64, &Page)> = capture.pages().collect();
//! assert_eq!((pages.len(), pages[0].0, pages[0].1[0]), (1, 0x10000, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod launch;
mod read;
mod section;
mod write;

pub use launch::{Allocation, Launch, Packet};
pub use read::{Capture, Outcome, Problem, Written};
pub use write::{Launched, Writer};

/// The bytes of a page, the unit in which memory is kept.
pub const PAGE: usize = 4096;

/// The contents of a page. Bytes that are in no allocation are 0.
pub type Page = [u8; PAGE];

/// The bytes of a mask.
pub const MASK: usize = PAGE / 8;

/// The bytes of a page that were written: a bit for each, of which the first is bit 0 of the first byte.
pub type Mask = [u8; MASK];

/// The first bytes of every capture.
pub const MAGIC: [u8; 8] = *b"WTCAPT\r\n";

/// The version of the format that this crate writes, and the only one that it reads.
pub const VERSION: u32 = 2;

/// The digest of a page: XXH3 with 128 bits.
pub fn digest(page: &Page) -> u128 {
    xxhash_rust::xxh3::xxh3_128(page)
}

/// The digest of those bytes of a page that a mask has, with zeros for the others.
pub fn digest_written(page: &Page, mask: &Mask) -> u128 {
    let mut written = *page;
    for (n, byte) in written.iter_mut().enumerate() {
        if mask[n / 8] >> (n % 8) & 1 == 0 {
            *byte = 0;
        }
    }
    digest(&written)
}

/// Returns whether bytes are the start of a capture.
pub fn is_capture(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
