// A wrong value of a variable is told, and hsa_init fails; the seed of a random schedule is told at the end.
// Says: WAVETANK_SCHEDULE: `fast` is not a schedule; there are fair, greedy, random and random:SEED
// Says: WAVETANK_THREADS: `0` is not a number of threads; write one from 1 to 1024
// Says: WAVETANK_SIMD: `sse` is not a level of vector instructions; there are avx512, avx2 and baseline
// Says: WAVETANK_LOG: "bogus" is not a level of the log; write info or trace
// Says: the schedule was random:7
#include "check.h"

static void refused(const char *variable, const char *wrong, const char *right) {
    setenv(variable, wrong, 1);
    GIVES(HSA_STATUS_ERROR_OUT_OF_RESOURCES, hsa_init());
    setenv(variable, right, 1);
}

int main(void) {
    refused("WAVETANK_SCHEDULE", "fast", "random:7");
    refused("WAVETANK_THREADS", "0", "1");
    refused("WAVETANK_SIMD", "sse", "baseline");
    refused("WAVETANK_LOG", "bogus", "");
    GIVES(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_iterate_agents(take_agent, NULL));
    HSA(hsa_init());
    HSA(hsa_shut_down());
    puts("ok settings");
    return 0;
}
