//! The folder of the reference: an empty or new one, or one with a former reference, whose files are replaced.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::files::Files;
use crate::exit::{Failure, Result, shown};
use crate::whole;

/// The file that lists the files of a reference.
const LIST: &str = ".wavetank-reference";

/// Refuses a folder with files of something else.
///
/// # Errors
/// A sentence that names the folder, or the file that has its name.
pub(super) fn check(folder: &Path) -> Result {
    let mut files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        files => files.map_err(|error| Failure::file("read", folder, error))?,
    };
    if files.next().is_none() || folder.join(LIST).is_file() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} is not empty and does not hold a former reference: name a new or an empty folder",
        shown(folder)
    )))
}

/// Writes the files, and removes those of a former reference that are not among them.
pub(super) fn replace(folder: &Path, files: &Files) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let list = folder.join(LIST);
    let former = fs::read_to_string(&list).unwrap_or_default();
    let mut all: Vec<&str> = files.keys().map(String::as_str).collect();
    all.push("");
    // The list comes first: a reference that is half written is still one.
    let kept: Vec<&str> = former.lines().filter(|path| is_below(path)).collect();
    whole::write(&list, [kept.join("\n"), all.join("\n")].join("\n"))?;
    for path in kept.iter().filter(|path| !files.contains_key(**path)) {
        match fs::remove_file(folder.join(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        whole::write(&path, text)?;
    }
    whole::write(&list, all.join("\n"))
}

/// Whether a path of the list leads to a file below the folder.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_list_stay_below_the_folder() {
        assert!(is_below("gcn/v_add_f32.html"));
        for path in ["", "../a", "/etc/passwd", "gcn/../../a"] {
            assert!(!is_below(path), "{path}");
        }
    }

    #[test]
    fn files_of_a_former_reference_are_replaced() {
        let folder = std::env::temp_dir().join(format!("wavetank-folder-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let files = |list: &[&str]| -> Files {
            let entry = |path: &&str| ((*path).to_owned(), String::new());
            list.iter().map(entry).collect()
        };
        check(&folder).expect("a new folder");
        replace(&folder, &files(&["a/old.html", "a/kept.html"])).expect("it can be written");
        fs::write(folder.join("own.txt"), "").expect("it can be written");
        check(&folder).expect("a former reference");
        replace(&folder, &files(&["a/kept.html", "b/new.html"])).expect("it can be written");
        assert!(!folder.join("a/old.html").exists());
        for kept in ["a/kept.html", "b/new.html", "own.txt"] {
            assert!(folder.join(kept).exists(), "{kept}");
        }
        fs::remove_file(folder.join(LIST)).expect("it is there");
        assert!(check(&folder).is_err());
        fs::remove_dir_all(&folder).expect("it is there");
    }
}
