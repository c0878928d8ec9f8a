//! `wavetank bundle` and `wavetank unbundle`: files with code for several GPUs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use wavetank::object::{CodeObject, CompressionMethod, Entry, Target, bundle, compress, unbundle};
use wavetank_quote::plain;

use crate::code_file::target_named;
use crate::exit::{Failure, Result, print};
use crate::input;
use crate::whole;

const BUNDLE_EXAMPLES: &str = "\
Examples:
  wavetank bundle -o k.hipfb k-gfx803.hsaco k-gfx900.hsaco
  wavetank bundle --compress zstd -o k.hipfb k-gfx803.hsaco k-gfx900.hsaco
  wavetank bundle -o k.bundle openmp-amdgcn-amd-amdhsa--gfx906=k.hsaco";

const UNBUNDLE_EXAMPLES: &str = "\
Examples:
  wavetank unbundle --list a.out              what a program has inside
  wavetank unbundle k.hipfb -o parts          each entry as a file of a folder
  wavetank unbundle k.hipfb --gpu gfx900 -o k-gfx900.hsaco";

/// The name of the host's entry, which HIP's runtime expects first.
const HOST: &str = "host-x86_64-unknown-linux--";

/// Joins code objects for several GPUs to an offload bundle
///
/// Each is named by the GPU that it is for: hipv4-amdgcn-amd-amdhsa--gfx900. The bundle begins with an empty entry for the
/// host, as HIP's runtime expects; --no-host leaves it out.
#[derive(clap::Args)]
#[command(after_help = BUNDLE_EXAMPLES)]
pub(crate) struct Bundle {
    /// Code objects, or entries with a name of their own: NAME=FILE
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The prefix of the entries' names
    #[arg(long, value_name = "WORD", default_value = "hipv4")]
    kind: String,
    /// The alignment of entries in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    align: u64,
    /// Compress it (CCOB)
    #[arg(long, value_name = "METHOD")]
    compress: Option<Method>,
    /// The version of the compressed format: 1 (clang 18), 2 (19) or 3 (21)
    #[arg(long, value_name = "N", default_value_t = 2, requires = "compress", value_parser = clap::value_parser!(u16).range(1..=3))]
    format: u16,
    /// No entry for the host
    #[arg(long)]
    no_host: bool,
}

/// The compression method of a bundle.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Method {
    /// Zstandard, as clang does
    Zstd,
    /// zlib
    Zlib,
}

impl Bundle {
    pub(crate) fn run(self) -> Result {
        let mut entries = Vec::new();
        if !self.no_host {
            entries.push((HOST.to_owned(), Vec::new()));
        }
        for file in &self.files {
            entries.push(self.entry(file)?);
        }
        let parts: Vec<(&str, &[u8])> = entries
            .iter()
            .map(|(id, code)| (id.as_str(), code.as_slice()))
            .collect();
        let failed = |error| Failure::from(error).of(&self.output);
        let mut bytes = bundle(&parts, self.align).map_err(failed)?;
        if let Some(method) = self.compress {
            let method = match method {
                Method::Zstd => CompressionMethod::Zstd,
                Method::Zlib => CompressionMethod::Zlib,
            };
            bytes = compress(&bytes, method, self.format).map_err(failed)?;
        }
        write(&self.output, &bytes)
    }

    /// Returns the name and the code of an entry.
    fn entry(&self, file: &str) -> Result<(String, Vec<u8>)> {
        // An existing file of the whole name takes precedence over a name of an entry.
        if let Some((id, path)) = file.split_once('=').filter(|_| !Path::new(file).exists()) {
            return Ok((id.to_owned(), input::read(Path::new(path))?));
        }
        let path = Path::new(file);
        let bytes = input::read(path)?;
        let object = CodeObject::parse(&bytes).map_err(|error| Failure::from(error).of(path))?;
        let id = format!("{}-amdgcn-amd-amdhsa--{}", self.kind, object.target());
        Ok((id, bytes))
    }
}

/// Takes an offload bundle, or a host program with bundles inside, apart
///
/// Entries are written to files of a folder: NAME-gfx900.hsaco for each GPU, and NAME-host-x86_64-unknown-linux for what is
/// not for a GPU. Empty ones are not written.
#[derive(clap::Args)]
#[command(after_help = UNBUNDLE_EXAMPLES)]
pub(crate) struct Unbundle {
    /// An offload bundle, compressed or not, or a host program, or `-` for stdin
    file: PathBuf,
    /// The folder to write to; with --gpu the file
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Only the code for this chip, e.g. gfx906 or gfx906:xnack-
    #[arg(long, value_name = "CHIP", requires = "output")]
    gpu: Option<String>,
    /// Print the names and the sizes of the entries, and write nothing
    #[arg(long, conflicts_with_all = ["output", "gpu"])]
    list: bool,
}

impl Unbundle {
    pub(crate) fn run(self) -> Result {
        let bytes = input::read(&self.file)?;
        let entries = unbundle(&bytes).map_err(|error| Failure::from(error).of(&self.file))?;
        if self.list {
            return print(&list(&entries));
        }
        match (&self.gpu, &self.output) {
            (Some(gpu), Some(output)) => write(output, self.chosen(&entries, gpu)?),
            (_, folder) => self.write_all(&entries, folder.as_deref().unwrap_or(Path::new("."))),
        }
    }

    /// Returns the code for a target: its own, or else code that also runs there.
    fn chosen<'a>(&self, entries: &'a [Entry], gpu: &str) -> Result<&'a [u8]> {
        let wanted: Target = target_named(gpu).parse().map_err(Failure::from)?;
        let of = |fits: &dyn Fn(&Target) -> bool| -> Vec<&'a Entry> {
            let fits = |entry: &&Entry| entry.target.as_ref().is_some_and(fits);
            entries.iter().filter(fits).collect()
        };
        let mut found = of(&|target| *target == wanted);
        if found.is_empty() {
            found = of(&|target| target.serves(&wanted));
        }
        match found[..] {
            [entry] => Ok(&entry.bytes),
            [] => {
                let present = entries
                    .iter()
                    .filter_map(|e| Some(e.target.as_ref()?.to_string()));
                let missing = wavetank::object::Error::TargetMissing {
                    wanted: wanted.to_string(),
                    present: present.collect(),
                };
                Err(Failure::from(missing).of(&self.file))
            }
            _ => {
                let count = found.len();
                let problem = format!(
                    "there are {count} code objects for {wanted}; without --gpu all are written, to a folder"
                );
                Err(Failure::usage(problem).of(&self.file))
            }
        }
    }

    fn write_all(&self, entries: &[Entry], folder: &Path) -> Result {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, error))?;
        let stem = self.file.file_stem().unwrap_or_default();
        let stem = match stem.to_string_lossy() {
            name if name == "-" => "stdin".into(),
            name => name,
        };
        let mut taken: Vec<String> = Vec::new();
        for entry in entries.iter().filter(|entry| !entry.bytes.is_empty()) {
            let name = file_name(&stem, entry, &mut taken);
            write(&folder.join(name), &entry.bytes)?;
        }
        Ok(())
    }
}

/// Returns a name that no earlier entry has, and that is a valid file name.
fn file_name(stem: &str, entry: &Entry, taken: &mut Vec<String>) -> String {
    let (id, suffix) = match &entry.target {
        Some(target) => (target.to_string(), ".hsaco"),
        None => (entry.id.trim_end_matches('-').to_owned(), ""),
    };
    let safe = |c: char| c.is_ascii_alphanumeric() || "-+_.".contains(c);
    let id: String = id.chars().map(|c| if safe(c) { c } else { '_' }).collect();
    // A program of several sources has several codes for one target.
    let name = |n: usize| match n {
        1 => format!("{stem}-{id}{suffix}"),
        n => format!("{stem}-{id}-{n}{suffix}"),
    };
    let name = (1..).map(name).find(|name| !taken.contains(name));
    let name = name.expect("there are more numbers than names");
    taken.push(name.clone());
    name
}

fn list(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        // Writing to a string never fails.
        let _ = writeln!(text, "{:>9}  {}", entry.bytes.len(), plain(&entry.id));
    }
    text
}

fn write(path: &Path, bytes: &[u8]) -> Result {
    whole::write(path, bytes).map_err(|error| Failure::file("write", path, error))
}
