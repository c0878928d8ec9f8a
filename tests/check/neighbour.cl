// Work-items read what those of the next wave have stored, and do not wait for them.
// Launch: --grid 256 --block 256 --arg zero:1024 --arg zero:1024 --arg lds:1024
kernel void rotate_all(global const int *in, global int *out, local int *tile) {
    uint i = get_local_id(0), n = get_local_size(0);
    tile[i] = in[i] + i; //~ race/read-write
#ifndef MISTAKE
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[i] = tile[(i + 64) % n]; //~ init/store
}
