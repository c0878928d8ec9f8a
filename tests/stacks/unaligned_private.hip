// Bytes copied to odd places of private arrays. Clang 20 and later copies four at a time, by dwords at addresses that are no
// multiples of four.
#include "check.hpp"

constexpr int BYTES = 72, WORDS = BYTES / 4;

// Fills an array with copies of its first bytes, each followed by one byte that stays.
__host__ __device__ static void repeat(unsigned char *to, const unsigned char *from, int length) {
    for (int at = 0; at + length <= BYTES; at += length + 1)
        for (int i = 0; i < length; i++) to[at + i] = from[i];
}

__global__ void repeat_all(const unsigned *in, const unsigned *lengths, unsigned *out, unsigned count) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= count) return;
    unsigned from[WORDS], to[WORDS] = {0};
    for (int i = 0; i < WORDS; i++) from[i] = in[item * WORDS + i];
    repeat((unsigned char *)to, (const unsigned char *)from, lengths[item]);
    for (int i = 0; i < WORDS; i++) out[item * WORDS + i] = to[i];
}

// Values of 2, 4 and 8 bytes at any offset of a private array, written and read back one after another.
template <class T> __global__ void mixed(const unsigned *places, T *out, int rounds) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char bytes[BYTES];
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 13 + item);
    T sum = 0;
    for (int i = 0; i < rounds; i++) {
        unsigned place = places[(item * 7 + i) % 64];
        T value;
        __builtin_memcpy(&value, bytes + place, sizeof value);
        sum = sum * 31 + value;
        value ^= T(sum >> 3);
        __builtin_memcpy(bytes + places[(item * 5 + i + 1) % 64], &value, sizeof value);
    }
    out[item] = sum;
}

template <class T> static void check_mixed(const char *name) {
    constexpr int items = 256, rounds = 40;
    std::vector<unsigned> places(64);
    for (int i = 0; i < 64; i++) places[i] = (i * 29 + 3) % (BYTES - 8);
    Device<unsigned> device_places(places);
    Device<T> device_out(items);
    mixed<T><<<items / 64, 64>>>(device_places, device_out, rounds);
    std::vector<T> out = device_out.host();
    for (unsigned item = 0; item < items; item++) {
        unsigned char bytes[BYTES];
        for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 13 + item);
        T sum = 0;
        for (int i = 0; i < rounds; i++) {
            T value;
            memcpy(&value, bytes + places[(item * 7 + i) % 64], sizeof value);
            sum = T(sum * 31 + value);
            value ^= T(sum >> 3);
            memcpy(bytes + places[(item * 5 + i + 1) % 64], &value, sizeof value);
        }
        CHECK(out[item] == sum, "%s: item %u is %llx, not %llx", name, item, (unsigned long long)out[item],
              (unsigned long long)sum);
    }
}

int main() {
    constexpr unsigned count = BYTES + 1;
    std::vector<unsigned> in(count * WORDS), lengths(count);
    for (unsigned item = 0; item < count; item++) {
        lengths[item] = item;
        unsigned char bytes[BYTES] = {};
        for (unsigned i = 0; i < item; i++) bytes[i] = 'a' + (i * 7 + item) % 26;
        memcpy(&in[item * WORDS], bytes, BYTES);
    }
    Device<unsigned> device_in(in), device_lengths(lengths), device_out(in.size());
    repeat_all<<<5, 16>>>(device_in, device_lengths, device_out, count);
    std::vector<unsigned> out = device_out.host();
    for (unsigned item = 0; item < count; item++) {
        unsigned char want[BYTES] = {};
        repeat(want, (const unsigned char *)&in[item * WORDS], item);
        CHECK(!memcmp(&out[item * WORDS], want, BYTES), "copies of %u bytes are wrong", item);
    }
    check_mixed<uint16_t>("2 bytes");
    check_mixed<uint32_t>("4 bytes");
    check_mixed<uint64_t>("8 bytes");
    return ok("unaligned_private");
}
