// Kernels that wait for others, and such as only start and meet, compiled for gfx900:
//   clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx900 -mcode-object-version=5 -O2 -nogpulib \
//       turns.cl -o turns-gfx900.hsaco

#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ITEM __builtin_amdgcn_workitem_id_x()

// Does nothing.
kernel void empty() {}

// Meets `n` times.
kernel void meet(int n) {
    for (int i = 0; i < n; i++) __builtin_amdgcn_s_barrier();
}

// Each group waits for the one after it; the last one does not wait.
kernel void chain(global volatile int *flag, int n) {
    int group = GROUP;
    if (ITEM == 0) {
        if (group < n - 1) while (flag[group + 1] == 0);
        flag[group] = 1;
    }
}

// The same, looking with an atomic that adds 0, which a compiler would make a load.
kernel void chain_add(global int *flag, int n) {
    int group = GROUP;
    if (ITEM == 0) {
        if (group < n - 1) {
            global int *next = flag + group + 1;
            int seen;
            do __asm__ volatile("global_atomic_add %0, %1, %2, off glc\n\ts_waitcnt vmcnt(0)"
                                : "=&v"(seen) : "v"(next), "v"(0));
            while (seen == 0);
        }
        flag[group] = 1;
    }
}

// The same, looking with a comparison that fails until the flag is there.
kernel void chain_swap(global atomic_int *flag, int n) {
    int group = GROUP;
    if (ITEM == 0) {
        if (group < n - 1) {
            int one;
            do one = 1;
            while (!__opencl_atomic_compare_exchange_strong(&flag[group + 1], &one, 2, memory_order_relaxed,
                                                            memory_order_relaxed, memory_scope_device));
        }
        __opencl_atomic_store(&flag[group], 1, memory_order_relaxed, memory_scope_device);
    }
}

// The same with scalar loads.
kernel void chain_scalar(global int *flag, int n) {
    int group = GROUP;
    if (group < n - 1) {
        global int *next = flag + group + 1;
        int seen;
        do __asm__ volatile("s_dcache_inv\n\ts_load_dword %0, %1, 0x0 glc\n\ts_waitcnt lgkmcnt(0)" : "=s"(seen) : "s"(next));
        while (seen == 0);
    }
    if (ITEM == 0) flag[group] = 1;
}

// The same, giving up after many looks.
kernel void chain_counted(global volatile int *flag, int n) {
    int group = GROUP;
    if (ITEM == 0) {
        if (group < n - 1) for (int i = 0; i < 2000000000 && flag[group + 1] == 0; i++);
        flag[group] = 1;
    }
}

// Waves of a group pass a word of LDS on, the last one first.
kernel void relay(global int *out, int waves) {
    local volatile int turn;
    int wave = ITEM / 64;
    if (ITEM == 0) turn = waves;
    __builtin_amdgcn_s_barrier();
    if (ITEM % 64 == 0) {
        while (turn != wave + 1);
        out[wave] = turn;
        turn = wave;
    }
}

// Waits for what never comes.
kernel void hang(global volatile int *flag) {
    while (*flag == 0);
}
