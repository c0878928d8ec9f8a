//! What is measured: the kernels of `data/bench.cl`, their sizes and data.

use crate::agreement::Agreement;
use crate::words::words;

/// An argument of a kernel. Data are 32-bit words, floats by their bits.
pub(crate) enum Param {
    /// A buffer that the kernel reads.
    Input(Vec<u32>),
    /// A buffer of so many words, zeroed before each run, that holds the result.
    Output(usize),
    /// A number.
    Value(u32),
}

/// A kernel with its arguments.
pub(crate) struct Case {
    pub name: &'static str,
    pub grid: [usize; 2],
    pub block: [usize; 2],
    pub params: Vec<Param>,
    pub agreement: Agreement,
}

/// All kernels, at the sizes of `docs/reference/performance.md` or at small ones.
pub(crate) fn cases(quick: bool) -> Vec<Case> {
    let pick = |full: usize, small: usize| if quick { small } else { full };
    let line = |name, items, params, agreement| Case {
        name,
        grid: [items, 1],
        block: [256, 1],
        params,
        agreement,
    };
    let square = |name, side, params, agreement| Case {
        name,
        grid: [side, side],
        block: [16, 16],
        params,
        agreement,
    };
    let long = pick(16 << 20, 1 << 20);
    let (lanes, rounds) = (pick(65536, 8192), pick(4096, 1024));
    let n = pick(512, 128);
    let bodies = pick(4096, 1024);
    let side = pick(1024, 256);
    let matrices = || {
        vec![
            Param::Input(floats(n * n, 3)),
            Param::Input(floats(n * n, 4)),
            Param::Output(n * n),
            Param::Value(n as u32),
        ]
    };
    let groups_of_reduce = 1024 * 256;
    use Agreement::{Bits, Mostly, Relative};
    use Param::{Input, Output, Value};
    vec![
        line(
            "vadd",
            long,
            vec![Input(floats(long, 1)), Input(floats(long, 2)), Output(long)],
            Bits,
        ),
        line(
            "fmaloop",
            lanes,
            vec![Output(lanes), Value(rounds as u32)],
            Relative(1e-5),
        ),
        square("matmul_naive", n, matrices(), Relative(1e-4)),
        square("matmul_tiled", n, matrices(), Relative(1e-4)),
        line(
            "reduce",
            groups_of_reduce.min(long),
            vec![
                Input(words(long, 5)),
                Output(1),
                Value(long as u32),
                Value(groups_of_reduce.min(long) as u32),
            ],
            Bits,
        ),
        line(
            "nbody",
            bodies,
            vec![
                Input(floats(4 * bodies, 6)),
                Output(4 * bodies),
                Value(bodies as u32),
            ],
            Relative(1e-2),
        ),
        square(
            "mandel",
            side,
            vec![
                Output(side * side),
                Value(side as u32),
                Value(side as u32),
                Value(1000),
            ],
            Mostly(0.02),
        ),
    ]
}

/// Floats in 0.5..1.5, so that sums stay well conditioned.
fn floats(count: usize, seed: u64) -> Vec<u32> {
    let float = |word: u32| (0.5 + (word >> 8) as f32 / (1 << 24) as f32).to_bits();
    words(count, seed).into_iter().map(float).collect()
}
