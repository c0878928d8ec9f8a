//! What comes behind what: jobs are kernels and copies, and who has waited for one knows of it.

/// A job: the line that it is in, and its number there, from 1. Jobs of a line come one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Id {
    pub line: usize,
    pub number: u64,
}

/// The jobs that lie behind somebody: of each line, up to which number.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Known(Vec<u64>);

impl Known {
    /// Whether a job lies behind.
    pub fn has(&self, job: Id) -> bool {
        self.0.get(job.line).is_some_and(|last| *last >= job.number)
    }

    /// A job lies behind, too.
    pub fn add(&mut self, job: Id) {
        if self.0.len() <= job.line {
            self.0.resize(job.line + 1, 0);
        }
        let last = &mut self.0[job.line];
        *last = job.number.max(*last);
    }

    /// All that lies behind another lies behind, too.
    pub fn join(&mut self, other: &Known) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// All lines, with their last jobs.
#[derive(Default)]
pub struct Lines(Vec<u64>);

impl Lines {
    /// A new line for jobs that come one behind the other anyhow, as those of a queue.
    pub fn open(&mut self) -> usize {
        self.0.push(0);
        self.0.len() - 1
    }

    /// The next job of a line.
    pub fn next(&mut self, line: usize) -> Id {
        self.0[line] += 1;
        let number = self.0[line];
        Id { line, number }
    }

    /// A job that comes behind what is known: in a line whose last job it knows, or in a new one.
    pub fn behind(&mut self, lines: &mut Vec<usize>, known: &Known) -> Id {
        let last = |line: usize| Id {
            line,
            number: self.0[line],
        };
        let free = lines.iter().copied().find(|line| known.has(last(*line)));
        let line = free.unwrap_or_else(|| {
            let line = self.open();
            lines.push(line);
            line
        });
        self.next(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_behind_others_share_a_line() {
        let (mut lines, mut own) = (Lines::default(), Vec::new());
        let mut known = Known::default();
        let first = lines.behind(&mut own, &known);
        let beside = lines.behind(&mut own, &known);
        assert_ne!(first.line, beside.line);
        assert!(!known.has(first) && !known.has(beside));
        known.add(first);
        let second = lines.behind(&mut own, &known);
        assert_eq!((second.line, second.number), (first.line, 2));
        assert!(known.has(first) && !known.has(second));
        let mut other = Known::default();
        other.add(beside);
        other.add(second);
        known.join(&other);
        assert!([first, beside, second].iter().all(|job| known.has(*job)));
    }
}
