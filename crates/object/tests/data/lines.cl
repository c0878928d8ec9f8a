// Source lines: what is inlined from a file that is included, and an access that a wrong index makes a fault.

#include "lines.h"

__kernel void lines(__global unsigned *out, __global const unsigned *in, unsigned n) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    unsigned sum = 0;
    if (i < n)
        sum = square(in[i]);
    put(out, i, sum);
}
