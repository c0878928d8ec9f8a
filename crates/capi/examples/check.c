/* Runs a kernel with tools, and prints what they find: here a data race on the LDS, between two waves.
 *
 * cc check.c -o check $(pkg-config --cflags --libs wavetank) && ./check
 */
#include <stdio.h>
#include <stdlib.h>
#include <wavetank.h>

/* Each work-item writes its number, and reads that of its neighbour: between them a barrier is missing. */
static const char source[] =
    "rotate:\n"
    "    s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
    "    v_lshlrev_b32 v1, 2, v0\n"
    "    ds_write_b32 v1, v0\n"
    "    s_waitcnt lgkmcnt(0)\n"
    "    v_add_u32 v2, 4, v1\n"
    "    v_and_b32 v2, 0x1fc, v2\n"
    "    ds_read_b32 v3, v2\n"
    "    s_waitcnt lgkmcnt(0)\n"
    "    global_store_dword v1, v3, s[4:5]\n"
    "    s_endpgm\n";

/* Ends the program after an error. */
static void check(wavetank_status status)
{
    if (status != WAVETANK_OK) {
        fprintf(stderr, "%s: %s\n", wavetank_status_name(status), wavetank_last_error());
        exit(2);
    }
}

int main(void)
{
    wavetank_device *device;
    wavetank_assembly *assembly;
    wavetank_module *module;
    wavetank_kernel *kernel;
    wavetank_buffer *buffer;
    wavetank_launch *launch;
    wavetank_findings *findings;
    wavetank_finding finding;
    size_t count, i;

    check(wavetank_device_create("gfx906", NULL, &device));
    check(wavetank_assemble(source, NULL, "kernel=rotate(global u32* out)", &assembly));
    check(wavetank_module_load_assembly(device, assembly, &module));
    check(wavetank_module_kernel(module, "rotate", &kernel));
    check(wavetank_buffer_create(device, 128 * sizeof(uint32_t), &buffer));
    check(wavetank_launch_create(kernel, &launch));
    check(wavetank_launch_set_buffer(launch, 0, buffer));
    check(wavetank_launch_set_grid(launch, 128, 1, 1));
    check(wavetank_launch_set_block(launch, 128, 1, 1));
    check(wavetank_launch_set_dynamic_lds(launch, 128 * sizeof(uint32_t)));
    check(wavetank_launch_check(launch, NULL, &findings));

    check(wavetank_findings_count(findings, &count));
    for (i = 0; i < count; i++) {
        check(wavetank_findings_get(findings, i, &finding, sizeof finding));
        printf("%s\n\n", finding.text);
    }
    printf("%u findings\n", (unsigned)count);

    wavetank_findings_free(findings);
    wavetank_launch_free(launch);
    wavetank_buffer_free(buffer);
    wavetank_kernel_free(kernel);
    wavetank_module_free(module);
    wavetank_assembly_free(assembly);
    wavetank_device_free(device);
    return count != 0;
}
