//! The cases under `tests/isa`, and those of the format's description, on every back end.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wavetank_cases::{Engine, FaultKind, parse_file, parse_words};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the cases of a text on both back ends; gives how many there were.
fn check(name: &str, text: &str) -> usize {
    let cases = parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    for case in &cases {
        let run = |engine| {
            case.run(engine)
                .unwrap_or_else(|e| panic!("{name}, {}: {e}", case.name))
        };
        let (reference, run, compiled) = (
            run(Engine::Plain),
            run(Engine::Interpreter),
            run(Engine::Jit),
        );
        assert!(case.expects(), "{name}, {}: nothing is expected", case.name);
        assert_eq!(
            run.failures(),
            Vec::<String>::new(),
            "{name}, {}",
            case.name
        );
        assert_eq!(
            reference.failures(),
            Vec::<String>::new(),
            "{name}, {}",
            case.name
        );
        assert!(
            run.same_as(&reference),
            "{name}, {}: the back ends disagree",
            case.name
        );
        assert!(
            compiled.same_as(&reference),
            "{name}, {}: compiled code disagrees: {:?}",
            case.name,
            compiled.failures()
        );
    }
    cases.len()
}

/// The files of cases: each is in a folder of `tests/isa`.
pub(crate) fn case_files() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path())
    };
    let mut files: Vec<_> = entries(root().join("tests/isa"))
        .flat_map(entries)
        .collect();
    files.sort();
    files
}

#[test]
fn instructions_do_what_the_documents_say() {
    let mut count = 0;
    for path in case_files() {
        count += check(
            &path.display().to_string(),
            &std::fs::read_to_string(&path).unwrap(),
        );
    }
    assert!(count >= 100, "only {count} cases were found");
}

/// The atomics of surfaces of other vendors: each operation, size, dimension and clamp.
#[test]
fn atomics_on_surfaces_do_what_the_tables_say() {
    for (file, least) in [("suatom.wt", 100), ("typed_atomic.wt", 30)] {
        let text = std::fs::read_to_string(root().join("tests/atomics").join(file)).unwrap();
        let count = check(file, &text);
        assert!(count >= least, "{file}: only {count} cases");
    }
}

/// Levels are surfaces of half the sides, by the LOD of TYPED_ATOMIC; see docs/reference/exec-format.md.
#[test]
fn levels_have_elements_of_their_own() {
    let case = |more: &str| {
        format!(
            "isa visa\nsurface T6 2d 4x2 u32 iota levels 2\nT6 level 1 = 5, 6\nV32 = 0, 1\nV33 = 0\nV35 = 1\nV36 = 10, 20\n\
             > typed_atomic.add (M1, 2) T6 V32.0 V33.0 %null.0 V35.0 V36.0 %null.0 V38.0\n{more}"
        )
    };
    let all =
        "V38 = 5, 6\nT6 level 1 = 15, 26\nT6 level 1[1,0] = 26\nT6 = 0, 1, 2, 3, 4, 5, 6, 7\n";
    check("levels", &case(all));
    let run = |text: &str| {
        parse_file(text).unwrap()[0]
            .run(Engine::Interpreter)
            .unwrap()
    };
    let wrong = run(&case("T6 level 1[0,0] = 16\n")).failures();
    assert_eq!(wrong.len(), 1);
    assert!(
        wrong[0].contains("T6 level 1[0,0,0]: 0xf, expected 0x10"),
        "{wrong:?}"
    );
    let grids = run(&case("")).grids();
    assert_eq!((grids.len(), grids[0].level), (1, 1));
    assert_eq!(grids[0].changed, [([0, 0, 0], 15), ([1, 0, 0], 26)]);
    assert!(
        grids[0]
            .to_string()
            .starts_with("surface 6: 2d 4x2 u32, level 1\n")
    );
    for (line, part) in [
        ("T6 level 2 = 1\n", "there is no level 2"),
        ("T6 level 1[2,0] = 1\n", "in level 1, which is 2 by 1 by 1"),
        ("T6 level 1 = 1, 2, 3\n", "3 values for 2 elements"),
        ("T6 level x = 1\n", "T6 level 1[3,1]"),
    ] {
        let error = parse_file(&case(line)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// What is written of SUATOM otherwise: its word, 64 bits of a register pair, halves.
#[test]
fn words_pairs_and_halves_of_suatom_are_read_and_shown() {
    let words = |state: &str| -> Vec<String> { state.split(' ').map(str::to_owned).collect() };
    let run = |text: &str, state: &str| {
        let case = parse_words("maxwell:52", text, &words(state)).unwrap();
        case.run(Engine::Interpreter).unwrap()
    };
    // SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1, as docs/reference/maxwell.md shows it.
    let state = "R2=1 R3=0 R4=7 R1=6 exec=1 surface T6 2d 2x1 u32 30,40";
    let by_word = run(".word 0xea7000860047020a", state);
    assert_eq!(by_word.vector(10)[0], 40);
    let state = "R2=0 R[4:5]=0x100000000 R1=6 exec=1 surface T6 1d 2 u64 0x500000007,0";
    let wide = run("SUATOM.D.1D.ADD.U64 R10, [R2], R4, R1;", state).changes();
    assert_eq!(
        (wide.len(), wide[0].name.as_str(), wide[0].bits),
        (1, "R[10:11]", 64)
    );
    assert_eq!(wide[0].values, [(Some(0), 0x5_0000_0007)]);
    // 2.0 above 1.0, and 1.0 twice.
    let state = "R2=0 R4=0x3c003c00 R1=6 exec=1 surface T6 1d 1 f16x2 0x40003c00";
    let run = run("SUATOM.D.1D.ADD.F16x2.FTZ.RN R10, [R2], R4, R1;", state);
    let halves = run.changes();
    assert!(halves.len() == 1 && halves[0].halves);
    assert_eq!(run.grids()[0].changed, [([0, 0, 0], 0x4200_4000)]);
    assert!(run.grids()[0].to_string().contains("3|2"));
    for (set, text, part) in [
        ("maxwell:52", ".word 0x1", "SUATOM"),
        ("maxwell:52", ".word 12", "column 7: "),
        (
            "maxwell:52",
            "SUATOM.P.1D.ADD P1, R0, [R1], R4, R2;",
            "column 17: ",
        ),
        (
            "visa:3.3",
            "typed_atomic.inc (8) T6 V65536 V0 V0 V0 V0 V0 V0",
            "column 25: ",
        ),
        (
            "visa",
            "typed_atomic.inc (8) T6 V32.3 V0 V0 V0 V0 V0 V0",
            "within an element",
        ),
    ] {
        let error = parse_words(set, text, &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// The examples of the reference text, word for word, comment and all.
#[test]
fn examples_of_suatom_run() {
    let words = |state: &str| -> Vec<String> { state.split(' ').map(str::to_owned).collect() };
    let text = "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1; // Coordinates in R2 and R3. SamplePtr and headerPtr in R1.";
    let state = words("R2=0..31 R3=2 R4=100 R1=0x12300006 surface T6 2d 8x4 u32 iota");
    for engine in [Engine::Interpreter, Engine::Plain] {
        let run = parse_words("maxwell:52", text, &state)
            .unwrap()
            .run(engine)
            .unwrap();
        let grids = run.grids();
        let row: Vec<_> = (0..8u32).map(|x| ([x, 2, 0], u64::from(116 + x))).collect();
        assert_eq!(grids[0].changed, row);
        let old: Vec<u32> = (0..32).map(|x| if x < 8 { 16 + x } else { 0 }).collect();
        assert_eq!(run.vector(10)[..32], old);
        let shown = grids[0].to_string();
        assert_eq!(
            shown,
            "surface 6: 2d 8x4 u32\n  y\\x    0   1   2   3   4   5   6   7\n    2  116 117 118 119 120 121 122 123\n"
        );
    }

    let text = "SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100;";
    let state =
        words("R3=0,8,8,16 exec=15 R4=1 R5=1 c[0x400]=0xabc00007 surface 7 1d 4 u64 5,6,7,8");
    let run = parse_words("maxwell:52", text, &state).unwrap();
    let run = run.run(Engine::Interpreter).unwrap();
    let one = (1 << 32) + 1;
    let changed = [
        ([0, 0, 0], 5 + one),
        ([1, 0, 0], 6 + 2 * one),
        ([2, 0, 0], 7 + one),
    ];
    assert_eq!(run.grids()[0].changed, changed);
    assert_eq!(run.vector(2)[..4], [5, 6, 7, 7]);
    assert_eq!(run.vector(3)[..4], [0, 0, 1, 0]);

    let outside = words("R3=0,8,32 exec=7 c[0x400]=7 surface 7 1d 4 u64 iota");
    let error = parse_words("maxwell:52", text, &outside).unwrap();
    let run = error.run(Engine::Interpreter).unwrap();
    let error = run.stopped().unwrap().to_string();
    assert!(
        error.ends_with("the access of lane 2 is to (32) of surface 7, level 0, which is 1d 4"),
        "{error}"
    );
}

#[test]
fn wrong_surfaces_are_reported() {
    let error = |state: &str| {
        let state = [state.to_owned()];
        let read = parse_words("maxwell:52", "SUATOM.D.2D.ADD R10, [R2], R4, R1", &state);
        read.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(error("surface T6 2d 8 u32").contains("a 2d surface has 2 sides, not 1"));
    assert!(error("surface T6 4d 8 u32").contains("`4d` is nothing that a surface is"));
    assert!(error("surface T6 2d 8x4 u33").contains("`u33` is not a kind of element"));
    assert!(error("surface T6 2d 8x4 u32 1,2,x").contains("`x` is not a value"));
    assert!(error("surface T6 2d 8x4 u32 levels 9").contains("1 to 4 levels"));
    assert!(error("surface T6 2d 8x4 u32 blocks 3x1").contains("not 3 and 1"));
    assert!(error("surface T6 2d 8x4").contains("what its elements are is missing"));
    assert!(error("T6[1,1] = 5").contains("there is no surface 6"));
    assert!(error("R255 = 5").contains("the last is R254"));
    assert!(error("c[3] = 5").contains("multiples of 4"));
    assert!(error("v0 = 5").contains("nothing that has a value"));
}

#[test]
fn the_examples_of_the_format_run() {
    let text = std::fs::read_to_string(root().join("docs/reference/exec-format.md")).unwrap();
    let blocks: Vec<_> = text
        .split("```wt\n")
        .skip(1)
        .filter_map(|b| b.split("```").next())
        .collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        check("docs/reference/exec-format.md", block);
    }
}

#[test]
fn failed_expectations_name_lane_and_values() {
    let cases = parse_file("v1 = 1\n> v_mov_b32 v0, v1\nv0 = 1, 2\n").unwrap();
    let failures = cases[0].run(Engine::Interpreter).unwrap().failures();
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].contains("line 3") && failures[0].contains("[1] 0x1, expected 0x2"),
        "{failures:?}"
    );
}

#[test]
fn wrong_files_are_reported_by_line() {
    let error = |text: &str| parse_file(text).unwrap_err().to_string();
    assert!(
        error("v1 = 0\n> v_foo v0, v1\n")
            .starts_with("line 2: column 3: `v_foo` is not an instruction")
    );
    assert!(error("v999 = 0\n> s_nop 0\n").contains("out of range"));
    assert!(error("v1 = apple\n> s_nop 0\n").contains("`apple` is not a value"));
    assert!(error("isa gfx1030\n> s_nop 0\n").contains("gfx1030 is a chip of RDNA"));
    assert!(error("lds[-20] = 0\n> s_nop 0\n").contains("LDS offsets are multiples of 4"));
    assert!(error("").contains("no instruction"));
    assert!(error("vgprs = 300\n> s_nop 0\n").contains("a number from 1 to 256"));
    assert!(error("> s_nop 0\nvgprs = 3\n").contains("belongs before instructions"));
    assert!(error("fault = trap\n> s_nop 0\n").contains("belongs after them"));
    assert!(error("> s_nop 0\nfault = flood\n").contains("`flood` is not a kind of fault"));
    assert!(error("wave 1 v0 = 1\n> s_nop 0\n").contains("write `waves = 2` first"));
    assert!(error("> .long 1g\n").contains("`1g` is not a word of 32 bits"));
    let begins = |text: &str, sentence: &str| {
        let error = error(text);
        assert!(error.starts_with(sentence), "{text}: {error}");
    };
    begins("> .long\n", "line 1: column 8: a word is missing");
    begins(
        "> .long 0xbf800000,\n",
        "line 1: column 20: a word is missing",
    );
    begins(
        "> .long 0xbf800000 0xbf800000\n",
        "line 1: column 9: a comma is missing between the words `0xbf800000 0xbf800000`",
    );
    begins("> .long 1, 1g\n", "line 1: column 12: `1g` is not a word");
    begins(
        "vgprs = 8\nv9 = 1\n> s_nop 0\n",
        "line 2: `v9`: the wave has v0 to v7: write `vgprs = 10`",
    );
    begins(
        "v[8:9] = 1\nvgprs = 9\n> s_nop 0\n",
        "line 1: `v[8:9]`: the wave has v0 to v8: write `vgprs = 10`",
    );
    begins(
        "waves = 2\nsgprs = 16\nwave 1 s16 = 1\n> s_nop 0\n",
        "line 3: `wave 1 s16`: the wave has s0 to s15: write `sgprs = 17`",
    );
    begins(
        "waves = 2\nwaves = 3\n> s_nop 0\n",
        "line 2: `waves` stands twice in the case",
    );
    begins(
        "isa visa\nsurface T6 1d 4 u32\n > typed_atomic.inc (8) T6 V32 V33 %null %null %null %null %null\n",
        "line 3: column 32: T6 is 1d, which has no V: it must be the null variable\n",
    );
    begins(
        "isa gfx803 gfx900 fiji\n> s_nop 0\n",
        "line 1: gfx803 stands twice after `isa`",
    );
    begins(
        "isa gfx803\nsgprs = 104\n> s_nop 0\n",
        "line 2: `sgprs=`: write a number from 1 to 102",
    );
    assert!(error("> exp mrt0 v0, v0, v0, v0\nexport mrt9.x = 1\n").contains("write mrt0.x"));
    assert!(error("mem a = 1\ns0 = &a>>99\n> s_nop 0\n").contains("write &NAME+8"));
    assert!(error("handler > s_nop 0\n").contains("no instruction"));
    assert!(error("> s_nop 0\ns0 = 1\nhandler > s_nop 0\n").contains("after expectations"));
    assert!(error("handler > s_nop 0\nvgprs = 3\n> s_nop 0\n").contains("belongs before"));
    let suatom = "SUATOM.D.1D.ADD.IGN R10, [R2], R4, R1;";
    let error_of_suatom = error(&format!("isa maxwell:52\n> {suatom}\nhandler > {suatom}\n"));
    assert!(error_of_suatom.contains("maxwell has no trap handler here"));
    assert!(error("mem a wide = 1\n> s_nop 0\n").contains("may follow: `bytes` and `read only`"));
}

#[test]
fn faults_and_endless_loops_are_reported() {
    let stopped = |text: &str, state: &[String]| {
        let run = parse_words("gfx900", text, state).unwrap();
        let run = run.run(Engine::Interpreter).unwrap();
        let stopped = run.stopped().expect("it stops").clone();
        assert_eq!(run.failures(), [stopped.to_string()]);
        (stopped.kind, stopped.sentence)
    };
    let (kind, why) = stopped("global_load_dword v0, v[2:3], off", &[]);
    assert_eq!(kind, FaultKind::Memory);
    assert!(why.contains("outside every buffer"), "{why}");
    let (kind, why) = stopped("s_branch 65535", &[]);
    assert_eq!(kind, FaultKind::Endless);
    assert!(why.contains("do not come to an end"), "{why}");
    let (kind, why) = stopped("ds_gws_sema_p gds", &[]);
    assert_eq!(kind, FaultKind::Endless);
    let begins = "ds_gws_sema_p gds: it waits for other waves";
    assert!(why.starts_with(begins), "{why}");
    // The reason stays with the address (Vega ISA, 3.10: "alignment error").
    let state = ["mem a=1,2", "v[0:1]=&a+2"].map(str::to_owned);
    let (kind, why) = stopped("global_atomic_add v[0:1], v2, off", &state);
    assert_eq!(kind, FaultKind::Memory);
    assert!(
        why.contains("is not a multiple of 4; 2 bytes from the start of buffer `a`"),
        "{why}"
    );
}

/// Events in a trap handler are reported at the handler's own lines, and its registers by their names.
#[test]
fn handlers_of_cases_are_separate_from_their_code() {
    let text = "tma = 5\n> s_mov_b32 s0, 1\n> s_trap 4\nhandler > s_mov_b32 ttmp4, 7\nhandler > s_trap 5\n";
    // The handler enters itself for ever.
    let endless = &parse_file(text).unwrap()[0];
    let endless = endless.run(Engine::Interpreter).unwrap();
    assert_eq!(endless.stopped().unwrap().kind, FaultKind::Endless);
    let text = text.replace("s_trap 5", "s_nop 1");
    for chip in ["gfx600", "gfx803", "gfx900"] {
        let case = &parse_file(&format!("isa {chip}\n{text}")).unwrap()[0];
        let run = case.run(Engine::Interpreter).unwrap();
        let stopped = run.stopped().unwrap();
        assert_eq!(stopped.kind, FaultKind::Instruction);
        assert!(
            stopped
                .sentence
                .contains("the trap handler was left: nothing is at offset 0x8"),
            "{stopped}"
        );
        let names: Vec<_> = run.changes().into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["s0", "ttmp0", "ttmp1", "ttmp4", "status"], "{chip}");
    }
}

/// A fault ends its case and no other; what was done before it stays.
#[test]
fn a_fault_is_no_error_where_it_is_expected() {
    let text = "case one\n> s_mov_b32 s0, 7\n> s_trap 2\n> s_mov_b32 s0, 8\nfault = KIND\ns0 = 7\n\
                case two\n> s_mov_b32 s1, 3\ns1 = 3\n";
    for (kind, failures) in [
        ("trap", 0),
        ("\"trap 2\"", 0),
        ("memory", 1),
        ("\"trap 3\"", 1),
    ] {
        let cases = parse_file(&text.replace("KIND", kind)).unwrap();
        let failed = |n: usize| cases[n].run(Engine::Interpreter).unwrap().failures();
        assert_eq!(failed(0).len(), failures, "{kind}: {:?}", failed(0));
        assert_eq!(failed(1), Vec::<String>::new());
    }
    let ended = parse_file("> s_nop 0\nfault = trap\n").unwrap();
    let failures = ended[0].run(Engine::Interpreter).unwrap().failures();
    assert_eq!(
        failures,
        ["line 2: fault: the instructions ran to their end; expected trap"]
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n]{0,200}") {
        let _ = parse_file(&text);
    }

    /// Lines that look like those of a case get further than any text.
    #[test]
    fn lines_like_those_of_cases_are_read_or_refused(
        lines in proptest::collection::vec(
            "(wave [0-9]{1,3} |export |mem |)\
             (v|s|ttmp|lds|gds|scratch|mrt[0-9]|a|fault|vgprs|lds bytes|waves|export pos0)\
             ([0-9]{0,4}|\\[[0-9]{1,5}:?[0-9]{0,20}\\]|\\.[xyzw]|\\.(en|done|lanes))( bytes| read only|) = \
             (&a[-+>0-9 ]{0,12}|[-0-9.]{1,20}|memory|\"[a-z]{0,3}\"|0x[0-9a-f]{1,17})",
            0..4,
        ),
        after in proptest::bool::ANY,
    ) {
        let lines = lines.join("\n");
        let text = if after { format!("mem a = 1\n> .long 0xbf800000 1\n{lines}\n") } else { format!("mem a = 1\n{lines}\n> s_nop 0\n") };
        for case in parse_file(&text).unwrap_or_default() {
            // A file that can be read can be run, or is refused with an error.
            if let Ok(run) = case.run(Engine::Interpreter) {
                let _ = (run.failures(), run.changes());
            }
        }
    }
}
