//! Offload bundles: code objects for several targets in one file.
//!
//! Source: Clang's documentation, "Clang Offload Bundler", table "Bundled Code Object Layout": the magic string, the
//! number of entries (64 bits), then for each entry offset and size of its code and length of its name (64 bits each)
//! and the name, `KIND-TRIPLE-TARGETID`, for example `hipv4-amdgcn-amd-amdhsa--gfx906:xnack+`.

use std::collections::HashSet;

use crate::bytes::{slice, u64_at};
use crate::compressed::{self, Compressed, too_large};
use crate::error::{Error, Result, bad_bundle as bad};
use crate::limits::{MAX_ALIGN, most_unpacked};
use crate::target::{Feature, Target};

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// Bytes of a compressed bundle that are unpacked at first to read its table: 20 entries take about 2 KiB.
const HEAD: u64 = 16 << 10;

/// One entry of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleEntry<'a> {
    /// The whole name, e.g. `hipv4-amdgcn-amd-amdhsa--gfx906:xnack+` or `host-x86_64-unknown-linux--`.
    pub id: String,
    /// The GPU target, or `None` for the host's entry and for other machines.
    pub target: Option<Target>,
    /// The bytes of the code object.
    pub bytes: &'a [u8],
}

impl<'a> BundleEntry<'a> {
    fn new(id: String, bytes: &'a [u8]) -> Self {
        let target = target_of(&id);
        Self { id, target, bytes }
    }
}

/// Returns the GPU target in the name of an entry.
fn target_of(id: &str) -> Option<Target> {
    // After the triple there are two hyphens, or one in old bundles.
    let (_, target) = id.split_once("amdgcn-amd-amdhsa-")?;
    target.trim_start_matches('-').parse().ok()
}

/// An offload bundle.
///
/// ```
/// use wavetank_object::{Bundle, is_bundle};
///
/// // A bundle with one entry: 4 bytes of code for gfx906.
/// let id = b"hipv4-amdgcn-amd-amdhsa--gfx906";
/// let mut file = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
/// for number in [1, 128, 4, id.len() as u64] {
///     file.extend_from_slice(&number.to_le_bytes());
/// }
/// file.extend_from_slice(id);
/// file.resize(128, 0);
/// file.extend_from_slice(b"code");
///
/// assert!(is_bundle(&file));
/// let bundle = Bundle::parse(&file)?;
/// assert_eq!(bundle.targets().next().unwrap().to_string(), "gfx906");
/// assert_eq!(bundle.select("gfx906:xnack-")?, b"code");
/// let error = bundle.select("gfx900").unwrap_err();
/// assert_eq!(error.to_string(), "the file holds no code for gfx900; it has gfx906");
/// # Ok::<(), wavetank_object::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle<'a> {
    entries: Vec<BundleEntry<'a>>,
    size: usize,
}

/// Returns whether the bytes begin like an offload bundle, compressed or not.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || compressed::is_compressed(bytes)
}

/// Skips padding: linkers leave zeros between bundles. Other bytes are left to `parse`, which reports them.
fn past_padding(bytes: &[u8]) -> &[u8] {
    let padding = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[padding..]
}

/// Visits consecutive bundles with padding in between. A compressed one is unpacked for the visit only, so that the others take no
/// memory.
///
/// # Errors
/// [`Error::BadBundle`], [`Error::Truncated`], and the first error of `visit`.
pub(crate) fn each_bundle<E: From<Error>>(
    bytes: &[u8],
    mut visit: impl FnMut(&Bundle<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = past_padding(bytes);
    let mut together = 0u64;
    while !rest.is_empty() {
        let size = if compressed::is_compressed(rest) {
            let packed = Compressed::parse(rest)?;
            together = together.saturating_add(packed.unpacked());
            if together > most_unpacked(bytes.len()) {
                return Err(too_large(together, bytes.len()).into());
            }
            let mut unpacked = Vec::new();
            let size = packed.unpack_to(&mut unpacked)?;
            Bundle::parse_all(&unpacked)?
                .iter()
                .try_for_each(&mut visit)?;
            size
        } else {
            let bundle = Bundle::parse(rest)?;
            visit(&bundle)?;
            bundle.size
        };
        rest = past_padding(&rest[size..]);
    }
    Ok(())
}

/// Returns the targets of consecutive bundles, in file order. Of a compressed bundle, little more than its table is unpacked.
///
/// # Errors
/// The errors of [`each_bundle`].
pub(crate) fn targets_of_all(bytes: &[u8]) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    let mut rest = past_padding(bytes);
    while !rest.is_empty() {
        let size = if compressed::is_compressed(rest) {
            let bundle = Compressed::parse(rest)?;
            let ids = compressed_ids(&bundle)?;
            targets.extend(ids.iter().filter_map(|id| target_of(id)));
            bundle.size()?
        } else {
            let bundle = Bundle::parse(rest)?;
            targets.extend(bundle.targets().cloned());
            bundle.size
        };
        rest = past_padding(&rest[size..]);
    }
    Ok(targets)
}

/// Returns the names of a bundle's entries, whose code may be missing.
fn ids(bytes: &[u8]) -> Result<Vec<String>> {
    let (mut table, count) = Table::of(bytes)?;
    (0..count).map(|n| Ok(table.row(n)?.id)).collect()
}

/// Returns the names of a compressed bundle's entries, and unpacks only as much as they need.
fn compressed_ids(bundle: &Compressed) -> Result<Vec<String>> {
    let whole = bundle.unpacked();
    let mut size = HEAD.min(whole);
    loop {
        match ids(&bundle.head(size)?) {
            Err(Error::Truncated { .. }) if size < whole => {
                size = size.saturating_mul(8).min(whole);
            }
            result => return result,
        }
    }
}

impl<'a> Bundle<'a> {
    /// Reads the bundle that starts with the first byte; bytes after it are ignored.
    ///
    /// # Errors
    /// [`Error::CompressedBundle`], which [`open`](crate::open()) can read; [`Error::BadBundle`], [`Error::Truncated`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        if compressed::is_compressed(bytes) {
            return Err(Error::CompressedBundle);
        }
        let (mut table, count) = Table::of(bytes)?;
        // The number of entries needs no check, because each takes some bytes of the table.
        let mut entries = Vec::new();
        let mut size = 0;
        for n in 0..count {
            let (entry, end) = table.entry(n)?;
            entries.push(entry);
            size = size.max(end);
        }
        let size = size.max(table.at) as usize;
        Ok(Self { entries, size })
    }

    /// Reads consecutive bundles with padding in between, as linkers leave them in `.hip_fatbin` sections.
    ///
    /// # Errors
    /// The errors of [`parse`](Self::parse), for any of the bundles.
    pub fn parse_all(bytes: &'a [u8]) -> Result<Vec<Self>> {
        let mut bundles = Vec::new();
        let mut rest = past_padding(bytes);
        while !rest.is_empty() {
            let bundle = Self::parse(rest)?;
            rest = past_padding(&rest[bundle.size..]);
            bundles.push(bundle);
        }
        Ok(bundles)
    }

    /// Returns a bundle of one code object, which is stored in a host program by itself.
    pub(crate) fn of_one(target: Target, bytes: &'a [u8]) -> Self {
        let entry = BundleEntry {
            id: target.to_string(),
            target: Some(target),
            bytes,
        };
        Self {
            entries: vec![entry],
            size: bytes.len(),
        }
    }

    /// Returns all entries, the host's included, in file order.
    pub fn entries(&self) -> &[BundleEntry<'a>] {
        &self.entries
    }

    /// Returns the GPU targets, in file order.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.entries.iter().filter_map(|e| e.target.as_ref())
    }

    /// Returns the code object for a target ID such as `gfx906` or `gfx906:xnack+`.
    ///
    /// If several fit, code for the chip itself is preferred to that of a generic target, and code for exactly the requested
    /// features to code that leaves them open.
    ///
    /// # Errors
    /// [`Error::BadTarget`]; [`Error::TargetMissing`] with the targets present.
    pub fn select(&self, target: &str) -> Result<&'a [u8]> {
        let requested: Target = target.parse()?;
        let best = self.best(&requested).map(|entry| entry.bytes);
        best.ok_or_else(|| Error::TargetMissing {
            wanted: requested.to_string(),
            present: self.targets().map(Target::to_string).collect(),
        })
    }

    /// Selects as [`select`](Self::select) does, for a parsed target.
    pub(crate) fn best(&self, requested: &Target) -> Option<&BundleEntry<'a>> {
        let rank = |target: &Target| {
            let exact = |have: Feature, want: Feature| have == want && want != Feature::Any;
            let features = u32::from(exact(target.xnack, requested.xnack))
                + u32::from(exact(target.sramecc, requested.sramecc));
            (target.chip == requested.chip, features)
        };
        let fitting = self.entries.iter().filter_map(|entry| {
            let target = entry.target.as_ref().filter(|t| t.serves(requested))?;
            Some((rank(target), entry))
        });
        // Reversed, so that the first of several equals is chosen.
        let all: Vec<_> = fitting.collect();
        let best = all.into_iter().rev().max_by_key(|(rank, _)| *rank)?;
        Some(best.1)
    }
}

/// Packs code into a bundle: each entry has a name, such as `hipv4-amdgcn-amd-amdhsa--gfx906`, and begins at a multiple of an
/// alignment. Runtimes expect pages of 4096 bytes, and HIP's runtime expects an entry of the host first, which may be empty.
///
/// # Errors
/// [`Error::BadBundle`] for an alignment that is not a power of two, and for duplicate names.
///
/// ```
/// use wavetank_object::{Bundle, bundle};
///
/// let host = ("host-x86_64-unknown-linux--", &b""[..]);
/// let file = bundle(&[host, ("hipv4-amdgcn-amd-amdhsa--gfx906", b"code")], 4096)?;
/// assert_eq!(file.len(), 4100);
/// assert_eq!(Bundle::parse(&file)?.select("gfx906")?, b"code");
/// # Ok::<(), wavetank_object::Error>(())
/// ```
pub fn bundle(entries: &[(&str, &[u8])], align: u64) -> Result<Vec<u8>> {
    if !align.is_power_of_two() || align > MAX_ALIGN {
        return Err(bad(format!(
            "{align} is not an alignment; take a power of two up to 2^30"
        )));
    }
    let mut seen = HashSet::new();
    if let Some((twice, _)) = entries.iter().find(|(id, _)| !seen.insert(*id)) {
        return Err(bad(format!("it would have {twice} twice")));
    }
    let number = |out: &mut Vec<u8>, number: usize| {
        out.extend_from_slice(&(number as u64).to_le_bytes());
    };
    let rows: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
    let mut at = MAGIC.len() + 8 + rows;
    let (mut out, mut places) = (MAGIC.to_vec(), Vec::new());
    number(&mut out, entries.len());
    for (id, code) in entries {
        at = at.next_multiple_of(align as usize);
        places.push(at);
        for field in [at, code.len(), id.len()] {
            number(&mut out, field);
        }
        out.extend_from_slice(id.as_bytes());
        at += code.len();
    }
    for ((_, code), place) in entries.iter().zip(places) {
        out.resize(place, 0);
        out.extend_from_slice(code);
    }
    Ok(out)
}

/// A reader of the table of entries.
struct Table<'a> {
    bytes: &'a [u8],
    at: u64,
}

/// A row of the table: offset, size and name of an entry.
struct Row {
    offset: u64,
    size: u64,
    id: String,
}

impl<'a> Table<'a> {
    /// Returns the table of a bundle, and the number of rows in its header.
    fn of(bytes: &'a [u8]) -> Result<(Self, u64)> {
        if !bytes.starts_with(MAGIC) {
            return Err(bad("it does not start with its magic string".to_owned()));
        }
        let at = MAGIC.len() as u64;
        let mut table = Table { bytes, at };
        let count = table.number("the bundle's entry count")?;
        Ok((table, count))
    }

    fn take(&mut self, size: u64, what: &str) -> Result<&'a [u8]> {
        let taken = slice(self.bytes, self.at, size, what)?;
        self.at += size;
        Ok(taken)
    }

    fn number(&mut self, what: &str) -> Result<u64> {
        Ok(u64_at(self.take(8, what)?, 0))
    }

    fn row(&mut self, n: u64) -> Result<Row> {
        let what = format!("entry {n} of the bundle's table");
        let offset = self.number(&what)?;
        let size = self.number(&what)?;
        let name_size = self.number(&what)?;
        let id = String::from_utf8_lossy(self.take(name_size, &what)?).into_owned();
        Ok(Row { offset, size, id })
    }

    /// Returns an entry, and the offset after its code.
    fn entry(&mut self, n: u64) -> Result<(BundleEntry<'a>, u64)> {
        let Row { offset, size, id } = self.row(n)?;
        let code = slice(self.bytes, offset, size, &format!("the code for {id}"))?;
        Ok((BundleEntry::new(id, code), offset + size))
    }
}
