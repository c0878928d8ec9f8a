// A setting that means nothing is an error and a sentence, not a silent default.
// Says: wavetank: WAVETANK_LOG: "bogus" is no level of the log; write info or trace
#include "check.h"

int main(void) {
    setenv("WAVETANK_LOG", "bogus", 1);
    CHECK(hsa_init() != HSA_STATUS_SUCCESS);
    GIVES(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_iterate_agents(take_agent, NULL));
    CHECK(hsa_init() != HSA_STATUS_SUCCESS);
    puts("ok settings");
}
