//! The target of an object file in the form of its ELF header: system, version and chip.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "ELF Header".

use wavetank_object::Target;

use crate::error::{Error, Result};

/// The operating system that starts the code (`ELFOSABI_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Os {
    /// ROCm: HIP, OpenCL, OpenMP (`amdhsa`).
    #[default]
    Hsa,
    /// AMD's drivers for graphics (`amdpal`).
    Pal,
    /// The drivers of Mesa (`mesa3d`).
    Mesa3d,
    /// No system, or one without a name here.
    None,
}

impl Os {
    /// Returns `e_ident[EI_OSABI]` for the system.
    fn abi(self) -> u8 {
        match self {
            Os::None => 0,
            Os::Hsa => 64,
            Os::Pal => 65,
            Os::Mesa3d => 66,
        }
    }
}

/// System, version and chip in the ELF header. Linked files must agree in them, except for features of the chip that one of them
/// leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// `e_ident[EI_OSABI]`, which is the system.
    pub os_abi: u8,
    /// `e_ident[EI_ABIVERSION]`, for HSA the code object version, counted from 2.
    pub abi_version: u8,
    /// `e_flags`: the chip and its features.
    pub flags: u32,
}

impl Identity {
    /// Returns the identity of code for a target, a system, and a code object version, which only HSA has.
    ///
    /// # Errors
    /// [`Error::Version`], and [`wavetank_object::Error::UnknownChip`].
    ///
    /// ```
    /// use wavetank_link::{Identity, Os};
    ///
    /// let identity = Identity::of(&"gfx900:xnack+".parse()?, Os::Hsa, 5)?;
    /// assert_eq!((identity.os_abi, identity.abi_version, identity.flags), (64, 3, 0x32c));
    /// # Ok::<(), wavetank_link::Error>(())
    /// ```
    pub fn of(target: &Target, os: Os, code_object_version: u8) -> Result<Identity> {
        if !(2..=6).contains(&code_object_version) {
            return Err(Error::Version(code_object_version));
        }
        let (abi_version, version) = match os {
            Os::Hsa => (code_object_version - 2, code_object_version),
            // Every other system stores features as version 3 does.
            _ => (0, 3),
        };
        Ok(Identity {
            os_abi: os.abi(),
            abi_version,
            flags: target.elf_flags(version)?,
        })
    }
}

impl Identity {
    /// Returns the system; [`Os::None`] also for a number that stands for none here.
    pub fn os(&self) -> Os {
        let all = [Os::Hsa, Os::Pal, Os::Mesa3d];
        all.into_iter()
            .find(|os| os.abi() == self.os_abi)
            .unwrap_or(Os::None)
    }

    /// Returns the version whose layout the header has: that of the code object, or 3 for systems other than HSA.
    pub fn version(&self) -> u8 {
        match self.os() {
            Os::Hsa => self.abi_version.saturating_add(2),
            _ => 3,
        }
    }

    /// Returns the chip with its features.
    ///
    /// # Errors
    /// [`wavetank_object::Error::UnknownChip`].
    pub fn target(&self) -> Result<Target> {
        Ok(Target::from_flags(self.version(), self.flags)?)
    }
}

/// The mask `EF_AMDGPU_MACH`, which is the chip.
const MACH: u32 = 0xff;
/// `EF_AMDGPU_FEATURE_XNACK_V4` and `EF_AMDGPU_FEATURE_SRAMECC_V4`: the lowest bits of both fields.
const FEATURES: [(u32, &str); 2] = [(8, "XNACK"), (10, "SRAM ECC")];
/// The value of a feature field for code that works with the feature on or off.
const ANY: u32 = 1;
/// The mask `EF_AMDGPU_GENERIC_VERSION`, which is the version of a generic target.
const GENERIC_VERSION: u32 = 0xff00_0000;

impl Identity {
    /// Returns the identity of two files that are linked. System, version and chip must be the same; a feature that one leaves
    /// open takes the other's value ("ELF Header", `e_flags`; `lld/ELF/Arch/AMDGPU.cpp`).
    pub(crate) fn join(&self, other: &Identity) -> Result<Identity, String> {
        let differ = |what: &str| Err(format!("they are for different {what}"));
        if self.os_abi != other.os_abi {
            return differ("systems");
        }
        if self.abi_version != other.abi_version {
            return differ("code object versions");
        }
        if self.flags & MACH != other.flags & MACH {
            return differ("chips");
        }
        // Up to version 3, features are single bits that must be equal.
        if self.os_abi != Os::Hsa.abi() || self.abi_version < 2 {
            return if self.flags == other.flags {
                Ok(*self)
            } else {
                differ("settings of XNACK or SRAM ECC")
            };
        }
        if (self.flags ^ other.flags) & GENERIC_VERSION != 0 {
            return differ("versions of a generic chip");
        }
        let mut flags = self.flags;
        for (shift, name) in FEATURES {
            let [a, b] = [self.flags, other.flags].map(|flags| flags >> shift & 3);
            let both = match (a, b) {
                (a, b) if a == b => a,
                (ANY, other) | (other, ANY) => other,
                _ => return differ(&format!("settings of {name}")),
            };
            flags = flags & !(3 << shift) | both << shift;
        }
        Ok(Identity { flags, ..*self })
    }
}
