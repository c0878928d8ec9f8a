// The program waits for a signal that nobody completes.
// Options: --timeout 5
#include "planted.hpp"

#include <dlfcn.h>

int main() {
    int *memory = zeros<int>(1);
    auto create = (int (*)(int64_t, uint32_t, const void *, uint64_t *))dlsym(RTLD_DEFAULT, "hsa_signal_create");
    auto wait = (int64_t(*)(uint64_t, int, int64_t, uint64_t, int))dlsym(RTLD_DEFAULT, "hsa_signal_wait_scacquire");
#ifdef MISTAKE
    const int64_t first = 1;
#else
    const int64_t first = 0;
#endif
    uint64_t signal;
    if (create(first, 0, nullptr, &signal) != 0)
        return 9;
    // Until it is below 1.
    int64_t value = wait(signal, 2, 1, UINT64_MAX, 0); //~ sync/no-end
    HIP(hipFree(memory));
    return value == 0 ? 0 : 9;
}
