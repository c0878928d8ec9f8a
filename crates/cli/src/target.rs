//! The options for the instruction set and the syntax, which are the same in every command.

use wavetank::environment::Gpu;
use wavetank::{Chip, DEFAULT_CHIP, named_target, object};
use wavetank_gcn::Dialect;
use wavetank_surface_isa::maxwell::Generation;
use wavetank_surface_isa::visa::Version;

use crate::exit::{Failure, Result};

/// Checks the value of `--gpu` for the GPUs of a program: chips with the size of their memory, separated by commas.
///
/// # Errors
/// The first GPU that is wrong.
pub(crate) fn check_gpus(names: &str) -> Result {
    names.split(',').try_for_each(|name| {
        let known = name.trim().parse::<Gpu>().map(drop);
        known.map_err(|problem| Failure::usage(format!("--gpu: {problem}")))
    })
}

/// The options for the instruction set.
#[derive(clap::Args, Debug)]
pub(crate) struct Target {
    /// The chip: gfx600 to gfx950, one of LLVM's names (tahiti, fiji, …) or a product ("RX 580", mi300x, …)
    #[arg(long, value_name = "CHIP")]
    gpu: Option<String>,
    /// The instruction set: a chip, maxwell:50, maxwell:52, … for NVIDIA's SUATOM, or visa (visa:3.3, …) for Intel's TYPED_ATOMIC
    #[arg(long, value_name = "ISA")]
    isa: Option<String>,
}

impl Target {
    /// Returns the requested chip.
    ///
    /// # Errors
    /// An unknown name, or two names that differ.
    pub(crate) fn chip(&self) -> Result<Option<Chip>> {
        Ok(self.one()?.map(|(chip, _)| chip))
    }

    /// Returns the requested chip, and the target of code objects for it.
    fn one(&self) -> Result<Option<(Chip, object::Target)>> {
        let named = |name: &Option<String>| name.as_deref().map(named_target).transpose();
        let wrong = |error: wavetank::UnknownInstructionSet| Failure::usage(error.to_string());
        let (gpu, isa) = (named(&self.gpu), named(&self.isa));
        match (gpu.map_err(wrong)?, isa.map_err(wrong)?) {
            (Some((_, gpu)), Some((_, isa))) if gpu != isa => Err(Failure::usage(format!(
                "--gpu says {gpu} and --isa says {isa}: give one of them"
            ))),
            (gpu, isa) => Ok(gpu.or(isa)),
        }
    }

    /// Returns the requested chips with the targets of code objects for them, separated by commas: `--gpu gfx803,gfx90a:xnack-`.
    ///
    /// # Errors
    /// The errors of [`chip`](Self::chip), and a duplicate target.
    pub(crate) fn targets(&self) -> Result<Vec<(Chip, object::Target)>> {
        let names = match (&self.gpu, &self.isa) {
            (Some(gpu), None) if gpu.contains(',') => gpu,
            _ => return Ok(self.one()?.into_iter().collect()),
        };
        let mut targets = Vec::new();
        for name in names.split(',') {
            let named = named_target(name).map_err(|e| Failure::usage(e.to_string()))?;
            if targets.contains(&named) {
                return Err(Failure::usage(format!("--gpu names {} twice", named.1)));
            }
            targets.push(named);
        }
        Ok(targets)
    }

    /// Returns the generation of Maxwell that `--isa` names, if it is one.
    ///
    /// # Errors
    /// A chip of GCN is named as well.
    pub(crate) fn maxwell(&self) -> Result<Option<Generation>> {
        self.alone(Generation::from_name, ToString::to_string)
    }

    /// Returns the version of vISA that `--isa` names, if it is one.
    ///
    /// # Errors
    /// A chip of GCN is named as well.
    pub(crate) fn visa(&self) -> Result<Option<Version>> {
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

    /// Whether no instruction set is requested.
    pub(crate) fn is_open(&self) -> bool {
        self.gpu.is_none() && self.isa.is_none()
    }

    /// Returns the requested chip, or the default one.
    pub(crate) fn chip_or_default(&self) -> Result<Chip> {
        Ok(self.chip()?.unwrap_or(DEFAULT_CHIP))
    }
}

/// The option for the syntax.
#[derive(clap::Args, Debug)]
pub(crate) struct Syntax {
    /// The syntax: llvm or clrx
    #[arg(long, value_name = "DIALECT", default_value = "llvm")]
    pub dialect: Dialect,
}

impl Syntax {
    /// Rejects a dialect of GCN for an instruction set that has only one syntax.
    pub(crate) fn refuse_for(&self, isa: impl std::fmt::Display) -> Result {
        match self.dialect {
            Dialect::Llvm => Ok(()),
            dialect => Err(Failure::usage(format!(
                "--dialect {dialect} is a syntax of GCN: {isa} has one of its own, leave --dialect out"
            ))),
        }
    }
}

impl Target {
    /// Returns the name of the requested instruction set, or of the default chip.
    ///
    /// # Errors
    /// The errors of [`chip`](Self::chip), if it is one of GCN.
    pub(crate) fn set_name(&self) -> Result<String> {
        let other = |name: &&str| name.starts_with("maxwell:") || name.starts_with("visa");
        match self.isa.as_deref().filter(other) {
            Some(name) if self.gpu.is_none() => Ok(name.to_owned()),
            _ => Ok(self.chip_or_default()?.name().to_owned()),
        }
    }
}
