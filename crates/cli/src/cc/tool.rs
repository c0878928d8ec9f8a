//! The tools whose options are read, and the names of programs by which they are known.

use std::path::Path;

/// A tool whose options are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tool {
    /// `clang`
    Compiler,
    /// `llvm-mc`
    Assembler,
    /// `ld.lld`
    Linker,
}

impl Tool {
    /// Returns the tool that a program is called as: `clang-15`, `/opt/bin/ld.lld`, `clang++.exe`.
    pub(crate) fn of_program(program: &Path) -> Option<Tool> {
        let name = program.file_name()?.to_str()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let plain = if plain == name {
            name
        } else {
            plain.strip_suffix('-')?
        };
        match plain {
            "clang" | "clang++" | "amdclang" | "amdclang++" => Some(Tool::Compiler),
            "llvm-mc" => Some(Tool::Assembler),
            "ld.lld" => Some(Tool::Linker),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_names() {
        let of = |name: &str| Tool::of_program(Path::new(name));
        for name in [
            "clang",
            "/opt/rocm/llvm/bin/clang++",
            "clang-15",
            "clang.exe",
            "amdclang",
        ] {
            assert_eq!(of(name), Some(Tool::Compiler), "{name}");
        }
        assert_eq!(of("bin/llvm-mc-14"), Some(Tool::Assembler));
        assert_eq!(of("ld.lld"), Some(Tool::Linker));
        for name in ["wavetank", "clang-tidy", "clang15", "lld-link", "ld", "-"] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
