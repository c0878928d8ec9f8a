//! Rules of `sync`.

use super::row::Example::{Assembly, Hip};
use super::row::Rule;
use crate::tool::Tool::Sync;

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Sync,
        name: "different-barriers",
        finds: "Waves of a work-group wait at different barriers.",
        why: "HIP and OpenCL demand that all work-items of a work-group reach each barrier. On a chip the waves go on, one with the data of \
              another phase than the other.",
        example: Hip(
            "if (wave == 0)\n    __syncthreads();\n__syncthreads();",
            "tests/check/one_more_barrier.hip",
        ),
        limits: "Of work-items of one wave, see `barrier-in-some-lanes`.",
    },
    Rule {
        tool: Sync,
        name: "barrier-in-some-lanes",
        finds: "A wave waits at a barrier without some of its work-items, and these access memory after it.",
        why: "HIP and OpenCL demand that all work-items of a work-group reach each barrier. A wave of these chips waits as a whole, so \
              that the program runs; on other GPUs, and with other sizes of waves, it hangs.",
        example: Hip(
            "if (threadIdx.x < 40)\n    __syncthreads();\nout[threadIdx.x] = tile[63 - threadIdx.x];",
            "tests/check/barrier_in_a_branch.hip",
        ),
        limits: "Work-items that return before the barrier are not reported, nor those that access no global memory or LDS after it.",
    },
    Rule {
        tool: Sync,
        name: "barrier-after-end",
        finds: "A wave waits at a barrier that another wave of its work-group does not reach, since it has ended.",
        why: "On these chips waves that have ended count as arrived; on other GPUs the program hangs.",
        example: Hip(
            "if (i >= n)\n    return;\ntile[i] = in[i];\n__syncthreads();",
            "tests/check/early_return.hip",
        ),
        limits: "The worker waves of OpenMP kernels rely on it, and are not reported.",
    },
    Rule {
        tool: Sync,
        name: "cooperative-grid",
        finds: "When time was up (`--timeout`), waves waited in a grid barrier for work-groups that cannot begin.",
        why: "A chip holds a limited number of work-groups at once. A grid barrier needs all of them.",
        example: Assembly(
            "ds_gws_barrier v0 gds        // in more work-groups than the chip holds at once",
        ),
        limits: "It is reported for barriers by GWS. For barriers of a program's own, by atomics, `no-end` is reported.",
    },
    Rule {
        tool: Sync,
        name: "no-end",
        finds: "A launch has not ended when its time was up (`--timeout`), or the program waited for a signal that did not come.",
        why: "The kernel hangs: it spins on a value that no other wave changes, or waits for a queue that waits for it.",
        example: Hip(
            "while (*flag == 0) // no other wave sets it\n    ;",
            "tests/check/flag_of_nobody.hip",
        ),
        limits: "A kernel that is only slow is reported, too: give it more time. Threads that wait in libraries of the system alone are \
                 not seen.",
    },
];
