//! Object files, held to those of LLVM's assembler: sections with their bytes, relocations, symbols.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use wavetank_asm::{Listing, Options, assemble_object, source_of};
use wavetank_gcn::{Chip, Dialect};
use wavetank_link::elf::STT_SECTION;
use wavetank_link::{Place, Relocatable};

/// What `llvm-mc` 14 makes of a source; `None` where it is not installed.
pub(crate) fn llvm(name: &str, source: &str, cpu: &str, version: u8) -> Option<Relocatable> {
    let path = format!("{}/{name}-{cpu}.o", env!("CARGO_TARGET_TMPDIR"));
    let mut mc = Command::new("llvm-mc-14")
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", &path])
        .arg(format!("-mcpu={cpu}"))
        .arg(format!("--amdhsa-code-object-version={version}"))
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = mc.stdin.take().expect("stdin is a pipe");
    input.write_all(source.as_bytes()).expect("llvm-mc reads");
    drop(input);
    assert!(mc.wait().expect("llvm-mc ends").success(), "{name}");
    let bytes = std::fs::read(&path).expect("llvm-mc wrote");
    Some(Relocatable::read(&bytes).expect("an object file"))
}

/// What makes two objects the same, by name: the order of sections and symbols does not.
pub(crate) fn described(object: &Relocatable) -> BTreeMap<String, String> {
    let place = |place: Place| match place {
        Place::Section(at) => object.sections[at].name.clone(),
        other => format!("{other:?}"),
    };
    let mut all = BTreeMap::new();
    for section in object.sections.iter().filter(|s| s.size > 0) {
        let relocations = section.relocations.iter().map(|r| {
            let symbol = &object.symbols[r.symbol];
            let name = match symbol.kind {
                STT_SECTION => place(symbol.place),
                _ => symbol.name.clone(),
            };
            format!("\n{:x}: {} {name} + {:x}", r.offset, r.kind, r.addend)
        });
        let mut relocations: Vec<String> = relocations.collect();
        relocations.sort();
        let (kind, flags, align, size) = (section.kind, section.flags, section.align, section.size);
        let group = section.group.map(|symbol| &object.symbols[symbol].name);
        let text = format!(
            "{kind} {flags:x} {align} {size} {group:?} {:02x?}{}",
            section.bytes,
            relocations.concat()
        );
        all.insert(format!("section {}", section.name), text);
    }
    for s in object.symbols.iter().filter(|s| s.kind != STT_SECTION) {
        let text = format!(
            "{} {} {} {} {} {}",
            place(s.place),
            s.value,
            s.size,
            s.kind,
            s.binding,
            s.visibility
        );
        all.insert(format!("symbol {}", s.name), text);
    }
    all.insert("identity".to_owned(), format!("{:?}", object.identity));
    all
}

/// The source that is written of an object file assembles to the same object.
fn comes_back(name: &str, object: &Relocatable, chip: Chip) {
    let bytes = object.write().expect("it is written");
    let source = source_of(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let again = assemble_object(name, &source, &Options::new(chip));
    let again = again.unwrap_or_else(|errors| panic!("{name}: {errors}\n{source}"));
    let object = Relocatable::read(&bytes).expect("an object file");
    let (before, after) = (described(&object), described(&again));
    for (what, text) in &before {
        assert_eq!(after.get(what), Some(text), "{name}: {what}\n{source}");
    }
}

/// Compares what a source of the folder becomes here and there.
fn compare(name: &str, cpu: &str, version: u8) {
    let path = format!("{}/tests/sources/{name}.s", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).expect("a source");
    let chip = Chip::from_name(cpu).expect("a chip");
    let options = Options {
        version,
        ..Options::new(chip)
    };
    let ours = assemble_object(name, &source, &options);
    let ours = ours.unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let Some(theirs) = llvm(name, &source, cpu, version) else {
        let ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(!ci, "llvm-mc-14 is absent");
        eprintln!("SKIP {name}.s: llvm-mc-14 is absent");
        return;
    };
    comes_back(name, &ours, chip);
    comes_back(name, &theirs, chip);
    let (ours, theirs) = (described(&ours), described(&theirs));
    for (what, text) in &ours {
        assert_eq!(Some(text), theirs.get(what), "{name}.s for {cpu}: {what}");
    }
    let missing: Vec<_> = theirs
        .keys()
        .filter(|what| !ours.contains_key(*what))
        .collect();
    assert!(missing.is_empty(), "{name}.s for {cpu}: no {missing:?}");
}

#[test]
fn data() {
    compare("data", "gfx900", 4);
}

#[test]
fn symbols() {
    for cpu in ["gfx600", "gfx701", "gfx803", "gfx900"] {
        compare("symbols", cpu, 4);
    }
}

#[test]
fn macros() {
    compare("macros", "gfx900", 4);
}

#[test]
fn sections() {
    compare("sections", "gfx803", 3);
}

#[test]
fn floats() {
    compare("floats", "gfx900", 4);
}

#[test]
fn operands() {
    compare("operands", "gfx900", 4);
}

#[test]
fn assignments_keep_their_expressions() {
    compare("deferred", "gfx900", 4);
}

#[test]
fn aliases_are_symbols_of_their_own() {
    compare("aliases", "gfx900", 4);
}

/// The rows of line tables, as `llvm-dwarfdump` shows them: address, line, and whether the sequence ends.
fn rows(path: &str) -> Option<Vec<(String, String, bool)>> {
    let out = Command::new("llvm-dwarfdump-14")
        .args(["--debug-line", path])
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).expect("text");
    let rows = text.lines().filter(|line| line.starts_with("0x0"));
    Some(
        rows.map(|row| {
            let mut words = row.split_whitespace().map(str::to_owned);
            let mut word = || words.next().expect("a word");
            (word(), word(), row.contains("end_sequence"))
        })
        .collect(),
    )
}

/// `-g` of an assembler: each instruction has its line, and what a macro makes that of its use.
#[test]
fn own_lines_are_those_of_llvm() {
    let source = "\n.macro two a\n s_nop \\a\n s_nop 1\n.endm\nf: s_nop 0\n\n two 3\n.rept 2\n s_nop 4\n.endr\n\
                  s_cbranch_scc1 g\n.section .text.g,\"ax\",@progbits\ng: s_nop 5\n s_endpgm\n.text\n s_nop 6\n";
    let folder = env!("CARGO_TARGET_TMPDIR");
    let [path, ours, theirs] =
        ["own.s", "own.o", "own-llvm.o"].map(|name| format!("{folder}/{name}"));
    std::fs::write(&path, source).expect("a source");
    let options = Options {
        debug_lines: true,
        ..Options::new(Chip::Gfx900)
    };
    let object = assemble_object("own.s", source, &options).expect("a source");
    let info = object.sections.iter().find(|s| s.name == ".debug_info");
    let info = &info.expect("a unit").bytes;
    let is_named = info.windows(6).any(|bytes| bytes == b"own.s\0");
    assert!(is_named, "the unit has the name of the source");
    std::fs::write(&ours, object.write().expect("an object file")).expect("a file");
    let mc = Command::new("llvm-mc-14")
        .args([
            "-triple=amdgcn-amd-amdhsa",
            "-mcpu=gfx900",
            "-g",
            "-filetype=obj",
        ])
        .args([&path, "-o", &theirs])
        .status();
    let (Ok(status), Some(rows_of_ours)) = (mc, rows(&ours)) else {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "llvm-14 is absent"
        );
        eprintln!("SKIP own_lines_are_those_of_llvm: llvm-14 is absent");
        return;
    };
    assert!(status.success() && rows_of_ours.len() > 10);
    assert_eq!(Some(rows_of_ours), rows(&theirs));
    // A source with lines of its own keeps them.
    let source = ".file 1 \"a.c\"\n.loc 1 40\n s_nop 0\n s_nop 1\n";
    let object = assemble_object("a.s", source, &options).expect("a source");
    assert!(object.sections.iter().all(|s| s.name != ".debug_info"));
}

/// LLVM 14 has other relocations for `@abs32`, so that both objects come back, and are not compared.
#[test]
fn sources_of_objects_make_the_same_relocations() {
    let source = relocations();
    let ours = assemble_object("a.s", &source, &Options::new(Chip::Gfx900)).expect("a source");
    comes_back("ours", &ours, Chip::Gfx900);
    if let Some(theirs) = llvm("relocations", &source, "gfx900", 5) {
        comes_back("theirs", &theirs, Chip::Gfx900);
    }
}

fn relocations() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    std::fs::read_to_string(format!("{folder}/tests/sources/relocations.s")).expect("a source")
}

/// Relocations are listed with the instructions that they change, as `llvm-objdump -dr` does; here its text of LLVM 19.
#[test]
fn relocations_are_listed() {
    let source = relocations();
    let object = assemble_object("a.s", &source, &Options::new(Chip::Gfx900)).expect("a source");
    let (target, sections) = Listing::of_object(&object).expect("an object");
    assert_eq!(target.to_string(), "gfx900");
    let names: Vec<&str> = sections.iter().map(|s| s.name).collect();
    assert_eq!(names, [".text", ".text.g"]);
    let mut text = Vec::new();
    for section in &sections {
        section
            .listing
            .write(Dialect::Llvm, &mut text)
            .expect("memory");
    }
    let text = String::from_utf8(text).expect("text");
    let found: Vec<String> = text
        .lines()
        .filter_map(|line| Some(line.split_once("R_AMDGPU_")?.1.replace('\t', " ")))
        .collect();
    assert_eq!(
        found,
        [
            "REL32_LO ext+0x4",
            "REL32_HI ext+0xc",
            "GOTPCREL32_LO ext2+0x4",
            "GOTPCREL32_HI ext2+0xc",
            "ABS32_LO data",
            "ABS32_HI data",
            "ABS32_LO .data+0x14",
            "REL16 .text.g+0x4",
            "REL16 f",
            "ABS64 f",
        ]
    );
    assert!(text.contains("f:\n\ts_getpc_b64 s[4:5]"), "{text}");
}

#[test]
fn spellings_that_llvm_takes() {
    compare("spellings", "gfx900", 4);
}

#[test]
fn kernels() {
    for version in [4, 5] {
        compare("kernel", "gfx900", version);
    }
}

#[test]
fn registers_that_are_counted() {
    // The last SGPR before VCC is s103 there.
    for cpu in ["gfx600", "gfx701"] {
        compare("counts", cpu, 4);
    }
}

#[test]
fn kernels_of_version_2() {
    compare("kernel_code", "gfx803", 2);
    compare("version_2", "gfx900", 2);
}

#[test]
fn features_as_version_3_writes_them_are_version_3() {
    let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900+xnack\"\ns_nop 0\n";
    // No version is requested.
    let ours = assemble_object("a.s", source, &Options::new(Chip::Gfx900)).expect("a source");
    if let Some(theirs) = llvm("features", source, "gfx900", 3) {
        assert_eq!(ours.identity, theirs.identity);
    }
}
