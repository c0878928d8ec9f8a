//! The chip and features that a code object is made for.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", sections "Processors", "Target ID" and the `e_flags` tables of
//! "ELF Header" (`EF_AMDGPU_*`), and for version 2 "Code Object V2 Note Records".

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The setting of a chip feature that changes the code: XNACK (replay of page faults) or SRAM ECC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Feature {
    /// The chip does not have the feature.
    Unsupported,
    /// The code works with the feature on or off.
    #[default]
    Any,
    /// The code needs the feature off.
    Off,
    /// The code needs the feature on.
    On,
}

impl Feature {
    /// Decodes a two-bit field of `e_flags` from code object version 4 on (`EF_AMDGPU_FEATURE_*_V4`).
    fn from_v4_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::Unsupported,
            1 => Self::Any,
            2 => Self::Off,
            _ => Self::On,
        }
    }

    /// Encodes the field of [`from_v4_bits`](Self::from_v4_bits).
    fn v4_bits(self) -> u32 {
        match self {
            Self::Unsupported => 0,
            Self::Any => 1,
            Self::Off => 2,
            Self::On => 3,
        }
    }

    /// Encodes the setting for versions 2 and 3, which have no value for "on or off": such code is marked as on, because
    /// compilers make it work with the feature on.
    fn v3_bit(self) -> u32 {
        u32::from(matches!(self, Self::Any | Self::On))
    }

    /// Decodes the bit of `e_flags` in code object versions 2 and 3: on, or off if the chip has the feature.
    fn from_v3_bit(on: bool, supported: bool) -> Self {
        match (on, supported) {
            (true, _) => Self::On,
            (false, true) => Self::Off,
            (false, false) => Self::Unsupported,
        }
    }

    /// Returns whether code with this setting runs on a target with `requested`; unspecific settings fit everything.
    fn serves(self, requested: Self) -> bool {
        !matches!(
            (self, requested),
            (Self::On, Self::Off) | (Self::Off, Self::On)
        )
    }
}

/// A target ID: a chip with its feature settings, written `gfx906:sramecc-:xnack+`.
///
/// ```
/// use wavetank_object::{Feature, Target};
/// let target: Target = "gfx906:xnack-".parse()?;
/// assert_eq!(target.chip, "gfx906");
/// assert_eq!(target.xnack, Feature::Off);
/// assert_eq!(target.sramecc, Feature::Any);
/// assert_eq!(target.to_string(), "gfx906:xnack-");
/// # Ok::<(), wavetank_object::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The chip's name, such as `gfx900`, `gfx90c` or `gfx9-generic`.
    pub chip: String,
    /// Whether the code needs SRAM ECC on or off.
    pub sramecc: Feature,
    /// Whether the code needs XNACK on or off.
    pub xnack: Feature,
    /// Version of a generic target (code object version 6), else `None`.
    pub generic_version: Option<u8>,
}

impl Target {
    /// Returns the number of the generation: 6 for `gfx600`, 9 for `gfx90c` and `gfx9-generic`, 10 for `gfx1030`.
    pub fn major(&self) -> u32 {
        let digits = self.chip.trim_start_matches("gfx");
        let number = match digits.split_once('-') {
            Some((major, _)) => major,
            // Minor and stepping are one hexadecimal digit each.
            None => digits.get(..digits.len().saturating_sub(2)).unwrap_or(""),
        };
        number.parse().unwrap_or(0)
    }

    /// Returns the `e_flags` of code for this target, in a code object of version 2 to 6: chip, features, and from version 6 on
    /// the version of a generic target. Files for other systems than HSA have those of version 3.
    ///
    /// # Errors
    /// [`Error::UnknownChip`] if the chip has no number.
    ///
    /// ```
    /// let target: wavetank_object::Target = "gfx906:xnack-".parse()?;
    /// assert_eq!(target.elf_flags(4)?, 0x62f);
    /// # Ok::<(), wavetank_object::Error>(())
    /// ```
    pub fn elf_flags(&self, version: u8) -> Result<u32> {
        let known = MACHS.iter().find(|(_, chip)| *chip == self.chip);
        let (mach, _) = known.ok_or_else(|| Error::UnknownChip {
            found: self.chip.clone(),
        })?;
        let supported = |feature, supported| {
            if supported {
                feature
            } else {
                Feature::Unsupported
            }
        };
        let xnack = supported(self.xnack, has_xnack(&self.chip));
        let sramecc = supported(self.sramecc, has_sramecc(&self.chip));
        if version < 4 {
            return Ok(mach | xnack.v3_bit() << 8 | sramecc.v3_bit() << 9);
        }
        let generic = if self.chip.ends_with("-generic") && version >= 6 {
            u32::from(self.generic_version.unwrap_or(1))
        } else {
            0
        };
        Ok(mach | xnack.v4_bits() << 8 | sramecc.v4_bits() << 10 | generic << 24)
    }

    /// Returns whether VGPRs and AGPRs are parts of one file, as on CDNA from gfx90a on.
    pub fn has_one_vector_file(&self) -> bool {
        self.chip == "gfx90a" || self.has_architected_scratch()
    }

    /// Returns whether the hardware sets the scratch of a wave up, as on CDNA from gfx942 on.
    pub fn has_architected_scratch(&self) -> bool {
        matches!(
            self.chip.as_str(),
            "gfx940" | "gfx941" | "gfx942" | "gfx950" | "gfx9-4-generic"
        )
    }

    /// Returns a chip that has the instructions of a generic target, and of another target the chip itself.
    ///
    /// ```
    /// let generic: wavetank_object::Target = "gfx9-4-generic".parse()?;
    /// assert_eq!(generic.instructions(), "gfx942");
    /// # Ok::<(), wavetank_object::Error>(())
    /// ```
    pub fn instructions(&self) -> &str {
        match self.chip.as_str() {
            "gfx9-generic" => "gfx900",
            "gfx9-4-generic" => "gfx942",
            chip => chip,
        }
    }

    /// Returns whether the chip can replay page faults, so that XNACK can be enabled.
    pub fn has_xnack(&self) -> bool {
        has_xnack(&self.chip)
    }

    /// Returns whether the chip has each feature that is required on or off.
    pub fn has_its_features(&self) -> bool {
        let is_named = |feature| matches!(feature, Feature::On | Feature::Off);
        (has_xnack(&self.chip) || !is_named(self.xnack))
            && (has_sramecc(&self.chip) || !is_named(self.sramecc))
    }

    /// Returns whether code made for `self` runs on `requested`: the chip is the same (or a generic target covers it), and no
    /// feature is needed on and requested off, or the reverse.
    pub fn serves(&self, requested: &Target) -> bool {
        let chip = self.chip == requested.chip
            || generic_members(&self.chip).contains(&requested.chip.as_str());
        chip && self.xnack.serves(requested.xnack) && self.sramecc.serves(requested.sramecc)
    }

    /// Returns the target of a code object of version 2 to 6 (`version`) from its `e_flags`.
    ///
    /// # Errors
    /// [`Error::UnknownChip`].
    pub fn from_flags(version: u8, flags: u32) -> Result<Self> {
        let mach = flags & 0xff;
        let chip = MACHS
            .iter()
            .find(|(number, _)| *number == mach)
            .map(|(_, chip)| chip.to_string())
            .ok_or_else(|| Error::UnknownChip {
                found: format!("EF_AMDGPU_MACH {mach:#04x} in e_flags"),
            })?;
        let (xnack, sramecc) = match version {
            2 => (
                Feature::from_v3_bit(flags & 0x100 != 0, has_xnack(&chip)),
                Feature::from_v3_bit(false, has_sramecc(&chip)),
            ),
            3 => (
                Feature::from_v3_bit(flags & 0x100 != 0, has_xnack(&chip)),
                Feature::from_v3_bit(flags & 0x200 != 0, has_sramecc(&chip)),
            ),
            _ => (
                Feature::from_v4_bits(flags >> 8),
                Feature::from_v4_bits(flags >> 10),
            ),
        };
        let generic_version = (version >= 6 && flags >> 24 != 0).then_some((flags >> 24) as u8);
        Ok(Self {
            chip,
            sramecc,
            xnack,
            generic_version,
        })
    }

    /// Returns the target of a code object of version 2, from the numbers of its `NT_AMD_HSA_ISA_VERSION` note.
    ///
    /// In that version a stepping stood for a chip with XNACK on or off: 9.0.1 is gfx900 with XNACK on (guide, table "AMDHSA Code
    /// Object V2 ISA Version").
    pub(crate) fn from_isa_version(major: u32, minor: u32, stepping: u32) -> Result<Self> {
        let (chip, xnack): (&str, bool) = match (major, minor, stepping) {
            (8, 0, 0) => ("gfx802", false),
            (8, 0, 1) => ("gfx801", true),
            (8, 0, 4) => ("gfx803", false),
            (8, 1, 0) => ("gfx810", true),
            (9, 0, 1) => ("gfx900", true),
            (9, 0, 3) => ("gfx902", true),
            (9, 0, 5) => ("gfx904", true),
            (9, 0, 7) => ("gfx906", true),
            _ => ("", false),
        };
        let chip = match chip {
            "" => format!("gfx{major}{minor}{stepping:x}"),
            known => known.to_owned(),
        };
        if !MACHS.iter().any(|(_, name)| *name == chip) {
            return Err(Error::UnknownChip {
                found: format!("ISA version {major}.{minor}.{stepping} in the notes"),
            });
        }
        let xnack = Feature::from_v3_bit(xnack, has_xnack(&chip));
        let sramecc = Feature::from_v3_bit(false, has_sramecc(&chip));
        Ok(Self {
            chip,
            sramecc,
            xnack,
            generic_version: None,
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chip)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::On => write!(f, ":{name}+")?,
                Feature::Off => write!(f, ":{name}-")?,
                Feature::Any | Feature::Unsupported => {}
            }
        }
        Ok(())
    }
}

impl FromStr for Target {
    type Err = Error;

    /// Parses a target ID; a whole triple such as `amdgcn-amd-amdhsa--gfx906:xnack+` is accepted, too.
    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::BadTarget {
            text: text.to_owned(),
        };
        let id = match text.find("gfx") {
            Some(0) => text,
            Some(at) if text[..at].ends_with('-') => &text[at..],
            _ => return Err(bad()),
        };
        let mut parts = id.split(':');
        let chip = parts.next().unwrap_or("").to_owned();
        let named = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if chip.len() < 5 || !chip.chars().all(named) {
            return Err(bad());
        }
        let mut target = Self {
            chip,
            sramecc: Feature::Any,
            xnack: Feature::Any,
            generic_version: None,
        };
        for part in parts {
            match part {
                "xnack+" => target.xnack = Feature::On,
                "xnack-" => target.xnack = Feature::Off,
                "sramecc+" => target.sramecc = Feature::On,
                "sramecc-" => target.sramecc = Feature::Off,
                _ => return Err(bad()),
            }
        }
        Ok(target)
    }
}

/// Returns whether a chip has XNACK (table "AMDGPU Processors", column "Target Features Supported").
fn has_xnack(chip: &str) -> bool {
    matches!(
        chip,
        "gfx801"
            | "gfx810"
            | "gfx900"
            | "gfx902"
            | "gfx904"
            | "gfx906"
            | "gfx908"
            | "gfx909"
            | "gfx90a"
            | "gfx90c"
            | "gfx940"
            | "gfx941"
            | "gfx942"
            | "gfx950"
            | "gfx9-4-generic"
            | "gfx1010"
            | "gfx1011"
            | "gfx1012"
            | "gfx1013"
    )
}

/// Returns whether a chip has SRAM ECC (the same table).
fn has_sramecc(chip: &str) -> bool {
    matches!(
        chip,
        "gfx906"
            | "gfx908"
            | "gfx90a"
            | "gfx940"
            | "gfx941"
            | "gfx942"
            | "gfx950"
            | "gfx9-4-generic"
    )
}

/// Returns the chips that a generic target of generation 9 covers (table "Generic AMDGPU Processors").
fn generic_members(chip: &str) -> &'static [&'static str] {
    match chip {
        "gfx9-generic" => &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"],
        "gfx9-4-generic" => &["gfx942", "gfx950"],
        _ => &[],
    }
}

/// Chips by `EF_AMDGPU_MACH`, bits 7:0 of `e_flags`.
#[rustfmt::skip]
const MACHS: &[(u32, &str)] = &[
    (0x20, "gfx600"),  (0x21, "gfx601"),  (0x3a, "gfx602"),
    (0x22, "gfx700"),  (0x23, "gfx701"),  (0x24, "gfx702"),  (0x25, "gfx703"),  (0x26, "gfx704"),  (0x3b, "gfx705"),
    (0x28, "gfx801"),  (0x29, "gfx802"),  (0x2a, "gfx803"),  (0x3c, "gfx805"),  (0x2b, "gfx810"),
    (0x2c, "gfx900"),  (0x2d, "gfx902"),  (0x2e, "gfx904"),  (0x2f, "gfx906"),  (0x30, "gfx908"),  (0x31, "gfx909"),
    (0x3f, "gfx90a"),  (0x32, "gfx90c"),  (0x40, "gfx940"),  (0x4b, "gfx941"),  (0x4c, "gfx942"),  (0x4f, "gfx950"),
    (0x33, "gfx1010"), (0x34, "gfx1011"), (0x35, "gfx1012"), (0x42, "gfx1013"),
    (0x36, "gfx1030"), (0x37, "gfx1031"), (0x38, "gfx1032"), (0x39, "gfx1033"), (0x3e, "gfx1034"), (0x3d, "gfx1035"),
    (0x45, "gfx1036"),
    (0x41, "gfx1100"), (0x46, "gfx1101"), (0x47, "gfx1102"), (0x44, "gfx1103"), (0x43, "gfx1150"), (0x4a, "gfx1151"),
    (0x55, "gfx1152"), (0x48, "gfx1200"), (0x4e, "gfx1201"),
    (0x51, "gfx9-generic"), (0x5f, "gfx9-4-generic"), (0x52, "gfx10-1-generic"), (0x53, "gfx10-3-generic"),
    (0x54, "gfx11-generic"), (0x59, "gfx12-generic"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_2_notes_name_xnack_chips_by_stepping() {
        let target = Target::from_isa_version(9, 0, 1).unwrap();
        assert_eq!(target.to_string(), "gfx900:xnack+");
        let target = Target::from_isa_version(9, 0, 6).unwrap();
        assert_eq!(target.to_string(), "gfx906:sramecc-:xnack-");
        assert_eq!(Target::from_isa_version(9, 0, 12).unwrap().chip, "gfx90c");
        assert_eq!(
            Target::from_isa_version(7, 0, 1).unwrap().to_string(),
            "gfx701"
        );
        assert!(Target::from_isa_version(9, 9, 9).is_err());
        assert!(Target::from_isa_version(u32::MAX, 0, u32::MAX).is_err());
    }

    #[test]
    fn flags_of_version_4_hold_two_bits_a_feature() {
        let target = Target::from_flags(4, 0x92f | 0x400).unwrap();
        assert_eq!(
            (target.xnack, target.sramecc),
            (Feature::Any, Feature::On),
            "0xd2f: XNACK any (1), SRAM ECC on (3)"
        );
        assert_eq!(
            Target::from_flags(5, 0x62c).unwrap().to_string(),
            "gfx900:xnack-"
        );
        assert!(Target::from_flags(4, 0xff).is_err());
    }

    #[test]
    fn generic_targets_serve_their_members() {
        let mut generic = Target::from_flags(6, 0x0100_0051).unwrap();
        assert_eq!(generic.generic_version, Some(1));
        assert_eq!(generic.major(), 9);
        assert!(generic.serves(&"gfx906".parse().unwrap()));
        assert!(!generic.serves(&"gfx90a".parse().unwrap()));
        generic.xnack = Feature::On;
        assert!(!generic.serves(&"gfx906:xnack-".parse().unwrap()));
    }

    #[test]
    fn target_text_is_checked() {
        for bad in ["", "gfx", "906", "gfx906:fast", "xgfx906", "gfx906 "] {
            assert!(bad.parse::<Target>().is_err(), "{bad:?}");
        }
        let target: Target = "hipv4-amdgcn-amd-amdhsa--gfx90c:xnack+".parse().unwrap();
        assert_eq!((target.chip.as_str(), target.major()), ("gfx90c", 9));
        assert_eq!("gfx1030".parse::<Target>().unwrap().major(), 10);
    }
}
