//! Kernels written for the host by hand: what its vectors of 512 bits and its threads can do with the same data.

use std::error::Error;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::cases::{Case, Param};
use crate::turns::Engine;

#[cfg(target_arch = "x86_64")]
#[path = "vectors.rs"]
mod vectors;

/// Pieces of a run. Each thread takes the next one when it is done, so that a delayed thread does not delay the others.
const PIECES: usize = 32;

/// Lines that a piece is a multiple of, for the kernels that work on several.
const WHOLE: usize = 8;

/// Numbers of a cache line, which a register holds as well.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Line(pub [f32; 16]);

/// What a kernel reads, in the order of its arguments.
#[derive(Default)]
pub(crate) struct Args {
    pub inputs: Vec<Vec<Line>>,
    pub values: Vec<u32>,
}

/// Computes a piece of the output, which starts at that line of it. The processor must have AVX-512.
type Work = unsafe fn(&Args, usize, &mut [Line]);

const KERNELS: &[(&str, Work)] = &[
    #[cfg(target_arch = "x86_64")]
    ("vadd", vectors::vadd),
    #[cfg(target_arch = "x86_64")]
    ("fmaloop", vectors::fmaloop),
    #[cfg(target_arch = "x86_64")]
    ("nbody", vectors::nbody),
];

/// The host with so many threads.
pub(crate) struct Native {
    label: String,
    threads: usize,
}

/// A kernel with its arguments.
pub(crate) struct Ready {
    work: Work,
    args: Args,
    output: Vec<Line>,
}

impl Native {
    /// One thread and two, or none where the processor has no AVX-512.
    pub(crate) fn all() -> Vec<Native> {
        let native = |threads| Native {
            label: format!("native, Avx512, {threads}"),
            threads,
        };
        if has_avx512() {
            vec![native(1), native(2)]
        } else {
            Vec::new()
        }
    }

    fn run(&self, ready: &mut Ready) {
        let Ready { work, args, output } = ready;
        let lines = output.len().div_ceil(PIECES).next_multiple_of(WHOLE);
        let pieces = Mutex::new((0..).step_by(lines).zip(output.chunks_mut(lines)));
        let next = || pieces.lock().expect("taking a piece never panics").next();
        let turn = || {
            while let Some((first, piece)) = next() {
                // SAFETY: without AVX-512 there is no `Native`.
                unsafe { work(args, first, piece) };
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(turn);
            }
            turn();
        });
    }
}

impl Engine for Native {
    type Ready = Ready;

    fn label(&self) -> &str {
        &self.label
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn prepare(&self, case: &Case) -> Result<Option<Ready>, Box<dyn Error>> {
        let Some((_, work)) = KERNELS.iter().find(|(name, _)| *name == case.name) else {
            return Ok(None);
        };
        let mut args = Args::default();
        let mut output = None;
        for param in &case.params {
            match param {
                Param::Input(words) => args.inputs.push(Line::all(words)),
                Param::Output(words) => output = Some(vec![Line::default(); words / 16]),
                Param::Value(value) => args.values.push(*value),
            }
        }
        let output = output.expect("every case has an output");
        let work = *work;
        Ok(Some(Ready { work, args, output }))
    }

    /// Threads are started within it.
    fn time(&self, _: &Case, ready: &mut Ready) -> Result<Duration, Box<dyn Error>> {
        ready.output.fill(Line::default());
        let start = Instant::now();
        self.run(ready);
        Ok(start.elapsed())
    }

    fn result(&self, ready: &Ready) -> Result<Vec<u32>, Box<dyn Error>> {
        let numbers = ready.output.iter().flat_map(|line| line.0);
        Ok(numbers.map(f32::to_bits).collect())
    }
}

impl Line {
    fn all(words: &[u32]) -> Vec<Line> {
        let (lines, rest) = words.as_chunks::<16>();
        assert!(rest.is_empty(), "every case is of whole lines");
        let line = |words: &[u32; 16]| Line(words.map(f32::from_bits));
        lines.iter().map(line).collect()
    }
}

fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
