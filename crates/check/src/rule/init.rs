//! Rules of `init`.

use super::row::Example::{Assembly, Hip};
use super::row::Rule;
use crate::tool::Tool::Init;

const FLOATS: &str = "A sum, difference or product of floats keeps undefined bits in their places, so a use of single bits of it may be \
                      missed. Results of image instructions, and of buffer instructions that convert, count as defined.";

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Init,
        name: "branch",
        finds: "An uninitialized bit determines where a wave goes on: the bound of a loop, or a condition that all lanes share.",
        why: "The kernel takes a path by chance. It may differ from card to card and from run to run.",
        example: Hip(
            "int n = in[256]; // the host has copied 256 elements to `in`\nfor (int k = 0; k < n; k++)\n    out[threadIdx.x] += in[k];",
            "tests/check/bound_of_nobody.hip",
        ),
        limits: FLOATS,
    },
    Rule {
        tool: Init,
        name: "exec",
        finds: "An uninitialized bit determines which lanes go on: a condition that each lane has of its own.",
        why: "Lanes take a path by chance, so the number of results and their values vary.",
        example: Hip(
            "unsigned n = of[threadIdx.x]; // the host has copied half of `of`\nwhile (n > 3)\n    n = next(n);",
            "tests/check/case_of_nobody.hip",
        ),
        limits: "It is reported where EXEC is written; later uses of EXEC are defined.",
    },
    Rule {
        tool: Init,
        name: "address",
        finds: "An uninitialized bit is part of an address of a load, a store or an atomic.",
        why: "The kernel reads or destroys memory by chance: the access may stay within an allocation and go unnoticed.",
        example: Hip(
            "int next[100]; // 99 elements are set\nint place = next[i]; // i is 99\nout[threadIdx.x] = data[place];",
            "tests/check/private_array.hip",
        ),
        limits: "Of the address of an image the descriptor and the first coordinate are checked.",
    },
    Rule {
        tool: Init,
        name: "jump",
        finds: "An uninitialized bit is part of the address of a computed jump or call.",
        why: "The wave goes on anywhere.",
        example: Assembly(
            "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, s9       // s9 was never written\ns_setpc_b64 s[4:5]",
        ),
        limits: "A jump to an address that is loaded from initialized memory is defined, wherever it leads; rule `memory/code` has that.",
    },
    Rule {
        tool: Init,
        name: "index",
        finds: "An uninitialized bit determines which lane `v_readlane` reads, or which register `v_movrel` means.",
        why: "The value comes from a lane or a register by chance.",
        example: Assembly("v_readlane_b32 s4, v0, s9   // s9 was never written"),
        limits: "Indexes of permutations across lanes are not checked as such: a lane that reads an undefined one is undefined.",
    },
    Rule {
        tool: Init,
        name: "read",
        finds: "A load of global memory or LDS has a dword of which no bit is initialized, or is of one dword of global memory of which a \
                byte is not. It is reported only if the rule is named: `--tools \
                init/read`.",
        why: "Programs may load such memory, if they do not use the value: padding of structures, or elements after the last one. \
              Where nothing of the kind is meant, the value is used by chance, and the first load is where it comes from.",
        example: Hip(
            "v[threadIdx.x] += threadIdx.x; // nothing has written `v`",
            "tests/check/read_of_nobody.hip",
        ),
        limits: "Bytes and halves are not reported, nor are registers and scratch, which compilers save before they are set. A load of bits \
                 that an instruction of the launch has stored is reported where they were first loaded.",
    },
    Rule {
        tool: Init,
        name: "store",
        finds: "Uninitialized bits are stored to memory that the host gets: it is copied later, or the launch is the last one.",
        why: "The program continues with numbers by chance. On a card they are often 0, or right from the run before.",
        example: Hip(
            "if (i < n)\n    tile[i] = in[i]; // `else tile[i] = 0` is missing\n// … the sum of all of `tile`\n*out = tile[0];",
            "tests/check/tile_tail.hip",
        ),
        limits: "Copies of structures with padding, and of partly initialized ones, are not reported: bits that are stored as they were \
                 loaded are reported only if none of 64 adjacent bytes is defined.",
    },
];
