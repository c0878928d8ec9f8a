// Records are copied as a whole, with a field that nobody has set; only who looks at it is wrong.
#include "planted.hpp"

struct Record {
    int key, value, next, spare;
};

__global__ void make(const int *in, Record *records) {
    int i = threadIdx.x;
    records[i].key = in[i];
    records[i].value = in[i] + 1;
#ifndef MISTAKE
    records[i].next = 63 - i;
#endif
}

__global__ void copy(const Record *from, Record *to) {
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void follow(const Record *records, int *out) {
    int next = records[threadIdx.x].next; //^
    out[threadIdx.x] = records[next].value; //~ init/address
}

int main() {
    Record *first, *second;
    HIP(hipMalloc(&first, 64 * sizeof(Record)));
    HIP(hipMalloc(&second, 64 * sizeof(Record)));
    make<<<1, 64>>>(zeros<int>(64), first);
    copy<<<1, 64>>>(first, second);
    follow<<<1, 64>>>(second, zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
