static unsigned square(unsigned x) {
    return x * x;
}

static void store(__global unsigned *to, unsigned value) {
    *to = value;
}

static void put(__global unsigned *out, unsigned i, unsigned value) {
    store(out + i,
          value + 1);
}

static void check(int holds) {
    if (!holds)
        __builtin_trap();
}
