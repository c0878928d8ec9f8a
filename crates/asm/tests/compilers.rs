//! What compilers print, assembled and linked here, held to what they and LLVM's linker make of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use wavetank_asm::{Options, assemble_object, text_of};
use wavetank_gcn::Chip;
use wavetank_link::{Input, Relocatable, link};
use wavetank_object::{Lines, open};

use crate::common::compilers::{assembled_by_clang, kernels, printed};
use crate::common::linked::in_memory;
use crate::common::{Folder, run};
use crate::objects::described;

/// Linked by `wavetank_link`.
fn linked(object: &Relocatable) -> Vec<u8> {
    let input = Input {
        name: "input",
        object,
    };
    link(&[input], &wavetank_link::Options::default()).expect("it is linked")
}

/// Linked by LLVM's linker.
fn linked_by_llvm(object: &[u8]) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let [from, to] = ["in.o", "out.co"].map(|name| folder.path(name));
    fs::write(&from, object).expect("a file is written");
    let mut linker = Command::new("ld.lld-19");
    run(linker.arg("-shared").arg(from).arg("-o").arg(&to), b"")?;
    Some(fs::read(to).expect("the linker writes"))
}

/// What may be written in many ways, and the frames, in which compilers say nothing.
const OWN: [&str; 3] = [
    "section .debug_frame",
    "section .debug_line",
    "section .debug_line_str",
];

/// Compares sections, relocations and symbols.
fn same_objects(what: &str, ours: &Relocatable, theirs: &Relocatable) {
    let [ours, theirs] = [ours, theirs].map(|object| {
        let mut all = described(object);
        all.retain(|name, _| !OWN.contains(&name.as_str()));
        all
    });
    let names = |all: &BTreeMap<String, String>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&theirs), "{what}");
    for (name, text) in ours {
        assert_eq!(text, theirs[&name], "{what}: {name}");
    }
}

/// Compares the lines of source that all code comes from.
fn same_lines(what: &str, chip: &str, ours: &[u8], theirs: &[u8]) {
    let (sections, _) = in_memory(ours);
    let code = sections.iter().find(|section| section.0 == ".text");
    let code = code.map(|(_, address, size, ..)| *address..address + size);
    let [ours, theirs] = [ours, theirs].map(|file| open(file, Some(chip)).expect("a code object"));
    let [a, b] = [&ours, &theirs].map(|object| Lines::of(object).expect("it has lines"));
    for address in code.expect("it has code").step_by(4) {
        assert_eq!(a.at(address), b.at(address), "{what}: {address:#x}");
    }
}

/// Compares all that a compiler prints of a kernel; whether there was something to compare.
fn kernel_is_assembled_alike(version: u32, chip: &str, level: &str, source: &Path) -> bool {
    let Some(text) = printed(version, chip, level, source) else {
        return false;
    };
    let what = format!("{} {chip} {level} by clang-{version}", source.display());
    let Some(theirs) = assembled_by_clang(version, chip, &text) else {
        return false;
    };
    // The version that LLVM 15 makes where the text says none.
    let options = Options {
        version: 4,
        ..Options::new(Chip::from_name(chip).expect("a chip"))
    };
    let ours = assemble_object("out.s", &text_of(text), &options);
    let ours = ours.unwrap_or_else(|errors| panic!("{what}: {errors}"));
    same_objects(
        &what,
        &ours,
        &Relocatable::read(&theirs).expect("it is read"),
    );
    let Some(theirs) = linked_by_llvm(&theirs) else {
        return false;
    };
    let ours = linked(&ours);
    assert_eq!(in_memory(&ours), in_memory(&theirs), "{what}");
    same_lines(&what, chip, &ours, &theirs);
    true
}

/// The ways in which kernels are compiled.
fn ways() -> Vec<(u32, &'static str, &'static str)> {
    let mut ways = Vec::new();
    for version in [15, 19] {
        for chip in ["gfx600", "gfx701", "gfx803", "gfx900"] {
            ways.extend(["-O0", "-O2"].map(|level| (version, chip, level)));
        }
    }
    ways
}

/// Compares kernels, each compiled in another way.
fn some_are_assembled_alike(step: usize) {
    let (ways, mut compared) = (ways(), 0);
    // 5 and 16 have no common divisor: every way has its turn.
    for (n, source) in kernels().iter().step_by(step).enumerate() {
        let (version, chip, level) = ways[n * 5 % ways.len()];
        compared += usize::from(kernel_is_assembled_alike(version, chip, level, source));
    }
    eprintln!("{compared} kernels were compiled and compared");
}

#[test]
fn kernels_are_assembled_as_compilers_do() {
    some_are_assembled_alike(7);
}

#[test]
#[ignore = "compiles every kernel, which takes half a minute"]
fn each_kernel_is_assembled_as_compilers_do() {
    some_are_assembled_alike(1);
}

#[test]
#[ignore = "compiles every kernel in every way, which takes minutes"]
fn all_kernels_are_assembled_as_compilers_do() {
    let (mut compared, mut all) = (0, 0);
    for source in kernels() {
        for (version, chip, level) in ways() {
            all += 1;
            let alike = kernel_is_assembled_alike(version, chip, level, &source);
            compared += usize::from(alike);
        }
    }
    eprintln!("{compared} of {all} were compiled and compared");
    assert!(compared * 4 >= all * 3, "{compared} of {all} were compiled");
}
