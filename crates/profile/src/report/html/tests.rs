//! The page as text: everything is there, nothing foreign gets out of its place, and the size is bounded.

use std::path::Path;

use super::*;
use crate::model::{Class, Instruction, Kernel};
use crate::sample::{copy, instruction, kernel, profile, strided};

/// Five megabytes, which a page may not exceed.
const MOST: usize = 5_000_000;

fn page(profile: &Profile) -> String {
    html(profile, &Sources::beside(Path::new("/absent")), 30)
}

#[test]
fn the_page_has_each_part() {
    let page = page(&profile(vec![copy(), strided()]));
    for part in [
        "<h1>Profile of <code>./a.out</code>",
        "2 kernels, 2 launches, 192 executed instructions on gfx900",
        "each wave touches 64 lines where 4 would do",
        "<a href=\"#k1\"><code>strided(float*)</code></a>",
        "Bounds, not measurements.",
        "0.125 operations of f32 for each byte, at most 60.5 GFLOP/s",
        "k.hip:3: 64 lines of 64 bytes, where 4 would do",
        "<title>64 lanes: 64 executions</title>",
        "host to device, 400 ns, 4,096 bytes",
        "<tr id=\"k1-1004\" style=\"--e:100%;--g:100%\">",
        "href=\"#k1-0-3\"",
        "<tr id=\"k1-0-3\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// Every link leads to a place of the page, and no place is there twice.
#[test]
fn links_lead_to_places() {
    let page = page(&profile(vec![copy(), strided()]));
    let values = |name: &str| -> Vec<String> {
        let start = format!(" {name}=\"");
        let parts = page.split(&start).skip(1);
        parts
            .map(|part| part.split('"').next().unwrap().to_owned())
            .collect()
    };
    let ids = values("id");
    let mut once = ids.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), ids.len());
    for link in values("href") {
        let place = link.strip_prefix('#');
        assert!(
            link == "data:," || place.is_some_and(|p| ids.iter().any(|id| id == p)),
            "{link}"
        );
    }
}

/// Nothing is loaded, and no script runs.
#[test]
fn the_page_stands_alone() {
    let page = page(&profile(vec![strided()]));
    for loaded in [
        "<script", "src=", "http://", "https://", "url(", "@import", "onclick",
    ] {
        assert!(!page.contains(loaded), "{loaded}");
    }
}

#[test]
fn hostile_names_are_text() {
    let evil = "</title><script>alert(1)</script>\" onload=\"x\u{202e}\x1b";
    let mut kernel = strided();
    for text in [
        &mut kernel.name,
        &mut kernel.symbol,
        &mut kernel.occupancy.limit,
    ] {
        *text = evil.into();
    }
    for instruction in &mut kernel.instructions {
        for text in [
            &mut instruction.text,
            &mut instruction.function,
            &mut instruction.operands,
        ] {
            *text = evil.into();
        }
        instruction.frames[0].file = evil.into();
    }
    let mut profile = profile(vec![kernel]);
    profile.program = vec![evil.into()];
    profile.made_by = evil.into();
    for event in &mut profile.timeline.events {
        event.name = evil.into();
        event.track = evil.into();
    }
    let mut other = copy();
    other.chip = evil.into();
    profile.kernels.push(other);
    let page = page(&profile);
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
    assert!(!page.contains("\" onload=\"") && !page.contains(['\u{202e}', '\x1b']));
}

#[test]
fn many_kernels_are_a_table() {
    let many = |n: usize| Kernel {
        name: format!("kernel_{n}<{}>", "int, ".repeat(n % 200)),
        instructions: vec![instruction(0, "s_endpgm", Class::Other, 1)],
        ..kernel("k")
    };
    let page = page(&profile((0..5000).map(many).collect()));
    assert!(page.len() < MOST, "{}", page.len());
    assert!(page.contains("the figures of the other 4970 are in the table alone"));
    assert!(page.contains("3,000 more are in the profile"));
}

fn large(count: u64) -> Kernel {
    let line = |n: u64| Instruction {
        executions: if n.is_multiple_of(100) { 2 } else { 1 },
        lanes: vec![(7, 1)],
        ..instruction(
            4 * n,
            "v_fma_f32 v0, v1, v2, v3",
            Class::Vector,
            1 + n as u32 / 3,
        )
    };
    Kernel {
        instructions: (0..count).map(line).collect(),
        ..kernel("large")
    }
}

#[test]
fn of_large_kernels_the_hottest_part_is_shown() {
    let page = page(&profile(vec![large(200_000), copy()]));
    assert!(page.len() < MOST, "{}", page.len());
    assert!(page.contains("Of 200,000 instructions the 2,000 with the most executions are shown."));
    assert!(page.contains("Only 1000 lines of source are shown."));
    // Each hundredth is executed twice.
    assert!(page.contains("id=\"k0-190\"") && !page.contains("id=\"k0-194\""));
}

#[test]
fn whole_kernels_end_where_the_page_would_be_too_large() {
    let page = page(&profile((0..30).map(|_| large(2_000)).collect()));
    assert!(page.len() < MOST && page.len() > MOST / 3, "{}", page.len());
    assert!(page.contains("kernels with the most executed instructions are here"));
}

#[test]
fn an_empty_profile_has_a_page() {
    let mut profile = profile(Vec::new());
    profile.timeline.events.clear();
    let page = page(&profile);
    assert!(page.contains("No kernel ran.") && page.contains("No event was recorded."));
}

/// Lines of a source around those with instructions, with the gaps between.
#[test]
fn sources_are_shown_around_their_instructions() {
    let folder = std::env::temp_dir().join(format!("wavetank-source-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text: String = (1..=40).map(|n| format!("line {n} <of> it\n")).collect();
    std::fs::write(folder.join("k.hip"), text).unwrap();
    let mut kernel = copy();
    kernel.instructions[4].frames[0].line = 20;
    kernel.instructions[5].frames[0].line = 60;
    let page = html(&profile(vec![kernel]), &Sources::beside(&folder), 1);
    std::fs::remove_dir_all(&folder).unwrap();
    for part in [
        "line 1 &lt;of&gt;",
        "line 6 ",
        "line 17 ",
        "line 23 ",
        "\">60</a>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for absent in ["line 7 ", "line 16 ", "line 24 "] {
        assert!(!page.contains(absent), "{absent}");
    }
}
