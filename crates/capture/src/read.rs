//! The reader of a capture, which trusts nothing in it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use wavetank_quote::plain;

use crate::launch::Allocation;
use crate::section::{self, Checksum, Kind, SectionProblem};
use crate::write::is_zero;
use crate::{Launch, MAGIC, MASK, Mask, PAGE, Page, VERSION, digest};

/// The end of the addresses that an allocation can have: those of a host's process, and the same with another bit for memory of the
/// host that the device has a second address for.
const ADDRESSES: u64 = 1 << 48;

/// The most bytes of all allocations. A replay reads all of them.
const MOST_MEMORY: u64 = 1 << 42;

/// Contents may have so many times the bytes of the file. Pages that compress better are equal, and kept once.
const MOST_TIMES: usize = 1024;

/// The bytes of the global data share.
const GDS_BYTES: usize = 64 << 10;

/// The reason for which bytes are not a capture that can be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes do not begin as a capture.
    #[error("it is not a capture")]
    NotACapture,
    /// A later version of the format.
    #[error(
        "it is a capture of version {0} of the format; this program knows version {VERSION}: use a newer one"
    )]
    Version(u32),
    /// An earlier version of the format.
    #[error(
        "it is a capture of version {0} of the format; this program knows version {VERSION}: capture the launch again"
    )]
    OldVersion(u32),
    /// The memory before the launch is not complete.
    #[error(
        "the capture is cut off: its program was ended while it was written, or the file is a part"
    )]
    Unfinished,
    /// Anything else that a writer does not write.
    #[error("the capture is damaged: {0}")]
    Damaged(String),
}

/// The end of a captured launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It ended; these pages were written.
    Ended(BTreeMap<u64, Written>),
    /// It failed with these sentences, as they stand in the file.
    Failed(String),
    /// It did not end before its program did.
    Unknown,
}

/// The bytes of a page that a launch wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Which bytes they are.
    pub mask: Arc<Mask>,
    /// Their [digest](crate::digest_written) after the launch.
    pub digest: u128,
}

/// A capture that has been read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capture {
    launch: Launch,
    object: Vec<u8>,
    contents: Vec<u8>,
    /// The number of the contents of a page.
    pages: BTreeMap<u64, u64>,
    gds: Vec<u8>,
    outcome: Outcome,
}

impl Capture {
    /// Reads a capture.
    ///
    /// # Errors
    /// [`Problem`], for anything that [`Writer`](crate::Writer) does not write. Nothing in the bytes makes this panic, or take much more
    /// memory than a capture of that size can have.
    pub fn read(bytes: &[u8]) -> Result<Capture, Problem> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(Problem::NotACapture)?;
        let (version, rest) = rest.split_first_chunk().ok_or(Problem::NotACapture)?;
        match u32::from_le_bytes(*version) {
            VERSION => {}
            0 => return Err(Problem::Damaged("it has no version".into())),
            other if other < VERSION => return Err(Problem::OldVersion(other)),
            later => return Err(Problem::Version(later)),
        }
        let sections = Sections::read(rest, bytes.len())?;
        sections.check().map_err(Problem::Damaged)
    }

    /// The description of the launch.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// The bytes of the code object.
    pub fn object(&self) -> &[u8] {
        &self.object
    }

    /// The pages that are not zero, in the order of their addresses, as they were before the launch.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &Page)> {
        let numbers = self.pages.iter();
        numbers.map(|(address, number)| (*address, &self.contents.as_chunks().0[*number as usize]))
    }

    /// The page at an address before the launch, if it is not zero.
    pub fn page(&self, address: u64) -> Option<&Page> {
        let number = *self.pages.get(&address)?;
        self.contents.as_chunks().0.get(number as usize)
    }

    /// The bytes from an address on, as they were before the launch; those that no page has are 0.
    pub fn before(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut out = vec![0; bytes];
        let end = address.saturating_add(bytes as u64);
        let first = address & !(PAGE as u64 - 1);
        for (page, number) in self.pages.range(first..end) {
            let (from, to) = (address.max(*page), end.min(page + PAGE as u64));
            let contents = &self.contents.as_chunks::<PAGE>().0[*number as usize];
            out[(from - address) as usize..(to - address) as usize]
                .copy_from_slice(&contents[(from - page) as usize..(to - page) as usize]);
        }
        out
    }

    /// The global data share before the launch; empty if it was zero.
    pub fn gds(&self) -> &[u8] {
        &self.gds
    }

    /// The end of the launch.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}

/// The data of the sections, by kind.
struct Sections {
    data: BTreeMap<Kind, Vec<u8>>,
    /// Whether the file has its end.
    ended: bool,
}

impl Sections {
    fn read(mut rest: &[u8], file: usize) -> Result<Sections, Problem> {
        let mut data: BTreeMap<Kind, Vec<u8>> = BTreeMap::new();
        let (mut bytes, most) = (0, file.saturating_mul(MOST_TIMES));
        let (mut launched, mut checksum) = (false, Checksum::default());
        let ended = loop {
            let (kind, part) = match section::read(&mut rest, &mut checksum) {
                // A program that is ended while it writes leaves a part of a section.
                Err(SectionProblem::CutOff) if launched => break false,
                Err(SectionProblem::CutOff) => return Err(Problem::Unfinished),
                Err(SectionProblem::Damaged(problem)) => return Err(Problem::Damaged(problem)),
                Ok(section) => section,
            };
            match kind {
                Kind::End if launched => break true,
                Kind::Launched => launched = true,
                _ => {}
            }
            if launched != (kind >= Kind::Launched) {
                return Err(Problem::Damaged("its sections are out of order".into()));
            }
            bytes += part.len();
            if bytes > most {
                let problem = "its data are more than a file of its size can have";
                return Err(Problem::Damaged(problem.into()));
            }
            data.entry(kind).or_default().extend_from_slice(&part);
        };
        if ended && !rest.is_empty() {
            return Err(Problem::Damaged("there is more after its end".into()));
        }
        Ok(Sections { data, ended })
    }

    fn take(&mut self, kind: Kind) -> Vec<u8> {
        self.data.remove(&kind).unwrap_or_default()
    }

    /// The pages that the launch wrote.
    fn written(&mut self) -> Result<BTreeMap<u64, Written>, String> {
        let masks = masks(&self.take(Kind::Masks))?;
        let record = |bytes: [u8; 24]| {
            let (number, digest) = bytes.split_first_chunk().expect("8 of 24 bytes");
            let digest = digest.first_chunk().expect("16 bytes after 8 of 24");
            (u64::from_le_bytes(*number), u128::from_le_bytes(*digest))
        };
        let records = records(&self.take(Kind::Written), record)?;
        let written = records.into_iter().map(|(address, (number, digest))| {
            let mask = usize::try_from(number).ok().and_then(|n| masks.get(n));
            let mask = mask.ok_or("a page has a mask that is not there")?.clone();
            Ok((address, Written { mask, digest }))
        });
        written.collect()
    }

    fn check(mut self) -> Result<Capture, String> {
        let launch = serde_json::from_slice(&self.take(Kind::Launch));
        let launch: Launch =
            launch.map_err(|e| format!("its launch cannot be read: {}", plain(&e.to_string())))?;
        check_allocations(&launch)?;
        let contents = self.take(Kind::Contents);
        let known = check_contents(&contents)?;
        let pages = records(&self.take(Kind::Pages), u64::from_le_bytes)?;
        if pages.values().any(|number| *number >= known) {
            return Err("a page has contents that are not there".into());
        }
        let written = self.written()?;
        let places = pages.keys().chain(written.keys());
        let covered = Covered::by(&launch);
        if let Some(address) = places.into_iter().find(|at| !covered.has(**at)) {
            return Err(format!("the page at {address:#x} is in no allocation"));
        }
        let outcome = match self.data.remove(&Kind::Failure) {
            _ if !self.ended => Outcome::Unknown,
            Some(why) => Outcome::Failed(String::from_utf8_lossy(&why).into_owned()),
            None => Outcome::Ended(written),
        };
        let gds = self.take(Kind::Gds);
        if gds.len() > GDS_BYTES {
            return Err("its global data share is too large".into());
        }
        Ok(Capture {
            launch,
            object: self.take(Kind::Object),
            contents,
            pages,
            gds,
            outcome,
        })
    }
}

/// Returns the masks, all of which differ.
fn masks(bytes: &[u8]) -> Result<Vec<Arc<Mask>>, String> {
    let (masks, rest) = bytes.as_chunks::<MASK>();
    let mut known = HashSet::new();
    let differs = |mask: &Mask| *mask != [0; MASK] && known.insert(*mask);
    if rest.is_empty() && masks.iter().all(differs) {
        Ok(masks.iter().map(|mask| Arc::new(*mask)).collect())
    } else {
        Err("the masks of its pages are not different whole masks".into())
    }
}

fn check_allocations(launch: &Launch) -> Result<(), String> {
    if launch.module > ADDRESSES {
        return Err("its code object is not at an address".into());
    }
    let sizes = launch.allocations.iter().map(|allocation| allocation.bytes);
    if sizes.fold(0, u64::saturating_add) > MOST_MEMORY {
        return Err(format!(
            "its allocations have more than {MOST_MEMORY} bytes"
        ));
    }
    for allocation in &launch.allocations {
        let end = allocation.address.checked_add(allocation.bytes);
        let end = end.filter(|end| *end <= ADDRESSES && allocation.bytes > 0);
        let load_end = allocation.load_end;
        let loads = load_end == 0 || end.is_some_and(|end| (end..=ADDRESSES).contains(&load_end));
        if end.is_none() || allocation.address < PAGE as u64 || !loads {
            let Allocation {
                name,
                address,
                bytes,
                ..
            } = allocation;
            let name = plain(name);
            return Err(format!(
                "`{name}` at {address:#x} with {bytes} bytes is not a range of addresses"
            ));
        }
    }
    Ok(())
}

/// Returns the number of contents, all of which differ.
fn check_contents(contents: &[u8]) -> Result<u64, String> {
    let (pages, rest) = contents.as_chunks::<PAGE>();
    let mut known = HashSet::new();
    let differs = |page: &Page| !is_zero(page) && known.insert(digest(page));
    if rest.is_empty() && pages.iter().all(differs) {
        Ok(pages.len() as u64)
    } else {
        Err("the contents of its pages are not different whole pages".into())
    }
}

/// Reads pairs of an address and a number, in the order of the addresses.
fn records<T, const N: usize>(
    bytes: &[u8],
    number: impl Fn([u8; N]) -> T,
) -> Result<BTreeMap<u64, T>, String> {
    let mut out = BTreeMap::new();
    let mut rest = bytes;
    while let Some((address, after)) = rest.split_first_chunk()
        && let Some((value, after)) = after.split_first_chunk()
    {
        rest = after;
        let address = u64::from_le_bytes(*address);
        let follows = out.last_key_value().is_none_or(|(last, _)| *last < address);
        if !follows || !address.is_multiple_of(PAGE as u64) {
            return Err(format!("the page at {address:#x} is out of order"));
        }
        out.insert(address, number(*value));
    }
    if rest.is_empty() {
        Ok(out)
    } else {
        Err("its list of pages is cut off".into())
    }
}

/// The pages that allocations cover, at least in part.
struct Covered(BTreeMap<u64, u64>);

impl Covered {
    fn by(launch: &Launch) -> Covered {
        let mut ranges: BTreeMap<u64, u64> = BTreeMap::new();
        for allocation in &launch.allocations {
            let start = allocation.address & !(PAGE as u64 - 1);
            let end = ranges.entry(start).or_default();
            *end = allocation.end().max(*end);
        }
        // An earlier range may contain the start of a later one.
        let mut last = 0;
        for end in ranges.values_mut() {
            last = last.max(*end);
            *end = last;
        }
        Covered(ranges)
    }

    fn has(&self, page: u64) -> bool {
        let before = self.0.range(..=page).next_back();
        before.is_some_and(|(_, end)| page < *end)
    }
}
