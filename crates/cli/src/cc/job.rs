//! A job: files that are assembled, and linked.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use wavetank::object::{Feature, Target};
use wavetank::{Chip, DEFAULT_CHIP, named_target};
use wavetank_asm::{Files, Folders, Message, Options, assemble_lines, assemble_whole, text_of};
use wavetank_gcn::Dialect;
use wavetank_link::{Input, Relocatable, link};

use super::messages;
use super::tool::Tool;
use crate::exit::{Failure, Result};
use crate::input::{read, refuse_over};
use crate::{source, whole};

/// The file that is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Object,
    /// The instructions as text.
    Text,
    Nothing,
}

/// The options of a call.
pub(super) struct Job {
    tool: Tool,
    pub inputs: Vec<PathBuf>,
    pub output: Option<PathBuf>,
    /// Whether sources become object files, which are not linked.
    pub compiles: bool,
    pub made: Output,
    pub shows_encoding: bool,
    /// Whether the linker makes a shared library, which all code objects are.
    pub shared: bool,
    pub allow_undefined: bool,
    target: Option<(Chip, Target)>,
    pub xnack: Option<Feature>,
    pub sramecc: Option<Feature>,
    pub version: u8,
    pub folders: Vec<PathBuf>,
    pub defines: Vec<(String, i64)>,
    pub debug: bool,
    pub dependencies: bool,
    pub dependency_file: Option<PathBuf>,
    pub dependency_target: Option<String>,
    limit: usize,
    /// Words of `-Xassembler`.
    pub passed: Vec<String>,
    pub version_only: bool,
    /// Whether all inputs are assembled as they are, whatever their names say.
    pub is_assembly: bool,
}

impl Job {
    pub(super) fn new(tool: Tool) -> Job {
        Job {
            tool,
            inputs: Vec::new(),
            output: None,
            compiles: tool == Tool::Assembler,
            made: if tool == Tool::Assembler {
                Output::Text
            } else {
                Output::Object
            },
            shows_encoding: false,
            shared: tool == Tool::Compiler,
            allow_undefined: tool == Tool::Linker,
            target: None,
            xnack: None,
            sramecc: None,
            version: 5,
            is_assembly: false,
            folders: Vec::new(),
            defines: Vec::new(),
            debug: false,
            dependencies: false,
            dependency_file: None,
            dependency_target: None,
            limit: 20,
            passed: Vec::new(),
            version_only: false,
        }
    }

    /// Sets the target from its name, whose architecture must be AMD's: `amdgcn-amd-amdhsa`.
    pub(super) fn set_triple(&mut self, triple: &str) -> Result {
        let mut parts = triple.split('-');
        let (architecture, system) = (parts.next(), parts.nth(1).unwrap_or("amdhsa"));
        match architecture {
            Some("amdgcn") if system == "amdhsa" => Ok(()),
            _ => Err(Failure::usage(format!(
                "`{triple}` is not the target amdgcn-amd-amdhsa: code for others is not made here"
            ))),
        }
    }

    /// Sets the chip with its features: `gfx906:sramecc+:xnack-`.
    pub(super) fn set_chip(&mut self, name: &str) -> Result {
        let target = named_target(name).map_err(|error| Failure::usage(error.to_string()))?;
        self.target = Some(target);
        Ok(())
    }

    pub(super) fn set_version(&mut self, value: &str) -> Result {
        let number = value.strip_prefix('v').unwrap_or(value);
        match number.parse() {
            Ok(version @ 2..=6) => self.version = version,
            _ => {
                return Err(Failure::usage(format!(
                    "code objects have the versions 2 to 6, not `{value}`"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn set_limit(&mut self, value: &str) -> Result {
        let limit = value.parse::<usize>();
        let limit = limit
            .map_err(|_| Failure::usage(format!("`-ferror-limit={value}` is not a number")))?;
        self.limit = if limit == 0 { usize::MAX } else { limit };
        Ok(())
    }

    pub(super) fn run(mut self) -> Result {
        if self.version_only {
            let text = format!(
                "wavetank cc {}, in the place of LLVM's tools\n",
                env!("CARGO_PKG_VERSION")
            );
            return crate::exit::print(&text);
        }
        if self.inputs.is_empty() {
            if self.tool != Tool::Assembler {
                return Err(Failure::usage("there are no input files"));
            }
            self.inputs.push("-".into());
        }
        if !self.shared && self.tool == Tool::Linker {
            return Err(Failure::usage(
                "code objects are shared libraries: say `-shared`",
            ));
        }
        match (self.compiles, self.made) {
            (true, Output::Text) => self.print(),
            (true, _) => self.compile(),
            (false, _) => self.link(),
        }
    }

    /// Returns the chip with the features of all options.
    fn target(&self) -> (Chip, Target) {
        let default = || (DEFAULT_CHIP, Options::new(DEFAULT_CHIP).target);
        let (chip, mut target) = self.target.clone().unwrap_or_else(default);
        let mut set = |feature: Option<Feature>, place: fn(&mut Target) -> &mut Feature| {
            if let Some(state) = feature {
                let before = std::mem::replace(place(&mut target), state);
                if !target.has_its_features() {
                    // The chip does not have it, so that it is off in any case.
                    *place(&mut target) = before;
                }
            }
        };
        set(self.xnack, |target| &mut target.xnack);
        set(self.sramecc, |target| &mut target.sramecc);
        (chip, target)
    }

    fn options<'o>(&self, files: &'o dyn Files, messages: &'o dyn Fn(&Message)) -> Options<'o> {
        let (chip, target) = self.target();
        Options {
            target,
            fixed: self.target.is_some(),
            version: self.version,
            files,
            defines: self.defines.clone(),
            max_errors: self.limit,
            messages,
            debug_lines: self.debug,
            ..Options::new(chip)
        }
    }

    /// Prints the instructions of a source.
    fn print(&self) -> Result {
        let path = self.one_input()?;
        let files = Folders(self.folders.clone());
        let options = self.options(&files, &messages::receive);
        let text = text_of(read(path)?);
        let run = |each: &mut dyn FnMut(&wavetank_asm::Line)| {
            assemble_lines(&messages::name(path), &text, &options, each)
        };
        let done = crate::asm::print_text(run, Dialect::Llvm, self.shows_encoding)?;
        done.map_err(|errors| messages::show(path, &errors))
    }

    /// Makes an object file of each source.
    fn compile(&self) -> Result {
        if self.output.is_some() {
            self.one_input()?;
        }
        for path in &self.inputs {
            self.refuse_preprocessed(path)?;
            let object = self
                .object(path)?
                .write()
                .map_err(|error| Failure::usage(error.to_string()))?;
            if self.made == Output::Object {
                let to = self.object_path(path)?;
                refuse_over(&self.inputs, &to)?;
                write(&to, &object)?;
            }
        }
        Ok(())
    }

    /// Refuses a source that is for the preprocessor of C by its name.
    fn refuse_preprocessed(&self, path: &Path) -> Result {
        let is_for_it = path.extension().is_some_and(|end| end == "S");
        if self.tool == Tool::Compiler && is_for_it && !self.is_assembly {
            let problem = "a `.S` file needs the preprocessor of C: name it `.s`, or add `-x assembler` if it does without";
            return Err(Failure::usage(problem).of(path));
        }
        Ok(())
    }

    /// Returns the path of the object file of a source.
    fn object_path(&self, path: &Path) -> Result<PathBuf> {
        match (&self.output, path.file_name()) {
            (Some(output), _) => Ok(output.clone()),
            (None, Some(name)) if name != "-" => Ok(Path::new(name).with_extension("o")),
            _ => Err(Failure::usage(
                "the name of the object file is missing: `-o FILE`",
            )),
        }
    }

    /// Links the object files and the objects of the sources.
    fn link(&self) -> Result {
        let mut objects = Vec::new();
        for path in &self.inputs {
            self.refuse_preprocessed(path)?;
            objects.push((messages::name(path), self.object(path)?));
        }
        let inputs: Vec<Input> = objects
            .iter()
            .map(|(name, object)| Input { name, object })
            .collect();
        let options = wavetank_link::Options {
            allow_undefined: self.allow_undefined,
            ..Default::default()
        };
        let code = link(&inputs, &options).map_err(|error| Failure::usage(error.to_string()))?;
        let output = self.output.clone().unwrap_or_else(|| "a.out".into());
        write(&output, &code)
    }

    /// Returns the object of a file.
    fn object(&self, path: &Path) -> Result<Relocatable> {
        let bytes = read(path)?;
        if bytes.starts_with(b"\x7fELF") {
            let object = Relocatable::read(&bytes);
            return object.map_err(|error| Failure::usage(error.to_string()).of(path));
        }
        if self.tool == Tool::Linker {
            return Err(Failure::usage("this is not an object file").of(path));
        }
        source::refuse_to_assemble(path, &bytes)?;
        let files = Recorded {
            folders: Folders(self.folders.clone()),
            found: RefCell::default(),
        };
        let options = self.options(&files, &messages::receive);
        let made = assemble_whole(&messages::name(path), &text_of(bytes), &options);
        let made = made.map_err(|errors| messages::show(path, &errors))?;
        if self.dependencies {
            self.write_dependencies(path, &files.found.into_inner())?;
        }
        Ok(made.object)
    }

    fn one_input(&self) -> Result<&PathBuf> {
        match self.inputs.as_slice() {
            [path] => Ok(path),
            _ => Err(Failure::usage(
                "several inputs have no object file in common: leave `-o` out, or `-c`",
            )),
        }
    }

    /// Writes the rule of `make` that says which files the object is made of.
    fn write_dependencies(&self, path: &Path, found: &[PathBuf]) -> Result {
        let object = match (&self.output, self.compiles) {
            (Some(output), _) => output.clone(),
            (None, true) => self.object_path(path)?,
            (None, false) => "a.out".into(),
        };
        let target = self.dependency_target.clone();
        let target = target.unwrap_or_else(|| escaped(&object));
        let files = std::iter::once(path).chain(found.iter().map(PathBuf::as_path));
        let files: Vec<String> = files.map(escaped).collect();
        let rule = format!("{target}: {}\n", files.join(" \\\n  "));
        let file = self.dependency_file.clone();
        write(
            &file.unwrap_or_else(|| object.with_extension("d")),
            rule.as_bytes(),
        )
    }
}

/// Returns a path as `make` reads it.
fn escaped(path: &Path) -> String {
    path.to_string_lossy()
        .replace('$', "$$")
        .replace(' ', "\\ ")
        .replace('#', "\\#")
}

/// Folders that record the files which a source has included.
struct Recorded {
    folders: Folders,
    found: RefCell<Vec<PathBuf>>,
}

impl Files for Recorded {
    fn read(&self, name: &str) -> std::result::Result<Vec<u8>, String> {
        let bytes = self.folders.read(name)?;
        let mut found = self.found.borrow_mut();
        let path = self.folders.path_of(name);
        if !found.contains(&path) {
            found.push(path);
        }
        Ok(bytes)
    }
}

/// Parses `NAME=NUMBER`, or `NAME` for 1.
pub(super) fn define(text: &str) -> Result<(String, i64)> {
    crate::asm::define(text, "-defsym")
}

fn write(path: &Path, bytes: &[u8]) -> Result {
    if path == Path::new("-") {
        use std::io::Write;
        let mut out = crate::output::Stdout::lock();
        return crate::output::stdout_result(out.write_all(bytes).and_then(|()| out.flush()).err());
    }
    whole::write(path, bytes).map_err(|error| Failure::file("write", path, error))
}
