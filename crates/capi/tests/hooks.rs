//! Hooks: what they are called for, what they change, and misuse.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use wavetank_c::wavetank_status::*;
use wavetank_c::*;

use crate::common::{ok, sentence};
use crate::contract::{buffer, device, launch};

/// What hooks have seen.
#[derive(Default)]
struct Seen {
    calls: Vec<([u32; 3], u64, u32)>,
    accesses: Vec<wavetank_access>,
    faults: Vec<String>,
    answer: i32,
}

/// Notes a wave with the operand s6 of the addition, and its accesses.
unsafe extern "C" fn note(wave: *mut wavetank_hooked_wave, data: *mut c_void) -> i32 {
    // SAFETY: the tests give a `Seen`, and runs have one thread.
    unsafe {
        let seen = &mut *data.cast::<Seen>();
        let wave = &mut *wave;
        seen.calls.push((wave.group, wave.pc, *wave.scalar.add(6)));
        if !wave.accesses.is_null() {
            let all = std::slice::from_raw_parts(wave.accesses, wave.access_count);
            seen.accesses.extend_from_slice(all);
        }
        if !wave.fault.is_null() {
            let fault = CStr::from_ptr(wave.fault);
            seen.faults.push(fault.to_str().unwrap().to_owned());
        }
        seen.answer
    }
}

/// Adds 100 to every lane of v1.
unsafe extern "C" fn change(wave: *mut wavetank_hooked_wave, _: *mut c_void) -> i32 {
    // SAFETY: the wave has 512 vector registers.
    let v1 = unsafe { &mut *(*wave).vector.add(1) };
    v1.iter_mut().for_each(|lane| *lane += 100);
    0
}

/// Skips an instruction of four bytes.
unsafe extern "C" fn skip(wave: *mut wavetank_hooked_wave, _: *mut c_void) -> i32 {
    // SAFETY: the library gives a wave.
    unsafe { (*wave).next_pc = (*wave).pc + 4 };
    0
}

/// Runs `add` of 5 on 128 elements with a hook. Returns the status and the elements.
fn run(
    event: &CStr,
    options: Option<&CStr>,
    hook: wavetank_hook,
    data: *mut c_void,
    elements: usize,
) -> (wavetank_status, Vec<u32>) {
    let device = device(c"threads=1");
    let values: Vec<u32> = (0..elements as u32).collect();
    let memory = buffer(device, &values);
    let launch = launch(device);
    // SAFETY: handles, texts, and places of these sizes.
    unsafe {
        ok(wavetank_launch_set_grid(launch, 128, 1, 1));
        ok(wavetank_launch_set_block(launch, 64, 1, 1));
        ok(wavetank_launch_set_buffer(launch, 0, memory));
        ok(wavetank_launch_set_u32(launch, 1, 5));
        let options = options.map_or(null(), CStr::as_ptr);
        ok(wavetank_launch_add_hook(
            launch,
            event.as_ptr(),
            options,
            hook,
            data,
        ));
        let status = wavetank_launch_run(launch, null_mut(), 0);
        let mut out = vec![0u32; elements];
        ok(wavetank_buffer_read(
            memory,
            0,
            out.as_mut_ptr().cast(),
            4 * elements,
        ));
        ok(wavetank_launch_free(launch));
        ok(wavetank_buffer_free(memory));
        ok(wavetank_device_free(device));
        (status, out)
    }
}

fn added(elements: usize, number: u32) -> Vec<u32> {
    (0..elements as u32).map(|n| n + number).collect()
}

#[test]
fn hooks_see_waves_and_change_them() {
    let mut seen = Seen::default();
    let data = (&raw mut seen).cast::<c_void>();
    let mnemonic = c"mnemonic=v_add_u32";
    let (status, out) = run(c"instruction", Some(mnemonic), Some(note), data, 128);
    assert_eq!(
        (status, out),
        (WAVETANK_OK, added(128, 5)),
        "{}",
        sentence()
    );
    let shown: Vec<_> = seen
        .calls
        .iter()
        .map(|(group, _, s6)| (group[0], *s6))
        .collect();
    assert_eq!(shown, [(0, 5), (1, 5)]);
    let (status, out) = run(
        c"instruction",
        Some(mnemonic),
        Some(change),
        null_mut(),
        128,
    );
    assert_eq!((status, out), (WAVETANK_OK, added(128, 105)));
    let (status, out) = run(c"instruction", Some(mnemonic), Some(skip), null_mut(), 128);
    assert_eq!((status, out), (WAVETANK_OK, added(128, 0)));
    for (event, options, calls) in [
        (c"wave_start", None, 2),
        (c"wave_end", None, 2),
        (c"barrier", None, 0),
        (c"instruction", None, 20),
        (
            c"instruction",
            Some(c"function=add; mnemonic=s_load*; mnemonic=s_endpgm"),
            6,
        ),
    ] {
        let mut seen = Seen::default();
        let data = (&raw mut seen).cast::<c_void>();
        let (status, _) = run(event, options, Some(note), data, 128);
        assert_eq!(
            (status, seen.calls.len()),
            (WAVETANK_OK, calls),
            "{event:?}"
        );
    }
}

#[test]
fn hooks_get_accesses() {
    for (options, accesses) in [
        (c"kind=store", 128),
        (c"mnemonic=global_*", 256),
        (c"space=lds", 0),
        (c"range=0-0x10", 0),
    ] {
        let mut seen = Seen::default();
        let data = (&raw mut seen).cast::<c_void>();
        let (status, _) = run(c"memory", Some(options), Some(note), data, 128);
        assert_eq!(
            (status, seen.accesses.len()),
            (WAVETANK_OK, accesses),
            "{options:?}"
        );
        let lanes = seen.accesses.iter().take(64).map(|access| access.lane);
        assert!(accesses == 0 || lanes.eq(0..64));
        assert!(seen.accesses.iter().all(|access| access.size == 4));
    }
}

#[test]
fn hooks_end_launches_and_pass_faults() {
    let mut seen = Seen {
        answer: 7,
        ..Seen::default()
    };
    let data = (&raw mut seen).cast::<c_void>();
    let (status, _) = run(c"wave_start", None, Some(note), data, 128);
    assert_eq!(status, WAVETANK_ERROR_CANCELLED);
    assert_eq!(sentence(), "kernel `add` was stopped by a hook");
    assert_eq!(seen.calls.len(), 1);
    // The last 28 lanes are outside the buffer.
    for (answer, expected) in [(0, WAVETANK_ERROR_FAULT), (1, WAVETANK_OK)] {
        let mut seen = Seen {
            answer,
            ..Seen::default()
        };
        let data = (&raw mut seen).cast::<c_void>();
        let (status, out) = run(c"fault", None, Some(note), data, 100);
        assert_eq!(status, expected, "{}", sentence());
        assert!(
            seen.faults[0].contains("lane 36: a load of 4 bytes"),
            "{:?}",
            seen.faults
        );
        if status == WAVETANK_OK {
            // The load and the store.
            assert_eq!((seen.faults.len(), out), (2, added(100, 5)));
        }
    }
}

#[test]
fn wrong_hooks_are_errors() {
    let device = device(c"threads=1");
    let launch = launch(device);
    // SAFETY: a handle, texts, and a function that is not called.
    let add = |event: &CStr, options: &CStr, hook| unsafe {
        wavetank_launch_add_hook(launch, event.as_ptr(), options.as_ptr(), hook, null_mut())
    };
    for (event, options, hook, words) in [
        (c"start", c"", Some(note as _), "there is no event `start`"),
        (
            c"barrier",
            c"mnemonic=x",
            Some(note as _),
            "there is no option `mnemonic`",
        ),
        (
            c"instruction",
            c"kind=load",
            Some(note as _),
            "there is no option `kind`",
        ),
        (
            c"memory",
            c"kind=read",
            Some(note as _),
            "there is no kind `read`",
        ),
        (
            c"memory",
            c"space=vram",
            Some(note as _),
            "there is no space `vram`",
        ),
        (c"memory", c"range=5", Some(note as _), "`5` is not a range"),
        (c"fault", c"", None, "`function` is null"),
    ] {
        assert_eq!(
            add(event, options, hook),
            WAVETANK_ERROR_ARGUMENT,
            "{words}"
        );
        assert!(sentence().contains(words), "{}", sentence());
    }
    let status = add(c"instruction", c"function=other", Some(note));
    assert_eq!(status, WAVETANK_ERROR_NOT_FOUND);
    // SAFETY: handles.
    unsafe {
        let status = wavetank_launch_add_hook(
            null_mut(),
            c"fault".as_ptr(),
            null(),
            Some(note),
            null_mut(),
        );
        assert_eq!(status, WAVETANK_ERROR_HANDLE);
        ok(wavetank_launch_free(launch));
        ok(wavetank_device_free(device));
    }
}
