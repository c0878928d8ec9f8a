// Surfaces that kernels read and write, and arrays that the host reads back. Texels are floats: HIP 5 turns the integers
// of a surface to floats on the way.
#include "check.hpp"

template <class T> __global__ void transpose(hipSurfaceObject_t to, hipSurfaceObject_t from, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    T value;
    surf2Dread(&value, from, x * int(sizeof(T)), y);
    surf2Dwrite(value, to, y * int(sizeof(T)), x);
}

// A surface of a new array.
template <class T> class Surface {
  public:
    Surface(int width, int height) : width_(width), height_(height) {
        auto channel = hipCreateChannelDesc<T>();
        // HIP 5 refuses hipArraySurfaceLoadStore, and makes surfaces of every array.
        HIP(hipMallocArray(&array_, &channel, width, height, hipArrayDefault));
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypeArray;
        resource.res.array.array = array_;
        HIP(hipCreateSurfaceObject(&object_, &resource));
    }
    Surface(const Surface &) = delete;
    ~Surface() {
        (void)hipDestroySurfaceObject(object_);
        (void)hipFreeArray(array_);
    }
    operator hipSurfaceObject_t() const { return object_; }
    void set(const std::vector<T> &texels) {
        HIP(hipMemcpy2DToArray(array_, 0, 0, texels.data(), row(), row(), height_, hipMemcpyHostToDevice));
    }
    std::vector<T> get() const {
        std::vector<T> texels(width_ * height_);
        HIP(hipMemcpy2DFromArray(texels.data(), row(), array_, 0, 0, row(), height_, hipMemcpyDeviceToHost));
        return texels;
    }

  private:
    size_t row() const { return width_ * sizeof(T); }
    int width_, height_;
    hipArray_t array_ = nullptr;
    hipSurfaceObject_t object_ = nullptr;
};

template <class T> static void check_transpose(const char *name) {
    const int width = 71, height = 45;
    std::vector<T> texels(width * height);
    Random random;
    for (auto &t : texels) {
        float parts[4];
        for (float &part : parts) part = random.unit() * 100 - 50;
        memcpy(&t, parts, sizeof t);
    }
    Surface<T> from(width, height), to(height, width);
    from.set(texels);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    transpose<T><<<grid, block>>>(to, from, width, height);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
    auto got = to.get();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            CHECK(memcmp(&got[x * height + y], &texels[y * width + x], sizeof(T)) == 0, "%s: texel %d %d is another", name, x, y);
}

int main() {
    check_transpose<float>("float");
    check_transpose<float2>("float2");
    check_transpose<float4>("float4");
    return ok("surface");
}
