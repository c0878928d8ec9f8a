//! Rules of `race`.

use super::row::Example::Hip;
use super::row::Rule;
use crate::tool::Tool::Race;

const LIMITS: &str = "The two accesses need not collide in this run, but both have to run. Accesses of the processor to pinned or managed memory \
                      are not seen. More order is assumed than there is where too much would have to be kept.";

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Race,
        name: "write-read",
        finds: "A wave reads bytes that another wave has written, and nothing orders the read after the write.",
        why: "In another order of waves the read comes too early and sees the old value.",
        example: Hip(
            "int bin = in[blockIdx.x * blockDim.x + threadIdx.x];\nbins[bin]++; // atomicAdd is meant",
            "tests/check/histogram_global.hip",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Race,
        name: "read-write",
        finds: "A wave writes bytes that another wave has read, and nothing orders the write after the read.",
        why: "In another order of waves the write comes first, and the read sees the new value.",
        example: Hip(
            "for (int half = 256; half > 0; half /= 2) {\n    if (i < half)\n        part[i] += part[i + half];\n    // __syncthreads() is missing\n}",
            "tests/check/reduction.hip",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Race,
        name: "write-write",
        finds: "Two waves write to the same bytes, and nothing orders the writes.",
        why: "Which value stays depends on the order of waves.",
        example: Hip(
            "if (threadIdx.x == 0)\n    counter = 0;\nif (in[threadIdx.x] == 0)\n    atomicAdd(&counter, 1); // __syncthreads() is missing before it",
            "tests/check/counter_not_set.hip",
        ),
        limits: "In global memory two stores are reported only if they store different values, where that can be known.",
    },
    Rule {
        tool: Race,
        name: "same-store",
        finds: "One instruction stores different values to the same bytes in different waves.",
        why: "Which value stays depends on the order of waves. Equal values do no harm, and are not reported.",
        example: Hip(
            "if (threadIdx.x == 0)\n    out[0] = blockIdx.x + 1;",
            "tests/check/last_of_all.hip",
        ),
        limits: "Values in GDS, and in global memory that the observer cannot read, are not compared. An atomic exchange whose result is not \
                 used is a plain store on these chips, and looks like one.",
    },
    Rule {
        tool: Race,
        name: "lanes",
        finds: "Two lanes of one store write different values to the same bytes of global memory, with `--lanes` also of LDS.",
        why: "HIP and OpenCL do not specify which lane wins. On these chips the highest does, on another GPU it may be another.",
        example: Hip("out[i / 2] = in[i];", "tests/check/two_to_one.hip"),
        limits: "It is not reported if the wave uses the place again before the launch ends, as programs do that choose a lane \
                 this way. Atomic stores look like plain ones.",
    },
    Rule {
        tool: Race,
        name: "host-copy",
        finds: "A copy or a fill by the host accesses bytes that a kernel writes, or writes bytes that it reads, without an order \
                between the two.",
        why: "The copy may run before, during or after the kernel.",
        example: Hip(
            "squares<<<16, 256, 0, computing>>>(v);\nhipMemcpyAsync(host, v, size, hipMemcpyDeviceToHost, copying); // hipStreamWaitEvent is missing",
            "tests/check/copy_of_other_stream.hip",
        ),
        limits: "Kernels that may communicate with the host are not reported: those that store to memory which it can access.",
    },
    Rule {
        tool: Race,
        name: "kernels",
        finds: "Two kernels on different queues access the same bytes, one of them writes, and nothing orders them.",
        why: "They may run at the same time, or in either order.",
        example: Hip(
            "make<<<16, 256, 0, first>>>(v);\ntwice<<<16, 256, 0, second>>>(v, out); // hipStreamWaitEvent is missing",
            "tests/check/two_streams.hip",
        ),
        limits: "Streams that a runtime maps to one queue are in order. The last 256 jobs are kept.",
    },
];
