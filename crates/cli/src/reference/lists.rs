//! Lists of instructions: a page for each encoding, and one for each generation.

use maud::{Markup, html};
use wavetank_gcn::{Form, Generation};

use super::encodings::ENCODINGS;
use super::files::Files;
use super::frame::{Page, heading, text};
use super::instruction::{GENERATIONS, Instruction, label};
use super::page::fidelity_class;
use super::prose::prose;
use wavetank_facts::form_name;

/// Returns the path of the page of an encoding.
pub(super) fn encoding_path(form: Form) -> String {
    format!("encoding/{}.html", form_name(form).to_lowercase())
}

/// Returns the path of the page of a generation.
pub(super) fn generation_path(generation: Generation) -> String {
    format!("generation/{}.html", label(generation))
}

/// Returns the pages of the encodings: each instruction with its opcodes.
pub(super) fn encodings(all: &[Instruction]) -> Files {
    let page = |(form, about): &(Form, &str)| {
        let own = all
            .iter()
            .filter(|instruction| instruction.subject.1 == *form);
        let mut generations = GENERATIONS.to_vec();
        generations.reverse();
        let rows: Vec<Vec<Markup>> = own.map(|i| with_opcodes(i, &generations)).collect();
        let name = form_name(*form);
        let header: Vec<String> = generations.iter().map(|g| label(*g)).collect();
        let main = html! {
            h1 { (name) }
            p.lead { (about) ". " (rows.len()) " instructions, with their opcodes." }
            (list(&format!("Instructions of {name}"), &header, &rows))
        };
        let html = Page {
            title: &name,
            description: about,
            root: "../",
            trail: Vec::new(),
            main,
        }
        .html();
        (encoding_path(*form), html)
    };
    ENCODINGS.iter().map(page).collect()
}

/// Returns the name with its link and sentence, then the opcode on each generation.
fn with_opcodes(instruction: &Instruction, generations: &[Generation]) -> Vec<Markup> {
    let opcode = |generation: &Generation| {
        let version = instruction.on(*generation);
        let opcode = version.and_then(|version| {
            let own = label(version.generation);
            let mut names = version.facts.generations.iter();
            names
                .find(|name| name.generation == own)
                .map(|name| name.opcode)
        });
        text(opcode.map_or("–".to_owned(), |opcode| format!("{opcode:#04x}")))
    };
    let cells = std::iter::once(named(instruction, &instruction.name));
    cells.chain(generations.iter().map(opcode)).collect()
}

/// Returns a name with its link, and the sentence below.
fn named(instruction: &Instruction, name: &str) -> Markup {
    html! {
        a href={ "../" (instruction.path()) } { code { (name) } }
        div.about { (prose(&instruction.newest().facts.sentence)) }
    }
}

/// Returns a table of instructions: the name first, then short columns.
fn list(label: &str, header: &[String], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.scroll role="region" aria-label=(label) tabindex="0" {
            table.list {
                thead { tr { th scope="col" { "Instruction" } @for name in header { th scope="col" { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (n, cell) in row.iter().enumerate() {
                                @if n == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the pages of the generations: the instructions by encoding, under the names that they have there.
pub(super) fn generations(all: &[Instruction]) -> Files {
    let page = |generation: &Generation| {
        let name = label(*generation);
        let count = all.iter().filter(|i| i.on(*generation).is_some()).count();
        let about = about(*generation);
        let sections: Vec<(Form, Vec<Vec<Markup>>)> = ENCODINGS
            .iter()
            .map(|(form, _)| (*form, rows(all, *form, *generation)))
            .filter(|(_, rows)| !rows.is_empty())
            .collect();
        let header = ["opcode".to_owned(), "fidelity".to_owned()];
        let main = html! {
            h1 { (name) }
            p.lead { (about) ". " (count) " instructions, under the names that they have on " (name) "." }
            nav aria-label="Encodings" {
                ul.links {
                    @for (form, rows) in &sections {
                        li { a href={ "#" (form_name(*form).to_lowercase()) } { (form_name(*form)) " " span.count { (rows.len()) } } }
                    }
                }
            }
            @for (form, rows) in &sections {
                section {
                    (heading(&form_name(*form).to_lowercase(), &form_name(*form)))
                    (list(&format!("Instructions of {} on {name}", form_name(*form)), &header, rows))
                }
            }
        };
        let html = Page {
            title: &name,
            description: about,
            root: "../",
            trail: Vec::new(),
            main,
        }
        .html();
        (generation_path(*generation), html)
    };
    GENERATIONS.iter().map(page).collect()
}

/// Returns the instructions of an encoding on a generation, by opcode.
fn rows(all: &[Instruction], form: Form, generation: Generation) -> Vec<Vec<Markup>> {
    let own = all
        .iter()
        .filter(|instruction| instruction.subject.1 == form);
    let mut found: Vec<(u16, Vec<Markup>)> = own
        .filter_map(|instruction| {
            let version = instruction.on(generation)?;
            let own = label(generation);
            let mut names = version.facts.generations.iter();
            let name = names.find(|name| name.generation == own)?;
            let class = fidelity_class(version);
            let cells = vec![
                named(instruction, &name.name),
                text(format!("{:#04x}", name.opcode)),
                html! { span class={ "class " (class) } { (class) } },
            ];
            Some((name.opcode, cells))
        })
        .collect();
    found.sort_by_key(|(opcode, _)| *opcode);
    found.into_iter().map(|(_, cells)| cells).collect()
}

/// Returns the chips of a generation, in words.
pub(super) fn about(generation: Generation) -> &'static str {
    match generation {
        Generation::Gfx6 => "GCN 1.0, Southern Islands: gfx600 to gfx602",
        Generation::Gfx7 => "GCN 1.1, Sea Islands: gfx700 to gfx705",
        Generation::Gfx8 => "GCN 1.2, Volcanic Islands: gfx801 to gfx810",
        Generation::Gfx9 => "GCN 1.4, Vega: gfx900 to gfx90c",
    }
}
