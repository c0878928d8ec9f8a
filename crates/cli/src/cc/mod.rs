//! `wavetank cc`: in the place of `clang`, `llvm-mc` and `ld.lld` where builds assemble and link code for AMD GPUs.
//!
//! Each tool is a table of the options that such builds pass (`compiler.rs`, `assembler.rs`, `linker.rs`), which describe a [`Job`].
//! An option that is in no table is refused by its name, since code that silently lacks it would be wrong.

mod assembler;
mod compiler;
mod job;
mod linker;
mod messages;
mod tool;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use wavetank_quote::plain_lines;

use crate::exit::{Failure, Result};
use job::Job;
pub(crate) use tool::Tool;
use words::{Row, Words};

const EXAMPLES: &str = "\
Examples:
  wavetank cc -x assembler -target amdgcn-amd-amdhsa -mcpu=gfx906:xnack- \\
      -Wa,-defsym,N=4 -c k.s -o k.o  an object file
  wavetank cc -target amdgcn-amd-amdhsa -mcpu=gfx906 a.s b.o -o k.co
                                     assembled, linked: a code object
  wavetank cc @options -o k.co       options from a file
  ln -s $(which wavetank) bin/clang  a tool that builds find by its name; so
                                     are `llvm-mc` and `ld.lld`
  bin/ld.lld -shared a.o b.o -o k.co

Messages are `file:line:column: error: …`; the exit code is 1 if there is one.";

/// Reads the options of clang for assembling and linking; as a link named `clang`, `llvm-mc` or `ld.lld`, those of that tool
///
/// Options that assembling and linking do not need, such as `-O2`, have no effect; others are refused by their names. Sources of C,
/// C++ and OpenCL are not compiled.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cc {
    /// Options and files, as clang has them
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "WORD"
    )]
    words: Vec<OsString>,
}

impl Cc {
    pub(crate) fn run(self) -> ExitCode {
        run(Tool::Compiler, "wavetank cc", self.words)
    }
}

/// Returns the options of a tool, and the beginnings of those without effect.
fn options(tool: Tool) -> (&'static [Row], &'static [&'static str]) {
    match tool {
        Tool::Compiler => (compiler::ROWS, compiler::IGNORED),
        Tool::Assembler => (assembler::ROWS, &[]),
        Tool::Linker => (linker::ROWS, linker::IGNORED),
    }
}

/// Runs a call of a tool; `name` is the name of the program in messages.
pub(crate) fn run(tool: Tool, name: &str, words: Vec<OsString>) -> ExitCode {
    match read(tool, words).and_then(|job| job.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(sentence) | Failure::Kernel(sentence)) => {
            let sentence = plain_lines(&sentence);
            // A closed stderr is not an error.
            let _ = writeln!(anstream::stderr(), "{name}: error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn read(tool: Tool, words: Vec<OsString>) -> Result<Job> {
    let mut job = Job::new(tool);
    let (rows, ignored) = options(tool);
    let mut words = Words::new(words)?;
    while let Some(word) = words.next() {
        if word == "-" || !word.starts_with('-') {
            job.inputs.push(word.into());
        } else if word == "--version" {
            job.version_only = true;
        } else if !words.option(&word, rows, &mut job)?
            && !ignored.iter().any(|start| word.starts_with(start))
        {
            return Err(Failure::usage(format!(
                "`{word}` is not an option for assembling or linking: leave it out, or call LLVM's own tool"
            )));
        }
    }
    let passed = std::mem::take(&mut job.passed);
    let passed = Words::new(passed.into_iter().map(Into::into).collect())?;
    compiler::pass_all(&mut job, passed, compiler::ASSEMBLER)?;
    Ok(job)
}
