//! Kernels that fail: each gives one clear sentence.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::each;
use wavetank::{
    Arg, Change, Chip, Device, Error, Group, MemKind, MemoryKind, Packet, Step, object,
};
use wavetank_machine::Fault;

#[test]
fn a_store_past_the_end_names_lane_and_buffer() {
    each("vecadd", |b| {
        let input = b.device.buffer_zeroed(4 * 256).unwrap();
        let out = b.device.buffer_zeroed(4 * 200).unwrap();
        let kernel = b.module.kernel("vecadd").unwrap();
        let dispatch = kernel.dispatch().grid(256).block(128);
        let error = dispatch
            .args(args![&input, &input, &out, 256u32])
            .run()
            .unwrap_err();
        assert!(error.is_kernel_failure());
        let text = error.to_string();
        let Error::Fault(fault) = error else {
            panic!("{text}")
        };
        // Item 200 is lane 8 of the second wave of the second group.
        assert_eq!(
            (fault.group.id, fault.wave),
            ([1, 0, 0], 1),
            "{}: {text}",
            b.label
        );
        let Fault::Memory(memory) = &fault.fault else {
            panic!("{text}")
        };
        assert_eq!(
            (memory.lane, memory.address, memory.bytes),
            (Some(8), out.address() + 800, 4)
        );
        assert!(text.starts_with("kernel `vecadd` faulted at `"), "{text}");
        assert!(text.contains("_store_dword"), "{text}");
        assert!(text.contains("(vecadd+0x"), "{text}");
        assert!(
            text.contains("work-group (1, 0, 0), wave 1, lane 8: a store of 4 bytes at 0x"),
            "{text}"
        );
        assert!(text.contains("the buffer of argument 2 `"), "{text}");
        let end = "which ends directly before it; an element for each work-item takes 1024 bytes";
        assert!(text.ends_with(end), "{text}");
    });
}

#[test]
fn a_null_pointer_cannot_be_read() {
    each("vecadd", |b| {
        let input = b.device.buffer_zeroed(256).unwrap();
        let kernel = b.module.kernel("vecadd").unwrap();
        let mut args = args![&input];
        args.push(wavetank::Arg::Pointer(0));
        args.extend(args![&input, 64u32]);
        let dispatch = kernel.dispatch().grid(64).block(64).args(args);
        let text = dispatch.run().unwrap_err().to_string();
        assert!(
            text.contains("lane 0: a load of 4 bytes at 0x0, which is outside every allocation"),
            "{}: {text}",
            b.label
        );
    });
}

#[test]
fn a_kernel_may_not_write_its_code() {
    each("vecadd", |b| {
        let input = b.device.buffer_zeroed(256).unwrap();
        let kernel = b.module.kernel("vecadd").unwrap();
        let mut args = args![&input, &input];
        args.push(wavetank::Arg::Pointer(
            b.module.address_of(kernel.info().entry),
        ));
        args.extend(args![64u32]);
        let error = kernel
            .dispatch()
            .grid(64)
            .block(64)
            .args(args)
            .run()
            .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("a store of 4 bytes"), "{}: {text}", b.label);
        assert!(text.contains("the code ("), "{}: {text}", b.label);
    });
}

/// Turns a list of 200 around by way of LDS, of which there is half as much: items 100 to 199 write beyond it, items 0 to
/// 99 read there.
#[test]
fn accesses_beyond_the_lds_are_reported() {
    each("suite", |b| {
        let list: Vec<f32> = (1..=200).map(|i| i as f32).collect();
        let run = |device: &Device| {
            let module = device.load(b.module.object().bytes()).unwrap();
            let kernel = module.kernel("_Z8k_dynldsPf").unwrap();
            let buffer = device.buffer_from(&list).unwrap();
            let dispatch = |lds| {
                let dispatch = kernel.dispatch().grid(200).block(200).arg(&buffer);
                dispatch.dynamic_lds(lds).run()
            };
            assert_eq!(dispatch(800).unwrap().lds_overruns, None);
            buffer.write_at(0, &list).unwrap();
            (dispatch(400), buffer.read::<f32>().unwrap())
        };
        let builder = || Device::builder(b.device.chip()).threads(1);
        let (report, turned) = run(&builder().strict(false).build().unwrap());
        let beyond = |i: usize| i < 100;
        let wanted: Vec<f32> = (0..200)
            .map(|i| if beyond(i) { 0.0 } else { list[199 - i] })
            .collect();
        assert_eq!(turned, wanted, "{}", b.label);
        let overrun = report.unwrap().lds_overruns.unwrap();
        // The first wave only reads beyond: its lane 0 what item 199 would have written.
        assert_eq!(
            (overrun.count, overrun.wave, overrun.lane, overrun.offset),
            (200, 0, 0, 796),
            "{}: {overrun}",
            b.label
        );
        assert_eq!((overrun.bytes, overrun.lds_bytes), (4, 400));
        let text = overrun.to_string();
        assert!(
            text.starts_with(
                "kernel `k_dynlds(float*)` went beyond its LDS 200 times, first at `ds_read_b32"
            ),
            "{text}"
        );

        let (report, _) = run(&builder().strict(true).build().unwrap());
        let text = report.unwrap_err().to_string();
        let wanted = "wave 1, lane 36: a store of 4 bytes at offset 400 of an LDS of 400 bytes";
        assert!(text.contains(wanted), "{}: {text}", b.label);
    });
}

/// A packet that requests 64 bytes of stack for a recursion whose frames need more, and a device that adds to them.
#[test]
fn a_stack_that_overflows_names_depth_size_and_calls() {
    each("suite", |b| {
        let run = |more: u32| {
            let device = Device::builder(b.device.chip())
                .stack(more)
                .build()
                .unwrap();
            let module = device.load(b.module.object().bytes()).unwrap();
            let kernel = module.kernel("_Z9k_recursePi").unwrap();
            let out = device.buffer_zeroed(4 * 64).unwrap();
            let kernarg = device.buffer_from(&[out.address()]).unwrap();
            let memory = device.buffer_zeroed(64).unwrap();
            let packet = Packet {
                address: memory.address(),
                queue: memory.address(),
                kernarg: kernarg.address(),
                id: 0,
                private_segment_size: 64,
                group_segment_size: 0,
            };
            let dispatch = kernel.dispatch().grid(64).block(64).packet(packet);
            (dispatch.run(), out.read::<i32>().unwrap())
        };
        let (_, out) = run(4096);
        // Ackermann's function: A(2, n) = 2n + 3.
        let wanted: Vec<i32> = (0..64).map(|n| 2 * (n & 3) + 3).collect();
        assert_eq!(out, wanted, "{}", b.label);
        let text = run(0).0.unwrap_err().to_string();
        for part in [
            "lane 0: stack overflow: a store of 4 bytes at offset ",
            " of the work-item's stack, which has 64 bytes; called by ack(int, int)",
            ", k_recurse(int*); `launch --stack BYTES`",
        ] {
            assert!(text.contains(part), "{}: {text}", b.label);
        }
    });
}

/// `data/recursion.cl`, compiled for gfx900 by clang 19 without optimisation, which says that the stack is not dynamic.
const RECURSION: &[u8] = include_bytes!("data/recursion-gfx900.hsaco");

/// More stack helps a recursion, and an index that is out of range is still reported as one.
#[test]
fn an_uncounted_recursion_is_not_an_index_out_of_range() {
    let run = |name: &str, more: u32, at: i32| {
        let device = Device::builder(Chip::Gfx900).stack(more).build().unwrap();
        let out = device.buffer_zeroed(4 * 64).unwrap();
        let kernel = device.load(RECURSION).unwrap().kernel(name).unwrap();
        let mut args = args![&out];
        if name == "beyond" {
            args.push(at.into());
        }
        let ran = kernel.dispatch().grid(64).block(64).args(args).run();
        ran.map(|_| out.read::<i32>().unwrap())
            .map_err(|error| error.to_string())
    };
    let sums: Vec<i32> = (0..64).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(run("sums", 64 << 10, 0), Ok(sums));
    let error = run("sums", 0, 0).unwrap_err();
    let parts = [
        "stack overflow",
        "called by sum",
        "; a function calls itself, and the compiler did not count that, as none does without optimisation: \
         `launch --stack BYTES`",
    ];
    for part in parts {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(run("beyond", 0, 3).unwrap()[0], 4);
    let error = run("beyond", 0, 1000).unwrap_err();
    assert!(
        error.ends_with("so an index into a private array is out of range"),
        "{error}"
    );
}

#[test]
fn time_runs_out() {
    each("bench", |b| {
        let out = b.device.buffer_zeroed(4 * 512).unwrap();
        let kernel = b.module.kernel("fmaloop").unwrap();
        let dispatch = || {
            kernel
                .dispatch()
                .grid(512)
                .block(256)
                .args(args![&out, u32::MAX])
        };
        let error = dispatch()
            .timeout(Duration::from_millis(50))
            .run()
            .unwrap_err();
        let Error::Timeout(timeout) = &error else {
            panic!("{error}")
        };
        assert_eq!((timeout.groups_done, timeout.groups), (0, 2), "{}", b.label);
        assert!(!timeout.waves.is_empty());
        let (_, place) = &timeout.waves[0];
        assert_eq!(place.symbol.as_ref().unwrap().0, "fmaloop");
        assert!(error.to_string().contains("wave 0 runs at `"), "{error}");

        let cancel = AtomicBool::new(false);
        std::thread::scope(|s| {
            s.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                cancel.store(true, Ordering::Relaxed);
            });
            assert!(matches!(
                dispatch().cancel(&cancel).run(),
                Err(Error::Timeout(_))
            ));
        });
    });
}

#[test]
fn instructions_are_counted_by_family() {
    each("bench", |b| {
        let out = b.device.buffer_zeroed(4 * 512).unwrap();
        let kernel = b.module.kernel("fmaloop").unwrap();
        let run = |n: u32| {
            let dispatch = kernel.dispatch().grid(512).block(256).args(args![&out, n]);
            let report = dispatch.count(true).run().unwrap();
            assert_eq!((report.groups, report.waves), (2, 8));
            report.instructions.unwrap()
        };
        let count = |n| {
            let counts = run(n);
            let families: Vec<u64> = counts.by_family().map(|(_, n)| n).collect();
            assert_eq!(counts.waves(), families.iter().sum::<u64>());
            (families[1], counts.lanes)
        };
        let (few, many) = (count(10), count(110));
        // Each turn of the loop has eight FMAs and always the same in each of eight waves.
        let more = many.0 - few.0;
        assert!(more >= 6400 && more % 800 == 0, "{}: {more}", b.label);
        assert!(many.1 - few.1 >= 100 * 8 * 8 * 64);
    });
}

#[test]
fn a_trace_has_every_instruction_of_the_chosen_waves() {
    each("vecadd", |b| {
        // Without optimisation a kernel keeps what it has in scratch, and touches more than its buffers.
        if b.label.starts_with("O0") {
            return;
        }
        let x = b.device.buffer_from(&[1.5f32; 256]).unwrap();
        let out = b.device.buffer_zeroed(1024).unwrap();
        let kernel = b.module.kernel("vecadd").unwrap();
        let steps = Mutex::new(Vec::new());
        let chosen = |group: &Group, wave: u32| (group.index, wave) == (1, 1);
        let sink = |step: Step| steps.lock().unwrap().push(step);
        let dispatch = kernel.dispatch().grid(256).block(128).trace(&chosen, &sink);
        let args = args![&x, &x, &out, 256u32];
        let report = dispatch.args(args).count(true).run().unwrap();
        assert_eq!(out.read::<f32>().unwrap(), [3.0; 256]);
        let steps = steps.into_inner().unwrap();
        // Four waves run the same instructions.
        assert_eq!(
            4 * steps.len() as u64,
            report.instructions.unwrap().waves(),
            "{}",
            b.label
        );
        assert!(steps.iter().all(|s| (s.group.index, s.wave) == (1, 1)));
        let text = |s: &Step| s.place.instruction.clone().unwrap();
        assert_eq!(text(steps.last().unwrap()), "s_endpgm");
        let add = steps
            .iter()
            .find(|s| text(s).starts_with("v_add_f32"))
            .unwrap();
        let [Change::Vector { lanes, values, .. }] = &add.changes[..] else {
            panic!("{}: {add:?}", b.label)
        };
        assert_eq!((*lanes, **values), (!0, [3.0f32.to_bits(); 64]));
        assert_eq!(add.accesses, []);
        // Work-item 192 and those after it add x to itself.
        // Of whatever family the chip has: global, flat, or buffers with addresses of 64 bits.
        let store = steps.iter().find(|s| text(s).contains("_store_"));
        let stored = store.unwrap().accesses.iter().map(|t| {
            assert_eq!(
                (t.kind, t.memory, t.bytes),
                (MemKind::Store, MemoryKind::Global, 4)
            );
            (t.lane, t.address)
        });
        let wanted = (0..64).map(|l| (Some(l), out.address() + 4 * (192 + u64::from(l))));
        assert!(stored.eq(wanted), "{}: {store:?}", b.label);
        let is_load = |s: &&Step| text(s).contains("_load_") && !text(s).starts_with("s_");
        let loads = steps.iter().filter(is_load);
        let loaded: Vec<_> = loads.flat_map(|s| &s.accesses).map(|t| t.address).collect();
        let x = (0..64).map(|l| x.address() + 4 * (192 + l));
        assert!(x.clone().chain(x).eq(loaded), "{}", b.label);
    });
}

#[test]
fn one_thread_repeats_bit_for_bit() {
    each("atomics", |b| {
        let run = || {
            let device = wavetank::Device::builder(b.device.chip())
                .threads(1)
                .build()
                .unwrap();
            let module = device.load(b.module.object().bytes()).unwrap();
            let p = device.buffer_zeroed(40).unwrap();
            let f = device.buffer_zeroed(4).unwrap();
            let u = device.buffer_zeroed(4 * 1027).unwrap();
            let kernel = module.kernel("gatomics").unwrap();
            let dispatch = kernel
                .dispatch()
                .grid(1000)
                .block(250)
                .args(args![&p, &f, &u]);
            dispatch.run().unwrap();
            (p.read::<u32>().unwrap(), u.read::<u32>().unwrap())
        };
        assert_eq!(run(), run(), "{}", b.label);
    });
}

#[test]
fn files_for_other_chips_are_refused() {
    each("vecadd", |b| {
        let other = wavetank::Device::new(wavetank::Chip::Gfx90c).unwrap();
        let error = other.load(b.module.object().bytes()).err().unwrap();
        assert!(
            matches!(error, Error::Object(object::Error::TargetMissing { .. })),
            "{error}"
        );
    });
}

/// `data/lines.cl` of the crate `object`, compiled for gfx900 by clang 19 with `-g`.
const LINES: &[u8] = include_bytes!("../../object/tests/data/lines-gfx900.hsaco");

/// The message of a run that fails.
fn failure(code: &[u8], kernel: &str, args: impl Fn(&Device) -> Vec<Arg>) -> String {
    let device = Device::new(Chip::Gfx900).unwrap();
    let kernel = device.load(code).unwrap().kernel(kernel).unwrap();
    let dispatch = kernel.dispatch().grid(64).block(64).args(args(&device));
    dispatch.run().unwrap_err().to_string()
}

/// The lines are those of `llvm-symbolizer --inlines`.
#[test]
fn faults_and_traps_name_the_line() {
    let error = failure(LINES, "lines", |device| {
        let (out, numbers) = (device.buffer_zeroed(16), device.buffer_zeroed(256));
        args![&out.unwrap(), &numbers.unwrap(), 64u32]
    });
    let place = ", lines.h:6:9 in `store`, inlined at lines.h:10:5 in `put`, inlined at lines.cl:10:5): work-group";
    assert!(
        error.contains("(lines+0x40, pc 0x") && error.contains(place),
        "{error}"
    );
    let error = failure(LINES, "checked", |device| {
        args![&device.buffer_zeroed(256).unwrap(), 10u32]
    });
    let place = ", lines.h:16:9 in `check`, inlined at lines.cl:14:5) (work-group";
    assert!(
        error.contains("hit trap 2") && error.contains(place),
        "{error}"
    );
}

#[test]
fn broken_dwarf_hides_no_fault() {
    let mut code = LINES.to_vec();
    let name = code.windows(8).position(|at| at == b"lines.cl").unwrap();
    // What follows the code in this file is DWARF, up to the names of sections.
    let args = |device: &Device| args![&device.buffer_zeroed(256).unwrap(), 10u32];
    let sound = failure(&code, "checked", args);
    let dwarf = object::open(LINES, None)
        .unwrap()
        .segments()
        .iter()
        .map(|s| s.file_offset + s.file_size)
        .max();
    code[dwarf.unwrap() as usize..name].fill(0xff);
    let error = failure(&code, "checked", args);
    let (before, after) = (
        error.find(", pc").unwrap(),
        error.find(") (work-group").unwrap(),
    );
    assert_eq!(error[..before], sound[..before]);
    assert!(!error[..after].contains("lines"), "{error}");
}
