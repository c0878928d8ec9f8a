// Textures of arrays and of linear memory: filters, coordinates, addresses outside, and conversions.
#include "check.hpp"

template <class T> __global__ void sample1(T *out, hipTextureObject_t texture, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(texture, x[i]);
}

template <class T> __global__ void fetch1(T *out, hipTextureObject_t texture, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(texture, n - 1 - i);
}

template <class T> __global__ void sample2(T *out, hipTextureObject_t texture, const float2 *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(texture, at[i].x, at[i].y);
}

template <class T> __global__ void sample3(T *out, hipTextureObject_t texture, const float4 *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<T>(texture, at[i].x, at[i].y, at[i].z);
}

template <class T> __global__ void sample_layers(T *out, hipTextureObject_t texture, const float4 *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLayered<T>(texture, at[i].x, at[i].y, int(at[i].z));
}

// HIP 5 takes hipCreateChannelDesc<uchar4>() for signed bytes.
static hipChannelFormatDesc unsigned_bytes() { return hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned); }

// How a texture is read.
struct Mode {
    hipTextureAddressMode address;
    hipTextureFilterMode filter;
    bool normalized;
    const char *name() const {
        static char text[64];
        snprintf(text, sizeof text, "address mode %d, filter %d, %s", address, filter,
                 normalized ? "normalized" : "in texels");
        return text;
    }
};

static hipTextureDesc describe(Mode mode, hipTextureReadMode read) {
    hipTextureDesc d = {};
    for (auto &a : d.addressMode) a = mode.address;
    d.filterMode = mode.filter;
    d.readMode = read;
    d.normalizedCoords = mode.normalized;
    return d;
}

// A texture object that destroys itself.
class Texture {
  public:
    Texture(const hipResourceDesc &resource, const hipTextureDesc &how) {
        HIP(hipCreateTextureObject(&object_, &resource, &how, nullptr));
    }
    Texture(const Texture &) = delete;
    ~Texture() { (void)hipDestroyTextureObject(object_); }
    operator hipTextureObject_t() const { return object_; }

  private:
    hipTextureObject_t object_ = nullptr;
};

static hipResourceDesc array_resource(hipArray_t array) {
    hipResourceDesc r = {};
    r.resType = hipResourceTypeArray;
    r.res.array.array = array;
    return r;
}

// The index that an index outside stands for, or -1 for the border.
static long inside(long i, long n, hipTextureAddressMode mode) {
    switch (mode) {
    case hipAddressModeWrap: return ((i % n) + n) % n;
    case hipAddressModeMirror: {
        long m = ((i % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    case hipAddressModeClamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    default: return i < 0 || i >= n ? -1 : i;
    }
}

// What the CUDA programming guide, "Texture Fetching", says of a texture of floats with up to 3 dimensions.
struct Reference {
    const float *texels;
    long size[3];
    Mode mode;

    double texel(long x, long y, long z) const {
        x = inside(x, size[0], mode.address);
        y = inside(y, size[1], mode.address);
        z = inside(z, size[2], mode.address);
        return x < 0 || y < 0 || z < 0 ? 0 : texels[(z * size[1] + y) * size[0] + x];
    }

    double at(const float *place) const {
        double weight[3][2];
        long index[3];
        for (int d = 0; d < 3; d++) {
            double x = mode.normalized ? double(place[d] * float(size[d])) : double(place[d]);
            if (size[d] == 1) x = 0.5;
            if (mode.filter == hipFilterModeLinear) x -= 0.5;
            index[d] = long(floor(x));
            weight[d][1] = mode.filter == hipFilterModeLinear ? x - floor(x) : 0;
            weight[d][0] = 1 - weight[d][1];
        }
        double sum = 0;
        for (int corner = 0; corner < 8; corner++) {
            int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
            double w = weight[0][x] * weight[1][y] * weight[2][z];
            if (w != 0) sum += w * texel(index[0] + x, index[1] + y, index[2] + z);
        }
        return sum;
    }
};

static void compare(const char *what, Mode mode, size_t i, double got, double want) {
    CHECK(fabs(got - want) <= 1e-4 * (1 + fabs(want)), "%s, %s: place %zu gives %g, not %g", what, mode.name(), i, got, want);
}

// All modes that there are: wrapping and mirroring need normalized coordinates.
static std::vector<Mode> modes() {
    std::vector<Mode> all;
    for (auto filter : {hipFilterModePoint, hipFilterModeLinear}) {
        for (auto address : {hipAddressModeWrap, hipAddressModeMirror}) all.push_back({address, filter, true});
        for (bool normalized : {false, true})
            for (auto address : {hipAddressModeClamp, hipAddressModeBorder}) all.push_back({address, filter, normalized});
    }
    return all;
}

// A coordinate from a third of the image outside to a third outside, never where a tiny error chooses another texel.
static float coordinate(Random &random, Mode mode, int n) {
    float x = float(int(random.next() % (n * 5 / 3 * 8 + 8)) - n * 8 / 3) / 8 + 1.0f / 32;
    return mode.normalized ? x / n : x;
}

static std::vector<float> numbers(size_t n) {
    Random random;
    std::vector<float> v(n);
    for (auto &x : v) x = random.unit() * 100 - 50;
    return v;
}

static void check_lines() {
    const int width = 60, n = 300;
    auto texels = numbers(width);
    auto channel = hipCreateChannelDesc<float>();
    hipArray_t array;
    HIP(hipMallocArray(&array, &channel, width, 0, hipArrayDefault));
    HIP(hipMemcpyToArray(array, 0, 0, texels.data(), width * sizeof(float), hipMemcpyHostToDevice));
    for (Mode mode : modes()) {
        Texture texture(array_resource(array), describe(mode, hipReadModeElementType));
        Random random;
        std::vector<float> x(n);
        for (auto &v : x) v = coordinate(random, mode, width);
        Device<float> at(x), out(n);
        sample1<<<(n + 63) / 64, 64>>>(static_cast<float *>(out), texture, static_cast<float *>(at), n);
        HIP(hipGetLastError());
        auto got = out.host();
        Reference reference = {texels.data(), {width, 1, 1}, mode};
        for (int i = 0; i < n; i++) {
            float place[3] = {x[i], 0, 0};
            compare("a line", mode, i, got[i], reference.at(place));
        }
    }
    HIP(hipFreeArray(array));
}

// Samples a plane in every mode.
static void check_plane(const char *what, const hipResourceDesc &resource, const std::vector<float> &texels, int width,
                        int height) {
    const int n = 700;
    for (Mode mode : modes()) {
        Texture texture(resource, describe(mode, hipReadModeElementType));
        Random random;
        std::vector<float2> places(n);
        for (auto &p : places) p.x = coordinate(random, mode, width), p.y = coordinate(random, mode, height);
        Device<float2> at(places);
        Device<float> out(n);
        sample2<<<(n + 255) / 256, 256>>>(static_cast<float *>(out), texture, static_cast<float2 *>(at), n);
        HIP(hipGetLastError());
        auto got = out.host();
        Reference reference = {texels.data(), {width, height, 1}, mode};
        for (int i = 0; i < n; i++) {
            float place[3] = {places[i].x, places[i].y, 0};
            compare(what, mode, i, got[i], reference.at(place));
        }
    }
}

static void check_planes() {
    const int width = 50, height = 23;
    auto texels = numbers(width * height);
    auto channel = hipCreateChannelDesc<float>();
    const size_t row = width * sizeof(float);

    hipArray_t array;
    HIP(hipMallocArray(&array, &channel, width, height, hipArrayDefault));
    HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), row, row, height, hipMemcpyHostToDevice));
    std::vector<float> back(texels.size());
    HIP(hipMemcpy2DFromArray(back.data(), row, array, 0, 0, row, height, hipMemcpyDeviceToHost));
    CHECK(back == texels, "an array gives other texels back");
    check_plane("a plane", array_resource(array), texels, width, height);
    HIP(hipFreeArray(array));

    void *memory;
    size_t pitch;
    HIP(hipMallocPitch(&memory, &pitch, row, height));
    CHECK(pitch >= row, "the pitch is %zu", pitch);
    HIP(hipMemcpy2D(memory, pitch, texels.data(), row, row, height, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D = {memory, channel, width, height, pitch};
    check_plane("pitched memory", resource, texels, width, height);
    // Rows that the hardware cannot have are refused.
    resource.res.pitch2D.pitchInBytes = pitch + 4;
    hipTextureObject_t none;
    auto how = describe({hipAddressModeClamp, hipFilterModePoint, false}, hipReadModeElementType);
    HIP_REFUSES(hipErrorInvalidValue, hipCreateTextureObject(&none, &resource, &how, nullptr));
    HIP(hipFree(memory));
}

static void check_linear_memory() {
    const int n = 3000;
    auto texels = numbers(n);
    Device<float> memory(texels), out(n);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear = {static_cast<float *>(memory), hipCreateChannelDesc<float>(), n * sizeof(float)};
    hipTextureDesc how = {};
    how.readMode = hipReadModeElementType;
    Texture texture(resource, how);
    fetch1<<<(n + 255) / 256, 256>>>(static_cast<float *>(out), texture, n);
    HIP(hipGetLastError());
    auto got = out.host();
    for (int i = 0; i < n; i++) CHECK(got[i] == texels[n - 1 - i], "texel %d is %g, not %g", i, got[i], texels[n - 1 - i]);

    std::vector<uchar4> bytes(n);
    for (int i = 0; i < n; i++) bytes[i] = make_uchar4(i, i >> 8, 255 - i, i * 7);
    Device<uchar4> colors(bytes);
    Device<float4> scaled(n);
    resource.res.linear = {static_cast<uchar4 *>(colors), unsigned_bytes(), n * sizeof(uchar4)};
    how.readMode = hipReadModeNormalizedFloat;
    Texture normalized(resource, how);
    fetch1<<<(n + 255) / 256, 256>>>(static_cast<float4 *>(scaled), normalized, n);
    HIP(hipGetLastError());
    auto read = scaled.host();
    for (int i = 0; i < n; i++) {
        auto b = bytes[n - 1 - i];
        float want[4] = {b.x / 255.0f, b.y / 255.0f, b.z / 255.0f, b.w / 255.0f};
        float have[4] = {read[i].x, read[i].y, read[i].z, read[i].w};
        for (int c = 0; c < 4; c++) CHECK(have[c] == want[c], "component %d of texel %d is %g, not %g", c, i, have[c], want[c]);
    }
}

// Bytes as they are, and as numbers from 0 to 1, which linear filters mix.
static void check_colors() {
    const int width = 33, height = 17, n = width * height;
    std::vector<uchar4> texels(n);
    std::vector<float> planes[4];
    Random random;
    for (auto &t : texels) {
        uint32_t r = random.next();
        t = make_uchar4(r >> 3, r >> 11, r >> 19, r >> 23);
        unsigned char parts[4] = {t.x, t.y, t.z, t.w};
        for (int c = 0; c < 4; c++) planes[c].push_back(parts[c] / 255.0f);
    }
    auto channel = unsigned_bytes();
    hipArray_t array;
    HIP(hipMallocArray(&array, &channel, width, height, hipArrayDefault));
    const size_t row = width * sizeof(uchar4);
    HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), row, row, height, hipMemcpyHostToDevice));

    std::vector<float2> centers(n);
    for (int i = 0; i < n; i++) centers[i] = make_float2(i % width + 0.5f, i / width + 0.5f);
    Device<float2> at(centers);
    Device<uchar4> out(n);
    Mode mode = {hipAddressModeClamp, hipFilterModePoint, false};
    // Never destroyed: HIP 5 takes an array of which there are no views for a view, and gives its image up.
    hipTextureObject_t plain;
    auto resource = array_resource(array);
    auto how = describe(mode, hipReadModeElementType);
    HIP(hipCreateTextureObject(&plain, &resource, &how, nullptr));
    sample2<<<(n + 63) / 64, 64>>>(static_cast<uchar4 *>(out), plain, static_cast<float2 *>(at), n);
    HIP(hipGetLastError());
    auto bytes = out.host();
    CHECK(memcmp(bytes.data(), texels.data(), n * sizeof(uchar4)) == 0, "bytes are read as others");
    mode.filter = hipFilterModeLinear;
    Texture texture(resource, describe(mode, hipReadModeNormalizedFloat));
    for (auto &p : centers) p.x += 0.25f, p.y -= 0.375f;
    Device<float2> between(centers);
    Device<float4> mixed(n);
    sample2<<<(n + 63) / 64, 64>>>(static_cast<float4 *>(mixed), texture, static_cast<float2 *>(between), n);
    HIP(hipGetLastError());
    auto got = mixed.host();
    for (int i = 0; i < n; i++) {
        float place[3] = {centers[i].x, centers[i].y, 0};
        float have[4] = {got[i].x, got[i].y, got[i].z, got[i].w};
        for (int c = 0; c < 4; c++) {
            Reference reference = {planes[c].data(), {width, height, 1}, mode};
            compare("colors", mode, i, have[c], reference.at(place));
        }
    }
    HIP(hipFreeArray(array));
}

static void check_volumes() {
    const int width = 20, height = 11, depth = 7, n = 500;
    auto texels = numbers(width * height * depth);
    auto channel = hipCreateChannelDesc<float>();
    for (bool layers : {false, true}) {
        hipArray_t array;
        HIP(hipMalloc3DArray(&array, &channel, make_hipExtent(width, height, depth),
                             layers ? hipArrayLayered : hipArrayDefault));
        hipMemcpy3DParms up = {};
        up.srcPtr = make_hipPitchedPtr(texels.data(), width * sizeof(float), width, height);
        up.dstArray = array;
        up.extent = make_hipExtent(width, height, depth);
        up.kind = hipMemcpyHostToDevice;
        HIP(hipMemcpy3D(&up));
        for (Mode mode : modes()) {
            Texture texture(array_resource(array), describe(mode, hipReadModeElementType));
            Random random;
            std::vector<float4> places(n);
            for (auto &p : places) {
                p = make_float4(coordinate(random, mode, width), coordinate(random, mode, height),
                                coordinate(random, mode, depth), 0);
                if (layers) p.z = float(random.next() % depth);
            }
            Device<float4> at(places);
            Device<float> out(n);
            if (layers)
                sample_layers<<<(n + 127) / 128, 128>>>(static_cast<float *>(out), texture, static_cast<float4 *>(at), n);
            else
                sample3<<<(n + 127) / 128, 128>>>(static_cast<float *>(out), texture, static_cast<float4 *>(at), n);
            HIP(hipGetLastError());
            auto got = out.host();
            for (int i = 0; i < n; i++) {
                float place[3] = {places[i].x, places[i].y, places[i].z};
                int layer = layers ? int(places[i].z) : 0;
                Reference reference = {texels.data() + layer * width * height, {width, height, layers ? 1 : depth}, mode};
                compare(layers ? "layers" : "a volume", mode, i, got[i], reference.at(place));
            }
        }
        HIP(hipFreeArray(array));
    }
}

int main() {
    check_linear_memory();
    check_lines();
    check_planes();
    check_colors();
    check_volumes();
    return ok("texture_modes");
}
