//! The contents of a program before it runs: the GPUs that it and its libraries have code for, and the runtime library that it
//! would load.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memmap2::Mmap;
use wavetank::environment::Gpu;
use wavetank::object::{Target, interpreter, targets};
use wavetank::{Chip, ChipFacts};
use wavetank_quote::plain;

use super::variable::prepend;
use crate::code_file::not_emulated;
use crate::exit::{Failure, Result};
use crate::search_path::find;

/// The name of the library in which kernels run.
const RUNTIME: &str = "libhsa-runtime64.so.1";

/// A program, as a file and with its libraries.
#[derive(Default)]
pub(super) struct Contents {
    /// The targets of the program's code. They may be unknown and then empty: a script, or a program that loads its code when it
    /// runs.
    targets: Vec<Target>,
    /// The targets of each library that it names.
    libraries: Vec<Vec<Target>>,
    /// The runtime library that it would load.
    runtime: Option<PathBuf>,
    /// Whether the program loads the library of a sanitizer.
    sanitized: bool,
    /// Whether the program looks for the kernel driver itself, or starts programs that do.
    looks_for_driver: bool,
}

impl Contents {
    /// Examines a program as if it were started with `folder` as the first one of the library path.
    pub(super) fn of(program: &OsStr, folder: Option<&Path>) -> Contents {
        let Some(path) = find(program) else {
            return Contents::default();
        };
        let Some(bytes) = map(&path) else {
            return Contents::default();
        };
        let mut contents = Contents {
            targets: targets(&bytes).unwrap_or_default(),
            looks_for_driver: looks_for_driver(&bytes),
            ..Contents::default()
        };
        let linker = interpreter(&bytes).map(Path::new);
        for (name, library) in linker.map_or(Vec::new(), |l| libraries(l, &path, folder)) {
            contents.sanitized |= is_sanitizer(&name);
            if name == RUNTIME {
                contents.runtime = Some(library);
            } else if let Some(bytes) = map(&library)
                && let Ok(targets) = targets(&bytes)
            {
                contents.libraries.push(targets);
            }
        }
        contents
    }

    /// Whether the program loads the runtime library of a folder by itself, or must not have any library loaded before its own. A
    /// program that looks for the driver must have the library before libc, and so must the programs that it starts.
    pub(super) fn takes_from(&self, folder: &Path) -> bool {
        let found = self.runtime.as_deref().and_then(Path::parent);
        self.sanitized || !self.looks_for_driver && found.is_some_and(|found| found == folder)
    }

    /// Returns the chip to emulate: one that the program has code for, and most of its libraries. `None` if the code is unknown.
    ///
    /// # Errors
    /// A program that has code only for other chips.
    pub(super) fn chip(&self, program: &Path) -> Result<Option<Chip>> {
        let all = ChipFacts::ALL.iter().filter(|chip| chip.has_queues());
        let fitting = all.filter(|chip| self.targets.is_empty() || has_code(&self.targets, chip));
        let count = |chip: &ChipFacts| self.libraries.iter().filter(|l| has_code(l, chip)).count();
        // Of several equally good ones, the first of the newest generation. Reversed, because `max_by_key` takes the last.
        let best = fitting
            .rev()
            .max_by_key(|chip| (count(chip), chip.chip.generation()));
        match best {
            Some(chip) if !self.targets.is_empty() || count(chip) > 0 => Ok(Some(chip.chip)),
            Some(_) => Ok(None),
            None => Err(self.none_fits().of(program)),
        }
    }

    /// Returns a note if the program has code, but none for some of the GPUs that it finds.
    pub(super) fn lacking(&self, gpus: &[Gpu]) -> Option<String> {
        let is_known = !self.targets.is_empty();
        let lacks = |gpu: &&Gpu| !has_code(&self.targets, gpu.facts);
        let lacking = gpus.iter().filter(lacks);
        let mut lacking: Vec<_> = lacking.map(|gpu| gpu.chip().name()).collect();
        lacking.dedup();
        (is_known && !lacking.is_empty()).then(|| {
            format!(
                "the program has code for {}, and none for {}, which it finds: it may miss its kernels; build it with \
                 --offload-arch={} as well",
                self.names(),
                lacking.join(", "),
                lacking[0],
            )
        })
    }

    /// Returns the targets of the program's code.
    fn names(&self) -> String {
        let names: Vec<String> = self.targets.iter().map(Target::to_string).collect();
        plain(&names.join(", ")).to_string()
    }

    fn none_fits(&self) -> Failure {
        Failure::usage(format!(
            "the program has code for {}{}; --gpu tries it as it is",
            self.names(),
            not_emulated(&self.targets),
        ))
    }
}

/// Whether there is code for a chip, with the features that it is emulated with.
fn has_code(targets: &[Target], chip: &ChipFacts) -> bool {
    let emulated = chip.isa.parse::<Target>();
    emulated.is_ok_and(|emulated| targets.iter().any(|target| target.serves(&emulated)))
}

/// Whether a program contains the name of the driver's module.
fn looks_for_driver(bytes: &[u8]) -> bool {
    // Such tools are small; large programs have kernels.
    let first = &bytes[..bytes.len().min(4 << 20)];
    let names: [&[u8]; 2] = [b"/sys/module/amdgpu", b"grep amdgpu"];
    names.iter().any(|name| holds(first, name))
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    let mut windows = bytes.windows(text.len());
    windows.any(|window| window[0] == text[0] && window == text)
}

/// Whether a library is that of a sanitizer, which must be the first library of a program.
fn is_sanitizer(name: &str) -> bool {
    [
        "libasan.",
        "libtsan.",
        "liblsan.",
        "libubsan.",
        "libhwasan.",
        "libclang_rt.",
    ]
    .iter()
    .any(|sanitizer| name.starts_with(sanitizer))
}

/// Maps a file into memory. Libraries may have gigabytes, of which little is read.
pub(super) fn map(path: &Path) -> Option<Mmap> {
    let file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    // SAFETY: programs and libraries are not written in place while they are about to be run; truncating one ends
    // this command, as it would end the program.
    unsafe { Mmap::map(&file) }.ok()
}

/// Returns the libraries that a program loads at its start, with their names, as its own dynamic linker finds them. The program
/// does not run. Missing libraries are ignored: the program will report them.
fn libraries(linker: &Path, program: &Path, folder: Option<&Path>) -> Vec<(String, PathBuf)> {
    let mut command = Command::new(linker);
    command.arg("--list").arg(program).stdin(Stdio::null());
    command.env_remove("LD_PRELOAD");
    if let Some(folder) = folder {
        prepend(&mut command, "LD_LIBRARY_PATH", folder, ":");
    }
    let Ok(output) = command.output() else {
        return Vec::new();
    };
    listed(&String::from_utf8_lossy(&output.stdout))
}

/// Parses lines of the form `NAME => PATH (ADDRESS)`.
fn listed(text: &str) -> Vec<(String, PathBuf)> {
    let lines = text.lines().filter_map(|line| {
        let (name, rest) = line.trim().split_once(" => ")?;
        let (path, _) = rest.rsplit_once(" (")?;
        Some((name.to_owned(), path.into()))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(program: &[&str], libraries: &[&[&str]]) -> Result<Option<Chip>> {
        let parse = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
        let contents = Contents {
            targets: parse(program),
            libraries: libraries.iter().map(|names| parse(names)).collect(),
            ..Contents::default()
        };
        contents.chip(Path::new("a.out"))
    }

    #[test]
    fn the_chip_is_one_that_all_have_code_for() {
        assert_eq!(chosen(&[], &[]), Ok(None));
        assert_eq!(chosen(&["gfx803", "gfx906"], &[]), Ok(Some(Chip::Gfx906)));
        assert_eq!(chosen(&["gfx906", "gfx900"], &[]), Ok(Some(Chip::Gfx900)));
        let libraries: &[&[&str]] = &[&["gfx1030"], &["gfx906:xnack-", "gfx90a"]];
        assert_eq!(
            chosen(&["gfx900", "gfx906"], libraries),
            Ok(Some(Chip::Gfx906))
        );
        assert_eq!(chosen(&["gfx900"], libraries), Ok(Some(Chip::Gfx900)));
        assert_eq!(chosen(&[], libraries), Ok(Some(Chip::Gfx906)));
        assert_eq!(chosen(&[], &[&["gfx1030"]]), Ok(None));
    }

    #[test]
    fn code_for_other_chips_is_told() {
        let Err(Failure::Usage(text)) = chosen(&["gfx950"], &[]) else {
            panic!("it is refused");
        };
        assert!(
            text.starts_with(
                "a.out: the program has code for gfx950: GCN and CDNA are executed up to gfx942"
            ),
            "{text}"
        );
        assert!(text.contains("--offload-arch=gfx900"), "{text}");
        // The emulated chips have XNACK off.
        let Err(Failure::Usage(text)) = chosen(&["gfx900:xnack+", "gfx1030"], &[]) else {
            panic!("it is refused");
        };
        assert!(text.contains("gfx1030, which are not emulated"), "{text}");
    }

    #[test]
    fn code_that_is_lacking_is_told() {
        let lacking = |targets: &[&str], gpus: &[&str]| {
            let contents = Contents {
                targets: targets.iter().map(|name| name.parse().unwrap()).collect(),
                ..Contents::default()
            };
            let gpus: Vec<Gpu> = gpus.iter().map(|gpu| gpu.parse().unwrap()).collect();
            contents.lacking(&gpus)
        };
        let text = lacking(&["gfx803", "gfx90a"], &["gfx906:1G", "gfx803"]).unwrap();
        assert!(
            text.contains("has code for gfx803, gfx90a, and none for gfx906,"),
            "{text}"
        );
        assert!(lacking(&["gfx900:xnack+"], &["gfx900"]).is_some());
        let right: [(&[&str], &[&str]); 5] = [
            (&[], &["gfx906"]),
            (&["gfx906"], &["gfx906"]),
            (&["gfx9-generic"], &["gfx906", "gfx900"]),
            (&["gfx906:xnack-", "gfx1030"], &["gfx906"]),
            (&["gfx803", "gfx900:xnack-"], &["gfx900", "gfx803"]),
        ];
        for (targets, gpus) in right {
            assert_eq!(lacking(targets, gpus), None, "{targets:?} {gpus:?}");
        }
    }

    #[test]
    fn tools_of_the_driver_are_told_by_its_name() {
        let ours: [&[u8]; 2] = [
            b"\x7fELF..lsmod | grep amdgpu\0",
            b"cat /sys/module/amdgpu/version",
        ];
        assert!(ours.iter().all(|bytes| looks_for_driver(bytes)));
        let others: [&[u8]; 3] = [b"", b"amdgpu", b"/sys/module/amdgp"];
        assert!(!others.iter().any(|bytes| looks_for_driver(bytes)));
    }

    #[test]
    fn lines_of_the_linker_are_read() {
        let text = "\tlinux-vdso.so.1 (0x1)\n\tliba.so.8 => /lib/x (y)/liba.so.8 (0x7f)\n\tlibb.so => not found\n";
        assert_eq!(
            listed(text),
            [("liba.so.8".to_owned(), "/lib/x (y)/liba.so.8".into())]
        );
        assert!(is_sanitizer("libasan.so.8") && !is_sanitizer("libasanas.so"));
    }
}
