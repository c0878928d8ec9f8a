// The last work-item reads the neighbour that it does not have.
// Launch: --grid 256 --block 64 --arg zero:1024 --arg zero:1024
kernel void smooth(global const int *in, global int *out) {
    size_t i = get_global_id(0);
#ifdef MISTAKE
    size_t next = i + 1;
#else
    size_t next = min(i + 1, get_global_size(0) - 1);
#endif
    out[i] = in[i] + in[next]; //~ memory/out-of-bounds
}
