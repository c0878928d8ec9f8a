//! Object files, held to those of LLVM's assembler: sections with their bytes, relocations, symbols.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use wavetank_asm::{Options, assemble_object};
use wavetank_gcn::Chip;
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
