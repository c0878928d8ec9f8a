//! Captured launches: `launch --capture`, `launch FILE.wtc`, `info FILE.wtc`.

use serde_json::Value;

use crate::common::{VECADD, directory, wavetank, wavetank_in};

/// A folder with the capture of a launch of `vecadd`, whose third buffer has the sums 0, 2, 4, ….
fn captured(name: &str) -> std::path::PathBuf {
    let folder = directory(name);
    let launch = "--arg iota:f32:64 --arg iota:f32:64 --arg out:sums:256 --arg i32:64";
    let words = format!("launch {VECADD} --grid 64 --block 64 {launch} --capture one.wtc");
    wavetank_in(&folder, &words).success();
    let sums = std::fs::read(folder.join("sums")).unwrap();
    assert_eq!(sums[4..8], 2f32.to_le_bytes());
    folder
}

#[test]
fn a_launch_is_repeated() {
    let folder = captured("captures-repeated");
    // By each engine, and with tools.
    for options in ["", "--engine jit", "--engine interpreter", "--check"] {
        let outcome = wavetank_in(&folder, &format!("launch one.wtc {options}"));
        let said = &outcome.stderr;
        assert_eq!(outcome.code, Some(0), "{said}");
        assert!(said.contains("the launch of `vecadd"), "{said}");
        assert!(
            said.contains("all memory is as it was when captured"),
            "{said}"
        );
    }
    let stats = wavetank_in(&folder, "launch one.wtc --stats").stdout;
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["waves"], 1);
    let trace = wavetank_in(&folder, "launch one.wtc --trace=op=s_endpgm");
    assert!(trace.stderr.contains("s_endpgm"), "{}", trace.stderr);
}

#[test]
fn other_memory_is_told() {
    let folder = captured("captures-other");
    let file = folder.join("one.wtc");
    let bytes = std::fs::read(&file).unwrap();
    // The same capture, after which the byte 4 of the written page, the second sum, is another.
    let capture = wavetank::capture::Capture::read(&bytes).unwrap();
    let mut out =
        wavetank_capture::Writer::new(Vec::new(), capture.launch(), capture.object()).unwrap();
    for (address, page) in capture.pages() {
        out.page(address, page).unwrap();
    }
    let wavetank::capture::Outcome::Ended(written) = capture.outcome() else {
        panic!("the launch ended");
    };
    assert_eq!(written.len(), 1);
    let (address, page) = written.first_key_value().unwrap();
    let set: u32 = page.mask.iter().map(|byte| byte.count_ones()).sum();
    assert_eq!(set, 256);
    let mut out = out.launched().unwrap();
    out.written(*address, &page.mask, &[7; wavetank_capture::PAGE]);
    let other = out.finish().unwrap();
    std::fs::write(&file, other).unwrap();
    let outcome = wavetank_in(&folder, "launch one.wtc");
    outcome.failure(1, &["1 page", &format!("{address:#x}"), "`a buffer`"]);
}

#[test]
fn what_a_capture_has_cannot_be_given() {
    let folder = captured("captures-given");
    for (options, word) in [
        ("--grid 64 --block 64", "--grid"),
        ("--gpu gfx906", "--gpu"),
        ("other", "`other`"),
    ] {
        let outcome = wavetank_in(&folder, &format!("launch one.wtc {options}"));
        outcome.refused(&["one.wtc", word]);
    }
    let bytes = std::fs::read(folder.join("one.wtc")).unwrap();
    std::fs::write(folder.join("half.wtc"), &bytes[..bytes.len() / 2]).unwrap();
    for command in ["launch half.wtc", "info half.wtc"] {
        wavetank_in(&folder, command).refused(&["half.wtc", "cut off"]);
    }
    wavetank("launch --capture x.wtc nothing").failure(2, &["--grid"]);
}

/// The pages and allocations of a capture.
fn size_of(folder: &std::path::Path, file: &str) -> (u64, usize) {
    let json = wavetank_in(folder, &format!("info --json {file}")).success();
    let json: Value = serde_json::from_str(&json).unwrap();
    let allocations = json["capture"]["allocations"].as_array().unwrap();
    (json["pages"].as_u64().unwrap(), allocations.len())
}

/// The 64 numbers of each buffer are in a page of their own. The kernel leaves the rest of the third one, of 3 MiB, alone.
#[test]
fn a_minimized_capture_has_what_is_accessed() {
    let folder = directory("captures-minimized");
    let numbers = "--arg iota:f32:64 --arg iota:f32:64 --arg rand:f32:786432 --arg i32:64";
    let words = format!("launch {VECADD} --grid 64 --block 64 {numbers} --capture whole.wtc");
    wavetank_in(&folder, &words).success();
    let out = wavetank_in(&folder, "launch whole.wtc --minimize small.wtc");
    assert_eq!(out.code, Some(0), "{out:?}");
    let (pages, allocations) = size_of(&folder, "whole.wtc");
    assert!(pages > 768 + 2, "{pages}");
    // Three pages of buffers, the arguments, the packet, and a page of code; no other, such as that of the queue.
    assert_eq!(size_of(&folder, "small.wtc"), (6, 6));
    assert!(allocations > 6);
    for options in [
        "--engine jit",
        "--engine interpreter",
        "--minimize again.wtc",
    ] {
        let out = wavetank_in(&folder, &format!("launch small.wtc {options}"));
        assert_eq!(out.code, Some(0), "{out:?}");
        assert!(out.stderr.contains("all memory is as it was"), "{out:?}");
    }
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert_eq!(read("again.wtc"), read("small.wtc"));
    wavetank_in(&folder, &format!("launch {VECADD} --minimize x.wtc"))
        .failure(2, &["--minimize", "captured launch"]);
}

#[test]
fn an_exported_launch_gives_the_same_results() {
    let folder = captured("captures-exported");
    let out = wavetank_in(&folder, "launch one.wtc --export out");
    assert_eq!(out.code, Some(0), "{out:?}");
    let script = std::fs::read_to_string(folder.join("out/launch.sh")).unwrap();
    let arguments =
        "--arg in:arg0.npy --arg in:arg1.npy --arg inout:arg2.npy:arg2.out.npy --arg u32:64";
    assert!(
        script.replace(" \\\n   ", "").contains(arguments),
        "{script}"
    );
    // The line of the script, which a shell would run in that folder.
    let words = format!("launch vecadd.hsaco --gpu gfx900 --grid 64 --block 64 {arguments}");
    wavetank_in(&folder.join("out"), &words).success();
    let read = |name: &str| std::fs::read(folder.join("out").join(name)).unwrap();
    let (sums, expected) = (read("arg2.out.npy"), read("arg2.expected.npy"));
    assert_eq!(sums, expected);
    let floats: Vec<u8> = (0..64u8)
        .flat_map(|n| (2.0 * f32::from(n)).to_le_bytes())
        .collect();
    assert!(expected.ends_with(&floats));
}

#[test]
fn a_capture_is_listed() {
    let folder = captured("captures-listed");
    let text = wavetank_in(&folder, "info one.wtc").success();
    assert!(text.contains("kernel vecadd"), "{text}");
    assert!(text.contains("grid of 64x1x1 work-items"), "{text}");
    let json = wavetank_in(&folder, "info --json one.wtc").success();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["capture"]["kernel"], "vecadd");
    assert_eq!(json["written_pages"], 1);
    assert_eq!(json["failure"], Value::Null);
}
