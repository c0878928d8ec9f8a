//! `wavetank launch`: arguments in, results out.

use std::fs;
use std::process::Command;

use crate::common::{
    LINES, MANDELBROT, REDUCE, VECADD, bundle, directory, outcome, shared, wavetank, wavetank_in,
    wavetank_with,
};
use serde_json::Value;

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

#[test]
fn raw_files_in_and_out() {
    let dir = directory("raw_files");
    fs::write(dir.join("a.bin"), floats((0..100).map(|i| i as f32))).unwrap();
    // The last of the two work-groups is partial, and the buffer for the result larger than what is written.
    let args = "--arg in:a.bin --arg iota:f32:100 --arg out:c.bin:404 --arg u32:100";
    let words = format!("launch {VECADD} vecadd --grid 100 --block 64 {args}");
    assert_eq!(wavetank_in(&dir, &words).success(), "");
    let wanted = floats((0..101).map(|i| if i < 100 { 2.0 * i as f32 } else { 0.0 }));
    assert_eq!(fs::read(dir.join("c.bin")).unwrap(), wanted);
}

#[test]
fn arrays_in_and_out() {
    let dir = directory("arrays");
    // Version 1.0 of NumPy's format: magic, version, length of the header, header, data.
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    let head = |text: &str| {
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend(format!("{text:<117}\n").bytes());
        file
    };
    let input = [head(text), floats([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])].concat();
    fs::write(dir.join("a.npy"), &input).unwrap();
    let args = "--arg in:a.npy --arg inout:a.npy:same.npy --arg out:c.npy:f32:6 --arg u32:6";
    let words = format!("launch {VECADD} --grid 6 --block 6 {args}");
    assert_eq!(wavetank_in(&dir, &words).success(), "");
    let same = fs::read(dir.join("same.npy")).unwrap();
    let header = String::from_utf8_lossy(&same[..128]).replace(' ', "");
    assert!(header.contains("'shape':(2,3,)"), "{header}");
    assert!(same.ends_with(&input[128..]));
    let sums = fs::read(dir.join("c.npy")).unwrap();
    assert_eq!(sums[..6], *b"\x93NUMPY");
    let header = String::from_utf8_lossy(&sums[..128]).replace(' ', "");
    assert!(
        header.contains("<f4") && header.contains("(6,)"),
        "{header}"
    );
    assert!(sums.ends_with(&floats([2.0, 4.0, 6.0, 8.0, 10.0, 12.0])));
}

#[test]
fn buffers_are_printed() {
    let args = "--arg iota:f32:10 --arg zero:40 --arg print:f32:10 --arg u32:9";
    let text = wavetank(&format!("launch {VECADD} --grid 10 --block 10 {args}")).success();
    let wanted = "arg2: 10 f32\n    0  0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0\n    8  8.0 0.0\n";
    assert_eq!(text, wanted);
}

#[test]
fn random_numbers_repeat_by_seed() {
    let run = |seed| {
        let args =
            format!("--arg rand:f32:64:{seed} --arg zero:256 --arg print:f32:64 --arg u32:64");
        wavetank(&format!("launch {VECADD} --grid 64 --block 64 {args}")).success()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// The result has room for 40 of 100 work-items: those of the first wave that come after them are told, and all of the
/// second.
#[test]
fn a_checked_kernel_goes_on_and_says_what_it_did() {
    let launch = |room: u32, options: &str| {
        let args =
            format!("--arg iota:f32:100 --arg iota:f32:100 --arg print:f32:{room} --arg u32:100");
        let words = format!("launch {VECADD} --grid 100 --block 64 {args} --threads 1 {options}");
        wavetank(&words)
    };
    let right = launch(100, "").success();
    let checked = launch(100, "--check");
    assert_eq!(checked.success(), right);
    assert_eq!(
        launch(100, "--check=memory --stop-at-first").success(),
        right
    );

    let outcome = launch(40, "--check");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    // 40 sums in rows of eight.
    let sums = right.lines().skip(1).take(5);
    assert!(outcome.stdout.lines().skip(1).eq(sums), "{outcome:?}");
    for part in [
        "error[memory/out-of-bounds]: a store of 4 bytes at 0x",
        "which is outside every allocation\n",
        "global_store_dword v[0:1], v2, off\n",
        "= note: work-group (0, 0, 0), wave 0, lanes 40 to 63\n",
        "= note: the nearest allocation is the buffer of argument 2",
        "= note: found 2 times\n",
        "\nerror: a mistake was found in kernel `vecadd`\n",
    ] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }

    let outcome = launch(40, "--check --stats");
    let stats: Value = serde_json::from_str(outcome.stdout.lines().last().unwrap()).unwrap();
    let found = &stats["findings"][0];
    assert_eq!(
        (&found["tool"], &found["rule"]),
        (&"memory".into(), &"out-of-bounds".into())
    );
    assert_eq!(
        (&found["times"], &found["at"]["symbol"]),
        (&2.into(), &"vecadd".into())
    );

    let outcome = launch(40, "--check --stop-at-first");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    for part in [
        "error[memory/out-of-bounds]: ",
        "error: kernel `vecadd` faulted at ",
    ] {
        assert!(outcome.stderr.contains(part), "{outcome:?}");
    }
    // What only reads code does not look at accesses.
    let error = launch(40, "--check=wait").stderr;
    assert!(error.contains("kernel `vecadd` faulted at "), "{error}");
    let error = launch(40, "--check=memry").stderr;
    assert!(error.contains("`memry` is not a tool"), "{error}");
}

#[test]
fn dynamic_lds_is_an_argument_of_opencl() {
    // 0 + 1 + … + 255, in one work-group with a dword of LDS for each work-item.
    let args = "--arg iota:u32:256 --arg print:u32:1 --arg u32:256 --arg lds:1024";
    let words = format!("launch {REDUCE} reduce_sum --grid 256 --block 256 {args}");
    assert_eq!(wavetank(&words).success(), "arg1: 1 u32\n    0  32640\n");
}

/// The samples of `examples` for chips before gfx9, as the README launches them.
/// Two waves trap with number 3, and go on behind it.
#[test]
fn waves_that_trap_go_to_a_function_of_the_file() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../wavetank/tests/data/trap-gfx900.hsaco"
    );
    let launch = format!("launch {file} --grid 128 --block 64 --arg print:u32:1");
    let handled = format!("{launch} --trap-handler handler --trap-memory print:u32:1");
    let wanted = "out: 1 u32\n    0  7\ntrap memory: 1 u32\n    0  6\n";
    assert_eq!(wavetank(&handled).success(), wanted);
    wavetank(&launch).failure(1, &["s_trap 3"]);
    let told = "--trap-handler nothing: there is no such function";
    wavetank(&format!("{launch} --trap-handler nothing")).refused(&[told]);
}

#[test]
fn older_chips_run_their_samples() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    // 0 + … + 63, 64 + … + 127, …
    let args = "--grid 256 --block 64 --arg iota:u32:256 --arg print:u32:4";
    let sums = wavetank(&format!("launch {examples}/sums-gfx700.hsaco {args}"));
    assert_eq!(
        sums.success(),
        "arg1: 4 u32\n    0  2016 6112 10208 14304\n"
    );
    // -2 - 1.2i leaves the circle at once, -1.2i in the third step, -2 is on it, and 0 never gets out.
    let args = "--grid 2,2 --block 2,2 --arg print:u32:4 --arg u32:2 --arg u32:2 --arg f32:-2 --arg f32:-1.2 \
                --arg f32:2 --arg f32:1.2 --arg u32:99";
    let mandel = wavetank(&format!(
        "launch {examples}/mandelbrot-gfx600.hsaco mandel {args}"
    ));
    assert_eq!(mandel.success(), "arg0: 4 u32\n    0  1 3 1 99\n");
}

#[test]
fn dynamic_lds_is_beside_the_arguments_in_hip() {
    let Some(file) = shared("hip/gfx900/suite.hsaco") else {
        return;
    };
    // The kernel turns a list around by way of `extern __shared__`.
    let dir = directory("dynamic_lds");
    let list = || (0..64).map(|i| i as f32);
    fs::write(dir.join("a.bin"), floats(list())).unwrap();
    // By the compiler's name, and by both of the source.
    for (n, kernel) in ["_Z8k_dynldsPf", "k_dynlds(float*)", "k_dynlds"]
        .iter()
        .enumerate()
    {
        let words = format!("--grid 64 --block 64 --arg inout:a.bin:b{n}.bin --arg lds:256");
        let words = format!("launch {file} {kernel} {words}");
        assert_eq!(wavetank_in(&dir, &words).success(), "");
        let turned = fs::read(dir.join(format!("b{n}.bin"))).unwrap();
        assert_eq!(turned, floats(list().rev()), "{kernel}");
    }
}

#[test]
fn halves_are_passed_by_value() {
    let Some(file) = shared("clang19-cov5/gfx900/half.hsaco") else {
        return;
    };
    // y = a * x + y for pairs of halves, y zero at first.
    let dir = directory("halves");
    let words = "haxpy --grid 2 --block 2 --arg iota:f16:4 --arg print:f16:4 --arg f16:1.5";
    let text = wavetank_in(&dir, &format!("launch {file} {words}")).success();
    assert!(text.ends_with("    0  0.0 1.5 3.0 4.5\n"), "{text}");
}

#[test]
fn every_object_version_gets_its_hidden_arguments() {
    for directory in [
        "clang15-cov2",
        "clang15-cov3",
        "clang15-cov4",
        "clang19-cov5",
    ] {
        let Some(file) = shared(&format!("{directory}/gfx900/vecadd.hsaco")) else {
            return;
        };
        let args = "--arg iota:f32:100 --arg iota:f32:100 --arg print:f32:100 --arg u32:100";
        let text = wavetank(&format!("launch {file} --grid 100 --block 32 {args}")).success();
        let sums: Vec<f32> = text
            .lines()
            .skip(1)
            .flat_map(|line| line.split_whitespace().skip(1))
            .map(|number| number.parse().unwrap())
            .collect();
        let wanted: Vec<_> = (0..100).map(|i| 2.0 * i as f32).collect();
        assert_eq!(sums, wanted, "{directory}");
    }
}

/// What is counted does not depend on who executes it; where code is compiled, all of it is that is asked to be.
#[test]
fn engines_count_alike() {
    let args = "--arg iota:f32:100 --arg zero:400 --arg zero:400 --arg u32:100";
    let stats = |engine: &str| -> Value {
        let words =
            format!("launch {VECADD} --grid 100 --block 64 --stats --engine {engine} {args}");
        serde_json::from_str(&wavetank(&words).success()).unwrap()
    };
    let [interpreted, compiled] = ["interpreter", "jit"].map(stats);
    for key in ["wave_instructions", "lane_instructions", "by_family"] {
        assert_eq!(interpreted[key], compiled[key], "{key}");
    }
    assert_eq!(interpreted["compiled"]["share"], 0.0);
    let regions = compiled["compiled"]["regions"].as_u64().unwrap();
    let share = if regions > 0 { 1.0 } else { 0.0 };
    assert_eq!(compiled["compiled"]["share"], share);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    assert_eq!(regions > 0, is_x86_feature_detected!("avx2"));
}

/// Where the system gives no memory for code, here since files must have no length, kernels are interpreted, after a sentence.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn without_memory_for_code_kernels_are_interpreted() {
    let args = "--arg iota:f32:100 --arg zero:400 --arg zero:400 --arg u32:100";
    let command = env!("CARGO_BIN_EXE_wavetank");
    let line = format!(
        "trap '' XFSZ; ulimit -f 0; exec {command} launch {VECADD} --grid 100 --block 64 --stats {args}"
    );
    let shell = std::process::Command::new("sh")
        .args(["-c", &line])
        .output();
    let output = shell.expect("there is a shell");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let stats: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stats["compiled"]["regions"], 0);
    let told = stderr.contains("kernels are interpreted: the system gives no memory for code");
    assert_eq!(told, is_x86_feature_detected!("avx2"), "{stderr}");
}

/// `dis --host` shows guest instructions, IR and host instructions of a kernel.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn compiled_code_can_be_read() {
    let outcome = wavetank(&format!("dis --host {VECADD} vecadd"));
    if !is_x86_feature_detected!("avx2") {
        return outcome.refused(&["kernels are not compiled on this machine"]);
    }
    let text = outcome.success();
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part}:\n{text}"))
    };
    assert!(at("s_load_dword") < at("v_add_f32"), "{text}");
    assert!(at("v_add_f32") < at(" = fadd.f32 "), "{text}");
    assert!(at(" = fadd.f32 ") < at("vaddps "), "{text}");
    let missing = wavetank(&format!("dis --host {VECADD} nothing"));
    missing.refused(&["nothing"]);
}

/// `WAVETANK_SIMD` chooses what kernels are compiled to as well.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn kernels_are_compiled_to_what_is_chosen() {
    if !is_x86_feature_detected!("avx2") {
        return println!("SKIP kernels_are_compiled_to_what_is_chosen: the processor has no AVX2");
    }
    let outcome = wavetank_with(
        "WAVETANK_SIMD",
        "avx2",
        &format!("dis --host {VECADD} vecadd"),
    );
    let text = outcome.success();
    assert!(
        text.contains("vaddps ymm") && !text.contains("zmm"),
        "{text}"
    );
    let outcome = wavetank_with(
        "WAVETANK_SIMD",
        "baseline",
        &format!("dis --host {VECADD} vecadd"),
    );
    outcome.refused(&["kernels are not compiled on this machine"]);
}

#[test]
fn statistics_are_one_json_object() {
    let args = "--arg iota:f32:100 --arg zero:400 --arg zero:400 --arg u32:100";
    let words = format!("launch {VECADD} --grid 100 --block 64 --threads 1 --stats {args}");
    let text = wavetank(&words).success();
    let stats: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<_> = stats
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "kernel",
            "gpu",
            "grid",
            "block",
            "threads",
            "waves",
            "wave_instructions",
            "lane_instructions",
            "by_family",
            "wall_seconds",
            "wave_instructions_per_second",
            "compiled"
        ]
    );
    assert_eq!(stats["kernel"], "vecadd");
    assert_eq!(stats["gpu"], "gfx900");
    assert_eq!(stats["grid"], serde_json::json!([100, 1, 1]));
    assert_eq!(stats["block"], serde_json::json!([64, 1, 1]));
    assert_eq!(stats["threads"], 1);
    assert_eq!(stats["waves"], 2);
    let families = stats["by_family"].as_object().unwrap();
    let names: Vec<_> = families.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "salu", "valu", "smem", "vmem", "flat", "lds", "branch", "other"
        ]
    );
    let sum: u64 = families.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(stats["wave_instructions"], sum);
    // Two loads and a store in each of the two waves.
    assert_eq!(stats["by_family"]["flat"], 6);
}

#[test]
fn traces_and_faults_name_lines() {
    let args = "--grid 64 --block 64 --arg zero:16 --arg zero:256 --arg u32:64";
    let out = wavetank(&format!("launch {LINES} lines {args} --trace"));
    assert_eq!(out.code, Some(1));
    for part in [
        "lines+0x0  s_load_dword s6, s[4:5], 0x10 // lines.cl:6:18\n",
        "s_load_dwordx4 s[0:3], s[4:5], 0x0 // lines.cl:6:18\n",
        "lines.h:6:9 in `store`, inlined at lines.h:10:5 in `put`, inlined at lines.cl:10:5): work-group",
    ] {
        assert!(out.stderr.contains(part), "{}", out.stderr);
    }
}

#[test]
fn traces_show_instructions_and_what_they_changed() {
    let args = "--arg iota:f32:64 --arg zero:256 --arg zero:256 --arg u32:64";
    let run = |filter: &str| {
        let words = format!("launch {VECADD} --grid 128 --block 64 {filter} {args}");
        let outcome = wavetank(&words);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(0), ""),
            "{outcome:?}"
        );
        outcome.stderr
    };
    let trace = run("--trace");
    assert!(trace.starts_with("[0:0:0 0] vecadd+0x0  s_load"), "{trace}");
    assert!(trace.trim_end().ends_with("s_endpgm"), "{trace}");
    // The values that lanes 8 to 15 loaded from 0, 1, 2, …
    let loaded = "[8..15] = 0x41000000 0x41100000 0x41200000 0x41300000 0x41400000 0x41500000 0x41600000 0x41700000";
    assert!(trace.contains(loaded), "{trace}");
    // The second work-group has no work-item below n.
    let trace = run("--trace=group=1,op=global_");
    let none = "wavetank: no instruction that was executed is one of --trace's\n";
    assert_eq!(trace, none);
    assert_eq!(run("--trace=group=999"), none);
    let trace = run("--trace=group=0..1,op=s_endpgm");
    assert_eq!(trace.lines().count(), 2, "{trace}");
    let trace = run("--trace=group=1:0:0,pc=0..0");
    assert!(trace.starts_with("[1:0:0 0] vecadd+0x0  s_load"), "{trace}");
}

#[test]
fn traces_are_selected_by_lines_of_the_source() {
    let args = "--grid 64 --block 64 --arg zero:16 --arg zero:256 --arg u32:64";
    let run =
        |filter: &str| wavetank(&format!("launch {LINES} lines {args} --trace={filter}")).stderr;
    let traced = |trace: &str| trace.lines().filter(|line| line.starts_with('[')).count();
    let line = run("line=6,src=lines.cl");
    assert!(traced(&line) > 0, "{line}");
    let others = line
        .lines()
        .filter(|l| l.starts_with('[') && !l.contains("lines.cl:6:"));
    assert_eq!(others.count(), 0, "{line}");
    // Line 10 of lines.cl calls what is inlined from lines.h.
    assert!(
        run("line=10,src=lines.cl").contains("// lines.h:11:17 in `put`, inlined at lines.cl:10:5")
    );
    assert_eq!(traced(&run("line=9000")), 0);
    assert_eq!(traced(&run("src=none.cl")), 0);
    assert!(traced(&run("src=lines.cl")) > traced(&line));
}

#[test]
fn traces_are_cut_to_lanes() {
    let args = "--arg iota:f32:64 --arg zero:256 --arg zero:256 --arg u32:64";
    let run = |filter: &str| {
        let words = format!("launch {VECADD} --grid 64 --block 64 {filter} {args}");
        wavetank(&words).stderr
    };
    // Lane 9 loaded 9.0, and its neighbours are not shown.
    let trace = run("--trace=lane=9,op=global_load");
    assert!(trace.contains("[9] = 0x41100000"), "{trace}");
    assert!(
        !trace.contains("0x41200000") && !trace.contains("[0.."),
        "{trace}"
    );
    // Scalar registers are not of a lane.
    assert!(run("--trace=lane=9,op=s_load").contains(" = 0x"));
}

#[test]
fn traces_are_lines_of_json() {
    let args = "--arg iota:f32:64 --arg zero:256 --arg zero:256 --arg u32:64";
    let words = format!("launch {VECADD} --grid 64 --block 64 {args} --trace=lane=9 --trace-json");
    let out = wavetank(&words);
    let steps: Vec<Value> = out
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let first = &steps[0];
    assert_eq!(first["group"], serde_json::json!([0, 0, 0]));
    assert_eq!((&first["wave"], &first["offset"]), (&0.into(), &0.into()));
    assert_eq!(first["symbol"], "vecadd");
    assert_eq!(steps.last().unwrap()["instruction"], "s_endpgm");
    let is_load = |step: &&Value| {
        step["instruction"]
            .as_str()
            .unwrap()
            .starts_with("global_load")
    };
    let load = steps.iter().find(is_load).expect("a load");
    let access = &load["accesses"][0];
    assert_eq!(access["kind"], "load");
    assert_eq!((&access["lane"], &access["bytes"]), (&9.into(), &4.into()));
    assert_eq!(
        load["changes"][0]["lanes"],
        serde_json::json!([[9, 0x4110_0000]])
    );
    let refused = wavetank(&format!(
        "launch {VECADD} --grid 64 --block 64 {args} --trace-json"
    ));
    assert_eq!(refused.code, Some(2));
}

#[test]
fn kernels_that_fail_exit_with_1() {
    let dir = directory("kernel_fails");
    let args = "--arg zero:256 --arg zero:256 --arg out:c.bin:256 --arg u32:1000";
    let words = format!("launch {VECADD} --grid 1000 --block 64 --stats {args}");
    let parts = [
        "kernel `vecadd` faulted",
        "global_load_dword",
        "lane 0",
        "argument 0 `float* arg0`",
    ];
    wavetank_in(&dir, &words).failure(1, &parts);
    assert!(!dir.join("c.bin").exists());
}

#[test]
fn kernels_that_hang_are_told_where() {
    // The point 0 never escapes: four billion iterations.
    let args = "--arg zero:4 --arg u32:1 --arg u32:1 --arg f32:0 --arg f32:0 --arg f32:0 --arg f32:0 --arg u32:4000000000";
    let words = format!("launch {MANDELBROT} mandel --grid 1 --block 1 {args} --timeout 0.2");
    let parts = [
        "did not end in time",
        "0 of 1 work-groups",
        "wave 0 runs at `",
        "mandel+0x",
    ];
    wavetank(&words).failure(1, &parts);
}

#[test]
fn bundles_are_picked_by_gpu() {
    let dir = directory("launch_bundle");
    fs::write(dir.join("bundle"), bundle()).unwrap();
    let args = "--arg iota:u32:256 --arg print:u32:1 --arg u32:256 --arg lds:1024";
    let words = format!("launch bundle --gpu gfx906 reduce_sum --grid 256 --block 256 {args}");
    let text = wavetank_in(&dir, &words).success();
    assert_eq!(text, "arg1: 1 u32\n    0  32640\n");
    let words = "launch bundle vecadd --grid 1 --block 1";
    wavetank_in(&dir, words).refused(&["choose one with --gpu (gfx900, gfx906)"]);
}

#[test]
fn what_is_no_instruction_is_named() {
    let dir = directory("no_instruction");
    let mut code = fs::read(VECADD).unwrap();
    // s_load_dword s2, s[4:5], 0x2c, the first instruction; in its place a word that no encoding has.
    let first = [0x82, 0x00, 0x02, 0xc0, 0x2c, 0x00, 0x00, 0x00];
    let at = code.windows(8).position(|word| word == first).unwrap();
    code[at..at + 4].fill(0xff);
    fs::write(dir.join("damaged"), code).unwrap();
    let args = "--arg zero:256 --arg zero:256 --arg zero:256 --arg u32:64";
    let words = format!("launch damaged --grid 64 --block 64 {args}");
    let parts = ["kernel `vecadd` stopped at", "vecadd+0x0", "0xffffffff"];
    wavetank_in(&dir, &words).failure(1, &parts);
}

#[test]
fn help_has_examples() {
    let commands = [
        "", "demo", "info", "launch", "run", "asm", "dis", "isa", "explain", "exec", "agents",
    ];
    for command in commands {
        let text = wavetank(&format!("{command} --help")).success();
        let examples = text.split("Examples:\n  ").nth(1).unwrap_or_default();
        let shown = examples.contains(&format!("wavetank {command}"));
        assert!(shown, "{command}: {text}");
        // Examples can be copied: none is broken to the width of the terminal.
        let after = text.split("Examples:").nth(1).unwrap();
        let broken = |line: &str| !line.is_empty() && !line.starts_with(' ');
        assert!(
            !after.split("\n\n").next().unwrap().lines().any(broken),
            "{text}"
        );
    }
}

#[test]
fn accesses_beyond_the_lds_are_told_on_stderr() {
    // The last of 256 work-items has no room for its dword.
    let args = "--arg iota:u32:256 --arg print:u32:1 --arg u32:256 --arg lds:1020";
    let words = format!("launch {REDUCE} reduce_sum --grid 256 --block 256 {args}");
    let told = wavetank(&words);
    // 0 + 1 + … + 254: what was to be the last summand is read as 0.
    assert_eq!(told.stdout, "arg1: 1 u32\n    0  32385\n");
    let first = "wavetank: kernel `reduce_sum` went beyond its LDS ";
    assert!(told.stderr.starts_with(first), "{}", told.stderr);
    assert_eq!(told.stderr.lines().count(), 1, "{}", told.stderr);
    let parts = [
        "wave 3, lane 63: a store of 4 bytes",
        "of an LDS of 1020 bytes",
    ];
    wavetank(&format!("{words} --strict")).failure(1, &parts);
}

#[test]
fn settings_of_the_environment_are_checked() {
    let words = format!("launch {VECADD} --grid 1 --block 1");
    for (name, value, wanted) in [
        ("WAVETANK_STRICT", "yes", "is neither 1 nor 0"),
        (
            "WAVETANK_STACK",
            "64K",
            "is not a number of bytes below 2^32",
        ),
    ] {
        let quoted = format!("{name}: {value:?}");
        wavetank_with(name, value, &words).refused(&[&quoted, wanted]);
    }
    let args = "--arg iota:f32:1 --arg iota:f32:1 --arg print:f32:1 --arg u32:1";
    let text = wavetank_with("WAVETANK_STACK", "65536", &format!("{words} {args}")).success();
    assert_eq!(text, "arg2: 1 f32\n    0  0.0\n");
    wavetank(&format!("{words} --stack much")).failure(2, &["--stack <BYTES>"]);
}

/// Four work-groups of 16 are added up, whichever way they are counted; a part of one is run, after a word.
#[test]
fn a_grid_is_counted_in_items_or_in_groups() {
    let sums = |size: &str| {
        let args = "--arg iota:f32:64 --arg iota:f32:64 --arg print:f32:64 --arg u32:64";
        wavetank(&format!("launch {VECADD} {size} --block 16 {args}"))
    };
    let all = sums("--grid 64").success();
    assert!(all.contains("126.0"), "{all}");
    assert_eq!(sums("--groups 4").success(), all);
    assert_eq!(sums("--groups 4,1,1").success(), all);
    let few = sums("--grid 4");
    assert_eq!(few.code, Some(0), "{few:?}");
    assert_eq!(
        few.stderr,
        "note: --grid counts work-items: 4 is a part of one work-group of 16; for 4 groups of 16 write --grid 64, or --groups 4\n"
    );
    assert!(few.stdout.contains("    0  0.0 2.0 4.0 6.0 0.0"), "{few:?}");
    sums("--grid 64 --groups 4").failure(2, &["cannot be used with"]);
    sums("--groups 4294967295").refused(&["--groups 4294967295 of --block 16", "2^32"]);
    let words = format!("launch {VECADD} --groups 4");
    wavetank(&words).failure(2, &["--block"]);
}

/// Every work-group stores to address 0 at its end, and later ones end sooner.
const FAULTS: &str = "
faults:
    v_mov_b32 v1, 0
    v_mov_b32 v2, 0
    s_sub_u32 s4, 64, s2
    s_lshl_b32 s4, s4, 10
loop:
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 loop
    global_store_dword v[1:2], v0, off
    s_endpgm
";

fn faults(test: &str) -> std::path::PathBuf {
    let dir = directory(test);
    fs::write(dir.join("faults.s"), FAULTS).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    let kernel = ["--kernel", "faults(u32 n)", "-o", "faults.co"];
    let words = command.args(["asm", "faults.s"]).args(kernel);
    assert_eq!(outcome(words.current_dir(&dir)).success(), "");
    dir
}

const MANY: &str = "launch faults.co --groups 64 --block 64 --arg u32:1";

#[test]
fn of_many_faults_that_of_the_first_work_group_is_told() {
    let dir = faults("many_faults");
    for threads in [1, 2, 8, 32] {
        for _ in 0..10 {
            let words = format!("{MANY} --threads {threads}");
            let parts = ["kernel `faults` faulted at ", "work-group (0, 0, 0)"];
            wavetank_in(&dir, &words).failure(1, &parts);
        }
    }
}

#[test]
fn a_trace_takes_one_thread() {
    let dir = faults("traced_faults");
    for (threads, note) in [
        ("", ""),
        ("--threads 8", "note: --threads 8 is taken as 1: "),
    ] {
        for _ in 0..5 {
            let out = wavetank_in(&dir, &format!("{MANY} {threads} --trace=op=global_"));
            assert_eq!(out.code, Some(1), "{out:?}");
            let lines: Vec<&str> = out.stderr.lines().collect();
            let (first, last) = (lines[0], lines[lines.len() - 1]);
            assert!(first.starts_with(note), "{first}");
            assert!(last.contains("work-group (0, 0, 0)"), "{last}");
            assert_eq!(note.is_empty(), !first.starts_with("note"), "{first}");
        }
    }
    // The one before it can be seen.
    let out = wavetank_in(&dir, &format!("{MANY} --trace=op=s_lshl"));
    let traced = out.stderr.starts_with("[0:0:0 0] faults+0x");
    assert!(
        traced && out.stderr.contains("s_lshl_b32 s4, s4, 10"),
        "{out:?}"
    );
}

#[test]
fn a_trace_that_is_lost_is_told() {
    let args = "--arg zero:256 --arg zero:256 --arg zero:256 --arg u32:64";
    let words = format!("launch {VECADD} --grid 64 --block 64 {args} --trace");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetank"));
    let status = command.args(words.split_whitespace()).stderr(full).status();
    assert_eq!(status.unwrap().code(), Some(2));
}
