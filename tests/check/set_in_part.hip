// Structures with a gap, of which a part is set, are copied whole: through LDS, and to the host, which looks at what is set. To
// add up more than that is a mistake.
#include "planted.hpp"

struct List {
    char count;
    int values[7];
};

__device__ List first(int count) {
    List list;
    list.count = count;
    for (int i = 0; i < count; i++) list.values[i] = i;
    return list;
}

__global__ void lists(List *out, int *sums) {
    __shared__ List shared[64];
    shared[threadIdx.x] = first(threadIdx.x % 7);
    __syncthreads();
    List list = shared[63 - threadIdx.x];
    int sum = 0;
#ifdef MISTAKE
    for (int i = 0; i < 7; i++) sum += list.values[i];
#else
    for (int i = 0; i < list.count; i++) sum += list.values[i];
#endif
    sums[threadIdx.x] = sum; //~ init/store
    out[threadIdx.x] = list;
}

int main() {
    List host[64], *out;
    int totals[64], *sums;
    HIP(hipMalloc(&out, sizeof host));
    HIP(hipMalloc(&sums, sizeof totals));
    lists<<<1, 64>>>(out, sums);
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(totals, sums, sizeof totals, hipMemcpyDeviceToHost));
}
