// Kernels for the clients of the HSA interface.

kernel void add(global const int *a, global const int *b, global int *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

// For the order of dispatches: multiply-add does not commute.
kernel void step(global uint *value, uint multiply, uint add) { *value = *value * multiply + add; }

kernel void count(global volatile int *counter) { atomic_inc(counter); }

kernel void empty(void) {}

kernel void shape(global uint *out) {
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[i] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16 | get_work_dim() << 24;
}

kernel void reverse(global int *v, local int *scratch) {
    size_t i = get_local_id(0), n = get_local_size(0);
    scratch[i] = v[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    v[i] = scratch[n - 1 - i];
}

// Writes where it is told, whatever that is.
kernel void poke(ulong address) { *(global int *)address = 1; }

global int factor = 3;
kernel void scale(global int *v) { v[get_global_id(0)] *= factor; }

// Waits until so many work-items have come: kernels of several queues have to run side by side for it.
kernel void meet(global volatile int *counter, int count) {
    atomic_inc(counter);
    while (atomic_add(counter, 0) < count) {}
}

// Says that it has begun, and stores to a place again and again.
kernel void hammer(global volatile int *place, global volatile int *begun) {
    *begun = 1;
    for (;;) *place += 1;
}

// Stores to a signal as device code does: nobody is told.
kernel void store(global volatile long *value, long what) { *value = what; }

// Code of many blocks, each of which is decoded when a wave comes to it.
kernel void wander(global volatile uint *v) {
    size_t i = get_global_id(0), n = get_global_size(0);
    uint x = v[i];
#pragma unroll
    for (int round = 0; round < 40; round++) {
        if (x & 1) v[n + i] = x = 3 * x + 1;
        x /= 2;
    }
    v[i] = x;
}
