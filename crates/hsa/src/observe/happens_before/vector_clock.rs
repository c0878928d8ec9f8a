//! Vector clocks of jobs, which are kernels and copies. A clock has the jobs that happen before some point.

/// A job: its timeline, and its number there, from 1. The jobs of a timeline happen one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Id {
    pub timeline: usize,
    pub number: u64,
}

/// The jobs that happen before some point: for each timeline, the number of the last one.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct VectorClock(Vec<u64>);

impl VectorClock {
    /// Whether a job is in the clock.
    pub(super) fn has(&self, job: Id) -> bool {
        self.0
            .get(job.timeline)
            .is_some_and(|last| *last >= job.number)
    }

    /// Adds a job and the earlier ones of its timeline.
    pub(super) fn add(&mut self, job: Id) {
        if self.0.len() <= job.timeline {
            self.0.resize(job.timeline + 1, 0);
        }
        let last = &mut self.0[job.timeline];
        *last = job.number.max(*last);
    }

    /// Adds all jobs of another clock.
    pub(super) fn join(&mut self, other: &VectorClock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// All timelines, with the numbers of their last jobs.
#[derive(Default)]
pub(super) struct Timelines(Vec<u64>);

impl Timelines {
    /// Opens a timeline for jobs that are already ordered, like those of a queue.
    pub(super) fn open(&mut self) -> usize {
        self.0.push(0);
        self.0.len() - 1
    }

    /// The next job of a timeline.
    pub(super) fn next(&mut self, timeline: usize) -> Id {
        self.0[timeline] += 1;
        let number = self.0[timeline];
        Id { timeline, number }
    }

    /// Adds a job after all jobs of a clock: to a timeline whose last job is in the clock, or to a new one.
    pub(super) fn after(&mut self, timelines: &mut Vec<usize>, clock: &VectorClock) -> Id {
        let last = |timeline: usize| Id {
            timeline,
            number: self.0[timeline],
        };
        let free = timelines
            .iter()
            .copied()
            .find(|timeline| clock.has(last(*timeline)));
        let timeline = free.unwrap_or_else(|| {
            let timeline = self.open();
            timelines.push(timeline);
            timeline
        });
        self.next(timeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_jobs_share_a_timeline() {
        let (mut timelines, mut own) = (Timelines::default(), Vec::new());
        let mut clock = VectorClock::default();
        let first = timelines.after(&mut own, &clock);
        let beside = timelines.after(&mut own, &clock);
        assert_ne!(first.timeline, beside.timeline);
        assert!(!clock.has(first) && !clock.has(beside));
        clock.add(first);
        let second = timelines.after(&mut own, &clock);
        assert_eq!((second.timeline, second.number), (first.timeline, 2));
        assert!(clock.has(first) && !clock.has(second));
        let mut other = VectorClock::default();
        other.add(beside);
        other.add(second);
        clock.join(&other);
        assert!([first, beside, second].iter().all(|job| clock.has(*job)));
    }
}
