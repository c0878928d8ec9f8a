// The end of the input fills only a part of the last tile, which is looked through as a whole.
// Launch: --grid 256 --block 128 --arg zero:1024 --arg zero:1024 --arg u32:200 --arg lds:512
kernel void find(global const int *in, global int *out, uint n, local int *tile) {
    uint i = get_global_id(0), l = get_local_id(0);
    if (i < n) tile[l] = in[i];
#ifndef MISTAKE
    else tile[l] = 0;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    int found = tile[127 - l]; //^
    if (found > 3) //~ init/exec
        out[i] = 1;
}
