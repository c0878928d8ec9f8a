/* Runs a kernel on buffers: assembles it, launches it, and compares the result with C.
 *
 * cc saxpy.c -o saxpy $(pkg-config --cflags --libs wavetank) && ./saxpy
 */
#include <stdio.h>
#include <stdlib.h>
#include <wavetank.h>

enum { N = 1000 };

static const char source[] =
    "saxpy:\n"
    "    s_load_dwordx4 s[4:7], s[0:1], 0x0   // y, x\n"
    "    s_load_dwordx2 s[8:9], s[0:1], 0x10  // a, n\n"
    "    v_lshl_add_u32 v0, s2, 6, v0         // the work-item in the grid\n"
    "    s_waitcnt lgkmcnt(0)\n"
    "    v_cmp_gt_u32 vcc, s9, v0\n"
    "    s_and_saveexec_b64 s[10:11], vcc\n"
    "    s_cbranch_execz done\n"
    "    v_lshlrev_b32 v0, 2, v0\n"
    "    global_load_dword v1, v0, s[6:7]\n"
    "    global_load_dword v2, v0, s[4:5]\n"
    "    s_waitcnt vmcnt(0)\n"
    "    v_mac_f32 v2, s8, v1\n"
    "    global_store_dword v0, v2, s[4:5]\n"
    "done:\n"
    "    s_endpgm\n";

/* Ends the program after an error. */
static void check(wavetank_status status)
{
    if (status != WAVETANK_OK) {
        fprintf(stderr, "%s: %s\n", wavetank_status_name(status), wavetank_last_error());
        exit(1);
    }
}

int main(void)
{
    static float x[N], y[N], result[N];
    wavetank_device *device;
    wavetank_assembly *assembly;
    wavetank_module *module;
    wavetank_kernel *kernel;
    wavetank_buffer *buffer_x, *buffer_y;
    wavetank_launch *launch;
    wavetank_report report;
    int i, wrong = 0;

    for (i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    check(wavetank_device_create("gfx906", NULL, &device));
    check(wavetank_assemble(source, NULL, "kernel=saxpy(global f32* y, global f32* x, f32 a, u32 n)",
                            &assembly));
    check(wavetank_module_load_assembly(device, assembly, &module));
    check(wavetank_module_kernel(module, "saxpy", &kernel));

    check(wavetank_buffer_create(device, sizeof x, &buffer_x));
    check(wavetank_buffer_create(device, sizeof y, &buffer_y));
    check(wavetank_buffer_write(buffer_x, 0, x, sizeof x));
    check(wavetank_buffer_write(buffer_y, 0, y, sizeof y));

    check(wavetank_launch_create(kernel, &launch));
    check(wavetank_launch_set_buffer(launch, 0, buffer_y));
    check(wavetank_launch_set_buffer(launch, 1, buffer_x));
    check(wavetank_launch_set_f32(launch, 2, 2.0f));
    check(wavetank_launch_set_u32(launch, 3, N));
    check(wavetank_launch_set_grid(launch, N, 1, 1));
    check(wavetank_launch_set_block(launch, 64, 1, 1));
    check(wavetank_launch_set_counting(launch, 1));
    check(wavetank_launch_run(launch, &report, sizeof report));

    check(wavetank_buffer_read(buffer_y, 0, result, sizeof result));
    for (i = 0; i < N; i++)
        wrong += result[i] != 2.0f * x[i] + y[i];
    printf("%d of %d elements are wrong; %llu waves, %llu instructions\n", wrong, N,
           (unsigned long long)report.waves, (unsigned long long)report.instructions);

    wavetank_launch_free(launch);
    wavetank_buffer_free(buffer_x);
    wavetank_buffer_free(buffer_y);
    wavetank_kernel_free(kernel);
    wavetank_module_free(module);
    wavetank_assembly_free(assembly);
    wavetank_device_free(device);
    return wrong != 0;
}
