//! Lines of source, held to LLVM's symbolizer.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use wavetank_object::{CodeObject, Lines, Source, open};

use crate::common::{kernels, tool};

/// `data/lines.cl`, compiled by clang 19 with `-g -O2 -fdebug-compilation-dir=.`: DWARF 5.
const LINES: &[u8] = include_bytes!("data/lines-gfx900.hsaco");

/// Debian's `rocm-device-libs`.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

fn object(bytes: &[u8]) -> CodeObject {
    open(bytes, None).expect("a code object")
}

/// The source lines of the instruction so many bytes after the start of the kernel.
fn describe(lines: &Lines, object: &CodeObject, offset: u64) -> String {
    lines.at(object.kernels()[0].entry + offset).to_string()
}

/// The expectations are `llvm-symbolizer --inlines`, version 15.
#[test]
fn lines_are_given_with_inlined_calls() {
    let object = object(LINES);
    let lines = Lines::of(&object).expect("DWARF");
    assert_eq!(describe(&lines, &object, 0x0), "lines.cl:6:18");
    // Line 0: what the compiler has merged from several.
    assert_eq!(describe(&lines, &object, 0x10), "lines.cl");
    assert_eq!(describe(&lines, &object, 0x20), "lines.cl:8:9");
    assert_eq!(
        describe(&lines, &object, 0x30),
        "lines.h:11:17 in `put`, inlined at lines.cl:10:5"
    );
    assert_eq!(
        describe(&lines, &object, 0x40),
        "lines.h:6:9 in `store`, inlined at lines.h:10:5 in `put`, inlined at lines.cl:10:5"
    );
    assert_eq!(describe(&lines, &object, 0x48), "lines.cl:11:1");
    assert!(lines.at(0).is_empty());
    assert!(lines.at(u64::MAX).is_empty());
}

#[test]
fn an_object_without_dwarf_has_none() {
    let bytes = include_bytes!("data/vecadd-gfx900.hsaco");
    assert!(Lines::of(&object(bytes)).is_none());
    let end = 0xbf81_0000u32.to_le_bytes();
    let plain = CodeObject::of_code(&end, "gfx900".parse().expect("a target"));
    assert!(Lines::of(&plain.expect("code")).is_none());
}

/// Kernels of the shared sources, with the DWARF of both compilers, in three versions and compressed.
#[test]
fn lines_are_those_of_the_symbolizer() {
    let Some(kernels) = kernels() else { return };
    let Some(symbolizer) = tool(&["llvm-symbolizer-15", "llvm-symbolizer-14"]) else {
        return;
    };
    if !Path::new(LIBRARIES).exists() {
        eprintln!("SKIP lines_are_those_of_the_symbolizer: {LIBRARIES} is absent");
        return;
    }
    let runs = [
        ("clang-15", "-gdwarf-4", "cl/misc.cl"),
        ("clang-15", "-gz", "cl/fft.cl"),
        ("clang-15", "-gdwarf-5", "hip/suite.hip"),
        ("clang-19", "-gdwarf-3", "cl/aes.cl"),
        ("clang-19", "-gdwarf-5", "hip/suite.hip"),
        ("clang-19", "-gz", "hip/prim.hip"),
    ];
    let mut inlined = 0;
    for (compiler, option, source) in runs {
        let Some(compiler) = tool(&[compiler]) else {
            return;
        };
        let object = compiled(compiler, option, &kernels.join(source));
        inlined += compare(&object, symbolizer);
    }
    assert!(
        inlined > 1000,
        "only {inlined} instructions of inlined functions"
    );
}

/// The path of a source that has been compiled.
fn compiled(compiler: &str, option: &str, source: &Path) -> String {
    let name = source.file_name().and_then(|name| name.to_str());
    let name = name.expect("a source has a name");
    let folder = env!("CARGO_TARGET_TMPDIR");
    let path = format!("{folder}/lines-{compiler}-{name}.hsaco");
    let language = if name.ends_with(".cl") {
        "-x cl -cl-std=CL2.0 -Xclang -finclude-default-header -target amdgcn-amd-amdhsa -mcpu=gfx900"
    } else {
        "-x hip --offload-arch=gfx900 --cuda-device-only --no-gpu-bundle-output --rocm-path=/usr"
    };
    let status = Command::new(compiler)
        .args(language.split(' '))
        .args("-g -O2 -mcode-object-version=4".split(' '))
        .arg(format!("--rocm-device-lib-path={LIBRARIES}"))
        .args([option, "-o", &path])
        .arg(source)
        .status();
    assert!(status.expect("the compiler starts").success());
    path
}

/// Compares the lines of all instructions; gives how many were inlined.
fn compare(path: &str, symbolizer: &str) -> usize {
    let object = object(&std::fs::read(path).expect("an object"));
    let lines = Lines::of(&object).expect("DWARF");
    let code = object.segments().iter().find(|s| s.executable);
    let code = code.expect("code");
    let addresses = (code.address..code.address + code.memory_size).step_by(4);
    let requested: Vec<String> = addresses.clone().map(|a| format!("{a:#x}")).collect();
    let list = format!("{path}.txt");
    std::fs::write(&list, requested.join("\n")).expect("a list");
    let answer = Command::new(symbolizer)
        .args([
            "--inlines",
            "--no-demangle",
            "--relativenames",
            "--output-style=LLVM",
            "--obj",
            path,
        ])
        .stdin(std::fs::File::open(&list).expect("the list"))
        .output()
        .expect("the symbolizer starts");
    let answer = String::from_utf8(answer.stdout).expect("text");
    let mut answers = answer.split("\n\n");
    let mut inlined = 0;
    for address in addresses {
        let source = lines.at(address);
        inlined += usize::from(source.frames.len() > 1);
        let theirs = answers.next().unwrap_or_default();
        // A column of no line says nothing.
        let theirs = theirs
            .trim()
            .lines()
            .map(|line| match line.rsplit_once(":0:") {
                Some((file, _)) => format!("{file}:0:0"),
                None => line.to_owned(),
            });
        let theirs = theirs.collect::<Vec<_>>().join("\n");
        assert_eq!(in_llvms_words(&source), theirs, "{path} {address:#x}");
    }
    inlined
}

fn in_llvms_words(source: &Source) -> String {
    if source.is_empty() {
        return "??\n??:0:0".to_owned();
    }
    let frames = source.frames.iter().map(|frame| {
        let name = frame.function.as_deref().unwrap_or("??");
        let (line, column) = (frame.line.unwrap_or(0), frame.column.unwrap_or(0));
        format!("{name}\n{}:{line}:{column}", frame.file)
    });
    frames.collect::<Vec<_>>().join("\n")
}

proptest! {
    /// Bytes of the DWARF are replaced: whatever lines result, nothing panics.
    #[test]
    fn damaged_dwarf_does_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let mut bytes = LINES.to_vec();
        let sound = object(LINES);
        // After what is loaded.
        let end = |s: &wavetank_object::Segment| (s.file_offset + s.file_size) as usize;
        let start = sound.segments().iter().map(end).max().unwrap_or(0);
        let headers = u64::from_le_bytes(LINES[40..48].try_into().expect("8 bytes")) as usize;
        for (place, byte) in changes {
            bytes[start + place.index(headers - start)] = byte;
        }
        if let Ok(object) = open(&bytes, None)
            && let Some(lines) = Lines::of(&object)
        {
            let entry = sound.kernels()[0].entry;
            for address in (entry..entry + 0x150).step_by(4) {
                let _ = lines.at(address).to_string();
            }
        }
    }
}
