//! What kernels took all in all: a table of sums, and a ledger that outlives the program that keeps it.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};
use wavetank_memory::set_file_size;
use wavetank_quote::readable;

use crate::shared_file::SharedFile;

/// Words of a ledger. Only those that are written take memory: room for a million kernels costs nothing.
const WORDS: usize = 32 << 20;
/// Words of a row before the name: the length of the name and one, calls, nanoseconds, instructions, compiled ones.
const HEAD: usize = 5;

/// The dispatches of a kernel, summed up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// How many.
    pub calls: u64,
    /// The time from start to end of each.
    pub time: Duration,
    /// Instructions of waves.
    pub instructions: u64,
    /// Those of them that compiled code executed.
    pub compiled: u64,
}

impl Sum {
    /// Adds dispatches.
    pub fn add(&mut self, other: Sum) {
        self.calls += other.calls;
        self.time += other.time;
        self.instructions += other.instructions;
        self.compiled += other.compiled;
    }

    /// The share of instructions that compiled code executed.
    pub fn compiled_share(&self) -> f64 {
        self.compiled as f64 / self.instructions.max(1) as f64
    }
}

/// A table of kernels, the slowest first; those of one name are one row.
///
/// ```
/// use wavetank::statistics::{Sum, table};
/// let sum = Sum { calls: 2, ..Sum::default() };
/// let text = table([("vecadd".to_owned(), sum), ("vecadd".to_owned(), sum)]);
/// assert!(text.ends_with("        4                 0       0%        0.000  vecadd\n"));
/// ```
pub fn table(rows: impl IntoIterator<Item = (String, Sum)>) -> String {
    let mut sums: HashMap<String, Sum> = HashMap::new();
    for (name, sum) in rows {
        sums.entry(name).or_default().add(sum);
    }
    let mut rows: Vec<(String, Sum)> = sums.into_iter().collect();
    rows.sort_by(|(a, x), (b, y)| y.time.cmp(&x.time).then_with(|| a.cmp(b)));
    let mut text = format!(
        "{:>9} {:>17} {:>8} {:>12}  kernel (times are this computer's, not a GPU's)\n",
        "calls", "wave instructions", "compiled", "host ms"
    );
    for (name, sum) in rows {
        let ms = sum.time.as_secs_f64() * 1e3;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:>9} {:>17} {:>7.0}% {ms:>12.3}  {}",
            sum.calls,
            sum.instructions,
            sum.compiled_share() * 100.0,
            readable(&name)
        );
    }
    text
}

/// Sums of kernels in memory that processes share: one makes it, a program that it starts opens it by its path and keeps
/// its sums there, and however the program ends, the first one can read them.
///
/// The memory is words: how many are used, then rows one after the other. Every word is atomic, so that a process that reads or
/// writes at the same time, or dies in the midst of it, does no harm.
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
    /// Those of the system, and a file that is no ledger.
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

    fn words(&self) -> &[AtomicU64] {
        let start = self.map.as_mut_ptr().cast::<AtomicU64>();
        // SAFETY: the mapping has so many words, begins at a page, and stays as long as `self`; it is used only as
        // atomic words.
        unsafe { std::slice::from_raw_parts(start, WORDS) }
    }

    /// A new row. `None` if the ledger is full.
    pub fn row(&self, kernel: &str) -> Option<Row<'_>> {
        let size = (HEAD + kernel.len().div_ceil(8)) as u64;
        let (used, rows) = self.words().split_first()?;
        let at = used.fetch_add(size, Ordering::Relaxed);
        let row = usize::try_from(at).ok()?..usize::try_from(at.checked_add(size)?).ok()?;
        let row = rows.get(row)?;
        // First, so that a reader can go on to the next row whatever becomes of this one.
        row[0].store(kernel.len() as u64 + 1, Ordering::Relaxed);
        for (word, bytes) in row[HEAD..].iter().zip(kernel.as_bytes().chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(eight), Ordering::Relaxed);
        }
        Some(Row { words: row })
    }

    /// All rows: those of one process, in the order in which they were made, have different names.
    pub fn rows(&self) -> Vec<(String, Sum)> {
        let Some((used, rows)) = self.words().split_first() else {
            return Vec::new();
        };
        let used = used.load(Ordering::Relaxed).min(rows.len() as u64) as usize;
        let mut rest = &rows[..used];
        let mut all = Vec::new();
        while let Some((row, next)) = split(rest) {
            let [calls, nanoseconds, instructions, compiled] =
                [1, 2, 3, 4].map(|n: usize| row[n].load(Ordering::Relaxed));
            let length = row[0].load(Ordering::Relaxed) as usize - 1;
            let words = row[HEAD..].iter();
            let mut name: Vec<u8> = words
                .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
                .collect();
            name.truncate(length);
            let sum = Sum {
                calls,
                time: Duration::from_nanos(nanoseconds),
                instructions,
                compiled,
            };
            if calls > 0 {
                all.push((String::from_utf8_lossy(&name).into_owned(), sum));
            }
            rest = next;
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

/// The row of a kernel in a ledger.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    words: &'a [AtomicU64],
}

impl Row<'_> {
    /// Writes the sum.
    pub fn set(&self, sum: Sum) {
        let nanoseconds = sum.time.as_nanos() as u64;
        let values = [sum.calls, nanoseconds, sum.instructions, sum.compiled];
        for (word, value) in self.words[1..].iter().zip(values) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(calls: u64, ms: u64) -> Sum {
        let time = Duration::from_millis(ms);
        Sum {
            calls,
            time,
            instructions: 10 * calls,
            compiled: 5 * calls,
        }
    }

    #[test]
    fn what_one_writes_another_reads() {
        let made = Ledger::create().unwrap();
        let opened = Ledger::open(&made.path().unwrap()).unwrap();
        assert_eq!(opened.path(), None);
        assert_eq!(made.rows(), []);
        let row = opened.row("a kernel with a name").unwrap();
        opened.row("never called").unwrap();
        row.set(sum(1, 1));
        row.set(sum(2, 3));
        made.row("é").unwrap().set(sum(4, 5));
        let rows = [
            ("a kernel with a name".to_owned(), sum(2, 3)),
            ("é".to_owned(), sum(4, 5)),
        ];
        assert_eq!(made.rows(), rows);
        drop(opened);
        assert_eq!(made.rows(), rows);
    }

    #[test]
    fn a_full_ledger_takes_no_more() {
        let ledger = Ledger::create().unwrap();
        ledger.row("first").unwrap().set(sum(1, 1));
        ledger.words()[0].store(WORDS as u64 - HEAD as u64 - 2, Ordering::Relaxed);
        assert!(ledger.row("does not fit").is_none());
        assert_eq!(ledger.rows(), [("first".to_owned(), sum(1, 1))]);
    }

    #[test]
    fn whatever_stands_there_can_be_read() {
        let ledger = Ledger::create().unwrap();
        ledger.row("k").unwrap().set(sum(1, 1));
        for value in [0, 1, u64::MAX, WORDS as u64] {
            for word in 0..=HEAD + 1 {
                let old = ledger.words()[word].swap(value, Ordering::Relaxed);
                let _ = ledger.rows();
                ledger.words()[word].store(old, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_file_that_is_none_is_refused() {
        assert!(Ledger::open(Path::new("/dev/null")).is_err());
    }

    #[test]
    fn the_slowest_stands_first() {
        let text = table([
            ("b".to_owned(), sum(1, 1)),
            ("a".to_owned(), sum(1, 5)),
            ("b".to_owned(), sum(1, 8)),
        ]);
        let rows = text.lines().skip(1);
        let names: Vec<_> = rows.map(|l| l.split_whitespace().last()).collect();
        assert_eq!(names, [Some("b"), Some("a")]);
        assert!(text.contains("        2                20      50%        9.000  b\n"));
        assert!(text.starts_with(
            "    calls wave instructions compiled      host ms  kernel (times are this"
        ));
    }
}
