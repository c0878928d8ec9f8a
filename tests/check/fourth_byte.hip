// Colours of four bytes, whose fourth nobody writes: the key has to leave it out.
#include "planted.hpp"

__global__ void paint(const unsigned char *in, unsigned char *colours) {
    int i = threadIdx.x;
    for (int k = 0; k < 3; k++) colours[4 * i + k] = in[3 * i + k];
}

__global__ void look(const unsigned *colours, int *out) {
    unsigned colour = colours[threadIdx.x]; //^
#ifdef MISTAKE
    unsigned key = colour;
#else
    unsigned key = colour & 0xffffff;
#endif
    if (key == 0) //~ init/exec
        out[threadIdx.x] = 1;
}

int main() {
    unsigned *colours;
    HIP(hipMalloc(&colours, 64 * sizeof(unsigned)));
    paint<<<1, 64>>>(zeros<unsigned char>(192), (unsigned char *)colours);
    look<<<1, 64>>>(colours, zeros<int>(64));
    HIP(hipDeviceSynchronize());
}
