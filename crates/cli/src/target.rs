//! The options that name an instruction set and a syntax, the same in every command.

use wavetank::{Chip, DEFAULT_CHIP, instruction_set};
use wavetank_isa::Dialect;

use crate::exit::{Failure, Result};

/// Which chip's instructions.
#[derive(clap::Args, Debug)]
pub struct Target {
    /// The chip: gfx600 to gfx90c, or one of LLVM's names (tahiti, hawaii, fiji, …)
    #[arg(long, value_name = "CPU")]
    gpu: Option<String>,
    /// The instruction set: a chip, later also maxwell:50, maxwell:52 or visa
    #[arg(long, value_name = "ISA")]
    isa: Option<String>,
}

impl Target {
    /// The chip that was asked for.
    ///
    /// # Errors
    /// A name that is none, or two names that differ.
    pub fn chip(&self) -> Result<Option<Chip>> {
        let named = |name: &Option<String>| name.as_deref().map(instruction_set).transpose();
        let wrong = |error: wavetank::UnknownInstructionSet| Failure::usage(error.to_string());
        let (gpu, isa) = (named(&self.gpu), named(&self.isa));
        match (gpu.map_err(wrong)?, isa.map_err(wrong)?) {
            (Some(gpu), Some(isa)) if gpu != isa => Err(Failure::usage(format!(
                "--gpu says {gpu} and --isa says {isa}: give one of them"
            ))),
            (gpu, isa) => Ok(gpu.or(isa)),
        }
    }

    /// The chip that was asked for, or the one where none is named.
    pub fn chip_or_default(&self) -> Result<Chip> {
        Ok(self.chip()?.unwrap_or(DEFAULT_CHIP))
    }
}

/// Which syntax.
#[derive(clap::Args, Debug)]
pub struct Syntax {
    /// The syntax: llvm or clrx
    #[arg(long, value_name = "DIALECT", default_value = "llvm")]
    pub dialect: Dialect,
}
