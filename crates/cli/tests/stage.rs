//! `wavetank launch --stage`: registers in, exports out.

use std::fs;

use serde_json::{Value, json};

use crate::common::{directory, wavetank, wavetank_in};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The call of docs/reference/stages.md, and what the document says that it prints.
#[test]
fn the_example_of_the_document_prints_what_it_says() {
    let dir = directory("stage_example");
    let text = fs::read_to_string(format!("{ROOT}/docs/reference/stages.md")).unwrap();
    let code: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    let joined = code.join("\n").replace("\\\n", " ");
    let mut lines = joined.lines();
    let mut call = || {
        let words = lines.next().unwrap().strip_prefix("wavetank ").unwrap();
        let words = words.replace("examples/", &format!("{ROOT}/examples/"));
        wavetank_in(&dir, &words).success()
    };
    assert_eq!(call(), "");
    let printed: Value = serde_json::from_str(&call()).unwrap();
    let said: Value = serde_json::from_str(&lines.collect::<String>()).unwrap();
    assert_eq!(printed, said);
    assert_eq!(said["exports"][0]["y"], json!([2.0, 5.0, 8.0, 11.0]));
}

fn assembled(name: &str, chip: &str, source: &str) -> std::path::PathBuf {
    let dir = directory(name);
    fs::write(dir.join("code.s"), source).unwrap();
    let words = format!("asm --raw --gpu {chip} code.s -o code.bin");
    assert_eq!(wavetank_in(&dir, &words).success(), "");
    dir
}

/// Two waves write to a buffer, and say so; the second has one lane.
#[test]
fn buffers_and_messages() {
    let source = "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_add_co_u32 v2, vcc, v2, v1\n\
                  v_addc_co_u32 v3, vcc, 0, v3, vcc\nv_mov_b32 v4, s2\nglobal_store_dword v[2:3], v4, off\n\
                  s_mov_b32 m0, s2\ns_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)\ns_endpgm\n";
    let dir = assembled("stage_buffers", "gfx900", source);
    let words = "launch code.bin --raw --gpu gfx900 --stage gs --grid 65 --block 64 \
                 --user-data out:c.bin:260 --wave-data 7,0x10 --vgpr iota:u32:65";
    let printed: Value = serde_json::from_str(&wavetank_in(&dir, words).success()).unwrap();
    let message = |group: u32, m0: u32| json!({"group": group, "wave": 0, "code": 0x22, "m0": m0});
    assert_eq!(printed["messages"], json!([message(0, 7), message(1, 16)]));
    assert_eq!(printed["exports"], json!([]));
    let wanted = [vec![7u32; 64], vec![16]].concat();
    let bytes: Vec<u8> = wanted.iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(fs::read(dir.join("c.bin")).unwrap(), bytes);
}

/// Lanes that are off, compressed components, and what the hardware would miss.
#[test]
fn exports_of_some_lanes() {
    let source = "s_mov_b64 exec, 2\nexp mrt0 v0, off, off, off\nexp mrt1 v0, v0, off, off compr vm\ns_endpgm\n";
    let dir = assembled("stage_lanes", "gfx803", source);
    let words =
        "launch code.bin --raw --gpu gfx803 --stage ps --grid 2 --block 64 --vgpr u32:0x3c004000";
    let told = wavetank_in(&dir, words);
    assert!(
        told.stderr.contains("its last export lacks `done`"),
        "{}",
        told.stderr
    );
    let printed: Value = serde_json::from_str(&told.stdout).unwrap();
    let exports = &printed["exports"];
    assert_eq!(exports[0]["x"], json!([null, 0x3c00_4000]));
    assert_eq!(exports[0].get("y"), None);
    assert_eq!(
        (&exports[1]["x"], &exports[1]["y"]),
        (&json!([null, 0x4000]), &json!([null, 0x3c00]))
    );
    assert_eq!(exports[1]["vm"], true);
}

#[test]
fn what_is_wrong_is_told() {
    let dir = assembled("stage_wrong", "gfx900", "s_endpgm\n");
    let call = |words: &str| {
        wavetank_in(
            &dir,
            &format!("launch code.bin --grid 4 --block 64 {words}"),
        )
    };
    let ps = "--raw --gpu gfx900 --stage ps";
    for (words, parts) in [
        ("--raw --gpu gfx900 --stage xs", "`xs` is not a stage"),
        (
            &format!("{ps} --vgpr iota:u32:3"),
            "v0 has 3 values, and there are 4 items",
        ),
        (&format!("{ps} --vgpr u64:3"), "a number has 32 bits here"),
        (
            &format!("{ps} --vgpr out:x:4"),
            "write in, iota, rand, zero or a number",
        ),
        (
            &format!("{ps} --wave-data 1,2"),
            "s0 has 2 values of waves, of which there are 1",
        ),
        (&format!("{ps} --wave-data x"), "`x` is not an integer"),
        (&format!("{ps} --stats"), "--stats"),
        ("--raw --stage ps", "--gpu"),
        ("--m0 1", "--stage"),
    ] {
        call(words).failure(2, &[parts]);
    }
    let other = wavetank_in(
        &dir,
        &format!("launch code.bin other --grid 4 --block 64 {ps}"),
    );
    other.failure(2, &["there is no function `other` here", "main"]);
    wavetank("launch --help").success();
}

/// What tools find stands in the JSON, too.
#[test]
fn waves_of_a_stage_are_checked() {
    let source = "v_lshlrev_b32 v0, 2, v0\nglobal_store_dword v0, v0, s[0:1]\ns_endpgm\n";
    let dir = assembled("stage_checked", "gfx900", source);
    let with = |bytes: u32| {
        let words = format!(
            "launch code.bin --raw --gpu gfx900 --stage cs --grid 64 --block 64 --check \
             --user-data zero:{bytes} --vgpr iota:u32:64"
        );
        wavetank_in(&dir, &words)
    };
    let printed: Value = serde_json::from_str(&with(256).success()).unwrap();
    assert_eq!(printed["findings"], json!([]));
    let wrong = with(252);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    let printed: Value = serde_json::from_str(&wrong.stdout).unwrap();
    assert_eq!(printed["findings"][0]["rule"], "out-of-bounds");
    let said = "a mistake was found in function `main`";
    assert!(wrong.stderr.contains(said), "{}", wrong.stderr);
}
