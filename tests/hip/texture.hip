// Textures and surfaces: texels as they were written, halfway between two, as colors of a buffer, and stores to an array.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
#include "check.hpp"

__global__ void read(hipTextureObject_t texture, float *out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

// Points between texel x and its neighbour.
__global__ void between(hipTextureObject_t texture, float *out, int count) {
    int x = threadIdx.x;
    if (x < count) out[x] = tex2D<float>(texture, x + 1.0f, 0.5f);
}

__global__ void write(hipSurfaceObject_t surface, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) surf2Dwrite(100.0f * y + x, surface, x * 4, y);
}

__global__ void colors(hipTextureObject_t texture, float4 *out) {
    out[threadIdx.x] = tex1Dfetch<float4>(texture, threadIdx.x);
}

static void planes() {
    const int width = 100, height = 33;
    const dim3 grid((width + 63) / 64, height);
    std::vector<float> image(width * height);
    for (int n = 0; n < width * height; n++) image[n] = 0.25f * n - 7;

    hipArray_t array;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    HIP(hipMallocArray(&array, &format, width, height));
    HIP(hipMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureDesc sampling = {};
    sampling.addressMode[0] = sampling.addressMode[1] = hipAddressModeClamp;
    sampling.readMode = hipReadModeElementType;

    hipTextureObject_t nearest, linear;
    sampling.filterMode = hipFilterModePoint;
    HIP(hipCreateTextureObject(&nearest, &resource, &sampling, nullptr));
    sampling.filterMode = hipFilterModeLinear;
    HIP(hipCreateTextureObject(&linear, &resource, &sampling, nullptr));

    Device<float> out(width * height);
    read<<<grid, 64>>>(nearest, out, width);
    std::vector<float> got = out.host();
    for (int n = 0; n < width * height; n++) CHECK(got[n] == image[n], "texel %d is %g, not %g", n, got[n], image[n]);

    between<<<1, 64>>>(linear, out, 50);
    got = out.host();
    for (int x = 0; x < 50; x++) {
        // Weights have 8 bits of fraction.
        float expected = (image[x] + image[x + 1]) / 2;
        CHECK(std::fabs(got[x] - expected) < 0.25f / 256, "between %d: %g, not %g", x, got[x], expected);
    }

    hipSurfaceObject_t surface;
    HIP(hipCreateSurfaceObject(&surface, &resource));
    write<<<grid, 64>>>(surface, width);
    HIP(hipMemcpy2DFromArray(got.data(), width * 4, array, 0, 0, width * 4, height, hipMemcpyDeviceToHost));
    for (int n = 0; n < width * height; n++) {
        float expected = 100.0f * (n / width) + n % width;
        CHECK(got[n] == expected, "written texel %d is %g, not %g", n, got[n], expected);
    }
    HIP(hipDestroySurfaceObject(surface));
    HIP(hipDestroyTextureObject(linear));
    HIP(hipDestroyTextureObject(nearest));
    HIP(hipFreeArray(array));
}

static void buffers() {
    std::vector<uint8_t> bytes(256);
    for (int n = 0; n < 256; n++) bytes[n] = uint8_t(n);
    Device<uint8_t> memory(bytes);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = 256;
    hipTextureDesc normalized = {};
    normalized.readMode = hipReadModeNormalizedFloat;
    hipTextureObject_t texture;
    HIP(hipCreateTextureObject(&texture, &resource, &normalized, nullptr));
    Device<float4> out(64);
    colors<<<1, 64>>>(texture, out);
    std::vector<float4> got = out.host();
    for (int n = 0; n < 64; n++) {
        const float parts[] = {got[n].x, got[n].y, got[n].z, got[n].w};
        for (int c = 0; c < 4; c++) {
            float expected = (4 * n + c) / 255.0f;
            CHECK(std::fabs(parts[c] - expected) < 1e-6f, "color %d.%d is %g, not %g", n, c, parts[c], expected);
        }
    }
    HIP(hipDestroyTextureObject(texture));
}

int main() {
    planes();
    buffers();
    return ok("texture");
}
