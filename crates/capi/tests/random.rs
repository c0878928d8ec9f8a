//! Random calls: with live, freed, null, foreign and made-up handles, and with sizes and numbers of all sorts. Each is done, or is an
//! error with a sentence; none ends the program, and none is a mistake of the library.

use std::ffi::{CStr, c_char};
use std::ptr::null;

use wavetank::SplitMix64;
use wavetank_c::wavetank_status::{self, *};
use wavetank_c::*;

use crate::common::sentence;

/// The calls of a run of the test.
const CALLS: usize = 20_000;
/// The live handles of a kind: from there on, one is freed before another is made.
const MAX_LIVE: usize = 6;

/// Handles, as numbers: those that may be live, and those that are not.
#[derive(Default)]
struct Handles {
    live: Vec<usize>,
    freed: Vec<usize>,
}

/// The kinds of handles, in an order of our own.
const KINDS: usize = 10;
const DEVICE: usize = 0;
const BUFFER: usize = 1;
const MODULE: usize = 2;
const KERNEL: usize = 3;
const LAUNCH: usize = 4;
const WAVE: usize = 5;
const ASSEMBLY: usize = 6;
const LISTING: usize = 7;
const EXPLANATION: usize = 8;
const FINDINGS: usize = 9;

const TEXTS: [&CStr; 12] = [
    c"",
    c"gfx906",
    c"gfx900",
    c"mi100",
    c"gfx1030",
    c"threads=1",
    c"kernel=add(global u32* x, u32 n); define=N=3",
    c"add",
    c"memory,wait",
    c"v_add_u32 v0, v1, v2\ns_endpgm",
    c"\xff\xfe",
    c"a;b=;=c;;",
];

struct Caller {
    random: SplitMix64,
    handles: [Handles; KINDS],
    /// Memory that calls read and write, as far as their sizes are right.
    memory: Vec<u64>,
    /// How often each code was returned.
    codes: [usize; 16],
}

impl Caller {
    fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A handle: usually a live one of the kind that is asked for.
    fn handle(&mut self, kind: usize) -> usize {
        let any = self.below(KINDS);
        let local = self.memory.as_ptr().expose_provenance();
        match self.below(16) {
            0 => 0,
            1 => local,
            2 => self.random.next_u64() as usize,
            3 => self.pick_freed(kind),
            4 => self.pick(any),
            5 => self.pick(kind) ^ 1 << self.below(64),
            _ => self.pick(kind),
        }
    }

    fn pick(&mut self, kind: usize) -> usize {
        let count = self.handles[kind].live.len();
        if count == 0 {
            return 0;
        }
        let n = self.below(count);
        self.handles[kind].live[n]
    }

    fn pick_freed(&mut self, kind: usize) -> usize {
        let count = self.handles[kind].freed.len();
        if count == 0 {
            return 0;
        }
        let n = self.below(count);
        self.handles[kind].freed[n]
    }

    /// A text, or null.
    fn text(&mut self) -> *const c_char {
        match self.below(14) {
            12 => null(),
            13 => crate::contract::ADD.as_ptr(),
            n => TEXTS[n].as_ptr(),
        }
    }

    /// A text: every other time one that is right.
    fn right_or(&mut self, right: &'static CStr) -> *const c_char {
        if self.one_in(2) {
            return right.as_ptr();
        }
        self.text()
    }

    /// A size of the memory, or one that is refused for the place that comes with it.
    fn size(&mut self) -> usize {
        let most = 8 * self.memory.len();
        match self.below(4) {
            0 => 0,
            1 => 4 * self.below(16),
            _ => self.below(most),
        }
    }

    /// A number of any size.
    fn number(&mut self) -> u64 {
        let bits = self.below(65) as u32;
        self.random.next_u64().checked_shr(bits).unwrap_or(0)
    }

    /// A place for results: null, or the memory.
    fn place<T>(&mut self) -> *mut T {
        if self.one_in(8) {
            return std::ptr::null_mut();
        }
        let start: *mut T = self.memory.as_mut_ptr().cast();
        // An address that is not aligned, now and then.
        start.wrapping_byte_add(usize::from(self.one_in(8)))
    }

    /// Checks the result of a call.
    #[track_caller]
    fn check(&mut self, status: wavetank_status) {
        self.codes[status as usize] += 1;
        assert_ne!(status, WAVETANK_ERROR_INTERNAL, "{}", sentence());
        assert!(status == WAVETANK_OK || !sentence().is_empty());
    }

    /// Makes an object, and keeps its handle.
    #[track_caller]
    fn make<T>(&mut self, kind: usize, call: impl FnOnce(*mut *mut T) -> wavetank_status) {
        while self.handles[kind].live.len() >= MAX_LIVE {
            self.free(kind);
        }
        let mut handle = std::ptr::without_provenance_mut(7);
        let status = call(&raw mut handle);
        assert_eq!(status == WAVETANK_OK, !handle.is_null());
        if !handle.is_null() {
            self.handles[kind].live.push(handle.addr());
        }
        self.check(status);
    }

    /// Frees a live handle.
    fn free(&mut self, kind: usize) {
        let count = self.handles[kind].live.len();
        if count == 0 {
            return;
        }
        let n = self.below(count);
        let handle = self.handles[kind].live.swap_remove(n);
        self.handles[kind].freed.push(handle);
        let status = free(kind, handle);
        assert_eq!(status, WAVETANK_OK, "{}", sentence());
    }
}

/// Frees a handle as one of a kind.
fn free(kind: usize, handle: usize) -> wavetank_status {
    // SAFETY: handles are not read as memory.
    unsafe {
        match kind {
            DEVICE => wavetank_device_free(as_handle(handle)),
            BUFFER => wavetank_buffer_free(as_handle(handle)),
            MODULE => wavetank_module_free(as_handle(handle)),
            KERNEL => wavetank_kernel_free(as_handle(handle)),
            LAUNCH => wavetank_launch_free(as_handle(handle)),
            WAVE => wavetank_wave_free(as_handle(handle)),
            ASSEMBLY => wavetank_assembly_free(as_handle(handle)),
            LISTING => wavetank_listing_free(as_handle(handle)),
            EXPLANATION => wavetank_explanation_free(as_handle(handle)),
            _ => wavetank_findings_free(as_handle(handle)),
        }
    }
}

fn as_handle<T>(number: usize) -> *mut T {
    std::ptr::without_provenance_mut(number)
}

impl Caller {
    /// Calls a function that makes an object.
    fn call_maker(&mut self) {
        let chip = self.right_or(c"gfx906");
        let options = self.right_or(c"threads=1");
        let size = self.size();
        let memory = self.memory.as_ptr().cast();
        let number = self.number();
        // SAFETY: texts end, sizes are those of the memory, and handles are not read as memory.
        unsafe {
            match self.below(13) {
                0 => self.make(DEVICE, |out| wavetank_device_create(chip, options, out)),
                1 => {
                    let other = as_handle(self.handle(DEVICE));
                    self.make(DEVICE, |out| {
                        wavetank_device_create_sharing(chip, options, other, out)
                    });
                }
                2 => {
                    let device = as_handle(self.handle(DEVICE));
                    // As much as the tests' machine has, or more than any has.
                    let bytes = if number >> 24 == 0 {
                        number
                    } else {
                        number | 1 << 60
                    };
                    self.make(BUFFER, |out| wavetank_buffer_create(device, bytes, out));
                }
                3 | 4 => {
                    let device = as_handle(self.handle(DEVICE));
                    let assembly = as_handle(self.handle(ASSEMBLY));
                    self.make(MODULE, |out| {
                        wavetank_module_load_assembly(device, assembly, out)
                    });
                }
                5 => {
                    let device = as_handle(self.handle(DEVICE));
                    self.make(MODULE, |out| {
                        wavetank_module_load(device, memory, size, out)
                    });
                }
                6 => {
                    let module = as_handle(self.handle(MODULE));
                    let index = self.below(3);
                    self.make(KERNEL, |out| wavetank_module_kernel_at(module, index, out));
                }
                7 => {
                    let kernel = as_handle(self.handle(KERNEL));
                    self.make(LAUNCH, |out| wavetank_launch_create(kernel, out));
                }
                8 => {
                    let device = as_handle(self.handle(DEVICE));
                    let lds = number as u32;
                    self.make(WAVE, |out| {
                        wavetank_wave_create(device, memory, size, lds, out)
                    });
                }
                9 => {
                    let source = self.right_or(crate::contract::ADD);
                    let options = self.right_or(crate::contract::SIGNATURE);
                    self.make(ASSEMBLY, |out| {
                        wavetank_assemble(source, chip, options, out)
                    });
                }
                10 => self.make(LISTING, |out| wavetank_disassemble(memory, size, chip, out)),
                11 => self.make(EXPLANATION, |out| wavetank_explain(options, chip, out)),
                _ => self.make(FINDINGS, |out| wavetank_check_code(memory, size, chip, out)),
            }
        }
    }

    /// Calls a function of launches.
    fn call_launch(&mut self) {
        let launch = as_handle(self.handle(LAUNCH));
        let buffer = as_handle(self.handle(BUFFER));
        let (index, number, size) = (self.below(3), self.number(), self.size());
        let memory = self.memory.as_ptr().cast();
        let small = self.below(200) as u32;
        let tools = self.text();
        // SAFETY: as above.
        let status = unsafe {
            match self.below(14) {
                0 => wavetank_launch_set_grid(launch, small, 1, 1),
                1 => wavetank_launch_set_block(launch, small, small % 3, small % 2),
                2 => wavetank_launch_set_dynamic_lds(launch, number as u32),
                3 => wavetank_launch_set_timeout(launch, f64::from_bits(number)),
                4 => wavetank_launch_set_counting(launch, number as i32),
                5 | 6 => wavetank_launch_set_buffer(launch, index, buffer),
                7 => wavetank_launch_set_address(launch, index, number),
                8 => wavetank_launch_set_lds(launch, index, number as u32),
                9 => wavetank_launch_set_value(launch, index, memory, size),
                10 => wavetank_launch_set_u32(launch, index, number as u32),
                11 => wavetank_launch_set_f64(launch, number as usize, 1.0),
                12 => wavetank_launch_cancel(launch),
                _ => {
                    let report = self.place();
                    wavetank_launch_run(launch, report, size)
                }
            }
        };
        self.check(status);
        // SAFETY: as above.
        self.make(FINDINGS, |out| unsafe {
            wavetank_launch_check(launch, tools, out)
        });
    }

    /// Calls a function that reads a property.
    fn call_reader(&mut self) {
        let kind = self.below(KINDS);
        let handle = self.handle(kind);
        let (index, size, number) = (self.below(3), self.size(), self.number());
        let name = self.text();
        // The memory is larger than all that they write.
        // SAFETY: as above; places are null, the memory, or one byte after its start, which is refused but for bytes.
        let status = unsafe {
            match self.below(16) {
                0 => wavetank_device_chip(as_handle(handle), self.place()),
                1 => wavetank_device_threads(as_handle(handle), self.place()),
                2 => wavetank_buffer_size(as_handle(handle), self.place()),
                3 => wavetank_buffer_address(as_handle(handle), self.place()),
                4 => wavetank_module_target(as_handle(handle), self.place()),
                5 => wavetank_module_kernel_count(as_handle(handle), self.place()),
                6 => {
                    let places = (self.place(), self.place());
                    wavetank_module_symbol(as_handle(handle), name, places.0, places.1)
                }
                7 => wavetank_kernel_get_info(as_handle(handle), self.place(), size),
                8 => wavetank_kernel_get_argument(as_handle(handle), index, self.place(), size),
                9 => wavetank_findings_get(as_handle(handle), index, self.place(), size),
                10 => wavetank_listing_get(as_handle(handle), index, self.place(), size),
                11 => wavetank_explanation_get(as_handle(handle), self.place(), size),
                12 => wavetank_last_fault(self.place(), size),
                13 => {
                    let places = (self.place(), self.place());
                    wavetank_assembly_code(as_handle(handle), places.0, places.1)
                }
                14 => wavetank_buffer_read(as_handle(handle), number, self.place(), size),
                _ => {
                    let data = self.place::<u8>().cast_const().cast();
                    wavetank_buffer_write(as_handle(handle), number, data, size)
                }
            }
        };
        self.check(status);
    }

    /// Calls a function of waves.
    fn call_wave(&mut self) {
        let wave = as_handle(self.handle(WAVE));
        let (register, number, size) = (self.below(600) as u32, self.number(), self.size());
        // SAFETY: as above.
        let status = unsafe {
            match self.below(9) {
                0 | 1 => wavetank_wave_step(wave, self.place()),
                2 => wavetank_wave_get(wave, register, self.place()),
                3 => wavetank_wave_set(wave, register, number),
                4 => wavetank_wave_get_vector(wave, register, self.place()),
                5 => wavetank_wave_set_vector(wave, register, self.place()),
                6 => wavetank_wave_next(wave, self.place(), size, self.place()),
                7 => wavetank_wave_read_lds(wave, number as u32, self.place(), size),
                _ => {
                    let data = self.place::<u8>().cast_const().cast();
                    wavetank_wave_write_lds(wave, number as u32, data, size)
                }
            }
        };
        self.check(status);
    }
}

/// Returns how often each code was returned.
fn calls(seed: u64) -> [usize; 16] {
    let mut random = SplitMix64::new(seed);
    let memory = (0..256).map(|_| random.next_u64()).collect();
    let mut caller = Caller {
        random,
        handles: Default::default(),
        memory,
        codes: [0; 16],
    };
    for _ in 0..CALLS / 4 {
        caller.call_maker();
        caller.call_launch();
        caller.call_reader();
        caller.call_wave();
        if caller.one_in(64) {
            let (kind, of) = (caller.below(KINDS), caller.below(KINDS));
            let handle = caller.handle(of);
            let status = free(kind, handle);
            caller.check(status);
            if status == WAVETANK_OK && handle != 0 {
                caller.handles[kind].live.retain(|live| *live != handle);
                caller.handles[kind].freed.push(handle);
            }
        }
    }
    for kind in 0..KINDS {
        while !caller.handles[kind].live.is_empty() {
            caller.free(kind);
        }
    }
    caller.codes
}

#[test]
fn random_calls_end_with_a_code() {
    let codes = calls(7);
    // The calls are not all refused at once: each of these codes has been there.
    for code in [
        WAVETANK_OK,
        WAVETANK_ERROR_ARGUMENT,
        WAVETANK_ERROR_HANDLE,
        WAVETANK_ERROR_NOT_FOUND,
        WAVETANK_ERROR_CODE,
        WAVETANK_ERROR_SOURCE,
        WAVETANK_ERROR_LAUNCH,
        WAVETANK_ERROR_FAULT,
        WAVETANK_ERROR_MEMORY,
        WAVETANK_ERROR_RANGE,
    ] {
        assert!(codes[code as usize] > 0, "{code:?}: {codes:?}");
    }
    assert!(codes[WAVETANK_OK as usize] > CALLS / 10, "{codes:?}");
}

/// Several threads make, use and free objects at once, and use those of each other.
#[test]
fn threads_may_free_what_others_use() {
    let device = crate::contract::device(c"threads=1");
    let launch = crate::contract::launch(device).expose_provenance();
    let shared = device.expose_provenance();
    let work = move |seed: u64| {
        let (device, launch) = (as_handle(shared), as_handle(launch));
        let mut random = SplitMix64::new(seed);
        for _ in 0..500 {
            let mut buffer = as_handle(0);
            // SAFETY: handles and places.
            unsafe {
                if wavetank_buffer_create(device, 4096, &raw mut buffer) != WAVETANK_OK {
                    break;
                }
                let wrong = [
                    wavetank_launch_set_buffer(launch, 0, buffer),
                    wavetank_launch_set_u32(launch, 1, random.next_u64() as u32),
                    wavetank_launch_run(launch, std::ptr::null_mut(), 0),
                    wavetank_buffer_free(buffer),
                ];
                let is_right = |status| matches!(status, WAVETANK_OK | WAVETANK_ERROR_HANDLE);
                assert!(wrong.into_iter().all(is_right), "{wrong:?}: {}", sentence());
            }
        }
        // SAFETY: a handle that others may have freed.
        unsafe { wavetank_launch_free(launch) }
    };
    let threads: Vec<_> = (0..4)
        .map(|seed| std::thread::spawn(move || work(seed)))
        .collect();
    let ends = threads
        .into_iter()
        .map(|thread| thread.join().expect("no panic"));
    let ends: Vec<wavetank_status> = ends.collect();
    let freed = ends.iter().filter(|status| **status == WAVETANK_OK);
    assert_eq!(freed.count(), 1, "{ends:?}");
    // SAFETY: a live handle.
    unsafe { crate::common::ok(wavetank_device_free(device)) };
}
