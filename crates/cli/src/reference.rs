//! `wavetank isa --html`: the reference of every instruction as pages of HTML, which need no network and no server.
//!
//! A page of GCN shows the facts of `wavetank explain` on each generation, and a page of the other instruction sets the blocks
//! of their reference pages. Links are relative, and the same command always writes the same bytes.

mod diagram;
mod encodings;
mod files;
mod folder;
mod frame;
mod index;
mod instruction;
mod lists;
mod matrices;
mod page;
mod prose;
mod search;
mod surfaces;

use std::path::Path;

use wavetank_profile::report::parts::BASE_STYLE;

use crate::exit::{Failure, Result, print};
use files::Files;
use instruction::Instruction;
use search::Entry;

/// Writes the reference to a folder.
pub(crate) fn write(folder: &Path) -> Result {
    folder::check(folder)?;
    let files = files();
    folder::replace(folder, &files).map_err(|error| Failure::file("write", folder, error))?;
    let pages = files.keys().filter(|path| path.ends_with(".html")).count();
    let index = folder.join("index.html");
    print(&format!(
        "{pages} pages: open {}\n",
        crate::exit::shown(&index)
    ))
}

/// Makes all files.
fn files() -> Files {
    let instructions = Instruction::all();
    let others = surfaces::sets();
    let mut files = Files::new();
    for instruction in &instructions {
        files.insert(instruction.path(), page::page(instruction, &instructions));
    }
    files.extend(lists::encodings(&instructions));
    files.extend(lists::generations(&instructions));
    files.extend(surfaces::pages(&others));
    files.insert("index.html".to_owned(), index::page(&instructions, &others));
    let entries = instructions.iter().map(Entry::of);
    let entries = entries.chain(others.iter().flat_map(surfaces::Set::entries));
    files.insert("search-index.js".to_owned(), search::index(entries));
    let style = [BASE_STYLE, include_str!("reference/assets/style.css")].join("\n");
    files.insert("style.css".to_owned(), style);
    let search = include_str!("reference/assets/search.js");
    files.insert("search.js".to_owned(), search.to_owned());
    files
}
