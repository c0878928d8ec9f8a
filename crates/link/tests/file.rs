//! Object files, written and read.

use std::fs;
use std::process::Command;

use proptest::prelude::*;
use wavetank_link::{Error, Place, Relocatable, elf, reloc};

use crate::common::{Folder, run};
use crate::objects::objects;

/// A source with what an object file can have.
const SOURCE: &str = include_str!("data/kinds.s");

fn assembled(source: &str) -> Option<Vec<u8>> {
    let mut mc = Command::new("llvm-mc-14");
    mc.args([
        "-triple",
        "amdgcn-amd-amdhsa",
        "-mcpu",
        "gfx900",
        "--filetype=obj",
    ]);
    run(&mut mc, source.as_bytes())
}

/// What `llvm-readelf` says of symbols and relocations, with the numbers of the file left out.
fn readelf(file: &[u8], options: &[&str]) -> Option<Vec<String>> {
    let folder = Folder::new();
    let path = folder.path("object.o");
    fs::write(&path, file).expect("a file is written");
    let text = run(
        Command::new("llvm-readelf-14").args(options).arg(&path),
        b"",
    )?;
    let text = String::from_utf8(text).expect("readelf writes text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    Some(lines)
}

#[test]
fn what_llvm_writes_is_read() {
    let Some(file) = assembled(SOURCE) else {
        return;
    };
    let object = Relocatable::read(&file).expect("it is read");
    let symbol = |name: &str| object.symbols.iter().find(|s| s.name == name).expect(name);
    let section = |name: &str| object.sections.iter().find(|s| s.name == name).expect(name);
    assert_eq!(symbol("f").size, 40);
    assert_eq!(symbol("big").place, Place::Common);
    assert_eq!((symbol("big").value, symbol("big").size), (16, 64));
    assert_eq!(
        (symbol("number").place, symbol("number").value),
        (Place::Absolute, 77)
    );
    assert_eq!(symbol("w").place, Place::Undefined);
    assert_eq!(
        (symbol("g").binding, symbol("g").visibility),
        (elf::STB_WEAK, elf::STV_HIDDEN)
    );
    let group = section(".text.g").group.expect("it is in a group");
    assert_eq!(object.symbols[group].name, "g");
    assert_eq!(
        (section(".bss").size, section(".bss").bytes.len()),
        (100, 0)
    );
    let [first, ..] = section(".text").relocations[..] else {
        panic!("relocations");
    };
    assert_eq!(
        (first.kind, first.offset, first.addend),
        (reloc::REL32_LO, 8, 4)
    );
    assert_eq!(object.symbols[first.symbol].name, "v");
}

/// What is the same in files of the same contents: lines of `llvm-readelf` without offsets and numbers of sections, and rows
/// of relocations without the numbers of their symbols.
fn compared(file: &[u8], options: &[&str]) -> Option<Vec<String>> {
    let differs = ["at offset", "ection header", "Number of section"];
    let lines = readelf(file, options)?.into_iter();
    let lines = lines.filter(|line| !differs.iter().any(|text| line.contains(text)));
    let fields = |line: String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, info, ref rest @ ..] if info.len() == 16 => rest.join(" "),
            _ => words.join(" "),
        }
    };
    Some(lines.map(fields).collect())
}

#[test]
fn what_is_written_is_what_llvm_wrote() {
    let Some(file) = assembled(SOURCE) else {
        return;
    };
    let ours = Relocatable::read(&file).and_then(|object| object.write());
    let ours = ours.expect("it is written");
    for options in [
        &["-h"][..],
        &["-rW"],
        &["-p", ".rodata.str1.1"],
        &["-x", ".text"],
    ] {
        assert_eq!(
            compared(&ours, options),
            compared(&file, options),
            "{options:?}"
        );
    }
}

#[test]
fn other_files_are_reported() {
    for bytes in [
        &b""[..],
        b"\x7fELF",
        &[0; 64],
        &std::fs::read(std::env::current_exe().unwrap()).unwrap(),
    ] {
        assert_eq!(Relocatable::read(bytes), Err(Error::NotRelocatable));
    }
}

/// An object with the symbols in the order of a file: local ones first.
fn in_order(object: &Relocatable) -> Relocatable {
    let local = |n: &usize| object.symbols[*n].binding == elf::STB_LOCAL;
    let (mut order, others): (Vec<_>, Vec<_>) = (0..object.symbols.len()).partition(local);
    order.extend(others);
    let place = |symbol: usize| {
        order
            .iter()
            .position(|n| *n == symbol)
            .expect("it is there")
    };
    let mut out = object.clone();
    out.symbols = order.iter().map(|n| object.symbols[*n].clone()).collect();
    for section in &mut out.sections {
        section.group = section.group.map(place);
        for relocation in &mut section.relocations {
            relocation.symbol = place(relocation.symbol);
        }
    }
    out
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(object in objects()) {
        let file = object.write().expect("it is written");
        prop_assert_eq!(Relocatable::read(&file).expect("it is read"), in_order(&object));
    }

    #[test]
    fn damaged_files_never_panic(object in objects(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut file = object.write().expect("it is written");
        let at = at.index(file.len());
        file[at] = byte;
        let _ = Relocatable::read(&file);
        file.truncate(at);
        let _ = Relocatable::read(&file);
    }
}
