// A tile with a halo on one side lies in LDS that has room for none.
// Launch: --grid 128 --block 128 --arg zero:516 --arg zero:512 --arg lds:512
kernel void blur(global const int *in, global int *out, local int *tile) {
    uint i = get_local_id(0);
    tile[i] = in[i];
#ifdef MISTAKE
    if (i == 127) tile[128] = in[128]; //~ memory/lds
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i];
}
