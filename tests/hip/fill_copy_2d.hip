// Fills of every width, and copies of rectangles and boxes.
#include "check.hpp"

static void check_fills() {
    for (size_t n : {size_t(1), size_t(5), size_t(1000), size_t(1 << 20), size_t((1 << 20) + 3)}) {
        Device<uint8_t> bytes(n);
        HIP(hipMemset(bytes, 0xA5, n));
        for (auto b : bytes.host()) CHECK(b == 0xA5, "%zu bytes filled: %x", n, b);
        Device<uint32_t> words(n);
        HIP(hipMemsetD32((hipDeviceptr_t)(uint32_t *)words, 0x12345678, n));
        for (auto w : words.host()) CHECK(w == 0x12345678, "%zu words filled: %x", n, w);
        Device<uint16_t> shorts(n);
        HIP(hipMemsetD16((hipDeviceptr_t)(uint16_t *)shorts, 0xBEEF, n));
        for (auto s : shorts.host()) CHECK(s == 0xBEEF, "%zu shorts filled: %x", n, s);
    }
    // A fill of the middle leaves both ends.
    Device<uint8_t> v(std::vector<uint8_t>(1000, 1));
    HIP(hipMemset(v + 101, 2, 601));
    auto got = v.host();
    for (int i = 0; i < 1000; i++) CHECK(got[i] == (i >= 101 && i < 702 ? 2 : 1), "byte %d is %d", i, got[i]);
}

static void check_rectangles() {
    const size_t width = 100, height = 37, host_pitch = 130, pitch = 256, other_pitch = 112;
    Device<uint8_t> device(pitch * height), other(other_pitch * height);
    std::vector<uint8_t> in(host_pitch * height), out(host_pitch * height, 9);
    Random random;
    for (auto &b : in) b = uint8_t(random.next());
    HIP(hipMemset2D(device, pitch, 0, width, height));
    HIP(hipMemcpy2D(device, pitch, in.data(), host_pitch, width, height, hipMemcpyHostToDevice));
    HIP(hipMemcpy2DAsync(other, other_pitch, device, pitch, width, height, hipMemcpyDeviceToDevice, 0));
    HIP(hipMemset2D(other + 5 * other_pitch + 10, other_pitch, 77, 20, 3));
    HIP(hipMemcpy2D(out.data(), host_pitch, other, other_pitch, width, height, hipMemcpyDeviceToHost));
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < host_pitch; x++) {
            bool filled = y >= 5 && y < 8 && x >= 10 && x < 30;
            uint8_t want = x >= width ? 9 : filled ? 77 : in[y * host_pitch + x];
            CHECK(out[y * host_pitch + x] == want, "row %zu, byte %zu is %u, not %u", y, x, out[y * host_pitch + x], want);
        }
}

static void check_boxes() {
    const int w = 12, h = 7, d = 5;
    const size_t pitch = 64;
    Device<uint8_t> memory(pitch * h * d);
    hipPitchedPtr box = make_hipPitchedPtr(static_cast<uint8_t *>(memory), pitch, w, h);
    HIP(hipMemset3D(box, 0, make_hipExtent(w * sizeof(int), h, d)));
    std::vector<int> in(w * h * d), out(w * h * d, -1);
    for (size_t i = 0; i < in.size(); i++) in[i] = int(i * i);
    hipMemcpy3DParms up = {}, down = {};
    up.srcPtr = make_hipPitchedPtr(in.data(), w * sizeof(int), w, h);
    up.dstPtr = box;
    up.extent = make_hipExtent((w - 2) * sizeof(int), h - 1, d);
    up.srcPos = make_hipPos(2 * sizeof(int), 1, 0);
    up.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&up));
    down.srcPtr = box;
    down.dstPtr = make_hipPitchedPtr(out.data(), w * sizeof(int), w, h);
    down.extent = make_hipExtent(w * sizeof(int), h, d);
    down.kind = hipMemcpyDeviceToHost;
    HIP(hipMemcpy3D(&down));
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                int want = x < w - 2 && y < h - 1 ? in[(z * h + y + 1) * w + x + 2] : 0;
                CHECK(out[(z * h + y) * w + x] == want, "at %d %d %d: %d, not %d", x, y, z, out[(z * h + y) * w + x], want);
            }
}

// Rows and slices whose distance the runtime chooses.
static void check_pitches() {
    const size_t width = 77, height = 13, depth = 4;
    std::vector<uint8_t> in(width * height * depth), out(in.size());
    Random random;
    for (auto &b : in) b = uint8_t(random.next());
    void *plane;
    size_t pitch;
    HIP(hipMallocPitch(&plane, &pitch, width, height));
    CHECK(pitch >= width, "rows of %zu bytes are %zu apart", width, pitch);
    HIP(hipMemset2D(plane, pitch, 0, width, height));
    HIP(hipMemcpy2D(plane, pitch, in.data(), width, width, height, hipMemcpyHostToDevice));
    HIP(hipMemcpy2D(out.data(), width, plane, pitch, width, height, hipMemcpyDeviceToHost));
    CHECK(memcmp(in.data(), out.data(), width * height) == 0, "a plane comes back as another");
    HIP(hipFree(plane));
    hipPitchedPtr box;
    HIP(hipMalloc3D(&box, make_hipExtent(width, height, depth)));
    CHECK(box.pitch >= width, "rows of %zu bytes are %zu apart", width, box.pitch);
    hipMemcpy3DParms up = {}, down = {};
    up.srcPtr = down.dstPtr = make_hipPitchedPtr(in.data(), width, width, height);
    down.dstPtr.ptr = out.data();
    up.dstPtr = down.srcPtr = box;
    up.extent = down.extent = make_hipExtent(width, height, depth);
    up.kind = hipMemcpyHostToDevice;
    down.kind = hipMemcpyDeviceToHost;
    HIP(hipMemcpy3D(&up));
    HIP(hipMemcpy3D(&down));
    CHECK(in == out, "a box comes back as another");
    HIP(hipFree(box.ptr));
}

int main() {
    check_fills();
    check_rectangles();
    check_boxes();
    check_pitches();
    return ok("fill_copy_2d");
}
