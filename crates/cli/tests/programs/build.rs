//! The compilers of the system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::program::Program;

/// A compiler with its arguments, and what has to be there for it. `GPU` in an argument stands for the target; one with
/// `EACH` is there for each target of the program.
pub(super) struct Toolchain {
    name: &'static str,
    compiler: &'static str,
    arguments: &'static [&'static str],
    /// Arguments after the source.
    links: &'static [&'static str],
    /// One program holds code for all GPUs.
    fat: bool,
    needs: &'static [&'static str],
    /// Kernels in OpenCL C, whose code object is the program's argument.
    kernels: bool,
    /// One GPU is enough: what is looked for is in the program.
    once: bool,
    /// The GPUs that it builds for, with its own names of them, if these are not all.
    builds_for: Option<&'static [(&'static str, &'static str)]>,
}

const DEVICE_LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

impl Toolchain {
    pub(super) const HIP: Toolchain = Toolchain {
        name: "hip",
        compiler: "hipcc",
        arguments: &["--offload-arch=EACH", "-O2"],
        links: &[],
        fat: true,
        needs: &["/usr/bin/hipcc", "/usr/include/hip/hip_runtime.h"],
        kernels: false,
        once: false,
        builds_for: None,
    };
    /// For what is found in programs, and in which line: with debug information, for one GPU.
    pub(super) const PLANTED: Toolchain = Toolchain {
        name: "check",
        arguments: &["--offload-arch=gfx900", "-O2", "-g"],
        once: true,
        ..Toolchain::HIP
    };
    /// The same with the mistakes that wait in them.
    pub(super) const PLANTED_MISTAKE: Toolchain = Toolchain {
        name: "check-mistake",
        arguments: &["--offload-arch=gfx900", "-O2", "-g", "-DMISTAKE"],
        ..Toolchain::PLANTED
    };
    /// For kernels in OpenCL C alone, which `wavetank launch` starts.
    pub(super) const KERNELS: Toolchain = Toolchain {
        name: "kernels",
        compiler: "clang-15",
        arguments: &["-g"],
        needs: &["/usr/bin/clang-15", DEVICE_LIBRARIES],
        ..Toolchain::PLANTED
    };
    /// The same with the mistakes that wait in them.
    pub(super) const KERNELS_MISTAKE: Toolchain = Toolchain {
        name: "kernels-mistake",
        arguments: &["-g", "-DMISTAKE"],
        ..Toolchain::KERNELS
    };
    pub(super) const ROCM: Toolchain = Toolchain {
        name: "rocm",
        arguments: &["--offload-arch=EACH", "-std=c++17", "-O2"],
        needs: &[
            "/usr/bin/hipcc",
            "/usr/include/rocrand/rocrand.h",
            "/usr/include/rocprim/rocprim.hpp",
        ],
        ..Toolchain::HIP
    };
    /// For what is taken out of machine code: for one GPU, of which the code lies in the program uncompressed.
    pub(super) const REMOVED: Toolchain = Toolchain {
        name: "removed",
        arguments: &["--offload-arch=gfx900", "-std=c++17", "-O2"],
        once: true,
        ..Toolchain::ROCM
    };
    pub(super) const C: Toolchain = Toolchain {
        name: "hsa",
        compiler: "cc",
        arguments: &[
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O1",
            "-g",
            "-pthread",
        ],
        links: &["-lhsa-runtime64", "-lm"],
        fat: true,
        needs: &[
            "/usr/include/hsa/hsa.h",
            "/usr/bin/clang-15",
            DEVICE_LIBRARIES,
        ],
        kernels: true,
        once: false,
        builds_for: None,
    };
    /// With sanitizers in the program: its own accesses, and what the library does to its memory by functions of libc. Their
    /// runtime is linked into it, since the library is loaded before all others.
    pub(super) const C_SANITIZED: Toolchain = Toolchain {
        name: "hsa-sanitized",
        compiler: "gcc-12",
        arguments: &[
            "-std=gnu11",
            "-O1",
            "-g",
            "-pthread",
            "-fno-omit-frame-pointer",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            "-static-libasan",
            "-static-libubsan",
        ],
        needs: &[
            "/usr/include/hsa/hsa.h",
            "/usr/bin/clang-15",
            "/usr/lib/gcc/x86_64-linux-gnu/12/libasan.a",
            "/usr/lib/gcc/x86_64-linux-gnu/12/libubsan.a",
            DEVICE_LIBRARIES,
        ],
        once: true,
        ..Toolchain::C
    };
    pub(super) const OPENMP_LLVM: Toolchain = Toolchain {
        name: "openmp-llvm",
        compiler: "clang-19",
        arguments: &[
            "-O2",
            "-fopenmp",
            "--offload-arch=GPU",
            "--rocm-path=/usr",
            "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
            "-mcode-object-version=5",
        ],
        links: &[
            "-L/usr/lib/llvm-19/lib",
            "-Wl,-rpath,/usr/lib/llvm-19/lib",
            "-lm",
        ],
        fat: false,
        needs: &[
            "/usr/bin/clang-19",
            "/usr/bin/clang-offload-packager-19",
            "/usr/bin/ld.lld-19",
            "/usr/lib/llvm-19/lib/libomptarget.so",
            DEVICE_LIBRARIES,
        ],
        kernels: false,
        once: false,
        builds_for: None,
    };
    pub(super) const OPENMP_GCC: Toolchain = Toolchain {
        name: "openmp-gcc",
        compiler: "gcc-12",
        arguments: &["-O2", "-fopenmp", "-foffload=amdgcn-amdhsa=-march=GPU"],
        links: &["-foffload=-lm", "-lm"],
        fat: false,
        needs: &[
            "/usr/bin/gcc-12",
            "/usr/lib/gcc/x86_64-linux-gnu/12/accel/amdgcn-amdhsa/mkoffload",
            "/usr/lib/x86_64-linux-gnu/libgomp-plugin-gcn.so.1",
        ],
        kernels: false,
        once: false,
        builds_for: Some(&[
            ("gfx803", "fiji"),
            ("gfx900", "gfx900"),
            ("gfx906", "gfx906"),
        ]),
    };

    /// Whether it is installed. If it is not, a line says so; in CI that is a failure, unless its packages cannot be had.
    pub(super) fn is_here(&self) -> bool {
        let Some(absent) = self.needs.iter().find(|path| !Path::new(path).exists()) else {
            return true;
        };
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| value == "true");
        assert!(
            !is_set("CI") || is_set("WAVETANK_NO_ROCM"),
            "{}: {absent} is absent: install the packages of .ci/run",
            self.name
        );
        eprintln!(
            "SKIP programs built by {}: {absent} is absent",
            self.compiler
        );
        false
    }

    /// The GPUs, or lists of them, that a program is run on.
    pub(super) fn gpus<'p>(&self, program: &'p Program) -> impl Iterator<Item = &'p str> {
        let most = if self.once { 1 } else { usize::MAX };
        let all = program.gpus.iter().map(String::as_str).take(most);
        all.filter(|gpu| self.target(gpu).is_some())
    }

    /// What the compiler calls a GPU; `None` if it cannot build for it.
    fn target<'n>(&self, gpu: &'n str) -> Option<&'n str> {
        let Some(all) = self.builds_for else {
            return Some(gpu);
        };
        let row = all.iter().find(|(name, _)| *name == gpu);
        row.map(|(_, own)| *own)
    }

    /// Builds a source of kernels alone for a GPU, if that was not done before.
    pub(super) fn build_kernels(&self, source: &Path, gpu: &str) -> Result<PathBuf, String> {
        kernels(source, &self.folder(), gpu, self.arguments)
    }

    /// Where it leaves what it builds.
    fn folder(&self) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("programs")
            .join(self.name);
        fs::create_dir_all(&folder).expect("the target directory can be written");
        folder
    }

    /// Builds a program for a GPU if that was not done before. Gives the words of its command.
    pub(super) fn build(&self, program: &Program, gpu: &str) -> Result<Vec<PathBuf>, String> {
        let folder = self.folder();
        let target = if self.fat {
            String::new()
        } else {
            format!("-{gpu}")
        };
        let built = folder.join(format!("{}{target}", program.name));
        if is_older(&built, &program.source) {
            let mut command = Command::new(self.compiler);
            let target = self
                .target(gpu)
                .ok_or_else(|| format!("{} cannot build for it", self.name))?;
            for word in self.arguments {
                if word.contains("EACH") {
                    command.args(program.chips().map(|chip| word.replace("EACH", chip)))
                } else {
                    command.arg(word.replace("GPU", target))
                };
            }
            command
                .arg(&program.source)
                .args(self.links)
                .args(&program.links);
            produce(&mut command, &built)?;
        }
        let mut words = vec![built];
        if self.kernels {
            words.push(kernels(
                &program.source.with_file_name("kernels.cl"),
                &folder,
                gpu,
                &[],
            )?);
        }
        Ok(words)
    }
}

/// The code object of kernels in OpenCL C, with more arguments for the compiler.
fn kernels(source: &Path, folder: &Path, gpu: &str, more: &[&str]) -> Result<PathBuf, String> {
    let name = source.file_stem().expect("a source has a name");
    let built = folder.join(format!("{}-{gpu}.hsaco", name.to_string_lossy()));
    if is_older(&built, source) {
        let mut command = Command::new("clang-15");
        command.args("-x cl -cl-std=CL2.0 -Xclang -finclude-default-header".split(' '));
        command.args("-target amdgcn-amd-amdhsa -O2".split(' '));
        command.arg(format!("-mcpu={gpu}"));
        command.arg(format!("--rocm-device-lib-path={DEVICE_LIBRARIES}"));
        produce(command.args(more).arg(source), &built)?;
    }
    Ok(built)
}

/// Runs a compiler; the file appears at once and whole, whatever else builds it at the same time.
fn produce(command: &mut Command, file: &Path) -> Result<(), String> {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let partial = file.with_extension(format!("{}-{count}", std::process::id()));
    // The compilers of some versions leave folders behind.
    command.env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    let output = command.arg("-o").arg(&partial).output();
    let output = output.map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("it does not compile:\n{text}"));
    }
    fs::rename(&partial, file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Whether a file is absent, or older than its source or a header beside it.
fn is_older(built: &Path, source: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let headers = source.parent().and_then(|folder| folder.read_dir().ok());
    let headers = headers
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let headers = headers.filter(|path| path.extension().is_some_and(|e| e == "h" || e == "hpp"));
    let newest: Option<SystemTime> = headers
        .chain([source.to_owned()])
        .filter_map(|path| modified(&path))
        .max();
    modified(built) < newest
}
