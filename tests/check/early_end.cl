// Work-items behind the end of the input return, and others wait for them.
// Launch: --grid 128 --block 128 --arg zero:512 --arg zero:512 --arg u32:64 --arg lds:512
kernel void turn(global const int *in, global int *out, uint n, local int *tile) {
    uint i = get_local_id(0);
#ifdef MISTAKE
    if (i >= n) return;
    tile[i] = in[i];
#else
    if (i < n) tile[i] = in[i];
#endif
    barrier(CLK_LOCAL_MEM_FENCE); //~ sync/barrier-after-end
    if (i < n) out[i] = tile[n - 1 - i];
}
