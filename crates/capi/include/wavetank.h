/**
 * libwavetank: AMD GPU machine code, executed, assembled, disassembled, explained and checked on
 * the CPU. C99 and C++.
 *
 * Errors. A call returns a wavetank_status. After any code but WAVETANK_OK, wavetank_last_error()
 * has a sentence about it; results other than handles are then left as they were. No call ends the
 * program, throws or jumps. Only a host without memory for the library's own objects ends it.
 *
 * Handles. A pointer to an object is a handle: the library checks it at each use, and nobody
 * dereferences it. One that is null, freed, of another type or made up is WAVETANK_ERROR_HANDLE.
 * Each handle is freed by the function of its type, in any order; freeing null does nothing.
 * The objects that an object needs live as long as it does.
 *
 * Other pointers are null, or point to memory of the size that the function names, during the call.
 * Null is WAVETANK_ERROR_ARGUMENT where a function does not allow it. Texts are UTF-8, with a zero
 * byte at their end. Texts and bytes that a call returns belong to the library.
 *
 * Structures may get more fields at their end in later versions: a call takes the size that the
 * caller's header has, by sizeof.
 *
 * Threads. All functions may be called from any thread, also for one object at once. An object that
 * one thread frees while a call of another uses it lives until that call returns. Errors are kept
 * for each thread. After a fork, a child makes objects of its own: those of its parent are
 * WAVETANK_ERROR_HANDLE. Do not fork while another thread is in a call.
 *
 * Units: sizes, offsets and addresses are in bytes; grids and work-groups in work-items.
 */

#ifndef WAVETANK_H
#define WAVETANK_H

/* Made by cbindgen from crates/capi/src, where changes belong. */

#include <stddef.h>
#include <stdint.h>

/**
 * The version of this header. Before version 1, a new minor version may change the interface.
 */
#define WAVETANK_VERSION_MAJOR 0

/**
 * See WAVETANK_VERSION_MAJOR.
 */
#define WAVETANK_VERSION_MINOR 1

/**
 * See WAVETANK_VERSION_MAJOR.
 */
#define WAVETANK_VERSION_PATCH 0

/**
 * An access that was refused.
 */
#define WAVETANK_FAULT_MEMORY 1

/**
 * A trap without a handler: a failed assertion, or a breakpoint.
 */
#define WAVETANK_FAULT_TRAP 2

/**
 * An instruction that is not executed, or no instruction.
 */
#define WAVETANK_FAULT_INSTRUCTION 3

/**
 * A value, or a structure that is passed by value.
 */
#define WAVETANK_ARGUMENT_VALUE 1

/**
 * A pointer to memory of the device.
 */
#define WAVETANK_ARGUMENT_POINTER 2

/**
 * A pointer to LDS, which is set by a number of bytes.
 */
#define WAVETANK_ARGUMENT_LDS 3

/**
 * An image, sampler, pipe or queue, which is set by the address of its descriptor.
 */
#define WAVETANK_ARGUMENT_OTHER 4

/**
 * The lanes of a wave.
 */
#define WAVETANK_LANES 64

/**
 * Numbers of scalar registers: 0 to 105 are s0 to s105. The vector condition code, 64 bits.
 */
#define WAVETANK_REGISTER_VCC 256

/**
 * The mask of active lanes, 64 bits.
 */
#define WAVETANK_REGISTER_EXEC 257

/**
 * The scalar condition code, 0 or 1.
 */
#define WAVETANK_REGISTER_SCC 258

/**
 * The memory register, 32 bits.
 */
#define WAVETANK_REGISTER_M0 259

/**
 * The mode register, 32 bits: rounding, denormals, exceptions.
 */
#define WAVETANK_REGISTER_MODE 260

/**
 * The distance of the next instruction from the start of the code, in bytes.
 */
#define WAVETANK_REGISTER_PC 261

/**
 * Numbers of vector registers: 0 to 255 are v0 to v255, and 256 to 511 are a0 to a255 of CDNA.
 */
#define WAVETANK_VECTOR_A0 256

/**
 * The result of a call. Codes keep their numbers; later versions may add some.
 */
typedef enum wavetank_status {
  /**
   * The call has done what it says.
   */
  WAVETANK_OK = 0,
  /**
   * An argument of the call is null, out of range, or a text that means nothing.
   */
  WAVETANK_ERROR_ARGUMENT = 1,
  /**
   * A handle is null, freed, of another type, of the parent process, or not a handle at all.
   */
  WAVETANK_ERROR_HANDLE = 2,
  /**
   * There is no kernel, symbol, argument or element of this name or number.
   */
  WAVETANK_ERROR_NOT_FOUND = 3,
  /**
   * A file cannot be read.
   */
  WAVETANK_ERROR_FILE = 4,
  /**
   * Bytes are not code, or have no code for the chip.
   */
  WAVETANK_ERROR_CODE = 5,
  /**
   * A source has wrong lines, or an instruction is written wrongly.
   */
  WAVETANK_ERROR_SOURCE = 6,
  /**
   * Arguments or sizes of a launch do not fit the kernel.
   */
  WAVETANK_ERROR_LAUNCH = 7,
  /**
   * A kernel or wave stopped with a fault. wavetank_last_fault has the facts of a kernel's.
   */
  WAVETANK_ERROR_FAULT = 8,
  /**
   * A kernel did not end in time.
   */
  WAVETANK_ERROR_TIMEOUT = 9,
  /**
   * A launch was stopped by wavetank_launch_cancel, or by a hook.
   */
  WAVETANK_ERROR_CANCELLED = 10,
  /**
   * There is not enough memory.
   */
  WAVETANK_ERROR_MEMORY = 11,
  /**
   * A read or write would end past a buffer or an LDS.
   */
  WAVETANK_ERROR_RANGE = 12,
  /**
   * The chip is not executed, or the tool cannot check this launch.
   */
  WAVETANK_ERROR_UNSUPPORTED = 13,
  /**
   * An environment variable has a value that it cannot have.
   */
  WAVETANK_ERROR_SETTING = 14,
  /**
   * A mistake in the library. Please report the sentence.
   */
  WAVETANK_ERROR_INTERNAL = 15,
} wavetank_status;

/**
 * An assembled source. It does not change: any thread may use it at any time.
 */
typedef struct wavetank_assembly wavetank_assembly;

/**
 * A piece of device memory.
 *
 * Any thread may use it at any time. Reads and writes beside a kernel that accesses the same bytes give some of their values.
 */
typedef struct wavetank_buffer wavetank_buffer;

/**
 * An emulated GPU: a chip, its memory, and the threads that run work-groups.
 *
 * Any thread may use it at any time. What was made with it keeps it alive, so the order of freeing does not matter.
 */
typedef struct wavetank_device wavetank_device;

/**
 * The explanation of an instruction. It does not change: any thread may read it at any time.
 */
typedef struct wavetank_explanation wavetank_explanation;

/**
 * Findings of a check. They do not change: any thread may read them at any time.
 */
typedef struct wavetank_findings wavetank_findings;

/**
 * A kernel of a module. Any thread may use it at any time.
 */
typedef struct wavetank_kernel wavetank_kernel;

/**
 * A kernel with its arguments and sizes, which can run many times.
 *
 * Any thread may use it at any time. A run takes the settings at its begin, and several threads may run one launch at once.
 */
typedef struct wavetank_launch wavetank_launch;

/**
 * The instructions of code, in the order of memory. They do not change: any thread may read them at any time.
 */
typedef struct wavetank_listing wavetank_listing;

/**
 * Code that has been loaded on a device. Any thread may use it at any time.
 */
typedef struct wavetank_module wavetank_module;

/**
 * A wave of a device that is stepped instruction by instruction, and whose registers can be read and written in between.
 *
 * Any thread may use it at any time; calls for one wave wait for each other.
 */
typedef struct wavetank_wave wavetank_wave;

/**
 * The facts of a fault of a kernel. Texts are valid as long as that of wavetank_last_error.
 */
typedef struct wavetank_fault {
  /**
   * WAVETANK_FAULT_MEMORY, WAVETANK_FAULT_TRAP or WAVETANK_FAULT_INSTRUCTION.
   */
  uint32_t kind;
  /**
   * The lane of the access, or -1.
   */
  int32_t lane;
  /**
   * The address of the access that was refused, or 0.
   */
  uint64_t address;
  /**
   * The device address of the instruction.
   */
  uint64_t pc;
  /**
   * The work-group.
   */
  uint32_t group[3];
  /**
   * The number of the wave in its work-group.
   */
  uint32_t wave;
  /**
   * The name of the kernel, mangled for C++.
   */
  const char *kernel;
  /**
   * The text of the instruction, or null.
   */
  const char *instruction;
  /**
   * The file of the line of source, or null.
   */
  const char *file;
  /**
   * The line of source, or 0.
   */
  uint32_t line;
} wavetank_fault;

/**
 * Properties of a kernel. Texts are valid until the kernel is freed.
 */
typedef struct wavetank_kernel_info {
  /**
   * The name, mangled for C++.
   */
  const char *name;
  /**
   * Name and arguments for people: "saxpy(float* y, float* x, float a, int n)".
   */
  const char *signature;
  /**
   * The number of arguments that a caller gives; 0 if the code object does not list them.
   */
  uint32_t argument_count;
  /**
   * 1 if the code object lists the arguments; otherwise 0, and each argument has the size of the value that is set.
   */
  uint32_t has_argument_list;
  /**
   * Vector registers of a lane, and scalar registers of a wave; 0 if the code object does not say it.
   */
  uint32_t vgprs;
  /**
   * See vgprs.
   */
  uint32_t sgprs;
  /**
   * The kernel's own LDS, in bytes for each work-group.
   */
  uint32_t lds;
  /**
   * Private memory, in bytes for each work-item.
   */
  uint32_t scratch;
  /**
   * The most work-items of a work-group; 0 if the code object does not say it.
   */
  uint32_t max_block;
  /**
   * The size of a work-group that the kernel requires, or three zeros.
   */
  uint32_t required_block[3];
} wavetank_kernel_info;

/**
 * An argument of a kernel. Texts are valid until the kernel is freed.
 */
typedef struct wavetank_argument {
  /**
   * The name, or null.
   */
  const char *name;
  /**
   * The type in the source, such as "float*", or null.
   */
  const char *type_name;
  /**
   * WAVETANK_ARGUMENT_VALUE, WAVETANK_ARGUMENT_POINTER, WAVETANK_ARGUMENT_LDS or WAVETANK_ARGUMENT_OTHER.
   */
  uint32_t kind;
  /**
   * The size in bytes.
   */
  uint32_t size;
  /**
   * The place in the argument block, in bytes from its start.
   */
  uint32_t offset;
} wavetank_argument;

/**
 * An access of a lane to memory.
 */
typedef struct wavetank_access {
  /**
   * The address; in memory other than global memory, the offset from its beginning.
   */
  uint64_t address;
  /**
   * The size in bytes.
   */
  uint32_t size;
  /**
   * The lane, or -1 for the wave as a whole.
   */
  int32_t lane;
  /**
   * 0 for a load, 1 for a store, 2 for an atomic operation.
   */
  int32_t kind;
  /**
   * 0 for global memory, 1 for LDS, 2 for the global data share, 3 for scratch.
   */
  int32_t space;
} wavetank_access;

/**
 * A wave at a hook. All pointers are valid while the hook runs.
 */
typedef struct wavetank_hooked_wave {
  /**
   * The work-group.
   */
  uint32_t group[3];
  /**
   * The number of the wave in the work-group.
   */
  uint32_t wave;
  /**
   * The device address of the instruction that the hook is called for.
   */
  uint64_t pc;
  /**
   * The device address at which the wave goes on. A hook may set it; one before an instruction then skips that one.
   */
  uint64_t next_pc;
  /**
   * The 128 scalar registers by their codes: SGPRs from 0, VCC 106 and 107, M0 124, EXEC 126 and 127. They may be written.
   */
  uint32_t *scalar;
  /**
   * The 512 vector registers of 64 lanes: VGPRs from 0, accumulation registers of CDNA from 256. They may be written.
   */
  uint32_t (*vector)[64];
  /**
   * The scalar condition code, 0 or 1. It may be written.
   */
  uint32_t *scc;
  /**
   * At a hook on memory, the accesses of the instruction, lane by lane; otherwise null.
   */
  const struct wavetank_access *accesses;
  /**
   * The number of these accesses.
   */
  size_t access_count;
  /**
   * At a hook on faults, a sentence about the fault; otherwise null.
   */
  const char *fault;
} wavetank_hooked_wave;

/**
 * A function that is called at an event of a wave, with the pointer that was given with it. It returns 0 to go on; any other number
 * ends the launch with WAVETANK_ERROR_CANCELLED.
 *
 * At a fault, it returns 0 to let the launch fail, 1 to go on after the instruction (lanes whose access was denied load 0 and store
 * nothing), and 2 to execute the instruction again, or to go on at `next_pc`.
 */
typedef int32_t (*wavetank_hook)(struct wavetank_hooked_wave *wave, void *data);

/**
 * The report of a run.
 */
typedef struct wavetank_report {
  /**
   * Work-groups that ran.
   */
  uint64_t groups;
  /**
   * Waves that ran.
   */
  uint64_t waves;
  /**
   * Instructions of all waves, if they were counted, or else 0.
   */
  uint64_t instructions;
  /**
   * Instructions that compiled code executed, out of `instructions`; the interpreter executed the others.
   */
  uint64_t compiled_instructions;
  /**
   * Instructions times the lanes that were active in them, if they were counted.
   */
  uint64_t lane_instructions;
  /**
   * Seconds from the first wave's start to the last one's end, on this computer.
   */
  double seconds;
  /**
   * Null, or sentences about accesses that are hardly ever intended: beyond the LDS of the kernel, and past the end of memory. The
   * text is valid until the next run of this thread, or until its end.
   */
  const char *warning;
} wavetank_report;

/**
 * A mistake that a tool found. Texts are valid until the findings are freed.
 */
typedef struct wavetank_finding {
  /**
   * The tool, such as "race".
   */
  const char *tool;
  /**
   * The rule with its tool, such as "race/read-write". `wavetank check --explain` describes it.
   */
  const char *rule;
  /**
   * The mistake in a sentence.
   */
  const char *message;
  /**
   * The kernel or function.
   */
  const char *kernel;
  /**
   * The text of the instruction, or null.
   */
  const char *instruction;
  /**
   * The file of the line of source, or null.
   */
  const char *file;
  /**
   * A way to correct the mistake, or null.
   */
  const char *help;
  /**
   * The report of `wavetank check`, several lines.
   */
  const char *text;
  /**
   * The finding as JSON.
   */
  const char *json;
  /**
   * The address of the instruction in the code object.
   */
  uint64_t pc;
  /**
   * The number of occurrences.
   */
  uint64_t times;
  /**
   * The line of source, or 0.
   */
  uint32_t line;
} wavetank_finding;

/**
 * An instruction at an address. Texts and bytes are valid until the listing is freed.
 */
typedef struct wavetank_instruction {
  /**
   * The address in the code object, or the distance from the start of plain code, in bytes.
   */
  uint64_t address;
  /**
   * The bytes in the order of memory.
   */
  const uint8_t *bytes;
  /**
   * The canonical text; that of data is a `.long`.
   */
  const char *text;
  /**
   * The kernel or function, or null.
   */
  const char *function;
  /**
   * The file of the line of source, or null.
   */
  const char *file;
  /**
   * The line of source, or 0.
   */
  uint32_t line;
  /**
   * The number of bytes.
   */
  uint32_t byte_count;
  /**
   * 1 for a word of data, 0 for an instruction.
   */
  uint32_t is_data;
} wavetank_instruction;

/**
 * The texts of an explanation. They are valid until it is freed.
 */
typedef struct wavetank_explanation_texts {
  /**
   * The canonical text of the instruction, or its name.
   */
  const char *text;
  /**
   * The meaning in a sentence.
   */
  const char *sentence;
  /**
   * The encoding, such as "VOP3".
   */
  const char *format;
  /**
   * The pseudo-code in lines, or null for an instruction that is not executed.
   */
  const char *pseudo_code;
  /**
   * The names of the operands, a line each.
   */
  const char *operands;
  /**
   * The modifiers that the instruction can have, a line each: the text, a colon, and the meaning.
   */
  const char *modifiers;
  /**
   * For a matrix instruction the places of elements in registers, in lines; otherwise null.
   */
  const char *layout;
  /**
   * How exact its execution is, and by what that is known.
   */
  const char *fidelity;
} wavetank_explanation_texts;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the version of the library that is loaded, such as "0.1.0".
 */
const char *wavetank_version(void);

/**
 * Returns the name of a code, such as "WAVETANK_ERROR_FAULT"; "unknown" for a number that is not a code.
 */
const char *wavetank_status_name(int32_t status);

/**
 * Returns the sentence about the last call of this thread that failed; "" if none did. Errors of other threads do not change it,
 * nor do calls that succeed. The text is valid until the next call of this thread that fails, or until its end.
 */
const char *wavetank_last_error(void);

/**
 * Writes the facts of the fault that wavetank_last_error is about. `size` is sizeof(wavetank_fault).
 *
 * WAVETANK_ERROR_NOT_FOUND: the last error of this thread is not a fault of a kernel.
 */
enum wavetank_status wavetank_last_fault(struct wavetank_fault *fault,
                                         size_t size);

/**
 * Makes a device.
 *
 * `chip` is an instruction set ("gfx906"), a name of LLVM ("fiji") or a product ("mi50"); null is gfx900. `options` is null, or
 * a text such as "threads=1; engine=interpreter; schedule=random:7; strict=1; simd=avx2; stack=4096". What it leaves out is set by
 * the environment (WAVETANK_THREADS and others), or has its default: as many threads as the host has processors. With threads=1
 * runs repeat bit for bit.
 *
 * WAVETANK_ERROR_ARGUMENT: an unknown chip or option. WAVETANK_ERROR_UNSUPPORTED: a chip that is not executed.
 * WAVETANK_ERROR_SETTING: a wrong value in the environment. `*device` is then null. Free the device by wavetank_device_free.
 */
enum wavetank_status wavetank_device_create(const char *chip,
                                            const char *options,
                                            struct wavetank_device **device);

/**
 * Makes a device that shares the memory of another: kernels of each reach the buffers of both. Otherwise as
 * wavetank_device_create.
 */
enum wavetank_status wavetank_device_create_sharing(const char *chip,
                                                    const char *options,
                                                    const struct wavetank_device *other,
                                                    struct wavetank_device **device);

/**
 * Frees a device; null is ignored. Its modules, buffers and waves still work, until they are freed.
 */
enum wavetank_status wavetank_device_free(struct wavetank_device *device);

/**
 * Writes the name of the chip, such as "gfx906". The text is valid until the device is freed.
 */
enum wavetank_status wavetank_device_chip(const struct wavetank_device *device, const char **chip);

/**
 * Writes the number of threads that run work-groups.
 */
enum wavetank_status wavetank_device_threads(const struct wavetank_device *device, size_t *threads);

/**
 * Allocates a buffer of `size` bytes, all zero.
 *
 * WAVETANK_ERROR_MEMORY: there is not so much memory. `*buffer` is then null. Free the buffer by wavetank_buffer_free.
 */
enum wavetank_status wavetank_buffer_create(const struct wavetank_device *device,
                                            uint64_t size,
                                            struct wavetank_buffer **buffer);

/**
 * Frees a buffer; null is ignored. Launches for which it was set keep its memory until they are freed, or set another.
 */
enum wavetank_status wavetank_buffer_free(struct wavetank_buffer *buffer);

/**
 * Copies `size` bytes from `data` into the buffer, from `offset` bytes on.
 *
 * WAVETANK_ERROR_RANGE: they would end past the buffer. Nothing is copied then.
 */
enum wavetank_status wavetank_buffer_write(const struct wavetank_buffer *buffer,
                                           uint64_t offset,
                                           const void *data,
                                           size_t size);

/**
 * Copies `size` bytes from the buffer, from `offset` bytes on, to `data`.
 *
 * WAVETANK_ERROR_RANGE: they would end past the buffer. Nothing is copied then.
 */
enum wavetank_status wavetank_buffer_read(const struct wavetank_buffer *buffer,
                                          uint64_t offset,
                                          void *data,
                                          size_t size);

/**
 * Writes the size in bytes.
 */
enum wavetank_status wavetank_buffer_size(const struct wavetank_buffer *buffer, uint64_t *size);

/**
 * Writes the device address of the first byte, for kernels that get addresses in structures. The host has the memory at the same
 * address, as long as the buffer is not freed.
 */
enum wavetank_status wavetank_buffer_address(const struct wavetank_buffer *buffer,
                                             uint64_t *address);

/**
 * Loads a code object of `size` bytes, or that for the chip of the device from an offload bundle or a host program. The bytes are
 * not used after the call.
 *
 * WAVETANK_ERROR_CODE: bytes without code for the chip. `*module` is then null. Free the module by wavetank_module_free.
 */
enum wavetank_status wavetank_module_load(const struct wavetank_device *device,
                                          const void *code,
                                          size_t size,
                                          struct wavetank_module **module);

/**
 * Loads the code of a file, as wavetank_module_load does.
 *
 * WAVETANK_ERROR_FILE: the file cannot be read.
 */
enum wavetank_status wavetank_module_load_file(const struct wavetank_device *device,
                                               const char *path,
                                               struct wavetank_module **module);

/**
 * Loads an assembled source. If neither wavetank_assemble nor the source named a chip, it is assembled for that of the device.
 */
enum wavetank_status wavetank_module_load_assembly(const struct wavetank_device *device,
                                                   const struct wavetank_assembly *assembly,
                                                   struct wavetank_module **module);

/**
 * Frees a module; null is ignored. Its kernels still work, until they are freed.
 */
enum wavetank_status wavetank_module_free(struct wavetank_module *module);

/**
 * Writes the target of the code, such as "gfx906:xnack-". The text is valid until the module is freed.
 */
enum wavetank_status wavetank_module_target(const struct wavetank_module *module,
                                            const char **target);

/**
 * Writes device address and size in bytes of a global variable, or of any other symbol. `size` may be null.
 *
 * WAVETANK_ERROR_NOT_FOUND: there is no symbol of this name.
 */
enum wavetank_status wavetank_module_symbol(const struct wavetank_module *module,
                                            const char *name,
                                            uint64_t *address,
                                            uint64_t *size);

/**
 * Writes the number of kernels of a module.
 */
enum wavetank_status wavetank_module_kernel_count(const struct wavetank_module *module,
                                                  size_t *count);

/**
 * Makes a handle of a kernel by its number, from 0, in the order of the code object.
 *
 * WAVETANK_ERROR_NOT_FOUND: there are not so many kernels. `*kernel` is then null. Free the kernel by wavetank_kernel_free.
 */
enum wavetank_status wavetank_module_kernel_at(const struct wavetank_module *module,
                                               size_t index,
                                               struct wavetank_kernel **kernel);

/**
 * Makes a handle of a kernel by its name: as in the code object, or as in a source of C++, with its parameters, or without them if no
 * other kernel has the name.
 *
 * WAVETANK_ERROR_NOT_FOUND: there is no such kernel; the sentence lists those that there are. `*kernel` is then null. Free the
 * kernel by wavetank_kernel_free.
 */
enum wavetank_status wavetank_module_kernel(const struct wavetank_module *module,
                                            const char *name,
                                            struct wavetank_kernel **kernel);

/**
 * Frees a kernel; null is ignored. Its launches still work, until they are freed.
 */
enum wavetank_status wavetank_kernel_free(struct wavetank_kernel *kernel);

/**
 * Writes the properties of a kernel. `size` is sizeof(wavetank_kernel_info).
 */
enum wavetank_status wavetank_kernel_get_info(const struct wavetank_kernel *kernel,
                                              struct wavetank_kernel_info *info,
                                              size_t size);

/**
 * Writes the properties of an argument by its number, from 0. `size` is sizeof(wavetank_argument).
 *
 * WAVETANK_ERROR_NOT_FOUND: there are not so many arguments.
 */
enum wavetank_status wavetank_kernel_get_argument(const struct wavetank_kernel *kernel,
                                                  size_t index,
                                                  struct wavetank_argument *argument,
                                                  size_t size);

/**
 * Makes a launch of a kernel: one work-item, no arguments yet.
 *
 * `*launch` is null after an error. Free the launch by wavetank_launch_free.
 */
enum wavetank_status wavetank_launch_create(const struct wavetank_kernel *kernel,
                                            struct wavetank_launch **launch);

/**
 * Frees a launch; null is ignored. Runs in progress go on.
 */
enum wavetank_status wavetank_launch_free(struct wavetank_launch *launch);

/**
 * Sets the grid in work-items, as HSA counts: `<<<4, 256>>>` of HIP is 1024. Dimensions that are not used are 1.
 */
enum wavetank_status wavetank_launch_set_grid(struct wavetank_launch *launch,
                                              uint32_t x,
                                              uint32_t y,
                                              uint32_t z);

/**
 * Sets the size of a work-group in work-items. Without it, it is the size that the kernel requires, or up to 64 work-items of the
 * first dimension.
 */
enum wavetank_status wavetank_launch_set_block(struct wavetank_launch *launch,
                                               uint32_t x,
                                               uint32_t y,
                                               uint32_t z);

/**
 * Sets the LDS in bytes in addition to the kernel's own (`extern __shared__` of HIP).
 */
enum wavetank_status wavetank_launch_set_dynamic_lds(struct wavetank_launch *launch, uint32_t size);

/**
 * Sets the time in seconds after which a run is stopped; 0 for no limit, which is the default.
 *
 * WAVETANK_ERROR_ARGUMENT: a negative number, or one that is not a time.
 */
enum wavetank_status wavetank_launch_set_timeout(struct wavetank_launch *launch, double seconds);

/**
 * Sets whether runs count instructions: 1, or 0, which is the default. Counting takes time.
 */
enum wavetank_status wavetank_launch_set_counting(struct wavetank_launch *launch, int32_t count);

/**
 * Adds a function that later runs call at an event: "instruction" (before each), "memory" (after each instruction that accesses
 * memory), "barrier", "wave_start", "wave_end" or "fault". `data` is passed to it.
 *
 * `options` may be null. Of instructions, "mnemonic=v_exp_f32" (a pattern with `*`) and "function=NAME" choose some, for memory, too.
 * Of accesses, "kind=load", "store" or "atomic", "space=global", "lds", "gds" or "scratch", and "range=0x1000-0x2000" choose some.
 * Options have semicolons between them; one that is given several times chooses more.
 *
 * Threads of the device call the function, several at once unless the device has "threads=1". It must not jump out. It may call
 * functions of this library.
 */
enum wavetank_status wavetank_launch_add_hook(struct wavetank_launch *launch,
                                              const char *event,
                                              const char *options,
                                              wavetank_hook function,
                                              void *data);

/**
 * Sets an argument by its number, from 0, to a buffer, whose address the kernel gets. The launch keeps its memory.
 *
 * WAVETANK_ERROR_NOT_FOUND: the kernel has not so many arguments. WAVETANK_ERROR_LAUNCH: a buffer of another device. What does
 * not fit the argument otherwise is an error of the run.
 */
enum wavetank_status wavetank_launch_set_buffer(struct wavetank_launch *launch,
                                                size_t index,
                                                const struct wavetank_buffer *buffer);

/**
 * Sets an argument that is a pointer to a device address; 0 is a null pointer.
 */
enum wavetank_status wavetank_launch_set_address(struct wavetank_launch *launch,
                                                 size_t index,
                                                 uint64_t address);

/**
 * Sets an argument that is a pointer to LDS to memory of `size` bytes after the LDS so far.
 */
enum wavetank_status wavetank_launch_set_lds(struct wavetank_launch *launch,
                                             size_t index,
                                             uint32_t size);

/**
 * Sets an argument that is passed by value to the `size` bytes at `value`, which are copied.
 */
enum wavetank_status wavetank_launch_set_value(struct wavetank_launch *launch,
                                               size_t index,
                                               const void *value,
                                               size_t size);

/**
 * Sets an argument that is an int.
 */
enum wavetank_status wavetank_launch_set_i32(struct wavetank_launch *launch,
                                             size_t index,
                                             int32_t value);

/**
 * Sets an argument that is an unsigned int.
 */
enum wavetank_status wavetank_launch_set_u32(struct wavetank_launch *launch,
                                             size_t index,
                                             uint32_t value);

/**
 * Sets an argument that is a 64-bit integer.
 */
enum wavetank_status wavetank_launch_set_i64(struct wavetank_launch *launch,
                                             size_t index,
                                             int64_t value);

/**
 * Sets an argument that is an unsigned 64-bit integer.
 */
enum wavetank_status wavetank_launch_set_u64(struct wavetank_launch *launch,
                                             size_t index,
                                             uint64_t value);

/**
 * Sets an argument that is a float.
 */
enum wavetank_status wavetank_launch_set_f32(struct wavetank_launch *launch,
                                             size_t index,
                                             float value);

/**
 * Sets an argument that is a double.
 */
enum wavetank_status wavetank_launch_set_f64(struct wavetank_launch *launch,
                                             size_t index,
                                             double value);

/**
 * Runs the kernel to its end, and writes a report. `report` may be null; `size` is sizeof(wavetank_report).
 *
 * WAVETANK_ERROR_LAUNCH: arguments or sizes do not fit the kernel, and nothing ran. WAVETANK_ERROR_FAULT, WAVETANK_ERROR_TIMEOUT,
 * WAVETANK_ERROR_CANCELLED: the kernel stopped; buffers have what it had written.
 */
enum wavetank_status wavetank_launch_run(const struct wavetank_launch *launch,
                                         struct wavetank_report *report,
                                         size_t size);

/**
 * Runs the kernel with tools that find mistakes, and returns their findings. A fault or timeout of the kernel is one of them.
 *
 * `tools` are names with commas, such as "memory,race"; null is all but float: memory, race, sync, init, wait, hazard, limits.
 * "init/read", "lanes" and "lanes32" among them add to init and race.
 * `*findings` is null after an error. Free it by wavetank_findings_free.
 */
enum wavetank_status wavetank_launch_check(const struct wavetank_launch *launch,
                                           const char *tools,
                                           struct wavetank_findings **findings);

/**
 * Stops the runs of a launch that are in progress in other threads: they end with WAVETANK_ERROR_CANCELLED. Later runs are not stopped.
 */
enum wavetank_status wavetank_launch_cancel(struct wavetank_launch *launch);

/**
 * Reads the machine code of a code object, bundle or host program of `size` bytes without running it, and returns the findings of
 * tools. Code for chips that are not executed is left out.
 *
 * `tools` are names with commas among wait, hazard and limits; null is all of them. `*findings` is null after an error. Free it by
 * wavetank_findings_free.
 *
 * WAVETANK_ERROR_CODE: bytes that are not code. WAVETANK_ERROR_ARGUMENT: an unknown tool, or one that watches a kernel that runs.
 */
enum wavetank_status wavetank_check_code(const void *code,
                                         size_t size,
                                         const char *tools,
                                         struct wavetank_findings **findings);

/**
 * Frees findings, with their texts; null is ignored.
 */
enum wavetank_status wavetank_findings_free(struct wavetank_findings *findings);

/**
 * Writes the number of findings: 0 if no mistake was found.
 */
enum wavetank_status wavetank_findings_count(const struct wavetank_findings *findings,
                                             size_t *count);

/**
 * Writes a finding by its number, from 0. `size` is sizeof(wavetank_finding).
 *
 * WAVETANK_ERROR_NOT_FOUND: there are not so many findings.
 */
enum wavetank_status wavetank_findings_get(const struct wavetank_findings *findings,
                                           size_t index,
                                           struct wavetank_finding *finding,
                                           size_t size);

/**
 * Assembles a source to a code object.
 *
 * `chip` is a name such as "gfx906"; null is gfx900, unless the source names one. `options` is null, or a text such as
 * "kernel=square(global u32* out, u32 n); dialect=clrx; define=N=64; include=FOLDER". Each option but dialect may be given several
 * times. `kernel` describes a kernel whose descriptor is not in the source.
 *
 * WAVETANK_ERROR_SOURCE: wrong lines; the sentence has all of them. WAVETANK_ERROR_ARGUMENT: an unknown chip or option. `*assembly`
 * is then null. Free the assembly by wavetank_assembly_free.
 */
enum wavetank_status wavetank_assemble(const char *source,
                                       const char *chip,
                                       const char *options,
                                       struct wavetank_assembly **assembly);

/**
 * Frees an assembly, with its bytes; null is ignored.
 */
enum wavetank_status wavetank_assembly_free(struct wavetank_assembly *assembly);

/**
 * Writes address and size of the code object, which wavetank_module_load and other loaders take. The bytes are valid until the
 * assembly is freed.
 */
enum wavetank_status wavetank_assembly_object(const struct wavetank_assembly *assembly,
                                              const void **bytes,
                                              size_t *size);

/**
 * Writes address and size of the plain bytes of the code: the instructions, with the data among them. The bytes are valid until
 * the assembly is freed.
 *
 * WAVETANK_ERROR_SOURCE: a source whose code needs a linker.
 */
enum wavetank_status wavetank_assembly_code(const struct wavetank_assembly *assembly,
                                            const void **bytes,
                                            size_t *size);

/**
 * Disassembles code of `size` bytes: a code object, each code object of a bundle or host program, or plain bytes.
 *
 * `chip` is a name such as "gfx906", which chooses the code of a file with several. For plain bytes, null is gfx900. Words that are
 * not instructions are listed as data.
 *
 * WAVETANK_ERROR_CODE: a broken file, or one without code for the chip. WAVETANK_ERROR_ARGUMENT: plain bytes that end within a
 * word. `*listing` is then null. Free the listing by wavetank_listing_free.
 */
enum wavetank_status wavetank_disassemble(const void *code,
                                          size_t size,
                                          const char *chip,
                                          struct wavetank_listing **listing);

/**
 * Frees a listing, with its texts; null is ignored.
 */
enum wavetank_status wavetank_listing_free(struct wavetank_listing *listing);

/**
 * Writes the number of instructions.
 */
enum wavetank_status wavetank_listing_count(const struct wavetank_listing *listing, size_t *count);

/**
 * Writes an instruction by its number, from 0. `size` is sizeof(wavetank_instruction).
 *
 * WAVETANK_ERROR_NOT_FOUND: there are not so many instructions.
 */
enum wavetank_status wavetank_listing_get(const struct wavetank_listing *listing,
                                          size_t index,
                                          struct wavetank_instruction *instruction,
                                          size_t size);

/**
 * Explains an instruction of a chip: a text such as "v_add_f32 v0, v1, v2", or the name alone. A null chip is gfx900.
 *
 * WAVETANK_ERROR_SOURCE: a text that is not an instruction. `*explanation` is then null. Free the explanation by
 * wavetank_explanation_free.
 */
enum wavetank_status wavetank_explain(const char *instruction,
                                      const char *chip,
                                      struct wavetank_explanation **explanation);

/**
 * Frees an explanation, with its texts; null is ignored.
 */
enum wavetank_status wavetank_explanation_free(struct wavetank_explanation *explanation);

/**
 * Writes the texts of an explanation. `size` is sizeof(wavetank_explanation_texts).
 */
enum wavetank_status wavetank_explanation_get(const struct wavetank_explanation *explanation,
                                              struct wavetank_explanation_texts *texts,
                                              size_t size);

/**
 * Makes a wave at the first instruction of plain code of `size` bytes for the chip of the device, as wavetank_assembly_code has it.
 * Registers are 0, and all lanes are active. `lds` is the size of its LDS in bytes.
 *
 * WAVETANK_ERROR_ARGUMENT: code that ends within a word, or more LDS than a work-group can have. `*wave` is then null. Free the
 * wave by wavetank_wave_free.
 */
enum wavetank_status wavetank_wave_create(const struct wavetank_device *device,
                                          const void *code,
                                          size_t size,
                                          uint32_t lds,
                                          struct wavetank_wave **wave);

/**
 * Frees a wave; null is ignored.
 */
enum wavetank_status wavetank_wave_free(struct wavetank_wave *wave);

/**
 * Executes the next instruction. Barriers are passed. `has_ended`, which may be null, gets 1 after the end of the wave, or else 0;
 * a step after the end does nothing.
 *
 * WAVETANK_ERROR_FAULT: the instruction cannot be executed, and has changed nothing.
 */
enum wavetank_status wavetank_wave_step(struct wavetank_wave *wave,
                                        int32_t *has_ended);

/**
 * Writes the text of the next instruction, with a zero byte at its end, to the `capacity` bytes at `text`; the text is cut if it
 * is longer, and empty where there is no instruction. `length`, which may be null, gets the length of the whole text.
 */
enum wavetank_status wavetank_wave_next(const struct wavetank_wave *wave,
                                        char *text,
                                        size_t capacity,
                                        size_t *length);

/**
 * Reads a scalar register: 0 to 105 for an SGPR, or WAVETANK_REGISTER_VCC and the others.
 *
 * WAVETANK_ERROR_NOT_FOUND: there is no such register.
 */
enum wavetank_status wavetank_wave_get(const struct wavetank_wave *wave,
                                       uint32_t number,
                                       uint64_t *value);

/**
 * Writes a scalar register: 0 to 105 for an SGPR, or WAVETANK_REGISTER_VCC and the others. An address, such as that of a buffer, takes
 * two SGPRs: the low half first.
 *
 * WAVETANK_ERROR_NOT_FOUND: there is no such register. WAVETANK_ERROR_ARGUMENT: the value does not fit into it.
 */
enum wavetank_status wavetank_wave_set(struct wavetank_wave *wave,
                                       uint32_t number,
                                       uint64_t value);

/**
 * Reads a vector register to the 64 elements at `lanes`: 0 to 255 for a VGPR, 256 to 511 for an accumulation register of CDNA.
 *
 * WAVETANK_ERROR_NOT_FOUND: there is no such register.
 */
enum wavetank_status wavetank_wave_get_vector(const struct wavetank_wave *wave,
                                              uint32_t number,
                                              uint32_t *lanes);

/**
 * Writes a vector register from the 64 elements at `lanes`, also in lanes that are not active.
 *
 * WAVETANK_ERROR_NOT_FOUND: there is no such register.
 */
enum wavetank_status wavetank_wave_set_vector(struct wavetank_wave *wave,
                                              uint32_t number,
                                              const uint32_t *lanes);

/**
 * Copies `size` bytes of the LDS, from `offset` bytes on, to `data`.
 *
 * WAVETANK_ERROR_RANGE: they would end past the LDS.
 */
enum wavetank_status wavetank_wave_read_lds(const struct wavetank_wave *wave,
                                            uint32_t offset,
                                            void *data,
                                            size_t size);

/**
 * Copies `size` bytes from `data` into the LDS, from `offset` bytes on.
 *
 * WAVETANK_ERROR_RANGE: they would end past the LDS.
 */
enum wavetank_status wavetank_wave_write_lds(struct wavetank_wave *wave,
                                             uint32_t offset,
                                             const void *data,
                                             size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAVETANK_H */
