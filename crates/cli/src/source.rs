//! Detection of program sources where machine code, assembly or a program was expected.

use std::path::Path;

use crate::exit::{Failure, Result, shown};
use crate::search_path::find;

/// Number of lines that are examined.
const LINES: usize = 2000;
/// The first bytes of LLVM's bitcode, alone and in its wrapper ("LLVM Bitcode File Format").
const BITCODE: [[u8; 4]; 2] = [*b"BC\xc0\xde", [0xde, 0xc0, 0x17, 0x0b]];

/// A form of programs that is not machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    OpenCl,
    Hip,
    /// LLVM's bitcode, or its text.
    Llvm,
    Assembly,
}

/// Rejects files that are not machine code, and names the command that makes it.
pub(crate) fn refuse(path: &Path, bytes: &[u8]) -> Result {
    let Some(language) = language(path, bytes) else {
        return Ok(());
    };
    // A compiler accepts `-` as well, but this command has already consumed stdin.
    let source = match shown(path).as_str() {
        "stdin" => "kernels".to_owned(),
        file => file.to_owned(),
    };
    let sentence = match language {
        Language::OpenCl => format!(
            "this looks like OpenCL source; compile it first:\n  {} -x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
             -target amdgcn-amd-amdhsa -mcpu=gfx900{} -O2 {source} -o kernels.hsaco",
            clang(),
            device_libraries(),
        ),
        Language::Hip => format!(
            "this looks like HIP source; compile it first:\n  hipcc --genco --offload-arch=gfx900 -O2 {source} -o kernels.hsaco"
        ),
        Language::Llvm => format!(
            "this is LLVM's bitcode or its text; compile it first:\n  {} -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -O2 \
             {source} -o kernels.hsaco",
            clang(),
        ),
        Language::Assembly => format!(
            "this looks like assembly source; assemble it first:\n  wavetank asm {source} -o kernels.co"
        ),
    };
    Err(Failure::usage(sentence).of(path))
}

/// Whether a file looks like assembly source.
pub(crate) fn is_assembly(path: &Path, bytes: &[u8]) -> bool {
    language(path, bytes) == Some(Language::Assembly)
}

/// Rejects the source of a program where assembly was expected, and names the command to compile it.
pub(crate) fn refuse_to_assemble(path: &Path, bytes: &[u8]) -> Result {
    match language(path, bytes) {
        Some(Language::Assembly) => Ok(()),
        _ => refuse(path, bytes),
    }
}

/// Returns the name of the compiler: `clang`, or the newest one with a number after its name that has a linker beside it.
fn clang() -> String {
    let is_there = |name: &str| find(name.as_ref()).is_some_and(|file| file.is_file());
    let numbered = || {
        let mut versions = (9..100).rev();
        versions.find(|n| is_there(&format!("clang-{n}")) && is_there(&format!("ld.lld-{n}")))
    };
    let plain = "clang".to_owned();
    if is_there(&plain) {
        plain
    } else {
        numbered().map_or(plain, |n| format!("clang-{n}"))
    }
}

/// Returns the option for the device libraries where a compiler does not look for them: Debian's folder, if it exists.
fn device_libraries() -> String {
    let folder = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
    if Path::new(folder).is_dir() {
        format!(" --rocm-device-lib-path={folder}")
    } else {
        String::new()
    }
}

/// Rejects the source of a program where a program was expected, and names the command to build it.
pub(crate) fn refuse_to_run(path: &Path, bytes: &[u8]) -> Result {
    let file = shown(path);
    let sentence = match language(path, bytes) {
        None => return Ok(()),
        Some(Language::Hip) => {
            let program = path.with_extension("");
            let program = shown(&program);
            let program = if program == file { "a.out".to_owned() } else { program };
            format!(
                "this looks like HIP source; compile it first:\n  hipcc --offload-arch=gfx900 -O2 {file} -o {program}"
            )
        }
        Some(Language::OpenCl) => {
            "this looks like OpenCL source; run the program that builds it, or compile it and `wavetank launch` a kernel of it"
                .to_owned()
        }
        Some(Language::Llvm | Language::Assembly) => return refuse(path, bytes),
    };
    Err(Failure::usage(sentence).of(path))
}

/// Returns the language of a source, by its first bytes or its keywords, or by its name if it is text.
fn language(path: &Path, bytes: &[u8]) -> Option<Language> {
    if BITCODE.iter().any(|magic| bytes.starts_with(magic)) {
        return Some(Language::Llvm);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let words = || text.lines().take(LINES).map(|line| line.split_whitespace());
    let begins =
        |with: &[&str]| words().any(|mut line| with.iter().all(|word| line.next() == Some(word)));
    if begins(&["__kernel"]) || begins(&["kernel", "void"]) {
        return Some(Language::OpenCl);
    }
    if begins(&["__global__"]) || begins(&["#include", "<hip/hip_runtime.h>"]) {
        return Some(Language::Hip);
    }
    if begins(&["target", "triple"]) || begins(&["define", "amdgpu_kernel"]) {
        return Some(Language::Llvm);
    }
    if begins(&[".amdgcn_target"]) || begins(&[".text"]) || begins(&["s_endpgm"]) {
        return Some(Language::Assembly);
    }
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "cl" => Some(Language::OpenCl),
        "hip" | "cu" | "cpp" => Some(Language::Hip),
        "ll" => Some(Language::Llvm),
        "s" | "asm" => Some(Language::Assembly),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_words_and_names() {
        let of = |name: &str, text: &str| language(Path::new(name), text.as_bytes());
        assert_eq!(
            of("-", "// sum\nkernel void f() {}"),
            Some(Language::OpenCl)
        );
        assert_eq!(of("a.s", "  __kernel void f() {}"), Some(Language::OpenCl));
        assert_eq!(of("a.txt", "__global__ void f() {}"), Some(Language::Hip));
        assert_eq!(of("a.CL", "int f();"), Some(Language::OpenCl));
        assert_eq!(
            of("a.s", "s_nop 0 // kernel void"),
            Some(Language::Assembly)
        );
        assert_eq!(of("-", "\t.text\n"), Some(Language::Assembly));
        assert_eq!(of("a.ll", "; nothing"), Some(Language::Llvm));
        assert_eq!(of("-", "target triple = \"amdgcn\""), Some(Language::Llvm));
        assert_eq!(of("a.txt", "s_nop 0"), None);
        assert_eq!(
            language(Path::new("-"), b"BC\xc0\xde\xff"),
            Some(Language::Llvm)
        );
        assert_eq!(language(Path::new("a.cl"), b"\x7fELF\xff"), None);
    }
}
