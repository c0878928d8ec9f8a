//! The page of an instruction of GCN.

use std::collections::BTreeMap;

use maud::{Markup, html};
use wavetank_gcn::Generation;

use super::diagram::diagram;
use super::frame::{DOT, Page, code, heading, table, text};
use super::instruction::{Encoding, Instruction, Version, label, range};
use super::matrices::matrices;
use super::prose::prose;
use crate::diagram::Cell;
use wavetank_facts::{Operand, Pseudo, form_name, related};

/// The number of files of cases up to which the list is open.
const MAX_OPEN: usize = 8;

/// Returns the page, with links to others.
pub(super) fn page(instruction: &Instruction, all: &[Instruction]) -> String {
    let (before, after) = neighbours(instruction, all);
    let newest = instruction.newest();
    let encoding = form_name(instruction.subject.1);
    let main = html! {
        article {
            h1 { code { (instruction.name) } }
            p.lead { (prose(&newest.facts.sentence)) }
            p.tags {
                a.tag href={ "../encoding/" (encoding.to_lowercase()) ".html" } { (encoding) }
                span.tag { (instruction.range()) }
                span.tag { (newest.facts.unit) }
                @let class = fidelity_class(newest);
                span class={ "tag " (class) } { (class) }
            }
            (pseudo_code(instruction))
            (encodings(instruction))
            (operands(newest))
            (matrices(instruction))
            (modifiers(instruction))
            (names(instruction))
            (effects(instruction))
            (hazards(instruction))
            (fidelity(instruction))
            (links(instruction, all))
        }
        nav.pages aria-label="Neighbours" {
            @if let Some(other) = before { a rel="prev" href=(link(other)) { "← " code { (other.name) } } }
            @if let Some(other) = after { a rel="next" href=(link(other)) { code { (other.name) } " →" } }
        }
    };
    Page {
        title: &instruction.name,
        description: &newest.facts.sentence,
        root: "../",
        trail: vec![(
            encoding.clone(),
            format!("encoding/{}.html", encoding.to_lowercase()),
        )],
        main,
    }
    .html()
}

/// Returns the instructions before and after one, in the order of its encoding's table.
fn neighbours<'a>(
    instruction: &Instruction,
    all: &'a [Instruction],
) -> (Option<&'a Instruction>, Option<&'a Instruction>) {
    let form = instruction.subject.1;
    let own = || all.iter().filter(|other| other.subject.1 == form);
    let at = own().position(|other| other.subject == instruction.subject);
    let at = at.unwrap_or_default();
    (
        at.checked_sub(1).and_then(|before| own().nth(before)),
        own().nth(at + 1),
    )
}

/// Returns the link from one page to another.
fn link(other: &Instruction) -> String {
    format!("../{}", other.path())
}

/// Returns the class of the fidelity: the word before its reason.
pub(super) fn fidelity_class(version: &Version) -> &str {
    let words = version.facts.fidelity.split(':').next().unwrap_or_default();
    if words.starts_with("within") {
        "approximate"
    } else {
        words
    }
}

/// Returns generations as a subtitle, if the fact is not the same on all.
fn on(generations: &[Generation], instruction: &Instruction) -> Markup {
    html! {
        @if generations.len() < instruction.versions.len() { p.on { "On " (range(generations)) } }
    }
}

fn pseudo_code(instruction: &Instruction) -> Markup {
    let part = |version: &Version| {
        let facts = &version.facts;
        (
            facts.pseudo_code.as_ref().map(lines),
            facts.not_executed.clone(),
        )
    };
    let newest = instruction.newest().facts.pseudo_code.as_ref();
    html! {
        section {
            (heading("pseudo-code", "Pseudo-code"))
            @for (generations, (lines, reason)) in instruction.merged(part) {
                (on(&generations, instruction))
                @if let Some(lines) = lines { (code(lines.iter().map(String::as_str))) }
                @if let Some(reason) = reason { p { "Not executed: " (prose(&reason)) "." } }
            }
            @if let Some(pseudo) = newest { (terms(pseudo)) }
        }
    }
}

fn lines(pseudo: &Pseudo) -> Vec<String> {
    pseudo.lines.clone()
}

/// Returns the explanations of functions, with the definitions of those that have one.
fn terms(pseudo: &Pseudo) -> Markup {
    html! {
        @if !pseudo.terms.is_empty() {
            dl.terms {
                @for (name, meaning) in &pseudo.terms {
                    dt { code { (name) } }
                    dd {
                        (prose(meaning))
                        @let defined = pseudo.definitions.iter().find(|(defined, _)| defined == name);
                        @if let Some((_, lines)) = defined { (code(lines.iter().copied())) }
                    }
                }
            }
            @if names_operands(pseudo) { p.note { "In an explanation, " code { "a" } ", " code { "b" } " and " code { "c" } " are the operands of the function." } }
        }
    }
}

/// Whether an explanation names the operands of its function.
fn names_operands(pseudo: &Pseudo) -> bool {
    let meanings = pseudo.terms.iter().map(|(_, meaning)| *meaning);
    let lines = pseudo
        .definitions
        .iter()
        .flat_map(|(_, lines)| lines.iter());
    let mut words = meanings
        .chain(lines.copied())
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric()));
    words.any(|word| word == "b" || word == "c")
}

fn cells(encoding: &Encoding) -> Vec<Cell> {
    let cell =
        |field: &wavetank_facts::Bits| Cell::new(field.name.as_str(), field.low, field.width);
    encoding.fields.iter().map(cell).collect()
}

/// Returns the number of bits of an encoding.
fn bits(encoding: &Encoding) -> u32 {
    let ends = encoding.fields.iter().map(|field| field.low + field.width);
    ends.max().unwrap_or(0).next_multiple_of(32)
}

/// Returns a diagram for each form, the newest layout open and older ones folded.
fn encodings(instruction: &Instruction) -> Markup {
    let mut drawn: BTreeMap<usize, Vec<(Vec<Generation>, Markup)>> = BTreeMap::new();
    let mut forms: Vec<wavetank_gcn::Form> = Vec::new();
    for version in &instruction.versions {
        for encoding in &version.encodings {
            let known = forms.iter().position(|form| *form == encoding.form);
            let at = known.unwrap_or_else(|| {
                forms.push(encoding.form);
                forms.len() - 1
            });
            let label = format!("{}, the highest bit first", form_name(encoding.form));
            let markup = diagram(&cells(encoding), bits(encoding), &label);
            let layouts = drawn.entry(at).or_default();
            match layouts.iter_mut().find(|(_, other)| other.0 == markup.0) {
                Some((generations, _)) => generations.push(version.generation),
                None => layouts.push((vec![version.generation], markup)),
            }
        }
    }
    html! {
        section {
            (heading("encoding", "Encoding"))
            @for (at, layouts) in &drawn {
                @for (n, (generations, markup)) in layouts.iter().enumerate() {
                    @if n == 0 {
                        h3 { (form_name(forms[*at])) span.on { (range(generations)) } }
                        (markup)
                    } @else {
                        details { summary { (form_name(forms[*at])) " on " (range(generations)) } (markup) }
                    }
                }
            }
        }
    }
}

fn operands(newest: &Version) -> Markup {
    let row = |operand: &Operand| {
        vec![
            html! { code { (operand.name) } },
            html! { code { (operand.field) } },
            html! { code { (operand.ty) } },
            text(operand.access),
        ]
    };
    let rows: Vec<Vec<Markup>> = newest.facts.operands.iter().map(row).collect();
    html! {
        section {
            (heading("operands", "Operands"))
            @if rows.is_empty() { p { "None." } } @else {
                (table("Operands", &["In pseudo-code", "Field", "Type", "Access"], &rows))
            }
        }
    }
}

fn modifiers(instruction: &Instruction) -> Markup {
    let mut all: Vec<(&str, &str, Vec<String>, Vec<Generation>)> = Vec::new();
    for version in &instruction.versions {
        for encoding in &version.encodings {
            let form = form_name(encoding.form);
            for modifier in &encoding.modifiers {
                let same = |row: &&mut (&str, &str, Vec<String>, Vec<Generation>)| {
                    row.0 == modifier.text && row.1 == modifier.meaning
                };
                let at = all.iter_mut().find(same);
                let (forms, generations) = match at {
                    Some((_, _, forms, generations)) => (forms, generations),
                    None => {
                        all.push((modifier.text, modifier.meaning, Vec::new(), Vec::new()));
                        let last = all.len() - 1;
                        let (_, _, forms, generations) = &mut all[last];
                        (forms, generations)
                    }
                };
                if !forms.contains(&form) {
                    forms.push(form.clone());
                }
                if !generations.contains(&version.generation) {
                    generations.push(version.generation);
                }
            }
        }
    }
    let row = |(name, meaning, forms, generations): &(&str, &str, Vec<String>, Vec<Generation>)| {
        vec![
            html! { code { (name) } },
            prose(meaning),
            text(forms.join(", ")),
            text(range(generations)),
        ]
    };
    let rows: Vec<Vec<Markup>> = all.iter().map(row).collect();
    html! {
        @if !rows.is_empty() {
            section {
                (heading("modifiers", "Modifiers"))
                (table("Modifiers", &["Text", "Meaning", "Encoding", "Generations"], &rows))
            }
        }
    }
}

fn names(instruction: &Instruction) -> Markup {
    let row = |version: &Version| {
        let own = label(version.generation);
        let name = version
            .facts
            .generations
            .iter()
            .find(|n| n.generation == own);
        let chips = version.chips.as_ref().map_or("all".to_owned(), |chips| {
            let names: Vec<&str> = chips.iter().map(|chip| chip.name()).collect();
            names.join(", ")
        });
        vec![
            html! { a href={ "../generation/" (own) ".html" } { (own) } },
            html! { code { @if let Some(name) = name { (name.name) } } },
            html! { code { @if let Some(name) = name { (format!("{:#04x}", name.opcode)) } } },
            text(chips),
        ]
    };
    let rows: Vec<Vec<Markup>> = instruction.versions.iter().map(row).collect();
    html! {
        section {
            (heading("names", "Names and opcodes"))
            (table("Names and opcodes", &["Generation", "Name", "Opcode", "Chips"], &rows))
        }
    }
}

/// Returns short facts, or the word for none.
fn listed(facts: &[&str]) -> Markup {
    html! {
        @if facts.is_empty() { "none" }
        @for (n, fact) in facts.iter().enumerate() {
            @if n > 0 { (DOT) }
            (fact)
        }
    }
}

fn effects(instruction: &Instruction) -> Markup {
    let newest = &instruction.newest().facts;
    let counters = instruction.merged(|version| version.facts.counters.clone());
    html! {
        section {
            (heading("effects", "Effects"))
            dl.facts {
                dt { "Unit" } dd { (newest.unit) }
                dt { "Wait counters" }
                dd #counters {
                    @for (generations, counters) in &counters {
                        div {
                            (listed(counters))
                            @if generations.len() < instruction.versions.len() { " on " (range(generations)) }
                        }
                    }
                }
                dt { "Also reads" } dd { (listed(&newest.reads)) }
                dt { "Also writes" } dd { (listed(&newest.writes)) }
            }
        }
    }
}

/// A hazard by part, rule, use and source, with the wait states of each generation.
type Needs<'a> = BTreeMap<(bool, &'a str, &'a str, &'a str), Vec<(Generation, u8)>>;

fn hazards(instruction: &Instruction) -> Markup {
    let mut needs = Needs::new();
    for version in &instruction.versions {
        for hazard in &version.facts.hazards {
            let key = (hazard.is_first, hazard.rule, &*hazard.when, hazard.source);
            let all = needs.entry(key).or_default();
            all.push((version.generation, hazard.wait_states));
        }
    }
    let rows = |is_first: bool| -> Vec<Vec<Markup>> {
        let own = needs.iter().filter(|((first, ..), _)| *first == is_first);
        own.map(|((_, rule, when, source), needs)| {
            let states = needs.iter().rev();
            let states = states.map(|(generation, n)| format!("{} {n}", label(*generation)));
            vec![
                html! { code { (rule) } },
                prose(when),
                text(states.collect::<Vec<_>>().join(", ")),
                prose(source),
            ]
        })
        .collect()
    };
    let (second, first) = (rows(false), rows(true));
    let header = ["Rule", "The second instruction", "Wait states", "Source"];
    html! {
        section {
            (heading("hazards", "Hazards"))
            @if second.is_empty() && first.is_empty() { p { "None that need wait states." } }
            @if !second.is_empty() {
                h3 { "As the second of two" }
                (table("Hazards as the second of two", &header, &second))
            }
            @if !first.is_empty() {
                h3 { "As the first of two" }
                (table("Hazards as the first of two", &header, &first))
            }
        }
    }
}

fn fidelity(instruction: &Instruction) -> Markup {
    let classes = instruction.merged(|version| version.facts.fidelity.clone());
    let mut cases: BTreeMap<&str, Vec<(Generation, usize)>> = BTreeMap::new();
    for version in &instruction.versions {
        for file in &version.facts.cases {
            let counts = cases.entry(file.file).or_default();
            counts.push((version.generation, file.count));
        }
    }
    let row = |(file, counts): (&&str, &Vec<(Generation, usize)>)| {
        let counts = counts.iter().rev();
        let counts = counts.map(|(generation, n)| format!("{} {n}", label(*generation)));
        vec![
            html! { code { (file) } },
            text(counts.collect::<Vec<_>>().join(", ")),
        ]
    };
    let rows: Vec<Vec<Markup>> = cases.iter().map(row).collect();
    let listed = table("Cases", &["File", "Cases by generation"], &rows);
    html! {
        section {
            (heading("fidelity", "Fidelity and cases"))
            ul.plain {
                @for (generations, class) in &classes {
                    li {
                        @if classes.len() > 1 { (range(generations)) ": " }
                        (prose(class))
                    }
                }
            }
            @if rows.is_empty() { p { "No case executes it." } }
            @else if rows.len() <= MAX_OPEN { (listed) }
            @else { details { summary { (rows.len()) " files of cases execute it" } (listed) } }
        }
    }
}

fn links(instruction: &Instruction, all: &[Instruction]) -> Markup {
    let related = related(instruction.subject);
    let found = related.iter();
    let found = found.filter_map(|subject| all.iter().find(|other| other.subject == *subject));
    let found: Vec<&Instruction> = found.collect();
    html! {
        @if !found.is_empty() {
            section {
                (heading("related", "Related instructions"))
                ul.links {
                    @for other in found {
                        li { a href=(link(other)) { code { (other.name) } } }
                    }
                }
            }
        }
    }
}
