//! Detection of program sources where machine code or assembly was expected.

use std::path::Path;

use crate::exit::{Failure, Result, shown};

/// Number of lines that are examined.
const LINES: usize = 2000;

/// A language that kernels are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    OpenCl,
    Hip,
}

/// Rejects the source of a program, and names the command to compile it.
pub(crate) fn refuse(path: &Path, bytes: &[u8]) -> Result {
    let Some(language) = language(path, bytes) else {
        return Ok(());
    };
    let file = shown(path);
    // A compiler accepts `-` as well, but this command has already consumed stdin.
    let source = match file.as_str() {
        "stdin" => "kernels".to_owned(),
        _ => file,
    };
    let sentence = match language {
        Language::OpenCl => format!(
            "this looks like OpenCL source; compile it first:\n  clang -x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
             -target amdgcn-amd-amdhsa -mcpu=gfx900 -O2 {source} -o kernels.hsaco"
        ),
        Language::Hip => format!(
            "this looks like HIP source; compile it first:\n  hipcc --genco --offload-arch=gfx900 -O2 {source} -o kernels.hsaco"
        ),
    };
    Err(Failure::usage(sentence).of(path))
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
    };
    Err(Failure::usage(sentence).of(path))
}

/// Returns the language of a source, by its keywords, or by its name if it is text.
fn language(path: &Path, bytes: &[u8]) -> Option<Language> {
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
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "cl" => Some(Language::OpenCl),
        "hip" | "cu" | "cpp" => Some(Language::Hip),
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
        assert_eq!(of("a.s", "s_nop 0 // kernel void"), None);
        assert_eq!(language(Path::new("a.cl"), b"\x7fELF\xff"), None);
    }
}
