//! The source files of the code, as far as they can be read.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Limit of a source's size in bytes. A file named in a code object need not be a source.
const LARGEST: u64 = 16 << 20;

/// A cache of source files, read on first use.
#[derive(Default)]
pub struct Sources {
    /// The folder in which missing files are searched.
    folder: Option<PathBuf>,
    known: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl Sources {
    /// Returns sources that are searched by name, and then in a folder, which is that of the code object.
    pub fn beside(folder: &Path) -> Sources {
        Sources {
            folder: Some(folder.to_owned()),
            known: RefCell::default(),
        }
    }

    /// Returns the text of a file; `None` if it cannot be read.
    pub fn get(&self, name: &str) -> Option<Rc<str>> {
        let mut known = self.known.borrow_mut();
        if let Some(text) = known.get(name) {
            return text.clone();
        }
        let beside = self.folder.as_ref().map(|folder| folder.join(name));
        let text = read(Path::new(name)).or_else(|| read(&beside?));
        known.insert(name.to_owned(), text.clone());
        text
    }
}

/// Returns the text of a plain file that is not too large.
fn read(path: &Path) -> Option<Rc<str>> {
    // Opening a pipe would block until it has a writer.
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_plain_files() {
        let sources = Sources::beside(Path::new(env!("CARGO_MANIFEST_DIR")));
        let text = sources.get("src/files.rs").unwrap();
        assert!(text.contains("fn sources_are_plain_files"));
        assert!(Rc::ptr_eq(&text, &sources.get("src/files.rs").unwrap()));
        for name in ["/dev/zero", "/", "absent.cl", ""] {
            assert_eq!(sources.get(name), None, "{name}");
        }
    }
}
