/* Steps a wave, and prints each instruction with the scalar and vector registers that it changed.
 *
 * cc trace.c -o trace $(pkg-config --cflags --libs wavetank) && ./trace
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetank.h>

enum { SCALARS = 16, VECTORS = 4 };

static const char source[] =
    "    s_mov_b32 s0, 3\n"
    "loop:\n"
    "    v_add_u32 v1, v1, v0\n"
    "    s_sub_u32 s0, s0, 1\n"
    "    s_cmp_lg_u32 s0, 0\n"
    "    s_cbranch_scc1 loop\n"
    "    s_endpgm\n";

/* The first registers of a wave. */
struct state {
    uint64_t scalar[SCALARS];
    uint32_t vector[VECTORS][WAVETANK_LANES];
};

/* Ends the program after an error. */
static void check(wavetank_status status)
{
    if (status != WAVETANK_OK) {
        fprintf(stderr, "%s: %s\n", wavetank_status_name(status), wavetank_last_error());
        exit(1);
    }
}

static void read_state(wavetank_wave *wave, struct state *state)
{
    uint32_t n;

    for (n = 0; n < SCALARS; n++)
        check(wavetank_wave_get(wave, n, &state->scalar[n]));
    for (n = 0; n < VECTORS; n++)
        check(wavetank_wave_get_vector(wave, n, state->vector[n]));
}

static void print_changes(const struct state *before, const struct state *after)
{
    int n;

    for (n = 0; n < SCALARS; n++)
        if (before->scalar[n] != after->scalar[n])
            printf("  s%d=%llu", n, (unsigned long long)after->scalar[n]);
    for (n = 0; n < VECTORS; n++)
        if (memcmp(before->vector[n], after->vector[n], sizeof before->vector[n]) != 0)
            printf("  v%d=%u,%u,%u..%u", n, (unsigned)after->vector[n][0],
                   (unsigned)after->vector[n][1], (unsigned)after->vector[n][2],
                   (unsigned)after->vector[n][63]);
}

int main(void)
{
    static struct state before, after;
    wavetank_device *device;
    wavetank_assembly *assembly;
    wavetank_wave *wave;
    const void *code;
    size_t size;
    uint64_t pc;
    char text[80];
    uint32_t lanes[WAVETANK_LANES], lane;
    int32_t has_ended = 0;

    check(wavetank_device_create("gfx906", NULL, &device));
    check(wavetank_assemble(source, "gfx906", NULL, &assembly));
    check(wavetank_assembly_code(assembly, &code, &size));
    check(wavetank_wave_create(device, code, size, 0, &wave));
    for (lane = 0; lane < WAVETANK_LANES; lane++)
        lanes[lane] = lane;
    check(wavetank_wave_set_vector(wave, 0, lanes));

    while (!has_ended) {
        read_state(wave, &before);
        check(wavetank_wave_get(wave, WAVETANK_REGISTER_PC, &pc));
        check(wavetank_wave_next(wave, text, sizeof text, NULL));
        check(wavetank_wave_step(wave, &has_ended));
        read_state(wave, &after);
        printf("%#06llx  %-30s", (unsigned long long)pc, text);
        print_changes(&before, &after);
        putchar('\n');
    }
    wavetank_wave_free(wave);
    wavetank_assembly_free(assembly);
    wavetank_device_free(device);
    return 0;
}
