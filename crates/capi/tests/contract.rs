//! Functions by their contract: what they do, and the codes and sentences of misuse.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use wavetank_c::wavetank_status::{self, *};
use wavetank_c::*;

use crate::common::{ok, sentence};

/// Adds a number to each element.
pub(crate) const ADD: &CStr = c"add:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    v_lshl_add_u32 v0, s2, 6, v0
    v_lshlrev_b32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v1, v0, s[4:5]
    s_waitcnt vmcnt(0)
    v_add_u32 v1, s6, v1
    global_store_dword v0, v1, s[4:5]
    s_endpgm";

pub(crate) const SIGNATURE: &CStr = c"kernel=add(global u32* x, u32 n)";

/// Calls a function that makes an object.
#[track_caller]
pub(crate) fn made<T>(call: impl FnOnce(*mut *mut T) -> wavetank_status) -> *mut T {
    let mut handle = null_mut();
    ok(call(&raw mut handle));
    assert!(!handle.is_null());
    handle
}

/// Checks the code of a call, and words of its sentence.
#[track_caller]
fn fails(status: wavetank_status, code: wavetank_status, words: &str) {
    assert_eq!(status, code, "{}", sentence());
    assert!(sentence().contains(words), "{}", sentence());
}

pub(crate) fn device(options: &CStr) -> *mut wavetank_device {
    // SAFETY: all pointers are those of texts and places.
    made(|out| unsafe { wavetank_device_create(c"gfx906".as_ptr(), options.as_ptr(), out) })
}

fn assembled(source: &CStr, options: &CStr) -> *mut wavetank_assembly {
    let chip = c"gfx906".as_ptr();
    // SAFETY: as above.
    made(|out| unsafe { wavetank_assemble(source.as_ptr(), chip, options.as_ptr(), out) })
}

/// Returns a launch of the kernel `add` on a device.
pub(crate) fn launch(device: *const wavetank_device) -> *mut wavetank_launch {
    let assembly = assembled(ADD, SIGNATURE);
    // SAFETY: handles, texts and places.
    unsafe {
        let module = made(|out| wavetank_module_load_assembly(device, assembly, out));
        let kernel = made(|out| wavetank_module_kernel(module, c"add".as_ptr(), out));
        let launch = made(|out| wavetank_launch_create(kernel, out));
        ok(wavetank_assembly_free(assembly));
        ok(wavetank_module_free(module));
        ok(wavetank_kernel_free(kernel));
        launch
    }
}

pub(crate) fn buffer(device: *const wavetank_device, values: &[u32]) -> *mut wavetank_buffer {
    let size = size_of_val(values);
    // SAFETY: the buffer is as long as the values.
    unsafe {
        let buffer = made(|out| wavetank_buffer_create(device, size as u64, out));
        ok(wavetank_buffer_write(
            buffer,
            0,
            values.as_ptr().cast(),
            size,
        ));
        buffer
    }
}

#[test]
fn a_kernel_runs_after_its_parents_are_freed() {
    let device = device(c"threads=1");
    let (launch, buffer) = (launch(device), buffer(device, &[5; 256]));
    // SAFETY: handles, and places with their sizes.
    unsafe {
        ok(wavetank_device_free(device));
        ok(wavetank_launch_set_grid(launch, 256, 1, 1));
        ok(wavetank_launch_set_buffer(launch, 0, buffer));
        ok(wavetank_launch_set_u32(launch, 1, 7));
        ok(wavetank_launch_set_counting(launch, 1));
        let mut report = std::mem::zeroed::<wavetank_report>();
        ok(wavetank_launch_run(
            launch,
            &raw mut report,
            size_of_val(&report),
        ));
        assert_eq!(
            (report.groups, report.waves, report.instructions),
            (4, 4, 40)
        );
        assert_eq!(report.lane_instructions, 40 * 64);
        assert!(report.warning.is_null());
        let mut values = [0u32; 256];
        ok(wavetank_buffer_read(
            buffer,
            0,
            values.as_mut_ptr().cast(),
            1024,
        ));
        assert_eq!(values, [12; 256]);
        ok(wavetank_buffer_free(buffer));
        // The launch keeps the memory.
        ok(wavetank_launch_run(launch, null_mut(), 0));
        ok(wavetank_launch_free(launch));
    }
}

#[test]
fn handles_of_all_sorts_are_errors() {
    let device = device(c"");
    let mut number = 0usize;
    let local = 7u64;
    let stranger: *const wavetank_device = (&raw const local).cast();
    // SAFETY: none of the handles is read as memory.
    unsafe {
        let out = &raw mut number;
        let call = |handle| wavetank_device_threads(handle, out);
        fails(
            call(null()),
            WAVETANK_ERROR_HANDLE,
            "`device` is null, not a device",
        );
        fails(
            call(stranger),
            WAVETANK_ERROR_HANDLE,
            "nor any handle of this library",
        );
        let odd = device.cast_const().wrapping_byte_add(1);
        assert_eq!(call(odd), WAVETANK_ERROR_HANDLE);
        let buffer = made(|out| wavetank_buffer_create(device, 4, out));
        fails(
            call(buffer.cast()),
            WAVETANK_ERROR_HANDLE,
            "`device` is a buffer, not a device",
        );
        fails(
            wavetank_device_free(buffer.cast()),
            WAVETANK_ERROR_HANDLE,
            "is a buffer",
        );
        ok(wavetank_buffer_free(buffer));
        fails(
            wavetank_buffer_free(buffer),
            WAVETANK_ERROR_HANDLE,
            "`buffer` has been freed",
        );
        ok(wavetank_buffer_free(null_mut()));
        ok(wavetank_device_free(device));
        fails(
            call(device),
            WAVETANK_ERROR_HANDLE,
            "`device` has been freed",
        );
        assert_eq!(number, 0);
    }
}

#[test]
fn results_go_to_places_that_there_are() {
    let device = device(c"");
    // SAFETY: null is an error, and the odd address is not written.
    unsafe {
        let odd = device.wrapping_byte_add(1).cast();
        fails(
            wavetank_device_threads(device, null_mut()),
            WAVETANK_ERROR_ARGUMENT,
            "`threads` is null",
        );
        fails(
            wavetank_device_threads(device, odd),
            WAVETANK_ERROR_ARGUMENT,
            "not a multiple of 8",
        );
        let status = wavetank_device_create(null(), null(), null_mut());
        fails(status, WAVETANK_ERROR_ARGUMENT, "`device` is null");
        // After an error, a handle is null, whatever was there.
        let mut other = device;
        let status = wavetank_device_create(c"gfx1030".as_ptr(), null(), &raw mut other);
        fails(status, WAVETANK_ERROR_ARGUMENT, "gfx1030");
        assert!(other.is_null());
        ok(wavetank_device_free(device));
    }
}

#[test]
fn options_are_those_of_the_environment() {
    let with = |chip: &CStr, options: &CStr| {
        let mut device = null_mut();
        // SAFETY: texts and a place.
        let status =
            unsafe { wavetank_device_create(chip.as_ptr(), options.as_ptr(), &raw mut device) };
        // SAFETY: a handle, or null.
        unsafe { wavetank_device_free(device) };
        status
    };
    ok(with(
        c"mi50",
        c"threads=2;engine=interpreter; schedule=random:7; strict=1; stack=64",
    ));
    let wrong = WAVETANK_ERROR_ARGUMENT;
    fails(
        with(c"gfx906", c"threads=0"),
        wrong,
        "the option `threads` is wrong",
    );
    fails(
        with(c"gfx906", c"threads=99999999"),
        wrong,
        "from 1 to 1024",
    );
    fails(with(c"gfx906", c"engine=fast"), wrong, "fast");
    fails(
        with(c"gfx906", c"colour=red"),
        wrong,
        "there is no option `colour` here",
    );
    fails(with(c"gfx906", c"threads"), wrong, "write `threads=VALUE`");
    fails(with(c"gfx950", c""), WAVETANK_ERROR_UNSUPPORTED, "gfx950");
    let latin = CString::new([0xe9]).expect("no zero byte");
    fails(with(&latin, c""), wrong, "`chip` is not text in UTF-8");
}

#[test]
fn buffers_end_with_their_last_byte() {
    let device = device(c"");
    let buffer = buffer(device, &[1, 2, 3]);
    let mut bytes = [9u8; 16];
    let to: *mut c_void = bytes.as_mut_ptr().cast();
    // SAFETY: sizes are those of the array; larger ones fail before anything is copied.
    unsafe {
        fails(
            wavetank_buffer_read(buffer, 0, to, 13),
            WAVETANK_ERROR_RANGE,
            "outside the buffer of 12",
        );
        fails(
            wavetank_buffer_read(buffer, 12, to, 1),
            WAVETANK_ERROR_RANGE,
            "12 to 13",
        );
        fails(
            wavetank_buffer_write(buffer, u64::MAX, to, 2),
            WAVETANK_ERROR_RANGE,
            "outside",
        );
        ok(wavetank_buffer_read(buffer, 12, null_mut(), 0));
        fails(
            wavetank_buffer_read(buffer, 0, null_mut(), 1),
            WAVETANK_ERROR_ARGUMENT,
            "`data` is null",
        );
        fails(
            wavetank_buffer_write(buffer, 0, to, usize::MAX),
            WAVETANK_ERROR_ARGUMENT,
            "address space",
        );
        assert_eq!(bytes, [9; 16]);
        ok(wavetank_buffer_read(buffer, 4, to, 4));
        assert_eq!(bytes[..5], [2, 0, 0, 0, 9]);
        let (mut size, mut address) = (0, 0);
        ok(wavetank_buffer_size(buffer, &raw mut size));
        ok(wavetank_buffer_address(buffer, &raw mut address));
        assert_eq!((size, address % 256), (12, 0));
        let mut large = null_mut();
        let status = wavetank_buffer_create(device, u64::MAX, &raw mut large);
        fails(status, WAVETANK_ERROR_MEMORY, "could not be allocated");
        ok(wavetank_buffer_free(buffer));
        ok(wavetank_device_free(device));
    }
}

#[test]
fn launches_that_do_not_fit_are_errors() {
    let (here, elsewhere) = (device(c""), device(c""));
    let launch = launch(here);
    // SAFETY: handles, values and places.
    unsafe {
        let run = || wavetank_launch_run(launch, null_mut(), 0);
        let wrong = WAVETANK_ERROR_LAUNCH;
        fails(run(), wrong, "takes 2 arguments and was given 0");
        ok(wavetank_launch_set_u32(launch, 1, 7));
        fails(
            run(),
            wrong,
            "argument 0 of kernel add(uint* x, uint n) is not set",
        );
        let foreign = made(|out| wavetank_buffer_create(elsewhere, 256, out));
        fails(
            wavetank_launch_set_buffer(launch, 0, foreign),
            wrong,
            "a buffer of another device",
        );
        ok(wavetank_launch_set_f32(launch, 0, 1.0));
        fails(run(), wrong, "was given an f32");
        fails(
            wavetank_launch_set_u32(launch, 2, 7),
            WAVETANK_ERROR_NOT_FOUND,
            "there is no argument 2",
        );
        let buffer = made(|out| wavetank_buffer_create(here, 256, out));
        ok(wavetank_launch_set_buffer(launch, 0, buffer));
        ok(wavetank_launch_set_u64(launch, 1, 7));
        fails(run(), wrong, "takes 4 bytes and was given a u64");
        let seven = 7u32;
        ok(wavetank_launch_set_value(
            launch,
            1,
            (&raw const seven).cast(),
            4,
        ));
        ok(wavetank_launch_set_grid(launch, 0, 1, 1));
        fails(run(), wrong, "cannot be dispatched");
        ok(wavetank_launch_set_grid(launch, 64, 1, 1));
        ok(wavetank_launch_set_dynamic_lds(launch, 1 << 20));
        fails(run(), wrong, "LDS");
        ok(wavetank_launch_set_dynamic_lds(launch, 0));
        ok(run());
        for seconds in [-1.0, f64::NAN, f64::INFINITY] {
            let status = wavetank_launch_set_timeout(launch, seconds);
            fails(status, WAVETANK_ERROR_ARGUMENT, "the timeout is wrong");
        }
        ok(wavetank_launch_set_timeout(launch, 1e15));
        ok(run());
        // Devices that share memory share buffers.
        let chip = c"gfx906".as_ptr();
        let sharing = made(|out| wavetank_device_create_sharing(chip, null(), elsewhere, out));
        let shared = self::launch(sharing);
        ok(wavetank_launch_set_buffer(shared, 0, foreign));
        for device in [here, elsewhere, sharing] {
            ok(wavetank_device_free(device));
        }
        for buffer in [foreign, buffer] {
            ok(wavetank_buffer_free(buffer));
        }
        for launch in [launch, shared] {
            ok(wavetank_launch_free(launch));
        }
    }
}

/// Reads the text at an address.
///
/// # Safety
/// It is one.
unsafe fn text<'a>(text: *const c_char) -> &'a str {
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8")
}

#[test]
fn a_fault_has_its_facts() {
    let device = device(c"threads=1");
    let launch = launch(device);
    let buffer = buffer(device, &[1; 70]);
    // SAFETY: handles and places; texts are read while they are valid.
    unsafe {
        let mut fault = std::mem::zeroed::<wavetank_fault>();
        let size = size_of_val(&fault);
        ok(wavetank_launch_set_buffer(launch, 0, buffer));
        ok(wavetank_launch_set_u32(launch, 1, 1));
        ok(wavetank_launch_set_grid(launch, 128, 1, 1));
        let run = || wavetank_launch_run(launch, null_mut(), 0);
        fails(run(), WAVETANK_ERROR_FAULT, "kernel `add` faulted at");
        let said = sentence();
        ok(wavetank_last_fault(&raw mut fault, size));
        let mut address = 0;
        ok(wavetank_buffer_address(buffer, &raw mut address));
        assert_eq!((fault.kind, fault.lane), (WAVETANK_FAULT_MEMORY, 6));
        assert_eq!((fault.group, fault.wave), ([1, 0, 0], 0));
        assert_eq!(fault.address, address + 70 * 4);
        assert_eq!(text(fault.kernel), "add");
        assert_eq!(text(fault.instruction), "global_load_dword v1, v0, s[4:5]");
        // Calls that succeed keep the sentence, and another error has no fault.
        assert_eq!(sentence(), said);
        fails(
            wavetank_launch_set_u32(launch, 9, 1),
            WAVETANK_ERROR_NOT_FOUND,
            "argument 9",
        );
        assert_eq!(
            wavetank_last_fault(&raw mut fault, size),
            WAVETANK_ERROR_NOT_FOUND
        );
        fails(run(), WAVETANK_ERROR_FAULT, "faulted");
        fails(
            wavetank_last_fault(&raw mut fault, 3),
            WAVETANK_ERROR_ARGUMENT,
            "sizeof(*fault)",
        );
        ok(wavetank_launch_free(launch));
        ok(wavetank_buffer_free(buffer));
        ok(wavetank_device_free(device));
    }
}

/// A program of a later version passes a larger structure.
#[test]
fn structures_are_of_the_callers_size() {
    let device = device(c"threads=1");
    let launch = launch(device);
    // SAFETY: the place has the size that is passed.
    unsafe {
        let buffer = made(|out| wavetank_buffer_create(device, 4, out));
        ok(wavetank_launch_set_buffer(launch, 0, buffer));
        ok(wavetank_launch_set_u32(launch, 1, 1));
        let mut larger = [u64::MAX; 9];
        ok(wavetank_launch_run(launch, larger.as_mut_ptr().cast(), 64));
        assert_eq!((larger[0], larger[1]), (1, 1));
        assert_eq!((larger[7], larger[8]), (0, u64::MAX));
        // A wrong size is found before the kernel runs.
        let zero = 0u32.to_ne_bytes();
        ok(wavetank_buffer_write(buffer, 0, zero.as_ptr().cast(), 4));
        let status = wavetank_launch_run(launch, larger.as_mut_ptr().cast(), 8);
        fails(status, WAVETANK_ERROR_ARGUMENT, "pass sizeof(*report)");
        let mut number = u32::MAX;
        ok(wavetank_buffer_read(buffer, 0, (&raw mut number).cast(), 4));
        assert_eq!(number, 0);
        ok(wavetank_launch_free(launch));
        ok(wavetank_buffer_free(buffer));
        ok(wavetank_device_free(device));
    }
}

#[test]
fn errors_are_kept_for_each_thread() {
    // SAFETY: null is an error.
    unsafe {
        fails(
            wavetank_buffer_create(null(), 4, null_mut()),
            WAVETANK_ERROR_ARGUMENT,
            "`buffer`",
        );
    }
    std::thread::spawn(|| assert_eq!(sentence(), ""))
        .join()
        .expect("it is empty there");
    assert!(sentence().contains("`buffer`"));
}

#[test]
fn a_launch_that_never_ends_is_stopped() {
    let device = device(c"threads=1");
    let assembly = assembled(c"forever:\n  s_branch forever", c"kernel=forever()");
    // SAFETY: handles, texts and places.
    unsafe {
        let module = made(|out| wavetank_module_load_assembly(device, assembly, out));
        let kernel = made(|out| wavetank_module_kernel_at(module, 0, out));
        let launch = made(|out| wavetank_launch_create(kernel, out));
        ok(wavetank_launch_set_timeout(launch, 0.01));
        let run = || wavetank_launch_run(launch, null_mut(), 0);
        fails(run(), WAVETANK_ERROR_TIMEOUT, "forever");
        ok(wavetank_launch_set_timeout(launch, 0.0));
        let shared = launch.expose_provenance();
        let stopping = std::thread::spawn(move || {
            let launch = std::ptr::with_exposed_provenance_mut(shared);
            // The run may not have begun: until it has ended, cancelling is repeated.
            while wavetank_launch_cancel(launch) == WAVETANK_OK {
                std::thread::yield_now();
            }
        });
        fails(run(), WAVETANK_ERROR_CANCELLED, "the launch was cancelled");
        ok(wavetank_launch_free(launch));
        stopping.join().expect("it ends when the handle is freed");
        ok(wavetank_kernel_free(kernel));
        ok(wavetank_module_free(module));
        ok(wavetank_assembly_free(assembly));
        ok(wavetank_device_free(device));
    }
}

#[test]
fn a_kernel_tells_its_arguments() {
    let file = include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco");
    // SAFETY: handles, bytes with their size, and places; texts are read while they are valid.
    unsafe {
        let device = made(|out| wavetank_device_create(null(), null(), out));
        let code: *const c_void = file.as_ptr().cast();
        let module = made(|out| wavetank_module_load(device, code, file.len(), out));
        let mut count = 0;
        ok(wavetank_module_kernel_count(module, &raw mut count));
        assert_eq!(count, 1);
        let kernel = made(|out| wavetank_module_kernel(module, c"vecadd".as_ptr(), out));
        let mut info = std::mem::zeroed::<wavetank_kernel_info>();
        ok(wavetank_kernel_get_info(
            kernel,
            &raw mut info,
            size_of_val(&info),
        ));
        assert_eq!(
            text(info.signature),
            "vecadd(float* arg0, float* arg1, float* arg2, uint arg3)"
        );
        assert_eq!((info.argument_count, info.has_argument_list), (4, 1));
        let mut argument = std::mem::zeroed::<wavetank_argument>();
        let size = size_of_val(&argument);
        ok(wavetank_kernel_get_argument(
            kernel,
            3,
            &raw mut argument,
            size,
        ));
        // The file has no names of arguments.
        assert!(argument.name.is_null());
        assert_eq!(text(argument.type_name), "uint");
        assert_eq!((argument.kind, argument.size), (WAVETANK_ARGUMENT_VALUE, 4));
        assert_eq!(argument.offset, 24);
        ok(wavetank_kernel_get_argument(
            kernel,
            0,
            &raw mut argument,
            size,
        ));
        assert_eq!(argument.kind, WAVETANK_ARGUMENT_POINTER);
        let status = wavetank_kernel_get_argument(kernel, 4, &raw mut argument, size);
        fails(status, WAVETANK_ERROR_NOT_FOUND, "the kernel lists 4");
        let mut none = null_mut();
        let status = wavetank_module_kernel(module, c"vecad".as_ptr(), &raw mut none);
        fails(status, WAVETANK_ERROR_NOT_FOUND, "did you mean `vecadd`?");
        let status = wavetank_module_kernel_at(module, 1, &raw mut none);
        fails(status, WAVETANK_ERROR_NOT_FOUND, "the module has 1");
        let (mut address, mut bytes) = (0, 0);
        ok(wavetank_module_symbol(
            module,
            c"vecadd".as_ptr(),
            &raw mut address,
            &raw mut bytes,
        ));
        assert!(address != 0 && bytes != 0);
        let mut none = null_mut();
        let status = wavetank_module_load(device, code, 100, &raw mut none);
        assert_eq!(status, WAVETANK_ERROR_CODE, "{}", sentence());
        let path = c"no such file.hsaco".as_ptr();
        let status = wavetank_module_load_file(device, path, &raw mut none);
        fails(
            status,
            WAVETANK_ERROR_FILE,
            "no such file.hsaco cannot be read",
        );
        ok(wavetank_kernel_free(kernel));
        ok(wavetank_module_free(module));
        ok(wavetank_device_free(device));
    }
}

#[test]
fn texts_go_both_ways() {
    let assembly = assembled(c"v_add_f32 v0, v1, v2\ns_endpgm", c"");
    // SAFETY: handles and places; texts are read while they are valid.
    unsafe {
        let (mut bytes, mut size) = (null(), 0);
        ok(wavetank_assembly_code(
            assembly,
            &raw mut bytes,
            &raw mut size,
        ));
        let code = std::slice::from_raw_parts(bytes.cast::<u8>(), size);
        // As llvm-mc-14 encodes them.
        assert_eq!(code, [0x01, 0x05, 0x00, 0x02, 0x00, 0x00, 0x81, 0xbf]);
        let listing = made(|out| wavetank_disassemble(bytes, size, null(), out));
        ok(wavetank_assembly_free(assembly));
        let mut count = 0;
        ok(wavetank_listing_count(listing, &raw mut count));
        assert_eq!(count, 2);
        let mut inst = std::mem::zeroed::<wavetank_instruction>();
        let size = size_of_val(&inst);
        ok(wavetank_listing_get(listing, 1, &raw mut inst, size));
        assert_eq!((text(inst.text), inst.address), ("s_endpgm", 4));
        assert_eq!(
            (inst.byte_count, inst.is_data, *inst.bytes.add(3)),
            (4, 0, 0xbf)
        );
        let status = wavetank_listing_get(listing, 2, &raw mut inst, size);
        fails(
            status,
            WAVETANK_ERROR_NOT_FOUND,
            "there is no instruction 2",
        );
        ok(wavetank_listing_free(listing));
        let mut none = null_mut();
        let status = wavetank_disassemble(c"abc".as_ptr().cast(), 3, null(), &raw mut none);
        fails(status, WAVETANK_ERROR_ARGUMENT, "not 3 bytes");
        let mut none = null_mut();
        let source = c"s_nop 1\nv_ad_f32 v0, v1, v2".as_ptr();
        let status = wavetank_assemble(source, null(), null(), &raw mut none);
        fails(status, WAVETANK_ERROR_SOURCE, "line 2");
        let other = c".amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"\ns_nop 1".as_ptr();
        let assembly = made(|out| wavetank_assemble(other, null(), null(), out));
        ok(wavetank_assembly_free(assembly));
        let status = wavetank_assemble(other, c"gfx900".as_ptr(), null(), &raw mut none);
        fails(status, WAVETANK_ERROR_SOURCE, "gfx906");
        let defined = c"define=N=0x10; define=M".as_ptr();
        let source = c"s_mov_b32 s0, N+M".as_ptr();
        let assembly = made(|out| wavetank_assemble(source, null(), defined, out));
        ok(wavetank_assembly_free(assembly));
        let status = wavetank_assemble(source, null(), c"define=N=x".as_ptr(), &raw mut none);
        fails(status, WAVETANK_ERROR_ARGUMENT, "define=N=x");
    }
}

#[test]
fn instructions_are_explained() {
    // SAFETY: handles, texts and places; texts are read while they are valid.
    unsafe {
        let name = c"v_lshl_add_u32 v0, v1, 4, s2".as_ptr();
        let explanation = made(|out| wavetank_explain(name, null(), out));
        let mut texts = std::mem::zeroed::<wavetank_explanation_texts>();
        ok(wavetank_explanation_get(
            explanation,
            &raw mut texts,
            size_of_val(&texts),
        ));
        assert_eq!(text(texts.sentence), "Shifts left, then adds.");
        assert_eq!(text(texts.pseudo_code), "v0 = (v1 << 4) + s2");
        assert_eq!(text(texts.format), "VOP3");
        assert!(texts.layout.is_null());
        ok(wavetank_explanation_free(explanation));
        let mut none = null_mut();
        let status = wavetank_explain(c"v_nonsense".as_ptr(), null(), &raw mut none);
        assert_eq!(status, WAVETANK_ERROR_SOURCE);
    }
}

#[test]
fn checks_have_findings() {
    // A scalar load is used without a wait.
    let source = c"early:
    s_load_dword s4, s[0:1], 0x0
    s_mov_b32 s5, s4
    s_endpgm";
    let assembly = assembled(source, c"kernel=early(u32 n)");
    // SAFETY: handles, texts and places; texts are read while they are valid.
    unsafe {
        let (mut bytes, mut size) = (null(), 0);
        ok(wavetank_assembly_object(
            assembly,
            &raw mut bytes,
            &raw mut size,
        ));
        let found = made(|out| wavetank_check_code(bytes, size, null(), out));
        let mut count = 0;
        ok(wavetank_findings_count(found, &raw mut count));
        assert_eq!(count, 1);
        let mut finding = std::mem::zeroed::<wavetank_finding>();
        let length = size_of_val(&finding);
        ok(wavetank_findings_get(found, 0, &raw mut finding, length));
        assert_eq!(
            (text(finding.tool), text(finding.kernel)),
            ("wait", "early")
        );
        assert_eq!(text(finding.instruction), "s_mov_b32 s5, s4");
        assert!(text(finding.text).contains(text(finding.message)));
        let status = wavetank_findings_get(found, 1, &raw mut finding, length);
        fails(status, WAVETANK_ERROR_NOT_FOUND, "there is no finding 1");
        ok(wavetank_findings_free(found));
        let mut none = null_mut();
        let status = wavetank_check_code(bytes, size, c"race".as_ptr(), &raw mut none);
        fails(
            status,
            WAVETANK_ERROR_ARGUMENT,
            "watches a kernel that runs",
        );
        let status = wavetank_check_code(bytes, size, c"rase".as_ptr(), &raw mut none);
        fails(status, WAVETANK_ERROR_ARGUMENT, "rase");
        ok(wavetank_assembly_free(assembly));
    }
}

/// A fault is a finding of a launch that is checked.
#[test]
fn a_checked_launch_finds_its_fault() {
    let device = device(c"threads=1");
    let (launch, buffer) = (launch(device), buffer(device, &[1; 70]));
    // SAFETY: handles, texts and places; texts are read while they are valid.
    unsafe {
        ok(wavetank_launch_set_buffer(launch, 0, buffer));
        ok(wavetank_launch_set_u32(launch, 1, 1));
        ok(wavetank_launch_set_grid(launch, 128, 1, 1));
        let found = made(|out| wavetank_launch_check(launch, c"memory,race".as_ptr(), out));
        let mut finding = std::mem::zeroed::<wavetank_finding>();
        ok(wavetank_findings_get(
            found,
            0,
            &raw mut finding,
            size_of_val(&finding),
        ));
        assert_eq!(text(finding.tool), "memory");
        ok(wavetank_findings_free(found));
        ok(wavetank_launch_set_grid(launch, 64, 1, 1));
        let found = made(|out| wavetank_launch_check(launch, null(), out));
        let mut count = 9;
        ok(wavetank_findings_count(found, &raw mut count));
        assert_eq!(count, 0);
        ok(wavetank_findings_free(found));
        ok(wavetank_launch_free(launch));
        ok(wavetank_buffer_free(buffer));
        ok(wavetank_device_free(device));
    }
}

#[test]
fn a_wave_is_stepped() {
    let device = device(c"");
    let source =
        c"v_add_u32 v0, s1, v0\nds_write_b32 v1, v0\ns_load_dword s2, s[4:5], 0x0\ns_endpgm";
    let assembly = assembled(source, c"");
    // SAFETY: handles and places with their sizes.
    unsafe {
        let (mut code, mut size) = (null(), 0);
        ok(wavetank_assembly_code(
            assembly,
            &raw mut code,
            &raw mut size,
        ));
        let wave = made(|out| wavetank_wave_create(device, code, size, 256, out));
        let lanes: [u32; 64] = std::array::from_fn(|lane| lane as u32);
        ok(wavetank_wave_set_vector(wave, 0, lanes.as_ptr()));
        ok(wavetank_wave_set_vector(
            wave,
            1,
            lanes.map(|lane| 4 * lane).as_ptr(),
        ));
        ok(wavetank_wave_set(wave, 1, 100));
        ok(wavetank_wave_set(
            wave,
            WAVETANK_REGISTER_EXEC,
            u64::MAX << 1,
        ));
        let (mut next, mut length) = ([1 as c_char; 40], 0);
        ok(wavetank_wave_next(
            wave,
            next.as_mut_ptr(),
            40,
            &raw mut length,
        ));
        assert_eq!(
            (text(next.as_ptr()), length),
            ("v_add_u32_e32 v0, s1, v0", 24)
        );
        ok(wavetank_wave_next(wave, next.as_mut_ptr(), 6, null_mut()));
        assert_eq!(text(next.as_ptr()), "v_add");
        let mut has_ended = 7;
        ok(wavetank_wave_step(wave, &raw mut has_ended));
        ok(wavetank_wave_step(wave, null_mut()));
        let (mut read, mut pc) = ([0u32; 64], 0);
        ok(wavetank_wave_get_vector(wave, 0, read.as_mut_ptr()));
        assert_eq!((read[0], read[1], read[63]), (0, 101, 163));
        ok(wavetank_wave_get(wave, WAVETANK_REGISTER_PC, &raw mut pc));
        assert_eq!((pc, has_ended), (12, 0));
        ok(wavetank_wave_read_lds(wave, 4, read.as_mut_ptr().cast(), 8));
        assert_eq!(read[..2], [101, 102]);
        fails(
            wavetank_wave_step(wave, null_mut()),
            WAVETANK_ERROR_FAULT,
            "0x0",
        );
        ok(wavetank_wave_get(wave, WAVETANK_REGISTER_PC, &raw mut pc));
        assert_eq!(pc, 12);
        ok(wavetank_wave_set(wave, WAVETANK_REGISTER_PC, 20));
        ok(wavetank_wave_step(wave, &raw mut has_ended));
        ok(wavetank_wave_step(wave, null_mut()));
        assert_eq!(has_ended, 1);
        let wrong = WAVETANK_ERROR_NOT_FOUND;
        fails(
            wavetank_wave_get(wave, 106, &raw mut pc),
            wrong,
            "no scalar register 106",
        );
        fails(
            wavetank_wave_set(wave, 262, 0),
            wrong,
            "no scalar register 262",
        );
        fails(
            wavetank_wave_set(wave, 0, 1 << 32),
            WAVETANK_ERROR_ARGUMENT,
            "does not fit",
        );
        fails(
            wavetank_wave_set(wave, WAVETANK_REGISTER_SCC, 2),
            WAVETANK_ERROR_ARGUMENT,
            "1 bits",
        );
        fails(
            wavetank_wave_get_vector(wave, 512, read.as_mut_ptr()),
            wrong,
            "vector register 512",
        );
        fails(
            wavetank_wave_write_lds(wave, 253, code, 4),
            WAVETANK_ERROR_RANGE,
            "LDS of 256",
        );
        let mut none = null_mut();
        let status = wavetank_wave_create(device, code, size, 1 << 20, &raw mut none);
        fails(
            status,
            WAVETANK_ERROR_ARGUMENT,
            "at most 65536 bytes of LDS",
        );
        let status = wavetank_wave_create(device, code, 3, 0, &raw mut none);
        fails(status, WAVETANK_ERROR_ARGUMENT, "not 3 bytes");
        ok(wavetank_wave_free(wave));
        ok(wavetank_assembly_free(assembly));
        ok(wavetank_device_free(device));
    }
}

#[test]
fn codes_have_names() {
    // SAFETY: names are texts that live for ever.
    unsafe {
        assert_eq!(text(wavetank_status_name(0)), "WAVETANK_OK");
        assert_eq!(text(wavetank_status_name(15)), "WAVETANK_ERROR_INTERNAL");
        assert_eq!(text(wavetank_status_name(16)), "unknown");
        assert_eq!(text(wavetank_status_name(-1)), "unknown");
    }
}
