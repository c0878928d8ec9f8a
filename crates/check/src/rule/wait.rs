//! Rules of `wait`.

use super::row::Example::Assembly;
use super::row::Rule;
use crate::tool::Tool::Wait;

const LIMITS: &str = "Code is followed along all paths whose branches on scalar registers do not contradict each other, without running it. \
                      Registers that M0 chooses are not seen, nor code that is reached through addresses in memory only. After a call of unknown code \
                      nothing counts as in flight.";

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Wait,
        name: "read-before-load",
        finds: "An instruction reads a register while a load, an atomic or a message into it is in flight; or it reads LDS while the \
                load to LDS is in flight that is the first to fill it.",
        why: "The chip does not wait by itself: the instruction gets the old contents of the register, whenever memory is slow enough.",
        example: Assembly(
            "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_add_u32 s6, s5, 1          // s_waitcnt lgkmcnt(0) is missing",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Wait,
        name: "write-before-load",
        finds: "An instruction writes a register while a load into it is in flight.",
        why: "The load may complete later and overwrite the new value.",
        example: Assembly(
            "s_load_dword s4, s[0:1], 0x0\ns_mov_b32 s4, 0              // s_waitcnt lgkmcnt(0) is missing",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Wait,
        name: "write-before-store",
        finds: "An instruction writes a register, or EXEC, while a store to GDS, an export, or on gfx6 any store may still read it.",
        why: "The new value may be stored instead of the old one.",
        example: Assembly(
            "exp mrt0 v0, v0, v0, v0 done vm\nv_mov_b32 v0, 0              // s_waitcnt expcnt(0) is missing",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Wait,
        name: "barrier-before-write",
        finds: "A wave reaches `s_barrier` while its store to LDS is in flight, and LDS is used after it.",
        why: "A barrier orders waves, not memory: another wave may read LDS before the store is done.",
        example: Assembly(
            "ds_write_b32 v0, v1\ns_barrier                    // s_waitcnt lgkmcnt(0) is missing before it\nds_read_b32 v2, v3\ns_waitcnt lgkmcnt(0)",
        ),
        limits: "Work-groups that can have a single wave only need no wait. Stores to global memory may be in flight: waves of a \
                 work-group share a cache that processes requests in order.",
    },
    Rule {
        tool: Wait,
        name: "barrier-before-read",
        finds: "A wave reaches `s_barrier` while its read of LDS is in flight, and LDS is written after it.",
        why: "Another wave may overwrite the value before it is read.",
        example: Assembly(
            "ds_read_b32 v2, v0\ns_barrier                    // s_waitcnt lgkmcnt(0) is missing before it\nds_write_b32 v0, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2",
        ),
        limits: "Work-groups that can have a single wave only need no wait, nor does a read whose result is not used.",
    },
];
