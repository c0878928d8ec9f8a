//! Engines that take turns with a kernel.

use std::error::Error;
use std::time::Duration;

use crate::cases::Case;

/// Turns that every engine gets, as long as it has run less than `ENOUGH`.
pub(crate) const TURNS: usize = 7;
const ENOUGH: Duration = Duration::from_secs(3);

/// What an engine did.
pub(crate) struct Row {
    pub label: String,
    pub threads: usize,
    pub time: Duration,
    pub result: Vec<u32>,
}

/// What runs kernels.
pub(crate) trait Engine {
    /// A kernel with its arguments.
    type Ready;

    fn label(&self) -> &str;
    fn threads(&self) -> usize;

    /// `None` if the engine does not have this kernel.
    fn prepare(&self, case: &Case) -> Result<Option<Self::Ready>, Box<dyn Error>>;

    /// The time of one run from call to return.
    fn time(&self, case: &Case, ready: &mut Self::Ready) -> Result<Duration, Box<dyn Error>>;

    /// The output of the last run.
    fn result(&self, ready: &Self::Ready) -> Result<Vec<u32>, Box<dyn Error>>;
}

/// Engines of one sort with a kernel.
pub(crate) struct Entries<'a, E: Engine> {
    case: &'a Case,
    entries: Vec<(&'a E, E::Ready, Times)>,
}

impl<'a, E: Engine> Entries<'a, E> {
    /// Those of the engines that have the kernel.
    pub(crate) fn new(
        case: &'a Case,
        engines: impl IntoIterator<Item = &'a E>,
    ) -> Result<Self, Box<dyn Error>> {
        let mut entries = Vec::new();
        for engine in engines {
            if let Some(ready) = engine.prepare(case)? {
                entries.push((engine, ready, Times::default()));
            }
        }
        Ok(Entries { case, entries })
    }

    /// A turn for each.
    pub(crate) fn turn(&mut self) -> Result<(), Box<dyn Error>> {
        for (engine, ready, times) in &mut self.entries {
            times.add(|| engine.time(self.case, ready))?;
        }
        Ok(())
    }

    pub(crate) fn rows(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let row = |(engine, ready, times): &(&E, E::Ready, Times)| {
            Ok(Row {
                label: engine.label().to_owned(),
                threads: engine.threads(),
                time: times.best,
                result: engine.result(ready)?,
            })
        };
        self.entries.iter().map(row).collect()
    }
}

/// The times of an engine's turns.
#[derive(Default)]
struct Times {
    best: Duration,
    sum: Duration,
    turns: usize,
}

impl Times {
    /// Another turn, unless there were enough.
    fn add<E>(&mut self, run: impl FnOnce() -> Result<Duration, E>) -> Result<(), E> {
        if self.turns >= 2 && self.sum > ENOUGH {
            return Ok(());
        }
        let time = run()?;
        self.best = if self.turns == 0 {
            time
        } else {
            self.best.min(time)
        };
        self.sum += time;
        self.turns += 1;
        Ok(())
    }
}
