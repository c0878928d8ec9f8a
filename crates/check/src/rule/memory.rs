//! Rules of `memory`.

use super::row::Example::{Assembly, Hip};
use super::row::Rule;
use crate::tool::Tool::Memory;

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Memory,
        name: "out-of-bounds",
        finds: "A kernel accesses memory outside of every allocation: past the end by a byte, or before the start.",
        why: "A chip maps whole pages, so such an access often hits another variable or nothing at all. The program works until \
              sizes or the allocator change; then it computes wrong numbers, or the driver ends it.",
        example: Hip(
            "__global__ void fill(int *out, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i <= n) // < is meant\n        out[i] = i;\n}",
            "tests/check/off_by_one.hip",
        ),
        limits: "An access that hits another live allocation, or another variable of the same one, is not seen.",
    },
    Rule {
        tool: Memory,
        name: "after-free",
        finds: "A kernel accesses an allocation that was freed, before the kernel began or while it ran.",
        why: "The addresses may belong to another allocation by then, whose contents the kernel reads or destroys.",
        example: Hip(
            "hipFree(v);\nscale<<<2, 128>>>(v, 2);",
            "tests/check/after_free.hip",
        ),
        limits: "Freed memory is recognized until its addresses are used again: after 2 GiB of other allocations have been freed, or \
                 some thousand others. Then the access is reported as out of bounds, or not at all.",
    },
    Rule {
        tool: Memory,
        name: "read-only",
        finds: "A kernel stores to memory that kernels may only read, for example to code.",
        why: "A chip takes a page fault, and the driver ends the program.",
        example: Hip(
            "out = (int *)pointer_to_function;\nout[threadIdx.x] = value;",
            "tests/check/write_to_code.hip",
        ),
        limits: "Which memory kernels may only read is known for code, and for memory of the host that is mapped read-only.",
    },
    Rule {
        tool: Memory,
        name: "misaligned",
        finds: "An atomic accesses memory at an address that is not a multiple of its size; on gfx6, any access of dwords does.",
        why: "A chip ignores the low bits of the address or takes a fault: the atomic changes another value than the program means.",
        example: Hip(
            "auto total = (unsigned long long *)(words + 1); // words is unsigned *\natomicAdd(total, 1ull);",
            "tests/check/misaligned_atomic.hip",
        ),
        limits: "LDS is not checked: its atomics ignore the low bits of addresses by specification.",
    },
    Rule {
        tool: Memory,
        name: "lds",
        finds: "A kernel accesses LDS beyond the size that its work-group has.",
        why: "Loads give 0 and stores are dropped, without a fault: the kernel computes with zeros.",
        example: Hip(
            "extern __shared__ float tile[]; // launched with 128 floats\nout[i] = tile[i] + tile[i + 1] + tile[i + 2];",
            "tests/check/lds_beyond.hip",
        ),
        limits: "An access to another variable within the LDS of the work-group is not seen.",
    },
    Rule {
        tool: Memory,
        name: "scratch",
        finds: "A work-item accesses private memory below the start of its scratch.",
        why: "On a chip the access reaches private memory of another work-item, or a page that is not mapped.",
        example: Assembly("scratch_store_dword v0, v1, off   // v0 is -4"),
        limits: "An access to another variable in the scratch of the same work-item is not seen.",
    },
    Rule {
        tool: Memory,
        name: "stack-overflow",
        finds: "A work-item accesses private memory beyond the end of its scratch, for example in a deep recursion.",
        why: "On a chip a stack that overflows writes to the scratch of the next wave.",
        example: Hip(
            "int seen[512];\nseen[at[threadIdx.x]] = 7; // an index of 100000",
            "tests/check/stack_beyond.hip",
        ),
        limits: "The depth of a recursion is known while it runs only; `--stack BYTES` gives kernels more.",
    },
    Rule {
        tool: Memory,
        name: "surface",
        finds: "A kernel of another instruction set accesses a surface outside of its sides.",
        why: "What such an access does depends on the clamping of the surface; most programs do not mean it.",
        example: Assembly(
            "SUATOM.D.2D.ADD.TRAP R10, [R2], R4, R1   // (x, y) in R2 and R3 is outside",
        ),
        limits: "Only surfaces that trap report it: others clamp or ignore the access, as they are asked to.",
    },
    Rule {
        tool: Memory,
        name: "descriptor",
        finds: "A kernel accesses memory through a buffer descriptor whose base address is in no allocation.",
        why: "The descriptor was made from a wrong pointer or from registers that hold something else.",
        example: Assembly(
            "s_mov_b32 s4, 0                          // the base should be an argument\ns_mov_b32 s5, 0\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0x27000\nbuffer_load_dword v1, v0, s[4:7], 0 offen",
        ),
        limits: "An access out of the range that the descriptor names reads 0, as on a chip, and is not a mistake.",
    },
    Rule {
        tool: Memory,
        name: "code",
        finds: "A wave jumps to an address without code of the program, for example by a call of a null function pointer.",
        why: "A chip executes whatever is there, or takes a fault.",
        example: Hip(
            "__device__ Step steps[2]; // steps[1] is never set\nout[threadIdx.x] = steps[1](threadIdx.x);",
            "tests/check/null_function.hip",
        ),
        limits: "A jump into the middle of another function is code, and is not reported.",
    },
    Rule {
        tool: Memory,
        name: "leak",
        finds: "The program allocates memory and never frees it. It is reported with `--leaks` only.",
        why: "A long-running program that repeats the call runs out of memory.",
        example: Hip(
            "for (int round = 0; round < 3; round++) {\n    hipMalloc(&out, size);\n    fill<<<1, 64>>>(out);\n} // hipFree(out) is missing",
            "tests/check/leak.hip",
        ),
        limits: "Only allocations by API functions that are called from outside of runtimes count. Pools keep freed memory, so \
                 leaks within them are not seen.",
    },
];
