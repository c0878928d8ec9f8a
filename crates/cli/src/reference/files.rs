//! The files of the reference.

use std::collections::BTreeMap;

/// The texts of files, by path below the folder.
pub(super) type Files = BTreeMap<String, String>;
