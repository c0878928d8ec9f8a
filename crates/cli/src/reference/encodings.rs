//! The encodings of GCN and CDNA that instructions are at home in, each with a few words.

use wavetank_gcn::Form::{self, *};

/// The encodings in the order of the manual, with the purpose of each (Vega ISA, 13).
pub(super) const ENCODINGS: [(Form, &str); 21] = [
    (Sop1, "Scalar ALU, one source; jumps by registers"),
    (Sop2, "Scalar ALU, two sources"),
    (Sopk, "Scalar ALU with a 16-bit constant"),
    (Sopc, "Scalar comparisons, which set SCC"),
    (Sopp, "Branches, waits, messages, the end of a program"),
    (Smem, "Scalar loads, stores and atomics; SMRD before gfx8"),
    (Vop1, "Vector ALU, one source"),
    (Vop2, "Vector ALU, two sources"),
    (Vopc, "Vector comparisons, which set a mask of lanes"),
    (Vop3, "Vector ALU, up to three sources, with modifiers"),
    (
        Vop3p,
        "Vector ALU on pairs of 16 bits, mixed precision, dot products",
    ),
    (
        Mai,
        "Matrix instructions, and moves to and from accumulation registers",
    ),
    (Vintrp, "Interpolation of attributes"),
    (Ds, "Local and global data share (LDS, GDS)"),
    (Mubuf, "Buffers by a descriptor"),
    (
        Mtbuf,
        "Buffers by a descriptor, with the format in the instruction",
    ),
    (Mimg, "Images: loads, stores, samples, atomics"),
    (Flat, "Memory by flat addresses: global, scratch or LDS"),
    (Global, "Global memory by 64-bit addresses"),
    (Scratch, "Scratch memory of a lane"),
    (Exp, "Exports to render targets and between stages"),
];
