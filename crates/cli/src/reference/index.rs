//! The front page: encodings, generations, and the other instruction sets.

use maud::{Markup, html};

use super::encodings::ENCODINGS;
use super::frame::{Page, heading};
use super::instruction::{GENERATIONS, Instruction, label};
use super::lists::{about, encoding_path, generation_path};
use super::surfaces::Set;
use wavetank_facts::form_name;

/// Returns the front page.
pub(super) fn page(all: &[Instruction], others: &[Set]) -> String {
    let encodings = ENCODINGS.iter().map(|(form, about)| {
        let own = all
            .iter()
            .filter(|instruction| instruction.subject.1 == *form);
        card(&encoding_path(*form), &form_name(*form), about, own.count())
    });
    let generations = GENERATIONS.iter().map(|generation| {
        let own = all.iter().filter(|i| i.on(*generation).is_some());
        let (path, name) = (generation_path(*generation), label(*generation));
        card(&path, &name, about(*generation), own.count())
    });
    let others = others
        .iter()
        .map(|set| card(&set.path(), set.name, set.about, set.operations.len()));
    let main = html! {
        h1 { "Instruction reference" }
        p.lead {
            (all.len()) " instructions of AMD's GCN, from gfx6 to gfx9, and the atomics on surfaces of NVIDIA and Intel. Press "
            kbd { "/" } " to search."
        }
        section { (heading("encodings", "By encoding")) ul.cards { @for card in encodings { (card) } } }
        section { (heading("generations", "By generation")) ul.cards { @for card in generations { (card) } } }
        section { (heading("others", "Other instruction sets")) ul.cards { @for card in others { (card) } } }
    };
    Page {
        title: "GCN, SUATOM and TYPED_ATOMIC",
        description: "Every instruction that wavetank knows: pseudo-code, encoding, effects, hazards, fidelity.",
        root: "",
        trail: Vec::new(),
        main,
    }
    .html()
}

fn card(path: &str, name: &str, about: &str, count: usize) -> Markup {
    html! {
        li {
            a href=(path) { strong { (name) } " " span.count { (count) } }
            p { (about) }
        }
    }
}
