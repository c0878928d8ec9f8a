//! The ledger of sums: memory that the program which runs kernels shares with the command that started it.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};
use wavetank_jit::Compiled;
use wavetank_memory::set_file_size;

use super::Sum;
use crate::checks::CheckTimes;
use crate::report::InstructionCounts;
use crate::shared_file::SharedFile;

/// Words of a ledger. Only those that are written take memory: room for half a million kernels costs nothing.
const WORDS: usize = 32 << 20;
/// Numbers of a row: thirteen of a [`Sum`], and a count for each family. The row of an operation has one.
const NUMBERS: usize = 21;
/// Words of a row before the name: the length of the name and one, the owner, the numbers.
const HEAD: usize = 2 + NUMBERS;

/// Sums of kernels in memory that processes share: one makes it, a program that it starts opens it by its path and keeps
/// its sums there, and however the program ends, the first one can read them.
///
/// The memory is words: how many are used, then rows one after the other. A row is that of a kernel, whose owner is 0, or of an
/// operation that compiled code of a kernel leaves to the slow path, whose owner is 1 and the place of the kernel's row. Every
/// word is atomic, so that a process that reads or writes at the same time, or dies in the midst of it, does no harm.
pub struct Ledger {
    map: MmapRaw,
    /// Kept by its creator, so that others can open it.
    file: Option<SharedFile>,
}

impl Ledger {
    /// An empty ledger.
    ///
    /// # Errors
    /// Those of the system.
    pub fn create() -> io::Result<Ledger> {
        let file = SharedFile::create("wavetank-statistics")?;
        set_file_size(file.file(), 8 * WORDS as u64)?;
        let map = MmapOptions::new().len(8 * WORDS).map_raw(file.file())?;
        let file = Some(file);
        Ok(Ledger { map, file })
    }

    /// The ledger of another process. It takes no file descriptor of this one.
    ///
    /// # Errors
    /// Those of the system, and a file that is not a ledger.
    pub fn open(path: &Path) -> io::Result<Ledger> {
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != 8 * WORDS as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let map = MmapOptions::new().len(8 * WORDS).map_raw(&file)?;
        Ok(Ledger { map, file: None })
    }

    /// Where the processes that this one starts find it, while this one lives. `None` if it did not make it.
    pub fn path(&self) -> Option<PathBuf> {
        self.file.as_ref().map(SharedFile::path)
    }

    pub(super) fn words(&self) -> &[AtomicU64] {
        let start = self.map.as_mut_ptr().cast::<AtomicU64>();
        // SAFETY: the mapping has so many words, begins at a page, and stays as long as `self`; it is used only as
        // atomic words.
        unsafe { std::slice::from_raw_parts(start, WORDS) }
    }

    /// A new row for a kernel. `None` if the ledger is full.
    pub fn row(&self, kernel: &str) -> Option<Row<'_>> {
        let (at, words) = self.words_of(kernel, 0)?;
        Some(Row {
            ledger: self,
            at,
            words,
            slow: HashMap::new(),
        })
    }

    /// The words of a new row, and its place.
    fn words_of(&self, name: &str, owner: u64) -> Option<(u64, &[AtomicU64])> {
        let size = (HEAD + name.len().div_ceil(8)) as u64;
        let (used, rows) = self.words().split_first()?;
        let at = used.fetch_add(size, Ordering::Relaxed);
        let row = usize::try_from(at).ok()?..usize::try_from(at.checked_add(size)?).ok()?;
        let row = rows.get(row)?;
        // First, so that a reader can go on to the next row whatever becomes of this one.
        row[0].store(name.len() as u64 + 1, Ordering::Relaxed);
        row[1].store(owner, Ordering::Relaxed);
        for (word, bytes) in row[HEAD..].iter().zip(name.as_bytes().chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(eight), Ordering::Relaxed);
        }
        Some((at, row))
    }

    /// The sums of all kernels: those of one process, in the order in which their rows were made, have different names.
    pub fn rows(&self) -> Vec<(String, Sum)> {
        let Some((used, rows)) = self.words().split_first() else {
            return Vec::new();
        };
        let used = used.load(Ordering::Relaxed).min(rows.len() as u64) as usize;
        let mut rest = &rows[..used];
        let mut all: Vec<(String, Sum)> = Vec::new();
        // Which of all has its row at a place. A kernel's row is before those of its operations.
        let mut places: HashMap<u64, usize> = HashMap::new();
        while let Some((row, next)) = split(rest) {
            let at = (used - rest.len()) as u64;
            rest = next;
            let (owner, numbers, name) = read(row);
            match owner.checked_sub(1).map(|kernel| places.get(&kernel)) {
                None if numbers[0] > 0 => {
                    places.insert(at, all.len());
                    all.push((name, sum(&numbers)));
                }
                Some(Some(kernel)) => {
                    let helpers = &mut all[*kernel].1.compiled.by_helpers;
                    helpers.insert(name, numbers[0]);
                }
                None | Some(None) => {}
            }
        }
        all
    }
}

/// The first row and what follows it. A row that has been taken but not begun ends the ledger.
fn split(words: &[AtomicU64]) -> Option<(&[AtomicU64], &[AtomicU64])> {
    let length = words.first()?.load(Ordering::Relaxed).checked_sub(1)?;
    let size = usize::try_from(length.div_ceil(8))
        .ok()?
        .checked_add(HEAD)?;
    words.split_at_checked(size)
}

/// The owner, the numbers and the name of a row.
fn read(row: &[AtomicU64]) -> (u64, [u64; NUMBERS], String) {
    let word = |n: usize| row[n].load(Ordering::Relaxed);
    let length = word(0).saturating_sub(1) as usize;
    let bytes = row[HEAD..].iter();
    let bytes = bytes.flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
    let name: Vec<u8> = bytes.take(length).collect();
    let numbers = std::array::from_fn(|n| word(2 + n));
    (
        word(1),
        numbers,
        String::from_utf8_lossy(&name).into_owned(),
    )
}

/// The numbers of a sum. Operations on the slow path have rows of their own.
fn numbers(sum: &Sum) -> [u64; NUMBERS] {
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let (counts, compiled, checks) = (&sum.instructions, &sum.compiled, &sum.checks);
    let first = [
        sum.calls,
        sum.waves,
        nanoseconds(sum.time),
        counts.lanes,
        counts.compiled,
        compiled.blocks,
        compiled.loops,
        compiled.refused,
        nanoseconds(compiled.time),
        compiled.bytes,
        nanoseconds(checks.race),
        nanoseconds(checks.sync),
        nanoseconds(checks.code),
    ];
    let mut all = [0; NUMBERS];
    all[..first.len()].copy_from_slice(&first);
    for (number, (_, count)) in all[first.len()..].iter_mut().zip(counts.by_family()) {
        *number = count;
    }
    all
}

/// The sum that has these numbers.
fn sum(numbers: &[u64; NUMBERS]) -> Sum {
    let [calls, waves, time, lanes, by_code, rest @ ..] = *numbers;
    let [blocks, loops, refused, compiling, bytes, rest @ ..] = rest;
    let [race, sync, code, families @ ..] = rest;
    Sum {
        calls,
        waves,
        time: Duration::from_nanos(time),
        instructions: InstructionCounts::of_words(families, lanes, by_code),
        compiled: Compiled {
            blocks,
            loops,
            refused,
            time: Duration::from_nanos(compiling),
            bytes,
            ..Compiled::default()
        },
        checks: CheckTimes {
            race: Duration::from_nanos(race),
            sync: Duration::from_nanos(sync),
            code: Duration::from_nanos(code),
        },
    }
}

/// The row of a kernel in a ledger, with those of its operations on the slow path.
pub struct Row<'a> {
    ledger: &'a Ledger,
    at: u64,
    words: &'a [AtomicU64],
    /// The rows of operations; `None` for those that came when the ledger was full.
    slow: HashMap<String, Option<&'a [AtomicU64]>>,
}

impl Row<'_> {
    /// Writes the sum.
    pub fn set(&mut self, sum: &Sum) {
        for (word, value) in self.words[2..].iter().zip(numbers(sum)) {
            word.store(value, Ordering::Relaxed);
        }
        for (name, places) in &sum.compiled.by_helpers {
            let row = match self.slow.get(name) {
                Some(row) => *row,
                None => {
                    let row = self.ledger.words_of(name, self.at + 1).map(|(_, row)| row);
                    self.slow.insert(name.clone(), row);
                    row
                }
            };
            if let Some(row) = row {
                row[2].store(*places, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sum;
    use super::*;

    #[test]
    fn what_one_writes_another_reads() {
        let made = Ledger::create().unwrap();
        let opened = Ledger::open(&made.path().unwrap()).unwrap();
        assert_eq!(opened.path(), None);
        assert_eq!(made.rows(), []);
        let mut row = opened.row("a kernel with a name").unwrap();
        opened.row("never called").unwrap();
        row.set(&sum(1, 1));
        made.row("é").unwrap().set(&sum(4, 5));
        let mut more = sum(2, 3);
        more.compiled.by_helpers.insert("median".to_owned(), 9);
        row.set(&more);
        let rows = [
            ("a kernel with a name".to_owned(), more),
            ("é".to_owned(), sum(4, 5)),
        ];
        assert_eq!(made.rows(), rows);
        drop(opened);
        assert_eq!(made.rows(), rows);
    }

    #[test]
    fn every_number_has_its_place() {
        let distinct: [u64; NUMBERS] = std::array::from_fn(|n| 1 + n as u64);
        assert_eq!(numbers(&super::sum(&distinct)), distinct);
    }

    #[test]
    fn a_full_ledger_takes_no_more() {
        let ledger = Ledger::create().unwrap();
        let plain = Sum {
            calls: 1,
            ..Sum::default()
        };
        let mut first = ledger.row("first").unwrap();
        first.set(&plain);
        ledger.words()[0].store(WORDS as u64 - HEAD as u64 - 2, Ordering::Relaxed);
        assert!(ledger.row("does not fit").is_none());
        // Nor do operations of a kernel that has a row.
        first.set(&sum(2, 1));
        let mut cut = sum(2, 1);
        cut.compiled.by_helpers.clear();
        assert_eq!(ledger.rows(), [("first".to_owned(), cut)]);
    }

    #[test]
    fn whatever_stands_there_can_be_read() {
        let ledger = Ledger::create().unwrap();
        ledger.row("k").unwrap().set(&sum(1, 1));
        for value in [0, 1, u64::MAX, WORDS as u64] {
            for word in 0..=2 * HEAD + 3 {
                let old = ledger.words()[word].swap(value, Ordering::Relaxed);
                let _ = ledger.rows();
                ledger.words()[word].store(old, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_file_that_is_not_a_ledger_is_refused() {
        assert!(Ledger::open(Path::new("/dev/null")).is_err());
    }
}
