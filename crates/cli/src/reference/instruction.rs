//! An instruction of GCN with its facts on each generation that has it.

use std::collections::HashMap;

use wavetank::Chip;
use wavetank_explain::name_in;
use wavetank_gcn::Form;
use wavetank_gcn::Generation::{self, Gfx6, Gfx7, Gfx8, Gfx9};

use wavetank_facts::{
    Bits, Facts, Modifier, Subject, exists, fields, form_name, forms, modifiers, subjects,
};

/// The generations, the newest first.
pub(super) const GENERATIONS: [Generation; 4] = [Gfx9, Gfx8, Gfx7, Gfx6];

/// The chips whose facts stand for their generation, if they have the instruction.
const USUAL: [Chip; 4] = [Chip::Gfx900, Chip::Gfx803, Chip::Gfx701, Chip::Gfx600];

/// An instruction, with a page.
pub(super) struct Instruction {
    pub subject: Subject,
    pub name: String,
    /// The name of the page's file, without folder and extension.
    slug: String,
    /// The facts on each generation that has it, the newest first.
    pub versions: Vec<Version>,
}

/// The facts on a generation.
pub(super) struct Version {
    pub generation: Generation,
    /// The chips that have the instruction, if some of the generation have not.
    pub chips: Option<Vec<Chip>>,
    pub facts: Facts,
    pub encodings: Vec<Encoding>,
}

/// The fields and modifiers of an instruction in a form.
pub(super) struct Encoding {
    pub form: Form,
    pub fields: Vec<Bits>,
    pub modifiers: Vec<Modifier>,
}

impl Instruction {
    /// Returns every instruction, in the order of the table.
    pub(super) fn all() -> Vec<Instruction> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let all = subjects().map(|subject| {
            let name = name_in(subject.0, subject.1);
            let before = seen.entry(name.clone()).or_default();
            *before += 1;
            // A name that two encodings share is followed by the encoding.
            let slug = match before {
                1 => name.clone(),
                _ => format!("{name}-{}", form_name(subject.1).to_lowercase()),
            };
            let versions = GENERATIONS.iter();
            Instruction {
                versions: versions.filter_map(|g| Version::of(subject, *g)).collect(),
                subject,
                name,
                slug,
            }
        });
        all.collect()
    }

    /// Returns the path of the page.
    pub(super) fn path(&self) -> String {
        format!("gcn/{}.html", self.slug)
    }

    /// Returns the facts on the newest generation. Every row of the table has an opcode on one.
    pub(super) fn newest(&self) -> &Version {
        &self.versions[0]
    }

    /// Returns the facts on a generation.
    pub(super) fn on(&self, generation: Generation) -> Option<&Version> {
        let mut versions = self.versions.iter();
        versions.find(|version| version.generation == generation)
    }

    /// Returns the generations that have it, as text.
    pub(super) fn range(&self) -> String {
        let all: Vec<Generation> = self.versions.iter().map(|v| v.generation).collect();
        range(&all)
    }

    /// Returns a part of the facts with the generations for which it is the same, the newest first.
    pub(super) fn merged<T: PartialEq>(
        &self,
        part: impl Fn(&Version) -> T,
    ) -> Vec<(Vec<Generation>, T)> {
        let mut all: Vec<(Vec<Generation>, T)> = Vec::new();
        for version in &self.versions {
            let own = part(version);
            match all.iter_mut().find(|(_, other)| *other == own) {
                Some((generations, _)) => generations.push(version.generation),
                None => all.push((vec![version.generation], own)),
            }
        }
        all
    }
}

impl Version {
    fn of(subject: Subject, generation: Generation) -> Option<Version> {
        let own = |chip: &&Chip| chip.generation() == generation;
        let has = |chip: &&Chip| exists(subject, **chip);
        let chips: Vec<Chip> = Chip::EXECUTED
            .iter()
            .filter(own)
            .filter(has)
            .copied()
            .collect();
        let usual = USUAL.iter().filter(|chip| chips.contains(chip));
        let chip = *usual.chain(&chips).next()?;
        let partly = chips.len() < Chip::EXECUTED.iter().filter(own).count();
        let encoding = |form: Form| Encoding {
            form,
            fields: fields(subject.0, form, chip),
            modifiers: modifiers(subject.0, form, chip),
        };
        Some(Version {
            generation,
            chips: partly.then_some(chips),
            facts: Facts::row(subject, chip),
            encodings: forms(subject, chip).into_iter().map(encoding).collect(),
        })
    }
}

/// Returns the name of a generation.
pub(super) fn label(generation: Generation) -> String {
    format!("{generation:?}").to_lowercase()
}

/// Returns generations as text, the oldest first: `gfx6 to gfx8`, `gfx6, gfx9`.
pub(super) fn range(generations: &[Generation]) -> String {
    let mut sorted = generations.to_vec();
    sorted.sort();
    let follow = sorted
        .windows(2)
        .all(|pair| pair[0] as u8 + 1 == pair[1] as u8);
    match &sorted[..] {
        [first, .., last] if follow && sorted.len() > 2 => {
            format!("{} to {}", label(*first), label(*last))
        }
        all => all.iter().map(|g| label(*g)).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_are_ranges() {
        assert_eq!(range(&[Gfx9, Gfx8, Gfx7, Gfx6]), "gfx6 to gfx9");
        assert_eq!(range(&[Gfx9, Gfx8]), "gfx8, gfx9");
        assert_eq!(range(&[Gfx9, Gfx7, Gfx6]), "gfx6, gfx7, gfx9");
    }
}
