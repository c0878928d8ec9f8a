//! Sources of the code, as far as they can be read.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Bytes that a source has at most. What a code object names need not be one.
const LARGEST: u64 = 16 << 20;

/// Reads sources when they are asked for, and keeps them.
#[derive(Default)]
pub struct Sources {
    /// Where names are looked for that lead nowhere from here.
    folder: Option<PathBuf>,
    known: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl Sources {
    /// Those at their names, or else in a folder: that of the code object.
    pub fn beside(folder: &Path) -> Sources {
        Sources {
            folder: Some(folder.to_owned()),
            known: RefCell::default(),
        }
    }

    /// The text of a file; `None` where it cannot be read.
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

/// The text of a plain file that is not too large.
fn read(path: &Path) -> Option<Rc<str>> {
    // To open a pipe is to wait for who writes to it.
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
        let text = sources.get("src/report/sources.rs").unwrap();
        assert!(text.starts_with("//! Sources"));
        assert!(Rc::ptr_eq(
            &text,
            &sources.get("src/report/sources.rs").unwrap()
        ));
        for name in ["/dev/zero", "/", "absent.cl", ""] {
            assert_eq!(sources.get(name), None, "{name}");
        }
    }
}
