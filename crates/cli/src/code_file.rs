//! Files with GPU code, and the choice of the emulated GPU for them.

use std::path::{Path, PathBuf};

use wavetank::object::{CodeObject, Target, is_object_file, targets};
use wavetank::{Chip, ChipFacts, DEFAULT_CHIP};
use wavetank_gcn::{EXECUTED_CHIPS, LaterArchitecture};

use crate::asm;
use crate::exit::{Failure, Result};
use crate::input;
use crate::source;

/// A code object, an offload bundle or a host program, as read from disk.
pub(crate) struct CodeFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl CodeFile {
    /// Reads a file, or stdin for `-`.
    pub(crate) fn read(path: &Path) -> Result<CodeFile> {
        let bytes = input::read(path)?;
        source::refuse(path, &bytes)?;
        Ok(CodeFile {
            path: path.to_owned(),
            bytes,
        })
    }

    /// Reads a file as [`read`](Self::read) does. Of an object file, the code object that it becomes is read, without the relocations
    /// of its code.
    pub(crate) fn read_described(path: &Path, gpu: Option<&str>) -> Result<CodeFile> {
        let mut file = CodeFile::read(path)?;
        if is_object_file(&file.bytes)
            && let Some(code) = asm::linked_code(path, &file.bytes, gpu, true)?
        {
            file.bytes = code;
        }
        Ok(file)
    }

    /// Reads a file, or stdin for `-`. An assembly source is assembled, and an object file is linked.
    pub(crate) fn read_or_link(path: &Path, gpu: Option<&str>) -> Result<CodeFile> {
        let bytes = input::read(path)?;
        let bytes = match asm::linked_code(path, &bytes, gpu, false)? {
            Some(code) => code,
            None => {
                source::refuse(path, &bytes)?;
                bytes
            }
        };
        Ok(CodeFile {
            path: path.to_owned(),
            bytes,
        })
    }

    /// Returns the requested chip, or else the only emulated chip that the file has code for.
    pub(crate) fn chip(&self, gpu: Option<&str>) -> Result<Chip> {
        if let Some(name) = gpu {
            return chip_named(name);
        }
        let targets = targets(&self.bytes).map_err(|e| Failure::from(e).of(&self.path))?;
        choose(&targets).map_err(|problem| Failure::usage(problem).of(&self.path))
    }

    /// Returns the requested chip, or else that of a code object with shaders.
    pub(crate) fn chip_of_shaders(&self, gpu: Option<&str>) -> Result<Chip> {
        if let Some(name) = gpu {
            return chip_named(name);
        }
        let object = CodeObject::parse_shaders(&self.bytes);
        let object = object.map_err(|e| Failure::from(e).of(&self.path))?;
        let chip = choose(&[object.target().clone()]);
        chip.map_err(|problem| Failure::usage(problem).of(&self.path))
    }
}

fn chip_named(name: &str) -> Result<Chip> {
    let facts = ChipFacts::of_target(name);
    facts.map(|facts| facts.chip).map_err(Failure::Usage)
}

/// Returns the name of a target as files have it: `Vega20:xnack-` is `gfx906:xnack-`.
pub(crate) fn target_named(text: &str) -> String {
    let (name, features) = text.split_at(text.find(':').unwrap_or(text.len()));
    let chip = Chip::from_name(name).map_or(name, |chip| chip.name());
    format!("{chip}{features}")
}

/// Returns the chip to emulate for a file with code for `targets`.
fn choose(targets: &[Target]) -> Result<Chip, String> {
    let mut chips: Vec<Chip> = targets.iter().filter_map(emulated).collect();
    // A chip may have code for several settings of its features, in any order.
    chips.sort_unstable();
    chips.dedup();
    // Code for older generations accompanies that for the newest.
    let newest = chips.last().map(|chip| chip.generation());
    chips.retain(|chip| Some(chip.generation()) == newest);
    match (chips.as_slice(), targets) {
        ([chip], _) => Ok(*chip),
        ([], _) => Err(format!(
            "this is code for {}{}",
            list(targets),
            not_emulated(targets)
        )),
        _ => Err(format!(
            "the file holds code for several GPUs: choose one with --gpu ({})",
            chips
                .iter()
                .map(|c| c.name())
                .collect::<Vec<_>>()
                .join(", ")
        )),
    }
}

/// Returns the emulated chip that runs code for a target.
pub(crate) fn emulated(target: &Target) -> Option<Chip> {
    let runs = |chip: &Chip| {
        chip.name()
            .parse()
            .is_ok_and(|wanted| target.serves(&wanted))
    };
    Chip::EXECUTED.iter().copied().find(runs)
}

fn list(targets: &[Target]) -> String {
    let names: Vec<_> = targets.iter().map(Target::to_string).collect();
    names.join(", ")
}

/// Returns the rest of a sentence that has named the targets of code for no emulated chip: the reason, and the way out.
pub(crate) fn not_emulated(targets: &[Target]) -> String {
    let is_later = |target: &Target| LaterArchitecture::of_chip(&target.chip).is_some();
    let reason = match targets {
        targets if targets.iter().all(is_later) => format!(": {EXECUTED_CHIPS}"),
        [_] => ", which is not emulated".to_owned(),
        _ => ", which are not emulated".to_owned(),
    };
    format!(
        "{reason}; build it with --offload-arch={DEFAULT_CHIP} (hipcc) or -mcpu={DEFAULT_CHIP} (clang), or with another of {}",
        ChipFacts::names()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Result<Chip, String> {
        let targets: Vec<Target> = names.iter().map(|name| name.parse().unwrap()).collect();
        choose(&targets)
    }

    #[test]
    fn the_only_emulated_chip_is_chosen() {
        assert_eq!(chosen(&["gfx906"]), Ok(Chip::Gfx906));
        assert_eq!(chosen(&["gfx1030", "gfx90c:xnack-"]), Ok(Chip::Gfx90c));
        assert_eq!(
            chosen(&["gfx900:xnack+", "gfx900:xnack-"]),
            Ok(Chip::Gfx900)
        );
        assert_eq!(chosen(&["gfx9-generic"]), Ok(Chip::Gfx900));
    }

    #[test]
    fn what_cannot_be_chosen_is_told() {
        let text = chosen(&["gfx900", "gfx906"]).unwrap_err();
        assert!(text.contains("--gpu (gfx900, gfx906)"), "{text}");
        let text = chosen(&["gfx1030"]).unwrap_err();
        assert!(
            text.contains("gfx1030") && text.contains("gfx900"),
            "{text}"
        );
        let text = chosen(&["gfx1030", "gfx1100"]).unwrap_err();
        assert!(text.contains("gfx1030, gfx1100"), "{text}");
    }
}
