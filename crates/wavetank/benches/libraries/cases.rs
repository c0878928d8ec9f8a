//! What is measured: launches of the kernels of `data/libraries.cl`, their sizes and data.

use crate::agreement::Agreement;
use crate::numbers::{cubics, floats, roots_of_unity, words};
use crate::{gemm, host};

/// Elements of a tile of `scan_tiles`, `sort_count` and `sort_move`.
const TILE: usize = 4096;
/// Numbers of a transform.
pub(crate) const POINTS: usize = 1024;
/// Work-items of a work-group.
pub(crate) const GROUP: u32 = 256;

/// What a buffer holds before a run. Data are 32-bit words, others by their bits.
pub(crate) enum Contents {
    Words(Vec<u32>),
    /// So many zeros, written once.
    Zeros(usize),
}

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub(crate) enum Param {
    /// The buffer of this number.
    Buffer(usize),
    Value(u32),
}

/// A kernel, on so many work-groups in each direction.
pub(crate) struct Launch {
    pub kernel: &'static str,
    pub groups: [u32; 2],
    pub params: Vec<Param>,
}

/// The unit of the speed.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Flops(f64),
    Elements(f64),
}

/// The library for comparison.
#[derive(Clone, Copy)]
pub(crate) enum Peer {
    /// Nobody.
    None,
    /// `cblas_sgemm` of matrices with so many rows.
    Sgemm(usize),
    /// `cblas_dgemm`.
    Dgemm(usize),
    /// What computes the expected result.
    Host,
}

/// Plain code of the host on one thread. What the vector held is replaced; its memory is used again.
pub(crate) type Plain = dyn Fn(&mut Vec<u32>);

/// Launches that come one after another, and what they have to make of their data.
pub(crate) struct Case {
    pub name: &'static str,
    pub buffers: Vec<Contents>,
    pub launches: Vec<Launch>,
    /// The buffer that holds the result. It is zeroed before each run.
    pub output: usize,
    pub work: Work,
    pub expected: Box<Plain>,
    pub agreement: Agreement,
    pub peer: Peer,
}

/// Makes a case, of full size or small.
type Make = fn(&'static str, bool) -> Case;

/// All cases by name.
pub(crate) const ALL: &[(&str, Make)] = &[
    ("gemm_f32", gemm::case::<f32>),
    ("gemm_f64", gemm::case::<f64>),
    ("gemm_f16", gemm::case::<half::f16>),
    ("fft", fft),
    ("sort", sort),
    ("scan", scan),
    ("random", random),
    ("bisection", bisection),
];

impl Launch {
    pub(crate) fn new(kernel: &'static str, groups: [usize; 2], params: Vec<Param>) -> Launch {
        Launch {
            kernel,
            groups: groups.map(|n| n as u32),
            params,
        }
    }
}

fn fft(name: &'static str, quick: bool) -> Case {
    use Param::Buffer;
    let batch = if quick { 128 } else { 4096 };
    let data = floats(2 * POINTS * batch, 1);
    let roots = roots_of_unity(POINTS);
    let bits = |data: &[f32]| Contents::Words(data.iter().map(|x| x.to_bits()).collect());
    let params = vec![Buffer(0), Buffer(1), Buffer(2)];
    Case {
        name,
        buffers: vec![bits(&data), Contents::Zeros(data.len()), bits(&roots)],
        launches: vec![Launch::new("fft", [batch, 1], params)],
        output: 1,
        work: Work::Flops((batch * 5 * POINTS * POINTS.ilog2() as usize) as f64),
        expected: Box::new(move |out| host::transforms(&data, &roots, out)),
        agreement: Agreement::Relative(1e-5),
        peer: Peer::Host,
    }
}

/// Four passes of eight bits. The keys are only read, so that every run finds them as they were.
fn sort(name: &'static str, quick: bool) -> Case {
    use Param::{Buffer, Value};
    let keys = words(if quick { 64 << 10 } else { 1 << 20 }, 2);
    let tiles = keys.len() / TILE;
    let counts = 256 * tiles;
    let (counted, ends, totals) = (3, 4, 5);
    let mut launches = Vec::new();
    for (shift, from, to) in [(0, 0, 1), (8, 1, 2), (16, 2, 1), (24, 1, 2)] {
        let numbers = [Value(shift), Value(tiles as u32)];
        let count = [&[Buffer(from), Buffer(counted)][..], &numbers].concat();
        let place = [&[Buffer(from), Buffer(to), Buffer(ends)][..], &numbers].concat();
        launches.push(Launch::new("sort_count", [tiles, 1], count));
        launches.extend(scans(counts, [counted, ends, totals]));
        launches.push(Launch::new("sort_move", [tiles, 1], place));
    }
    let zeros = |words| Contents::Zeros(words);
    Case {
        name,
        buffers: vec![
            Contents::Words(keys.clone()),
            zeros(keys.len()),
            zeros(keys.len()),
            zeros(counts),
            zeros(counts),
            zeros(TILE),
            zeros(TILE),
            zeros(1),
        ],
        launches,
        output: 2,
        work: Work::Elements(keys.len() as f64),
        expected: Box::new(move |out| host::sort(&keys, out)),
        agreement: Agreement::Bits,
        peer: Peer::Host,
    }
}

fn scan(name: &'static str, quick: bool) -> Case {
    let data = words(if quick { 1 << 20 } else { 16 << 20 }, 3);
    Case {
        name,
        buffers: vec![
            Contents::Words(data.clone()),
            Contents::Zeros(data.len()),
            Contents::Zeros(TILE),
            Contents::Zeros(TILE),
            Contents::Zeros(1),
        ],
        launches: scans(data.len(), [0, 1, 2]).into(),
        output: 1,
        work: Work::Elements(data.len() as f64),
        expected: Box::new(move |out| host::sums(&data, out)),
        agreement: Agreement::Bits,
        peer: Peer::Host,
    }
}

/// Sums up to each of so many elements: within tiles; over the sums of tiles, which fill one tile at most; and these added.
/// After the buffer of totals stand one for the sums over them, and one for the sum of all.
fn scans(elements: usize, [from, to, totals]: [usize; 3]) -> [Launch; 3] {
    use Param::Buffer;
    let tiles = elements / TILE;
    let (summed, all) = (totals + 1, totals + 2);
    let within = vec![Buffer(from), Buffer(to), Buffer(totals)];
    let over = vec![Buffer(totals), Buffer(summed), Buffer(all)];
    [
        Launch::new("scan_tiles", [tiles, 1], within),
        Launch::new("scan_tiles", [1, 1], over),
        Launch::new("scan_add", [tiles, 1], vec![Buffer(to), Buffer(summed)]),
    ]
}

fn random(name: &'static str, quick: bool) -> Case {
    use Param::{Buffer, Value};
    let (items, blocks) = (if quick { 8192 } else { 65536 }, 32);
    let seed = 0x5eed;
    let words = 4 * items * blocks;
    let groups = items / GROUP as usize;
    let numbers = [seed, blocks as u32, items as u32].map(Value);
    Case {
        name,
        buffers: vec![Contents::Zeros(words)],
        launches: vec![Launch::new(
            "random",
            [groups, 1],
            [&[Buffer(0)][..], &numbers].concat(),
        )],
        output: 0,
        work: Work::Elements(words as f64),
        expected: Box::new(move |out| host::philox(seed, blocks as u32, items as u32, out)),
        agreement: Agreement::Bits,
        peer: Peer::Host,
    }
}

fn bisection(name: &'static str, quick: bool) -> Case {
    use Param::{Buffer, Value};
    let count = if quick { 64 } else { 1024 };
    let roots = count * GROUP as usize;
    let cubics = cubics(roots, 4);
    let bits: Vec<f64> = cubics.iter().flatten().copied().collect();
    Case {
        name,
        buffers: vec![
            Contents::Words(bytemuck::cast_slice(&bits).to_vec()),
            Contents::Zeros(2 * roots),
        ],
        launches: vec![Launch::new(
            "bisection",
            [1, 1],
            vec![Buffer(0), Buffer(1), Value(count as u32)],
        )],
        output: 1,
        work: Work::Elements(roots as f64),
        expected: Box::new(move |out| host::roots(&cubics, out)),
        agreement: Agreement::Bits,
        peer: Peer::Host,
    }
}
