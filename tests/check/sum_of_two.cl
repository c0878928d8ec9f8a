// Two work-groups store their sums to the same place.
// Launch: --grid 256 --block 64 --arg iota:u32:256 --arg zero:16
kernel void sum(global const uint *in, global uint *out) {
    uint group = get_group_id(0);
    uint sum = work_group_reduce_add(in[get_global_id(0)]);
#ifdef MISTAKE
    uint place = group / 2;
#else
    uint place = group;
#endif
    if (get_local_id(0) == 0) out[place] = sum; //~ race/same-store
}
