//! The options that name an instruction set and a syntax, the same in every command.

use wavetank::{Chip, DEFAULT_CHIP, instruction_set};
use wavetank_gcn::Dialect;
use wavetank_surface_isa::maxwell::Generation;
use wavetank_surface_isa::visa::Version;

use crate::exit::{Failure, Result};

/// Which chip's instructions.
#[derive(clap::Args, Debug)]
pub struct Target {
    /// The chip: gfx600 to gfx90c, or one of LLVM's names (tahiti, hawaii, fiji, …)
    #[arg(long, value_name = "CPU")]
    gpu: Option<String>,
    /// The instruction set: a chip, maxwell:50, maxwell:52, … for NVIDIA's SUATOM, or visa (visa:3.3, …) for Intel's TYPED_ATOMIC
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

    /// The chips that were asked for, several apart by commas: `--gpu gfx803,gfx900`.
    ///
    /// # Errors
    /// As of [`chip`](Self::chip), and a chip that stands twice.
    pub fn chips(&self) -> Result<Vec<Chip>> {
        let names = match (&self.gpu, &self.isa) {
            (Some(gpu), None) if gpu.contains(',') => gpu,
            _ => return Ok(self.chip()?.into_iter().collect()),
        };
        let mut chips = Vec::new();
        for name in names.split(',') {
            let chip = instruction_set(name).map_err(|e| Failure::usage(e.to_string()))?;
            if chips.contains(&chip) {
                return Err(Failure::usage(format!("--gpu names {chip} twice")));
            }
            chips.push(chip);
        }
        Ok(chips)
    }

    /// The generation of Maxwell that was asked for with `--isa`, if it was one.
    ///
    /// # Errors
    /// A chip of GCN beside it.
    pub fn maxwell(&self) -> Result<Option<Generation>> {
        self.alone(Generation::from_name, |generation| generation.to_string())
    }

    /// The version of vISA that was asked for with `--isa`, if it was one.
    ///
    /// # Errors
    /// A chip of GCN beside it.
    pub fn visa(&self) -> Result<Option<Version>> {
        self.alone(Version::from_name, |_| "visa".to_owned())
    }

    /// The instruction set of the name in `--isa`, if it is one of a family.
    ///
    /// # Errors
    /// A chip of GCN beside it.
    fn alone<T>(
        &self,
        from_name: impl FnOnce(&str) -> Option<T>,
        shown: impl FnOnce(&T) -> String,
    ) -> Result<Option<T>> {
        let isa = self.isa.as_deref().and_then(from_name);
        match (isa, &self.gpu) {
            (Some(isa), Some(gpu)) => Err(Failure::usage(format!(
                "--gpu says {gpu} and --isa says {}: give one of them",
                shown(&isa)
            ))),
            (isa, _) => Ok(isa),
        }
    }

    /// Whether nothing was asked for.
    pub fn is_open(&self) -> bool {
        self.gpu.is_none() && self.isa.is_none()
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

impl Syntax {
    /// Refuses a dialect of GCN for an instruction set that has one syntax.
    pub fn refuse_for(&self, isa: impl std::fmt::Display) -> Result {
        match self.dialect {
            Dialect::Llvm => Ok(()),
            dialect => Err(Failure::usage(format!(
                "--dialect {dialect} is a syntax of GCN: {isa} has one of its own, leave --dialect out"
            ))),
        }
    }
}

impl Target {
    /// The name of the instruction set that was asked for, or of the chip where none is named.
    ///
    /// # Errors
    /// As of [`chip`](Self::chip), where it is one of GCN.
    pub fn set_name(&self) -> Result<String> {
        let other = |name: &&str| name.starts_with("maxwell:") || name.starts_with("visa");
        match self.isa.as_deref().filter(other) {
            Some(name) if self.gpu.is_none() => Ok(name.to_owned()),
            _ => Ok(self.chip_or_default()?.name().to_owned()),
        }
    }
}
