-- Runs a kernel from Lua, by LuaJIT's foreign-function interface: `luajit saxpy.lua [LIBRARY]`.
local ffi = require("ffi")

-- Declarations of wavetank.h.
ffi.cdef [[
typedef struct wavetank_device wavetank_device;
typedef struct wavetank_buffer wavetank_buffer;
typedef struct wavetank_module wavetank_module;
typedef struct wavetank_kernel wavetank_kernel;
typedef struct wavetank_launch wavetank_launch;
typedef struct wavetank_assembly wavetank_assembly;
typedef struct {
    uint64_t groups, waves, instructions, compiled_instructions, lane_instructions;
    double seconds;
    const char *warning;
} wavetank_report;
const char *wavetank_version(void);
const char *wavetank_last_error(void);
int wavetank_device_create(const char *chip, const char *options, wavetank_device **device);
int wavetank_device_free(wavetank_device *device);
int wavetank_assemble(const char *source, const char *chip, const char *options, wavetank_assembly **assembly);
int wavetank_assembly_free(wavetank_assembly *assembly);
int wavetank_module_load_assembly(const wavetank_device *device, const wavetank_assembly *assembly, wavetank_module **module);
int wavetank_module_free(wavetank_module *module);
int wavetank_module_kernel(const wavetank_module *module, const char *name, wavetank_kernel **kernel);
int wavetank_kernel_free(wavetank_kernel *kernel);
int wavetank_buffer_create(const wavetank_device *device, uint64_t size, wavetank_buffer **buffer);
int wavetank_buffer_free(wavetank_buffer *buffer);
int wavetank_buffer_write(const wavetank_buffer *buffer, uint64_t offset, const void *data, size_t size);
int wavetank_buffer_read(const wavetank_buffer *buffer, uint64_t offset, void *data, size_t size);
int wavetank_launch_create(const wavetank_kernel *kernel, wavetank_launch **launch);
int wavetank_launch_free(wavetank_launch *launch);
int wavetank_launch_set_buffer(wavetank_launch *launch, size_t index, const wavetank_buffer *buffer);
int wavetank_launch_set_f32(wavetank_launch *launch, size_t index, float value);
int wavetank_launch_set_u32(wavetank_launch *launch, size_t index, uint32_t value);
int wavetank_launch_set_grid(wavetank_launch *launch, uint32_t x, uint32_t y, uint32_t z);
int wavetank_launch_run(const wavetank_launch *launch, wavetank_report *report, size_t size);
]]

local lib = ffi.load(arg[1] or "wavetank")

local function check(status)
    if status ~= 0 then
        error(ffi.string(lib.wavetank_last_error()), 2)
    end
end

-- Makes an object, which the garbage collector frees.
local function made(kind, ...)
    local handle = ffi.new("wavetank_" .. kind .. " *[1]")
    local arguments = { ... }
    local create = table.remove(arguments, 1)
    arguments[#arguments + 1] = handle
    check(lib["wavetank_" .. create](unpack(arguments)))
    return ffi.gc(handle[0], lib["wavetank_" .. kind .. "_free"])
end

local source = [[
saxpy:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dword s8, s[0:1], 0x10
    v_lshl_add_u32 v0, s2, 6, v0
    v_lshlrev_b32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v1, v0, s[6:7]
    global_load_dword v2, v0, s[4:5]
    s_waitcnt vmcnt(0)
    v_mac_f32 v2, s8, v1
    global_store_dword v0, v2, s[4:5]
    s_endpgm
]]

local n = 256
local x, y = ffi.new("float[?]", n), ffi.new("float[?]", n)
for i = 0, n - 1 do
    x[i], y[i] = i, 1
end
local device = made("device", "device_create", "gfx906", "threads=1")
local options = "kernel=saxpy(global f32* y, global f32* x, f32 a)"
local assembly = made("assembly", "assemble", source, "gfx906", options)
local module = made("module", "module_load_assembly", device, assembly)
local kernel = made("kernel", "module_kernel", module, "saxpy")
local bytes = ffi.sizeof(x)
local buffer_x = made("buffer", "buffer_create", device, bytes)
local buffer_y = made("buffer", "buffer_create", device, bytes)
check(lib.wavetank_buffer_write(buffer_x, 0, x, bytes))
check(lib.wavetank_buffer_write(buffer_y, 0, y, bytes))

local launch = made("launch", "launch_create", kernel)
check(lib.wavetank_launch_set_buffer(launch, 0, buffer_y))
check(lib.wavetank_launch_set_buffer(launch, 1, buffer_x))
check(lib.wavetank_launch_set_f32(launch, 2, 2))
check(lib.wavetank_launch_set_grid(launch, n, 1, 1))
local report = ffi.new("wavetank_report")
check(lib.wavetank_launch_run(launch, report, ffi.sizeof(report)))

check(lib.wavetank_buffer_read(buffer_y, 0, y, bytes))
local wrong = 0
for i = 0, n - 1 do
    if y[i] ~= 2 * x[i] + 1 then
        wrong = wrong + 1
    end
end
print(("%d of %d elements are wrong; %d waves"):format(wrong, n, tonumber(report.waves)))

-- An error is a sentence.
local status, sentence = pcall(made, "kernel", "module_kernel", module, "sax")
print(sentence)
os.exit(wrong == 0 and not status and 0 or 1)
