//! Notes: what LLVM's assembler makes of texts of metadata, and what its tools print of notes.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use object::{Object as _, ObjectSection as _};
use proptest::prelude::*;
use wavetank_object::{CodeObject, Error, note};

/// What a tool writes; `None` where it is absent, which tests in CI need.
fn run(command: &mut Command, input: &str) -> Option<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (stdin, stdout) = (Stdio::piped(), Stdio::piped());
    let Ok(mut child) = command.stdin(stdin).stdout(stdout).spawn() else {
        assert!(std::env::var_os("CI").is_none(), "{name} is absent");
        eprintln!("SKIP what is compared with {name}: it is absent");
        return None;
    };
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(input.as_bytes()).expect("it reads");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{command:?} of {input}");
    Some(output.stdout)
}

/// The section `.note` that LLVM's assembler makes of a source.
fn assembled(version: u8, source: &str) -> Option<Vec<u8>> {
    let mut mc = Command::new("llvm-mc-14");
    mc.args([
        "-triple",
        "amdgcn-amd-amdhsa",
        "-mcpu",
        "gfx900",
        "--filetype=obj",
    ]);
    mc.arg(format!("--amdhsa-code-object-version={version}"));
    let file = run(&mut mc, source)?;
    let file = object::File::parse(&file[..]).expect("an ELF file");
    let section = file.section_by_name(".note").expect("a note");
    Some(section.data().expect("contents").to_vec())
}

/// The text of the metadata that LLVM's tool prints of a file.
fn printed(path: &Path) -> Option<String> {
    let text = run(Command::new("llvm-readelf-14").arg("--notes").arg(path), "")?;
    let text = String::from_utf8(text).expect("it prints text");
    let start = text.find("---\n").expect("metadata");
    let end = text[start..].find("\n...\n").expect("their end");
    Some(text[start..start + end + 5].to_owned())
}

/// The notes of a file, whole.
fn notes_of(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a readable file");
    let file = object::File::parse(&bytes[..]).expect("an ELF file");
    let section = file.section_by_name(".note").expect("a note");
    section.data().expect("contents").to_vec()
}

#[test]
fn metadata_of_shipped_objects_are_as_llvm_prints_and_writes_them() {
    let Some(paths) = crate::common::code_objects() else {
        return;
    };
    let mut count = 0;
    for path in paths {
        let bytes = std::fs::read(&path).expect("a readable file");
        if CodeObject::parse(&bytes).expect("a code object").version() < 3 {
            continue;
        }
        let Some(text) = printed(&path) else { return };
        let name = path.display();
        let written = note::metadata(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(written, notes_of(&path), "{name}");
        let size = u32::from_le_bytes(written[4..8].try_into().expect("four bytes")) as usize;
        let again = note::metadata_text(&written[20..20 + size]);
        assert_eq!(again.expect("it is read"), text, "{name}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

/// A kernel's metadata with some more keys.
fn kernel(more: &str) -> String {
    format!(
        "---\namdhsa.version: [ 1, 1 ]\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 0x10\n    \
         .group_segment_fixed_size: 010\n    .private_segment_fixed_size: 0b11\n    .kernarg_segment_align: 8\n    \
         .wavefront_size: 64\n    .sgpr_count: \"8\"\n    .vgpr_count: 7\n    .max_flat_workgroup_size: 1024\n{more}...\n"
    )
}

/// A text of metadata is assembled as LLVM does; the note.
fn is_assembled_as_llvm_does(text: &str) -> Vec<u8> {
    let source = format!("\t.amdgpu_metadata\n{text}\t.end_amdgpu_metadata\n");
    let ours = note::metadata(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    if let Some(expected) = assembled(3, &source) {
        assert_eq!(ours, expected, "{text}");
    }
    ours
}

/// A text of metadata is assembled as LLVM does, and printed as LLVM prints it.
fn is_as_llvm_has_it(text: &str) {
    let source = format!("\t.amdgpu_metadata\n{text}\t.end_amdgpu_metadata\n");
    let ours = is_assembled_as_llvm_does(text);
    let size = u32::from_le_bytes(ours[4..8].try_into().expect("four bytes")) as usize;
    let again = note::metadata_text(&ours[20..20 + size]).expect("it is read");
    // Without a file the assembler prints the text that it has read.
    let mut mc = Command::new("llvm-mc-14");
    mc.args([
        "-triple",
        "amdgcn-amd-amdhsa",
        "-mcpu",
        "gfx900",
        "--amdhsa-code-object-version=3",
    ]);
    if let Some(printed) = run(&mut mc, &source) {
        let printed = String::from_utf8(printed).expect("it prints text");
        assert!(
            printed.contains(&again),
            "{again}\n---- but ----\n{printed}"
        );
    }
}

#[test]
fn texts_of_people_are_read_as_llvm_does() {
    is_as_llvm_has_it(&kernel(""));
    // Lists in lists are read by all readers, and printed by LLVM in a form that no reader accepts.
    is_assembled_as_llvm_does(&kernel("lists: [ [ 1, 2 ], [], [ a ] ]\n"));
    // The assembler takes this for a number, prints it so, and writes nothing.
    is_assembled_as_llvm_does(&kernel("nothing: ''\n"));
    let scalars = [
        "yes",
        "n",
        "ON",
        "~",
        "null",
        "!str 5",
        "!str yes",
        "-5",
        "-129",
        "-40000",
        "0x1ffff",
        "4294967296",
        "!int 7",
        "!nil ''",
        "!str ''",
        "!bool off",
        "'it''s'",
        "\"tab\\tand\\nline\\x01\"",
        "x y",
        "0o17",
        "a/b",
        "'5 '",
        "5 5",
        "0x",
        "é",
        "[]",
        "{}",
        "{ b: 1, a: { d: x, c: [ 1 ] } }",
        "[ { b: 1, a: 2 }, { c: 3 } ]",
        "18446744073709551615",
        "'a: b'",
        "'#x'",
        ".x",
        "+",
        "0b",
        "'-'",
    ];
    for (n, scalar) in scalars.iter().enumerate() {
        // Beside the kernels, since LLVM checks the keys of a kernel.
        is_as_llvm_has_it(&format!(
            "{}k{n}: {scalar}\n2: z\n-3: y\nb: x\n...\n",
            kernel("").trim_end_matches("...\n")
        ));
    }
}

#[test]
fn version_2_is_as_llvm_writes_it() {
    let Some(paths) = crate::common::code_objects() else {
        return;
    };
    let version_2 = paths
        .iter()
        .filter(|path| path.to_string_lossy().contains("cov2"));
    let mut count = 0;
    for path in version_2 {
        let notes = String::from_utf8_lossy(&notes_of(path)).into_owned();
        let start = notes.find("---\n").expect("metadata");
        let end = notes.find("\n...\n").expect("their end") + 5;
        let text = &notes[start..end];
        let source = format!(
            ".hsa_code_object_version 2,1\n.hsa_code_object_isa 9,0,1,\"AMD\",\"AMDGPU\"\n\
             .amd_amdgpu_isa \"amdgcn-amd-amdhsa--gfx901\"\n\
             .amd_amdgpu_hsa_metadata\n{text}\n.end_amd_amdgpu_hsa_metadata\n"
        );
        let Some(expected) = assembled(2, &source) else {
            return;
        };
        let ours = [
            note::code_object_version(2, 1),
            note::isa_version([9, 0, 1], "AMD", "AMDGPU"),
            note::isa_name("amdgcn-amd-amdhsa--gfx901"),
            note::metadata_v2(text).expect("metadata"),
        ];
        assert_eq!(ours.concat(), expected, "{}", path.display());
        count += 1;
    }
    assert!(count > 3, "{count}");
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let place = |text: &str| match note::metadata(text) {
        Err(Error::MetadataText {
            line,
            column,
            problem,
        }) => (line, column, problem),
        other => panic!("{text}: {other:?}"),
    };
    let (line, column, problem) = place("---\na: 1\nb: !int x\n");
    assert_eq!((line, column), (3, 4));
    assert_eq!(problem, "`x` is not a valid number, as its tag says");
    let (line, column, _) = place("---\na: [1, 2\nb: 3\n");
    assert_eq!(line, 3, "column {column}");
    let (line, _, problem) = place("---\na: 1\na: 2\n...\n");
    assert_eq!(problem, "the key \"a\" stands twice in a map");
    assert!(line >= 2);
    let (_, _, problem) = place("a: 1.5\n");
    assert!(problem.ends_with("as text it is !str 1.5"), "{problem}");
    let (_, _, problem) = place("a: !x 1\n");
    assert!(
        problem.starts_with("there is no tag !x in metadata"),
        "{problem}"
    );
    assert_eq!(place("").2, "there is nothing in it");
    let error = note::metadata("amdhsa.kernels:\n  - .symbol: k.kd\n").expect_err("no name");
    assert_eq!(
        error.to_string(),
        "the metadata note is damaged: kernel 0 of the metadata has no .name"
    );
    assert!(note::metadata_v2("Kernels:\n  - Size: [").is_err());
}

fn tree() -> impl Strategy<Value = rmpv::Value> {
    use rmpv::Value;
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Boolean),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[-.0-9a-zA-Z~ '\"#:{}\\[\\]!]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let key = "[a-zA-Z_.][a-zA-Z0-9_.]{0,18}".prop_filter("a string", |key| {
            !["y", "n", "on", "no", "off", "yes", "true", "false"].contains(&&*key.to_lowercase())
                && key.parse::<f64>().is_err()
        });
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(key, inner, 0..5).prop_map(|map| {
                Value::Map(
                    map.into_iter()
                        .map(|(key, value)| (key.into(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(tree in tree()) {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &tree).expect("it is written");
        let text = note::metadata_text(&bytes).expect("it is printed");
        let note = note::pal_metadata(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(note, note::entry("AMDGPU", 32, &bytes), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-:?,&*!|>'\"%@`{}\\[\\] \n\ta0.x\\\\#]{0,200}") {
        let _ = note::metadata(&text);
        let _ = note::metadata_v2(&text);
    }

    #[test]
    fn any_bytes_are_printed_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = note::metadata_text(&bytes);
    }
}
