// A forked child does not disturb the parent, and the program's own signal handlers stay its own.
#include "check.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

__global__ void one(int *v) { v[threadIdx.x] = 1; }

static volatile sig_atomic_t signalled = 0;
static void handler(int) { signalled = signalled + 1; }

int main() {
    struct sigaction action = {}, now = {};
    action.sa_handler = handler;
    for (int s : {SIGUSR1, SIGSEGV, SIGINT, SIGALRM}) CHECK(sigaction(s, &action, nullptr) == 0, "sigaction");

    Device<int> v(std::vector<int>(64, 0));
    one<<<1, 64>>>(v);
    HIP(hipDeviceSynchronize());
    pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) _exit(7);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "the child ended with %x",
          status);
    HIP(hipMemset(v, 0, v.bytes()));
    one<<<1, 64>>>(v);
    raise(SIGUSR1);
    HIP(hipDeviceSynchronize());
    for (int e : v.host()) CHECK(e == 1, "after the fork a kernel left %d", e);
    CHECK(signalled == 1, "%d signals were handled", int(signalled));
    for (int s : {SIGUSR1, SIGSEGV, SIGINT, SIGALRM}) {
        CHECK(sigaction(s, nullptr, &now) == 0 && now.sa_handler == handler, "the handler of signal %d was replaced", s);
    }
    return ok("process");
}
