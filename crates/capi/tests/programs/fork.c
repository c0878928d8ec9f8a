/* A child of a fork uses a handle of its parent, which is an error, and then one of its own. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wavetank.h>

int main(void)
{
    wavetank_device *device, *own;
    size_t threads;
    int status = 1;

    if (wavetank_device_create("gfx906", "threads=1", &device) != WAVETANK_OK)
        return 2;
    if (fork() == 0) {
        if (wavetank_device_threads(device, &threads) != WAVETANK_ERROR_HANDLE)
            _exit(3);
        puts(wavetank_last_error());
        fflush(stdout);
        if (wavetank_device_create("gfx906", "threads=1", &own) != WAVETANK_OK)
            _exit(4);
        _exit(wavetank_device_threads(own, &threads) != WAVETANK_OK || threads != 1);
    }
    wait(&status);
    return status != 0 || wavetank_device_free(device) != WAVETANK_OK;
}
