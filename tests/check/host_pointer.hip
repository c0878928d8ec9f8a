// A structure is copied to the device with a pointer to memory of the host in it.
#include "planted.hpp"

struct List {
    int count;
    int *values;
};

__global__ void sum(const List *list, int *out) {
    int sum = 0;
    for (int i = 0; i < list->count; i++) sum += list->values[i]; //~ memory/out-of-bounds
    *out = sum;
}

int main() {
    static int of_host[16];
    List list = {16, of_host};
#ifndef MISTAKE
    list.values = zeros<int>(16);
#endif
    List *on_device = zeros<List>(1);
    HIP(hipMemcpy(on_device, &list, sizeof list, hipMemcpyHostToDevice));
    sum<<<1, 1>>>(on_device, zeros<int>(1));
    HIP(hipDeviceSynchronize());
}
