//! Runs `filetests/passes/*.ir`. A file holds cases; each is a line `; case: NAME`,
//! comments that say why its expectation holds, `; passes: NAME…`, the input,
//! `; expect:` and the expected block. Names of values do not matter.

use std::path::Path;

use wavetank_ir::{Block, LaneFn, Options, lane_loops, over_lanes, parse, simplify, verify};

/// A lane function of two results, for the files.
static PAIR: LaneFn = LaneFn {
    name: "pair",
    result_bits: 32,
    has_mask: true,
    division: None,
    call: |[a, b, ..]| (a ^ b, a > b),
    all: lane_loops!(|args, results| over_lanes::<false, true>(
        |[a, b, ..]| (a ^ b, a > b),
        args,
        results
    )),
};

fn read(text: &str, place: &str) -> Block {
    let find = |name: &str| (name == PAIR.name).then_some(&PAIR);
    let block = parse(text, &find).unwrap_or_else(|e| panic!("{place}: {e}"));
    verify(&block).unwrap_or_else(|e| panic!("{place}: {}", e[0]));
    block
}

fn run_pass(pass: &str, block: &mut Block, place: &str) {
    match pass {
        "simplify" => simplify(block, Options::default()),
        "simplify-keeping-writes" => simplify(
            block,
            Options {
                keep_dead_writes: true,
            },
        ),
        other => panic!("{place}: there is no pass `{other}`"),
    }
}

fn run_case(case: &str, place: &str) {
    let (input, expected) = case
        .split_once("; expect:")
        .unwrap_or_else(|| panic!("{place}: the case has no `; expect:`"));
    let passes = input
        .lines()
        .find_map(|l| l.strip_prefix("; passes:"))
        .unwrap_or_else(|| panic!("{place}: the case has no `; passes:`"));
    let mut block = read(input, place);
    for pass in passes.split_whitespace() {
        run_pass(pass, &mut block, place);
    }
    verify(&block).unwrap_or_else(|e| panic!("{place}: after {passes}: {}\n{block}", e[0]));
    let expected = read(expected, place);
    assert_eq!(block.to_string(), expected.to_string(), "{place}");
}

#[test]
fn every_file_gives_what_it_expects() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/passes");
    let mut count = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(&path).unwrap();
        for case in text.split("; case:").skip(1) {
            let (name, body) = case.split_once('\n').unwrap_or((case, ""));
            run_case(body, &format!("{file}:{name}"));
            count += 1;
        }
    }
    assert!(count > 0, "there are no cases");
}
