// Source lines: what is inlined from a file that is included, an access that a short buffer makes a fault, and a trap.

#include "lines.h"

__kernel void lines(__global unsigned *out, __global const unsigned *in, unsigned n) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    unsigned sum = 0;
    if (i < n)
        sum = square(in[i]);
    put(out, i, sum);
}

__kernel void checked(__global unsigned *out, unsigned n) {
    check(n < 10);
    put(out, 0, n);
}
