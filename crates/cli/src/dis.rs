//! `wavetank dis`: from bytes to instructions.

use std::path::PathBuf;

use wavetank::object::{CodeObject, Lines, is_object_file, open_every};
use wavetank::{Chip, DEFAULT_CHIP, Device};
use wavetank_asm::{Listing, hex_line, source_of};
use wavetank_gcn::Dialect;
use wavetank_link::Relocatable;
use wavetank_quote::{plain, some_of};
use wavetank_surface_isa::maxwell::{Generation, is_cubin};
use wavetank_surface_isa::visa::Version;

use crate::code_file::CodeFile;
use crate::exit::{Failure, Result, shown};
use crate::hex_lines::{self, print_lines};
use crate::input::read;
use crate::output::{Stdout, stdout_result};
use crate::paint::Painted;
use crate::source;
use crate::surface_isa::{self, CliIsa, visa};
use crate::target::{Syntax, Target};

const EXAMPLES: &str = "\
Examples:
  wavetank dis vecadd.hsaco                  a code object, for its own chip
  wavetank dis --gpu gfx906 a.out            the gfx906 part of a HIP program
  wavetank dis --gpu tahiti --raw code.bin   plain words
  echo '7f 00 8c bf' | wavetank dis --hex -  bytes as in memory, a line each
  wavetank dis --lines vecadd.hsaco          with lines of source, from DWARF
  wavetank dis --source vecadd.hsaco > k.s   a source, for `wavetank asm -o`
  wavetank dis kernel.o                      an object file, and relocations
  wavetank dis --host vecadd.hsaco vecadd    what a kernel is compiled to
  wavetank dis kernel.cubin                  NVIDIA's, its SUATOMs as text
  echo ea7000860047020a | wavetank dis --isa maxwell:52 --hex -
  wavetank dis kernel.isa                    Intel's, its TYPED_ATOMICs as text";

/// Disassembles code objects, plain words, or lines of hexadecimal bytes
///
/// A listing has symbols and branch targets as labels, and address and words after each instruction.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dis {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    syntax: Syntax,
    /// FILE is plain words, in the order of memory
    #[arg(long, conflicts_with = "hex")]
    raw: bool,
    /// FILE has hexadecimal bytes: for each line one of text, `!reject` for bytes that are not an instruction
    #[arg(long)]
    hex: bool,
    /// Show the compiled code of a kernel on this machine: guest instruction, IR and host instructions one below the other
    #[arg(long, conflicts_with_all = ["hex", "raw"], requires = "kernel")]
    host: bool,
    /// Between the instructions, the lines of source that they come from: for what was compiled with `-g`
    #[arg(long, conflicts_with_all = ["hex", "raw", "host"])]
    lines: bool,
    /// A source: directives, data, kernels and metadata as well, which `wavetank asm` makes the same sections of
    #[arg(long, conflicts_with_all = ["hex", "raw", "host", "lines"])]
    source: bool,
    /// The file to disassemble, or `-` for stdin
    file: PathBuf,
    /// With --host: the kernel
    #[arg(requires = "host")]
    kernel: Option<String>,
}

impl Dis {
    pub(crate) fn run(self) -> Result {
        if let (true, Some(kernel)) = (self.host, &self.kernel) {
            return self.host_code(kernel);
        }
        if let Some(generation) = self.target.maxwell()? {
            self.syntax.refuse_for(generation)?;
            return self.surface_isa(generation);
        }
        if let Some(version) = self.target.visa()? {
            self.syntax.refuse_for("vISA")?;
            return self.surface_isa(version);
        }
        if self.hex {
            return self.hex();
        }
        if self.source && self.syntax.dialect != Dialect::Llvm {
            let sentence = "--source is written in LLVM's syntax: leave --dialect out";
            return Err(Failure::usage(sentence));
        }
        let chip = self.target.chip()?;
        let bytes = read(&self.file)?;
        if chip.is_none() && !self.raw && is_cubin(&bytes) {
            return surface_isa::dis::<Generation>(&self.file, bytes, false, None);
        }
        if self.target.is_open() && !self.raw && visa::is_container(&bytes) {
            return surface_isa::dis::<Version>(&self.file, bytes, false, None);
        }
        if self.raw {
            let chip = chip.unwrap_or(DEFAULT_CHIP);
            return self.list(&Listing::raw(&bytes, chip));
        }
        source::refuse(&self.file, &bytes)?;
        if is_object_file(&bytes) {
            return self.object_file(&bytes, chip);
        }
        let objects = open_every(&bytes, chip.map(Chip::name));
        let objects = objects.map_err(|error| Failure::from(error).of(&self.file))?;
        if self.source {
            return self.sources(&objects);
        }
        for (n, object) in objects.iter().enumerate() {
            let listing = self.listing(object).map_err(|error| error.of(&self.file))?;
            let end = if n == 0 { "" } else { "\n" };
            let (path, target) = (shown(&self.file), object.target());
            crate::exit::print(&format!("{end}// {path}: {target}\n\n"))?;
            self.list(&listing)?;
        }
        Ok(())
    }

    /// Disassembles an object file: its sections of code with their relocations, or its source.
    fn object_file(&self, bytes: &[u8], chip: Option<Chip>) -> Result {
        let wrong = |error: String| Failure::usage(error).of(&self.file);
        if self.lines {
            let sentence = "lines of source are those of linked code: link it with `wavetank asm`";
            return Err(wrong(sentence.to_owned()));
        }
        let object = Relocatable::read(bytes).map_err(|error| wrong(error.to_string()))?;
        let made = Listing::of_object(&object).map_err(|error| wrong(error.to_string()))?;
        let (target, sections) = made;
        if let Some(chip) = chip.filter(|chip| chip.name() != target.instructions()) {
            return Err(wrong(format!("it has code for {target}, not for {chip}")));
        }
        if self.source {
            return self.one_source(bytes);
        }
        crate::exit::print(&format!("// {}: {target}, not linked\n", shown(&self.file)))?;
        for section in sections {
            crate::exit::print(&format!("\n// section {}\n\n", plain(section.name)))?;
            self.list(&section.listing)?;
        }
        Ok(())
    }

    /// Disassembles for an instruction set of atomics on surfaces.
    fn surface_isa(&self, isa: impl CliIsa) -> Result {
        if self.hex {
            surface_isa::dis_hex(isa, &self.file)
        } else {
            surface_isa::dis(&self.file, read(&self.file)?, self.raw, Some(isa))
        }
    }

    /// Prints the source of a code object.
    fn sources(&self, objects: &[CodeObject]) -> Result {
        let [object] = objects else {
            let targets: Vec<String> = objects.iter().map(|o| o.target().to_string()).collect();
            let sentence = format!(
                "it has code for {}: choose one with --gpu, since a source is for one chip",
                some_of(&targets)
            );
            return Err(Failure::usage(sentence).of(&self.file));
        };
        self.one_source(object.bytes())
    }

    fn one_source(&self, bytes: &[u8]) -> Result {
        let source = source_of(bytes);
        let source = source.map_err(|error| Failure::usage(error.to_string()).of(&self.file))?;
        crate::exit::print(&source)
    }

    /// Returns the listing of a code object.
    fn listing<'o>(&self, object: &'o CodeObject) -> Result<Listing<'o>> {
        let listing = Listing::of(object);
        let listing = listing.map_err(|error| Failure::usage(error.to_string()))?;
        if !self.lines {
            return Ok(listing);
        }
        let lines = Lines::of(object).ok_or_else(|| {
            let target = object.target();
            let problem =
                "has no lines of source (no DWARF that can be read); compile it with `-g`";
            Failure::usage(format!("the code for {target} {problem}"))
        })?;
        Ok(listing.with_lines(lines))
    }

    /// Prints the host code that a kernel is compiled to.
    fn host_code(&self, kernel: &str) -> Result {
        let file = CodeFile::read(&self.file)?;
        let chip = self.target.chip()?.map(|chip| chip.to_string());
        let device = Device::new(file.chip(chip.as_deref())?)?;
        let here = |error| Failure::from(error).of(&self.file);
        let module = device.load(&file.bytes).map_err(here)?;
        let kernel = module.kernel(kernel).map_err(here)?;
        let text = kernel.host_code().map_err(|why| {
            Failure::usage(format!("kernels are not compiled on this machine: {why}"))
        })?;
        crate::exit::print(&text)
    }

    fn list(&self, listing: &Listing<'_>) -> Result {
        let mut out = Painted::new(Stdout::lock());
        stdout_result(listing.write(self.syntax.dialect, &mut out).err())
    }

    fn hex(&self) -> Result {
        let chip = self.target.chip_or_default()?;
        let dialect = self.syntax.dialect;
        let wrong = print_lines(&self.file, |line, out| hex_line(line, chip, dialect, out))?;
        hex_lines::refuse(&self.file, &wrong)
    }
}
