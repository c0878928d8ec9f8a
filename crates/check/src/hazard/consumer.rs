//! Consumers: the uses by second instructions of hazards.

/// The use by a second instruction, of the register that the first instruction has set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Consumer {
    /// `s_getreg` reads the hardware register.
    ReadsHwreg,
    /// `s_setreg` writes the hardware register.
    WritesHwreg,
    /// `s_getreg` reads MODE.vskip.
    ReadsVskip,
    /// A vector instruction of any kind.
    IsVector,
    /// A VALU instruction takes VCCZ or EXECZ as a number.
    ReadsZeroFlag,
    /// `v_readlane` or `v_writelane` takes its lane from the register.
    SelectsLane,
    /// `v_div_fmas` reads VCC implicitly.
    IsDivFmas,
    /// A VALU instruction writes the register.
    WritesVector,
    /// Vector memory, FLAT included, reads the register.
    ReadsAsVmem,
    /// A GDS instruction or a message.
    IsMessage,
    /// A DPP instruction reads the register of other lanes.
    ReadsAsDpp,
    /// A DPP instruction uses EXEC.
    IsDpp,
    /// A VALU instruction reads VCC as a number, by the name that the first instruction has not written.
    ReadsVccAlias,
    /// The instruction returns from a trap.
    ReturnsFromTrap,
    /// The instruction accesses LDS with M0: interpolation, addresses by lane, loads to LDS, LDS_DIRECT.
    IsLdsByM0,
    /// The instruction is `s_movrel`.
    IsMovrel,
    /// A branch depends on VCCZ, and the register is VCC by its other name.
    BranchesByVccAlias,
    /// Scalar memory reads the register.
    ReadsAsSmem,
    /// Scalar memory reads the register as a part of its buffer descriptor.
    ReadsAsDescriptor,
    /// `v_readlane` or `v_readfirstlane` reads the register.
    ReadsLane,
    /// The matrix unit executes the instruction under EXEC: a matrix instruction, on gfx908 `v_accvgpr_write` as well.
    IsMatrix,
    /// The same instructions read the register.
    ReadsInMatrix,
    /// A matrix instruction that is of no other kind reads the register as SrcC.
    ReadsAsXdlC,
    /// A matrix instruction of single precision reads the register as SrcC, from gfx942 on.
    ReadsAsSgemmC,
    /// A matrix instruction of double precision reads the register as SrcC.
    ReadsAsDgemmC,
    /// A matrix instruction reads the register, but not as SrcC.
    ReadsAsFactor,
    /// A VALU instruction that is not a matrix instruction reads the register.
    ReadsInValu,
    /// A VALU instruction that is not a matrix instruction writes the register.
    WritesInValu,
    /// Memory of any kind, or an export, reads the register.
    ReadsInMemory,
    /// `v_fma_f64` or `v_fmac_f64`.
    IsFmaF64,
    /// A VALU instruction reads the register as a source.
    ReadsAsSource,
    /// A VALU instruction that is not transcendental reads the register as a source.
    ReadsAsPlainSource,
    /// A VALU instruction reads the scalar register, which is not EXEC.
    ReadsScalar,
    /// `v_readlane`, `v_readfirstlane` or `v_writelane`, under EXEC.
    IsLaneAccess,
    /// `v_permlane16_swap` or `v_permlane32_swap`, under EXEC.
    IsRowSwap,
    /// `v_permlane16_swap` or `v_permlane32_swap` exchanges rows of the register.
    SwapsRows,
}
