//! Linked objects, compared with those that LLVM's linker makes of the same files.

use std::fs;
use std::path::Path;
use std::process::Command;

use object::Object;
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use proptest::prelude::*;
use wavetank_link::{Input, Options, Relocatable, elf, link};

use crate::common::compilers::{assembled_by_clang, kernels, printed};
use crate::common::linked::{Elf, LE, in_memory, sections, symbols};
use crate::common::{Folder, run};
use crate::objects::linkable_objects;

/// Links files by `wavetank_link` and by a linker of LLVM.
fn both(linker: &str, files: &[Vec<u8>]) -> Option<(Vec<u8>, Vec<u8>)> {
    let folder = Folder::new();
    let mut command = Command::new(linker);
    command
        .args(["-shared", "--no-undefined", "-o"])
        .arg(folder.path("out"));
    let mut objects = Vec::new();
    for (n, file) in files.iter().enumerate() {
        let path = folder.path(&format!("{n}.o"));
        fs::write(&path, file).expect("a file is written");
        command.arg(path);
        objects.push(Relocatable::read(file).expect("it is read"));
    }
    run(&mut command, b"")?;
    let theirs = fs::read(folder.path("out")).expect("the linker writes");
    let inputs: Vec<Input> = objects
        .iter()
        .map(|object| Input {
            name: "input",
            object,
        })
        .collect();
    let ours = link(&inputs, &Options::default()).expect("it is linked");
    Some((ours, theirs))
}

fn segments(elf: &Elf) -> Vec<String> {
    let headers = elf.elf_program_headers().iter();
    let text = headers.map(|p| {
        let kind = p.p_type(LE).0;
        let mut memory = p.p_memsz(LE);
        // From LLVM 18 on the padding after what is read only after relocation is in memory.
        if kind == 1 && p.p_flags(LE).0 == 6 {
            memory = memory.min(p.p_filesz(LE));
        }
        format!(
            "{kind:#x} {:?} {:#x} {:#x} {:#x} {memory:#x} {:#x}",
            p.p_flags(LE),
            p.p_offset(LE),
            p.p_vaddr(LE),
            p.p_filesz(LE),
            p.p_align(LE)
        )
    });
    text.collect()
}

/// Compares everything that a program can see.
fn compare(what: &str, (ours, theirs): &(Vec<u8>, Vec<u8>)) {
    let [a, b] = [ours, theirs].map(|bytes| Elf::parse(&bytes[..]).expect("an ELF file"));
    let header = |elf: &Elf| {
        let header = elf.elf_header();
        let ident = header.e_ident();
        (
            ident.os_abi,
            ident.abi_version,
            header.e_flags(LE),
            header.e_type(LE),
        )
    };
    assert_eq!(header(&a), header(&b), "{what}");
    let names = |elf: &Elf| -> Vec<String> {
        sections(elf)
            .iter()
            .map(|s| format!("{} {:#x} {:#x}", s.0, s.1, s.2))
            .collect()
    };
    assert_eq!(names(&a), names(&b), "{what}");
    for (ours, theirs) in sections(&a).into_iter().zip(sections(&b)) {
        assert_eq!(ours, theirs, "{what}");
    }
    assert_eq!(
        symbols(&a, a.dynamic_symbols()),
        symbols(&b, b.dynamic_symbols()),
        "{what}"
    );
    assert_eq!(symbols(&a, a.symbols()), symbols(&b, b.symbols()), "{what}");
    assert_eq!(segments(&a), segments(&b), "{what}");
}

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

/// Links sources by both, and compares.
fn sources_are_linked_alike(what: &str, sources: &[&str]) {
    let files: Option<Vec<_>> = sources.iter().map(|source| assembled(source)).collect();
    for linker in ["ld.lld-15", "ld.lld-19"] {
        if let Some(files) = files.as_ref().and_then(|files| both(linker, files)) {
            compare(&format!("{what} by {linker}"), &files);
        }
    }
}

const MAIN: &str = include_str!("data/main.s");

const OTHER: &str = include_str!("data/other.s");

#[test]
fn files_are_linked_as_llvm_does() {
    sources_are_linked_alike("two files", &[MAIN, OTHER]);
    sources_are_linked_alike("the other way", &[OTHER, MAIN]);
    sources_are_linked_alike("nothing", &["s_endpgm"]);
    sources_are_linked_alike("empty", &[""]);
}

#[test]
fn symbols_are_found_as_llvm_does() {
    let weak = ".weak f\n.hidden f\n f: s_nop 1\n .globl g\n g: s_nop 2\n .long f@rel32@lo\n";
    let strong = ".globl f\n f: s_nop 3\n.weak g\n .protected g\n g: s_nop 4\n .long g@rel32@lo";
    sources_are_linked_alike("weak and strong", &[weak, strong]);
    sources_are_linked_alike("strong and weak", &[strong, weak]);
    sources_are_linked_alike(
        "weak and weak",
        &[
            &weak.replace("globl", "weak"),
            &strong.replace("globl", "weak"),
        ],
    );
    let common = ".comm c,16,4\n.comm d,8,3\n.weak e\n.data\n e: .quad 5";
    let defined = ".data\n.globl c\n c: .quad 7\n.weak d\n d: .quad 8\n.comm e,4,2";
    sources_are_linked_alike("common and defined", &[common, defined]);
    sources_are_linked_alike("defined and common", &[defined, common]);
    let many: String = (0..50)
        .map(|n| format!(".globl s{n}\n.type s{n},@object\n s{n}: .quad {n}\n"))
        .collect();
    sources_are_linked_alike("many", &[&format!(".data\n{many}"), weak]);
}

#[test]
fn absolute_values_meet_as_llvm_does() {
    let object = |value: u32| {
        assembled(&format!(".globl b\n.set b, {value}"))
            .map(|file| Relocatable::read(&file).expect("it is read"))
    };
    for [a, b] in [[0, 0], [5, 5], [5, 6], [0, 5]] {
        if let (Some(a), Some(b)) = (object(a), object(b)) {
            files_agree(&[a, b]).expect("both agree");
        }
    }
}

#[test]
fn groups_and_arrays_are_linked_as_llvm_does() {
    let group = |n: u32| {
        format!(
            ".section .text.f,\"axG\",@progbits,f,comdat\n.weak f\n.hidden f\n f: s_nop {n}\n s_endpgm\n\
             .section .init_array.{n},\"aw\",@init_array\n.p2align 3\n.quad 0x{n}\n\
             .section vars,\"aw\",@progbits\n.long {n}\n .text\n .long f@rel32@lo\n .long __start_vars@rel32@lo\n"
        )
    };
    sources_are_linked_alike("groups", &[&group(9), &group(5), &group(7)]);
}

#[test]
fn strings_are_merged_as_llvm_does() {
    // Which of two strings comes first says a hash, which LLVM has changed in version 17.
    let strings = |words: &[&str]| {
        let rows: String = words
            .iter()
            .enumerate()
            .map(|(n, word)| format!(".Ls{n}: .asciz \"{word}\"\n"))
            .collect();
        let uses: String = (0..words.len())
            .map(|n| format!(".long .Ls{n}@rel32@lo\n"))
            .collect();
        format!(
            ".section .rodata.str1.1,\"aMS\",@progbits,1\n{rows}\n.text\n{uses}\
             .section .rodata.cst8,\"aM\",@progbits,8\n.quad 1, 2, 3, 1, {}\n.section .rodata,\"a\",@progbits\n.long 7\n",
            words.len()
        )
    };
    let (a, b) = (
        strings(&["one", "two", "three", "four"]),
        strings(&["two", "five", "one", "", "three four"]),
    );
    let files: Option<Vec<_>> = [a, b].iter().map(|source| assembled(source)).collect();
    if let Some(files) = files.and_then(|files| both("ld.lld-19", &files)) {
        compare("strings", &files);
    }
}

/// Compiles a kernel for a chip, links it by both, and compares; whether there was something to compare.
fn kernel_is_linked_alike(version: u32, chip: &str, level: &str, source: &Path) -> bool {
    let text = printed(version, chip, level, source);
    let Some(file) = text.and_then(|text| assembled_by_clang(version, chip, &text)) else {
        return false;
    };
    let what = |linker: &str| format!("{} {chip} {level} by {linker}", source.display());
    if let Some(files) = both("ld.lld-19", std::slice::from_ref(&file)) {
        compare(&what("ld.lld-19"), &files);
    }
    // The order of strings is that of LLVM 17 and later.
    let object = Relocatable::read(&file).expect("it is read");
    let merged = elf::SHF_MERGE | elf::SHF_ALLOC;
    if object
        .sections
        .iter()
        .any(|section| section.flags & merged == merged)
    {
        return true;
    }
    if let Some((ours, theirs)) = both("ld.lld-15", &[file]) {
        assert_eq!(
            in_memory(&ours),
            in_memory(&theirs),
            "{}",
            what("ld.lld-15")
        );
    }
    true
}

#[test]
fn kernels_are_linked_as_llvm_does() {
    for (n, source) in kernels().iter().enumerate().step_by(7) {
        let (version, level) = [(15, "-O2"), (19, "-O0")][n % 2];
        kernel_is_linked_alike(version, "gfx900", level, source);
    }
}

#[test]
#[ignore = "compiles every kernel in every way, which takes minutes"]
fn all_kernels_are_linked_as_llvm_does() {
    let (mut compared, mut all) = (0, 0);
    for source in kernels() {
        for version in [15, 19] {
            for chip in ["gfx600", "gfx701", "gfx803", "gfx900"] {
                for level in ["-O0", "-O2"] {
                    all += 1;
                    compared += usize::from(kernel_is_linked_alike(version, chip, level, &source));
                }
            }
        }
    }
    eprintln!("{compared} of {all} were compiled and compared");
    assert!(compared * 4 >= all * 3, "{compared} of {all} were compiled");
}

/// Links files by both: whether both can, and whether the results are the same.
fn files_agree(objects: &[Relocatable]) -> Result<(), TestCaseError> {
    let folder = Folder::new();
    let mut command = Command::new("ld.lld-19");
    command
        .args(["-shared", "--no-undefined", "-o"])
        .arg(folder.path("out"));
    for (n, object) in objects.iter().enumerate() {
        let path = folder.path(&format!("{n}.o"));
        fs::write(&path, object.write().expect("it is written")).expect("a file is written");
        command.arg(path);
    }
    let Ok(output) = command.output() else {
        // Says that it is absent.
        run(&mut command, b"");
        return Ok(());
    };
    let inputs: Vec<Input> = objects
        .iter()
        .map(|object| Input {
            name: "input",
            object,
        })
        .collect();
    let ours = link(&inputs, &Options::default());
    let stderr = String::from_utf8_lossy(&output.stderr);
    prop_assert_eq!(
        ours.is_ok(),
        output.status.success(),
        "{:?}\n{}",
        ours.err(),
        stderr
    );
    if let Ok(ours) = ours {
        let theirs = fs::read(folder.path("out")).expect("the linker writes");
        compare("files", &(ours, theirs));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_files_are_linked_as_llvm_does(a in linkable_objects(), b in linkable_objects()) {
        files_agree(&[a, b])?;
    }
}
