//! The pages of SUATOM and TYPED_ATOMIC: the reference page of each, and a page for each operation.

use maud::{Markup, html};
use wavetank_surface_isa::maxwell::Generation;
use wavetank_surface_isa::visa::Version;

use super::diagram::diagram;
use super::files::Files;
use super::frame::{Page, code, heading, table, text};
use super::prose::prose;
use super::search::Entry;
use crate::surface_isa::{Asked, Block, CliIsa, Reference, Table};

/// An instruction set.
pub(super) struct Set {
    pub name: &'static str,
    pub about: &'static str,
    /// The folder of its pages.
    folder: &'static str,
    reference: Reference,
    pub operations: Vec<Operation>,
}

/// An operation, with the rows of the coverage that it has.
pub(super) struct Operation {
    page: Reference,
    coverage: Vec<Vec<String>>,
}

/// Returns both instruction sets, each in its newest version.
pub(super) fn sets() -> [Set; 2] {
    let newest = Generation::ALL
        .into_iter()
        .max()
        .unwrap_or(Generation::Sm52);
    [
        set(
            newest,
            "SUATOM",
            "NVIDIA, Maxwell and Pascal: atomics on surfaces",
            "suatom",
        ),
        set(
            Version::DEFAULT,
            "TYPED_ATOMIC",
            "Intel, vISA: atomics on typed surfaces",
            "typed_atomic",
        ),
    ]
}

fn set<I: CliIsa>(isa: I, name: &'static str, about: &'static str, folder: &'static str) -> Set {
    let asked = Asked {
        format: None,
        part: "",
        coverage: true,
        json: false,
    };
    // Without a format, every row is there.
    let rows = isa.rows(&asked).unwrap_or_default();
    let operation = |page: Reference| {
        let last = page.title.rsplit('.').next().unwrap_or_default();
        let own = rows
            .iter()
            .filter(|row| row.name.split('.').any(|part| part == last));
        let coverage = own.map(|row| row.cells()).collect();
        Operation { coverage, page }
    };
    Set {
        name,
        about,
        folder,
        reference: isa.reference(),
        operations: isa.operations().into_iter().map(operation).collect(),
    }
}

impl Set {
    /// Returns the path of the reference page.
    pub(super) fn path(&self) -> String {
        format!("{}/index.html", self.folder)
    }

    fn operation_path(&self, operation: &Operation) -> String {
        let name = operation.page.title.to_lowercase();
        let name = name.rsplit('.').next().unwrap_or_default();
        format!("{}/{name}.html", self.folder)
    }

    /// Returns the entries of the search.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.operations.iter().map(|operation| {
            Entry(
                operation.page.title.clone(),
                self.operation_path(operation),
                self.name.to_owned(),
                first_sentence(&operation.page),
                String::new(),
            )
        })
    }
}

/// Returns the first sentence of a page.
fn first_sentence(page: &Reference) -> String {
    let texts = page.introduction.iter().filter_map(|block| match block {
        Block::Text(text) => text.lines().next(),
        _ => None,
    });
    texts.take(1).collect()
}

/// Returns all pages of the sets.
pub(super) fn pages(sets: &[Set]) -> Files {
    let mut files = Files::new();
    for set in sets {
        files.insert(set.path(), reference_page(set));
        for operation in &set.operations {
            files.insert(
                set.operation_path(operation),
                operation_page(set, operation),
            );
        }
    }
    files
}

fn reference_page(set: &Set) -> String {
    let main = html! {
        h1 { (set.reference.title) }
        nav aria-label="Operations" {
            ul.links {
                @for operation in &set.operations {
                    li { a href={ "../" (set.operation_path(operation)) } { code { (operation.page.title) } } }
                }
            }
        }
        (sections(&set.reference))
    };
    Page {
        title: set.name,
        description: set.about,
        root: "../",
        trail: Vec::new(),
        main,
    }
    .html()
}

fn operation_page(set: &Set, operation: &Operation) -> String {
    let row = |cells: &Vec<String>| -> Vec<Markup> {
        let mut cells = cells.iter();
        let name = cells.next().map(|name| html! { code { (name) } });
        name.into_iter()
            .chain(cells.map(|cell| prose(cell)))
            .collect()
    };
    let rows: Vec<Vec<Markup>> = operation.coverage.iter().map(row).collect();
    let header = ["Name", "Code", "Executed", "Fidelity", "Reason"];
    let columns = operation.coverage.iter().map(Vec::len).max().unwrap_or(0);
    let main = html! {
        article {
            h1 { code { (operation.page.title) } }
            (sections(&operation.page))
            section {
                (heading("fidelity", "Fidelity"))
                (table("Fidelity", &header[..columns.min(header.len())], &rows))
            }
        }
    };
    Page {
        title: &operation.page.title,
        description: &first_sentence(&operation.page),
        root: "../",
        trail: vec![(set.name.to_owned(), set.path())],
        main,
    }
    .html()
}

fn sections(page: &Reference) -> Markup {
    html! {
        @for block in &page.introduction { (self::block(block)) }
        @for (n, section) in page.sections.iter().enumerate() {
            section {
                (heading(&format!("section-{}", n + 1), &capital(section.title)))
                @for block in &section.blocks { (self::block(block)) }
            }
        }
    }
}

/// Returns a title with a capital letter.
fn capital(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Text(text) => html! {
            @for line in text.lines().filter(|line| !line.is_empty()) { p { (prose(line)) } }
        },
        Block::List(items) => html! { ul { @for item in items { li { (prose(item)) } } } },
        Block::Terms(_, terms) => html! {
            dl.facts {
                @for (name, meaning) in terms { dt { code { (name.trim()) } } dd { (prose(meaning)) } }
            }
        },
        Block::Table(Table { header, rows, .. }) => {
            let cells = |row: &Vec<String>| row.iter().map(text).collect();
            let rows: Vec<Vec<Markup>> = rows.iter().map(cells).collect();
            table("Table", header, &rows)
        }
        Block::Diagram(cells, bits) => diagram(cells, *bits, "Fields, the highest bit first"),
        Block::Code(lines) => code(lines.iter().map(String::as_str)),
    }
}
