//! Intel's TYPED_ATOMIC in the commands: what `--isa visa` and containers (`.isa`) lead to.

mod asm;
mod dis;
mod explain;
mod info;
mod isa;

use wavetank_visa::Version;
use wavetank_visa::container::MAGIC;

pub use asm::{Job, Patch, asm};
pub use dis::{dis, dis_hex};
pub use explain::{explain, is_meant};
pub use info::info;
pub use isa::isa;

/// The version of vISA that a name of an instruction set stands for: `visa`, or one such as `visa:3.3`.
pub fn version(name: &str) -> Option<Version> {
    let (set, version) = name.split_once(':').unwrap_or((name, ""));
    if set != "visa" {
        return None;
    }
    if version.is_empty() {
        return (!name.contains(':')).then_some(Version::DEFAULT);
    }
    let (major, minor) = version.split_once('.')?;
    let version = Version::new(major.parse().ok()?, minor.parse().ok()?);
    (version >= Version::FIRST).then_some(version)
}

/// Whether bytes are a container of vISA.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_by_name() {
        assert_eq!(version("visa"), Some(Version::new(4, 1)));
        assert_eq!(version("visa:3.3"), Some(Version::new(3, 3)));
        for name in ["visa:", "visa:3", "visa:2.0", "visa:3.x", "gfx900", "vis"] {
            assert_eq!(version(name), None, "{name}");
        }
    }
}
