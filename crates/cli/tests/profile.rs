//! `wavetank profile` of stored profiles.

use std::path::PathBuf;
use std::process::Command;

use wavetank::ChipFacts;
use wavetank_profile::model::*;
use wavetank_profile::{peaks, report};
use wavetank_source::Sources;

use crate::common::{directory, wavetank, wavetank_in};

/// A kernel of 8 waves that loads a float for each work-item, so many lines of 64 bytes a wave.
fn kernel(name: &str, lines: u64) -> Kernel {
    let frame = Frame {
        function: name.into(),
        file: "k.hip".into(),
        line: 2,
        column: 15,
    };
    let instruction = |address, text: &str, class| Instruction {
        address,
        function: name.into(),
        text: text.into(),
        class,
        frames: vec![frame.clone()],
        executions: 8,
        lanes: vec![(64, 8)],
        parts: 0,
        operations: 0,
        operands: String::new(),
        memory: Vec::new(),
        wait: None,
    };
    let mut load = instruction(0x100, "global_load_dword v1, v0, s[0:1]", Class::Memory);
    load.memory.push(Memory {
        space: Space::Global,
        kind: Kind::Load,
        accesses: 8,
        lanes: 512,
        bytes: 2048,
        different_bytes: 2048,
        lines_64: 8 * lines,
        lines_128: 4 * lines,
        least_lines_64: 32,
        bank_cycles: 0,
        least_bank_cycles: 0,
        collisions: 0,
    });
    Kernel {
        symbol: name.into(),
        name: format!("{name}(float*)"),
        chip: "gfx900".into(),
        launches: 1,
        failed: 0,
        groups: 64,
        waves: 8,
        work_items: 512,
        host_seconds: 0.0,
        shapes: vec![Shape {
            grid: [512, 1, 1],
            block: [64, 1, 1],
            lds_bytes: 0,
            launches: 1,
        }],
        resources: Resources::default(),
        occupancy: Occupancy {
            waves_per_simd: 10,
            most_waves_per_simd: 10,
            groups_per_unit: 40,
            limit: "waves".into(),
        },
        instructions: vec![load, instruction(0x108, "s_endpgm", Class::Other)],
    }
}

fn profile(kernels: Vec<Kernel>) -> Profile {
    let event = |n| Event {
        track: "queue 1".into(),
        name: "a launch".into(),
        kind: EventKind::Kernel,
        begin: 10 * n as u64,
        end: 10 * n as u64 + 5,
        kernel: Some(n),
        bytes: None,
    };
    Profile {
        version: VERSION,
        made_by: "a test".into(),
        program: vec!["./a.out".into()],
        timeline: Timeline {
            events: (0..kernels.len()).map(event).collect(),
            left_out: 0,
        },
        kernels,
    }
}

/// Returns a folder with `old.json`, of two good kernels, and `new.json`, in which `gather` touches a line for each lane.
fn folder(test: &str) -> PathBuf {
    let folder = directory(test);
    let write = |name: &str, lines| {
        let file = std::fs::File::create(folder.join(name)).expect("a file");
        let profile = profile(vec![kernel("axpy", 4), kernel("gather", lines)]);
        profile.write(file).expect("it is written");
    };
    write("old.json", 4);
    write("new.json", 64);
    let source = "__global__ void gather(float* a) {\n    float v = a[threadIdx.x * 16];\n}\n";
    std::fs::write(folder.join("k.hip"), source).expect("a source");
    folder
}

#[test]
fn the_text_has_table_figures_and_advice() {
    let folder = folder("profile-text");
    let text = wavetank_in(&folder, "profile new.json").success();
    for part in [
        "50 %            16         1      8  100 %       6.2 %              -       10/10  gather(float*)",
        "gather(float*)\n  launches       1 on gfx900, mostly a grid of 512x1x1",
        "advice[coalescing]: each wave touches 64 lines where 4 would do",
        " --> k.hip:2:15\n  |\n2 |     float v = a[threadIdx.x * 16];\n  |               ^ 100 % of the kernel's lines",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let one = wavetank_in(&folder, "profile --kernel ax* --top 1 new.json").success();
    assert!(
        one.contains("axpy(float*)") && !one.contains("gather"),
        "{one}"
    );
    let missing = wavetank_in(&folder, "profile --kernel nothing new.json");
    missing
        .refused(&["no kernel of the profile fits `nothing`; it has axpy(float*), gather(float*)"]);
}

#[test]
fn counts_that_grow_fail() {
    let folder = folder("profile-compare");
    let same = wavetank_in(&folder, "profile --compare old.json old.json").success();
    assert_eq!(same, "no count differs\n");
    // 480 lines more than 64 in sum, than 32 in the kernel.
    let grown = wavetank_in(&folder, "profile --compare old.json --by 5% new.json");
    assert_eq!(grown.code, Some(1));
    assert_eq!(grown.stderr, "error: 4 counts grew by more than 5 %\n");
    for part in [
        "lines of 64 bytes    64  544   +750.0 %  grew  all",
        "+1500.0 %  grew  gather(float*)",
    ] {
        assert!(grown.stdout.contains(part), "{part}: {}", grown.stdout);
    }
    let allowed = wavetank_in(&folder, "profile --compare old.json --by 1500 new.json");
    assert!(allowed.success().contains("+1500.0 %"));
    let less = wavetank_in(&folder, "profile --compare new.json old.json").success();
    assert!(less.contains("-93.8 %"), "{less}");
    let of_axpy = wavetank_in(&folder, "profile --compare old.json --kernel axpy new.json");
    assert_eq!(of_axpy.success(), "no count differs\n");
    wavetank_in(&folder, "profile --compare old.json --by five new.json")
        .failure(2, &["--by", "such as 5%"]);
}

#[test]
fn files_are_written() {
    let folder = folder("profile-files");
    let text = wavetank_in(
        &folder,
        "profile -o out --html a.html --trace a.pftrace new.json",
    )
    .success();
    assert_eq!(
        text,
        "written: out/profile.json, out/profile.html, out/kernels.csv, out/profile.pftrace, a.html, a.pftrace\n"
    );
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file");
    assert_eq!(read("out/profile.json"), read("new.json"));
    assert_eq!(read("out/profile.html"), read("a.html"));
    assert_eq!(read("out/profile.pftrace"), read("a.pftrace"));
    assert_eq!(
        wavetank_in(&folder, "profile --json new.json")
            .success()
            .into_bytes(),
        read("new.json")
    );
    let csv = wavetank_in(&folder, "profile --csv new.json").success();
    assert!(csv.starts_with("KernelName,Calls,grd,wgr,"), "{csv}");
    assert_eq!(csv.as_bytes(), read("out/kernels.csv"));
    assert!(String::from_utf8_lossy(&read("a.html")).contains("threadIdx.x * 16"));
}

#[test]
fn other_files_are_refused() {
    let folder = folder("profile-refused");
    std::fs::write(folder.join("other.json"), "{\"version\": 7}").expect("a file");
    wavetank_in(&folder, "profile k.hip").refused(&["k.hip: the file is not a profile: "]);
    wavetank_in(&folder, "profile other.json").refused(&["version 7", "version 1"]);
    wavetank_in(&folder, "profile absent.json").refused(&["cannot read absent.json"]);
}

#[test]
fn rules_are_explained() {
    let list = wavetank("profile --explain").success();
    assert!(
        list.lines().any(|line| line.starts_with("lds-banks ")),
        "{list}"
    );
    let page = wavetank("profile --explain lds-banks").success();
    assert!(
        page.starts_with("# lds-banks\n") && page.contains("## Threshold\n"),
        "{page}"
    );
    wavetank("profile --explain lds-bank").refused(&["did you mean `lds-banks`?"]);
}

/// Peaks are units times 64 lanes times 2 operations times the clock, twice that with matrix units or pairs of numbers, and the data
/// rate of the memory: twice its clock, or four times that of GDDR5. Products differ in their clocks.
#[test]
fn peaks_are_those_of_the_chips() {
    for facts in ChipFacts::ALL {
        let peaks =
            peaks::peaks(facts.chip.name()).unwrap_or_else(|| panic!("{}", facts.chip.name()));
        assert_eq!(peaks.compute_units, facts.compute_units, "{}", peaks.chip);
        let near = |published: f64, computed: f64, factors: [f64; 2]| {
            factors
                .iter()
                .any(|factor| (published / (computed * factor) - 1.0).abs() < 0.13)
        };
        let vector = f64::from(facts.compute_units) * 128.0 * f64::from(facts.clock) / 1000.0;
        assert!(
            near(peaks.of("f32").unwrap(), vector, [1.0, 2.0]),
            "{}: {vector}",
            peaks.chip
        );
        let memory = f64::from(facts.memory_bits) / 8.0 * f64::from(facts.memory_clock) / 1000.0;
        assert!(
            near(peaks.memory, memory, [2.0, 4.0]),
            "{}: {memory}",
            peaks.chip
        );
    }
    assert_eq!(peaks::ALL.len(), ChipFacts::ALL.len());
}

/// The pages of the command have one set of colours.
/// Both kinds of pages have the same variables: colours for light and dark, and type.
#[test]
fn colours_are_those_of_the_reference() {
    let folder = folder("profile-colours");
    wavetank_in(&folder, "isa --html pages").success();
    let style = std::fs::read_to_string(folder.join("pages/style.css")).expect("a style");
    let page = report::html(
        &profile(vec![kernel("axpy", 4)]),
        &Sources::beside(&folder),
        1,
    );
    let variables = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| line.starts_with("--"));
        lines.map(str::to_owned).collect()
    };
    let (own, theirs) = (variables(&page), variables(&style));
    assert!(theirs.len() > 20);
    assert_eq!(own[..theirs.len()], theirs);
}

/// Chromium shows the page without a message on its console, and no part is wider than a narrow window.
#[test]
fn a_browser_opens_the_page() {
    let folder = folder("profile-browser");
    let page = report::html(
        &profile(vec![kernel("axpy", 4), kernel("gather", 64)]),
        &Sources::beside(&folder),
        30,
    );
    let path = folder.join("page.html");
    std::fs::write(&path, page).expect("a page");
    let browser = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("data").display()))
        .arg(format!("file://{}", path.display()))
        .output();
    let Ok(out) = browser else {
        return println!("SKIP: chromium is not installed");
    };
    let (text, log) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(
        text.contains("gather(float*)") && text.contains("</svg>"),
        "{log}"
    );
    assert!(!log.contains("CONSOLE"), "{log}");
}
