// rocRAND's host interface: every generator, every distribution; Sobol's sequence number by number.
// Links: -lrocrand
#include "../hip/check.hpp"

#include <rocrand/rocrand.h>

#define RAND(call)                                                                                     \
    do {                                                                                               \
        int status_ = int(call);                                                                       \
        if (status_ != ROCRAND_STATUS_SUCCESS) fail("%s:%d: %s: status %d", __FILE__, __LINE__, #call, status_); \
    } while (0)

struct Kind {
    rocrand_rng_type type;
    const char *name;
    bool quasi, wide;
};

static const Kind KINDS[] = {
    {ROCRAND_RNG_PSEUDO_XORWOW, "XORWOW", false, false},
    {ROCRAND_RNG_PSEUDO_MRG32K3A, "MRG32k3a", false, false},
    {ROCRAND_RNG_PSEUDO_MTGP32, "MTGP32", false, false},
    {ROCRAND_RNG_PSEUDO_PHILOX4_32_10, "Philox 4x32-10", false, false},
    {ROCRAND_RNG_QUASI_SOBOL32, "Sobol 32", true, false},
    {ROCRAND_RNG_QUASI_SOBOL64, "Sobol 64", true, true},
};

constexpr size_t N = 1 << 14;

// The moments of `values` against those of their distribution, within six standard deviations of a sample of N.
template <class T> static void moments(const char *generator, const char *distribution, const std::vector<T> &values,
                                       double mean, double variance) {
    double sum = 0, squares = 0;
    for (T v : values) sum += double(v), squares += (double(v) - mean) * (double(v) - mean);
    double m = sum / values.size(), s = squares / values.size();
    CHECK(std::fabs(m - mean) < 6 * std::sqrt(variance / values.size()), "%s, %s: the mean is %g, not %g", generator,
          distribution, m, mean);
    CHECK(std::fabs(s / variance - 1) < 0.15, "%s, %s: the variance is %g, not %g", generator, distribution, s, variance);
}

static rocrand_generator create(const Kind &kind, unsigned long long seed) {
    rocrand_generator generator;
    RAND(rocrand_create_generator(&generator, kind.type));
    if (!kind.quasi) RAND(rocrand_set_seed(generator, seed));
    return generator;
}

static std::vector<unsigned> words(const Kind &kind, unsigned long long seed) {
    rocrand_generator generator = create(kind, seed);
    Device<unsigned> out(N);
    RAND(rocrand_generate(generator, out, N));
    RAND(rocrand_destroy_generator(generator));
    return out.host();
}

static void check_floats(const Kind &kind, rocrand_generator generator) {
    Device<float> floats(N);
    RAND(rocrand_generate_uniform(generator, floats, N));
    auto uniform = floats.host();
    for (float v : uniform) CHECK(v > 0 && v <= 1, "%s: %g is not in (0, 1]", kind.name, v);
    moments(kind.name, "uniform", uniform, 0.5, 1.0 / 12);
    RAND(rocrand_generate_normal(generator, floats, N, 10.0f, 2.0f));
    moments(kind.name, "normal", floats.host(), 10, 4);
    RAND(rocrand_generate_log_normal(generator, floats, N, 0.0f, 0.25f));
    double s = 0.25 * 0.25;
    moments(kind.name, "log-normal", floats.host(), std::exp(s / 2), (std::exp(s) - 1) * std::exp(s));
}

static void check(const Kind &kind) {
    rocrand_generator generator = create(kind, 99);
    Device<double> doubles(N);
    Device<unsigned> counts(N);
    // Version 1.1 makes single floats of the low half of Sobol's 64 bits, which is 0 for the first 2^32 numbers.
    if (!kind.wide) check_floats(kind, generator);
    RAND(rocrand_generate_uniform_double(generator, doubles, N));
    moments(kind.name, "uniform double", doubles.host(), 0.5, 1.0 / 12);
    RAND(rocrand_generate_normal_double(generator, doubles, N, -1.0, 0.5));
    moments(kind.name, "normal double", doubles.host(), -1, 0.25);
    RAND(rocrand_generate_poisson(generator, counts, N, 7.5));
    moments(kind.name, "Poisson", counts.host(), 7.5, 7.5);
    RAND(rocrand_destroy_generator(generator));

    if (kind.wide) return;
    auto first = words(kind, 1), again = words(kind, 1), other = words(kind, 2);
    CHECK(first == again, "%s: the same seed gives other numbers", kind.name);
    CHECK(kind.quasi || first != other, "%s: another seed gives the same numbers", kind.name);
    moments(kind.name, "words", first, 2147483647.5, 0x1p64 / 12);
}

// Sobol's first dimension is van der Corput's sequence: in gray-code order each number differs from the last in the bit of
// the lowest zero of its index.
static void check_sobol() {
    auto got = words(KINDS[4], 0);
    unsigned value = 0;
    for (unsigned i = 0; i < N; i++) {
        CHECK(got[i] == value, "Sobol's number %u is %08x, not %08x", i, got[i], value);
        value ^= 0x80000000u >> __builtin_ctz(~i);
    }
}

int main() {
    for (const Kind &kind : KINDS) check(kind);
    check_sobol();
    return ok("rocrand_host");
}
