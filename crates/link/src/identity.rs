//! Whom an object file is for: what its ELF header says of system, version and chip.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "ELF Header".

use wavetank_object::Target;

use crate::error::{Error, Result};

/// The system that starts the code (`ELFOSABI_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Os {
    /// ROCm: HIP, OpenCL, OpenMP (`amdhsa`).
    #[default]
    Hsa,
    /// AMD's drivers for graphics (`amdpal`).
    Pal,
    /// Mesa's drivers (`mesa3d`).
    Mesa3d,
    /// None, or one that is not named.
    None,
}

impl Os {
    /// `e_ident[EI_OSABI]`.
    fn abi(self) -> u8 {
        match self {
            Os::None => 0,
            Os::Hsa => 64,
            Os::Pal => 65,
            Os::Mesa3d => 66,
        }
    }
}

/// What the ELF header says of system, version and chip. Files that are linked have the same, but for features of the chip
/// that one of them leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// `e_ident[EI_OSABI]`, the system.
    pub os_abi: u8,
    /// `e_ident[EI_ABIVERSION]`, for HSA the code object version, counted from 2.
    pub abi_version: u8,
    /// `e_flags`: the chip and its features.
    pub flags: u32,
}

impl Identity {
    /// That of code for a target and a system, in a code object version; which counts for HSA only.
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
            // Features stand as in version 3 for every other system.
            _ => (0, 3),
        };
        Ok(Identity {
            os_abi: os.abi(),
            abi_version,
            flags: target.elf_flags(version)?,
        })
    }
}
