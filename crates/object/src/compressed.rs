//! Compressed offload bundles, and compressed sections.
//!
//! Source: Clang's documentation, "Clang Offload Bundler", "Compression and Decompression". The header has the magic string
//! `CCOB`, a version and a method (16 bits each; 0 is zlib, 1 is Zstandard), from version 2 on the total size, and the
//! uncompressed size (both of 32 bits, or 64 in version 3). 64 bits of the MD5 hash follow, which are ignored, and then the
//! stream.

use std::io::Read;

use flate2::Compression;
use flate2::bufread::{ZlibDecoder, ZlibEncoder};
use object::elf;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::bytes::{slice, u16_at, u32_at, u64_at};
use crate::error::{Error, Result, bad_bundle as bad};
use crate::limits::most_unpacked;

const MAGIC: &[u8] = b"CCOB";

/// Returns whether the bytes begin like a compressed bundle.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// A compressed bundle with its parsed header.
pub(crate) struct Compressed<'a> {
    method: CompressionMethod,
    /// The size of the unpacked bundle in bytes.
    unpacked: u64,
    /// The size of the whole in bytes with the header, if the header contains it.
    size: Option<usize>,
    header: usize,
    stream: &'a [u8],
}

/// Returns the error for compressed bytes whose unpacked size exceeds the limit.
pub(crate) fn too_large(unpacked: u64, compressed: usize) -> Error {
    let most = most_unpacked(compressed);
    bad(format!(
        "its {compressed} compressed bytes are to become {unpacked}, and at most {most} are believed; if it is right, unpack it \
         with `clang-offload-bundler --unbundle`"
    ))
}

/// The compression method of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompressionMethod {
    /// The deflate stream of zlib.
    Zlib,
    /// A stream in the format of Zstandard.
    Zstd,
}

impl CompressionMethod {
    /// Returns the number of the method in the header.
    fn number(self) -> u16 {
        match self {
            CompressionMethod::Zlib => 0,
            CompressionMethod::Zstd => 1,
        }
    }

    fn pack(self, bundle: &[u8]) -> Vec<u8> {
        match self {
            CompressionMethod::Zlib => {
                let mut packed = Vec::new();
                let mut encoder = ZlibEncoder::new(bundle, Compression::best());
                // Reading from memory cannot fail.
                let _ = encoder.read_to_end(&mut packed);
                packed
            }
            CompressionMethod::Zstd => compress_to_vec(bundle, CompressionLevel::Fastest),
        }
    }
}

/// Compresses a bundle, in version 1, 2 or 3 of the format; version 3 has sizes of 64 bits. Clang 18 writes version 1, Clang 19
/// and 20 write version 2.
///
/// # Errors
/// [`crate::Error::BadBundle`] for another version, and for sizes that do not fit.
///
/// ```
/// use wavetank_object::{CompressionMethod, bundle, compress, unbundle};
///
/// let code = include_bytes!("../tests/data/vecadd-gfx900.hsaco");
/// let packed = compress(&bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx900", code)], 4096)?, CompressionMethod::Zstd, 2)?;
/// assert!(packed.starts_with(b"CCOB") && packed.len() < code.len());
/// assert_eq!(unbundle(&packed)?[0].bytes, code);
/// # Ok::<(), wavetank_object::Error>(())
/// ```
pub fn compress(bundle: &[u8], method: CompressionMethod, version: u16) -> Result<Vec<u8>> {
    let stream = method.pack(bundle);
    let header = match version {
        1 => 20,
        2 => 24,
        3 => 32,
        other => {
            let problem = format!("it is to be compressed in version {other}, not 1 to 3");
            return Err(bad(problem));
        }
    };
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&version.to_le_bytes());
    out.extend_from_slice(&method.number().to_le_bytes());
    let (whole, unpacked) = ((header + stream.len()) as u64, bundle.len() as u64);
    let sizes = if version == 1 {
        &[unpacked][..]
    } else {
        &[whole, unpacked]
    };
    for size in sizes {
        match (version, u32::try_from(*size)) {
            (3, _) => out.extend_from_slice(&size.to_le_bytes()),
            (_, Ok(size)) => out.extend_from_slice(&size.to_le_bytes()),
            _ => return Err(bad(format!("{size} bytes need version 3"))),
        }
    }
    let hash = md5::compute(bundle).0;
    out.extend_from_slice(&hash[..8]);
    out.extend_from_slice(&stream);
    Ok(out)
}

impl<'a> Compressed<'a> {
    /// Reads the header at the start of some bytes; bytes after the bundle are ignored.
    ///
    /// # Errors
    /// [`crate::Error::Truncated`], [`crate::Error::BadBundle`].
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self> {
        let header = |size: u64| slice(bytes, 0, size, "the header of the compressed bundle");
        let start = header(8)?;
        let (header, size, unpacked) = match u16_at(start, 4) {
            1 => (20, None, u64::from(u32_at(header(20)?, 8))),
            2 => {
                let header = header(24)?;
                let sizes = (u32_at(header, 8), u32_at(header, 12));
                (24, Some(u64::from(sizes.0)), u64::from(sizes.1))
            }
            3 => {
                let header = header(32)?;
                (32, Some(u64_at(header, 8)), u64_at(header, 16))
            }
            other => {
                return Err(bad(format!(
                    "it is compressed in version {other}, not 1 to 3"
                )));
            }
        };
        let method = match u16_at(start, 6) {
            0 => CompressionMethod::Zlib,
            1 => CompressionMethod::Zstd,
            other => {
                let problem =
                    format!("it is compressed by method {other}, not 0 (zlib) or 1 (zstd)");
                return Err(bad(problem));
            }
        };
        let whole = match size {
            Some(size) => slice(bytes, 0, size, "the compressed bundle")?,
            None => bytes,
        };
        let stream = whole
            .get(header..)
            .ok_or_else(|| bad("it is smaller than its header".to_owned()))?;
        Self {
            method,
            unpacked,
            size: size.map(|size| size as usize),
            header,
            stream,
        }
        .checked()
    }

    /// Makes a reader for a compressed section, from its header (ELF, "Section Compression") and the stream after it.
    ///
    /// # Errors
    /// [`crate::Error::BadBundle`] for an unknown method, or an implausible size.
    pub(crate) fn section(
        kind: elf::CompressionType,
        unpacked: u64,
        stream: &'a [u8],
    ) -> Result<Self> {
        let method = match kind {
            elf::ELFCOMPRESS_ZLIB => CompressionMethod::Zlib,
            elf::ELFCOMPRESS_ZSTD => CompressionMethod::Zstd,
            elf::CompressionType(other) => {
                return Err(bad(format!("a section is compressed by method {other}")));
            }
        };
        Self {
            method,
            unpacked,
            size: None,
            header: 0,
            stream,
        }
        .checked()
    }

    /// Fails if the unpacked size is implausible.
    fn checked(self) -> Result<Self> {
        if self.unpacked <= most_unpacked(self.stream.len()) {
            Ok(self)
        } else {
            Err(too_large(self.unpacked, self.stream.len()))
        }
    }

    /// Returns the compressed size in the file, in bytes.
    ///
    /// # Errors
    /// The errors of [`unpack_to`](Self::unpack_to): in version 1 only the stream itself has its end.
    pub(crate) fn size(&self) -> Result<usize> {
        self.size
            .map_or_else(|| self.unpack_to(&mut Vec::new()), Ok)
    }

    /// Appends the unpacked bundle, and returns its compressed size in the file, in bytes.
    ///
    /// # Errors
    /// [`crate::Error::BadBundle`] for a damaged stream, or one whose unpacked size differs from the header's.
    pub(crate) fn unpack_to(&self, out: &mut Vec<u8>) -> Result<usize> {
        let mut rest = self.stream;
        let before = out.len();
        // One more byte than expected shows that the stream is too long.
        self.read(&mut rest, self.unpacked + 1, out)?;
        let found = (out.len() - before) as u64;
        if found != self.unpacked {
            let expected = self.unpacked;
            return Err(bad(format!(
                "it unpacks to {found} bytes or more, not {expected}"
            )));
        }
        Ok(self
            .size
            .unwrap_or(self.header + self.stream.len() - rest.len()))
    }

    /// Returns the size of the unpacked bundle in bytes.
    pub(crate) fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Unpacks at most `size` bytes from the start of the bundle.
    ///
    /// # Errors
    /// [`crate::Error::BadBundle`] for a damaged stream.
    pub(crate) fn head(&self, size: u64) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        self.read(&mut { self.stream }, size, &mut head)?;
        Ok(head)
    }

    /// Unpacks at most `limit` bytes.
    fn read(&self, stream: &mut &[u8], limit: u64, out: &mut Vec<u8>) -> Result<()> {
        let damaged = |problem: String| bad(format!("its compressed stream: {problem}"));
        let read = match self.method {
            CompressionMethod::Zlib => ZlibDecoder::new(stream).take(limit).read_to_end(out),
            CompressionMethod::Zstd => {
                // The decoder allocates a window of the size in the stream, independent of its output.
                StreamingDecoder::new_with_max_window_size(stream, most_unpacked(self.stream.len()))
                    .map_err(|error| damaged(error.to_string()))?
                    .take(limit)
                    .read_to_end(out)
            }
        };
        read.map(drop).map_err(|error| damaged(error.to_string()))
    }
}
