//! `wavetank asm`: from sources to text, words, object files and code objects.

mod messages;
mod object;
mod text;

use std::path::{Path, PathBuf};

use wavetank::object::{Target as ObjectTarget, is_object_file};
use wavetank::{Chip, DEFAULT_CHIP, UnknownInstructionSet, named_target};
use wavetank_asm::{
    Errors, Folders, Line, LineError, Message, Options, ParseError, Signature, assemble_code,
    assemble_lines, text_of,
};

use wavetank_surface_isa::SurfaceIsa;

use crate::exit::{Failure, Result, shown};
use crate::input::{read, refuse_over};
use crate::source;
use crate::surface_isa;
use crate::surface_isa::visa::Patch;
use crate::target::{Syntax, Target};
use crate::wrong_lines;

use messages::Messages;

pub(crate) use text::text as print_text;

const EXAMPLES: &str = "\
Comments are `;`, `//` and `/* */` (in CLRX's syntax `#`, `//` and `/* */`;
`;` parts instructions there).

Examples:
  echo 'v_add_f32 v0, 1.0, v1' | wavetank asm --show-encoding -
  wavetank asm --gpu tahiti --show-encoding kernel.s
  wavetank asm kernel.s -o kernel.co  a code object that `launch` runs
  wavetank asm -c kernel.s            an object file, kernel.o
  wavetank asm a.s b.s c.o -o all.co  several files, linked
  wavetank asm --kernel 'square(global u32* out, u32 n)' square.s -o k.co
                                      with descriptor and metadata made for it
  wavetank asm --gpu gfx803,gfx900 kernel.s -o all.hipfb
                                      an offload bundle of several chips
  wavetank asm --dialect clrx --raw kernel.s -o kernel.bin
                                      the plain words, for `wavetank dis --raw`
  wavetank asm --isa maxwell:52 --show-encoding suatom.s
  wavetank asm --isa visa --into k.isa --at 0x198 -o patched.isa atomic.s
                                      one TYPED_ATOMIC of a container replaced
  wavetank asm --json kernel.s | jq '.errors'";

/// Assembles sources: canonical text, encodings, words, object files, code objects
///
/// Without `-o` the instructions are printed, as canonical text. With it, FILEs are assembled and linked to a code object
/// that `wavetank launch` and ROCm load; object files among them are linked, too. All wrong lines are reported.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Asm {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    syntax: Syntax,
    /// Print the bytes of each instruction after it
    #[arg(long)]
    show_encoding: bool,
    /// Write a code object to this file instead of printing text
    #[arg(short, long, value_name = "FILE", conflicts_with = "show_encoding")]
    output: Option<PathBuf>,
    /// Write an object file that is not linked; without `-o` beside its source's name: `k.o` of `dir/k.s`
    #[arg(short = 'c', long, conflicts_with_all = ["show_encoding", "json"])]
    compile: bool,
    /// Write the plain bytes of the code: instructions, and the data among them
    #[arg(long, requires = "output", conflicts_with = "compile")]
    raw: bool,
    /// A folder in which `.include` and `.incbin` look for files
    #[arg(short = 'I', long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Set a symbol to a number, or to 1
    #[arg(short = 'D', long, value_name = "NAME[=NUMBER]")]
    define: Vec<String>,
    /// Describe a kernel of the source: `NAME(global u32* out, u32 n)`
    #[arg(
        long,
        value_name = "SIGNATURE",
        requires = "output",
        conflicts_with = "raw"
    )]
    kernel: Vec<String>,
    /// Write a line table of the source's own lines, which faults, traces and findings name
    #[arg(short = 'g', long, requires = "output")]
    debug: bool,
    /// The version of the code object, 2 to 6, unless the source says it
    #[arg(long, value_name = "N", default_value_t = 5)]
    code_object_version: u8,
    #[command(flatten)]
    patch: Patch,
    /// Print JSON: instructions, messages and errors
    #[arg(long, conflicts_with_all = ["show_encoding", "output"])]
    json: bool,
    /// Stop at so many wrong lines; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_errors: usize,
    /// The sources, or `-` for stdin; with `-o` object files as well
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Asm {
    pub(crate) fn run(self) -> Result {
        if let Some(generation) = self.target.maxwell()? {
            self.syntax.refuse_for(generation)?;
            let pack = |_: &str, lines: &[_]| Ok(generation.pack(lines));
            return surface_isa::asm(generation, &self.surface_job()?, pack);
        }
        if let Some(version) = self.target.visa()? {
            self.syntax.refuse_for("vISA")?;
            let job = self.surface_job()?;
            let pack = |text: &str, lines: &[_]| self.patch.pack(version, job.file, text, lines);
            return surface_isa::asm(version, &job, pack);
        }
        self.patch.refuse()?;
        let mut this = self;
        if this.compile && this.output.is_none() {
            this.output = Some(object_of(this.one_file()?)?);
        }
        let this = this;
        let messages = Messages::new(this.output.is_some());
        let files = Folders(this.include.clone());
        let done = this.assemble(&files, &messages);
        done.and(messages.finish())
    }

    /// Assembles GCN sources.
    fn assemble(&self, files: &Folders, messages: &Messages) -> Result {
        let receive = |message: &Message| messages.receive(message);
        let targets = self.target.targets()?;
        if targets.len() > 1 {
            return self.bundle(files, &receive, &targets);
        }
        if let Some(output) = &self.output {
            refuse_over(&self.files, output)?;
        }
        let options = self.options(files, &receive, targets.first())?;
        let report = |path: &Path, errors: &Errors| self.report(path, errors);
        match &self.output {
            Some(path) if self.raw => self.write_words(&options, path),
            Some(path) if self.compile => object::compiled(&self.job(&report), &options, path),
            Some(path) => object::code(&self.job(&report), &options, path),
            None => self.print(&options, messages),
        }
    }

    /// Returns the input for an instruction set of atomics on surfaces.
    fn surface_job(&self) -> Result<surface_isa::Job<'_>> {
        Ok(surface_isa::Job {
            file: self.one_file()?,
            show_encoding: self.show_encoding,
            output: self.output.as_deref(),
            json: self.json,
            most: self.max_errors,
        })
    }

    /// Writes a bundle for several chips.
    fn bundle(
        &self,
        files: &Folders,
        receive: &dyn Fn(&Message),
        targets: &[(Chip, ObjectTarget)],
    ) -> Result {
        let options = targets
            .iter()
            .map(|target| self.options(files, receive, Some(target)));
        let options: Vec<_> = options.collect::<Result<_>>()?;
        let report = |path: &Path, errors: &Errors| self.report(path, errors);
        match &self.output {
            Some(path) if !self.raw && !self.compile => {
                object::bundle(&self.job(&report), &options, path)
            }
            _ => Err(Failure::usage(
                "code for several chips is written as a bundle: give -o FILE, without -c and --raw, or name one chip",
            )),
        }
    }

    /// Returns the input of object files and code objects.
    fn job<'a>(&'a self, report: &'a dyn Fn(&Path, &Errors) -> Failure) -> object::Job<'a> {
        let files = &self.files;
        object::Job { files, report }
    }

    /// Writes the plain code, unless a line is wrong.
    fn write_words(&self, options: &Options<'_>, to: &Path) -> Result {
        let path = self.one_file()?;
        let source = self.source(path)?;
        let code = assemble_code(&path.to_string_lossy(), &source, options);
        object::write(to, &code.map_err(|errors| self.report(path, &errors))?)
    }

    /// Whether the command prints instructions.
    pub(crate) fn prints(&self) -> bool {
        self.output.is_none() && !self.compile
    }

    /// Returns the options for assembling the sources.
    fn options<'f>(
        &self,
        files: &'f Folders,
        receive: &'f dyn Fn(&Message),
        asked: Option<&(Chip, ObjectTarget)>,
    ) -> Result<Options<'f>> {
        let options = Options::new(asked.map_or(DEFAULT_CHIP, |(chip, _)| *chip));
        if !(2..=6).contains(&self.code_object_version) {
            let version = self.code_object_version;
            return Err(Failure::usage(format!(
                "--code-object-version {version}: code objects have the versions 2 to 6"
            )));
        }
        Ok(Options {
            target: asked.map_or(options.target, |(_, target)| target.clone()),
            fixed: asked.is_some(),
            dialect: self.syntax.dialect,
            version: self.code_object_version,
            files,
            defines: self
                .define
                .iter()
                .map(|text| define(text, "--define"))
                .collect::<Result<_>>()?,
            kernels: self.kernels()?,
            debug_lines: self.debug,
            max_errors: match self.max_errors {
                0 => usize::MAX,
                most => most,
            },
            messages: receive,
            ..options
        })
    }

    /// Returns the kernels that are described by signatures.
    fn kernels(&self) -> Result<Vec<Signature>> {
        if !self.kernel.is_empty() && self.files.len() > 1 {
            return Err(Failure::usage(
                "--kernel describes kernels of one source, in which their registers are counted: name one",
            ));
        }
        let read = |text: &String| {
            text.parse().map_err(|error: ParseError| {
                let before = text.get(..error.span.start).unwrap_or(text);
                let column = 1 + before.chars().count();
                let shown = error.snippet(text);
                Failure::usage(format!("--kernel, column {column}: {error}\n{shown}"))
            })
        };
        self.kernel.iter().map(read).collect()
    }

    /// Returns the only file; several are an error.
    fn one_file(&self) -> Result<&PathBuf> {
        match self.files.as_slice() {
            [file] => Ok(file),
            _ => Err(Failure::usage(
                "several files are linked with -o FILE; otherwise name one",
            )),
        }
    }

    /// Returns the text of a source.
    fn source(&self, path: &Path) -> Result<String> {
        let bytes = read(path)?;
        source::refuse_to_assemble(path, &bytes)?;
        Ok(text_of(bytes))
    }

    /// Prints the instructions of the only source as text or JSON.
    fn print(&self, options: &Options<'_>, messages: &Messages) -> Result {
        let path = self.one_file()?;
        let source = self.source(path)?;
        let name = path.to_string_lossy();
        let run = |each: &mut dyn FnMut(&Line)| assemble_lines(&name, &source, options, each);
        let done = if self.json {
            text::json(run, options.dialect, options.max_errors, messages)?
        } else {
            text::text(run, options.dialect, self.show_encoding)?
        };
        done.map_err(|errors| self.report(path, &errors))
    }

    fn report(&self, path: &Path, errors: &Errors) -> Failure {
        report(path, errors, self.max_errors)
    }
}

/// Prints the wrong lines of a file, at most so many; returns the sentence that ends the command.
fn report(path: &Path, errors: &Errors, max_errors: usize) -> Failure {
    let unread = match errors.unread() {
        0 => String::new(),
        1 => ", 1 line was not read".to_owned(),
        n => format!(", {n} lines were not read"),
    };
    let errors: &[LineError] = &errors.0;
    wrong_lines::show(errors);
    let lines = wrong_lines::count(errors.len(), max_errors, &unread);
    Failure::usage(format!("{lines} in {}", shown(path)))
}

/// Returns the code object that an assembly source or an object file becomes without options, for a command that reads code; `None`
/// for any other file. The chip is that of `gpu`, or else the file's. With `describes`, relocations that
/// only code needs are left out, so that symbols may be those of other files.
///
/// # Errors
/// A source with wrong lines, after they are printed; an object file that cannot be linked; an unknown chip.
pub(crate) fn linked_code(
    path: &Path,
    bytes: &[u8],
    gpu: Option<&str>,
    describes: bool,
) -> Result<Option<Vec<u8>>> {
    if !source::is_assembly(path, bytes) && !is_object_file(bytes) {
        return Ok(None);
    }
    let wrong = |error: UnknownInstructionSet| Failure::usage(error.to_string());
    let asked = gpu.map(named_target).transpose().map_err(wrong)?;
    let options = Options::new(asked.as_ref().map_or(DEFAULT_CHIP, |(chip, _)| *chip));
    let options = Options {
        fixed: asked.is_some(),
        target: asked.map_or(options.target, |(_, target)| target),
        ..options
    };
    let report = |path: &Path, errors: &Errors| report(path, errors, options.max_errors);
    object::of_one(path, bytes, &options, describes, &report).map(Some)
}

/// Returns the name of the object file that a source becomes where nothing is said: in the current folder, as compilers have it.
fn object_of(source: &Path) -> Result<PathBuf> {
    let name = source.file_name().filter(|_| source.as_os_str() != "-");
    let name = name.map(|name| Path::new(name).with_extension("o"));
    name.ok_or_else(|| Failure::usage("-c needs -o FILE for a source from stdin"))
}

/// Parses a symbol and its number: `NAME`, `NAME=12`, `NAME=-0x1f`.
pub(crate) fn define(text: &str, option: &str) -> Result<(String, i64)> {
    let (name, number) = text.split_once('=').unwrap_or((text, "1"));
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, number),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    match value {
        Ok(value) if !name.is_empty() => Ok((name.to_owned(), sign * value)),
        _ => Err(Failure::usage(format!(
            "{option} {text}: write NAME, or NAME=NUMBER"
        ))),
    }
}
