// Images by the interface itself: colors that fill parts of them, and resources of the vendor's own format.
// GPUs: gfx900
// GPUs: gfx906
// GPUs: gfx803
// GPUs: gfx701
#include "check.h"
#include <hsa/hsa_ext_image.h>

enum { WIDTH = 100, HEIGHT = 40 };

static hsa_ext_image_descriptor_t plane(hsa_ext_image_channel_type_t type, hsa_ext_image_channel_order_t order) {
    hsa_ext_image_descriptor_t image = {.geometry = HSA_EXT_IMAGE_GEOMETRY_2D,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .format = {.channel_type = type, .channel_order = order}};
    return image;
}

// An image, in memory that is full of ones.
static hsa_ext_image_t create(const hsa_ext_image_descriptor_t *about, char **memory) {
    hsa_ext_image_data_info_t info;
    HSA(hsa_ext_image_data_get_info(gpu, about, HSA_ACCESS_PERMISSION_RW, &info));
    *memory = allocate(coarse, info.size);
    memset(*memory, 0xff, info.size);
    hsa_ext_image_t image;
    HSA(hsa_ext_image_create(gpu, about, *memory, HSA_ACCESS_PERMISSION_RW, &image));
    return image;
}

static const hsa_ext_image_region_t whole = {{0, 0, 0}, {WIDTH, HEIGHT, 1}};

// Clears a part of an image, and looks at every byte of it.
static void check_clear(hsa_ext_image_channel_type_t type, hsa_ext_image_channel_order_t order, const void *color,
                        const void *element, size_t bytes) {
    hsa_ext_image_descriptor_t about = plane(type, order);
    char *memory;
    hsa_ext_image_t image = create(&about, &memory);
    hsa_ext_image_region_t part = {{10, 5, 0}, {70, 30, 1}};
    HSA(hsa_ext_image_clear(gpu, image, color, &part));
    char *got = malloc(WIDTH * HEIGHT * bytes), ones[16];
    memset(ones, 0xff, sizeof ones);
    HSA(hsa_ext_image_export(gpu, image, got, 0, 0, &whole));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool inside = x >= 10 && x < 80 && y >= 5 && y < 35;
            if (memcmp(got + (y * WIDTH + x) * bytes, inside ? element : ones, bytes) != 0)
                FAIL("type %d, order %d: the element at (%d, %d) is wrong", type, order, x, y);
        }
    free(got);
    HSA(hsa_ext_image_destroy(gpu, image));
    HSA(hsa_amd_memory_pool_free(memory));
}

static void check_errors(void) {
    hsa_ext_image_descriptor_t about = plane(HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R);
    char *memory;
    hsa_ext_image_t image = create(&about, &memory);
    float color[4] = {1, 2, 3, 4};
    hsa_ext_image_region_t outside = {{50, 0, 0}, {51, 1, 1}};
    REFUSED(hsa_ext_image_clear(gpu, image, NULL, &whole));
    REFUSED(hsa_ext_image_clear(gpu, image, color, NULL));
    REFUSED(hsa_ext_image_clear(gpu, image, color, &outside));
    GIVES(HSA_STATUS_ERROR_INVALID_AGENT, hsa_ext_image_clear(cpu, image, color, &whole));
    HSA(hsa_ext_image_destroy(gpu, image));
    REFUSED(hsa_ext_image_clear(gpu, image, color, &whole));
    HSA(hsa_amd_memory_pool_free(memory));
}

// The resource of one image, with its address taken out, makes another.
static void check_vendor(void) {
    hsa_ext_image_descriptor_t about = plane(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA);
    char *memory;
    hsa_ext_image_t image = create(&about, &memory), same;
    uint32_t words[10] = {1, 0x1002u << 16 | 0x6863};
    memcpy(&words[2], (const void *)(uintptr_t)image.handle, 32);
    words[2] = 0, words[3] &= ~0xffu;
    const hsa_amd_image_descriptor_t *vendor = (const hsa_amd_image_descriptor_t *)words;
    HSA(hsa_amd_image_create(gpu, &about, vendor, memory, HSA_ACCESS_PERMISSION_RW, &same));
    CHECK(memcmp((const void *)(uintptr_t)image.handle, (const void *)(uintptr_t)same.handle, 32) == 0);
    REFUSED(hsa_amd_image_create(gpu, &about, vendor, NULL, HSA_ACCESS_PERMISSION_RW, &image));
    REFUSED(hsa_amd_image_create(gpu, &about, NULL, memory, HSA_ACCESS_PERMISSION_RW, &image));
    about.width++;
    REFUSED(hsa_amd_image_create(gpu, &about, vendor, memory, HSA_ACCESS_PERMISSION_RW, &image));
    about.width--;
    words[5] |= 9u << 20; // swizzled
    REFUSED(hsa_amd_image_create(gpu, &about, vendor, memory, HSA_ACCESS_PERMISSION_RW, &image));
    words[5] &= ~(9u << 20);
    words[0] = 2;
    REFUSED(hsa_amd_image_create(gpu, &about, vendor, memory, HSA_ACCESS_PERMISSION_RW, &image));
    HSA(hsa_ext_image_destroy(gpu, same));
    HSA(hsa_ext_image_destroy(gpu, image));
}

int main(void) {
    find_machine();
    float color[4] = {1.0f, 0.5f, 0.0f, 0.25f};
    uint8_t rgba[4] = {255, 128, 0, 64}, bgra[4] = {0, 128, 255, 64};
    check_clear(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, color, rgba, 4);
    check_clear(HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA, color, bgra, 4);
    check_clear(HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, color, color, 16);
    check_clear(HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R, color, color, 4);
    uint16_t halves[2] = {0x3c00, 0x3800};
    check_clear(HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RG, color, halves, 4);
    int32_t numbers[4] = {-7, 300, 5, 70000};
    int16_t shorts[4] = {-7, 300, 5, 32767};
    check_clear(HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, numbers, shorts, 8);
    check_errors();
    check_vendor();
    HSA(hsa_shut_down());
    puts("ok images");
    return 0;
}
