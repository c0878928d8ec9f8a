//! A comparison of the atomics of three vendors, where the same names have different meanings.

use crate::surface_isa::Block;

/// A row: the subject of the comparison, then GCN's buffers, GCN's LDS, SUATOM, TYPED_ATOMIC.
type Row = [&'static str; 5];

const HEADER: Row = [
    "",
    "GCN BUFFER_ATOMIC",
    "GCN DS",
    "NVIDIA SUATOM",
    "Intel TYPED_ATOMIC",
];

/// Sources: the Vega ISA document (12.12, 12.15), the wiki page of GCN's DS instructions, and the reference texts of the other
/// two.
const ROWS: [Row; 11] = [
    [
        "returned",
        "value before, with GLC only",
        "value before, in *_RTN_* only",
        "value before, always (RZ drops it)",
        "value before; predec: the new one; null drops it",
    ],
    [
        "outside",
        "nothing is written, 0 is returned",
        "nothing is written, 0 is returned",
        ".IGN nothing, 0; .NEAR the nearest element; .TRAP stops",
        "nothing is written, 0 is returned",
    ],
    [
        "add, sub",
        "M + D; M - D wrap",
        "M + D; M - D; D - M (RSUB) wrap",
        "M + Rb wraps; .SD32 saturates; no sub",
        "M + s0; M - s0 wrap",
    ],
    [
        "inc",
        "M >= D ? 0 : M + 1",
        "M >= D ? 0 : M + 1",
        "M >= Rb ? 0 : M + 1",
        "M + 1: no limit, no operand",
    ],
    [
        "dec",
        "M == 0 || M > D ? D : M - 1",
        "M == 0 || M > D ? D : M - 1",
        "M == 0 || M > Rb ? Rb : M - 1",
        "M - 1: no limit, no operand; predec the same",
    ],
    ["wrap", "–", "WRAP: M >= D0 ? M - D0 : M + D1", "–", "–"],
    [
        "min, max",
        "SMIN, UMIN, SMAX, UMAX",
        "MIN_I32, MIN_U32, …, F32, F64",
        "MIN, MAX; the size says the sign, F16x2 too",
        "min, max; imin, imax; fmin, fmax",
    ],
    [
        "and, or, xor",
        "the same",
        "the same; MSKOR: M & ~D0 | D1",
        "the same",
        "the same",
    ],
    ["exchange", "SWAP", "WRXCHG", "EXCH", "xchg"],
    [
        "compare and swap",
        "CMPSWAP: DATA[0] is written, DATA[1] compared",
        "CMPST: DATA0 compared, DATA1 written: the opposite",
        "CAS: Rb compared, the register after it written",
        "cmpxchg: src0 written, src1 compared",
    ],
    [
        "compare of floats",
        "FCMPSWAP (gfx6, gfx7): DATA[0] is written, DATA[1] compared",
        "CMPST_F32: DATA0 compared as a number",
        "–",
        "fcmpwr: src0 compared, src1 written: the opposite of cmpxchg",
    ],
];

/// Returns the table as pieces of a page: a paragraph for each subject, a line for each vendor, so that it fits any terminal.
pub(crate) fn side_by_side() -> Vec<Block> {
    let vendors = &HEADER[1..];
    let longest = vendors.iter().map(|v| v.chars().count()).max().unwrap_or(0);
    let paragraph = |[subject, said @ ..]: Row| {
        let lines = vendors.iter().zip(said);
        let lines = lines.map(|(vendor, said)| (format!("  {vendor}"), said.to_owned()));
        [
            Block::text(subject),
            Block::Terms(longest + 3, lines.collect()),
        ]
    };
    ROWS.into_iter().flat_map(paragraph).collect()
}
